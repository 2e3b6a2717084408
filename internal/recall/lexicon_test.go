package recall

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// spoken gives each word a vector by its letters.
type spoken struct{ asked int }

func (s *spoken) WordVector(word string, dst []float32) bool {
	s.asked++
	r := rand.New(rand.NewPCG(uint64(len(word)), uint64(word[0])))
	for i := range dst {
		dst[i] = float32(r.NormFloat64())
	}
	return word != "none"
}

func (s *spoken) Tokens(string) []string { return nil }

func asking(l *lexicon, words ...string) *wanted {
	query := new(wanted)
	for _, w := range words {
		l.ask(query, w)
	}
	return query
}

func TestLexicon(t *testing.T) {
	t.Parallel()
	s := &spoken{}
	l := newLexicon(s, 256)
	exact := func(w string) []float32 {
		v := make([]float32, 256)
		(&spoken{}).WordVector(w, v)
		vector.Normalize(v)
		return v
	}
	kept := func(w string) wordAt {
		s, place := l.find(w, true)
		return s.at(place)
	}
	cosine := func(a, b string) float32 {
		near := []float32{9}
		l.cosines(asking(l, a), kept(b), near)
		return near[0]
	}
	for i, a := range []string{"apple", "boat", "cloud"} {
		for _, b := range []string{"apple", "boat", "cloud"} {
			want := vector.Dot(exact(a), exact(b))
			if got := cosine(a, b); math.Abs(float64(got-want)) > 0.01 {
				t.Errorf("%s and %s: %.4f, want %.4f", a, b, got, want)
			}
		}
		if s.asked != 3 {
			t.Errorf("after round %d the model was asked %d times for three words", i, s.asked)
		}
	}
	if a, b := cosine("none", "apple"), cosine("apple", "none"); a != 0 || b != 0 {
		t.Errorf("a word without a vector is like an apple: %.4f, %.4f", a, b)
	}
	for i := range 2 * lexiconSize {
		l.find(fmt.Sprint("w", i), true)
	}
	if n := len(l.places); n > lexiconSize {
		t.Errorf("%d words are kept, at most %d should be", n, lexiconSize)
	}
}

// Terms are compared by their words, whatever is noted beside them, and whoever else fills the shelf meanwhile.
func TestLexiconNotes(t *testing.T) {
	t.Parallel()
	const terms = 300
	s := &spoken{}
	l := newLexicon(s, 64)
	word := func(t uint32) string { return string(rune('a'+t%26)) + strings.Repeat("x", int(t/26)) }
	notes := make([]atomic.Uint64, terms-1)
	noted := &index.Scene{Word: word, Note: func(t uint32) *atomic.Uint64 {
		if int(t) >= len(notes) {
			return nil
		}
		return &notes[t]
	}}
	plain := &index.Scene{Word: word}
	query := asking(l, "ax", "none", "qxx")
	all := make([]uint32, terms)
	for i := range all {
		all[i] = uint32(i)
	}
	var want []float32
	for round := range 4 {
		for _, in := range []*index.Scene{noted, plain} {
			near := make([]float32, len(all)*query.codes.Len())
			asked := s.asked
			l.like(query, in, all, near)
			if want == nil {
				want = near
			}
			if !slices.Equal(near, want) {
				t.Fatalf("round %d: other likenesses than before", round)
			}
			if round%2 == 1 && s.asked != asked {
				t.Errorf("round %d: the model was asked again about %d words that are kept", round, s.asked-asked)
			}
		}
		if round == 1 { // so that notes speak of a shelf that is no more
			for i := range lexiconSize {
				l.find(fmt.Sprint("w", i), true)
			}
		}
	}
	if best := slices.Max(want); best < .99 {
		t.Errorf("the same word is alike by %.3f", best)
	}
	l.like(query, noted, nil, nil)
	short := make([]float32, 2*len(all)) // of a query of more words than a ranker looks at
	l.like(query, noted, all, short)
	for i := range all {
		if short[2*i] != want[3*i] || short[2*i+1] != want[3*i+1] {
			t.Fatalf("term %d: %v, want the first two of %v", i, short[2*i:2*i+2], want[3*i:3*i+3])
		}
	}
	var wg sync.WaitGroup
	other := newLexicon(&quiet{}, 64)
	code := asking(other, "ax")
	for g := range 4 {
		wg.Go(func() {
			near := make([]float32, len(all))
			for range 50 {
				other.like(code, noted, all, near)
				for i := range 500 {
					other.find(fmt.Sprint(g, i), true)
				}
			}
		})
	}
	wg.Wait()
}

