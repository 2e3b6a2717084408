package rank_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// line is one entry of a small scene.
type line struct {
	session string
	speaker string // a name, "user", "assistant" or "" for a document
	text    string
	when    string // a day
}

// world makes scenes from lines, all of which are candidates.
type world struct {
	lines []line
	ids   map[string]uint32
	df    map[uint32]int
	items []rank.Item
}

func newWorld(t tester, lines ...line) *world {
	t.Helper()
	w := &world{lines: lines, ids: map[string]uint32{}, df: map[uint32]int{}}
	last, sessions, speakers := map[string]int{}, map[string]int32{}, map[string]int32{}
	for i, l := range lines {
		it := rank.Item{Prev: -1, Next: -1, Speaker: -1, Voice: rank.VoiceOf("", l.speaker), Flags: rank.FlagsOf(l.text), Vector: true}
		it.Entry = lukasa.ID(fmt.Sprintf("entry_%03d", i))
		if l.when != "" {
			at, err := time.Parse(time.DateOnly, l.when)
			if err != nil {
				t.Fatal(err)
			}
			it.When = at
		}
		if it.Voice == rank.Person {
			if _, ok := speakers[l.speaker]; !ok {
				speakers[l.speaker] = int32(len(speakers))
			}
			it.Speaker = speakers[l.speaker]
		}
		if _, ok := sessions[l.session]; !ok {
			sessions[l.session] = int32(len(sessions))
		}
		it.Session = sessions[l.session]
		if p, ok := last[l.session]; ok {
			it.Prev = int32(p)
			w.items[p].Next = int32(i)
		}
		last[l.session] = i
		it.Terms = w.terms(nil, l.speaker)
		it.Head = len(it.Terms)
		it.Terms = w.terms(it.Terms, l.text)
		seen := map[uint32]bool{}
		for _, id := range it.Terms {
			if !seen[id] {
				seen[id] = true
				w.df[id]++
			}
		}
		w.items = append(w.items, it)
	}
	return w
}

func (w *world) terms(dst []uint32, s string) []uint32 {
	for _, t := range text.Analyze(nil, s) {
		dst = append(dst, w.id(t.Term))
	}
	return dst
}

func (w *world) id(term string) uint32 {
	id, ok := w.ids[term]
	if !ok {
		id = uint32(len(w.ids))
		w.ids[term] = id
	}
	return id
}

func (w *world) scene(question string) *rank.Scene {
	s := &rank.Scene{Query: rank.Analyze(question), Entries: len(w.items), Items: w.items, Candidates: len(w.items)}
	place := map[string]int{}
	for _, t := range text.Analyze(nil, question) {
		if i, ok := place[t.Term]; ok {
			s.Terms[i].Count++
			continue
		}
		place[t.Term] = len(s.Terms)
		term := rank.Term{ID: rank.NoTerm, Count: 1, Whole: text.IsWhole(question[t.Start:t.End])}
		if id, ok := w.ids[t.Term]; ok {
			term.ID, term.Frequency = id, w.df[id]
		}
		s.Terms = append(s.Terms, term)
	}
	total := 0
	for i, it := range w.items {
		total += len(it.Terms) - it.Head
		if it.Speaker >= 0 && int(it.Speaker) == len(s.Speakers) {
			s.Speakers = append(s.Speakers, w.lines[i].speaker)
		}
	}
	s.Length = float64(total) / float64(max(1, len(w.items)))
	return s
}

// measure returns one sign of all lines.
func (w *world) measure(question string, sign rank.Sign) []float32 {
	return signOf(w.scene(question), sign)
}

func signOf(s *rank.Scene, sign rank.Sign) []float32 {
	m := rank.NewFeatures(rank.DefaultLinear()).Measure(s)
	defer m.Release()
	out := make([]float32, len(m.Rows))
	for i := range m.Rows {
		out[i] = m.Rows[i][sign]
	}
	return out
}

// tester is what a *testing.T and a *rapid.T share.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// chatter returns a text of n words that no question has.
func chatter(n int) string {
	return strings.TrimSpace(strings.Repeat("pebble ", n))
}
