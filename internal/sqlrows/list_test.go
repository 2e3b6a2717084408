package sqlrows

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// shelf has the rows 0 to 249, and notes how often it was counted.
type shelf struct {
	Conn
	counted int
}

func (s *shelf) Each(_ context.Context, sql string, args []any, fn func(Row) error) error {
	if strings.HasPrefix(sql, "SELECT count(*)") {
		s.counted++
		return fn(Row{int64(250)})
	}
	from := int64(0)
	if len(args) > 2 { // behind a position: its key and its id
		from = args[0].(int64) + 1
	}
	from += int64(args[len(args)-1].(int))
	for n := from; n < min(250, from+int64(args[len(args)-2].(int))); n++ {
		row := Row{n, fmt.Sprintf("doc_%03d", n)}
		if strings.Contains(sql, ", count(*) OVER ()") {
			row = append(row, int64(250))
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// TestListIsCountedOnce follows a list to its end: each stretch tells of all, and the list is counted for the first one, or not at all where nobody
// asks or the first one is all.
func TestListIsCountedOnce(t *testing.T) {
	t.Parallel()
	c := &shelf{}
	s := &Session{C: c, Run: t.Context(), Ready: func() error { return nil }, Fault: func(err error) error { return err }}
	q, seen := Stretch{From: "documents", Key: "n", ID: "id", Kind: 'd', Limit: 100}, 0
	for {
		list, next, total, err := s.List(q, Conditions{})
		if err != nil || total != 250 {
			t.Fatalf("%d in all, %v", total, err)
		}
		if seen += len(list); next == "" {
			break
		}
		q.Cursor = next
	}
	if seen != 250 || c.counted != 1 {
		t.Errorf("%d rows, counted %d times", seen, c.counted)
	}
	for name, of := range map[string]struct {
		q              Stretch
		total, counted int
	}{
		"nobody asks":       {Stretch{Limit: 100, Uncounted: true}, 0, 0},
		"all of it":         {Stretch{Limit: 250}, 250, 0},
		"the last ones":     {Stretch{Limit: 100, Offset: 200}, 250, 0},
		"behind the end":    {Stretch{Limit: 100, Offset: 300}, 250, 1},
		"more than is told": {Stretch{Limit: 249}, 250, 1},
	} {
		c.counted, of.q.From, of.q.Key, of.q.ID, of.q.Kind = 0, "documents", "n", "id", 'd'
		if _, _, total, err := s.List(of.q, Conditions{}); err != nil || total != of.total || c.counted != of.counted {
			t.Errorf("%s: %d in all, counted %d times, %v", name, total, c.counted, err)
		}
	}
	dear := Conditions{}
	Want(&dear, []string{"work"})
	dear.Args = nil // the shelf knows no conditions
	for name, of := range map[string]struct {
		q              Stretch
		total, counted int
	}{
		"on the way":     {Stretch{Limit: 100}, 250, 0},
		"nobody asks":    {Stretch{Limit: 100, Uncounted: true}, 0, 0},
		"behind the end": {Stretch{Limit: 100, Offset: 300}, 250, 1},
	} {
		c.counted, of.q.From, of.q.Key, of.q.ID, of.q.Kind = 0, "documents", "n", "id", 'd'
		if _, _, total, err := s.List(of.q, dear); err != nil || total != of.total || c.counted != of.counted {
			t.Errorf("what is dear to find, %s: %d in all, counted %d times, %v", name, total, c.counted, err)
		}
	}
}

// stack has rows of the keys that are given, the highest first, and notes how often it was asked.
type stack struct {
	Conn
	keys  []int64
	asked int
}

func (s *stack) Each(_ context.Context, sql string, args []any, fn func(Row) error) error {
	s.asked++
	limit, same := len(s.keys), !strings.Contains(sql, "LIMIT")
	if !same {
		limit = args[len(args)-1].(int)
	}
	id := args[1].(string)
	for i, k := range s.keys {
		at := fmt.Sprintf("doc_%03d", len(s.keys)-i)
		if behind := k < args[0].(int64) && !same || k == args[0].(int64) && at < id; !behind || limit == 0 {
			continue
		}
		limit--
		if err := fn(Row{k, at}); err != nil {
			return err
		}
	}
	return nil
}

// TestDownEndsBehindAKey reads a list in steps: none ends among rows of one key, and what the first question has told is not asked again.
func TestDownEndsBehindAKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		same  int // rows of each key
		asked int // for the first step of ten rows
		first int // rows of it
	}{"each its own": {1, 1, 10}, "pairs": {2, 1, 10}, "threes": {3, 1, 12}, "many": {40, 2, 40}} {
		s := &stack{}
		for i := range 120 {
			s.keys = append(s.keys, int64((119-i)/c.same))
		}
		run := &Session{C: s, Run: t.Context(), Ready: func() error { return nil }, Fault: func(err error) error { return err }}
		at, all := Position{Key: int64(1 << 40), ID: "\x7f"}, 0
		for more := true; more; {
			var list []Position
			var err error
			before := s.asked
			if list, more, err = run.Down(Stretch{From: "documents", Key: "n", ID: "id", Limit: 10}, Conditions{}, at); err != nil {
				t.Fatal(err)
			}
			if all == 0 && (s.asked-before != c.asked || len(list) != c.first) {
				t.Errorf("%s: %d rows at first, asked %d times, want %d and %d", name, len(list), s.asked, c.first, c.asked)
			}
			if len(list) > 0 && list[0].Key == at.Key {
				t.Errorf("%s: a step ended among rows of %v", name, at.Key)
			}
			if all += len(list); len(list) > 0 {
				at = list[len(list)-1]
			}
		}
		if all != 120 {
			t.Errorf("%s: %d rows, want 120", name, all)
		}
	}
}
