package chunk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// unit is a stretch of a document that readers of its type see as one thing.
type unit struct {
	text.Span
	kind    string
	heading []string
	symbol  string
	context string // for chunks that begin inside the unit, at or behind inner
	inner   int
	byLine  bool // break between lines, not sentences
	repeat  bool // may be repeated as overlap
}

// atom is a stretch that the packer does not break: a sentence, a line, or a
// piece of one that is too long.
type atom struct {
	text.Span
	cost    int
	level   int // how bad a break before it is; the least is the best
	unit    int
	partial bool
}

// Levels of a break.
const (
	levelUnit     = 0   // before a unit
	levelSentence = 400 // between sentences
	levelCloser   = 500 // before a line that only closes
	levelPartial  = 600 // inside a sentence or line
)

type packer struct {
	doc   Document
	opts  Options
	base  int     // Count(""), what a model adds to every text
	ratio float64 // bytes a token of the last piece
	out   []Chunk

	last      text.Span
	lastCount int
}

// pack appends the chunks of one section.
func (p *packer) pack(units []unit) {
	atoms := p.atoms(units)
	reached := 0 // atoms before this one are in a chunk
	for i := 0; reached < len(atoms); {
		k := p.fill(atoms, i, reached)
		for i < reached && !p.fits(atoms, i, k) {
			i++ // give up overlap first
		}
		p.emit(units, atoms[i:k], reached-i)
		reached = k
		i = p.overlap(atoms, i, k)
	}
}

// fill returns the end of the chunk that begins at atom i and must take
// more than the atoms before reached.
func (p *packer) fill(atoms []atom, i, reached int) int {
	sum, j := p.base, i
	for j < len(atoms) {
		cost := p.costAfter(atoms, i, j)
		if j > reached && sum+cost > p.opts.MaxTokens {
			break
		}
		sum += cost
		j++
	}
	for j > reached+1 && !p.fits(atoms, i, j) {
		j = p.shrink(atoms, i, j, reached)
	}
	if j == len(atoms) {
		return j
	}
	best := j
	sum = p.base
	for k := i; k < j; k++ {
		sum += p.costAfter(atoms, i, k)
		next := k + 1
		if next > reached && next < j && 2*sum >= p.opts.MaxTokens && atoms[next].level <= atoms[best].level {
			best = next
		}
	}
	// The last candidate of the lowest level wins, and the full chunk on a tie.
	if best != j && atoms[j].level <= atoms[best].level {
		best = j
	}
	if best != j && !p.fits(atoms, i, best) {
		return j
	}
	return best
}

// shrink drops atoms from the end of [i, j) that make up for what is too much.
func (p *packer) shrink(atoms []atom, i, j, reached int) int {
	over := p.count(atoms[i].Start, atoms[j-1].End) - p.opts.MaxTokens
	for j > reached+1 && over > 0 {
		j--
		over -= max(1, atoms[j].cost)
	}
	return max(j, reached+1)
}

// costAfter is the cost of atom j in a chunk that begins at atom i.
func (p *packer) costAfter(atoms []atom, i, j int) int {
	if j > i && strings.IndexByte(p.doc.Text[atoms[j-1].End:atoms[j].Start], '\n') >= 0 {
		return atoms[j].cost + 1
	}
	return atoms[j].cost
}

func (p *packer) fits(atoms []atom, i, k int) bool {
	return p.count(atoms[i].Start, atoms[k-1].End) <= p.opts.MaxTokens
}

// count is Count of Text[start:end]; it remembers the last answer, because a
// chunk is asked for when it is filled and again when it is emitted.
func (p *packer) count(start, end int) int {
	if p.last != (text.Span{Start: start, End: end}) {
		p.last = text.Span{Start: start, End: end}
		p.lastCount = p.opts.Count(p.doc.Text[start:end])
	}
	return p.lastCount
}

// overlap returns the atom at which the chunk after [i, k) begins.
func (p *packer) overlap(atoms []atom, i, k int) int {
	if p.opts.Overlap == 0 || k == len(atoms) {
		return k
	}
	most := max(2*p.opts.Overlap, p.opts.MaxTokens/4)
	room := p.opts.MaxTokens - p.base - atoms[k].cost
	o, sum := k, 0
	middle := (atoms[i].Start + atoms[k-1].End) / 2 // so that chunks advance by half at least
	for o-1 > i && !atoms[o-1].partial && atoms[o-1].Start >= middle {
		sum += max(1, p.costAfter(atoms, i, o-1))
		if sum > room || sum > p.opts.Overlap && (o < k || sum > most) {
			break
		}
		o--
	}
	return o
}

