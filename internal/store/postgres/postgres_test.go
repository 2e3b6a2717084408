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
	"github.com/lukasa-memory/lukasa/internal/pubsub/pubsubtest"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
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

// key signs the claims of all tests, which share the role of the program.
var key = []byte("a key for tests that is long enough")

func TestMain(m *testing.M) {
	flag.Parse()
	fewer := true // histories of chance where each question is a round trip, unless the command line says how many
	flag.Visit(func(f *flag.Flag) { fewer = fewer && f.Name != "rapid.checks" })
	if fewer {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run()) //nolint:forbidigo // a TestMain ends like this
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

// needs skips a test whose server is not there.
func needs(t testing.TB, name string) {
	t.Helper()
	if variable := "LUKASA_TEST_" + strings.ToUpper(name); os.Getenv(variable) == "" {
		t.Skipf("needs %s: set %s or run make servers", name, variable)
	}
}

func open(t testing.TB, o postgres.Options) node {
	t.Helper()
	needs(t, "postgres")
	name := "lukasa_" + strings.ToLower(rand.Text()[:12])
	if err := script(t.Context(), "CREATE DATABASE "+name); err != nil {
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

// used is a store that one test after the other has for itself.
type used struct {
	node
	now  func() time.Time
	look string // of its schema, as it was made
}

// suite opens the stores of the tests of t. A schema takes the server a second to make, for a thousand files, and the statements of a test
// as long again to plan, on each new connection: so a test is given a store that another is done with, emptied, where there is one.
func suite(t *testing.T, o postgres.Options) func(*testing.T, func() time.Time) store.Store {
	var mu sync.Mutex
	var free []*used
	return func(sub *testing.T, now func() time.Time) store.Store {
		mu.Lock()
		defer mu.Unlock()
		var u *used
		if n := len(free); n > 0 {
			u, free = free[n-1], free[:n-1]
		} else {
			u = &used{}
			o.Now = func() time.Time { return u.now() }
			u.node = open(t, o)
			u.look = u.empty(sub)
		}
		u.now = now
		sub.Cleanup(func() {
			if u.empty(sub) != u.look || u.View(context.WithoutCancel(sub.Context()), lukasa.Scope{}, func(store.Reader) error { return nil }) != nil {
				return // a test that changes more than rows, or closes it, leaves it to nobody
			}
			mu.Lock()
			defer mu.Unlock()
			free = append(free, u)
		})
		return u
	}
}

// empty deletes all rows but those that tell of the schema, lets numbers begin again, and returns what the schema looks like then: its
// steps, tables, views and the rights to them. The tables of spaces stay: they are made where they are not there.
func (u *used) empty(t *testing.T) (look string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	o := pg.Options{URL: u.opened.URL, MaxConns: 1}
	if u.opened.Pooled {
		o.URL = u.opened.Admin
	}
	p, err := pg.Open(ctx, o)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer p.Close()
	err = p.Write(ctx, "", func(c *pg.Conn) error {
		return errors.Join(c.Script(ctx, `SET LOCAL session_replication_role = replica; DO $$ DECLARE r record; BEGIN
FOR r IN SELECT oid::regclass AS name, relkind FROM pg_class WHERE relnamespace = 'lukasa'::regnamespace AND relkind IN ('r', 'S') AND pg_relation_size(oid) > 0
 AND relname NOT IN ('schema_migrations', 'schema_parts', 'log') LOOP
  IF r.relkind = 'S' THEN PERFORM setval(r.name, 1, false); ELSE EXECUTE 'DELETE FROM ' || r.name; END IF;
END LOOP; END $$; UPDATE lukasa.log SET last = 0`), c.Each(ctx, `SELECT md5(string_agg(line, ' ' ORDER BY line)) FROM (
SELECT m::text FROM lukasa.schema_migrations m UNION ALL SELECT p::text FROM lukasa.schema_parts p
UNION ALL SELECT concat(oid, relname, relacl) FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'lukasa%' AND relname NOT LIKE 'embeddings%') v (line)`, nil, func(r sqlrows.Row) error {
			look = r.Text(0)
			return nil
		}))
	})
	if err != nil {
		t.Error(err)
	}
	return look
}

func TestSuite(t *testing.T) {
	t.Parallel()
	needs(t, "postgres")
	storetest.Run(t, suite(t, postgres.Options{}), 1)
}

// By way of PgBouncer, each transaction has another connection.
func TestSuitePooled(t *testing.T) {
	t.Parallel()
	needs(t, "pgbouncer")
	storetest.Run(t, suite(t, postgres.Options{Pooled: true}), 0)
}

func TestRelay(t *testing.T) {
	t.Parallel()
	first := open(t, postgres.Options{})
	pubsubtest.Run(t, func(t *testing.T) pubsubtest.Relay { return again(t, first) })
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
