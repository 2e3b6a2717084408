package sqlite

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql, text string
		args      []int
	}{
		{"SELECT 1", "SELECT 1", nil},
		{"SELECT ?5, ?2, ?5", "SELECT ?5, ?2, ?5", []int{-1, 1, -1, -1, 4}},
		{"INSERT INTO a VALUES (?1, ?5, ?1)", "INSERT INTO a VALUES (?, ?, ?)", []int{0, 4, 0}},
		{"UPDATE a SET x = '?1' || ?12 -- ?3\nWHERE y = \"?4\"", "UPDATE a SET x = '?1' || ? -- ?3\nWHERE y = \"?4\"", []int{11}},
		{"UPDATE a SET x = 'it''s ?2', y = ?2", "UPDATE a SET x = 'it''s ?2', y = ?", []int{1}},
		{"UPDATE a SET x = ?1 -- ?2", "UPDATE a SET x = ? -- ?2", []int{0}},
		{"UPDATE a SET x = ?1, y = '?2", "UPDATE a SET x = ?, y = '?2", []int{0}},
	} {
		if text, args, err := parameters(c.sql); err != nil || text != c.text || !slices.Equal(args, c.args) {
			t.Errorf("%q becomes %q with %v, %v", c.sql, text, args, err)
		}
	}
	for _, sql := range []string{"SELECT ?", "SELECT ?0", "INSERT INTO a VALUES (?1, ?)", "SELECT ?32767", "SELECT ?99999999999999999999"} {
		if _, _, err := parameters(sql); err == nil {
			t.Errorf("%q is taken", sql)
		}
	}
}

// What a statement writes and reads does not hang on how its parameters are handed over.
func TestArgumentsArriveWhereTheyBelong(t *testing.T) {
	t.Parallel()
	c := newConn(t, filepath.Join(t.TempDir(), "store.db"))
	if err := c.Script("CREATE TABLE a (x, y, z, UNIQUE (x))"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Run("INSERT INTO a (z, y, x) VALUES (?3, ?2, ?1) ON CONFLICT (x) DO UPDATE SET z = excluded.z || ?2", "x", "y", "z", "unused"); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Run("UPDATE a SET y = ?4 WHERE x = ?1", "x", nil, nil, 7); err != nil {
		t.Fatal(err)
	}
	var got []any
	err := c.Each(context.Background(), "SELECT x, y, z, ?3 FROM a WHERE x = ?1", []any{"x", "unused", "three"}, func(r sqlrows.Row) error {
		got = append(got, r.Text(0), r.Int(1), r.Text(2), r.Text(3))
		return nil
	})
	if err != nil || !slices.Equal(got, []any{"x", 7, "zy", "three"}) {
		t.Error(got, err)
	}
	for _, sql := range []string{"INSERT INTO a VALUES (?1, ?2, ?2)", "SELECT ?2"} {
		if err := c.Run(sql, "alone"); err == nil {
			t.Errorf("%q ran without its second argument", sql)
		}
	}
}
