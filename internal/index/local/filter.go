package local

import (
	"math/bits"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// Condition is a filter made ready for one view. Subtrees that look only at what a class holds are decided once a class.
type Condition struct {
	v      *View
	f      *lukasa.Filter
	byType []lukasa.EntryType
	class  bool    // the whole tree looks at classes only
	seen   []uint8 // by class, or by set where labels are asked for: 0 not asked yet, 1 no, 2 yes
	label  bool    // it asks for labels
	labels []uint32
	and    []*Condition
	or     []*Condition
	not    *Condition
	leaf   *Condition
	micro  int64 // of a time
	nano   uint32
	docs   map[Packed]bool // of documents or records, and
	odd    []string        // those whose ids have another form
}

// AsksLatest reports whether a filter has a condition on "latest".
func AsksLatest(f *lukasa.Filter) bool {
	if f == nil {
		return false
	}
	return f.Field == "latest" || AsksLatest(f.Not) ||
		slices.ContainsFunc(f.And, func(s lukasa.Filter) bool { return AsksLatest(&s) }) ||
		slices.ContainsFunc(f.Or, func(s lukasa.Filter) bool { return AsksLatest(&s) })
}

func classOnly(f *lukasa.Filter) bool {
	if f == nil {
		return true
	}
	for i := range f.And {
		if !classOnly(&f.And[i]) {
			return false
		}
	}
	for i := range f.Or {
		if !classOnly(&f.Or[i]) {
			return false
		}
	}
	switch f.Field {
	case "after", "before", "created_from", "created_to", "document", "record":
		return false
	}
	return !labelled(f.Field) && classOnly(f.Not)
}

// Compile makes the condition that the types and the filter are; nil if there is none.
func Compile(v *View, types []lukasa.EntryType, f *lukasa.Filter) *Condition {
	switch {
	case f == nil && len(types) == 0:
		return nil
	case classOnly(f):
		return &Condition{v: v, f: f, byType: types, class: true, seen: make([]uint8, len(v.Classes))}
	case len(types) == 0:
		return compileTree(v, f)
	}
	t := &Condition{v: v, byType: types, class: true, seen: make([]uint8, len(v.Classes))}
	return &Condition{v: v, and: []*Condition{t, compileTree(v, f)}}
}

func compileTree(v *View, f *lukasa.Filter) *Condition {
	if classOnly(f) {
		return &Condition{v: v, f: f, class: true, seen: make([]uint8, len(v.Classes))}
	}
	c := &Condition{v: v}
	for i := range f.And {
		c.and = append(c.and, compileTree(v, &f.And[i]))
	}
	for i := range f.Or {
		c.or = append(c.or, compileTree(v, &f.Or[i]))
	}
	if f.Not != nil {
		c.not = compileTree(v, f.Not)
	}
	if f.Field == "" {
		return c
	}
	leaf := &lukasa.Filter{Field: f.Field, Text: f.Text, Num: f.Num, Time: f.Time}
	if classOnly(leaf) {
		c.leaf = compileTree(v, leaf)
		return c
	}
	if labelled(f.Field) {
		l := &Condition{v: v, label: true, seen: make([]uint8, len(v.sets))}
		for _, t := range f.Text {
			if n, ok := v.Names.Find(appendLabel(nil, f.Field, t)); ok {
				l.labels = append(l.labels, n)
			}
		}
		slices.Sort(l.labels)
		if len(c.and)+len(c.or) == 0 && c.not == nil {
			return l
		}
		c.leaf = l
		return c
	}
	c.f = leaf
	c.micro, c.nano = f.Time.UnixMicro(), uint32(f.Time.Nanosecond()%1000)
	if f.Field == "document" || f.Field == "record" {
		c.docs = make(map[Packed]bool, len(f.Text))
		for _, t := range f.Text {
			if t == "" && f.Field == "record" { // what stands in no document does not match by that
				continue
			}
			if p, ok := Pack(lukasa.ID(t)); ok {
				c.docs[p] = true
			} else {
				c.odd = append(c.odd, t)
			}
		}
	}
	return c
}

// Keeps reports whether a slot meets the condition.
func (c *Condition) Keeps(b *Block, i int) bool {
	switch {
	case c.class:
		return c.keepsClass(b.Class[i])
	case c.label:
		return len(b.set) > 0 && c.keepsSet(b.set[i])
	}
	for _, s := range c.and {
		if !s.Keeps(b, i) {
			return false
		}
	}
	if len(c.or) > 0 && !slices.ContainsFunc(c.or, func(s *Condition) bool { return s.Keeps(b, i) }) {
		return false
	}
	if c.not != nil && c.not.Keeps(b, i) || c.leaf != nil && !c.leaf.Keeps(b, i) {
		return false
	}
	return c.f == nil || c.keepsLeaf(b, i)
}

func (c *Condition) keepsClass(k uint32) bool {
	if c.seen[k] == 0 {
		e := c.v.like(&c.v.Classes[k])
		c.seen[k] = 1
		if (len(c.byType) == 0 || slices.Contains(c.byType, e.Type)) && c.f.Match(e) {
			c.seen[k] = 2
		}
	}
	return c.seen[k] == 2
}

func (c *Condition) keepsSet(n uint32) bool {
	if int(n) >= len(c.seen) { // the empty set, where there is no other
		return false
	}
	if c.seen[n] == 0 {
		c.seen[n] = 1
		if c.v.anyLabel(n, c.labels) {
			c.seen[n] = 2
		}
	}
	return c.seen[n] == 2
}

func (c *Condition) keepsLeaf(b *Block, i int) bool {
	switch c.f.Field {
	case "document":
		return c.lists(b.Document(i))
	case "record":
		return c.lists(b.Entry(i)) || c.lists(b.Document(i))
	case "created_from", "created_to":
		r := &b.Rows[i]
		before := r.created < c.micro || r.created == c.micro && r.sub>>16 < c.nano
		return before == (c.f.Field == "created_to")
	}
	before := b.when[i] < c.micro || b.when[i] == c.micro && b.Rows[i].sub&0xffff < c.nano
	return before == (c.f.Field == "before")
}

// lists reports whether an id is one of those that are asked for.
func (c *Condition) lists(id Packed) bool {
	if id.Code == Odd {
		return slices.Contains(c.odd, c.v.odds[id.lo])
	}
	return c.docs[id]
}

// Apply clears the bits of the slots that the condition does not keep.
func (c *Condition) Apply(mask []uint64) {
	if len(c.and) > 0 && len(c.or) == 0 && c.not == nil && c.leaf == nil && c.f == nil {
		for _, s := range c.and {
			s.Apply(mask)
		}
		return
	}
	for w, word := range mask {
		if word == 0 {
			continue
		}
		b := c.v.Blocks[w/BlockWords]
		base := w % BlockWords * 64
		left := word
		switch { // the usual cases without calls
		case c.class:
			numbers := b.Class[base:min(base+64, len(b.Class))]
			for ; left != 0; left &= left - 1 {
				i := bits.TrailingZeros64(left)
				if s := c.seen[numbers[i]]; s == 1 || s == 0 && !c.keepsClass(numbers[i]) {
					word &^= 1 << uint(i)
				}
			}
		case c.label && len(b.set) == 0:
			word = 0
		case c.label && len(c.seen) > 0:
			numbers := b.set[base:min(base+64, len(b.set))]
			for ; left != 0; left &= left - 1 {
				i := bits.TrailingZeros64(left)
				if s := c.seen[numbers[i]]; s == 1 || s == 0 && !c.keepsSet(numbers[i]) {
					word &^= 1 << uint(i)
				}
			}
		default:
			for ; left != 0; left &= left - 1 {
				if i := bits.TrailingZeros64(left); !c.Keeps(b, base+i) {
					word &^= 1 << uint(i)
				}
			}
		}
		mask[w] = word
	}
}
