package pgvector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/pgvector"
)

// corpus is a feed of notes whose words are as common as words are, and whose vectors stand in clusters.
type corpus struct {
	feed    *indextest.MemFeed
	entries []lukasa.Entry
	r       *rand.Rand
	centres [][]float32
	words   *rand.Zipf
}

func owner(n int) lukasa.ID {
	return lukasa.MakeID(lukasa.PrefixUser, time.UnixMilli(1), [10]byte{9: byte(n)})
}

func newCorpus(dim int) *corpus {
	c := &corpus{feed: indextest.NewMemFeed(), r: rand.New(rand.NewPCG(1, 2))}
	c.words = rand.NewZipf(c.r, 1.07, 8, 60_000)
	for range 200 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(c.r.NormFloat64())
		}
		c.centres = append(c.centres, v)
	}
	return c
}

func (c *corpus) vector() []float32 {
	centre := c.centres[c.r.IntN(len(c.centres))]
	v := make([]float32, len(centre))
	for i := range v {
		v[i] = centre[i] + .7*float32(c.r.NormFloat64())
	}
	return v
}

func (c *corpus) text(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%dx ", c.words.Uint64())
	}
	return b.String()
}

// add puts n notes of an owner into a node.
func (c *corpus) add(n int, owner, node lukasa.ID) {
	for range n {
		i := len(c.entries)
		c.entries = append(c.entries, lukasa.Entry{
			ID: indextest.EntryID(i), Type: lukasa.EntryChunk, Owner: owner, Node: node, Document: lukasa.MakeID(lukasa.PrefixDocument, time.UnixMilli(1), [10]byte{8: byte(i / 5 >> 8), 9: byte(i / 5)}), Seq: int64(i % 5),
			Text: c.text(20 + c.r.IntN(31)), Latest: true, Confidence: 1, Tags: [][]string{nil, {"a"}, {"b"}, {"a", "c"}}[i%4], Vector: c.vector(), CreatedAt: time.Unix(1_700_000_000+int64(i)*60, 0).UTC(),
		})
		c.feed.Put(c.entries[i])
	}
}

// BenchmarkSearch is what a request costs over 20,000 entries of one node.
func BenchmarkSearch(b *testing.B) {
	c := newCorpus(256)
	node := indextest.NodeID(1)
	c.add(20_000, owner(1), node)
	for _, kind := range []struct {
		name  string
		exact int
	}{{"all", 1 << 30}, {"walk", 5000}} {
		b.Run(kind.name, func(b *testing.B) {
			x := open(b, c.feed, pgvector.Options{Schema: fresh(b), Dim: 256, Exact: kind.exact})
			b.Cleanup(func() { _ = x.Close() })
			began := time.Now()
			if _, err := x.Search(context.Background(), index.Request{Owner: owner(1), Nodes: []lukasa.ID{node}, Text: "a", K: 1}); err != nil {
				b.Fatal(err)
			}
			b.Logf("loaded in %v", time.Since(began))
			for _, r := range []struct {
				name string
				req  index.Request
			}{
				{"text", index.Request{K: 100}},
				{"vector", index.Request{K: 100}},
				{"both", index.Request{K: 100, Both: true}},
				{"filter", index.Request{K: 100, Both: true, Filter: &lukasa.Filter{Field: "tags", Text: []string{"c"}}}},
				{"scene", index.Request{K: 100, Scene: true}},
			} {
				b.Run(r.name, func(b *testing.B) {
					for b.Loop() {
						req := r.req
						req.Owner, req.Nodes = owner(1), []lukasa.ID{node}
						if r.name != "vector" {
							req.Text = c.text(6)
						}
						if r.name != "text" {
							req.Vector = c.vector()
						}
						if a, err := x.Search(context.Background(), req); err != nil || len(a.Candidates) < 50 {
							b.Fatal(len(a.Candidates), err)
						}
					}
				})
			}
		})
	}
}

// BenchmarkMisspelt looks for three words that nothing has, and may be misspelt or not, among the terms of 20,000 entries: 60,000 that many
// have, and five of each entry alone.
func BenchmarkMisspelt(b *testing.B) {
	c := newCorpus(1)
	node := indextest.NodeID(1)
	for i := range 20_000 {
		e := lukasa.Entry{ID: indextest.EntryID(i), Type: lukasa.EntryChunk, Owner: owner(1), Node: node, Text: c.text(20), Latest: true, Confidence: 1, CreatedAt: time.Unix(1_700_000_000, 0)}
		for k := range 5 {
			e.Text += fmt.Sprintf(" %cq%dword%c", 'a'+i%26, i, 'a'+k)
		}
		c.feed.Put(e)
	}
	x := open(b, c.feed, pgvector.Options{Schema: fresh(b)})
	b.Cleanup(func() { _ = x.Close() })
	find := func(misspelt func(string) bool) {
		r := index.Request{Owner: owner(1), Nodes: []lukasa.ID{node}, Text: "Shcmiedinger qwertyuiop INV209311", K: 100, Misspelt: misspelt}
		if _, err := x.Search(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
	find(nil) // it is loaded now
	for _, m := range []struct {
		name     string
		misspelt func(string) bool
	}{{"right", nil}, {"misspelt", func(string) bool { return true }}} {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				find(m.misspelt)
			}
		})
	}
}
