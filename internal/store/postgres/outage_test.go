package postgres_test

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/postgres"
)

// head reads the end of the log.
func head(t *testing.T, db *postgres.DB) int64 {
	t.Helper()
	n, err := db.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// behind runs a statement in the database of a node, as the one who owns it.
func behind(t *testing.T, n node, sql string) {
	t.Helper()
	p, err := pg.Open(t.Context(), pg.Options{URL: n.opened.URL, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Write(t.Context(), "", func(c *pg.Conn) error { return c.Script(t.Context(), sql) }); err != nil {
		t.Fatal(err)
	}
}

// A node that finds a schema one version ahead goes on beside the new release; one that is further behind does not start.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	old := open(t, postgres.Options{})
	next := "INSERT INTO lukasa.schema_migrations SELECT max(version) + 1, 'a later release', 'x', 0 FROM lukasa.schema_migrations"
	behind(t, old, next)
	second := again(t, old)
	for _, db := range []*postgres.DB{old.DB, second} {
		before := head(t, db)
		id := lukasa.Minter{Now: time.Now, Rand: rand.Reader}.ID(lukasa.PrefixUser)
		if err := db.PutUser(t.Context(), lukasa.User{ID: id, Name: "x", Role: lukasa.RoleUser}, []byte("wrapped")); err != nil {
			t.Fatal(err)
		}
		if head(t, db) < before {
			t.Error("the log went back")
		}
	}
	behind(t, old, next)
	if _, err := postgres.Open(t.Context(), old.opened); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("two versions behind: %v", err)
	}
}

// A replica that is away costs the reads of nobody, and answers wrongly to nobody.
func TestReplicaAway(t *testing.T) {
	t.Parallel()
	first := open(t, postgres.Options{})
	o := first.opened
	o.Replica = "postgres://lukasa@127.0.0.1:1/none?sslmode=disable"
	db, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	began := time.Now()
	for range 50 {
		if err := db.View(t.Context(), lukasa.Scope{}, func(store.Reader) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("50 reads without a replica took %v", took)
	}
	// A primary that is away leaves nobody who knows what was acknowledged last.
	o.URL, o.Replica, o.Patience = "postgres://lukasa@127.0.0.1:1/none?sslmode=disable", first.opened.URL, 10*time.Millisecond
	o.Admin = first.opened.URL
	if db, err := postgres.Open(t.Context(), o); err == nil {
		defer func() { _ = db.Close() }()
		err = db.View(t.Context(), lukasa.Scope{}, func(store.Reader) error { return errors.New("read") })
		if lukasa.CodeOf(err) != lukasa.CodeUnavailable {
			t.Errorf("a read without the primary: %v", err)
		}
	} else if lukasa.CodeOf(err) != lukasa.CodeUnavailable {
		t.Errorf("open without the primary: %v", err)
	}
}
