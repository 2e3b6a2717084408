package postings

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Dict numbers the terms of one owner. One writer at a time adds; any number of readers look up without waiting.
//
// What comes from a file stays there: such terms are looked up in place, and only those that are new since take memory.
type Dict struct {
	Builder // of the segments whose terms these are

	seed  maphash.Seed
	first int // terms that it was made with
	state atomic.Pointer[dictState]
	room  int   // free bytes of the last page
	held  int64 // bytes of all pages
}

// dictState is what readers see. The table is shared by states until it grows and may name terms that a state does not
// hold yet.
type dictState struct {
	*Frozen
	words *[1024]atomic.Pointer[heldWord] // some of the frozen ones; nil where there are none
	table []atomic.Uint32                 // number + 1 of terms that are not frozen; its length is a power of two
	at    []uint32                        // where these are: page << pageShift | offset
	pages [][]byte                        // for each the length of the term as a varint, that of the word in a byte, the term and the word
}

// heldWord is a word that was copied out of a file.
type heldWord struct {
	n    uint32
	word string
}

// Frozen is the form of a dictionary that is written to files and mapped back.
type Frozen struct {
	Keys  [2]uint64 // of the hash
	Text  []byte    // each term and the word that it was made of, nothing where that is the same
	Ends  []uint32  // where each term ends, and each word
	Table []uint32  // number + 1 by hash; its length is a power of two
	Hold  any       // what keeps the rest in memory
}

// NewDict returns a dictionary of a few terms, which get the numbers from 0 on.
func NewDict(first ...string) *Dict {
	d := &Dict{seed: maphash.MakeSeed(), first: len(first)}
	keys := [2]uint64{maphash.Comparable(d.seed, 0), maphash.Comparable(d.seed, 1)}
	d.state.Store(&dictState{Frozen: &Frozen{Keys: keys}, table: make([]atomic.Uint32, 64)})
	for _, t := range first {
		d.Add([]byte(t), "")
	}
	return d
}

// hash is a folded multiplication under secret keys, so that nobody can make terms that fall on one place.
func (f *Frozen) hash(b []byte) uint64 {
	fold := func(x uint64) uint64 {
		hi, lo := bits.Mul64(x, f.Keys[1]|1)
		return hi ^ lo
	}
	h := f.Keys[0] ^ uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = fold(h ^ binary.LittleEndian.Uint64(b))
	}
	var rest [8]byte
	copy(rest[:], b)
	return fold(fold(h^binary.LittleEndian.Uint64(rest[:])) ^ f.Keys[0])
}

// len returns the number of frozen terms.
func (f *Frozen) len() int { return len(f.Ends) / 2 }

// term returns the text and the word of a frozen term.
func (f *Frozen) term(n uint32) (term, word []byte) {
	from := uint32(0)
	if n > 0 {
		from = f.Ends[2*n-1]
	}
	return f.Text[from:f.Ends[2*n]], f.Text[f.Ends[2*n]:f.Ends[2*n+1]]
}

// term returns the text and the word of a term.
func (s *dictState) term(n uint32) (term, word []byte) {
	if k := uint32(s.len()); n >= k {
		at := s.at[n-k]
		l, b := Uvarint(s.pages[at>>pageShift][at&(1<<pageShift-1):])
		return b[1 : 1+l], b[1+l : 1+l+uint32(b[0])]
	}
	return s.Frozen.term(n)
}

func (s *dictState) count() int { return s.len() + len(s.at) }

