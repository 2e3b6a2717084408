package indextest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// testMisspelt: a word that nothing has is found by what is spelt almost alike, in the named nodes alone, with less weight; words that are
// there, and words that are said to be right, stay as they are.
func testMisspelt(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	for n, s := range []string{
		0: "Nothing that is asked for",
		1: "Melanie keeps the invoices",
		2: "Invoice INV-20931 was paid in March",
		3: "The restaurant by the lake",
		4: "Melania sang, and Malanie too",
		5: "Order KX7-4401 was sent back",
		6: "猫がソファで寝ている",
		7: "うちの子猫",
		8: "これは「猫」という字",
		9: "犬と猫",
	} {
		node := NodeID(1)
		if n == 4 || n == 9 {
			node = NodeID(2)
		}
		f.Put(entry(n, node, s, nil))
	}
	for _, c := range []struct {
		q       string
		node    int
		want    []int // the best first
		instead map[string][]string
	}{
		{"Melannie", 1, []int{1}, map[string][]string{"Melannie": {"melani"}}},
		{"Melanie", 1, []int{1}, nil},
		{"Melanie", 2, []int{4}, map[string][]string{"Melanie": {"malani", "melania"}}},
		{"INV-20913", 1, []int{2}, map[string][]string{"20913": {"20931"}}},
		{"INV20913", 1, nil, nil}, // INV-20931 as a whole is another code
		{"20931", 1, []int{2}, nil},
		{"resturaunt", 1, []int{3}, map[string][]string{"resturaunt": {"restaur"}}}, //nolint:misspell // on purpose
		{"4410", 1, nil, nil},                                                       // too short a number
		{"restaurant zzzz", 1, []int{3}, nil},
		{"Melannie restaurant", 1, []int{3, 1}, map[string][]string{"Melannie": {"melani"}}}, // what was typed counts more
		{"Melannie Melanie", 1, []int{1}, nil},                                               // which stands for it already
		{"boat", 1, nil, nil},
		{"猫", 1, []int{7, 8, 6}, nil}, // texts are indexed by pairs of such characters
		{"鳥", 1, nil, nil},
	} {
		a := misspelt(t, x, index.Request{Text: c.q, Nodes: []lukasa.ID{NodeID(c.node)}, Misspelt: func(w string) bool { return w != "boat" }})
		var got []int
		for _, k := range a.Candidates {
			for n := range 10 {
				if k.Entry == EntryID(n) {
					got = append(got, n)
				}
			}
		}
		if d := diff.Diff(c.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.q, d)
		}
		if d := diff.Diff(c.instead, a.Instead); d != "" {
			t.Errorf("%q stands in (-want +got):\n%s", c.q, d)
		}
	}
	all := func(string) bool { return true }
	if a := misspelt(t, x, index.Request{Text: "Melannie", Nodes: []lukasa.ID{NodeID(1)}}); len(a.Candidates) > 0 {
		t.Errorf("without being asked to: %v", a.Candidates)
	}
	right := misspelt(t, x, index.Request{Text: "Melanie", Nodes: []lukasa.ID{NodeID(1)}, Misspelt: all})
	wrong := misspelt(t, x, index.Request{Text: "Melannie", Nodes: []lukasa.ID{NodeID(1)}, Misspelt: all, Scene: true})
	if got, want := wrong.Candidates[0].Text, .6*right.Candidates[0].Text; math.Abs(got-want) > 1e-6 {
		t.Errorf("a word one edit away counts %v, want %v", got, want)
	}
	at := slices.IndexFunc(wrong.Scene.Items, func(it index.Item) bool { return it.Candidate.Entry == EntryID(1) })
	if term := wrong.Scene.Terms[0]; term.Frequency != 1 || term.Share != .6 || !slices.Contains(wrong.Scene.Items[at].Terms, term.ID) {
		t.Errorf("the scene has %+v for what stands in, and %+v", term, wrong.Scene.Items[at])
	}

	was, _ := f.Get(EntryID(1))
	f.Put(entry(1, NodeID(1), "nothing of the kind", nil))
	r := index.Request{Text: "Melannie", Nodes: []lukasa.ID{NodeID(1)}, Misspelt: all}
	if a := misspelt(t, x, r); len(a.Candidates) > 0 || a.Instead != nil {
		t.Errorf("what is gone stands in: %v, %v", a.Candidates, a.Instead)
	}
	r.Then = &index.Then{At: was.CreatedAt.AddDate(1, 0, 0), Without: []lukasa.ID{was.ID}, Entries: []lukasa.Entry{was}}
	if a := misspelt(t, x, r); len(a.Candidates) != 1 || a.Candidates[0].Entry != was.ID || a.Candidates[0].Text != wrong.Candidates[0].Text {
		t.Errorf("then there was %v, want %v", a.Candidates, wrong.Candidates)
	}
}

// misspelt searches and orders what is found by its text, the best first.
func misspelt(t *testing.T, x index.Index, r index.Request) index.Answer {
	t.Helper()
	if _, err := x.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.Owner, r.K = owner, 10
	a, err := x.Search(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(a.Candidates, func(a, b lukasa.Candidate) int { return cmp.Compare(b.Text, a.Text) })
	a.Candidates = slices.DeleteFunc(a.Candidates, func(c lukasa.Candidate) bool { return !c.HasText })
	return a
}
