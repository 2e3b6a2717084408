package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Somebody who is named by a role only is looked up in what is known, and the answer says who that is and which memory says so.
func TestWhoIsMeant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	intro := map[string]lukasa.ID{}
	for _, said := range []string{
		"Lena is my daughter.", "My wife is called Ines.", "Our landlord is Mr. Huber.", "The user's boss is Henrietta Falk.", "Ana's brother is Bruno.",
		"Lena is allergic to peanuts.", "Ines was born in Graz.", "Huber's office hours end at four.", "Henrietta Falk drinks only green tea.", "Bruno grows tomatoes.",
	} {
		intro[said] = must[lukasa.Memory](t)(h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: said, Container: "life"})).ID
		h.clock.Advance(time.Minute)
	}
	for _, c := range []struct{ ask, first, words, name, by string }{
		{"What is our daughter allergic to?", "Lena is allergic to peanuts.", "our daughter", "Lena", "Lena is my daughter."},
		{"Where was my wife born?", "Ines was born in Graz.", "my wife", "Ines", "My wife is called Ines."},
		{"When does the landlord's office close?", "Huber's office hours end at four.", "the landlord", "Mr. Huber", "Our landlord is Mr. Huber."},
		{"What does my boss drink?", "Henrietta Falk drinks only green tea.", "my boss", "Henrietta Falk", "The user's boss is Henrietta Falk."},
		{"Who is my wife?", "My wife is called Ines.", "", "", ""}, // that is the answer
		{"What does my wife Ines like?", "", "", "", ""},           // it is said already
		{"What does my brother grow?", "", "", "", ""},             // he is another's
		{"What does my uncle do?", "", "", "", ""},                 // nobody knows one
	} {
		for range 2 { // the second answer is one that was kept
			r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: c.ask, Limit: 1}))
			var want []lukasa.Meant
			if c.name != "" {
				want = []lukasa.Meant{{Words: c.words, Name: c.name, Memory: intro[c.by]}}
			}
			if diff := cmp.Diff(want, r.Meant); diff != "" || r.Query != c.ask || c.first != "" && (len(r.Hits) != 1 || r.Hits[0].Content != c.first) {
				t.Errorf("%s: %s\n%+v", c.ask, diff, r.Hits)
			}
		}
	}
	b := must[engine.Brief](t)(h.e.Brief(t.Context(), h.sc, engine.BriefRequest{Query: "What is our daughter allergic to?", MaxTokens: 500}))
	if len(b.Meant) != 1 || !strings.Contains(b.Text, "peanuts") {
		t.Errorf("%+v", b)
	}
}

// Of messages, what people said of themselves counts; where several did, nobody knows who asks.
func TestWhoIsMeantInAConversation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: Clara is my sister.", "Ana: Clara plays the harp.", "Ana: Tom's daughter is Zoe.")
	ask := func(text string) []lukasa.Meant {
		return must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: text})).Meant
	}
	if m := ask("Which instrument does my sister play?"); len(m) != 1 || m[0].Name != "Clara" {
		t.Errorf("%+v", m)
	}
	if m := ask("How old is my daughter now?"); len(m) != 0 {
		t.Errorf("%+v", m)
	}
	h.say("b", march, "Ben: Dora is my sister.")
	if m := ask("Which instrument does my sister play?"); len(m) != 0 {
		t.Errorf("%+v", m)
	}
}

// Nobody is resolved by what stands in a container that is not searched or may not be read, or that belongs to somebody else.
func TestWhoIsMeantStaysInScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	must[lukasa.Memory](t)(h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "Lena is my daughter.", Container: "family"}))
	must[lukasa.Memory](t)(h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "Lena is allergic to peanuts.", Container: "health"}))
	q := lukasa.Query{Text: "What is our daughter allergic to?"}
	if r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, q)); len(r.Meant) != 1 {
		t.Fatalf("%+v", r.Meant)
	}
	bound := h.sc
	bound.Root = "health"
	stranger := lukasa.Scope{Owner: "usr_00000000000000000000000000", Principal: "usr_00000000000000000000000000", Role: lukasa.RoleUser}
	narrow := q
	narrow.Containers = []lukasa.Pattern{{Path: "health"}}
	for i, c := range []struct {
		sc lukasa.Scope
		q  lukasa.Query
	}{{bound, q}, {stranger, q}, {h.sc, narrow}} {
		if r := must[lukasa.Result](t)(h.e.Search(t.Context(), c.sc, c.q)); len(r.Meant) != 0 {
			t.Errorf("case %d: %+v", i, r.Meant)
		}
	}
}
