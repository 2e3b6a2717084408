package local

import (
	"hash/maphash"
	"sync/atomic"
)

// dict numbers the terms of one owner. One writer at a time adds; any number of readers look up without waiting.
type dict struct {
	seed  maphash.Seed
	state atomic.Pointer[dictState]
	bytes int64
}

// dictState is what readers see. The table is shared by states until it grows and may name terms that a state does not
// hold yet.
type dictState struct {
	table []atomic.Uint32 // number + 1; its length is a power of two
	terms []string
}

func newDict() *dict {
	d := &dict{seed: maphash.MakeSeed()}
	d.state.Store(&dictState{table: make([]atomic.Uint32, 64)})
	return d
}

// find returns the number of a term.
func (d *dict) find(term []byte) (uint32, bool) {
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

// add returns the number of a term, new or not.
func (d *dict) add(term []byte) uint32 {
	if n, ok := d.find(term); ok {
		return n
	}
	s := d.state.Load()
	n := uint32(len(s.terms))
	next := &dictState{table: s.table, terms: append(s.terms, string(term))}
	d.bytes += int64(16 + len(term))
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

func (d *dict) place(table []atomic.Uint32, term string, n uint32) {
	mask := uint64(len(table) - 1)
	for i := maphash.String(d.seed, term) & mask; ; i = (i + 1) & mask {
		if table[i].Load() == 0 {
			table[i].Store(n + 1)
			return
		}
	}
}

func (d *dict) len() int { return len(d.state.Load().terms) }

// size returns about how much memory the dictionary takes.
func (d *dict) size() int64 { return d.bytes + int64(len(d.state.Load().table)*4) }

// fill makes a dictionary of the words of a file, which end where ends says. It reports false where these do not fit, or
// the dictionary holds others already.
func (d *dict) fill(words string, ends []uint32) bool {
	if d.len() > 0 {
		return false
	}
	size := 64
	for len(ends)*4 > size*3 {
		size *= 2
	}
	s := &dictState{table: make([]atomic.Uint32, size), terms: make([]string, len(ends))}
	at := uint32(0)
	for i, e := range ends {
		if e <= at || int(e) > len(words) {
			return false
		}
		s.terms[i] = words[at:e]
		at = e
	}
	for i, t := range s.terms {
		d.place(s.table, t, uint32(i))
	}
	d.bytes = int64(len(words) + 16*len(ends))
	d.state.Store(s)
	return true
}
