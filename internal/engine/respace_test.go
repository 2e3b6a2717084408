package engine

import (
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/store"
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

// A message that no name leads is embedded as it stands, and one that says nothing is not; the vectors that a release before made of other
// texts are made anew once.
func TestMessagesAreEmbeddedAsTheyStand(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Data = t.TempDir()
	open := func() (*Engine, lukasa.Scope) {
		t.Helper()
		e, err := Open(t.Context(), cfg, Options{})
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
	const home, nothing = "I live in Berlin.", "haha yes"
	e, sc := open()
	_, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "a", Messages: []lukasa.NewMessage{{Role: "user", Content: home}, {Role: "user", Content: nothing}}})
	if err != nil {
		t.Fatal(err)
	}
	similar := func() map[string]float64 {
		t.Helper()
		r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "Where do I live?", Ranker: "vector", Types: []lukasa.EntryType{lukasa.EntryMessage}})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, h := range r.Hits {
			out[h.Content] = h.Similarity
		}
		return out
	}
	stands := similar()
	if _, ok := stands[nothing]; ok || len(stands) != 1 {
		t.Errorf("%v", stands)
	}
	r, err := e.Search(t.Context(), sc, lukasa.Query{Text: nothing})
	if err != nil || len(r.Hits) != 1 && r.Hits[0].Content != nothing {
		t.Errorf("what has no vector is not found by its words: %+v, %v", r.Hits, err)
	}

	if r, err = e.Search(t.Context(), sc, lukasa.Query{Types: []lukasa.EntryType{lukasa.EntryMessage}}); err != nil || len(r.Hits) != 2 {
		t.Fatal(r.Hits, err)
	}
	vs := make([]store.Vector, 0, 2) // as the release before made them
	for _, h := range r.Hits {
		v, err := e.embed.Embed(t.Context(), []string{"user: " + h.Content})
		if err != nil {
			t.Fatal(err)
		}
		vs = append(vs, store.Vector{Entry: h.ID, Type: lukasa.EntryMessage, Vector: v[0]})
	}
	if err := e.store.Update(t.Context(), sc, func(tx store.Tx) error { return tx.PutVectors(e.embed.Space().ID, vs) }); err != nil {
		t.Fatal(err)
	}
	if err := e.store.SetSetting(t.Context(), "embeddings.form:"+e.embed.Space().ID, ""); err != nil {
		t.Fatal(err)
	}
	if was := similar(); len(was) != 2 || was[home] >= stands[home] {
		t.Errorf("led by its role it is as near: %v, %v", was, stands)
	}
	for _, jobs := range []int{1, 0} {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		e, sc = open()
		list, err := e.life.Queue(t.Context(), sc)
		list = slices.DeleteFunc(list, func(j lukasa.Job) bool { return j.Kind != lifecycle.JobReword })
		if err != nil || len(list) != jobs {
			t.Errorf("%d jobs, want %d: %v", len(list), jobs, err)
		}
		if err := e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := similar(); len(now) != 1 || now[home] != stands[home] {
			t.Errorf("%v, want %v", now, stands)
		}
	}
}
