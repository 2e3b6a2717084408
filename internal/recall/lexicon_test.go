package recall

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

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
	for i, a := range []string{"apple", "boat", "cloud"} {
		for _, b := range []string{"apple", "boat", "cloud"} {
			want := vector.Dot(exact(a), exact(b))
			if got := l.cosine(l.code(a), l.code(b)); math.Abs(float64(got-want)) > 0.01 {
				t.Errorf("%s and %s: %.4f, want %.4f", a, b, got, want)
			}
		}
		if s.asked != 3 {
			t.Errorf("after round %d the model was asked %d times for three words", i, s.asked)
		}
	}
	if got := l.cosine(l.code("none"), l.code("apple")); got != 0 {
		t.Errorf("a word without a vector is like an apple: %.4f", got)
	}
	for i := range 2 * lexiconSize {
		l.code(fmt.Sprint("w", i))
	}
	if n := len(l.codes); n > lexiconSize {
		t.Errorf("%d words are kept, at most %d should be", n, lexiconSize)
	}
}
