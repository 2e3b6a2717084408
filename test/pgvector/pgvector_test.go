// Package pgvector proves that nodes that share an index in PostgreSQL see one another's writes, and that nobody else sees them.
package pgvector_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	return url
}

func script(t testing.TB, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	p, err := pg.Open(ctx, pg.Options{URL: server(t), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Write(ctx, "", func(c *pg.Conn) error { return c.Script(ctx, sql) }); err != nil {
		t.Error(err)
	}
}

// number reads one number of the server.
func number(t testing.TB, prelude, sql string) (n int) {
	t.Helper()
	p, err := pg.Open(t.Context(), pg.Options{URL: server(t), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Read(t.Context(), prelude, func(c *pg.Conn) error {
		return c.Each(t.Context(), sql, nil, func(r sqlrows.Row) error { n = r.Int(0); return nil })
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// installation is a configuration of nodes that share a database, in a schema that is dropped at the end.
func installation(t *testing.T) config.Config {
	t.Helper()
	cfg := enginetest.Config(t)
	cfg.StoreProvider, cfg.StoreURL, cfg.StoreSchema, cfg.StoreConns, cfg.IndexProvider = "postgres", server(t), "t_"+strings.ToLower(rand.Text()[:12]), 4, "pgvector"
	cfg.MasterKey = strings.Repeat("0123456789abcdef", 4)
	t.Cleanup(func() {
		s := cfg.StoreSchema
		script(t, "DROP SCHEMA IF EXISTS "+s+"_index, "+s+"_past, "+s+", "+s+"_private CASCADE; DROP OWNED BY "+s+"_app; DROP ROLE "+s+"_app")
	})
	return cfg
}

func remember(t *testing.T, e *engine.Engine, sc lukasa.Scope, text string) {
	t.Helper()
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: text}); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, e *engine.Engine, sc lukasa.Scope, text string) (n int) {
	t.Helper()
	r, err := e.Search(t.Context(), sc, lukasa.Query{Text: text, Limit: 5, Ranker: "text"})
	if err != nil {
		t.Fatal(err)
	}
	return len(r.Hits)
}

// H-17: whoever can run statements as the role of the program, but has no key, sees nothing of the index, and changes nothing in it.
func TestPolicies(t *testing.T) {
	t.Parallel()
	cfg := installation(t)
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	remember(t, e, sc, "The heron nests at the mill pond.")
	if find(t, e, sc, "heron") == 0 {
		t.Fatal("nothing was found")
	}
	index, app := cfg.StoreSchema+"_index", cfg.StoreSchema+"_app"
	for _, table := range []string{"nodes_1", "entries_1", "postings_1", "terms_1"} {
		if n := number(t, "", "SELECT count(*) FROM "+index+"."+table); n == 0 {
			t.Errorf("%s is empty", table)
		}
		for _, claim := range []string{"", "v1|" + string(sc.Owner) + "|||||9999999999999|00", pg.Sign([]byte("another key that is long enough"), pg.Claim{System: true, Whole: true})} {
			if n := number(t, "SET LOCAL ROLE "+app+"; SET LOCAL lukasa.claim = "+pg.Text(claim), "SELECT count(*) FROM "+index+"."+table); n != 0 {
				t.Errorf("%s shows %d rows to the claim %q", table, n, claim)
			}
		}
	}
	p, err := pg.Open(t.Context(), pg.Options{URL: server(t), MaxConns: 1, Role: app})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, sql := range []string{
		"INSERT INTO " + index + ".nodes_1 (owner_id, node_id) VALUES ('usr_x', 'node_x')", "INSERT INTO " + index + ".terms_1 VALUES (1, 'x', 1, 'x')", "DROP TABLE " + index + ".terms_1",
		"TRUNCATE " + index + ".postings_1", "DELETE FROM " + index + ".generations", "CREATE TABLE " + index + ".x (n integer)",
	} {
		if err := p.Write(t.Context(), "", func(c *pg.Conn) error { return c.Script(context.WithoutCancel(t.Context()), sql) }); !pg.IsDenied(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if find(t, e, sc, "heron") == 0 {
		t.Error("nothing is found any more")
	}
}

// What one node remembers another finds at once, over one index.
func TestTwoEngines(t *testing.T) {
	t.Parallel()
	cfg := installation(t)
	a, _, sa := enginetest.Open(t, cfg, engine.Options{})
	cfg.Data = t.TempDir()
	b, _, sb := enginetest.Open(t, cfg, engine.Options{})
	if find(t, a, sa, "kingfisher")+find(t, b, sb, "kingfisher") != 0 {
		t.Fatal("something was found")
	}
	remember(t, a, sa, "A kingfisher dived from the willow.")
	if sa.Owner != sb.Owner {
		t.Fatal("the nodes have owners of their own")
	}
	if find(t, b, sb, "kingfisher") != 1 {
		t.Error("the other node does not find it")
	}
	remember(t, b, sb, "The second kingfisher came later.")
	if find(t, a, sa, "kingfisher") != 2 {
		t.Error("the first node does not find what the other remembers")
	}
}

// The index needs the rows in the same database, and says so.
func TestNeedsPostgres(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.IndexProvider = "pgvector"
	e, err := engine.Open(t.Context(), cfg, engine.Options{})
	if err == nil {
		_ = e.Close()
	}
	if f, ok := errors.AsType[*lukasa.Error](err); !ok || f.Field != "index.provider" || f.Hint == "" {
		t.Errorf("%v", err)
	}
}
