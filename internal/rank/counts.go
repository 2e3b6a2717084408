package rank

// places finds numbers of terms in a small set: an open-addressed table that is used again and again.
type places struct {
	ids   []uint32
	table []uint32 // place + 1, by hash
	shift uint
	bloom [4]uint64 // of the lowest bits of the terms
}

func (p *places) reset(room int) {
	size, shift := 16, uint(28)
	for size < room*4 {
		size, shift = size*2, shift-1
	}
	p.shift = shift
	p.table = zeroed(p.table, size)
	p.ids, p.bloom = p.ids[:0], [4]uint64{}
}

// may reports false for most of the terms that are not in the set, quickly.
func (p *places) may(id uint32) bool { return p.bloom[id>>6&3]>>(id&63)&1 != 0 }

// add appends a term that is not in the set yet; NoTerm takes a place that is never found.
func (p *places) add(id uint32) int {
	p.ids = append(p.ids, id)
	if id != NoTerm {
		if len(p.ids)*2 > len(p.table) {
			p.grow()
		}
		p.insert(id, len(p.ids))
		p.bloom[id>>6&3] |= 1 << (id & 63)
	}
	return len(p.ids) - 1
}

func (p *places) insert(id uint32, n int) {
	i := id * 0x9e3779b1 >> p.shift
	for p.table[i] != 0 {
		i = (i + 1) & uint32(len(p.table)-1)
	}
	p.table[i] = uint32(n)
}

func (p *places) grow() {
	p.table = zeroed(p.table, 2*len(p.table))
	p.shift--
	for i, id := range p.ids[:len(p.ids)-1] {
		if id != NoTerm {
			p.insert(id, i+1)
		}
	}
}

// find returns the place of a term, or -1.
func (p *places) find(id uint32) int {
	for i := id * 0x9e3779b1 >> p.shift; ; i = (i + 1) & uint32(len(p.table)-1) {
		n := p.table[i]
		if n == 0 {
			return -1
		}
		if p.ids[n-1] == id {
			return int(n - 1)
		}
	}
}

// counts counts a set of terms in the items: row i, column j is how often item i has term j, at most 255 times.
type counts struct {
	places
	text []uint8
	head []uint8
	some []bool // has the item any of the terms in its text
}

func (c *counts) scan(items []Item) {
	n := len(c.ids)
	c.text = zeroed(c.text, len(items)*n)
	c.head = zeroed(c.head, len(items)*n)
	c.some = zeroed(c.some, len(items))
	for i := range items {
		it := &items[i]
		c.count(c.head[i*n:(i+1)*n], it.Terms[:it.Head])
		c.some[i] = c.count(c.text[i*n:(i+1)*n], it.Terms[it.Head:])
	}
}

func (c *counts) count(row []uint8, terms []uint32) (some bool) {
	for _, id := range terms {
		if !c.may(id) {
			continue
		}
		if j := c.find(id); j >= 0 {
			some = true
			if row[j] < 255 {
				row[j]++
			}
		}
	}
	return some
}

// zeroed returns n zeros, in the memory of s where they fit.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
