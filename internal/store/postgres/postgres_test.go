package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
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

// key signs the claims of all tests: their databases are copies of one.
var key = []byte("a key for tests that is long enough")

// template makes a database with the schema, which the others are copies of: that is quicker than to make each.
var template = sync.OnceValues(func() (name string, err error) {
	ctx := context.Background()
	name = "lukasa_" + strings.ToLower(rand.Text()[:12])
	if err := script(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	db, err := postgres.Open(ctx, postgres.Options{URL: address(name), Key: key, Conns: 2})
	if err != nil {
		return "", err
	}
	return name, db.Close()
})

func TestMain(m *testing.M) {
	flag.Parse()
	fewer := true // histories of chance where each question is a round trip, unless the command line says how many
	flag.Visit(func(f *flag.Flag) { fewer = fewer && f.Name != "rapid.checks" })
	if fewer {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if os.Getenv("LUKASA_TEST_POSTGRES") != "" {
		if name, err := template(); err == nil {
			_ = script(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		}
	}
	os.Exit(code) //nolint:forbidigo // a TestMain ends like this
}

// address is the URL of a database on the server for tests.
func address(database string) string { return within(os.Getenv("LUKASA_TEST_POSTGRES"), database) }

// within is the URL of a database on the server of another URL.
func within(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	u.Path = "/" + database
	return u.String()
}

// script runs a statement outside of any transaction.
func script(ctx context.Context, sql string) error {
	p, err := pg.Open(ctx, pg.Options{URL: os.Getenv("LUKASA_TEST_POSTGRES"), MaxConns: 1})
	if err != nil {
		return err
	}
	defer p.Close()
	return p.Write(ctx, "", func(c *pg.Conn) error {
		return errors.Join(c.Script(ctx, "COMMIT"), c.Script(ctx, sql), c.Script(ctx, "BEGIN"))
	})
}

func open(t testing.TB, o postgres.Options) node {
	t.Helper()
	if os.Getenv("LUKASA_TEST_POSTGRES") == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	name := "lukasa_" + strings.ToLower(rand.Text()[:12])
	if err := script(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+from); err != nil {
		t.Fatal(err)
	}
	o.URL, o.Key, o.Conns = address(name), key, 4
	if o.Pooled {
		o.Admin, o.URL = o.URL, within(os.Getenv("LUKASA_TEST_PGBOUNCER"), name)
	}
	db, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := script(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop: %v", err)
		}
	})
	return node{db, o}
}

func TestSuite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		return open(t, postgres.Options{Now: now})
	}, 1)
}

// By way of PgBouncer, each transaction has another connection.
func TestSuitePooled(t *testing.T) {
	t.Parallel()
	if os.Getenv("LUKASA_TEST_PGBOUNCER") == "" {
		t.Skip("needs pgbouncer: set LUKASA_TEST_PGBOUNCER or run make servers")
	}
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		return open(t, postgres.Options{Now: now, Pooled: true})
	}, 0)
}

func TestRelay(t *testing.T) {
	t.Parallel()
	first := open(t, postgres.Options{})
	relaytest.Run(t, func(t *testing.T) relaytest.Relay { return again(t, first) })
}

// A node whose role may not change the schema works in it once another has made it.
func TestAGuestWorksInTheSchema(t *testing.T) {
	t.Parallel()
	first := open(t, postgres.Options{})
	login := "guest_" + strings.ToLower(rand.Text()[:12])
	if err := script(t.Context(), "CREATE ROLE "+login+" LOGIN NOSUPERUSER"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = script(context.WithoutCancel(t.Context()), "DROP OWNED BY "+login+"; DROP ROLE "+login) })
	u, err := url.Parse(first.opened.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(login)
	o := first.opened
	o.URL, o.Admin = u.String(), first.opened.URL
	admitted, err := postgres.Open(t.Context(), o) // makes it a member of the program's role
	if err != nil {
		t.Fatal(err)
	}
	if err := admitted.Close(); err != nil {
		t.Fatal(err)
	}
	o.Admin = ""
	guest := again(t, node{opened: o})
	owner := lukasa.ID("usr_01kqhfpa8vfw78tdp895pvfzqn")
	if err := guest.PutUser(t.Context(), lukasa.User{ID: owner, Name: "Ada", Role: lukasa.RoleUser}, []byte("wrapped")); err != nil {
		t.Fatal(err)
	}
	if u, err := first.User(t.Context(), owner); err != nil || u.Name != "Ada" {
		t.Fatalf("the other node reads %v, %v", u, err)
	}
}
