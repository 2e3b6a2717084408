package local

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
)

// Entries of one session are chained in the order in which they were written, the dead ones too: from a slot one gets to the
// others without looking at those of other sessions, wherever they stand. Of a message the session is that of its conversation,
// of anything else the document; both within one node.

// byMessage reports whether the class of an entry says which session it is of; else the document does.
func (k *Class) byMessage() bool { return k.Type == messageText && k.Conversation != NoText }

// Session returns a number for the session of a slot; ok is false where it has none.
func (v *View) Session(seed maphash.Seed, slot int) (h uint64, ok bool) {
	b, i := v.Blocks[slot>>BlockShift], slot&(BlockSlots-1)
	if v.Pool {
		h = uint64(b.Node[i]+1) * 0x9e3779b97f4a7c15
	}
	if k := &v.Classes[b.Class[i]]; k.byMessage() {
		return h ^ maphash.Comparable(seed, [2]uint32{k.Session, k.Conversation}), true
	}
	d := b.Document(i)
	if d.Code == Odd {
		return h ^ maphash.String(seed, v.odds[d.lo]), true
	}
	return h ^ maphash.Comparable(seed, d), d.Code != 0
}

// together reports whether two slots are of one session, which both have.
func (v *View) together(x, y int) bool {
	b, i := v.Blocks[x>>BlockShift], x&(BlockSlots-1)
	c, j := v.Blocks[y>>BlockShift], y&(BlockSlots-1)
	if v.Pool && b.Node[i] != c.Node[j] {
		return false
	}
	k, l := &v.Classes[b.Class[i]], &v.Classes[c.Class[j]]
	if m := k.byMessage(); m || l.byMessage() {
		return m && l.byMessage() && k.Conversation == l.Conversation && k.Session == l.Session
	}
	return b.Document(i) == c.Document(j)
}

// chain puts a new slot behind the others of its session.
func (c *Core) chain(b *Block, slot int) {
	if c.tails == nil {
		c.findTails(slot)
	}
	b.prev[slot&(BlockSlots-1)] = 0
	h, ok := c.Session(c.Dict.Seed(), slot)
	if !ok {
		return
	}
	at := c.lastOf(h, slot)
	if last := c.tails[at]; last != 0 {
		b.prev[slot&(BlockSlots-1)] = last
		c.Blocks[(last-1)>>BlockShift].next[(last-1)&(BlockSlots-1)].Store(uint32(slot) + 1)
	} else {
		c.Sessions++
	}
	c.tails[at] = uint32(slot) + 1
	if c.Sessions*4 >= len(c.tails)*3 {
		c.findTails(slot + 1)
	}
}

// lastOf returns where the last slot of the session of a slot is, or would be.
func (c *Core) lastOf(h uint64, slot int) int {
	mask := len(c.tails) - 1
	at := int(h>>32) & mask
	for c.tails[at] != 0 && !c.together(int(c.tails[at]-1), slot) {
		at = (at + 1) & mask
	}
	return at
}

// findTails makes the table of tails anew, of the slots before n, with room for more.
func (c *Core) findTails(n int) {
	size := 16
	for size < c.Sessions*2 {
		size *= 2
	}
	c.tails = make([]uint32, size)
	for bi, b := range c.Blocks {
		for i := range max(0, min(b.Slots(), n-bi*BlockSlots)) {
			slot := bi*BlockSlots + i
			if b.next[i].Load() != 0 {
				continue
			}
			if h, ok := c.Session(c.Dict.Seed(), slot); ok {
				c.tails[c.lastOf(h, slot)] = uint32(slot) + 1
			}
		}
	}
}

// Ready seals all slots of a core that nobody else has yet, chains the entries of each session in order, and gives the memory back
// that was to be grown into.
func (c *Core) Ready() *Core {
	c.seal(c.N)
	c.trim()
	c.recent = nil
	var slots []int
	for slot := range c.N {
		if b, i := c.Blocks[slot>>BlockShift], slot&(BlockSlots-1); b.prev[i] != 0 || b.next[i].Load() == 0 {
			continue
		}
		slots = slots[:0]
		sorted := true
		for s := slot; s >= 0; s = int(c.Blocks[s>>BlockShift].next[s&(BlockSlots-1)].Load()) - 1 {
			sorted = sorted && (s == slot || c.inOrder(slots[len(slots)-1], s) < 0)
			slots = append(slots, s)
		}
		if sorted {
			continue
		}
		h, _ := c.Session(c.Dict.Seed(), slot)
		tail := c.lastOf(h, slot)
		slices.SortFunc(slots, c.inOrder)
		last := 0
		for _, s := range slots {
			c.Blocks[s>>BlockShift].prev[s&(BlockSlots-1)] = uint32(last)
			if last > 0 {
				c.Blocks[(last-1)>>BlockShift].next[(last-1)&(BlockSlots-1)].Store(uint32(s) + 1)
			}
			last = s + 1
		}
		c.Blocks[(last-1)>>BlockShift].next[(last-1)&(BlockSlots-1)].Store(0)
		c.tails[tail] = uint32(last)
	}
	return c
}

