package postgres_test

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/relay/relaytest"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/postgres"
	"github.com/lukasa-memory/lukasa/internal/store/storetest"
)

// node is a store with what it was opened with.
type node struct {
	*postgres.DB
	opened postgres.Options
}

// again opens the store of a node once more.
func again(t testing.TB, n node) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), n.opened)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func open(t testing.TB, o postgres.Options) node {
	t.Helper()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	o.URL, o.Admin, o.Schema, o.Key, o.Conns = url, url, "t_"+strings.ToLower(rand.Text()[:12]), []byte("a key for tests that is long enough"), 4
	db, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		drop(t, url, o.Schema)
	})
	return node{db, o}
}

func drop(t testing.TB, url, schema string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	p, err := pg.Open(ctx, pg.Options{URL: url, MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Write(ctx, "", func(c *pg.Conn) error { return c.Script(ctx, "DROP SCHEMA "+pg.Name(schema)+" CASCADE") }); err != nil {
		t.Errorf("drop: %v", err)
	}
}

func TestSuite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		return open(t, postgres.Options{Now: now})
	})
}

func TestRelay(t *testing.T) {
	t.Parallel()
	first := open(t, postgres.Options{})
	relaytest.Run(t, func(t *testing.T) relaytest.Relay { return again(t, first) })
}
