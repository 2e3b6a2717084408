package local

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa"
)

// Entries of one session are chained in the order in which they were written, the dead ones too: from a slot one gets to the
// others without looking at those of other sessions, wherever they stand. Of a message the session is that of its conversation,
// of anything else the document; both within one node.

// byMessage reports whether the class of an entry says which session it is of; else the document does.
func byMessage(k *lukasa.Entry) bool { return k.Type == lukasa.EntryMessage && k.Conversation != "" }

// session returns a number for the session of a slot; ok is false where it has none.
func (v *view) session(seed maphash.Seed, slot int) (h uint64, ok bool) {
	b, i := v.blocks[slot>>blockShift], slot&(blockSlots-1)
	if v.pool {
		h = uint64(b.node[i]+1) * 0x9e3779b97f4a7c15
	}
	if k := v.classes[b.class[i]]; byMessage(k) {
		return h ^ maphash.String(seed, k.Session)*3 ^ maphash.String(seed, string(k.Conversation)), true
	}
	d := b.document(i)
	if d.code == odd {
		return h ^ maphash.String(seed, v.odds[d.lo]), true
	}
	return h ^ maphash.Comparable(seed, d), d.code != 0
}

// together reports whether two slots are of one session, which both have.
func (v *view) together(x, y int) bool {
	b, i := v.blocks[x>>blockShift], x&(blockSlots-1)
	c, j := v.blocks[y>>blockShift], y&(blockSlots-1)
	if v.pool && b.node[i] != c.node[j] {
		return false
	}
	k, l := v.classes[b.class[i]], v.classes[c.class[j]]
	if m := byMessage(k); m || byMessage(l) {
		return m && byMessage(l) && k.Conversation == l.Conversation && k.Session == l.Session
	}
	return b.document(i) == c.document(j)
}

// chain puts a new slot behind the others of its session.
func (c *core) chain(b *block, slot int) {
	if c.tails == nil {
		c.findTails(slot)
	}
	b.prev[slot&(blockSlots-1)] = 0
	h, ok := c.session(c.dict.Seed(), slot)
	if !ok {
		return
	}
	at := c.tail(h, slot)
	if last := c.tails[at]; last != 0 {
		b.prev[slot&(blockSlots-1)] = last
		c.blocks[(last-1)>>blockShift].next[(last-1)&(blockSlots-1)].Store(uint32(slot) + 1)
	} else {
		c.sessions++
	}
	c.tails[at] = uint32(slot) + 1
	if c.sessions*4 >= len(c.tails)*3 {
		c.findTails(slot + 1)
	}
}

// tail returns where the last slot of the session of a slot is, or would be.
func (c *core) tail(h uint64, slot int) int {
	mask := len(c.tails) - 1
	at := int(h>>32) & mask
	for c.tails[at] != 0 && !c.together(int(c.tails[at]-1), slot) {
		at = (at + 1) & mask
	}
	return at
}

// findTails makes the table of tails anew, of the slots before n, with room for more.
func (c *core) findTails(n int) {
	size := 16
	for size < c.sessions*2 {
		size *= 2
	}
	c.tails = make([]uint32, size)
	for bi, b := range c.blocks {
		for i := range max(0, min(b.slots(), n-bi*blockSlots)) {
			slot := bi*blockSlots + i
			if b.next[i].Load() != 0 {
				continue
			}
			if h, ok := c.session(c.dict.Seed(), slot); ok {
				c.tails[c.tail(h, slot)] = uint32(slot) + 1
			}
		}
	}
}

// ready seals all slots of a core that nobody else has yet, and chains the entries of each session in order.
func (c *core) ready() *core {
	c.seal(c.n)
	var slots []int
	for slot := range c.n {
		if b, i := c.blocks[slot>>blockShift], slot&(blockSlots-1); b.prev[i] != 0 || b.next[i].Load() == 0 {
			continue
		}
		slots = slots[:0]
		sorted := true
		for s := slot; s >= 0; s = int(c.blocks[s>>blockShift].next[s&(blockSlots-1)].Load()) - 1 {
			sorted = sorted && (s == slot || c.inOrder(slots[len(slots)-1], s) < 0)
			slots = append(slots, s)
		}
		if sorted {
			continue
		}
		h, _ := c.session(c.dict.Seed(), slot)
		tail := c.tail(h, slot)
		slices.SortFunc(slots, c.inOrder)
		last := 0
		for _, s := range slots {
			c.blocks[s>>blockShift].prev[s&(blockSlots-1)] = uint32(last)
			if last > 0 {
				c.blocks[(last-1)>>blockShift].next[(last-1)&(blockSlots-1)].Store(uint32(s) + 1)
			}
			last = s + 1
		}
		c.blocks[(last-1)>>blockShift].next[(last-1)&(blockSlots-1)].Store(0)
		c.tails[tail] = uint32(last)
	}
	return c
}

// reviveChains makes the links forward of those back. It reports false where these are not whole.
func (c *core) reviveChains() bool {
	for _, b := range c.blocks {
		b.next = make([]atomic.Uint32, b.slots())
	}
	for bi, b := range c.blocks {
		for i := range max(0, min(b.slots(), c.n-bi*blockSlots)) {
			p := int(b.prev[i])
			if p > c.n {
				return false
			}
			if p != 0 {
				c.blocks[(p-1)>>blockShift].next[(p-1)&(blockSlots-1)].Store(uint32(bi*blockSlots+i) + 1)
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

// adjacent returns the slots right before and behind a slot in its session, by Seq and id, or -1: of latest entries, or, beside
// an entry that is not, of any; and of the same type.
func (v *view) adjacent(slot int) (before, behind int) {
	retired, kind, smooth := !has(v.live, slot), v.typeOf(slot), true
	found := [2]int{-1, -1}
	like := [2]uint32{v.classAt(slot), v.classAt(slot)} // classes that are known to be of the type
	last, at := [2]int{slot, slot}, [2]int{slot, slot}
	for step := 0; step < farSteps && (step < nearSteps || !smooth || found[0] < 0 || found[1] < 0) && (at[0] >= 0 || at[1] >= 0); step++ {
		for side := range at {
			if at[side] < 0 {
				continue
			}
			b, i := v.blocks[at[side]>>blockShift], at[side]&(blockSlots-1)
			s := int(b.prev[i]) - 1
			if side == 1 {
				if s = int(b.next[i].Load()) - 1; s >= v.n { // written since
					s = -1
				}
			}
			if at[side] = s; s < 0 {
				continue
			}
			if !has(v.live, s) && (!retired || !has(v.old, s)) {
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

func (v *view) classAt(slot int) uint32 { return v.blocks[slot>>blockShift].class[slot&(blockSlots-1)] }

func (v *view) typeOf(slot int) lukasa.EntryType { return v.classes[v.classAt(slot)].Type }

func (v *view) seq(slot int) int64 { return v.blocks[slot>>blockShift].rows[slot&(blockSlots-1)].seq }

// inOrder compares the places of two slots of one session.
func (v *view) inOrder(x, y int) int {
	b, c := v.blocks[x>>blockShift], v.blocks[y>>blockShift]
	i, j := x&(blockSlots-1), y&(blockSlots-1)
	if n := cmp.Compare(b.rows[i].seq, c.rows[j].seq); n != 0 || x == y {
		return n
	}
	p, q := b.entry(i), c.entry(j)
	if p.code != odd && q.code != odd {
		return p.compare(q)
	}
	return strings.Compare(string(v.idOf(p)), string(v.idOf(q)))
}
