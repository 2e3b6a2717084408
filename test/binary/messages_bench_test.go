package binary

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

// BenchmarkMessages logs messages over HTTP while twenty searches a second go on: sixteen callers with one message each, and one with
// ten at a time. Each is durable, searchable and learned from when it counts. The processor time is the server's, searches and all.
func BenchmarkMessages(b *testing.B) {
	for _, c := range []struct {
		name           string
		callers, batch int
	}{{"callers=16", 16, 1}, {"batch=10", 1, 10}} {
		b.Run(c.name, func(b *testing.B) {
			s := start(b, b.TempDir())
			defer s.kill()
			say := func(t *bench.Talk, name string, many int) error {
				list := make([]map[string]any, many)
				for i := range list {
					role, text := t.Message()
					list[i] = map[string]any{"role": role, "content": text}
				}
				status, out, err := s.call("POST", "/v1/messages", map[string]any{"conversation": name, "messages": list})
				if err == nil && status != 201 {
					err = fmt.Errorf("status %d: %v", status, out)
				}
				return err
			}
			if err := say(bench.NewTalk(99), "warm", 200); err != nil {
				b.Fatal(err)
			}
			stop, asked := make(chan struct{}), atomic.Int64{}
			var asking, writing sync.WaitGroup
			asking.Go(func() {
				tick := time.NewTicker(50 * time.Millisecond)
				defer tick.Stop()
				for q := bench.NewTalk(7); ; asked.Add(1) {
					select {
					case <-stop:
						return
					case <-tick.C:
					}
					_, text := q.Message()
					if status, out, err := s.call("POST", "/v1/search", map[string]any{"query": text}); err != nil || status != 200 {
						b.Errorf("search: %d %v %v", status, out, err)
					}
				}
			})
			before, err := bench.CPU(s.cmd.Process.Pid)
			if err != nil {
				b.Skip(err)
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			for k := range c.callers {
				writing.Go(func() {
					for t := bench.NewTalk(uint64(k)); left.Add(-1) >= 0; {
						if err := say(t, fmt.Sprintf("talk%d", k), c.batch); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			writing.Wait()
			b.StopTimer()
			close(stop)
			asking.Wait()
			after, err := bench.CPU(s.cmd.Process.Pid)
			if err != nil {
				b.Fatal(err)
			}
			n := b.N * c.batch
			b.ReportMetric(float64((after-before).Microseconds())/float64(n), "cpu-µs/msg")
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "msg/s")
			b.ReportMetric(float64(asked.Load())/b.Elapsed().Seconds(), "searches/s")
		})
	}
}
