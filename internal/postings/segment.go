// Package postings is the inverted index of a stretch of numbered entries: a sealed segment of postings, the cursor that walks
// the postings of a term, and the BM25 arithmetic that both share.
//
// A segment does not change but for its counters of entries that are gone, which writers raise while others read. Its parts are
// exported because they are written to files and mapped back as they are. What is too new for a segment is in a [Tail]; the
// numbers of terms are those of a [Dict].
//
// Who may import this: index drivers.
package postings

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// BM25's constants, and the factor that makes scores whole numbers: sums of these do not depend on the order in which they
// are added up, so that equal entries have equal scores whichever way they were found.
const (
	K1         = 1.2
	lengthB    = 0.75
	ScoreScale = 1 << 30
)

// Segment is the inverted index of the slots [Lo, Hi).
//
// The postings of a term are their number, dead ones included, as a varint, and then blocks of 128 slots, each slot as a varint
// of its distance to the one before (the first to Lo-1) << 1, with the lowest bit set when the term is there more than once and
// its count follows. If there is more than one block, a table comes first: for each the last slot minus Lo (4 bytes), where it
// ends behind the table (4) and its impact (4). Most terms stand in one entry only: these have no postings, but say slot and count where
// others say where theirs are.
type Segment struct {
	Numbers
	Lo, Hi uint32
	Offset []uint32 // of each term where its postings begin in Data, or [alone]
	Impact []uint8  // the most that tf/(tf+norm) can be, at the average length RefAvg, in steps of 1/255
	Data   []byte
	DL     []uint16
	RefAvg float64
	gone   atomic.Pointer[[]atomic.Int32] // of each term how many of its postings are not of a latest entry; nil for none of any
}

const (
	postingsBlock = 128
	skipEntry     = 12
)

// Where a term stands in one entry alone, its offset has the highest bit set, the count in the next few, and below these the slot minus Lo.
const (
	alone      = 1 << 31
	aloneShift = 25 // bits of the slot
	aloneCount = 1<<(31-aloneShift) - 1
)

// Of returns the segment that a slot is in. Segments are in order, without gaps, and begin at or before the slot and end behind it.
func Of(segs []*Segment, slot int) *Segment {
	i := sort.Search(len(segs), func(i int) bool { return int(segs[i].Hi) > slot })
	return segs[i]
}

// Frequency returns how many latest entries have the term at a place.
func (s *Segment) Frequency(place int) int {
	n := 1
	if at := s.Offset[place]; at < alone {
		first := s.Data[at]
		if n = int(first); first >= 0x80 {
			all, _ := Uvarint(s.Data[at:])
			n = int(all)
		}
	}
	if gone := s.gone.Load(); gone != nil {
		n -= int((*gone)[place].Load())
	}
	return n
}

// Gone returns of each term how many of its postings are not of a latest entry; nil for none of any.
func (s *Segment) Gone() []int32 {
	gone := s.gone.Load()
	if gone == nil {
		return nil
	}
	out := make([]int32, len(*gone))
	for i := range out {
		out[i] = (*gone)[i].Load()
	}
	return out
}

// Lose takes what Gone has returned, for a segment that nobody else has yet.
func (s *Segment) Lose(gone []int32) {
	for i, n := range gone {
		s.lose(i, n)
	}
}

// lose counts n latest entries less for the term at a place.
func (s *Segment) lose(place int, n int32) {
	gone := s.gone.Load()
	if gone == nil {
		gone = new(make([]atomic.Int32, len(s.Offset)))
		s.gone.Store(gone)
	}
	(*gone)[place].Add(n)
}

// Places appends the place of each term of a set, or -1.
func (s *Segment) Places(dst []int32, set *TermSet) []int32 {
	for i := range set.Terms {
		dst = append(dst, int32(s.Find(set.Terms[i].ID)))
	}
	return dst
}

// Touch reads a little of what is known of the term at a place. Where many are to be opened, touching them first lets the processor
// wait for the memory of several at a time. What it returns means nothing.
func (s *Segment) Touch(place int) uint32 {
	at := s.Offset[place]
	if at < alone {
		at = uint32(s.Data[at])
	}
	return at ^ uint32(s.Impact[place])
}

