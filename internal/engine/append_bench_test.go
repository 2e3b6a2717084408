package engine_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// used returns the processor time of this process so far.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// chatter appends messages of a seed to a conversation.
type chatter struct {
	*bench.Talk
	name string
	n    int
}

func newChatter(name string, seed uint64) *chatter {
	return &chatter{Talk: bench.NewTalk(seed), name: name}
}

func (t *chatter) batch(n int) lukasa.Append {
	in := lukasa.Append{Conversation: t.name, Messages: make([]lukasa.NewMessage, n)}
	for i := range in.Messages {
		role, text := t.Message()
		t.n++
		in.Messages[i] = lukasa.NewMessage{ExternalID: fmt.Sprintf("%s-%d", t.name, t.n), Role: role, Content: text}
	}
	return in
}

// BenchmarkAppend logs messages, each durable and searchable when it counts: one caller, sixteen, and batches of ten; the same while
// twenty searches a second go on.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name           string
		callers, batch int
		searches       float64
	}{
		{"callers=1", 1, 1, 0},
		{"callers=16", 16, 1, 0},
		{"batch=10", 1, 10, 0},
		{"callers=16,searches", 16, 1, 20},
		{"batch=10,searches", 1, 10, 20},
	} {
		b.Run(c.name, func(b *testing.B) {
			e, _, sc := enginetest.Open(b, withoutCache(enginetest.Config(b)), engine.Options{})
			benchAppend(b, e, sc, c.callers, c.batch, c.searches)
		})
	}
}

// benchAppend measures one way of appending: an iteration is a call.
func benchAppend(b *testing.B, e *engine.Engine, sc lukasa.Scope, callers, batch int, searches float64) {
	warm := newChatter("warm", 99)
	for range 5 {
		if _, _, err := e.Append(b.Context(), sc, warm.batch(50)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := e.Search(b.Context(), sc, lukasa.Query{Text: "ferry"}); err != nil {
		b.Fatal(err)
	}
	stop := make(chan struct{})
	var asking sync.WaitGroup
	var asked atomic.Int64
	if searches > 0 {
		asking.Go(func() {
			tick := time.NewTicker(time.Duration(float64(time.Second) / searches))
			defer tick.Stop()
			for q := bench.NewTalk(7); ; {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				_, text := q.Message()
				if _, err := e.Search(context.Background(), sc, lukasa.Query{Text: text}); err != nil {
					b.Error(err)
				}
				asked.Add(1)
			}
		})
	}
	var mu sync.Mutex
	var ms []float64
	var left atomic.Int64
	left.Store(int64(b.N))
	cpu := used(b)
	b.ResetTimer()
	var writing sync.WaitGroup
	for k := range callers {
		writing.Go(func() {
			t := newChatter(fmt.Sprintf("talk%d", k), uint64(k))
			var own []float64
			for left.Add(-1) >= 0 {
				began := time.Now()
				if _, _, err := e.Append(b.Context(), sc, t.batch(batch)); err != nil {
					b.Error(err)
					return
				}
				own = append(own, float64(time.Since(began))/1e6)
			}
			mu.Lock()
			defer mu.Unlock()
			ms = append(ms, own...)
		})
	}
	writing.Wait()
	b.StopTimer()
	n := float64(b.N * batch)
	b.ReportMetric(float64(used(b)-cpu)/1e3/n, "cpu-µs/msg")
	close(stop)
	asking.Wait()
	slices.Sort(ms)
	b.ReportMetric(n/b.Elapsed().Seconds(), "msg/s")
	b.ReportMetric(bench.Quantile(ms, .5), "p50-ms")
	b.ReportMetric(bench.Quantile(ms, .99), "p99-ms")
	if searches > 0 {
		b.ReportMetric(float64(asked.Load())/b.Elapsed().Seconds(), "searches/s")
	}
}

// BenchmarkAppendGrown appends to one user who has more and more messages already, in twenty conversations of one place;
// LUKASA_BENCH_MESSAGES is the most. A million take minutes to fill: one batch in ten is learned from then.
func BenchmarkAppendGrown(b *testing.B) {
	most := 10_000
	if s := os.Getenv("LUKASA_BENCH_MESSAGES"); s != "" {
		var err error
		if most, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	cfg := withoutCache(enginetest.Config(b))
	learning, _, sc := enginetest.Open(b, cfg, engine.Options{})
	cfg.Distil = "off"
	filling, _, _ := enginetest.Open(b, cfg, engine.Options{})
	var talks []*chatter
	for k := range 20 {
		talks = append(talks, newChatter(fmt.Sprintf("fill%d", k), uint64(1000+k)))
	}
	there := 0
	for _, n := range []int{0, 10_000, 100_000, 1_000_000} {
		if n > most {
			break
		}
		for ; there < n; there += 500 {
			e := filling
			if there/500/len(talks)%10 == 0 {
				e = learning
			}
			if _, _, err := e.Append(b.Context(), sc, talks[there/500%len(talks)].batch(500)); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) { benchAppend(b, learning, sc, 1, 1, 0) })
	}
}
