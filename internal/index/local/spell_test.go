package local_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

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