// emit appends the chunk of atoms, the first shared of which were in the one
// before.
func (p *packer) emit(units []unit, atoms []atom, shared int) {
	first, last := atoms[shared], atoms[len(atoms)-1]
	c := Chunk{Start: atoms[0].Start, End: last.End, Shared: first.Start - atoms[0].Start}
	c.Tokens = p.count(c.Start, c.End)
	bytes := 0
	for i := shared; i < len(atoms); {
		u := &units[atoms[i].unit]
		size := 0
		for ; i < len(atoms) && &units[atoms[i].unit] == u; i++ {
			size += atoms[i].End - atoms[i].Start
		}
		if c.Kind == "" || c.Kind == KindHeading || size > bytes && u.kind != KindHeading {
			c.Kind, bytes = u.kind, size
		}
		if c.Symbol == "" {
			c.Symbol = u.symbol
		}
	}
	c.Heading = units[last.unit].heading
	if u := &units[first.unit]; u.context != "" && c.Start >= u.inner {
		c.Context = u.context
	}
	p.out = append(p.out, c)
}

// atoms breaks units into sentences or lines, and those that are too long into pieces.
func (p *packer) atoms(units []unit) []atom {
	var out []atom
	for i := range units {
		u := &units[i]
		first := len(out)
		if u.byLine {
			out = p.lineAtoms(out, u, i)
		} else {
			for s := range text.Sentences(u.Of(p.doc.Text)) {
				out = p.add(out, atom{Span: text.Span{Start: u.Start + s.Start, End: u.Start + s.End}, level: levelSentence, unit: i})
			}
		}
		if first < len(out) {
			out[first].level = levelUnit
		}
		if !u.repeat {
			for k := first; k < len(out); k++ {
				out[k].partial = true
			}
		}
	}
	return out
}

// lineAtoms breaks a unit into lines; a break is better the less the line
// behind it is indented, and better after a blank line.
func (p *packer) lineAtoms(out []atom, u *unit, index int) []atom {
	s := p.doc.Text
	blank := false
	for i := u.Start; i < u.End; {
		end := u.End
		if j := strings.IndexByte(s[i:end], '\n'); j >= 0 {
			end = i + j
		}
		line := trim(s, text.Span{Start: i, End: end})
		if line.Start == line.End {
			blank = true
		} else {
			level := 2 * min(indentation(s[i:line.Start]), 100)
			if blank {
				level--
			}
			if strings.IndexByte("}])", s[line.Start]) >= 0 {
				level = levelCloser
			}
			out = p.add(out, atom{Span: line, level: level + 1, unit: index})
			blank = false
		}
		i = end + 1
	}
	return out
}

// indentation returns the width of blanks, a tab counted as four.
func indentation(blanks string) int {
	return len(blanks) + 3*strings.Count(blanks, "\t")
}

// add appends a, cut to pieces when it exceeds the limit.
func (p *packer) add(out []atom, a atom) []atom {
	n := p.opts.Count(a.Of(p.doc.Text))
	if n <= p.opts.MaxTokens {
		a.cost = max(0, n-p.base)
		return append(out, a)
	}
	for rest := a.Span; rest.Start < rest.End; {
		piece, n := p.piece(rest)
		out = append(out, atom{Span: piece, cost: max(0, n-p.base), level: a.level, unit: a.unit, partial: true})
		a.level = levelPartial
		rest = trim(p.doc.Text, text.Span{Start: piece.End, End: rest.End})
	}
	return out
}

