package engine

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/store/postgres"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
	"github.com/lukasa-memory/lukasa/internal/store/storetest"
)

func openSQLite(t *testing.T, now func() time.Time) storetest.Whole {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "lukasa.db"), sqlite.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return storetest.Whole{Store: db, All: db.All}
}

// server returns the address of the test's PostgreSQL, and a schema that goes with the test.
func server(t *testing.T) (url, schema string) {
	t.Helper()
	url = os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	return url, "t_" + strings.ToLower(rand.Text()[:12])
}

func openPostgres(t *testing.T, now func() time.Time) storetest.Whole {
	url, schema := server(t)
	db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Admin: url, Schema: schema, Key: []byte("a key for tests that is long enough"), Conns: 4, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		dropSchema(t, url, schema)
	})
	all := db.All
	all.Strict = true
	return storetest.Whole{Store: db, All: all}
}

func TestToPostgresAndBack(t *testing.T) {
	t.Parallel()
	storetest.Copy(t, openSQLite, openPostgres)
}

func TestFromPostgres(t *testing.T) {
	t.Parallel()
	storetest.CopySome(t, openPostgres, openSQLite)
}

func TestNothingOfADeletedUserStays(t *testing.T) { storetest.Gone(t, openPostgres) }

func TestParsePlace(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]storePlace{
		"sqlite:/a/b":             {Dir: "/a/b", File: "/a/b/lukasa.db"},
		"sqlite:b":                {Dir: filepath.Join(here, "b"), File: filepath.Join(here, "b", "lukasa.db")},
		"sqlite:/a/x.db":          {File: "/a/x.db"},
		"postgres://u:p@h/d":      {URL: "postgres://u:p@h/d"},
		"postgres:postgres://h/d": {URL: "postgres://h/d"},
		"postgresql://h:5/d?a=b":  {URL: "postgres://h:5/d?a=b"},
	} {
		if got, err := parseStorePlace("--from", in); err != nil || got != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "sqlite", "sqlite:", "postgres:", "mysql://x", "/a/b", "postgres:secret", "postgres://"} {
		if got, err := parseStorePlace("--from", in); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
	if p, _ := parseStorePlace("", "postgres://u:secret@h/d"); strings.Contains(p.String(), "secret") || !strings.Contains(p.String(), "@h/d") {
		t.Errorf("shown as %s", p)
	}
}

func dropSchema(t *testing.T, url, schema string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	p, err := pg.Open(ctx, pg.Options{URL: url, MaxConns: 1})
	if err != nil {
		t.Error(err)
		return
	}
	defer p.Close()
	for _, name := range []string{schema, schema + "_past", schema + "_private"} {
		if err := p.Write(ctx, "", func(c *pg.Conn) error { return c.Script(ctx, "DROP SCHEMA IF EXISTS "+pg.Name(name)+" CASCADE") }); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
}
