package binary

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

var notes = flag.Int("binary.notes", 2000, "notes that BenchmarkSearch and BenchmarkMemory search")

// saveNotes saves so many notes.
func saveNotes(b *testing.B, s *server, notes int) {
	b.Helper()
	g := bench.NewNotes(1)
	for from := 0; from < notes; from += 100 {
		list := make([]map[string]any, min(100, notes-from))
		for i := range list {
			list[i] = map[string]any{"content": g.Note()}
		}
		if status, out, err := s.call("POST", "/v1/documents/batch", map[string]any{"documents": list}); err != nil || status/100 != 2 {
			b.Fatalf("save notes: %d %v %v", status, out, err)
		}
	}
}

// BenchmarkSearch asks a server one question after another over one connection that is kept, each for the first time. The times are
// the caller's, the processor time the server's.
func BenchmarkSearch(b *testing.B) {
	s := start(b, b.TempDir())
	defer s.kill()
	saveNotes(b, s, *notes)
	q := bench.NewNotes(2)
	ask := func() time.Duration {
		at := time.Now()
		status, out, err := s.call("POST", "/v1/search", map[string]any{"query": q.Query()})
		if err != nil || status != 200 {
			b.Fatalf("search: %d %v %v", status, out, err)
		}
		return time.Since(at)
	}
	for range 100 {
		ask()
	}
	before, err := bench.CPU(s.cmd.Process.Pid)
	if err != nil {
		b.Skip(err)
	}
	var times []time.Duration
	for b.Loop() {
		times = append(times, ask())
	}
	after, err := bench.CPU(s.cmd.Process.Pid)
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64((after-before).Microseconds())/float64(len(times)), "cpu-µs/search")
}
