package recall

import (
	"sync"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// lexiconSize is how many words are kept: about 350 bytes each.
const lexiconSize = 16_384

// lexicon keeps the vectors of words that candidates have lately had, in 8 bits a dimension: a query compares its words with
// those of all its candidates, and most of these are the same from one query to the next.
type lexicon struct {
	words   embed.WordVectors
	kernels vector.Kernels
	dim     int
	scratch sync.Pool // of *[]float32

	mu    sync.RWMutex
	codes map[string]wordCode
}

// wordCode is a unit vector; no codes: the word has none.
type wordCode struct {
	codes []int8
	scale float32
}

func newLexicon(words embed.WordVectors, dim int) *lexicon {
	return &lexicon{words: words, kernels: vector.Default(), dim: dim, codes: map[string]wordCode{}}
}

// code returns the vector of a word.
func (l *lexicon) code(word string) wordCode {
	l.mu.RLock()
	c, ok := l.codes[word]
	l.mu.RUnlock()
	if ok {
		return c
	}
	buf, _ := l.scratch.Get().(*[]float32)
	if buf == nil {
		b := make([]float32, l.dim)
		buf = &b
	}
	defer l.scratch.Put(buf)
	v := *buf
	if l.words.WordVector(word, v) && vector.Normalize(v) > 0 {
		c = encodeWord(v)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.codes) >= lexiconSize {
		clear(l.codes) // cheaper than order, and as good for a while
	}
	l.codes[word] = c
	return c
}

func encodeWord(v []float32) wordCode {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	c := wordCode{codes: make([]int8, len(v)), scale: most / 127}
	for i, x := range v {
		q := x / c.scale
		if q >= 0 {
			q += 0.5
		} else {
			q -= 0.5
		}
		c.codes[i] = int8(q)
	}
	return c
}

// cosine compares two words; words without a vector are like nothing.
func (l *lexicon) cosine(a, b wordCode) float32 {
	if a.codes == nil || b.codes == nil {
		return 0
	}
	return float32(l.kernels.DotInt8(a.codes, b.codes)) * a.scale * b.scale
}
