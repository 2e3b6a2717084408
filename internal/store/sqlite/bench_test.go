package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// plot is a store with one node, and makes notes of one chunk with a vector of 256 dimensions.
type plot struct {
	*sqlite.DB
	sc   lukasa.Scope
	node lukasa.ID
	n    atomic.Int64
	vec  []float32
}

func newPlot(t testing.TB, db *sqlite.DB, owner lukasa.ID) *plot {
	t.Helper()
	p := &plot{DB: db, sc: lukasa.Scope{Owner: owner}, node: "node_" + owner, vec: make([]float32, 256)}
	for i := range p.vec {
		p.vec[i] = rand.Float32()
	}
	if err := db.PutUser(t.Context(), lukasa.User{ID: owner, Name: "Ada"}, nil); err != nil {
		t.Fatal(err)
	}
	err := db.Update(t.Context(), p.sc, func(tx store.Tx) error {
		if _, err := tx.NodeAt(""); err == nil {
			return nil
		}
		if err := tx.PutNode(lukasa.Node{ID: "node_root" + owner}); err != nil {
			return err
		}
		return tx.PutNode(lukasa.Node{ID: p.node, Path: "work"})
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const noteText = "Met Dave at the harbour office on Tuesday; he prefers the later ferry, and will send the revised offer for the two cranes before Friday noon."

// note puts one note; its number makes its ids.
func (p *plot) note(tx store.Tx, n int64) error {
	doc := lukasa.ID(fmt.Sprintf("doc_%026d", n))
	chunk := lukasa.ID(fmt.Sprintf("chk_%026d", n))
	hash := fmt.Sprintf("%064d", n)
	if _, err := tx.LatestByHash(p.node, hash); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return err
	}
	at := time.UnixMicro(n)
	err := tx.PutDocument(lukasa.Document{
		ID: doc, Node: p.node, Title: "Met Dave", Content: noteText, ContentType: "text/plain", Tags: []string{"work"}, ContentHash: hash,
		Size: int64(len(noteText)), Status: lukasa.StatusDone, IsLatest: true, CreatedAt: at, UpdatedAt: at,
	})
	if err != nil {
		return err
	}
	if err := tx.ReplaceChunks(doc, []lukasa.Chunk{{ID: chunk, End: len(noteText), Content: noteText}}); err != nil {
		return err
	}
	return tx.PutVectors("bench", []store.Vector{{Entry: chunk, Type: lukasa.EntryChunk, Vector: p.vec}})
}

func benchPlot(b *testing.B) *plot {
	return newPlot(b, open(b, filepath.Join(b.TempDir(), "store.db"), sqlite.Options{}), "usr_bench")
}

// BenchmarkWrite measures notes a second, each durable when it counts: search, document, chunk, vector and changes.
func BenchmarkWrite(b *testing.B) {
	for _, batch := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			p := benchPlot(b)
			b.ResetTimer()
			for b.Loop() {
				err := p.Update(context.Background(), p.sc, func(tx store.Tx) error {
					for range batch {
						if err := p.note(tx, p.n.Add(1)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(p.n.Load())/b.Elapsed().Seconds(), "items/s")
		})
	}
	b.Run("callers=16", func(b *testing.B) {
		p := benchPlot(b)
		b.SetParallelism(8) // times GOMAXPROCS
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := p.Update(context.Background(), p.sc, func(tx store.Tx) error { return p.note(tx, p.n.Add(1)) }); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(p.n.Load())/b.Elapsed().Seconds(), "items/s")
	})
}

// BenchmarkRead measures what a search asks of the store, over 10,000 notes.
func BenchmarkRead(b *testing.B) {
	p := benchPlot(b)
	const n = 10_000
	for p.n.Load() < n {
		err := p.Update(context.Background(), p.sc, func(tx store.Tx) error {
			for range 500 {
				if err := p.note(tx, p.n.Add(1)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx := context.Background()
	some := func(prefix string, k int) []lukasa.ID {
		ids := make([]lukasa.ID, k)
		for i := range ids {
			ids[i] = lukasa.ID(fmt.Sprintf("%s_%026d", prefix, 1+rand.IntN(n)))
		}
		return ids
	}
	run := func(name string, fn func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := fn(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	view := func(fn func(store.Reader) error) func() error {
		return func() error { return p.View(ctx, p.sc, fn) }
	}
	run("Head", func() error { _, err := p.Head(ctx); return err })
	run("Vectors24", func() error { _, err := p.Vectors(ctx, "bench", p.sc.Owner, some("chk", 24)); return err })
	run("Document", view(func(r store.Reader) error { _, err := r.Document(some("doc", 1)[0]); return err }))
	run("Hits10", view(func(r store.Reader) error {
		if _, err := r.ChunksByID(some("chk", 10)); err != nil {
			return err
		}
		_, err := r.DocumentsByID(some("doc", 10))
		return err
	}))
	run("List20", view(func(r store.Reader) error { _, err := r.Documents(lukasa.DocumentFilter{}, lukasa.Page{}); return err }))
	run("Newest10", view(func(r store.Reader) error { _, err := r.Newest(nil, nil, nil, 10); return err }))
	run("Entries100", func() error { _, err := p.Entries(ctx, "bench", p.sc.Owner, some("chk", 100)); return err })
	run("Partition10k", func() error {
		return p.Partition(ctx, "bench", p.sc.Owner, p.node, func(lukasa.Entry) bool { return true })
	})
	run("Stats", view(func(r store.Reader) error { _, err := r.Stats(); return err }))
}

// BenchmarkMessages measures messages a second, ten in a transaction, each with its chunk and vector.
func BenchmarkMessages(b *testing.B) {
	p := benchPlot(b)
	const talk = lukasa.ID("conv_bench")
	err := p.Update(context.Background(), p.sc, func(tx store.Tx) error {
		if err := tx.PutDocument(lukasa.Document{ID: "doc_talk", Node: p.node, ContentType: "conversation", IsLatest: true}); err != nil {
			return err
		}
		return tx.PutConversation(lukasa.Conversation{ID: talk, Node: p.node, ExternalID: "talk", Document: "doc_talk"})
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		var ms []lukasa.Message
		var cs []lukasa.Chunk
		var vs []store.Vector
		for range 10 {
			n := p.n.Add(1)
			m := lukasa.Message{
				ID: lukasa.ID(fmt.Sprintf("msg_%026d", n)), Conversation: talk, Seq: -1, ExternalID: fmt.Sprint(n), Role: "user", Speaker: "Ada",
				Content: noteText, CreatedAt: time.UnixMicro(n),
			}
			c := lukasa.Chunk{ID: lukasa.ID(fmt.Sprintf("chk_%026d", n)), Message: m.ID, End: len(noteText), Content: noteText}
			ms, cs, vs = append(ms, m), append(cs, c), append(vs, store.Vector{Entry: c.ID, Type: lukasa.EntryMessage, Vector: p.vec})
		}
		err := p.Update(context.Background(), p.sc, func(tx store.Tx) error {
			if err := tx.PutMessages(ms, cs); err != nil {
				return err
			}
			return tx.PutVectors("bench", vs)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.n.Load())/b.Elapsed().Seconds(), "items/s")
}
