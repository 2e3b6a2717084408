package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

func TestManyRowsAreThoseOfOneEach(t *testing.T) {
	t.Parallel()
	c := newConn(t, filepath.Join(t.TempDir(), "x.db"))
	if err := c.Script("CREATE TABLE t (owner TEXT, id INTEGER PRIMARY KEY, text TEXT, mark TEXT)"); err != nil {
		t.Fatal(err)
	}
	const sql = `INSERT INTO t (owner, id, text, mark) VALUES (?1, ?4, coalesce(?3, 'none'), coalesce((SELECT 'b' WHERE ?4 > 3), 'a (or b)'))
ON CONFLICT (id) DO UPDATE SET text = 'twice'`
	for _, n := range []int{1, rowsAtOnce - 1, rowsAtOnce, 2*rowsAtOnce + 1} {
		var list [][]any
		for i := range n {
			var text any = fmt.Sprint("text ", i)
			if i%3 == 0 {
				text = nil
			}
			list = append(list, []any{text, i})
		}
		if n > 1 {
			list[n-1][1] = 0 // there already
		}
		if err := c.Script("DELETE FROM t"); err != nil {
			t.Fatal(err)
		}
		if err := c.Add(t.Context(), sql, []any{"ada", "unused"}, list); err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range max(1, n-1) {
			text, mark := fmt.Sprint("text ", i), "a (or b)"
			if i%3 == 0 {
				text = "none"
			}
			if i == 0 && n > 1 {
				text = "twice"
			}
			if i > 3 {
				mark = "b"
			}
			want = append(want, fmt.Sprintf("ada|%d|%s|%s", i, text, mark))
		}
		var got []string
		err := c.Each(t.Context(), "SELECT owner, id, text, mark FROM t ORDER BY id", nil, func(r sqlrows.Row) error {
			got = append(got, fmt.Sprintf("%s|%d|%s|%s", r.Text(0), r.Int(1), r.Text(2), r.Text(3)))
			return nil
		})
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%d rows: %v\n%s\nwant\n%s", n, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if err := c.Add(t.Context(), "UPDATE t SET text = ?3", []any{"ada", "unused"}, make([][]any, rowsAtOnce)); err == nil {
		t.Error("a statement that inserts nothing was taken for one that does")
	}
}
