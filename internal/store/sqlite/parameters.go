package sqlite

import (
	"fmt"
	"strconv"
	"strings"
)

// parameters returns a statement as the driver is to have it, and which argument (from 0 on) each of its parameters takes, -1 for none.
//
// The driver asks SQLite for the name of each parameter, and SQLite keeps the names of numbered ones in a list that it reads from the start: a
// row of forty columns costs some 800 steps. So a statement that writes gets nameless parameters, one for each place. One that reads keeps its
// numbers, as SQLite takes what stands in two places for the same, in an order or a group, only by them.
func parameters(sql string) (text string, args []int, err error) {
	writes := strings.HasPrefix(sql, "INSERT ") || strings.HasPrefix(sql, "UPDATE ")
	var b strings.Builder
	if writes {
		b.Grow(len(sql))
	}
	from := 0
	for i := 0; i < len(sql); {
		switch c := sql[i]; {
		case c == '\'' || c == '"':
			if end := strings.IndexByte(sql[i+1:], c); end >= 0 {
				i += end + 2 // a quote that is doubled begins the next
				continue
			}
			i = len(sql)
		case c == '-' && strings.HasPrefix(sql[i:], "--"):
			if end := strings.IndexByte(sql[i:], '\n'); end >= 0 {
				i += end
				continue
			}
			i = len(sql)
		case c != '?':
			i++
		default:
			end := i + 1
			for end < len(sql) && sql[end] >= '0' && sql[end] <= '9' {
				end++
			}
			n, err := strconv.Atoi(sql[i+1 : end])
			if err != nil || n < 1 || n > maxParameter {
				return "", nil, fmt.Errorf("parameter %q of a statement has no number from 1 to %d", sql[i:end], maxParameter)
			}
			if writes {
				b.WriteString(sql[from:i])
				b.WriteByte('?')
				args, from = append(args, n-1), end
			} else {
				for len(args) < n {
					args = append(args, -1)
				}
				args[n-1] = n - 1
			}
			i = end
		}
	}
	if !writes {
		return sql, args, nil
	}
	b.WriteString(sql[from:])
	return b.String(), args, nil
}

// maxParameter is the highest number that a parameter may have; a copy of a store writes many rows at once.
const maxParameter = 32_766