// quiet is spoken for many at once.
type quiet struct{}

func (quiet) WordVector(word string, dst []float32) bool { return new(spoken).WordVector(word, dst) }

func (quiet) Tokens(string) []string { return nil }

// A code that is put together of words is like no other, however it is spelt, and one that no entry has is left to its words.
func TestCodesStandForThemselves(t *testing.T) {
	t.Parallel()
	l := newLexicon(&spoken{}, 8)
	if c := asking(l, "INV20913"); c.scale[0] == 0 {
		t.Error("a plain word has no vector")
	}
	if c := asking(l, "INV-20913"); c.scale[0] != 0 {
		t.Error("a code has a vector")
	}
	in := &index.Scene{
		Terms: []index.Term{{ID: 1, Word: "INV-1", Frequency: 1}, {ID: index.NoTerm, Word: "INV-2"}, {ID: index.NoTerm, Word: "INV"}, {ID: 2, Word: "INV-3"}},
		Items: []index.Item{{Terms: []uint32{2}}}, // an older version, which does not count
	}
	was := fmt.Sprint(in.Terms)
	got := asked(in)
	if len(got) != 3 || got[0].Word != "INV-1" || got[1].Word != "INV" || got[2].Word != "INV-3" {
		t.Errorf("asked for: %+v", got)
	}
	if fmt.Sprint(in.Terms) != was { // the index has them, too
		t.Errorf("the index is left with %+v", in.Terms)
	}
}

// schooled has one vector for all words and knows those that do not begin with x.
type schooled struct {
	quiet
	guessed int // vectors of words that it does not know
}

func (s *schooled) WordVector(word string, dst []float32) bool {
	if s.Known(word) == 0 {
		s.guessed++
	}
	dst[0] = 1
	return true
}

func (*schooled) Known(word string) float64 {
	if strings.HasPrefix(word, "x") {
		return 0
	}
	return 1
}

// A word of a query that the embedder knows is not like one of a text that it guesses from its letters; one that it guesses may be like any.
// Nothing is guessed for a query of known words, and once only for others, whether the index notes it or not.
func TestGuessedWords(t *testing.T) {
	t.Parallel()
	for _, noted := range []bool{false, true} {
		s := &schooled{}
		l := newLexicon(s, 64)
		words := []string{"automobile", "xcars"}
		in := &index.Scene{Word: func(t uint32) string { return words[t] }}
		if notes := make([]atomic.Uint64, len(words)); noted {
			in.Note = func(t uint32) *atomic.Uint64 { return &notes[t] }
		}
		for round := range 3 {
			for _, tt := range []struct {
				query string
				want  []float32
			}{{"car", []float32{1, 0}}, {"xcar", []float32{1, 1}}, {"car", []float32{1, 0}}} {
				before := s.guessed
				query := asking(l, tt.query)
				near := make([]float32, len(words))
				l.like(query, in, []uint32{0, 1}, near)
				for i := range near {
					if math.Abs(float64(near[i]-tt.want[i])) > .01 {
						t.Errorf("notes %t, round %d: %s is like %s by %.2f, want %.0f", noted, round, tt.query, words[i], near[i], tt.want[i])
					}
				}
				want := 0
				if round == 0 && tt.query == "xcar" {
					want = 2 // both strange words
				}
				if got := s.guessed - before; got != want {
					t.Errorf("notes %t, round %d: %d vectors are guessed for %s, want %d", noted, round, got, tt.query, want)
				}
			}
		}
	}
}

// A word's codes are its vector in 8 bits, each rounded to the nearest.
func TestEncodeWord(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		v, codes := make([]float32, 64), make([]int8, 64)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		scale := encodeWord(codes, v)
		for i, x := range v {
			if d := math.Abs(float64(x - float32(codes[i])*scale)); d > float64(scale)*.501 {
				t.Fatalf("%g is %d times %g", x, codes[i], scale)
			}
		}
	}
}
