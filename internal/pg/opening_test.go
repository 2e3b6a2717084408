package pg

import (
	"errors"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// What opens a transaction goes along with its first statement, holds for it alone, and what comes after it sees what it did.
func TestOpening(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		o.MaxConns = 1
		p, schema := open(t, o)
		run(t, p, "CREATE TABLE "+schema+".v (n bigint PRIMARY KEY); CREATE TABLE "+schema+".seen (n bigint)")
		text := func(c *Conn, sql string) (s string) {
			t.Helper()
			if err := c.Each(t.Context(), sql, nil, func(r sqlrows.Row) error { s = r.Text(0); return nil }); err != nil {
				t.Error(err)
			}
			return s
		}
		opening := Opening{Path: schema, Set: []Setting{{"lukasa.claim", "it's \\ me"}}, Lock: 77}
		for range 2 { // the second time all is prepared
			err := p.ReadAs(t.Context(), opening, func(c *Conn) error {
				if got := text(c, "SELECT current_setting('lukasa.claim') || ' ' || current_schema()"); got != `it's \ me `+schema {
					t.Errorf("the transaction sees %q", got)
				}
				if got := text(c, "SELECT CAST(count(*) AS text) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND pid = pg_backend_pid()"); got != "1" {
					t.Errorf("it holds the lock %s times", got)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			err = p.ReadAs(t.Context(), Opening{}, func(c *Conn) error {
				if got := text(c, "SELECT coalesce(current_setting('lukasa.claim', true), '') || current_setting('search_path')"); got != `"$user", public` {
					t.Errorf("the next one sees %q", got)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		opening.After = func() string { return "INSERT INTO " + schema + ".seen SELECT count(*) FROM " + schema + ".v" }
		insert := func(n int) func(*Conn) error {
			return func(c *Conn) error { return c.Queue(t.Context(), "INSERT INTO v (n) VALUES (?1)", []any{n}) }
		}
		if late, err := p.WriteAs(t.Context(), opening, insert(1)); late != nil || err != nil {
			t.Errorf("late %v, %v", late, err)
		}
		if late, err := p.WriteAs(t.Context(), opening, insert(1)); late != nil || !IsUnique(err) {
			t.Errorf("a row that is there: late %v, %v", late, err)
		}
		own := errors.New("changed its mind")
		if _, err := p.WriteAs(t.Context(), opening, func(c *Conn) error { return errors.Join(insert(2)(c), own) }); !errors.Is(err, own) {
			t.Error(err)
		}
		if late, err := p.WriteAs(t.Context(), Opening{Lock: 77}, func(*Conn) error { return nil }); late != nil || err != nil {
			t.Errorf("a write that asks for nothing: late %v, %v", late, err)
		}
		opening.After = func() string { return "SELECT 1 / (SELECT count(*) - 2 FROM " + schema + ".v)" }
		if late, err := p.WriteAs(t.Context(), opening, insert(2)); Code(late) != "22012" || err != nil {
			t.Errorf("what comes after a commit fails: late %v, %v", late, err)
		}
		err := p.Read(t.Context(), "SET LOCAL search_path = "+schema, func(c *Conn) error {
			if got := text(c, "SELECT (SELECT count(*) FROM v) || ' ' || (SELECT string_agg(CAST(n AS text), ',') FROM seen)"); got != "2 1" {
				t.Errorf("rows, and what was seen after commits: %s", got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
