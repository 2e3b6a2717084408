package local

import (
	"math/bits"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// condition is a filter made ready for one view. Subtrees that look only at what a class holds are decided once a class.
type condition struct {
	v      *view
	f      *lukasa.Filter
	byType []lukasa.EntryType
	class  bool    // the whole tree looks at classes only
	seen   []uint8 // by class: 0 not asked yet, 1 no, 2 yes
	and    []*condition
	or     []*condition
	not    *condition
	leaf   *condition
	micro  int64 // of a time
	nano   uint32
	docs   []packed
	odd    []string
}

// asksLatest reports whether a filter has a condition on "latest".
func asksLatest(f *lukasa.Filter) bool {
	if f == nil {
		return false
	}
	return f.Field == "latest" || asksLatest(f.Not) ||
		slices.ContainsFunc(f.And, func(s lukasa.Filter) bool { return asksLatest(&s) }) ||
		slices.ContainsFunc(f.Or, func(s lukasa.Filter) bool { return asksLatest(&s) })
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
	case "after", "before", "document":
		return false
	}
	return classOnly(f.Not)
}

// compile makes the condition that the types and the filter are; nil if there is none.
func compile(v *view, types []lukasa.EntryType, f *lukasa.Filter) *condition {
	switch {
	case f == nil && len(types) == 0:
		return nil
	case classOnly(f):
		return &condition{v: v, f: f, byType: types, class: true, seen: make([]uint8, len(v.classes))}
	case len(types) == 0:
		return compileTree(v, f)
	}
	t := &condition{v: v, byType: types, class: true, seen: make([]uint8, len(v.classes))}
	return &condition{v: v, and: []*condition{t, compileTree(v, f)}}
}

func compileTree(v *view, f *lukasa.Filter) *condition {
	if classOnly(f) {
		return &condition{v: v, f: f, class: true, seen: make([]uint8, len(v.classes))}
	}
	c := &condition{v: v}
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
	c.f = leaf
	c.micro, c.nano = f.Time.UnixMicro(), uint32(f.Time.Nanosecond()%1000)
	if f.Field == "document" {
		for _, t := range f.Text {
			if p, ok := pack(lukasa.ID(t)); ok {
				c.docs = append(c.docs, p)
			} else {
				c.odd = append(c.odd, t)
			}
		}
	}
	return c
}

// keeps reports whether a slot meets the condition.
func (c *condition) keeps(b *block, i int) bool {
	if c.class {
		return c.keepsClass(b.class[i])
	}
	for _, s := range c.and {
		if !s.keeps(b, i) {
			return false
		}
	}
	if len(c.or) > 0 && !slices.ContainsFunc(c.or, func(s *condition) bool { return s.keeps(b, i) }) {
		return false
	}
	if c.not != nil && c.not.keeps(b, i) || c.leaf != nil && !c.leaf.keeps(b, i) {
		return false
	}
	return c.f == nil || c.keepsLeaf(b, i)
}

func (c *condition) keepsClass(k uint32) bool {
	if c.seen[k] == 0 {
		e := c.v.classes[k]
		c.seen[k] = 1
		if (len(c.byType) == 0 || slices.Contains(c.byType, e.Type)) && c.f.Match(e) {
			c.seen[k] = 2
		}
	}
	return c.seen[k] == 2
}

func (c *condition) keepsLeaf(b *block, i int) bool {
	if c.f.Field == "document" {
		d := b.document(i)
		if d.code == odd {
			return slices.Contains(c.odd, c.v.odds[d.lo])
		}
		return slices.Contains(c.docs, d)
	}
	before := b.when[i] < c.micro || b.when[i] == c.micro && b.rows[i].sub&0xffff < c.nano
	return before == (c.f.Field == "before")
}

// apply clears the bits of the slots that the condition does not keep.
func (c *condition) apply(mask []uint64) {
	for w, word := range mask {
		if word == 0 {
			continue
		}
		b := c.v.blocks[w/blockWords]
		base := w % blockWords * 64
		if c.class { // the usual case, without calls
			classes := b.class[base:min(base+64, len(b.class))]
			for m := word; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m)
				k := classes[i]
				if s := c.seen[k]; s == 1 || s == 0 && !c.keepsClass(k) {
					word &^= 1 << uint(i)
				}
			}
			mask[w] = word
			continue
		}
		for m := word; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if !c.keeps(b, base+i) {
				word &^= 1 << uint(i)
			}
		}
		mask[w] = word
	}
}
