package local

import (
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// blockSlots is the number of slots of a full block. The first block of a shard starts small and grows.
const (
	blockSlots = vector.MaxSlots
	blockShift = 10
	blockWords = blockSlots / 64
)

// block holds up to 1,024 slots: what filters look at in columns, the rest in rows of one cache line. A slot is written
// once, before the view that shows it is published.
type block struct {
	rows  []row
	when  []int64  // microseconds
	class []uint32 // which attributes
	node  []uint32 // in pools
	prev  []uint32 // slot+1 of the one written before it in its session; 0: none
	next  []atomic.Uint32
	bits  *vector.Bits
	i8    *vector.Int8
	f32   []float32 // unit vectors, as long as the shard has but one block
}

// row is what describes an entry and where its terms are.
type row struct {
	id, doc   [2]uint64
	seq       int64
	created   int64  // microseconds
	sub       uint32 // the nanoseconds below: when | created<<16
	fwd       uint32 // where the terms are: page<<16 | offset
	dl        uint16 // number of terms, at most 65,535
	idc, docc uint8
	head      uint16 // how many of the terms are of title and speaker
	flags     uint16
}

func resize[T any](s []T, n int) []T {
	t := make([]T, n)
	copy(t, s)
	return t
}

// grown returns a copy of b with room for slots; b may be the zero block. padded and dim are 0 without vectors.
func (b *block) grown(slots, padded, dim int, pool, exact bool) *block {
	g := &block{
		rows: resize(b.rows, slots), when: resize(b.when, slots), class: resize(b.class, slots),
		prev: resize(b.prev, slots), next: make([]atomic.Uint32, slots),
	}
	for i := range b.next {
		g.next[i].Store(b.next[i].Load())
	}
	if pool {
		g.node = resize(b.node, slots)
	}
	if padded == 0 {
		return g
	}
	if b.bits == nil {
		g.bits, g.i8 = vector.NewBits(padded, slots), vector.NewInt8(padded, slots)
		if exact {
			g.f32 = make([]float32, slots*dim)
		}
		return g
	}
	g.bits = &vector.Bits{
		Dim: padded, Codes: resize(b.bits.Codes, slots*padded/64), Scale: resize(b.bits.Scale, slots), Bias: resize(b.bits.Bias, slots),
	}
	g.i8 = &vector.Int8{Dim: padded, Codes: resize(b.i8.Codes, slots*padded), Scale: resize(b.i8.Scale, slots)}
	if b.f32 != nil {
		g.f32 = resize(b.f32, slots*dim)
	}
	return g
}

func (b *block) slots() int { return len(b.rows) }

// bytes returns about how much memory the block takes.
func (b *block) bytes() int64 {
	n := int64(b.slots()) * (64 + 8 + 4 + 8)
	n += int64(len(b.node)*4 + len(b.f32)*4)
	if b.bits != nil {
		n += int64(len(b.bits.Codes)*8 + len(b.bits.Scale)*8 + len(b.i8.Codes) + len(b.i8.Scale)*4)
	}
	return n
}

func (b *block) entry(i int) packed {
	r := &b.rows[i]
	return packed{r.id[0], r.id[1], r.idc}
}

func (b *block) document(i int) packed {
	r := &b.rows[i]
	return packed{r.doc[0], r.doc[1], r.docc}
}

func (r *row) setIDs(id, doc packed) {
	r.id, r.idc, r.doc, r.docc = [2]uint64{id.hi, id.lo}, id.code, [2]uint64{doc.hi, doc.lo}, doc.code
}

func (b *block) setTimes(i int, e *lukasa.Entry) {
	w, c := e.When(), e.CreatedAt
	b.when[i], b.rows[i].created = w.UnixMicro(), c.UnixMicro()
	b.rows[i].sub = uint32(w.Nanosecond()%1000) | uint32(c.Nanosecond()%1000)<<16
}

func (b *block) times(i int) (when, created time.Time) {
	s := b.rows[i].sub
	when = time.UnixMicro(b.when[i]).Add(time.Duration(s & 0xffff)).UTC()
	return when, time.UnixMicro(b.rows[i].created).Add(time.Duration(s >> 16)).UTC()
}

// copySlot copies everything but terms, class and node of a slot of src.
func (b *block) copySlot(to int, src *block, from, dim int) {
	b.rows[to], b.when[to] = src.rows[from], src.when[from]
	if src.bits != nil && b.bits != nil {
		b.bits.CopySlot(to, src.bits, from)
		b.i8.CopySlot(to, src.i8, from)
		if b.f32 != nil && src.f32 != nil {
			copy(b.f32[to*dim:(to+1)*dim], src.f32[from*dim:])
		}
	}
}
