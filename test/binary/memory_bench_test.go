package binary

import (
	"flag"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

var (
	processes = flag.Int("binary.processes", 10, "processes of BenchmarkMemory")
	kept      = flag.String("binary.data", "", "a data directory that BenchmarkMemory takes as it is, instead of one with new notes")
	quiet     = flag.Duration("binary.quiet", 2*time.Minute, "how long nobody asks BenchmarkMemory's processes anything before their memory is measured again")
)

// BenchmarkMemory starts several servers on one data directory and tells how much memory all of them together have for themselves: before
// their first search, when each has searched everything 20 times, and when they have been left alone for a while.
func BenchmarkMemory(b *testing.B) {
	stop := func(s *server) {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait()
	}
	data := *kept
	if data == "" {
		data = b.TempDir()
		s := start(b, data)
		saveNotes(b, s, *notes)
		stop(s) // writes what the others map
	}
	for b.Loop() {
		var all []*server
		for range *processes {
			s := start(b, data)
			b.Cleanup(s.kill)
			all = append(all, s)
		}
		measure := func(when string) {
			sum := int64(0)
			for _, s := range all {
				n, err := bench.Private(s.cmd.Process.Pid)
				if err != nil {
					b.Skip(err)
				}
				sum += n
			}
			b.ReportMetric(float64(sum)/1e6, when+"-MB")
		}
		measure("started")
		for _, s := range all {
			q := bench.NewNotes(2)
			for range 20 {
				if status, out, err := s.call("POST", "/v1/search", map[string]any{"query": q.Query()}); err != nil || status != 200 {
					b.Fatalf("search: %d %v %v", status, out, err)
				}
			}
		}
		measure("searched")
		time.Sleep(*quiet) //nolint:forbidigo // other processes do nothing meanwhile, which is what is measured
		measure("quiet")
		for _, s := range all {
			stop(s)
		}
	}
}
