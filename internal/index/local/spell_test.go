package local_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// TestMisspelt: a word that nothing has is found by what is spelt almost alike, in the named nodes alone; words that are there, and words that are
// said to be right, stay as they are.
func TestMisspelt(t *testing.T) {
	t.Parallel()
	f := indextest.NewMemFeed()
	put := func(n, node int, s string) {
		f.Put(lukasa.Entry{
			ID: indextest.EntryID(n), Type: lukasa.EntryChunk, Owner: benchOwner, Node: indextest.NodeID(node), Document: indextest.EntryID(n), Text: s, Latest: true,
			Confidence: 1, CreatedAt: time.Unix(int64(1_700_000_000+n), 0),
		})
	}
	put(1, 1, "Melanie keeps the invoices")
	put(2, 1, "Invoice INV-20931 was paid in March")
	put(3, 1, "The restaurant by the lake")
	put(4, 2, "Melania sang, and Malanie too")
	put(5, 1, "Order KX7-4401 was sent back")
	put(6, 1, "猫がソファで寝ている")
	put(7, 1, "うちの子猫")
	put(8, 1, "これは「猫」という字")
	put(9, 2, "犬と猫")
	x := local.New(f, local.Options{Space: "test", Dim: indextest.Dim})
	right := map[string]bool{"boat": true}
	for _, c := range []struct {
		q       string
		nodes   []int
		want    []int
		instead map[string][]string
	}{
		{"Melannie", []int{1}, []int{1}, map[string][]string{"Melannie": {"melani"}}},
		{"Melanie", []int{1}, []int{1}, nil},
		{"Melanie", []int{2}, []int{4}, map[string][]string{"Melanie": {"malani", "melania"}}},
		{"INV-20913", []int{1}, []int{2}, map[string][]string{"20913": {"20931"}}},
		{"INV20913", []int{1}, nil, nil}, // INV-20931 as a whole is another code
		{"20931", []int{1}, []int{2}, nil},
		{"resturaunt", []int{1}, []int{3}, map[string][]string{"resturaunt": {"restaur"}}}, //nolint:misspell // on purpose
		{"4410", []int{1}, nil, nil},                                                       // too short a number
		{"restaurant zzzz", []int{1}, []int{3}, nil},
		{"Melannie restaurant", []int{1}, []int{3, 1}, map[string][]string{"Melannie": {"melani"}}}, // what was typed counts more
		{"Melannie Melanie", []int{1}, []int{1}, nil},                                               // which stands for it already
		{"boat", []int{1}, nil, nil},
		{"猫", []int{1}, []int{7, 8, 6}, nil}, // texts are indexed by pairs of such characters
		{"鳥", []int{1}, nil, nil},
	} {
		var nodes []lukasa.ID
		for _, n := range c.nodes {
			nodes = append(nodes, indextest.NodeID(n))
		}
		a, err := x.Search(context.Background(), index.Request{
			Owner: benchOwner, Nodes: nodes, Text: c.q, K: 10, Scene: true, Misspelt: func(w string) bool { return !right[w] },
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(a.Candidates, func(a, b lukasa.Candidate) int {
			if a.Text > b.Text {
				return -1
			}
			return 1
		})
		var got []int
		for _, k := range a.Candidates {
			for n := range 10 {
				if k.HasText && k.Entry == indextest.EntryID(n) {
					got = append(got, n)
				}
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.q, d)
		}
		instead := a.Instead
		for _, list := range instead {
			slices.Sort(list)
		}
		if d := cmp.Diff(c.instead, instead); d != "" {
			t.Errorf("%q stands in (-want +got):\n%s", c.q, d)
		}
	}
	plain, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: []lukasa.ID{indextest.NodeID(1)}, Text: "Melannie", K: 10})
	if err != nil || len(plain.Candidates) > 0 {
		t.Errorf("without being asked to: %v, %v", plain.Candidates, err)
	}
}

// BenchmarkMisspelt looks for three words that nothing has, among 100,000 entries and all their words, and for three that there are.
func BenchmarkMisspelt(b *testing.B) {
	c := newCorpus(100_000, 64, 1, 1, false)
	for i := range c.entries { // as many words again that stand in one entry each
		c.entries[i].Text += fmt.Sprintf(" q%dword%c", i, 'a'+i%26)
	}
	x := local.New(c.feed(), local.Options{Space: "test", Dim: 64})
	warm(b, x, c.nodes)
	for _, q := range []struct {
		name, text string
		misspelt   func(string) bool
	}{
		{"there", c.entries[7].Text[:40], nil},
		{"missing", "Shcmiedinger qwertyuiop INV209311", nil},
		{"misspelt", "Shcmiedinger qwertyuiop INV209311", func(string) bool { return true }},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, K: 100, Scene: true, Misspelt: q.misspelt}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
