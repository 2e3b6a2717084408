package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

func (h *house) cascade(q lukasa.Query) lukasa.Result {
	h.Helper()
	q.Ranker = lukasa.RankerCascade
	return must[lukasa.Result](h.T)(h.e.Search(h.Context(), h.sc, q))
}

// defining counts what the first stage found: hits, and memories whose source is a hit of a later one.
func defining(r lukasa.Result) (n int) {
	for _, h := range r.Hits {
		if n += len(h.Memories); h.Parts["defining"] > 0 {
			n++
		}
	}
	return n
}

// T-6: the stages of the cascade, each with its time. Only questions about what happened ask for defining memories, five at most.
func TestCascadeStages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i, what := range []string{"PostgreSQL", "Redis", "Kafka", "Stripe", "Grafana", "Terraform", "Consul"} {
		h.say(fmt.Sprintf("meeting %d", i), march.AddDate(0, 0, i), "Ana: We decided to use "+what+" for the billing service.")
	}
	h.save(h.sc, "work", "Billing", "The billing service sends invoices on Mondays.")
	r := h.cascade(lukasa.Query{Text: "What did we decide for billing?", Limit: 20})
	if n := defining(r); n != 5 {
		t.Errorf("%d defining memories, want 5: %+v", n, r.Hits)
	}
	if got := slices.Sorted(maps.Keys(r.Stats.StageMS)); !slices.Equal(slices.DeleteFunc(got, func(s string) bool {
		return !slices.Contains([]string{"defining", "graph", "keywords", "vectors", "content"}, s)
	}), []string{"content", "defining", "graph", "keywords", "vectors"}) {
		t.Errorf("stages %v", r.Stats.StageMS)
	}
	if r = h.cascade(lukasa.Query{Text: "How does the billing service send invoices?", Limit: 20}); defining(r) != 0 || len(r.Hits) == 0 {
		t.Errorf("a question about no event is answered with %+v", r.Hits)
	}
}

// T-6: the moment that is asked about is found among many newer ones: that something was decided says nothing about what.
func TestCascadeFindsTheMoment(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	lines := []string{"Ana: We decided to use Kafka for the queue."}
	for i := range 130 {
		lines = append(lines, fmt.Sprintf("Ana: We decided to use tool T%d for the build.", i))
	}
	h.say("meeting", march, lines...)
	h.say("later", march.AddDate(0, 1, 0), "Ana: We decided to paint the door.")
	r := h.cascade(lukasa.Query{Text: "When did we decide on Kafka?", Limit: 20})
	if n := defining(r); n != 1 || !strings.Contains(r.Hits[0].Content, "Kafka") {
		t.Errorf("%d defining memories, first %+v", n, r.Hits[0])
	}
	r = h.cascade(lukasa.Query{Text: "What did we decide?", Limit: 3})
	if len(r.Hits) == 0 || !strings.Contains(r.Hits[0].Content, "door") {
		t.Errorf("the newest decision is not the first: %+v", r.Hits)
	}
}

// T-6: what the graph names narrows the search, two links far; where it finds nothing, everything is searched.
func TestCascadeNarrows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	pike := h.save(h.sc, "hobbies.fishing", "Trip", "Went fishing. Dave Miller caught a pike in the northern lake.")
	lake := h.save(h.sc, "travel", "Lakes", "The northern lake is cold, and a pike lives in it.")
	r := h.cascade(lukasa.Query{Text: "What did Dave Miller catch in the northern lake?"})
	if len(r.Hits) != 1 || r.Hits[0].Document.ID != pike.ID {
		t.Errorf("by the graph: %+v", r.Hits)
	}
	ids := map[lukasa.ID]bool{}
	for _, hit := range h.cascade(lukasa.Query{Text: "cold northern lake with a pike"}).Hits {
		ids[hit.Document.ID] = true
	}
	if !ids[pike.ID] || !ids[lake.ID] {
		t.Errorf("the graph knows nothing, and not everything was searched: %v", ids)
	}
	// by its container, then by keywords: what shares none with the question is passed over
	h.save(h.sc, "hobbies.fishing", "Song", "La la la, merrily we roll along.")
	r = h.cascade(lukasa.Query{Text: "fishing pike"})
	if len(r.Hits) != 1 || r.Hits[0].Document.ID != pike.ID {
		t.Errorf("by keywords: %+v", r.Hits)
	}
}