// Find returns the number of a term.
func (d *Dict) Find(term []byte) (uint32, bool) {
	s := d.state.Load()
	h := s.hash(term)
	if mask := uint64(len(s.Table) - 1); len(s.Table) > 0 {
		for i := h & mask; s.Table[i] != 0; i = (i + 1) & mask {
			n := s.Table[i] - 1
			if t, _ := s.Frozen.term(n); bytes.Equal(t, term) {
				return n, true
			}
		}
	}
	mask := uint64(len(s.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		n := s.table[i].Load()
		if n == 0 {
			return 0, false
		}
		if int(n) <= s.count() {
			if t, _ := s.term(n - 1); bytes.Equal(t, term) {
				return n - 1, true
			}
		}
	}
}

const (
	longestWord = 64 // bytes up to which a word is kept
	pageShift   = 14
)

// Add returns the number of a term, new or not, that was made of a word.
func (d *Dict) Add(term []byte, word string) uint32 {
	if n, ok := d.Find(term); ok {
		return n
	}
	s := d.state.Load()
	next := *s
	n := uint32(s.count())
	if word == string(term) || len(word) > longestWord {
		word = ""
	}
	if size := binary.MaxVarintLen32 + 1 + len(term) + len(word); d.room < size {
		d.room = max(size, int(min(max(256, d.held/8), 1<<pageShift)))
		d.held += int64(d.room)
		next.pages = append(s.pages, make([]byte, d.room))
	}
	p := next.pages[len(next.pages)-1]
	off := len(p) - d.room
	b := append(binary.AppendUvarint(p[:off], uint64(len(term))), byte(len(word)))
	d.room = len(p) - len(append(append(b, term...), word...))
	if len(p) > 1<<pageShift { // offsets are short: nothing goes behind an overlong one
		d.room = 0
	}
	next.at = append(s.at, uint32(len(next.pages)-1)<<pageShift|uint32(off))
	if len(next.at)*4 > len(s.table)*3 {
		next.table = make([]atomic.Uint32, len(s.table)*2)
		for i := s.len(); i < int(n); i++ {
			next.place(uint32(i))
		}
	}
	// The term must be readable before its number can be met in the table.
	d.state.Store(&next)
	next.place(n)
	return n
}

func (s *dictState) place(n uint32) {
	t, _ := s.term(n)
	mask := uint64(len(s.table) - 1)
	for i := s.hash(t) & mask; ; i = (i + 1) & mask {
		if s.table[i].Load() == 0 {
			s.table[i].Store(n + 1)
			return
		}
	}
}

// Word returns the word that a term was made of, or the term. It may be kept.
func (d *Dict) Word(n uint32) string {
	s := d.state.Load()
	if int(n) >= s.count() {
		return ""
	}
	frozen := int(n) < s.len()
	if frozen {
		if w := s.words[int(n)%len(s.words)].Load(); w != nil && w.n == n {
			return w.word
		}
	}
	b, word := s.term(n)
	if len(word) > 0 {
		b = word
	}
	if !frozen {
		return unsafe.String(unsafe.SliceData(b), len(b)) // which is never written to again
	}
	w := &heldWord{n, string(b)}
	s.words[int(n)%len(s.words)].Store(w)
	return w.word
}

// Term returns a term by its number.
func (d *Dict) Term(n uint32) []byte {
	term, _ := d.state.Load().term(n)
	return bytes.Clone(term)
}

// Each yields every term, by number, with the word that it was made of; nothing where that is the term. They must not be written to or kept.
func (d *Dict) Each(yield func(n uint32, term, word []byte) bool) {
	s := d.state.Load()
	for n := range uint32(s.count()) {
		if term, word := s.term(n); !yield(n, term, word) {
			return
		}
	}
}

// Freeze takes what the dictionary holds now; what it returns makes of that what goes into a file.
func (d *Dict) Freeze() func() Frozen { return d.state.Load().freeze }

func (s *dictState) freeze() Frozen {
	n, size := s.count(), 64
	for n*4 > size*3 {
		size *= 2
	}
	f := Frozen{Keys: s.Keys, Ends: make([]uint32, 0, 2*n), Table: make([]uint32, size)}
	for i := range uint32(n) {
		term, word := s.term(i)
		f.Text = append(f.Text, term...)
		f.Ends = append(f.Ends, uint32(len(f.Text)))
		f.Text = append(f.Text, word...)
		f.Ends = append(f.Ends, uint32(len(f.Text)))
		at := f.hash(term) & uint64(size-1)
		for f.Table[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		f.Table[at] = i + 1
	}
	return f
}

// Thaw makes the dictionary that of a file. It reports false where its parts do not fit together, or do not begin with what the
// dictionary was made with, or where that holds more already.
func (d *Dict) Thaw(f Frozen) bool {
	if d.Len() != d.first || len(f.Ends)%2 != 0 || f.len() < d.first || len(f.Table) <= f.len() || len(f.Table)&(len(f.Table)-1) != 0 ||
		!slices.IsSorted(f.Ends) || len(f.Ends) > 0 && int(f.Ends[len(f.Ends)-1]) > len(f.Text) {
		return false
	}
	used := 0
	for _, n := range f.Table {
		if int(n) > f.len() {
			return false
		}
		if n != 0 {
			used++
		}
	}
	if used != f.len() {
		return false
	}
	s := d.state.Load()
	for i := range uint32(d.first) {
		t, _ := f.term(i)
		if own, _ := s.term(i); !bytes.Equal(t, own) {
			return false
		}
	}
	d.room, d.held = 0, 0
	d.state.Store(&dictState{Frozen: &f, words: new([1024]atomic.Pointer[heldWord]), table: make([]atomic.Uint32, 64)})
	return true
}

// Seed is that of hashes for others to use.
func (d *Dict) Seed() maphash.Seed { return d.seed }

// Len returns the number of terms.
func (d *Dict) Len() int { return d.state.Load().count() }

// Size returns about how much memory the dictionary takes.
func (d *Dict) Size() int64 {
	s := d.state.Load()
	return d.held + int64(len(s.at)*4+len(s.table)*4+len(s.Text)+len(s.Ends)*4+len(s.Table)*4)
}
