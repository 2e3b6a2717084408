package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// What holds now stands first, however it was saved and asked for, and what it took the place of is marked with what holds now and since when.
func TestInForceStandsFirst(t *testing.T) {
	t.Parallel()
	const old, now, ask = "I live in Berlin.", "I moved to Vienna.", "Where do I live?"
	saves := map[string]func(h *house, text string, at time.Time){
		"memories": func(h *house, text string, _ time.Time) {
			must[lukasa.Memory](h.T)(h.e.AddMemory(h.Context(), h.sc, lukasa.NewMemory{Content: text, Container: "life"}))
		},
		"notes":    func(h *house, text string, _ time.Time) { h.save(h.sc, "life", "", text) },
		"messages": func(h *house, text string, at time.Time) { h.say("a", at, "Ana: "+text) },
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			save(h, old, march)
			h.clock.Advance(time.Hour)
			save(h, now, march.AddDate(0, 1, 0))
			for _, ranker := range []string{lukasa.RankerLukasa, lukasa.RankerWeighted, lukasa.RankerVector, lukasa.RankerRRF} {
				r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: ask, Ranker: ranker}))
				if len(r.Hits) == 0 || !strings.Contains(r.Hits[0].Content, "Vienna") || len(r.Hits[0].Superseded) > 0 {
					t.Fatalf("%s: %+v", ranker, r.Hits)
				}
				for _, x := range r.Hits[1:] {
					if len(x.Superseded) != 1 || x.Superseded[0].By == nil || x.Superseded[0].By.Since == nil || !strings.Contains(x.Superseded[0].By.Content, "Vienna") {
						t.Errorf("%s: %+v", ranker, x)
					}
				}
				if name != "messages" && ranker != lukasa.RankerVector && ranker != lukasa.RankerRRF && !r.Hits[0].Relevant {
					t.Errorf("%s: what took the place of an answer is no answer: %+v", ranker, r.Hits[0])
				}
				if ranker == lukasa.RankerLukasa && !slices.IsSortedFunc(r.Hits, func(a, b lukasa.Hit) int { return int(1e6 * (b.Score - a.Score)) }) {
					t.Errorf("%+v", r.Hits)
				}
			}
			if name == "messages" {
				return // of which one asks by name
			}
			b := must[engine.Brief](t)(h.e.Brief(t.Context(), h.sc, engine.BriefRequest{Query: ask, MaxTokens: 500}))
			if at := strings.Index(b.Text, "Berlin"); !strings.Contains(b.Text, now) || at >= 0 && at < strings.Index(b.Text, now) {
				t.Errorf("%s", b.Text)
			}
		})
	}
}

// The memory in force is a hit where only what it took the place of answers, if the query lets it: of the container that is asked about.
func TestInForceStaysInItsContainer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	add := func(container, text string, updates lukasa.ID) lukasa.Memory {
		h.clock.Advance(time.Minute)
		return must[lukasa.Memory](t)(h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: text, Container: container, Updates: updates}))
	}
	code := add("life", "The code of the garage door is 4711.", "")
	for range 3 {
		add("life", "Milk, bread and apples are on the list.", "")
	}
	add("life", "Since the burglary it is 1812.", code.ID)
	search := func(q lukasa.Query) (out []string) {
		q.Text, q.Limit = "What is the code of the garage door?", 1
		for _, x := range must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, q)).Hits {
			out = append(out, x.Content)
		}
		return out
	}
	if got := search(lukasa.Query{}); !slices.Equal(got, []string{"Since the burglary it is 1812."}) {
		t.Errorf("%q", got)
	}
	day := h.clock.Now().Add(time.Hour)
	for _, q := range []lukasa.Query{
		{Types: []lukasa.EntryType{lukasa.EntryChunk}},
		{Filter: &lukasa.Filter{Field: "after", Time: day}},
		{Containers: []lukasa.Pattern{{Path: "elsewhere"}}},
	} {
		if got := search(q); len(got) != 0 {
			t.Errorf("%+v: %q", q, got)
		}
	}
}

// A memory that is asked for though it was superseded says so, and one whose time is over says that.
func TestSupersededAndExpiredMemoriesSaySo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Paris, near the river.")
	h.clock.Advance(time.Hour)
	h.say("b", march.AddDate(0, 1, 0), "Ana: I moved to Lyon.")
	both := lukasa.Filter{Field: "latest", Text: []string{"true", "false"}}
	r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Where does Ana live?", Types: []lukasa.EntryType{lukasa.EntryMemory}, Filter: &both}))
	if len(r.Hits) != 2 || !strings.Contains(r.Hits[0].Content, "Lyon") || len(r.Hits[0].Superseded) > 0 ||
		len(r.Hits[1].Superseded) != 1 || r.Hits[1].Superseded[0].By == nil || r.Hits[1].Superseded[0].By.ID != r.Hits[0].ID {
		t.Errorf("%+v", r.Hits)
	}

	h.say("c", march, "Ana: I work at Acme until 1 May 2024.")
	for _, q := range []lukasa.Query{{Types: []lukasa.EntryType{lukasa.EntryMemory}}, {}} {
		q.Text = "Who works at Acme?"
		r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, q))
		i := slices.IndexFunc(r.Hits, func(x lukasa.Hit) bool { return strings.Contains(x.Content, "Acme") })
		if i < 0 || len(r.Hits[i].Superseded) != 1 || r.Hits[i].Superseded[0].ValidTo == nil || r.Hits[i].Superseded[0].By != nil {
			t.Errorf("%+v", r.Hits)
		}
	}
}