// Forget counts one latest entry less for each of the terms.
func (s *Segment) Forget(terms []uint32) {
	for _, t := range terms {
		if i := s.Find(t); i >= 0 {
			s.lose(i, 1)
		}
	}
}

// Bytes returns about how much memory the segment takes.
func (s *Segment) Bytes() int64 {
	n := int64(len(s.Offset)*5 + len(s.Sorted)*4 + len(s.Groups)*16 + len(s.Data) + len(s.DL)*2)
	if s.gone.Load() != nil {
		n += int64(len(s.Offset) * 4)
	}
	return n
}

// Norm is what each term of an entry adds to the denominator of its scores, beside a constant.
type Norm float64

// NormOf returns that for entries which have avg terms in the mean.
func NormOf(avg float64) Norm { return Norm(K1 * lengthB / avg) }

// of returns what is added to tf in the denominator for an entry of dl terms.
func (n Norm) of(dl uint16) float64 { return K1*(1-lengthB) + float64(float64(n)*float64(dl)) }

// Score is what a term adds to an entry's score: weight is idf × (K1 + 1) × its count in the query, dl the number of terms of
// the entry.
func Score(weight float64, tf uint32, dl uint16, n Norm) int64 {
	x := float64(tf)
	return int64(float64(weight*x/(x+n.of(dl))*ScoreScale) + .5)
}

// Uvarint is binary.Uvarint for numbers of 32 bits in data that is known to be whole.
func Uvarint(b []byte) (v uint32, rest []byte) {
	if c := b[0]; c < 0x80 {
		return uint32(c), b[1:]
	}
	for i, c := range b {
		v |= uint32(c&0x7f) << (7 * uint(i))
		if c < 0x80 {
			return v, b[i+1:]
		}
	}
	return v, nil
}

// Source is what a segment is made from.
type Source interface {
	// Has reports whether a slot holds an entry, and whether that is a latest one.
	Has(slot int) (entry, latest bool)
	// Terms appends the terms of a slot, each as often as it is there.
	Terms(dst []uint32, slot int) []uint32
	// Length returns how many terms a slot has.
	Length(slot int) uint16
}

type posting struct {
	slot uint32
	tf   uint32
}

// readOnce is up to how many slots the terms of all are held in memory, some 6 MB, while a segment is made of them. Those of more are read twice.
const readOnce = 1 << 15

// scratch is what making a segment needs besides: as much again as the segment itself.
type scratch struct {
	starts, next, read []uint32
	ends               []int
	all                []posting
	data               []byte
}

// Builder makes segments, each in the room that the ones before it needed. The zero value is ready; several may be made at once.
type Builder struct{ spare sync.Pool }

// room returns s with n elements, of any values.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// Build makes the segment of the slots [lo, hi). terms is a number above those of all terms, avg the mean number of terms of
// a latest entry.
func (b *Builder) Build(src Source, lo, hi, terms int, avg float64) *Segment {
	s := &Segment{Lo: uint32(lo), Hi: uint32(hi), DL: make([]uint16, hi-lo), RefAvg: avg}
	w, _ := b.spare.Get().(*scratch)
	if w == nil {
		w = new(scratch)
	}
	defer b.spare.Put(w)
	w.starts = room(w.starts, terms+1)
	starts, ends, read := w.starts, append(w.ends[:0], 0), w.read[:0] // read: the terms of a slot, or those of all one behind the other, and where they end then
	clear(starts)
	s.Data = w.data[:0]
	retired := false // there are entries that are not the latest
	// Count, then place: the postings come out ordered by term and slot without sorting.
	each := func(fn func(slot int, ts []uint32)) {
		again := len(ends) > 1
		for slot := lo; slot < hi; slot++ {
			if again {
				fn(slot, read[ends[slot-lo]:ends[slot-lo+1]])
				continue
			}
			from := 0
			if hi-lo <= readOnce {
				from = len(read)
			}
			if entry, latest := src.Has(slot); entry {
				retired = retired || !latest
				read = src.Terms(read[:from], slot)
				fn(slot, read[from:])
			}
			if hi-lo <= readOnce {
				ends = append(ends, len(read))
			}
		}
	}
	each(func(slot int, ts []uint32) {
		s.DL[slot-lo] = src.Length(slot)
		for _, t := range ts {
			starts[t+1]++ // too many where a slot has it more than once
		}
	})
	used := 0
	for t := range terms {
		if starts[t+1] > 0 {
			used++
		}
		starts[t+1] += starts[t]
	}
	w.all, w.next = room(w.all, int(starts[terms])), append(w.next[:0], starts[:terms]...)
	all, next := w.all, w.next
	each(func(slot int, ts []uint32) {
		for _, t := range ts {
			n := next[t]
			if n > starts[t] && all[n-1].slot == uint32(slot) {
				all[n-1].tf++
				continue
			}
			all[n] = posting{uint32(slot), 1}
			next[t]++
		}
	})
	numbers := make([]uint32, 0, used)
	s.Offset, s.Impact = make([]uint32, 0, used), make([]uint8, 0, used)
	for t := range terms {
		if list := all[starts[t]:next[t]]; len(list) > 0 {
			s.add(list)
			numbers = append(numbers, uint32(t))
		}
	}
	s.Numbers = newNumbers(numbers)
	w.ends, w.read, w.data = ends, read, s.Data
	s.Data = slices.Clip(slices.Clone(s.Data))
	if retired {
		for place, t := range numbers {
			for _, p := range all[starts[t]:next[t]] {
				if _, latest := src.Has(int(p.slot)); !latest {
					s.lose(place, 1)
				}
			}
		}
	}
	return s
}

