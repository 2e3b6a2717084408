package postings

// Counter counts in how many entries a term stands.
type Counter struct {
	table []termCount
	used  int
	stamp uint32
}

type termCount struct {
	term  uint32 // + 1
	stamp uint32 // the last entry that was counted, so that none is counted twice
	count float32
}

// NewCounter returns a counter of nothing.
func NewCounter() *Counter { return &Counter{table: make([]termCount, 1024)} }

// Count returns the sum of the weights of the entries that have a term.
func (c *Counter) Count(term uint32) float32 { return c.at(term).count }

// Add counts an entry that has terms, which may be there more than once.
func (c *Counter) Add(terms []uint32, weight float32) {
	c.stamp++
	for _, t := range terms {
		e := c.at(t)
		if e.term == 0 {
			e.term = t + 1
			if c.used++; c.used*2 > len(c.table) {
				c.grow()
				e = c.at(t)
			}
		}
		if e.stamp != c.stamp {
			e.stamp, e.count = c.stamp, e.count+weight
		}
	}
}

// at returns where a term is counted, or would be.
func (c *Counter) at(term uint32) *termCount {
	mask := uint32(len(c.table) - 1)
	for i := term * 0x9e3779b1 >> 8 & mask; ; i = (i + 1) & mask {
		if e := &c.table[i]; e.term == 0 || e.term == term+1 {
			return e
		}
	}
}

func (c *Counter) grow() {
	old := c.table
	c.table = make([]termCount, 2*len(old))
	for _, e := range old {
		if e.term != 0 {
			*c.at(e.term - 1) = e
		}
	}
}
