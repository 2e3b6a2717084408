package pgvector_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/pgvector"
	"github.com/lukasa-memory/lukasa/internal/pg"
)

func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	return url
}

// schemas gives each feed a schema, which all indexes on that feed share, as the nodes of an installation do.
type schemas struct {
	mu    sync.Mutex
	names map[index.Feed]string
}

func (s *schemas) of(t testing.TB, feed index.Feed) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[feed]
	if !ok {
		name = fresh(t)
		s.names[feed] = name
	}
	return name
}

// fresh is the name of a schema that is dropped at the end.
func fresh(t testing.TB) string {
	name := "t_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() { script(t, "DROP SCHEMA IF EXISTS "+name+"_index CASCADE") })
	return name
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

func open(t testing.TB, feed index.Feed, o pgvector.Options) *pgvector.Index {
	t.Helper()
	o.URL, o.Conns, o.Space = server(t), 6, cmp.Or(o.Space, "test")
	x, err := pgvector.Open(context.WithoutCancel(t.Context()), feed, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestSuite(t *testing.T) {
	t.Parallel()
	server(t)
	s := schemas{names: map[index.Feed]string{}}
	indextest.Run(t, func(t testing.TB, feed index.Feed, _ string) index.Index {
		return open(t, feed, pgvector.Options{Schema: s.of(t, feed), Dim: indextest.Dim})
	})
}
