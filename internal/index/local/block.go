package local

import (
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// blockSlots is the number of slots of a full block. The first block of a shard starts small and grows.
const (
	BlockSlots = vector.MaxSlots
	BlockShift = 10
	BlockWords = BlockSlots / 64
)

// A shard holds the vectors themselves for up to exactEntries, and what may be dead beside them.
const (
	ExactEntries = 256
	ExactSlots   = 384
)

// Block holds up to 1,024 slots: what filters look at in columns, the rest in rows of one cache line. A slot is written
// once, before the view that shows it is published.
type Block struct {
	Rows  []Row
	when  []int64 // microseconds
	Class []uint32
	set   []uint32 // of labels; nil where no slot has any
	Node  []uint32 // in pools
	prev  []uint32 // slot+1 of the one written before it in its session; 0: none
	next  []atomic.Uint32
	Bits  *vector.Bits
	I8    *vector.Int8
	F32   []float32 // unit vectors, as long as the shard has but one block
}

// Row is what describes an entry and where its terms are.
type Row struct {
	id, doc   [2]uint64
	Seq       int64
	created   int64  // microseconds
	sub       uint32 // the nanoseconds below: when | created<<16
	fwd       uint32 // where the terms are: page<<16 | offset
	DL        uint16 // number of terms, at most 65,535
	idc, docc uint8
	Head      uint16 // how many of the terms are of title and speaker
}

func resize[T any](s []T, n int) []T {
	t := make([]T, n)
	copy(t, s)
	return t
}

// grown returns a copy of b with room for slots, which may be fewer if those that are left out are empty; b may be the zero block. padded and dim are 0 without vectors.
func (b *Block) grown(slots, padded, dim int, pool, exact bool) *Block {
	g := &Block{
		Rows: resize(b.Rows, slots), when: resize(b.when, slots), Class: resize(b.Class, slots),
		prev: resize(b.prev, slots), next: make([]atomic.Uint32, slots),
	}
	if len(b.set) > 0 {
		g.set = resize(b.set, slots)
	}
	for i := range min(len(b.next), slots) {
		g.next[i].Store(b.next[i].Load())
	}
	if pool {
		g.Node = resize(b.Node, slots)
	}
	if padded == 0 {
		return g
	}
	if b.Bits == nil {
		g.Bits, g.I8 = vector.NewBits(padded, slots), vector.NewInt8(padded, slots)
		if exact {
			g.F32 = make([]float32, slots*dim)
		}
		return g
	}
	g.Bits = &vector.Bits{Dim: padded, Codes: resize(b.Bits.Codes, slots*padded/64), Scale: resize(b.Bits.Scale, slots)}
	g.I8 = &vector.Int8{Dim: padded, Codes: resize(b.I8.Codes, slots*padded), Scale: resize(b.I8.Scale, slots)}
	if b.F32 != nil {
		g.F32 = resize(b.F32, slots*dim)
	}
	return g
}

// Slots returns for how many there is room.
func (b *Block) Slots() int { return len(b.Rows) }

// bytes returns about how much memory the block takes.
func (b *Block) bytes() int64 {
	n := int64(b.Slots()) * (64 + 8 + 4 + 8)
	n += int64(len(b.set)*4 + len(b.Node)*4 + len(b.F32)*4)
	if b.Bits != nil {
		n += int64(len(b.Bits.Codes)*8 + len(b.Bits.Scale)*2 + len(b.I8.Codes) + len(b.I8.Scale)*4)
	}
	return n
}

// Entry returns the id of the entry in place i.
func (b *Block) Entry(i int) Packed {
	r := &b.Rows[i]
	return Packed{r.id[0], r.id[1], r.idc}
}

// Document returns the id of its document.
func (b *Block) Document(i int) Packed {
	r := &b.Rows[i]
	return Packed{r.doc[0], r.doc[1], r.docc}
}

func (r *Row) setIDs(id, doc Packed) {
	r.id, r.idc, r.doc, r.docc = [2]uint64{id.hi, id.lo}, id.Code, [2]uint64{doc.hi, doc.lo}, doc.Code
}

func (b *Block) setTimes(i int, e *lukasa.Entry) {
	w, c := e.When(), e.CreatedAt
	b.when[i], b.Rows[i].created = w.UnixMicro(), c.UnixMicro()
	b.Rows[i].sub = uint32(w.Nanosecond()%1000) | uint32(c.Nanosecond()%1000)<<16
}

// Times returns when it occurred and when it was created.
func (b *Block) Times(i int) (when, created time.Time) {
	r := &b.Rows[i]
	when = at(b.when[i], r.sub&0xffff)
	if r.created == b.when[i] && r.sub>>16 == r.sub&0xffff {
		return when, when
	}
	return when, at(r.created, r.sub>>16)
}

func at(micro int64, nano uint32) time.Time {
	return time.Unix(micro/1e6, micro%1e6*1000+int64(nano)).UTC()
}

// Touch reads a little of all that describes the entry in place i. Where many entries are to be looked at, touching them all first
// lets the processor wait for the memory of several at a time. What it returns means nothing.
func (b *Block) Touch(i int) uint32 {
	return uint32(b.Rows[i].idc) ^ uint32(b.when[i]) ^ b.Class[i]
}

// Created returns when the entry in place i was created, in microseconds.
func (b *Block) Created(i int) int64 { return b.Rows[i].created }

// copySlot copies everything but terms, class and node of a slot of src.
func (b *Block) copySlot(to int, src *Block, from, dim int) {
	b.Rows[to], b.when[to] = src.Rows[from], src.when[from]
	if src.Bits != nil && b.Bits != nil {
		b.Bits.CopySlot(to, src.Bits, from)
		b.I8.CopySlot(to, src.I8, from)
		if b.F32 != nil && src.F32 != nil {
			copy(b.F32[to*dim:(to+1)*dim], src.F32[from*dim:])
		}
	}
}
