package postings

import (
	"iter"
	"math/bits"
	"sync/atomic"
)

// Tail is the inverted index of the newest entries, those that are in no segment yet. One writer adds; any number of readers
// look without waiting, and pass over what was added behind the slots that they know of.
type Tail struct {
	table  atomic.Pointer[[]tailTerm] // its length is a power of two
	chunks [tailChunks]atomic.Pointer[[]tailPosting]
	terms  int
	used   uint32
}

type tailTerm struct {
	term atomic.Uint32 // number + 1
	last atomic.Uint32 // posting + 1 of the newest entry that has it
}

type tailPosting struct{ slot, count, before uint32 }

// Chunk n of the postings holds firstChunk << n of them, so that none ever moves.
const (
	firstChunk = 64
	tailChunks = 20
)

// NewTail returns an empty tail.
func NewTail() *Tail {
	t := &Tail{}
	t.table.Store(new(make([]tailTerm, 128)))
	return t
}

// Size returns the number of postings.
func (t *Tail) Size() int { return int(t.used) }

// Add indexes a slot behind all others. terms are its terms in order of their numbers, each as often as it is there.
func (t *Tail) Add(slot uint32, terms []uint32) {
	for i := 0; i < len(terms); {
		j := i + 1
		for j < len(terms) && terms[j] == terms[i] {
			j++
		}
		h := t.find(terms[i])
		if h.term.Load() == 0 {
			if t.terms++; t.terms*4 > len(*t.table.Load())*3 {
				t.grow()
				h = t.find(terms[i])
			}
			h.term.Store(terms[i] + 1)
		}
		chunk, at := placeOf(t.used)
		if at == 0 {
			t.chunks[chunk].Store(new(make([]tailPosting, firstChunk<<chunk)))
		}
		(*t.chunks[chunk].Load())[at] = tailPosting{slot, uint32(j - i), h.last.Load()}
		t.used++
		h.last.Store(t.used) // from now on it can be met
		i = j
	}
}

// Postings yields the slots that have a term and how often, the newest first.
func (t *Tail) Postings(term uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(slot, count uint32) bool) {
		if t == nil {
			return
		}
		for n := t.find(term).last.Load(); n != 0; {
			chunk, at := placeOf(n - 1)
			p := (*t.chunks[chunk].Load())[at]
			if !yield(p.slot, p.count) {
				return
			}
			n = p.before
		}
	}
}

// find returns where a term is, or would be.
func (t *Tail) find(term uint32) *tailTerm { return findTerm(*t.table.Load(), term) }

func findTerm(table []tailTerm, term uint32) *tailTerm {
	mask := uint32(len(table) - 1)
	for i := term * 0x9e3779b1 >> 8 & mask; ; i = (i + 1) & mask {
		if n := table[i].term.Load(); n == 0 || n == term+1 {
			return &table[i]
		}
	}
}

// grow publishes a table of twice the size. Readers of the old one find there all that was added before.
func (t *Tail) grow() {
	old := *t.table.Load()
	table := make([]tailTerm, 2*len(old))
	for i := range old {
		if n := old[i].term.Load(); n != 0 {
			h := findTerm(table, n-1)
			h.last.Store(old[i].last.Load())
			h.term.Store(n)
		}
	}
	t.table.Store(&table)
}

func placeOf(n uint32) (chunk int, at uint32) {
	chunk = bits.Len32(n/firstChunk+1) - 1
	return chunk, n - firstChunk*(1<<chunk-1)
}
