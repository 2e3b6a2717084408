package sqlite

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// ledger runs the statements that all dialects share.
func (db *DB) ledger() store.Ledger {
	return store.NewLedger(func(ctx context.Context, owner lukasa.ID, fn func(store.Statements) error) error {
		return db.read(ctx, lukasa.Scope{Owner: owner}, func(s *session) error { return fn(statements{s}) })
	}, func(ctx context.Context, owner lukasa.ID, fn func(store.Statements) error) error {
		return db.write(ctx, lukasa.Scope{Owner: owner}, func(t *tx) error { return fn(statements{t.session}) })
	})
}

type statements struct{ *session }

func (s statements) Now() time.Time { return s.now() }

func (s statements) Query(fn func(store.Row), sql string, args ...any) error {
	return s.Each(func(r row) error { fn(r); return nil }, sql, args...)
}

func (s statements) Run(sql string, args ...any) (int64, error) {
	n, _, err := s.Exec(sql, args...)
	return n, err
}

func (s statements) Lines(fn func(store.Row), kind byte, columns, from, key string, conditions map[string]any, p lukasa.Page) (string, int, error) {
	c := where("1")
	for _, sql := range slices.Sorted(maps.Keys(conditions)) {
		c.Add(sql, conditions[sql])
	}
	rows, next, total, err := s.stretch(kind, from, key, "''", c, true, p)
	if err != nil || len(rows) == 0 {
		return next, total, err
	}
	c.Add(key+" <= ??", rows[0].Key)
	c.Add(key+" >= ??", rows[len(rows)-1].Key)
	return next, total, s.Query(fn, "SELECT "+columns+" FROM "+from+" WHERE "+c.Where()+" ORDER BY "+key+" DESC", c.Args...)
}
