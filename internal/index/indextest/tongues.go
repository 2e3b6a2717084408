package indextest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// said is an entry that says a text in a document of a language.
func said(n int, node lukasa.ID, language, text string) lukasa.Entry {
	e := entry(n, node, text, nil)
	e.Language = language
	return e
}

// testTongues: a word is found in the forms that it has in the language of a text, the scene knows it under one number, and what is in
// English is scored to the last bit as if nothing else were there.
func testTongues(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	english := []string{
		"The keys of the houses were lost at the station", "He runs a house for lost birds", "A note about trains, and nothing else in it",
		"House and garden, and the running of both", "Die hard is a film that they were watching",
	}
	for i, s := range english {
		f.Put(said(i, NodeID(1), "en", s))
	}
	ask := func(s string, nodes ...lukasa.ID) index.Answer {
		t.Helper()
		if _, err := x.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
		a, err := x.Search(context.Background(), index.Request{Owner: owner, Nodes: nodes, Text: s, K: 10, Scene: true})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	queries := []string{"running houses", "lost key", "the train", "die films"}
	var before []index.Answer
	for _, q := range queries {
		before = append(before, ask(q, NodeID(1)))
	}
	f.Put(said(10, NodeID(2), "", "Die alten Häuser am See sind endlich verkauft worden, und wir haben die Schlüssel."))
	f.Put(said(11, NodeID(2), "", "Les vieilles maisons au bord du lac sont enfin vendues et nous avons les clés."))
	f.Put(said(12, NodeID(2), "de", "Rechnungen März")) // too short to tell, but for its document
	f.Put(said(13, NodeID(2), "", "Старые дома у озера наконец проданы."))
	f.Put(said(14, NodeID(2), "", "湖のそばの古い家がやっと売れた。"))
	for i, q := range queries {
		after := ask(q, NodeID(1))
		if d := cmp.Diff(before[i].Candidates, after.Candidates); d != "" {
			t.Errorf("%q in English (-before +after):\n%s", q, d)
		}
	}
	for _, c := range []struct {
		q    string
		want []int
	}{
		{"Haus", []int{10}},
		{"wo ist das Haus", []int{10}},
		{"maison vendue", []int{11}},
		{"Rechnung", []int{12}},
		{"старый дом", []int{13}},
		{"古い家", []int{14}},
		{"lac", []int{11}},
		{"See", []int{10}},
	} {
		a := ask(c.q, NodeID(1), NodeID(2))
		var got []int
		for _, it := range a.Candidates {
			for _, n := range c.want {
				if it.Entry == EntryID(n) && it.HasText {
					got = append(got, n)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v, want %v", c.q, got, c.want)
		}
	}
	a := ask("Haus", NodeID(2))
	for _, term := range a.Scene.Terms {
		at := slices.IndexFunc(a.Candidates, func(c lukasa.Candidate) bool { return c.Entry == EntryID(10) })
		if at < 0 || term.Frequency != 1 || !slices.Contains(a.Scene.Items[at].Terms, term.ID) {
			t.Errorf("the scene does not have %q, in %d entries, under the number of its term", term.Word, term.Frequency)
		}
	}
}
