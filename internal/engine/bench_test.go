package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// fill saves n notes into ten containers, in batches.
func fill(b *testing.B, e *engine.Engine, sc lukasa.Scope, g bench.Notes, n int) {
	b.Helper()
	for done := 0; done < n; {
		batch := make([]lukasa.NewDocument, min(1000, n-done))
		for i := range batch {
			batch[i] = lukasa.NewDocument{Content: g.Note(), Container: fmt.Sprintf("c%d", (done+i)%10)}
		}
		_, errs := e.RememberAll(context.Background(), sc, batch)
		for _, err := range errs {
			if err != nil {
				b.Fatal(err)
			}
		}
		done += len(batch)
	}
}

// BenchmarkRemember saves one note at a time, durably.
func BenchmarkRemember(b *testing.B) {
	e, _, sc := enginetest.New(b)
	g := bench.NewNotes(3)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Remember(b.Context(), sc, lukasa.NewDocument{Content: g.Note()}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRememberAtOnce saves from sixteen callers at once, who share commits.
func BenchmarkRememberAtOnce(b *testing.B) {
	e, _, sc := enginetest.New(b)
	var seed atomic.Uint64
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		g := bench.NewNotes(seed.Add(1))
		for pb.Next() {
			if _, err := e.Remember(b.Context(), sc, lukasa.NewDocument{Content: g.Note()}); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkRememberBatch saves batches of a thousand notes, with all that is learned from them and without.
func BenchmarkRememberBatch(b *testing.B) {
	for _, distil := range []string{"rules", "off"} {
		b.Run("distil="+distil, func(b *testing.B) {
			cfg := enginetest.Config(b)
			cfg.Distil = distil
			e, _, sc := enginetest.Open(b, cfg, engine.Options{})
			g := bench.NewNotes(1)
			b.ReportAllocs()
			cpu := used(b)
			for b.Loop() {
				fill(b, e, sc, g, 1000)
			}
			n := float64(1000 * b.N)
			b.ReportMetric(float64(used(b)-cpu)/1e3/n, "cpu-µs/note")
			b.ReportMetric(n/b.Elapsed().Seconds(), "notes/s")
		})
	}
}

// BenchmarkRememberNamed saves batches of a hundred notes with names of the caller's into one container, which grows meanwhile.
func BenchmarkRememberNamed(b *testing.B) {
	cfg := enginetest.Config(b)
	cfg.Distil = "off"
	e, _, sc := enginetest.Open(b, cfg, engine.Options{})
	g := bench.NewNotes(1)
	b.ReportAllocs()
	cpu, done := used(b), 0
	for b.Loop() {
		batch := make([]lukasa.NewDocument, 100)
		for i := range batch {
			batch[i] = lukasa.NewDocument{Content: g.Note(), Container: "c", CustomID: fmt.Sprintf("n%d", done+i)}
		}
		_, errs := e.RememberAll(b.Context(), sc, batch)
		if err := errors.Join(errs...); err != nil {
			b.Fatal(err)
		}
		done += len(batch)
	}
	b.ReportMetric(float64(used(b)-cpu)/1e3/float64(done), "cpu-µs/note")
}

// BenchmarkSearch searches 20,000 notes: in one of ten containers, and in all of them. The cache is off.
func BenchmarkSearch(b *testing.B) {
	e, _, sc := enginetest.Open(b, withoutCache(enginetest.Config(b)), engine.Options{})
	fill(b, e, sc, bench.NewNotes(1), 20_000)
	g := bench.NewNotes(6)
	for _, c := range []struct {
		name string
		in   []lukasa.Pattern
	}{{"one container", []lukasa.Pattern{{Path: "c3"}}}, {"all", nil}} {
		b.Run(c.name, func(b *testing.B) {
			if _, err := e.Search(b.Context(), sc, lukasa.Query{Text: g.Query(), Containers: c.in}); err != nil {
				b.Fatal(err) // the first one loads the partitions
			}
			b.ReportAllocs()
			for b.Loop() {
				res, err := e.Search(b.Context(), sc, lukasa.Query{Text: g.Query(), Containers: c.in})
				if err != nil || len(res.Hits) != 10 {
					b.Fatal(len(res.Hits), err)
				}
			}
		})
	}
}

func withoutCache(c config.Config) config.Config {
	c.CacheTTL = -1
	return c
}
