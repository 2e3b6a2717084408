package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// word is what both means hand to the layout: text with its box, in points, counted from the upper left corner of the page.
type word struct {
	x0, y0, x1, y1 float64
	size           float64 // of the font, or the height of the box where that is all that is known
	text           string
}

// page is one page: its words by the direction in which they run (quarters clockwise; nearly all of them are 0).
type page struct {
	width, height float64
	words         [4][]word
	read          string // what OCR or a model read instead; "" if it was not asked
}

// letters counts what can be read on a page, and what cannot.
func (p *page) letters() (good, bad int) {
	for _, q := range p.words {
		for _, w := range q {
			for _, r := range w.text {
				if r == 0xfffd || r >= 0xe000 && r <= 0xf8ff {
					bad++
				} else {
					good++
				}
			}
		}
	}
	return good, bad
}

// row is what stands on one height, by x.
type row struct {
	y0, y1 float64
	words  []word
}

// rows sorts words into rows: two words share one when half of the smaller stands beside the other, and neither is more than
// twice as tall.
func rows(words []word) []row {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b word) int { return cmp.Compare(a.y0, b.y0) })
	var out []row
	for _, w := range sorted {
		at := -1
		for i := len(out) - 1; i >= 0 && i >= len(out)-6; i-- {
			h, rh := w.y1-w.y0, out[i].y1-out[i].y0
			overlap := min(w.y1, out[i].y1) - max(w.y0, out[i].y0)
			if overlap >= 0.5*min(h, rh) && h < 2*rh && rh < 2*h {
				at = i
				break
			}
		}
		if at < 0 {
			out = append(out, row{y0: w.y0, y1: w.y1, words: []word{w}})
			continue
		}
		r := &out[at]
		if r.words = append(r.words, w); w.y1-w.y0 > r.y1-r.y0 {
			r.y0, r.y1 = w.y0, w.y1
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].words, func(a, b word) int { return cmp.Compare(a.x0, b.x0) })
	}
	slices.SortStableFunc(out, func(a, b row) int { return cmp.Compare(a.y0+a.y1, b.y0+b.y1) })
	return out
}

// block is a paragraph, a table or what is left over, in reading order.
type block struct {
	text  string
	size  float64
	lines int
	table bool
	first line // where it begins
	last  line // where it ends
}

// line is one line of a paragraph.
type line struct {
	x0, y0, x1, y1 float64
	size           float64
	text           string
	start          float64 // width of its first word
	first          string
}

// layout puts the words of one page and direction into reading order: it looks for a gutter, a strip without words beside
// which text runs down on both sides, and reads what stands above it, its left, its right and what stands below, each in
// the same way. Where the sides are cells rather than columns it makes a table. This is the recursive X-Y cut of Nagy and Seth
// (1984) with the cut taken over the rows that it fits.
type layout struct {
	vocabulary map[string]bool
	out        []block
	rtl        bool
}

const maxCuts = 12 // nested

func (l *layout) region(rs []row, depth int) {
	if len(rs) == 0 {
		return
	}
	g, ok := findGutter(rs)
	if !ok || depth >= maxCuts {
		l.flow(rs)
		return
	}
	left, right := g.split(rs)
	if columns(left) && columns(right) {
		if l.rtl {
			left, right = right, left
		}
		l.region(rs[:g.from], depth+1)
		l.region(left, depth+1)
		l.region(right, depth+1)
		l.region(rs[g.to:], depth+1)
		return
	}
	g.shrink(rs)
	l.region(rs[:g.from], depth+1)
	if !l.table(rs[g.from:g.to]) {
		l.flow(rs[g.from:g.to])
	}
	l.region(rs[g.to:], depth+1)
}

// shrink leaves out the rows at both ends that stand on one side alone.
func (s *strip) shrink(rs []row) {
	alone := func(r row) bool { return r.words[0].x0 >= s.hi || r.words[len(r.words)-1].x1 <= s.lo }
	for s.from < s.to && alone(rs[s.from]) {
		s.from++
	}
	for s.to > s.from && alone(rs[s.to-1]) {
		s.to--
	}
}

// strip is a stretch of x that is free in the rows from..to-1; both counts those with words on both sides.
type strip struct {
	lo, hi   float64
	from, to int
	both     int
}

// sizeOf is the usual size of the words of rows.
func sizeOf(rs []row) float64 {
	var sizes []float64
	for _, r := range rs {
		for _, w := range r.words {
			sizes = append(sizes, w.size)
		}
	}
	return median(sizes)
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	return s[len(s)/2]
}

