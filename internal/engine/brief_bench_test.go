package engine_test

import (
	"os"
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// TestBriefKeepsEvidence measures which share of the evidence of questions stands in a brief, with and without the floor: the
// floor may cost little. LUKASA_BENCH names a file of conversations as `lukasa bench recall` reads it; two of them are asked.
func TestBriefKeepsEvidence(t *testing.T) {
	t.Parallel()
	name := os.Getenv("LUKASA_BENCH")
	if name == "" {
		t.Skip("needs LUKASA_BENCH: a file of conversations with questions")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := bench.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	type sums struct{ evidence, tokens, hits, n float64 }
	got := map[[2]int]*sums{}
	floors, budgets := []float64{-1, 0, 0.55}, []int{1000, 2000}
	for i := range data[:min(2, len(data))] {
		h := newHouse(t)
		h.load(&data[i])
		for n, q := range data[i].Questions {
			if len(q.Evidence) == 0 || n%3 != 0 {
				continue
			}
			for fi, floor := range floors {
				for bi, budget := range budgets {
					b := h.brief(engine.BriefRequest{Query: q.Text, MaxTokens: budget, Floor: floor})
					s := got[[2]int{fi, bi}]
					if s == nil {
						s = &sums{}
						got[[2]int{fi, bi}] = s
					}
					s.n, s.tokens, s.hits = s.n+1, s.tokens+float64(b.Tokens), s.hits+float64(len(b.Hits))
					for _, e := range q.Evidence {
						if slices.ContainsFunc(b.Hits, func(x engine.BriefHit) bool { return x.Message == e }) {
							s.evidence += 1 / float64(len(q.Evidence))
						}
					}
				}
			}
		}
	}
	for bi, budget := range budgets {
		for fi, floor := range floors {
			s := got[[2]int{fi, bi}]
			t.Logf("budget %d, floor %.2f: evidence %.3f, %.0f tokens, %.1f hits (%.0f questions)", budget, floor, s.evidence/s.n, s.tokens/s.n, s.hits/s.n, s.n)
		}
		if none, usual := got[[2]int{0, bi}], got[[2]int{1, bi}]; usual.evidence < none.evidence-0.05*none.n {
			t.Errorf("budget %d: the floor costs %.3f of the evidence", budget, (none.evidence-usual.evidence)/none.n)
		}
	}
}

// load appends the turns of a conversation.
func (h *house) load(c *bench.Conversation) {
	h.Helper()
	for part := range slices.Chunk(c.Turns, 200) {
		in := lukasa.Append{Container: "bench", Conversation: c.Name}
		for i := range part {
			m := lukasa.NewMessage{ExternalID: part[i].ID, Speaker: part[i].Speaker, Session: part[i].Session, Content: part[i].Content()}
			if at := part[i].When(); !at.IsZero() {
				m.Time = &at
			}
			in.Messages = append(in.Messages, m)
		}
		if _, _, err := h.e.Append(h.Context(), h.sc, in); err != nil {
			h.Fatal(err)
		}
	}
}