// T-6: the whole text comes along with what is sure, and with nothing else. From which relevance on is a setting.
func TestCascadeOpensWhatIsSure(t *testing.T) {
	t.Parallel()
	if got := config.Default().RankWhole; got != 0.9 {
		t.Errorf("the default is %v", got)
	}
	for _, whole := range []float64{0.9, 0.01, 1.1} {
		cfg := enginetest.Config(t)
		cfg.RankWhole = whole
		e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
		h := &house{t, e, clock, sc}
		h.say("trip", march, "Ana: The quixotropic lantern stands in the attic of the mill.", "Bot: Noted, the quixotropic lantern.")
		h.save(h.sc, "work", "Lantern", "The quixotropic lantern was cleaned.")
		h.save(h.sc, "work", "Gardening", "Tomatoes want sun and water.")
		with, without := 0, 0
		for _, q := range []string{"The quixotropic lantern stands in the attic of the mill.", "lantern attic", "sun on a garden"} {
			for _, hit := range h.cascade(lukasa.Query{Text: q}).Hits {
				if (hit.ContentFull != "") != (hit.Relevance >= whole) {
					t.Errorf("%v: relevance %.2f, content %q", whole, hit.Relevance, hit.ContentFull)
				}
				if hit.ContentFull == "" {
					without++
				} else if with++; hit.Message != nil && !strings.Contains(hit.ContentFull, "Noted, the quixotropic lantern.") {
					t.Errorf("%v: the transcript is %q", whole, hit.ContentFull)
				}
			}
		}
		if (with == 0) != (whole > 1) || (without == 0) != (whole < 0.1) {
			t.Errorf("%v: %d hits with, %d without their whole text", whole, with, without)
		}
	}
}

// N-11: descriptors answer first, and no file is opened for them; then the one that is named is opened, and no other.
func TestTwoPhases(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	tide, tideFile := sleeper(t, e, sc, strings.TrimSpace(strings.Repeat("The tide comes in and goes out again. ", 4000)))
	wind, windFile := sleeper(t, e, sc, strings.TrimSpace(strings.Repeat("The wind turns to the north at night. ", 4000)))
	states := func(want ...string) {
		t.Helper()
		for i, id := range []lukasa.ID{tideFile, windFile} {
			if f, err := e.File(t.Context(), sc, id); err != nil || f.State != want[i] {
				t.Fatalf("%s is %s, %v; want %s", id, f.State, err, want[i])
			}
		}
	}
	for _, id := range []lukasa.ID{tideFile, windFile} {
		if _, err := e.SleepFile(t.Context(), sc, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, ranker := range []string{lukasa.RankerLukasa, lukasa.RankerCascade} {
		r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "when does the tide come in", Ranker: ranker})
		if err != nil || len(r.Hits) == 0 || r.Hits[0].Document.ID != tide || r.Hits[0].Document.Summary == "" || !strings.Contains(r.Hits[0].Content, "tide comes in") {
			t.Fatalf("%s: %+v, %v", ranker, r.Hits, err)
		}
		states("dormant", "dormant")
	}
	if d, err := e.Document(t.Context(), sc, tide); err != nil || len(d.Content) < 100_000 {
		t.Fatalf("%d bytes, %v", len(d.Content), err)
	}
	states("active", "dormant")
	if d, err := e.Document(t.Context(), sc, wind); err != nil || len(d.Content) < 100_000 {
		t.Fatalf("%d bytes, %v", len(d.Content), err)
	}
	states("active", "active")
}

// N-12: what belongs to a name in several branches is found in each by itself: one search over all of them gives what the searches of
// each one give, put together.
func TestAnchorsAreMerged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	texts := map[string]string{
		"business.employees": "Dave Miller joined the sales team.", "family.siblings": "My sister married Dave Miller in Lisbon.",
		"hobbies.fishing": "Dave Miller caught a pike.",
	}
	for path, text := range texts {
		h.save(h.sc, path, path, text)
		h.save(h.sc, path, path+" other", "Nothing about anybody, in "+path+".")
	}
	for _, ranker := range []string{lukasa.RankerLukasa, lukasa.RankerCascade, "weighted"} {
		found := func(in ...lukasa.Pattern) map[lukasa.ID]lukasa.Path {
			r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Dave Miller", Containers: in, Ranker: ranker, Limit: 50}))
			out := map[lukasa.ID]lukasa.Path{}
			for _, hit := range r.Hits {
				if strings.Contains(hit.Content, "Dave") {
					out[hit.ID] = hit.Path
				}
			}
			return out
		}
		merged := map[lukasa.ID]lukasa.Path{}
		for path := range texts {
			each := found(lukasa.Pattern{Path: lukasa.Path(path), Mode: '!'})
			if len(each) == 0 {
				t.Errorf("%s: nothing in %s", ranker, path)
			}
			for id, at := range each {
				if at != lukasa.Path(path) {
					t.Errorf("%s: %s of %s is found in %s", ranker, id, at, path)
				}
				merged[id] = at
			}
		}
		if all := found(); !maps.Equal(all, merged) {
			t.Errorf("%s: all at once %v, one by one %v", ranker, all, merged)
		}
	}
}
