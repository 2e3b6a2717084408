package engine_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// told holds what the hits of a search say of what is no longer so, by what they show. It asks twice: the second answer is one that was kept.
func (h *house) told(want map[string][]string, q lukasa.Query) {
	h.Helper()
	for _, kept := range []bool{false, true} {
		r := must[lukasa.Result](h.T)(h.e.Search(h.Context(), h.sc, q))
		got := map[string][]string{}
		for _, x := range r.Hits {
			for _, old := range x.Superseded {
				got[x.Content] = append(got[x.Content], old.String())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || r.Stats.Cached != kept {
			h.Errorf("kept %v, want %v: (-want +got)\n%s", r.Stats.Cached, kept, diff)
		}
	}
}

// A hit shows words as they were said, and says what of them is no longer so, and what is so now: as of the moment that is asked for, also where
// the answer was kept.
func TestHitsSayWhatIsSuperseded(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
		h := &house{t, e, clock, sc}
		const said, moved, back = "I live in Paris, near the river.", "I moved to Lyon.", "I moved back to Paris."
		type told = map[string][]string
		ask := lukasa.Query{Text: "Does Ana live near the river?"}
		h.say("a", march, "Ana: "+said)
		h.clock.Advance(time.Hour)
		h.told(told{}, ask)
		paris, then := h.slot("lives_in"), h.clock.Now()
		h.clock.Advance(time.Hour)

		h.say("b", march.AddDate(0, 1, 0), "Ana: "+moved)
		lyon := h.slot("lives_in")
		since := told{said: {"No longer so: " + paris.Content + " Now, since 2024-04-06: " + lyon.Content}}
		for _, ranker := range []string{lukasa.RankerLukasa, lukasa.RankerText, lukasa.RankerRRF} {
			q := ask
			q.Ranker = ranker
			h.told(since, q)
		}
		h.told(since, lukasa.Query{})
		h.told(since, lukasa.Query{Text: ask.Text, Types: []lukasa.EntryType{lukasa.EntryMessage}})
		h.told(told{}, lukasa.Query{Text: ask.Text, Types: []lukasa.EntryType{lukasa.EntryMemory}})
		h.told(told{}, lukasa.Query{Text: ask.Text, AsOf: &then})
		for _, x := range must[lukasa.Result](t)(e.Search(t.Context(), sc, ask)).Hits {
			for _, old := range x.Superseded {
				want := lukasa.Superseded{
					ID: paris.ID, Content: paris.Content, Reason: "a newer value of the same slot", ValidTo: new(march.AddDate(0, 1, 0)), RetiredAt: old.RetiredAt,
					By: &lukasa.SupersededBy{ID: lyon.ID, Content: lyon.Content, Since: new(march.AddDate(0, 1, 0))},
				}
				if diff := cmp.Diff(want, old); diff != "" || old.RetiredAt == nil || old.RetiredAt.Before(then) {
					t.Errorf("%v (-want +got)\n%s", old.RetiredAt, diff)
				}
			}
		}

		h.clock.Advance(time.Hour)
		h.say("c", march.AddDate(0, 2, 0), "Ana: "+back)
		h.told(told{moved: {"No longer so: " + lyon.Content + " Now, since 2024-05-06: " + h.slot("lives_in").Content}}, ask) // what was said first is so again
		if _, err := e.DeleteMemory(t.Context(), sc, h.slot("lives_in").ID); err != nil {                                     // then what it took the place of holds again
			t.Fatal(err)
		}
		h.told(since, ask)
	})
}

// A message that was sent again with other words does not say what it said before, and says what it still says.
func TestReplacedWordsAreNotSuperseded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	send := func(id, said string, at time.Time) lukasa.Memory {
		t.Helper()
		in := lukasa.NewMessage{ExternalID: id, Speaker: "Ana", Role: "user", Content: said, Time: &at}
		if _, _, err := h.e.Append(t.Context(), h.sc, lukasa.Append{Container: "life", Conversation: "a", Messages: []lukasa.NewMessage{in}, Replace: true}); err != nil {
			t.Fatal(err)
		}
		h.clock.Advance(time.Hour)
		return h.slot("lives_in")
	}
	const first, other, longer = "I live in Paris, near the river.", "I live in Lyon, near the river.", "Yes, the river! I live in Lyon, near the river."
	ask := lukasa.Query{Text: "Does Ana live near the river?"}
	paris := send("1", first, march)
	lyon := send("1", other, march.AddDate(0, 1, 0))
	if gone := must[lukasa.Memory](t)(h.e.Memory(t.Context(), h.sc, paris.ID)); gone.RetiredBy != lyon.ID || len(gone.Sources) != 1 {
		t.Fatalf("%+v", gone)
	}
	h.told(map[string][]string{}, ask)
	berlin := send("2", "I moved to Berlin.", march.AddDate(0, 2, 0))
	told := []string{"No longer so: " + lyon.Content + " Now, since 2024-05-06: " + berlin.Content}
	h.told(map[string][]string{other: told}, ask)
	send("1", longer, march.AddDate(0, 1, 0))
	h.told(map[string][]string{longer: told}, ask)
}

// A stretch of a document says so too, and only the one that the memory was drawn from.
func TestStretchesSayWhatIsSuperseded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.save(h.sc, "work", "People", "Priya Nair works at Acme.")
	l := h.memories(lukasa.MemoryFilter{Document: d.ID})
	if len(l) != 1 {
		t.Fatalf("%+v", l)
	}
	ask := lukasa.Query{Text: "Priya Nair", Types: []lukasa.EntryType{lukasa.EntryChunk}}
	h.told(map[string][]string{}, ask)
	if _, err := h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "Priya Nair works at Initech.", Updates: l[0].ID}); err != nil {
		t.Fatal(err)
	}
	h.save(h.sc, "work", "Others", "Priya Nair likes tea.")
	h.told(map[string][]string{d.Content: {"No longer so: Priya Nair works at Acme. Now, since " + h.clock.Now().UTC().Format(time.DateOnly) + ": Priya Nair works at Initech."}}, ask)
}