// piece returns the longest good piece of rest that fits, and its tokens. It
// guesses the width from the last piece, so that each costs a few counts of
// about its own length.
func (p *packer) piece(rest text.Span) (text.Span, int) {
	s, limit := p.doc.Text, p.opts.MaxTokens
	if p.ratio == 0 {
		p.ratio = 4
	}
	width := int(p.ratio * float64(limit))
	best, bestCount := text.Span{}, 0
	for range 64 {
		end := runeFloor(s, rest.Start, min(rest.End, rest.Start+max(1, width)))
		try := text.Span{Start: rest.Start, End: goodCut(s, rest.Start, end, rest.End)}
		try = trim(s, try)
		n := p.opts.Count(try.Of(s))
		size := try.End - try.Start
		if n <= limit {
			best, bestCount = try, n
			if try.End >= rest.End || 5*n >= 3*limit {
				break
			}
			grown := int(float64(size) * 0.95 * float64(limit) / float64(max(n, 1)))
			if grown <= width {
				break
			}
			width = min(grown, 4*width+4)
			continue
		}
		if best.End > 0 {
			break
		}
		if oneRune(s, try) {
			return try, n
		}
		width = min(size-1, int(float64(size)*0.95*float64(limit)/float64(n)))
	}
	if best.End == 0 {
		end := rest.Start + runeLen(s, rest.Start)
		best = text.Span{Start: rest.Start, End: end}
		bestCount = p.opts.Count(best.Of(s))
	}
	p.ratio = float64(best.End-best.Start) / float64(max(bestCount, 1))
	return best, bestCount
}

func oneRune(s string, p text.Span) bool { return p.End-p.Start <= runeLen(s, p.Start) }

func runeLen(s string, i int) int {
	_, n := utf8.DecodeRuneInString(s[i:])
	return n
}

// runeFloor returns the last rune bound at or before end, but at least one
// rune behind start.
func runeFloor(s string, start, end int) int {
	for end > start && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	if end == start {
		return start + runeLen(s, start)
	}
	return end
}

// goodCut returns where to cut s[start:end] when the sentence goes on to
// last: behind a clause, else before a word, else between runes that do not
// combine; never in the first three fifths when it can be helped.
func goodCut(s string, start, end, last int) int {
	if end >= last {
		return last
	}
	least := start + (end-start)*3/5
	word := 0
	for i := end; i > least; {
		before, n := utf8.DecodeLastRuneInString(s[start:i])
		after, _ := utf8.DecodeRuneInString(s[i:])
		if strings.ContainsRune("，、；：", before) || unicode.IsSpace(after) && strings.ContainsRune(",;:—–)", before) {
			return i
		}
		if word == 0 && (unicode.IsSpace(after) || unicode.IsSpace(before)) {
			word = i
		}
		i -= n
	}
	if word > 0 {
		return word
	}
	for i, steps := end, 0; i > least && steps < 12; steps++ {
		before, n := utf8.DecodeLastRuneInString(s[start:i])
		after, _ := utf8.DecodeRuneInString(s[i:])
		if before != 0x200d && after != 0x200d && !unicode.In(after, unicode.M, unicode.Variation_Selector) {
			return i
		}
		i -= n
	}
	return end
}

// trim shrinks p to s without white space at the ends.
func trim(s string, p text.Span) text.Span {
	for p.Start < p.End {
		r, n := utf8.DecodeRuneInString(s[p.Start:p.End])
		if !unicode.IsSpace(r) {
			break
		}
		p.Start += n
	}
	p.End = p.Start + len(strings.TrimRightFunc(s[p.Start:p.End], unicode.IsSpace))
	return p
}

// mergeSmall joins a section of a few words to the next when that one lies
// under its heading, so that a title does not stand alone in a chunk.
func mergeSmall(p *packer, sections [][]unit) [][]unit {
	out := make([][]unit, 0, len(sections))
	var carried []unit
	cost := 0
	for i, s := range sections {
		if len(s) == 0 {
			continue
		}
		joined := s
		if len(carried) > 0 {
			joined = append(carried, s...)
		}
		carried = nil
		if i+1 < len(sections) && len(sections[i+1]) > 0 && isUnder(s[len(s)-1], sections[i+1][0]) {
			span := text.Span{Start: s[0].Start, End: s[len(s)-1].End}
			if span.End-span.Start < 40*p.opts.MaxTokens {
				cost += p.opts.Count(span.Of(p.doc.Text)) - p.base
				if 8*cost <= p.opts.MaxTokens {
					carried = joined
					continue
				}
			}
		}
		out = append(out, joined)
		cost = 0
	}
	return out
}

// isUnder reports that b's section lies inside a's.
func isUnder(a, b unit) bool {
	return len(a.heading) > 0 && len(b.heading) > len(a.heading) &&
		slices.Equal(a.heading, b.heading[:len(a.heading)]) && a.symbol == "" && b.symbol == ""
}
