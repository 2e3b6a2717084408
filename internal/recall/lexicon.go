package recall

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

const (
	lexiconSize = 32_768 // words that are kept: about 350 bytes each
	lexiconPage = 256    // words that get their memory together

	// The first places of a shelf are for what needs no memory.
	placeless = 0 // words that have no vector
	strange   = 1 // words that the embedder does not know, and that nobody has compared with another such word yet
	firstFree = 2

	maxAsked = 64 // words of a query that are compared; see [rank.Scene]
	atOnce   = 64 // terms whose notes are read together
	ahead    = 8  // words that are on their way from memory while one is compared
)

// lexicon keeps the vectors of words that candidates have lately had, in 8 bits a dimension: a query compares its words with
// those of all its candidates, and most of these are the same from one query to the next.
//
// Where a word is kept, the index notes beside its term ([index.Scene].Note), so that mostly nobody has to look the word up.
//
// Half of the words of a large collection are strange to an embedder, and their vectors, which are guessed from their letters, are the dearest. They are
// made only for a query that has such a word itself: beside words that are known they count for nothing ([lexicon.cosines]).
type lexicon struct {
	words   embed.WordVectors
	known   embed.Coverage // nil: it knows all words
	kernels vector.Kernels
	dim     int
	scratch sync.Pool // of *[]float32

	shelf  atomic.Pointer[shelf]
	mu     sync.RWMutex
	places map[string]int // of the words on the shelf
}

// shelf holds words in the order in which they came. A full one is left to those who read it, and a new one begun, which is cheaper
// than to find out who has not been asked for, and as good for a while.
type shelf struct {
	number uint64 // from 1 on
	used   int    // under lexicon.mu
	pages  [lexiconSize / lexiconPage]*vector.Int8
}

// wordAt is where the vector of a word is kept, of unit length. One that has none is of scale 0. That of a word that the embedder does not know,
// which is guessed from its letters, has a scale below 0.
type wordAt struct {
	page *vector.Int8
	slot int
}

// wanted are the words of a query.
type wanted struct {
	codes   vector.Int8Rows
	scale   []float32 // 0 of a word that has no vector
	guessed []bool    // the vector is made from the letters
}

func newLexicon(words embed.WordVectors, dim int) *lexicon {
	l := &lexicon{words: words, kernels: vector.Default(), dim: dim, places: map[string]int{}}
	l.known, _ = words.(embed.Coverage)
	l.shelf.Store(l.newShelf(1))
	return l
}

func (l *lexicon) newShelf(number uint64) *shelf {
	s := &shelf{number: number, used: firstFree}
	s.pages[0] = l.newPage()
	s.pages[0].Scale[strange] = -1
	return s
}

func (l *lexicon) newPage() *vector.Int8 {
	return &vector.Int8{Dim: l.dim, Codes: make([]int8, lexiconPage*l.dim), Scale: make([]float32, lexiconPage)}
}

// at returns the word in a place.
func (s *shelf) at(place int) wordAt { return wordAt{s.pages[place/lexiconPage], place % lexiconPage} }

// note says where on the shelf a word is, as a number that is not 0.
func (s *shelf) note(place int) uint64 { return s.number*lexiconSize + uint64(place) }

// noted returns the place that a note says, if it is about this shelf.
func (s *shelf) noted(note uint64) (place int, ok bool) {
	return int(note % lexiconSize), note/lexiconSize == s.number
}

// ask adds a word to those of a query.
func (l *lexicon) ask(query *wanted, word string) {
	s, place := l.find(word, true)
	at := s.at(place)
	scale := at.page.Scale[at.slot]
	query.codes.Add(at.page.Code(at.slot))
	query.scale, query.guessed = append(query.scale, max(scale, -scale)), append(query.guessed, scale < 0)
}

