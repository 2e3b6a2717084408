package sqlrows

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Adder is a connection that writes many rows with one statement.
type Adder interface {
	// Add runs an INSERT of one row for each list of arguments, in their order. What all have in common stands before them.
	Add(ctx context.Context, sql string, fixed []any, list [][]any) error
}

// Rank says what is written first of what waits: a row that others refer to goes before them.
type Rank int

// The ranks that there are.
const (
	First Rank = iota
	Next
)

// maxLater is how many rows wait at most.
const maxLater = 1024

// later is an INSERT that waits with the rows that it is to write.
type later struct {
	rank  Rank
	table string // "": it is not known
	sql   string
	list  [][]any
}

// Later has an INSERT of one row run before the next statement that could tell or that changes something, or with [Session.Settle], so that
// those of one text are run at once. A query that does not name its table cannot tell: a table must be written to under its name alone, and
// with no effect on others. Its error comes then, and with whatever is asked of the session from then on. The arguments must
// stay as they are.
func (s *Session) Later(rank Rank, sql string, args ...any) error {
	if _, ok := s.C.(Adder); !ok {
		return s.Do(sql, args...)
	}
	if err := s.Ready(); err != nil {
		return s.Fault(err)
	}
	if s.broken != nil {
		return s.broken
	}
	s.count()
	i := slices.IndexFunc(s.late, func(l later) bool { return l.sql == sql })
	if i < 0 {
		i, s.late = len(s.late), append(s.late, later{rank: rank, table: target(sql), sql: sql})
	}
	s.late[i].list = append(s.late[i].list, args)
	if s.waiting++; s.waiting >= maxLater {
		return s.Settle()
	}
	return nil
}

// target is the table that an INSERT writes to.
func target(sql string) string {
	rest, ok := strings.CutPrefix(sql, "INSERT INTO ")
	if !ok {
		return ""
	}
	table, _, _ := strings.Cut(rest, " ")
	return table
}

// tells reports whether the result of a statement may hang on what waits.
func (s *Session) tells(sql string) bool {
	return !strings.HasPrefix(sql, "SELECT ") || slices.ContainsFunc(s.late, func(l later) bool { return strings.Contains(sql, l.table) })
}

// Settle writes what waits. A session in which that failed once is of no use any more: some of the rows are missing.
func (s *Session) Settle() error {
	if s.waiting == 0 || s.broken != nil {
		return s.broken
	}
	late := s.late
	s.late, s.waiting = nil, 0
	slices.SortStableFunc(late, func(a, b later) int { return cmp.Compare(a.rank, b.rank) })
	for _, l := range late {
		if err := s.C.(Adder).Add(s.Run, l.sql, s.Fixed, l.list); err != nil {
			s.broken = s.Fault(err)
			return s.broken
		}
	}
	return nil
}
