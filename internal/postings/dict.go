package postings

import (
	"hash/maphash"
	"slices"
	"sync/atomic"
)

// Dict numbers the terms of one owner. One writer at a time adds; any number of readers look up without waiting.
type Dict struct {
	seed  maphash.Seed
	state atomic.Pointer[dictState]
	bytes int64
}

// dictState is what readers see. The table is shared by states until it grows and may name terms that a state does not
// hold yet.
type dictState struct {
	table []atomic.Uint32 // number + 1; its length is a power of two
	terms []string
	words []string // as they stood in the text when the term was first met; "" where that is the term
}

// NewDict returns an empty dictionary.
func NewDict() *Dict {
	d := &Dict{seed: maphash.MakeSeed()}
	d.state.Store(&dictState{table: make([]atomic.Uint32, 64)})
	return d
}

// Find returns the number of a term.
func (d *Dict) Find(term []byte) (uint32, bool) {
	s := d.state.Load()
	mask := uint64(len(s.table) - 1)
	for i := maphash.Bytes(d.seed, term) & mask; ; i = (i + 1) & mask {
		n := s.table[i].Load()
		if n == 0 {
			return 0, false
		}
		if int(n) <= len(s.terms) && s.terms[n-1] == string(term) {
			return n - 1, true
		}
	}
}

// longestWord is the length in bytes up to which a word is kept.
const longestWord = 64

// Add returns the number of a term, new or not, that was made of a word.
func (d *Dict) Add(term []byte, word string) uint32 {
	if n, ok := d.Find(term); ok {
		return n
	}
	s := d.state.Load()
	n := uint32(len(s.terms))
	if word == string(term) || len(word) > longestWord {
		word = ""
	}
	both := string(append(append(make([]byte, 0, len(term)+len(word)), term...), word...))
	next := &dictState{table: s.table, terms: append(s.terms, both[:len(term)]), words: append(s.words, both[len(term):])}
	d.bytes += int64(32 + len(both))
	if len(next.terms)*4 > len(s.table)*3 {
		next.table = make([]atomic.Uint32, len(s.table)*2)
		for i, t := range next.terms[:n] {
			d.place(next.table, t, uint32(i))
		}
	}
	// The term must be readable before its number can be met in the table.
	d.state.Store(next)
	d.place(next.table, next.terms[n], n)
	return n
}

func (d *Dict) place(table []atomic.Uint32, term string, n uint32) {
	mask := uint64(len(table) - 1)
	for i := maphash.String(d.seed, term) & mask; ; i = (i + 1) & mask {
		if table[i].Load() == 0 {
			table[i].Store(n + 1)
			return
		}
	}
}

// Word returns the word that a term was made of, or the term.
func (d *Dict) Word(n uint32) string {
	s := d.state.Load()
	switch {
	case int(n) >= len(s.terms):
		return ""
	case s.words[n] == "":
		return s.terms[n]
	}
	return s.words[n]
}

// Snapshot returns the terms, by number, and the words that they were made of, "" where that is the term.
func (d *Dict) Snapshot() (terms, words []string) {
	s := d.state.Load()
	return s.terms, s.words
}

// Seed is that of the dictionary's hashes, for others to use.
func (d *Dict) Seed() maphash.Seed { return d.seed }

// Len returns the number of terms.
func (d *Dict) Len() int { return len(d.state.Load().terms) }

// Size returns about how much memory the dictionary takes.
func (d *Dict) Size() int64 { return d.bytes + int64(len(d.state.Load().table)*4) }

// Cut cuts a text where ends says. It reports false where that does not fit.
func Cut(all string, ends []uint32) ([]string, bool) {
	out, at := make([]string, len(ends)), uint32(0)
	for i, e := range ends {
		if e < at || int(e) > len(all) {
			return nil, false
		}
		out[i] = all[at:e]
		at = e
	}
	return out, true
}

// Join is what [Cut] undoes.
func Join(parts []string) (all []byte, ends []uint32) {
	ends = make([]uint32, len(parts))
	for i, p := range parts {
		all = append(all, p...)
		ends[i] = uint32(len(all))
	}
	return all, ends
}

// Fill makes a dictionary of the terms and words of a file. It reports false where these do not fit, or the dictionary holds
// others already.
func (d *Dict) Fill(terms, words []string) bool {
	if d.Len() > 0 || len(words) != len(terms) || slices.Contains(terms, "") {
		return false
	}
	size := 64
	for len(terms)*4 > size*3 {
		size *= 2
	}
	s := &dictState{table: make([]atomic.Uint32, size), terms: terms, words: words}
	for i, t := range s.terms {
		d.place(s.table, t, uint32(i))
		d.bytes += int64(32 + len(t) + len(words[i]))
	}
	d.state.Store(s)
	return true
}
