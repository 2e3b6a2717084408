package bench

import (
	"math/rand/v2"
	"strings"
)

// Notes makes notes and queries from a seed, of a vocabulary in which few words are common and most are rare.
type Notes struct{ r *rand.Rand }

// NewNotes makes a source; equal seeds give equal notes.
func NewNotes(seed uint64) Notes { return Notes{rand.New(rand.NewPCG(seed, 7))} }

// onsets and vowels make the syllables of words.
var onsets, vowels = strings.Fields("b br c d dr f g gl h j k l m n p pl r s st t tr v w z"), strings.Fields("a e i o u ai ou")

func (g Notes) word() string {
	n := int(2000 * g.r.ExpFloat64() * g.r.Float64())
	var w strings.Builder
	for n += 40; n > 0; n /= len(onsets) * len(vowels) {
		w.WriteString(onsets[n%len(onsets)])
		w.WriteString(vowels[n/len(onsets)%len(vowels)])
	}
	return w.String()
}

// Note returns the next note, of 20 to 79 words.
func (g Notes) Note() string {
	glue := []string{"the ", "and ", "of the ", "is ", "in a ", "", "", "", ""}
	var b strings.Builder
	for i := range 20 + g.r.IntN(60) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(glue[g.r.IntN(len(glue))])
		b.WriteString(g.word())
		if i%12 == 11 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// Query returns the next query, of three words.
func (g Notes) Query() string { return g.word() + " " + g.word() + " " + g.word() }
