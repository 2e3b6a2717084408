package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What was true at a moment are memories; messages and documents are there by their dates where they are asked for, and say what had been replaced
// by then.
func TestValidAtCoversMessagesAndDocuments(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
		h := &house{t, e, clock, sc}
		april, may := march.AddDate(0, 1, 0), march.AddDate(0, 2, 0)
		h.say("a", march, "Ana: I live in Paris, near the river.")
		h.say("b", april, "Ana: I moved to Lyon.")
		h.say("c", may, "Ana: I moved to Berlin.")
		must[lukasa.Receipt](t)(e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "Where Ana lives: a list.", Container: "life", OccurredAt: &april}))
		said := []lukasa.EntryType{lukasa.EntryMessage, lukasa.EntryChunk}
		search := func(q lukasa.Query) (found, superseded []string) {
			q.Text = "Where does Ana live?"
			for _, x := range must[lukasa.Result](t)(e.Search(t.Context(), sc, q)).Hits {
				found = append(found, x.Content)
				for _, old := range x.Superseded {
					superseded = append(superseded, old.String())
				}
			}
			slices.Sort(found)
			slices.Sort(superseded)
			return found, superseded
		}
		const paris, lyon, berlin, list = "I live in Paris, near the river.", "I moved to Lyon.", "I moved to Berlin.", "Where Ana lives: a list."
		day := 24 * time.Hour
		for i, c := range []struct {
			q          lukasa.Query
			found, old []string
		}{
			{lukasa.Query{ValidAt: new(march.Add(-day)), Types: said}, nil, nil},
			{lukasa.Query{ValidAt: new(march.Add(day)), Types: said}, []string{paris}, nil},
			{lukasa.Query{ValidAt: &april, Types: said}, []string{paris, lyon, list}, []string{`No longer so: Ana, 6 March 2024: "I live in Paris, near the river."`}},
			{lukasa.Query{ValidFrom: &april, ValidTo: &may, Types: said}, []string{lyon, list}, nil},
			{lukasa.Query{ValidFrom: &may, Types: []lukasa.EntryType{lukasa.EntryMessage}}, []string{berlin}, nil},
		} {
			slices.Sort(c.found)
			found, old := search(c.q)
			if !slices.Equal(found, c.found) || !slices.Equal(old, c.old) {
				t.Errorf("case %d: %q, %q", i, found, old)
			}
		}
		if found, _ := search(lukasa.Query{ValidAt: new(april.Add(day))}); len(found) != 1 { // memories alone, where no types are named
			t.Errorf("%q", found)
		}
	})
}