// find returns where a word is, which may be new. A code has no vector: one that is spelt like it means another thing. The vector of
// a strange word is made where it is to be guessed.
func (l *lexicon) find(word string, guess bool) (s *shelf, place int) {
	l.mu.RLock()
	place, ok := l.places[word]
	s = l.shelf.Load()
	l.mu.RUnlock()
	if ok {
		return s, place
	}
	if text.IsCode(word) {
		return s, placeless
	}
	guessed := l.known != nil && l.known.Known(word) == 0
	if guessed && !guess {
		return s, strange
	}
	buf, _ := l.scratch.Get().(*[]float32)
	if buf == nil {
		b := make([]float32, l.dim)
		buf = &b
	}
	defer l.scratch.Put(buf)
	v := *buf
	if !l.words.WordVector(word, v) || vector.Normalize(v) == 0 {
		return s, placeless
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s = l.shelf.Load()
	if place, ok = l.places[word]; ok { // somebody else was quicker
		return s, place
	}
	if s.used == lexiconSize {
		s = l.newShelf(s.number + 1)
		l.shelf.Store(s)
		clear(l.places)
	}
	place = s.used
	s.used++
	p := s.pages[place/lexiconPage]
	if p == nil {
		p = l.newPage()
		s.pages[place/lexiconPage] = p
	}
	at := s.at(place)
	p.Scale[at.slot] = encodeWord(p.Code(at.slot), v)
	if guessed {
		p.Scale[at.slot] *= -1
	}
	l.places[word] = place
	return s, place
}

// encodeWord writes the codes of a vector, and returns what they are to be multiplied by.
func encodeWord(codes []int8, v []float32) (scale float32) {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	scale = most / 127
	up := 127 / most
	for i, x := range v {
		codes[i] = int8(math.Float32bits(x*up+rounding) - roundingBits)
	}
	return scale
}

// A number that is added to this one loses what is behind the point, rounded to the next whole number, which is then in the lowest bits.
const (
	rounding     float32 = 3 << 22
	roundingBits uint32  = 0x4b400000
)

// cosines compares the words of a query with one that is kept; words without a vector are like nothing. Where the embedder knows the
// query's and guesses the text's, nothing but letters would be alike, and of many strange words one always has some of those. The other way
// round it may be misspelt.
func (l *lexicon) cosines(query *wanted, b wordAt, near []float32) {
	clear(near)
	scale := b.page.Scale[b.slot]
	strange := scale < 0
	if scale == 0 || strange && !slices.Contains(query.guessed, true) {
		return
	}
	var dots [maxAsked]int32
	query.codes.Dots(l.kernels, dots[:len(near)], b.page.Code(b.slot))
	for j := range near {
		if !strange || query.guessed[j] {
			near[j] = float32(dots[j]) * query.scale[j] * max(scale, -scale)
		}
	}
}

// like compares the words of a query with those of terms: near has a row for each of these. The notes of many terms are read at once, and
// while one word is compared, a few others are on their way from memory.
func (l *lexicon) like(query *wanted, in *index.Scene, terms []uint32, near []float32) {
	n := len(near) / max(1, len(terms))
	guess := slices.Contains(query.guessed, true)
	var at [atOnce]wordAt
	for len(terms) > 0 {
		some := terms[:min(atOnce, len(terms))]
		l.placesOf(in, some, guess, at[:])
		for i := range min(ahead, len(some)) {
			at[i].page.Prefetch(l.kernels, at[i].slot)
		}
		for i := range some {
			if i+ahead < len(some) {
				next := &at[i+ahead]
				next.page.Prefetch(l.kernels, next.slot)
			}
			l.cosines(query, at[i], near[i*n:(i+1)*n])
		}
		terms, near = terms[len(some):], near[len(some)*n:]
	}
}

// placesOf finds where the words of terms are kept.
func (l *lexicon) placesOf(in *index.Scene, terms []uint32, guess bool, at []wordAt) {
	if in.Note == nil {
		for i, t := range terms {
			s, place := l.find(in.Word(t), guess)
			at[i] = s.at(place)
		}
		return
	}
	var notes [atOnce]uint64
	for i, t := range terms { // nothing waits for one of them before the next is asked for
		if note := in.Note(t); note != nil {
			notes[i] = note.Load()
		}
	}
	shelf := l.shelf.Load()
	for i, t := range terms {
		if place, ok := shelf.noted(notes[i]); ok && !(guess && place == strange) {
			at[i] = shelf.at(place)
			continue
		}
		s, place := l.find(in.Word(t), guess)
		at[i] = s.at(place)
		if note := in.Note(t); note != nil {
			note.Store(s.note(place))
		}
	}
}
