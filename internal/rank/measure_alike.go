package rank

import "math"

const (
	alikeFrom  = 0.3 // cosine above which two words are taken for neighbours
	alikeReach = 256 // terms of a text that are looked at
	alikeBlock = 256 // terms that are asked about at a time
	// alikeMost is how many distinct terms are compared in all. Texts of talk and of documents have up to 2,500 together; where they are
	// lines of random letters, each is a word of its own and has to be made a vector of first.
	alikeMost = 6_144
)

// alike is the working memory of [work.likeness].
type alike struct {
	numbers numbers   // of the distinct terms of the candidates
	terms   []uint32  // those of all candidates in a row, by number; [unnumbered] ones are near nothing
	row     []int32   // into near, by number; -1: near nothing
	near    []float32 // to each of the query's terms
	asked   []float32
	best    []float32
	weight  []float32
}

// likeness measures how much of the query's weight is missing from a text but has a neighbour in meaning there.
func (w *work) likeness() {
	s, n, l := w.s, len(w.query.ids), &w.alike
	if s.Alike == nil || n == 0 {
		return
	}
	var total float32
	l.weight = zeroed(l.weight, n)
	for j := range n {
		if w.name[j] {
			continue
		}
		l.weight[j] = w.idf[j]
		if w.query.ids[j] == NoTerm {
			l.weight[j] *= .7
		}
		total += l.weight[j]
	}
	if total == 0 {
		return
	}
	l.numbers.reset()
	l.terms = l.terms[:0]
	for i := range s.Candidates {
		for _, id := range s.Items[i].alikeTerms() {
			l.terms = append(l.terms, l.numbers.of(id, alikeMost))
		}
	}
	w.probe()
	l.best = zeroed(l.best, n)
	rest := l.terms
	for i := range s.Candidates {
		clear(l.best)
		terms := rest[:len(s.Items[i].alikeTerms())]
		rest = rest[len(terms):]
		for _, k := range terms {
			if k == unnumbered {
				continue
			}
			if from := l.row[k]; from >= 0 {
				for j, x := range l.near[from : int(from)+n] {
					l.best[j] = max(l.best[j], x)
				}
			}
		}
		var sum float32
		for j, x := range l.best {
			if x > 0 && w.query.text[i*n+j] == 0 {
				sum += l.weight[j] * x
			}
		}
		w.rows[i][SignAlike] = sum / total
	}
}

// alikeTerms are the terms of a text that are compared with those of the query.
func (it *Item) alikeTerms() []uint32 {
	terms := it.Terms[it.Head:]
	return terms[:min(len(terms), alikeReach)]
}

// probe asks what each distinct term is near to, and keeps it where that is anything.
func (w *work) probe() {
	l, n := &w.alike, len(w.query.ids)
	l.row, l.near = l.row[:0], l.near[:0]
	for rest := l.numbers.ids; len(rest) > 0; {
		some := rest[:min(alikeBlock, len(rest))]
		rest = rest[len(some):]
		l.asked = zeroed(l.asked, len(some)*n)
		w.s.Alike(some, l.asked)
		for k, id := range some {
			near := l.asked[k*n : (k+1)*n]
			at := int32(-1)
			for j, x := range near {
				if !(x > alikeFrom) || w.query.ids[j] == id {
					near[j] = 0
					continue
				}
				near[j] = min(1, x)
				at = int32(len(l.near))
			}
			l.row = append(l.row, at)
			if at >= 0 {
				l.near = append(l.near, near...)
			}
		}
	}
}

// numbers numbers terms from 0 on in the order in which they come. Its memory is used again.
type numbers struct {
	ids   []uint32
	table []numbered
	shift uint
}

// numbered is a term with its number + 1.
type numbered struct{ id, n uint32 }

// reset empties it and makes room for about as many as there were.
func (p *numbers) reset() {
	size, shift := 1024, uint(22)
	for size < 2*len(p.ids) {
		size, shift = size*2, shift-1
	}
	p.table, p.shift, p.ids = zeroed(p.table, size), shift, p.ids[:0]
}

// unnumbered is the number of a term that came when there were enough.
const unnumbered = math.MaxUint32

// of returns the number of a term, which may be new unless there are most of them.
func (p *numbers) of(id uint32, most int) uint32 {
	for i := id * 0x9e3779b1 >> p.shift; ; i = (i + 1) & uint32(len(p.table)-1) {
		switch e := &p.table[i]; {
		case e.n == 0 && len(p.ids) >= most:
			return unnumbered
		case e.n == 0:
			p.ids = append(p.ids, id)
			*e = numbered{id, uint32(len(p.ids))}
			if len(p.ids)*2 > len(p.table) {
				p.grow()
			}
			return uint32(len(p.ids) - 1)
		case e.id == id:
			return e.n - 1
		}
	}
}

func (p *numbers) grow() {
	p.table = zeroed(p.table, 2*len(p.table))
	p.shift--
	for n, id := range p.ids {
		i := id * 0x9e3779b1 >> p.shift
		for p.table[i].n != 0 {
			i = (i + 1) & uint32(len(p.table)-1)
		}
		p.table[i] = numbered{id, uint32(n + 1)}
	}
}
