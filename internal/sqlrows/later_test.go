package sqlrows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// desk is a connection that writes down what it is told.
type desk struct {
	log  []string
	fail error // of the next statement
}

func (d *desk) note(what, sql string, n int) error {
	d.log = append(d.log, fmt.Sprint(what, " ", sql, " ", n))
	err := d.fail
	d.fail = nil
	return err
}

func (d *desk) Each(_ context.Context, sql string, args []any, _ func(Row) error) error {
	return d.note("each", sql, len(args))
}

func (d *desk) Exec(_ context.Context, sql string, args []any) (int64, error) {
	return 1, d.note("exec", sql, len(args))
}

// adding is one that writes many rows at once.
type adding struct{ desk }

func (d *adding) Add(_ context.Context, sql string, fixed []any, list [][]any) error {
	return d.note("add", sql, len(fixed)*len(list))
}

func session(t *testing.T, c Conn) *Session {
	return &Session{C: c, Run: t.Context(), Fixed: []any{"ada"}, Ready: func() error { return nil }, Fault: func(err error) error { return err }}
}

func TestWhatIsPutOffIsWrittenBeforeAnythingIsRead(t *testing.T) {
	t.Parallel()
	c := &adding{}
	s := session(t, c)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Later(Next, "part", 1))
	must(s.Later(First, "whole", 2))
	must(s.Later(Next, "part", 3))
	_, err := s.Has("query")
	must(err)
	must(s.Later(First, "whole", 4))
	must(s.Do("change"))
	must(s.Later(First, "whole", 5))
	must(s.Settle())
	must(s.Settle())
	want := []string{"add whole 1", "add part 2", "each query 1", "add whole 1", "exec change 1", "add whole 1"}
	if !slices.Equal(c.log, want) {
		t.Errorf("told %q, want %q", c.log, want)
	}
	c.log = nil
	for range maxLater + 1 {
		must(s.Later(Next, "part", 1))
	}
	if want := []string{fmt.Sprint("add part ", maxLater)}; !slices.Equal(c.log, want) {
		t.Errorf("told %q, want %q", c.log, want)
	}
}

func TestWhatCannotTellDoesNotWriteWhatIsPutOff(t *testing.T) {
	t.Parallel()
	c := &adding{}
	s := session(t, c)
	part := "INSERT INTO parts (owner_id, id) VALUES (?1, ?5)"
	want := []string{}
	for _, x := range []struct {
		sql    string
		writes bool
	}{
		{"SELECT 1 FROM wholes", false},
		{"SELECT 1 FROM wholes w JOIN parts p ON p.id = w.id", true},
		{"SELECT 1 FROM wholes WHERE id IN (SELECT id FROM parts)", true},
		{"UPDATE wholes SET n = 1 RETURNING n", true}, // its foreign keys may
		{"WITH x AS (SELECT 1) SELECT 1 FROM x", true},
	} {
		c.log = nil
		if err := s.Later(Next, part, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Has(x.sql); err != nil {
			t.Fatal(err)
		}
		want = want[:0]
		if x.writes {
			want = append(want, "add "+part+" 1")
		}
		if want = append(want, "each "+x.sql+" 1"); !slices.Equal(c.log, want) {
			t.Errorf("told %q, want %q", c.log, want)
		}
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFailureOfWhatWasPutOffStays(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	c := &adding{}
	s := session(t, c)
	if err := s.Later(First, "whole"); err != nil {
		t.Fatal(err)
	}
	c.fail = boom
	_, has := s.Has("query")
	for what, err := range map[string]error{"query": has, "do": s.Do("change"), "later": s.Later(First, "whole"), "settle": s.Settle()} {
		if !errors.Is(err, boom) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if want := []string{"add whole 1"}; !slices.Equal(c.log, want) {
		t.Errorf("told %q, want %q", c.log, want)
	}
}

func TestAConnectionOfSingleRowsGetsThemAtOnce(t *testing.T) {
	t.Parallel()
	c := &desk{}
	s := session(t, c)
	if err := errors.Join(s.Later(Next, "part", 1), s.Later(First, "whole", 2), s.Settle()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"exec part 2", "exec whole 2"}; !slices.Equal(c.log, want) {
		t.Errorf("told %q, want %q", c.log, want)
	}
}
