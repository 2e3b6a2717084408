package engine_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// BenchmarkSearchWhileLogging tells what a search costs while a thousand messages a second are logged, in processor time: that of both
// together less that of the logging alone, by the number of searches. It takes a second for each of b.N, three times.
func BenchmarkSearchWhileLogging(b *testing.B) {
	const searches, messages, batch = 50, 1000, 50 // a second
	e, _, sc := enginetest.Open(b, withoutCache(enginetest.Config(b)), engine.Options{})
	fill(b, e, sc, bench.NewNotes(1), 20_000)
	g, talk := bench.NewNotes(6), bench.NewTalk(8)
	ask := func() {
		if _, err := e.Search(b.Context(), sc, lukasa.Query{Text: g.Query()}); err != nil {
			b.Error(err)
		}
	}
	log := func() {
		in := lukasa.Append{Container: "talk", Conversation: "c"}
		for range batch {
			role, text := talk.Message()
			in.Messages = append(in.Messages, lukasa.NewMessage{Role: role, Content: text})
		}
		if _, _, err := e.Append(b.Context(), sc, in); err != nil {
			b.Error(err)
		}
	}
	log()
	ask()
	// during does things at a rate for b.N seconds, and returns the processor time and how often each was done.
	during := func(todo ...func()) (time.Duration, []int64) {
		done := make([]atomic.Int64, 2)
		before, err := bench.CPU(os.Getpid())
		if err != nil {
			b.Skip(err)
		}
		var all sync.WaitGroup
		for k, do := range todo {
			every := []time.Duration{time.Second / searches, time.Second * batch / messages}[k]
			if do == nil {
				continue
			}
			all.Go(func() {
				tick := time.NewTicker(every)
				defer tick.Stop()
				for end := time.After(time.Duration(b.N) * time.Second); ; done[k].Add(1) {
					select {
					case <-end:
						return
					case <-tick.C:
						do()
					}
				}
			})
		}
		all.Wait()
		after, err := bench.CPU(os.Getpid())
		if err != nil {
			b.Fatal(err)
		}
		return after - before, []int64{done[0].Load(), done[1].Load()}
	}
	quiet, n := during(ask, nil)
	alone := float64(quiet.Microseconds()) / float64(n[0])
	logging, w := during(nil, log)
	ask() // what was logged is taken in
	both, x := during(ask, log)
	busy := (float64(both.Microseconds()) - float64(logging.Microseconds())*float64(x[1])/float64(w[1])) / float64(x[0])
	b.ReportMetric(alone, "cpu-µs/search")
	b.ReportMetric(busy, "cpu-µs/search-while")
	b.ReportMetric(busy/alone, "times")
	b.ReportMetric(float64(x[1]*batch)/float64(b.N), "messages/s")
}