// reviveChains makes the links forward of those back. It reports false where these are not whole.
func (c *Core) reviveChains() bool {
	for _, b := range c.Blocks {
		b.next = make([]atomic.Uint32, b.Slots())
	}
	for bi, b := range c.Blocks {
		for i := range max(0, min(b.Slots(), c.N-bi*BlockSlots)) {
			p := int(b.prev[i])
			if p > c.N {
				return false
			}
			if p != 0 {
				c.Blocks[(p-1)>>BlockShift].next[(p-1)&(BlockSlots-1)].Store(uint32(bi*BlockSlots+i) + 1)
			}
		}
	}
	return true
}

// The chain is followed this far each way: nearSteps where it goes up and down in order and without a gap, as it does unless
// something was written again or taken away there; farSteps else, and where there is nobody on one side.
const (
	nearSteps = 4
	farSteps  = 128
)

// Adjacent returns the slots right before and behind a slot in its session, by Seq and id, or -1: of latest entries, or, beside
// an entry that is not, of any; and of the same type.
func (v *View) Adjacent(slot int) (before, behind int) {
	retired, kind, smooth := !Has(v.Live, slot), v.typeOf(slot), true
	found := [2]int{-1, -1}
	like := [2]uint32{v.classAt(slot), v.classAt(slot)} // classes that are known to be of the type
	last, at := [2]int{slot, slot}, [2]int{slot, slot}
	for step := 0; step < farSteps && (step < nearSteps || !smooth || found[0] < 0 || found[1] < 0) && (at[0] >= 0 || at[1] >= 0); step++ {
		for side := range at {
			if at[side] < 0 {
				continue
			}
			b, i := v.Blocks[at[side]>>BlockShift], at[side]&(BlockSlots-1)
			s := int(b.prev[i]) - 1
			if side == 1 {
				if s = int(b.next[i].Load()) - 1; s >= v.N { // written since
					s = -1
				}
			}
			if at[side] = s; s < 0 {
				continue
			}
			if !Has(v.Live, s) && (!retired || !Has(v.Old, s)) {
				smooth = false
				continue
			}
			if k := v.classAt(s); k != like[0] && k != like[1] {
				if v.typeOf(s) != kind {
					smooth = false
					continue
				}
				like[1] = k
			}
			d := v.seq(s) - v.seq(last[side])
			smooth = smooth && d*int64(2*side-1) >= 0 && d*d <= 1
			last[side] = s
			if o := v.inOrder(s, slot); o < 0 && (found[0] < 0 || v.inOrder(s, found[0]) > 0) {
				found[0] = s
			} else if o > 0 && (found[1] < 0 || v.inOrder(s, found[1]) < 0) {
				found[1] = s
			}
		}
	}
	return found[0], found[1]
}

func (v *View) classAt(slot int) uint32 { return v.Blocks[slot>>BlockShift].Class[slot&(BlockSlots-1)] }

func (v *View) typeOf(slot int) uint32 { return v.Classes[v.classAt(slot)].Type }

func (v *View) seq(slot int) int64 { return v.Blocks[slot>>BlockShift].Rows[slot&(BlockSlots-1)].Seq }

// inOrder compares the places of two slots of one session.
func (v *View) inOrder(x, y int) int {
	b, c := v.Blocks[x>>BlockShift], v.Blocks[y>>BlockShift]
	i, j := x&(BlockSlots-1), y&(BlockSlots-1)
	if n := cmp.Compare(b.Rows[i].Seq, c.Rows[j].Seq); n != 0 || x == y {
		return n
	}
	p, q := b.Entry(i), c.Entry(j)
	if p.Code != Odd && q.Code != Odd {
		return p.Compare(q)
	}
	return strings.Compare(string(v.IDOf(p)), string(v.IDOf(q)))
}
