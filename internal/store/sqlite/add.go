package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// rowsAtOnce is how many rows one statement writes where there are so many: each takes half the time that it would take by itself, as
// what the statement goes to in the tables and their indexes stays at hand.
const rowsAtOnce = 16

// Add implements [sqlrows.Adder].
func (c *Conn) Add(ctx context.Context, sql string, fixed []any, list [][]any) error {
	args := append(make([]any, 0, len(fixed)+min(rowsAtOnce, len(list))*len(list[0])), fixed...)
	for len(list) > 0 {
		text, n := sql, 1
		if len(list) >= rowsAtOnce {
			n = rowsAtOnce
			if text = c.many[sql]; text == "" {
				var err error
				if text, err = manyRows(sql, len(fixed), len(list[0]), n); err != nil {
					return err
				}
				if c.many == nil {
					c.many = make(map[string]string)
				}
				c.many[sql] = text
			}
		}
		args = args[:len(fixed)]
		for _, row := range list[:n] {
			args = append(args, row...)
		}
		if _, err := c.Exec(ctx, text, args); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// manyRows returns an INSERT of one row as one of n rows. Each has so many arguments of its own behind the fixed ones.
func manyRows(sql string, fixed, own, n int) (string, error) {
	head, rest, ok := strings.Cut(sql, "VALUES (")
	end := closing(rest)
	if !ok || end < 0 {
		return "", fmt.Errorf("a statement inserts no row: %s", sql)
	}
	row, tail := rest[:end], rest[end:]
	pieces := strings.Split(row, "?")
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("VALUES (")
	for k := range n {
		if k > 0 {
			b.WriteString("), (")
		}
		b.WriteString(pieces[0])
		for _, p := range pieces[1:] {
			digits := 0
			for digits < len(p) && p[digits] >= '0' && p[digits] <= '9' {
				digits++
			}
			number, err := strconv.Atoi(p[:digits])
			if err != nil {
				return "", fmt.Errorf("a parameter without a number: %s", sql)
			}
			if number > fixed {
				number += k * own
			}
			b.WriteByte('?')
			b.WriteString(strconv.Itoa(number))
			b.WriteString(p[digits:])
		}
	}
	b.WriteString(tail)
	return b.String(), nil
}

// closing returns where the parenthesis is that closes one before s, -1 if none does.
func closing(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