// findGutter returns the strip that has text on both sides in most rows.
func findGutter(rs []row) (best strip, ok bool) {
	em := sizeOf(rs)
	narrow := 0.85 * em
	const most = 48
	var open []strip
	end := func(s strip, at int) {
		s.to = at
		if s.both < 3 || s.both < 5 && s.hi-s.lo < 1.3*em {
			return
		}
		if !ok || s.both > best.both || s.both == best.both && s.hi-s.lo > best.hi-best.lo {
			best, ok = s, true
		}
	}
	for i, r := range rs {
		gaps := freeOf(r, narrow)
		var next []strip
		for _, s := range open {
			alive := false
			for k, g := range gaps {
				lo, hi := max(s.lo, g[0]), min(s.hi, g[1])
				if hi-lo < narrow {
					continue
				}
				alive = true
				n := strip{lo: lo, hi: hi, from: s.from, both: s.both}
				if k > 0 && k < len(gaps)-1 {
					n.both++
				}
				next = keep(next, n)
			}
			if !alive {
				end(s, i)
			}
		}
		for k := 1; k < len(gaps)-1; k++ {
			next = keep(next, strip{lo: gaps[k][0], hi: gaps[k][1], from: i, both: 1})
		}
		if len(next) > most {
			slices.SortStableFunc(next, func(a, b strip) int { return cmp.Compare(b.both, a.both) })
			next = next[:most]
		}
		open = next
	}
	for _, s := range open {
		end(s, len(rs))
	}
	if ok {
		best.grow(rs, em)
	}
	return best, ok
}

// freeOf lists the gaps of a row that are at least as wide as narrow; the first and the last are its margins.
func freeOf(r row, narrow float64) [][2]float64 {
	out := [][2]float64{{math.Inf(-1), r.words[0].x0}}
	reach := r.words[0].x1
	for _, w := range r.words[1:] {
		if w.x0-reach >= narrow {
			out = append(out, [2]float64{reach, w.x0})
		}
		reach = max(reach, w.x1)
	}
	return append(out, [2]float64{reach, math.Inf(1)})
}

// keep adds a strip unless a like one that reaches further up is there.
func keep(all []strip, s strip) []strip {
	for i, o := range all {
		if o.lo == s.lo && o.hi == s.hi {
			if s.both > o.both {
				all[i] = s
			}
			return all
		}
	}
	return append(all, s)
}

// grow takes in the rows above that stand on one side alone: on the left, or close to the text on the right.
func (s *strip) grow(rs []row, em float64) {
	for s.from > 0 {
		r := rs[s.from-1]
		gap := rs[s.from].y0 - r.y1
		isLeft, isRight := r.words[len(r.words)-1].x1 <= s.lo+0.1*em, r.words[0].x0 >= s.hi-0.1*em
		if gap > 2.5*em || !isLeft && (!isRight || gap > 0.9*em) {
			return
		}
		s.from--
	}
}

// split parts the words of the strip's rows at its middle, and sorts each side into rows of its own: lines of two columns need
// not stand on the same heights.
func (s *strip) split(rs []row) (left, right []row) {
	var l, r []word
	for _, row := range rs[s.from:s.to] {
		for _, w := range row.words {
			if (w.x0+w.x1)/2 < (s.lo+s.hi)/2 {
				l = append(l, w)
			} else {
				r = append(r, w)
			}
		}
	}
	return rows(l), rows(r)
}

// columns reports that rows are lines of running text: wide, and mostly filled.
func columns(rs []row) bool {
	em := sizeOf(rs)
	lo, hi := bounds(rs)
	var filled []float64
	for _, r := range rs {
		sum := 0.0
		for _, w := range r.words {
			sum += w.x1 - w.x0
		}
		filled = append(filled, sum/(hi-lo+0.001))
	}
	return hi-lo >= 9*em && median(filled) >= 0.5 && len(rs) >= 3
}

func bounds(rs []row) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, r := range rs {
		lo = min(lo, r.words[0].x0)
		for _, w := range r.words {
			hi = max(hi, w.x1)
		}
	}
	return lo, hi
}