// add appends the postings of one term.
func (s *Segment) add(list []posting) {
	if p := list[0]; len(list) == 1 && p.slot-s.Lo < 1<<aloneShift && p.tf <= aloneCount {
		s.Offset = append(s.Offset, alone|p.tf<<aloneShift|(p.slot-s.Lo))
		tf := float64(p.tf)
		s.Impact = append(s.Impact, uint8(math.Ceil(tf/(tf+NormOf(s.RefAvg).of(s.DL[p.slot-s.Lo]))*255)))
		return
	}
	s.Offset = append(s.Offset, uint32(len(s.Data)))
	s.Data = binary.AppendUvarint(s.Data, uint64(len(list)))
	blocks := (len(list) + postingsBlock - 1) / postingsBlock
	table := len(s.Data)
	if blocks > 1 {
		s.Data = append(s.Data, make([]byte, blocks*skipEntry)...)
	}
	body := len(s.Data)
	last, best, n := int64(s.Lo)-1, 0.0, NormOf(s.RefAvg)
	for bi := range blocks {
		impact := 0.0
		part := list[bi*postingsBlock : min(len(list), (bi+1)*postingsBlock)]
		for _, p := range part {
			d := uint64(int64(p.slot)-last) << 1
			if p.tf > 1 {
				s.Data = binary.AppendUvarint(binary.AppendUvarint(s.Data, d|1), uint64(p.tf))
			} else {
				s.Data = binary.AppendUvarint(s.Data, d)
			}
			last = int64(p.slot)
			tf := float64(p.tf)
			impact = max(impact, tf/(tf+n.of(s.DL[p.slot-s.Lo])))
		}
		best = max(best, impact)
		if blocks > 1 {
			e := s.Data[table+bi*skipEntry:]
			binary.LittleEndian.PutUint32(e, uint32(last)-s.Lo)
			binary.LittleEndian.PutUint32(e[4:], uint32(len(s.Data)-body))
			binary.LittleEndian.PutUint32(e[8:], math.Float32bits(roundUp(impact)))
		}
	}
	s.Impact = append(s.Impact, uint8(math.Ceil(best*255)))
}

func roundUp(x float64) float32 { return math.Nextafter32(float32(x), 2) }

// Mergeable returns which of the last segments should become one, or first = len(segs)-1 where none should: a segment is
// never smaller than twice those behind it, so that they are few and every slot is rewritten a logarithmic number of times.
func Mergeable(segs []*Segment) (first int) {
	first = len(segs) - 1
	for first > 0 && segs[first-1].Hi-segs[first-1].Lo <= 2*(segs[len(segs)-1].Hi-segs[first].Lo) {
		first--
	}
	return first
}

// Replace returns segs with m in the place of those that it covers.
func Replace(segs []*Segment, m *Segment) (out []*Segment) {
	placed := false
	for _, s := range segs {
		switch {
		case s.Lo < m.Lo || s.Lo >= m.Hi:
			out = append(out, s)
		case !placed:
			out, placed = append(out, m), true
		}
	}
	return out
}
