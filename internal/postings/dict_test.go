package postings_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/postings"
)

// A dictionary keeps its numbers and words, also through a file and what comes behind that.
func TestDictKeepsTermsAndWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := postings.NewDict("", "first")
		number, words := map[string]uint32{"": 0, "first": 1}, []string{"", "first"}
		for range rapid.IntRange(1, 3).Draw(rt, "files") {
			for range rapid.IntRange(0, 300).Draw(rt, "terms") {
				term := rapid.StringN(0, 20, 60).Draw(rt, "term")
				if rapid.IntRange(0, 50).Draw(rt, "long") == 0 {
					term = strings.Repeat(term, 2000)
				}
				word := rapid.SampledFrom([]string{term, "", strings.ToUpper(term), term + strings.Repeat("x", 64)}).Draw(rt, "word")
				_, known := number[term]
				n := d.Add([]byte(term), word)
				if !known {
					number[term] = uint32(len(words))
					if word == "" || len(word) > 64 {
						word = term
					}
					words = append(words, word)
				}
				if n != number[term] {
					rt.Fatalf("%q is number %d, want %d", term, n, number[term])
				}
			}
			for term, n := range number {
				if got, ok := d.Find([]byte(term)); !ok || got != n || d.Word(n) != words[n] || d.Word(n) != words[n] {
					rt.Fatalf("%q is %d, %v with the word %q; want %d, %q", term, got, ok, d.Word(n), n, words[n])
				}
			}
			if d.Len() != len(words) || d.Word(uint32(len(words))) != "" || d.Size() <= 0 {
				rt.Fatalf("%d terms, want %d", d.Len(), len(words))
			}
			f := d.Freeze()()
			if d = postings.NewDict("", "first"); !d.Thaw(f) {
				rt.Fatal("a file does not come back")
			}
			if d.Len() > 2 && d.Thaw(f) || postings.NewDict("", "other").Thaw(f) {
				rt.Fatal("a file came into a dictionary of something else")
			}
		}
	})
}

// Readers meet whole terms while one adds.
func TestDictWhileAdding(t *testing.T) {
	t.Parallel()
	d := postings.NewDict()
	var wg sync.WaitGroup
	for g := range 3 {
		r := rand.New(rand.NewPCG(1, uint64(g)))
		wg.Go(func() {
			for {
				i := r.IntN(5000)
				n, ok := d.Find(fmt.Append(nil, "term", i))
				if ok && (int(n) != i || d.Word(n) != fmt.Sprint("TERM", i)) {
					t.Errorf("term %d is %d, %q", i, n, d.Word(n))
					return
				}
				if ok && i == 4999 {
					return
				}
			}
		})
	}
	for i := range 5000 {
		d.Add(fmt.Append(nil, "term", i), fmt.Sprint("TERM", i))
	}
	wg.Wait()
}

// Whatever the arrays of a file hold, a dictionary takes them or leaves them, and answers.
func FuzzThaw(f *testing.F) {
	d := postings.NewDict()
	for i := range 40 {
		d.Add(fmt.Append(nil, "t", i), "word")
	}
	good := d.Freeze()()
	f.Add(0, uint32(0), 0, uint32(0))
	f.Add(7, uint32(1<<31), 3, uint32(41))
	f.Fuzz(func(t *testing.T, end int, to uint32, at int, n uint32) {
		bad := good
		bad.Ends, bad.Table = append([]uint32(nil), good.Ends...), append([]uint32(nil), good.Table...)
		bad.Ends[uint(end)%uint(len(bad.Ends))], bad.Table[uint(at)%uint(len(bad.Table))] = to, n
		d := postings.NewDict()
		d.Thaw(bad)
		d.Find([]byte("t7"))
		d.Find([]byte("unknown"))
		for i := range uint32(50) {
			_ = d.Word(i)
		}
		if n := d.Add([]byte("new"), ""); d.Word(n) != "new" {
			t.Errorf("a new term is %q", d.Word(n))
		}
	})
}

// What was asked for lately has the number that the dictionary gave it, however alike terms are.
func TestRecent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := postings.NewDict("first")
		r := postings.NewRecent(d)
		for _, term := range rapid.SliceOfN(rapid.StringMatching(`[ab]{0,19}`), 0, 300).Draw(rt, "terms") {
			n := r.Add([]byte(term), "")
			if own, ok := d.Find([]byte(term)); !ok || own != n || string(d.Term(n)) != term {
				rt.Fatalf("%q has number %d, in the dictionary %d (%v)", term, n, own, ok)
			}
		}
	})
}
