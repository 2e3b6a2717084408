package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// The list of nodes tells of an entity what the entity itself tells: in how many recall files and containers it is mentioned, how often, and
// beside whom; today, at a moment, and from what is kept.
func TestNodesTellWhatEntitiesTell(t *testing.T) {
	t.Parallel()
	onBoth(t, func(h *house) {
		ctx := h.Context()
		say := func(container, conversation string, texts ...string) {
			in := lukasa.Append{Container: container, Conversation: conversation}
			for _, text := range texts {
				in.Messages = append(in.Messages, lukasa.NewMessage{Speaker: "Ann", Content: text})
			}
			if _, _, err := h.e.Append(ctx, h.sc, in); err != nil {
				h.Fatal(err)
			}
		}
		say("life", "a", "I met Leah in Oslo.", "Leah works at Initech.", "Leah lives in Oslo.")
		say("life", "b", "Leah called.")
		say("work", "c", "Leah and Marcus met at Initech.", "Leah wrote to Marcus.")
		h.drain()
		then := h.clock.Now()
		h.clock.Advance(time.Hour)
		say("work", "c", "Leah met Marcus again.")
		say("team", "d", "Leah joins us.")
		h.drain()
		for _, at := range []time.Time{{}, {}, then} {
			who, err := h.e.Entity(ctx, h.sc, "Leah", at)
			if err != nil {
				h.Fatal(err)
			}
			l := must[lukasa.Listing[engine.Concept]](h.T)(h.e.Concepts(ctx, h.sc, engine.ConceptQuery{Type: "entity", Limit: 100, At: at}))
			i := slices.IndexFunc(l.Items, func(c engine.Concept) bool { return c.ID == who.ID })
			if i < 0 {
				h.Fatalf("she is not listed: %+v", l.Items)
			}
			got := l.Items[i]
			var want []engine.RelatedNode
			for _, w := range who.Where {
				want = append(want, engine.RelatedNode{ID: w.ID, Relationship: "mentioned_in", Weight: float64(w.Mentions)})
			}
			for _, x := range who.Related {
				want = append(want, engine.RelatedNode{ID: x.ID, Relationship: "relates_to", Weight: float64(x.Mentions)})
			}
			for i := range got.Related {
				x := got.Related[i]
				got.Related[i] = engine.RelatedNode{ID: x.ID, Relationship: x.Relationship, Weight: x.Weight}
			}
			if got.RecallFiles != who.Counts.RecallFiles || got.RecallFiles < 3 || len(who.Where) < 2 || len(who.Related) == 0 || !slices.Equal(got.Related, want) {
				h.Errorf("at %v: %d recall files of %d, %+v\nbeside %+v", at, got.RecallFiles, who.Counts.RecallFiles, got.Related, want)
			}
		}
	})
}
