package pdf

import (
	"slices"
	"sort"
)

// cmap maps the codes of a string to character numbers or to text (ISO 32000-1, 9.7.5 and 9.10.3).
type cmap struct {
	spaces []codeSpace
	single map[uint32]string // to text, in UTF-8
	ranges []codeRange       // by lo
	cids   []codeRange       // by lo
}

type codeSpace struct {
	bytes  int
	lo, hi uint32
}

// codeRange maps lo..hi to texts that count up from to, or to numbers that count up from cid.
type codeRange struct {
	lo, hi uint32
	to     []rune
	cid    int
}

// maxCodes bounds the entries of one map.
const maxCodes = 1 << 17

// readCMap parses the PostScript of a map, as far as it is data.
func readCMap(b []byte, bud *budget) *cmap {
	m := &cmap{single: map[uint32]string{}}
	l := lexer{b: b, bud: bud}
	for {
		v := l.object(0)
		if v == eof {
			break
		}
		o, ok := v.(op)
		if !ok {
			continue
		}
		switch o {
		case "begincodespacerange":
			m.each(&l, func(lo str) {
				hi, _ := l.object(0).(str)
				if len(lo) > 0 && len(lo) <= 4 {
					m.spaces = append(m.spaces, codeSpace{len(lo), code(lo), code(hi)})
				}
			})
		case "beginbfchar":
			m.each(&l, func(c str) {
				if to, ok := l.object(0).(str); ok {
					m.single[code(c)] = utf16String(string(to), true)
				}
			})
		case "beginbfrange":
			m.each(&l, func(lo str) { m.textRange(&l, lo) })
		case "begincidrange":
			m.each(&l, func(lo str) {
				hi, _ := l.object(0).(str)
				if n, ok := integer(l.object(0)); ok {
					m.cids = append(m.cids, codeRange{lo: code(lo), hi: code(hi), cid: n})
				}
			})
		case "begincidchar":
			m.each(&l, func(c str) {
				if n, ok := integer(l.object(0)); ok {
					m.cids = append(m.cids, codeRange{lo: code(c), hi: code(c), cid: n})
				}
			})
		}
	}
	byLow := func(a, b codeRange) int { return int(int64(a.lo) - int64(b.lo)) }
	slices.SortStableFunc(m.ranges, byLow)
	slices.SortStableFunc(m.cids, byLow)
	return m
}

// each hands on the string that begins each entry, up to the end of the section.
func (m *cmap) each(l *lexer, entry func(str)) {
	for {
		switch v := l.object(0).(type) {
		case str:
			if len(m.single)+len(m.ranges)+len(m.cids)+len(m.spaces) < maxCodes {
				entry(v)
			}
		case op:
			return
		}
	}
}

func (m *cmap) textRange(l *lexer, low str) {
	high, _ := l.object(0).(str)
	lo, hi := code(low), code(high)
	switch to := l.object(0).(type) {
	case str:
		if t := []rune(utf16String(string(to), true)); len(t) > 0 && hi >= lo {
			m.ranges = append(m.ranges, codeRange{lo: lo, hi: hi, to: t})
		}
	case array:
		for i, v := range to {
			if s, ok := v.(str); ok && uint32(i) <= hi-lo {
				m.single[lo+uint32(i)] = utf16String(string(s), true)
			}
		}
	}
}

// code reads up to four bytes as a number.
func code(s str) (n uint32) {
	for i := range min(len(s), 4) {
		n = n<<8 | uint32(s[i])
	}
	return n
}

// text returns what a code stands for.
func (m *cmap) text(c uint32) (string, bool) {
	if s, ok := m.single[c]; ok {
		return s, true
	}
	if e, ok := find(m.ranges, c); ok {
		to := slices.Clone(e.to)
		to[len(to)-1] += rune(c - e.lo)
		return string(to), true
	}
	return "", false
}

// cid returns the character number of a code.
func (m *cmap) cid(c uint32) int {
	if e, ok := find(m.cids, c); ok {
		return e.cid + int(c-e.lo)
	}
	return int(c)
}

// find returns the last range that begins at or before c and holds it. Ranges do not overlap in files that work; a few steps
// back serve those where they do.
func find(ranges []codeRange, c uint32) (codeRange, bool) {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].lo > c })
	for k := i - 1; k >= 0 && k >= i-8; k-- {
		if c <= ranges[k].hi {
			return ranges[k], true
		}
	}
	return codeRange{}, false
}

// next cuts the next code off a string, by the code spaces; without any, codes have size bytes.
func (m *cmap) next(s str, size int) (c uint32, n int) {
	if m != nil {
		for _, want := range []int{1, 2, 3, 4} {
			if want > len(s) {
				break
			}
			c = code(s[:want])
			for _, sp := range m.spaces {
				if sp.bytes == want && inSpace(c, sp) {
					return c, want
				}
			}
		}
		if len(m.spaces) > 0 {
			size = m.spaces[0].bytes
		}
	}
	n = min(size, len(s))
	return code(s[:n]), n
}

// inSpace compares byte by byte, as code spaces are rectangles.
func inSpace(c uint32, sp codeSpace) bool {
	for i := range sp.bytes {
		b, lo, hi := c>>(8*i)&0xff, sp.lo>>(8*i)&0xff, sp.hi>>(8*i)&0xff
		if b < lo || b > hi {
			return false
		}
	}
	return true
}
