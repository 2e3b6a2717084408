package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	c, err := newCorpus(1000, 16, 7, 5, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		v := unit(c.items[r.IntN(1000)].vector)
		all := make([]int, len(c.items))
		for i := range all {
			all[i] = i
		}
		slices.SortStableFunc(all, func(a, b int) int {
			if dot(v, c.items[a].vector) > dot(v, c.items[b].vector) {
				return -1
			}
			return 1
		})
		if got := c.nearest(v, nil, 10); !slices.Equal(got, all[:10]) {
			t.Fatalf("%v, want %v", got, all[:10])
		}
	}
	sum := 0
	for _, items := range c.byOwner {
		sum += len(items)
	}
	if sum != 1000 || len(c.queries) != 5 {
		t.Errorf("%d items have owners, %d queries", sum, len(c.queries))
	}
}

// Running text is cut into items of the lengths that are told, whose words can be asked for; the same seed makes the same items.
func TestProse(t *testing.T) {
	var items [2][]string
	for run := range items {
		from, err := newProse(50_000, rand.New(rand.NewPCG(1, 3)))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for range 50_000 {
			it := from.next()
			n := len(strings.Fields(it))
			if n < fewestWords || n > mostWords {
				t.Fatalf("%d words: %s", n, it)
			}
			sum += n
			for _, w := range from.content(it) {
				if from.stop(w) || len(w) < 3 || strings.ToLower(w) != w {
					t.Fatalf("%q can be asked for", w)
				}
			}
			items[run] = append(items[run], it)
		}
		if m := sum / 50_000; m < 54 || m > 58 {
			t.Errorf("%d words in the mean", m)
		}
	}
	if !slices.Equal(items[0], items[1]) {
		t.Error("the same seed makes other items")
	}
}

func TestSentences(t *testing.T) {
	src := `// Copyright 2009 The Go Authors. All rights reserved.

package p

//go:noinline
// One two. Three (four.) Five
// six
//
//	code here
//
// seven
func f() { /* eight! nine */ }
`
	got := appendComments(nil, []byte(src))
	want := [][]string{{"One", "two."}, {"Three", "(four.)"}, {"Five", "six"}, {"seven"}, {"eight!"}, {"nine"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q", got)
	}
}

func TestArithmetic(t *testing.T) {
	if got := reciprocal([]int{1, 2, 3}, []int{3, 4}); !slices.Equal(got, []int{3, 1, 2, 4}) {
		t.Errorf("fused: %v", got)
	}
	if median([]float64{5, 1, 3}) != 3 || median([]float64{1, 2}) != 1.5 || median(nil) != 0 {
		t.Error("median")
	}
	a, b := &contender{cpu: []float64{10, 10, 10}}, &contender{cpu: []float64{100, 20, 30}}
	if r := b.ratio(a); r != 3 {
		t.Errorf("ratio %v", r)
	}
}

// The whole comparison, small, with what needs no server: every goal is named, and lukasa finds what exact comparison finds.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	var out bytes.Buffer
	if err := run(&out, settings{n: 1000, dim: 32, owners: 5, rounds: 1, queries: 4, seed: 1, words: prose, width: 64}); err != nil {
		t.Fatal(err)
	}
	s := out.String()
	for _, want := range []string{
		"comments in Go's sources", "pgvector is left out", "FTS5 + sqlite-vec", "chromem-go", "bleve", "hybrid, all", "open, CPU ms", "25 goals",
		"they were set for 100000",
	} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not said:\n%s", want, s)
		}
	}
	if err := run(&out, settings{n: 10}); err == nil {
		t.Error("ten items are enough")
	}
	if err := run(&out, settings{n: 1000, dim: 32, owners: 5, rounds: 1, queries: 4, words: "latin"}); err == nil || !strings.Contains(err.Error(), "latin") {
		t.Errorf("words nobody has: %v", err)
	}
}
