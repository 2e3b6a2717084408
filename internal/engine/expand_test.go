package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// expander opens an engine that has queries rephrased by a model, over notes of which one says in other words what is asked.
func expander(t *testing.T, expand string, answer func(n int, a enginetest.Asked) enginetest.Said) (*house, *enginetest.Model) {
	t.Helper()
	m := enginetest.NewModel(t, answer)
	cfg := enginetest.Config(t)
	m.Use(&cfg)
	cfg.Expand, cfg.ExpandTimeout, cfg.CacheTTL = expand, 500*time.Millisecond, time.Minute
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	for i := range 40 {
		if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: fmt.Sprintf("%s number %d was printed on paper.", []string{"Physician", "Tomorrow's forecast", "Garden"}[min(2, i/2)], i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "Zqxvent 4711 is what the cardboard said."}); err != nil {
		t.Fatal(err)
	}
	return &house{t, e, clock, sc}, m
}

func place(t *testing.T, h *house, query, ranker, part string) (int, lukasa.Result) {
	t.Helper()
	r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: query, Ranker: ranker, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	return slices.IndexFunc(r.Hits, func(x lukasa.Hit) bool { return strings.Contains(x.Content, part) }), r
}

// Query expansion: what only a rephrasing finds is among the hits, and what the query itself finds stays.
func TestExpand(t *testing.T) {
	t.Parallel()
	const query = "physician appointment tomorrow"
	say := func(int, enginetest.Asked) enginetest.Said {
		return enginetest.Said{Text: `{"queries":["Zqxvent  4711 cardboard","PHYSICIAN appointment  tomorrow","","` + strings.Repeat("x", 400) + `"]}`}
	}
	off, silent := expander(t, "none", say)
	if at, _ := place(t, off, query, "", "Zqxvent"); at >= 0 || len(silent.Asked()) != 0 {
		t.Errorf("switched off, the note stands in place %d and the model was asked %d times", at, len(silent.Asked()))
	}
	on, m := expander(t, "model", say)
	at, r := place(t, on, query, "", "Zqxvent")
	if at < 0 || r.Stats.Degraded != "" || !slices.ContainsFunc(r.Hits, func(x lukasa.Hit) bool { return strings.HasPrefix(x.Content, "Physician") }) {
		t.Errorf("place %d of %d, degraded %q", at, len(r.Hits), r.Stats.Degraded)
	}
	if asked := m.Asked(); len(asked) != 1 || asked[0].Last() != query {
		t.Fatalf("asked %+v", asked)
	}
	if _, err := on.e.Remember(t.Context(), on.sc, lukasa.NewDocument{Content: "Something new, so that no result is kept."}); err != nil {
		t.Fatal(err)
	}
	if at, r := place(t, on, query, "", "Zqxvent"); at < 0 || r.Stats.Cached || len(m.Asked()) != 1 {
		t.Errorf("the second time: place %d, cached %v, asked %d times", at, r.Stats.Cached, len(m.Asked()))
	}
	for _, ranker := range []string{"weighted", "text", "rrf"} {
		if at, _ := place(t, on, query, ranker, "Zqxvent"); at >= 0 {
			t.Errorf("the ranker %s searched for other words", ranker)
		}
	}
	if _, _ = place(t, on, strings.Repeat("long ", 101), "", "x"); len(m.Asked()) != 1 {
		t.Error("a long query was rephrased")
	}
}

// A model that is slow, down, or says nonsense costs nothing but its time, and the answer says so.
func TestExpandFails(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]enginetest.Said{
		"down":     {Status: 500},
		"slow":     {Text: `{"queries":["Zqxvent 4711"]}`, After: 5 * time.Second},
		"nonsense": {Text: "Sure! Here are some queries."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := expander(t, "model", func(int, enginetest.Asked) enginetest.Said { return said })
			start := time.Now()
			at, r := place(t, h, "physician appointment tomorrow", "", "Zqxvent")
			if at >= 0 || len(r.Hits) != 5 || !strings.Contains(r.Stats.Degraded, "model is away") {
				t.Errorf("place %d of %d, degraded %q", at, len(r.Hits), r.Stats.Degraded)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// Nothing to add is an answer too.
func TestExpandNothing(t *testing.T) {
	t.Parallel()
	h, m := expander(t, "model", func(int, enginetest.Asked) enginetest.Said { return enginetest.Said{Text: `{"queries":[]}`} })
	if _, r := place(t, h, "physician appointment tomorrow", "", "x"); r.Stats.Degraded != "" || len(r.Hits) != 5 || len(m.Asked()) != 1 {
		t.Errorf("degraded %q, %d hits, asked %d times", r.Stats.Degraded, len(r.Hits), len(m.Asked()))
	}
}

// Each question of a query that asks for two things is searched for by itself, so that neither drowns in what answers the other.
func TestTwoQuestions(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
	h := &house{t, e, clock, sc}
	for i := range 40 {
		for _, about := range []string{"Ann drives a car, the one of day %d.", "The Millers live at number %d."} {
			if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: fmt.Sprintf(about, i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "Ann lives in Ghent."}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"Which car does Ann drive, and where does she live?", "which car does Ann drive and where does Ann live",
		"Which car does Ann drive? And where does she live?", "Where does Ann live, which car does she drive on day 7?",
	} {
		at, r := place(t, h, query, "", "Ghent")
		if cars := slices.ContainsFunc(r.Hits, func(x lukasa.Hit) bool { return strings.Contains(x.Content, "drives") }); at < 0 || at > 1 || !cars {
			t.Errorf("%s: where she lives stands in place %d of %d, cars %v", query, at, len(r.Hits), cars)
		}
	}
	// What is one question stays one: the note is not lifted.
	if at, _ := place(t, h, "Which car does Ann drive on day 7 and on day 8?", "", "Ghent"); at == 0 || at == 1 {
		t.Errorf("a question about cars alone found the note in place %d", at)
	}
}
