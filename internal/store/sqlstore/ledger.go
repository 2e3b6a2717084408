package sqlstore

import (
	"maps"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

type statements struct{ *Session }

func (s statements) Now() time.Time { return s.now() }

func (s statements) Query(fn func(store.Row), sql string, args ...any) error {
	return s.Each(func(r sqlrows.Row) error { fn(r); return nil }, sql, args...)
}

func (s statements) Run(sql string, args ...any) (int64, error) { return s.Exec(sql, args...) }

func (s statements) Lines(fn func(store.Row), kind byte, columns, from, key string, conditions map[string]any, p lukasa.Page) (string, int, error) {
	c := where("TRUE")
	for _, sql := range slices.Sorted(maps.Keys(conditions)) {
		c.Add(sql, conditions[sql])
	}
	rows, next, total, err := s.stretch(sqlrows.Stretch{Kind: kind, From: from, Key: key, ID: "CAST('' AS TEXT)", Descending: true}, c, p)
	if err != nil || len(rows) == 0 {
		return next, total, err
	}
	c.Add(key+" <= ??", rows[0].Key)
	c.Add(key+" >= ??", rows[len(rows)-1].Key)
	return next, total, s.Query(fn, "SELECT "+columns+" FROM "+from+" WHERE "+c.Where()+" ORDER BY "+key+" DESC", c.Args...)
}
