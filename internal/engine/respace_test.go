package engine

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
)

// newer is the embedder of a later release: another space, other vectors.
type newer struct{ embed.Embedder }

func (n newer) Space() embed.Space {
	s := n.Embedder.Space()
	s.ID += ":newer"
	return s
}

// A store that was filled with another embedder, or by a release that had another one built in, gets its vectors anew by itself, memories
// included; a start that finds nothing of the kind asks for nothing.
func TestAnotherEmbedder(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Data = t.TempDir()
	open := func(now func(embed.Embedder) embed.Embedder) (*Engine, lukasa.Scope) {
		t.Helper()
		e, err := Open(t.Context(), cfg, Options{Embed: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		sc, err := e.Local(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return e, sc
	}
	finds := func(e *Engine, sc lukasa.Scope, what string, types ...lukasa.EntryType) bool {
		t.Helper()
		r, err := e.Search(t.Context(), sc, lukasa.Query{Text: what, Ranker: "vector", Types: types})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Hits) > 0
	}
	e, sc := open(nil)
	if e.Respaced() {
		t.Error("a new store asks for vectors")
	}
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "Two hamsters live in a cage beside our window."}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Ana plays the cello."}); err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(t.Context()); err != nil || !finds(e, sc, "musical instrument", lukasa.EntryMemory) {
		t.Fatalf("nothing is found by its vector: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	later := func(of embed.Embedder) embed.Embedder { return newer{of} }
	e, sc = open(later)
	if !e.Respaced() || finds(e, sc, "pets", lukasa.EntryChunk) {
		t.Fatalf("asked for vectors: %v; or something has one already", e.Respaced())
	}
	if jobs, err := e.life.Queue(t.Context(), sc); err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
	if err := e.Close(); err != nil { // before the job was done
		t.Fatal(err)
	}
	e, sc = open(later)
	if e.Respaced() {
		t.Error("asked for twice")
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !finds(e, sc, "pets", lukasa.EntryChunk) || !finds(e, sc, "musical instrument", lukasa.EntryMemory) {
		t.Error("not everything has a vector again")
	}
}
