package binary

import (
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

var (
	notes = flag.Int("binary.notes", 2000, "notes that BenchmarkSearch and BenchmarkMemory search")
	lines = flag.String("binary.lines", "", "file with a note in each line for BenchmarkSearch; queries are words of some of them (otherwise both are made up)")
)

// corpus makes notes, and queries that are asked of them.
type corpus interface {
	Note() string
	Query() string
}

// said are notes that somebody wrote.
type said struct {
	lines []string
	next  int
	r     *rand.Rand
}

func (s *said) Note() string {
	s.next++
	return s.lines[(s.next-1)%len(s.lines)]
}

// Query returns three to eight of the longer words of a note, in any order.
func (s *said) Query() string {
	for {
		words := slices.DeleteFunc(strings.Fields(s.lines[s.r.IntN(len(s.lines))]), func(w string) bool {
			return len(w) < 4 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != ""
		})
		if len(words) < 3 {
			continue
		}
		s.r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		return strings.Join(words[:min(len(words), 3+s.r.IntN(6))], " ")
	}
}

// newCorpus makes notes of its own, or takes those of the file that is given.
func newCorpus(b *testing.B, seed uint64) corpus {
	b.Helper()
	if *lines == "" {
		return bench.NewNotes(seed)
	}
	data, err := os.ReadFile(*lines)
	if err != nil {
		b.Fatal(err)
	}
	return &said{lines: strings.Split(strings.TrimSpace(string(data)), "\n"), r: rand.New(rand.NewPCG(seed, 7))}
}

// saveNotes saves so many notes.
func saveNotes(b *testing.B, s *server, notes int) {
	b.Helper()
	g := newCorpus(b, 1)
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
// the caller's, from the request to the last byte of the answer; the processor time is the server's.
func BenchmarkSearch(b *testing.B) {
	s := start(b, b.TempDir())
	defer s.kill()
	saveNotes(b, s, *notes)
	q := newCorpus(b, 2)
	ask := func() time.Duration {
		req, err := s.request("POST", "/v1/search", map[string]any{"query": q.Query()})
		if err != nil {
			b.Fatal(err)
		}
		at := time.Now()
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		out, err := io.ReadAll(resp.Body)
		took := time.Since(at)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatalf("search: %d %s %v", resp.StatusCode, out, err)
		}
		return took
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
