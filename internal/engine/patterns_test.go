package engine_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
)

// T-5: every pattern of the list of document T, 4.7, makes a memory of its kind, with the confidence that stands there, out of a sentence that says little more.
func TestEveryDefiningPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind lukasa.MemoryKind
		text string
	}{
		{lukasa.KindDecision, "I've decided to sell the boat."},
		{lukasa.KindDecision, "I have decided to sell the boat."},
		{lukasa.KindDecision, "We're going with the blue design."},
		{lukasa.KindDecision, "We are going with the blue design."},
		{lukasa.KindDecision, "The final decision is red tiles."},
		{lukasa.KindDecision, "Final decision: red tiles."},
		{lukasa.KindDecision, "I'm committing to three runs a week."},
		{lukasa.KindDecision, "I am committing to three runs a week."},
		{lukasa.KindDecision, "Let's do the kitchen in oak."},
		{lukasa.KindDecision, "I choose the smaller flat."},
		{lukasa.KindMilestone, "We launched the new shop."},
		{lukasa.KindMilestone, "It's done!"},
		{lukasa.KindMilestone, "I finished the manuscript."},
		{lukasa.KindMilestone, "We completed the renovation."},
		{lukasa.KindMilestone, "We shipped the first version."},
		{lukasa.KindMilestone, "We released the album."},
		{lukasa.KindMilestone, "The site went live."},
		{lukasa.KindEvent, "I'm starting a new job in Bergen."},
		{lukasa.KindEvent, "I am starting a bakery."},
		{lukasa.KindEvent, "I got the job!"},
		{lukasa.KindEvent, "We closed the deal."},
		{lukasa.KindEvent, "We signed the contract."},
		{lukasa.KindEvent, "I'm getting married."},
		{lukasa.KindEvent, "I am getting married."},
		{lukasa.KindEvent, "We're having a baby."},
		{lukasa.KindEvent, "We are having a baby."},
		{lukasa.KindTurningPoint, "This changes everything."},
		{lukasa.KindTurningPoint, "I realized that I want to teach."},
		{lukasa.KindTurningPoint, "From now on I cook at home."},
		{lukasa.KindTurningPoint, "Never again will I skip a backup."},
		{lukasa.KindTurningPoint, "Never again!"},
		{lukasa.KindTurningPoint, "That was a turning point."},
		{lukasa.KindTurningPoint, "The storm was the turning point for me."},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.say("a", march, "Ana: "+c.text)
			l := h.memories(lukasa.MemoryFilter{Kinds: []lukasa.MemoryKind{c.kind}})
			if len(l) != 1 || l[0].Confidence < 0.8 || l[0].Sources[0].Quote == "" {
				t.Errorf("%+v", h.memories(lukasa.MemoryFilter{}))
			}
		})
	}
}