// table writes rows as a Markdown table, if they have columns of cells. A row whose first cell is empty goes on with the row
// above it.
func (l *layout) table(rs []row) bool {
	em := sizeOf(rs)
	type span struct{ lo, hi float64 }
	var spans []span
	for _, r := range rs {
		for _, w := range r.words {
			spans = append(spans, span{w.x0, w.x1})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	cols := spans[:1:1]
	for _, s := range spans[1:] {
		if last := &cols[len(cols)-1]; s.lo-last.hi >= 0.6*em {
			cols = append(cols, s)
		} else {
			last.hi = max(last.hi, s.hi)
		}
	}
	if len(cols) < 2 || len(cols) > 40 || len(rs) < 3 {
		return false
	}
	var grid [][]string
	for _, r := range rs {
		parts := make([][]word, len(cols))
		for _, w := range r.words {
			at, _ := slices.BinarySearchFunc(cols, w.x0, func(s span, x float64) int { return cmp.Compare(s.hi, x) })
			at = min(at, len(cols)-1)
			parts[at] = append(parts[at], w)
		}
		cells := make([]string, len(cols))
		for i, p := range parts {
			if len(p) > 0 {
				cells[i] = strings.ReplaceAll(newLine(p).text, "|", `\|`)
			}
		}
		if n := len(grid); n > 1 && cells[0] == "" {
			for i, c := range cells {
				if c != "" {
					grid[n-1][i] = strings.TrimSpace(grid[n-1][i] + " " + c)
				}
			}
			continue
		}
		grid = append(grid, cells)
	}
	if l.rtl {
		for _, g := range grid {
			slices.Reverse(g)
		}
	}
	var b strings.Builder
	for i, g := range grid {
		b.WriteString("| " + strings.Join(g, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(g)) + "\n")
		}
	}
	last := rs[len(rs)-1]
	l.out = append(l.out, block{
		text: strings.TrimRight(b.String(), "\n"), size: em, lines: len(rs), table: true,
		first: line{y0: rs[0].y0, size: em}, last: line{y1: last.y1, size: em},
	})
	return true
}

// flow reads rows as lines of one column and puts them together to paragraphs.
func (l *layout) flow(rs []row) {
	var lines []line
	for _, r := range rs {
		lines = append(lines, newLine(r.words))
	}
	left, right := math.Inf(1), math.Inf(-1)
	var pitches []float64
	for i, n := range lines {
		left, right = min(left, n.x0), max(right, n.x1)
		if i > 0 && alike(n.size, lines[i-1].size) && n.y0 > lines[i-1].y0 {
			pitches = append(pitches, n.y0-lines[i-1].y0)
		}
	}
	pitch := usualPitch(pitches)
	start := 0
	for i := 1; i <= len(lines); i++ {
		if i < len(lines) && !l.breaks(lines, start, i, left, right, pitch) {
			continue
		}
		l.paragraph(lines[start:i])
		start = i
	}
}

// usualPitch is the distance of lines within paragraphs: a low one of those measured, as those between paragraphs are larger.
func usualPitch(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	return s[(len(s)-1)/3]
}

// alike reports two sizes that are one to the eye.
func alike(a, b float64) bool { return math.Abs(a-b) <= 0.1*max(a, b) }

// breaks reports whether a paragraph that began at line start ends before line i.
func (l *layout) breaks(lines []line, start, i int, left, right, pitch float64) bool {
	a, b := lines[i-1], lines[i]
	em := b.size
	ends := endsSentence(a.text)
	if l.rtl { // mirror
		left, right = -right, -left
		a.x0, a.x1, b.x0, b.x1 = -a.x1, -a.x0, -b.x1, -b.x0
	}
	switch {
	case !alike(a.size, b.size):
		return !(len([]rune(b.text)) < 3 || len([]rune(a.text)) < 3)
	case b.y0-a.y1 > 1.1*em:
		return true
	case b.y0-a.y0 > 1.2*pitch && b.y0-a.y1 > 0.2*em:
		return true
	case ends && directionOf(a.first) != directionOf(b.first) && (directionOf(a.first) == rightToLeft || directionOf(b.first) == rightToLeft):
		return true
	case isItem(b.text) && (ends || isItem(lines[start].text) || a.x1 < right-3*em):
		return true
	case right-a.x1 > b.start+0.6*em && (ends || startsBig(b.text) && right-a.x1 > 0.3*(right-left)):
		return true // its first word would have fit above
	}
	return b.x0 > left+0.8*em && a.x0 <= left+0.5*em && ends && (i+1 >= len(lines) || !alike(lines[i+1].size, em) || lines[i+1].x0 < left+0.8*em || l.rtl)
}

// paragraph joins lines.
func (l *layout) paragraph(lines []line) {
	var b strings.Builder
	text := lines[0].text
	weight := map[float64]int{}
	for i, n := range lines {
		weight[n.size] += len(n.text)
		if i == 0 {
			continue
		}
		head, tail := l.join(text, n.text)
		b.WriteString(head)
		text = tail
	}
	b.WriteString(text)
	size, most := lines[0].size, 0
	for s, n := range weight {
		if n > most || n == most && s > size {
			size, most = s, n
		}
	}
	l.out = append(l.out, block{text: b.String(), size: size, lines: len(lines), first: lines[0], last: lines[len(lines)-1]})
}
