package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// core is a store with its index and one node, and items of given text and vector.
type core struct {
	drivers
	sc    lukasa.Scope
	node  lukasa.ID
	space string
	texts []string
	vecs  [][]float32
	n     int
}

func newCore(b *testing.B) *core {
	b.Helper()
	cfg := config.Default()
	cfg.Data = b.TempDir()
	s, err := openDrivers(b.Context(), cfg, openOptions{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Index.Close(); err != nil {
			b.Error(err)
		}
		if err := s.Store.Close(); err != nil {
			b.Error(err)
		}
	})
	c := &core{drivers: s, sc: lukasa.Scope{Owner: "usr_core"}, node: "node_core", space: s.Embed.Space().ID}
	if err := s.Store.PutUser(b.Context(), lukasa.User{ID: c.sc.Owner, Name: "Ada"}, nil); err != nil {
		b.Fatal(err)
	}
	err = s.Store.Update(b.Context(), c.sc, func(tx store.Tx) error {
		if err := tx.PutNode(lukasa.Node{ID: "node_root"}); err != nil {
			return err
		}
		return tx.PutNode(lukasa.Node{ID: c.node, Path: "work"})
	})
	if err != nil {
		b.Fatal(err)
	}
	g, r := bench.NewNotes(1), rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		v := make([]float32, s.Embed.Space().Dim)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		vector.Normalize(v)
		made, err := embed.Halved(drawn{s.Embed, v}).Embed(b.Context(), nil) // as every embedder's are
		if err != nil {
			b.Fatal(err)
		}
		c.texts, c.vecs = append(c.texts, g.Note()), append(c.vecs, made[0])
	}
	c.found(b)
	return c
}

// drawn is an embedder that gives one vector.
type drawn struct {
	embed.Embedder
	v []float32
}

func (d drawn) Embed(context.Context, []string) ([][]float32, error) { return [][]float32{d.v}, nil }

// put keeps items in one transaction, as the write path does: each is a document of one chunk with its vector.
func (c *core) put(ctx context.Context, items int) error {
	return c.Store.Update(ctx, c.sc, func(tx store.Tx) error {
		for range items {
			c.n++
			text, now := c.texts[c.n%len(c.texts)], time.Now()
			doc, chunk := lukasa.ID(fmt.Sprintf("doc_%026d", c.n)), lukasa.ID(fmt.Sprintf("chk_%026d", c.n))
			err := tx.AddDocument(store.Whole{
				Document: lukasa.Document{
					ID: doc, Node: c.node, Content: text, ContentType: "text", ContentHash: fmt.Sprintf("%064d", c.n), Size: int64(len(text)),
					Status: lukasa.StatusDone, IsLatest: true, CreatedAt: now, UpdatedAt: now,
				},
				Chunks: []lukasa.Chunk{{ID: chunk, End: len(text), Content: text}}, Space: c.space,
				Vectors: []store.Vector{{Entry: chunk, Type: lukasa.EntryChunk, Vector: c.vecs[c.n%len(c.vecs)]}},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// found searches, so that the index has to know all that was put.
func (c *core) found(b *testing.B) {
	b.Helper()
	seen, err := c.Index.Sync(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	a, err := c.Index.Search(b.Context(), index.Request{
		Owner: c.sc.Owner, Nodes: []lukasa.ID{c.node}, Text: c.texts[c.n%len(c.texts)], Vector: c.vecs[c.n%len(c.vecs)], K: 1, Seen: seen,
	})
	if err != nil || c.n > 0 && len(a.Candidates) == 0 {
		b.Fatal(a, err)
	}
}

// floor is the time that one durable write of some size takes here, the middle one of many.
func floor(b *testing.B, size int) time.Duration {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	ms, err := bench.Latencies(200, func() error {
		if _, err := f.Write(make([]byte, size)); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(bench.Quantile(ms, .5) * 1e6)
}

func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCore keeps items whose text and vector are given, durable and indexed, with nothing read out of them: what the rows and the
// index cost by themselves. Once in a thousand items, and at the end, the index is searched. floor is how much of the rate of bare synced
// writes of 4 KiB it comes to.
func BenchmarkCore(b *testing.B) {
	for _, batch := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			c := newCore(b)
			bare := floor(b, 4096)
			b.ReportAllocs()
			b.ResetTimer()
			cpu := used(b)
			for k := range b.N {
				if err := c.put(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
				if k == b.N-1 || c.n%1000 == 0 {
					c.found(b)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(used(b)-cpu)/1e3/float64(c.n), "cpu-µs/item")
			b.ReportMetric(float64(c.n)/b.Elapsed().Seconds(), "items/s")
			if batch == 1 {
				b.ReportMetric(bare.Seconds()/(b.Elapsed().Seconds()/float64(b.N)), "floor")
			}
		})
	}
}

// BenchmarkRepair makes the index anew from the rows of as many items as LUKASA_BENCH_ITEMS says, 100,000 if it says nothing, in one node.
func BenchmarkRepair(b *testing.B) {
	items := 100_000
	if n, err := strconv.Atoi(os.Getenv("LUKASA_BENCH_ITEMS")); err == nil {
		items = n
	}
	c := newCore(b)
	for c.n < items {
		if err := c.put(b.Context(), 1000); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	cpu := used(b)
	for range b.N {
		x := local.New(c.Store, local.Options{Space: c.space, Dim: len(c.vecs[0])})
		was := c.Index
		c.Index = x
		c.found(b)
		c.Index = was
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(used(b)-cpu)/1e3/float64(items*b.N), "cpu-µs/item")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*100_000/float64(items), "s/100,000")
}
