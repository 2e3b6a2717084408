package rank

import (
	"math"
	"sync"
	"sync/atomic"
)

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
	numbers numbers     // of the distinct terms of the candidates
	terms   []uint32    // those of all candidates in a row, by number; [unnumbered] ones are near nothing
	row     []int32     // into near of the block, by number; -1: near nothing
	near    [][]float32 // to each of the query's terms, by block
	asked   [2][]float32
	blocks  blocks
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
	all := (len(l.numbers.ids) + alikeBlock - 1) / alikeBlock
	l.row = zeroed(l.row, len(l.numbers.ids))
	l.near = append(l.near, make([][]float32, max(0, all-len(l.near)))...)
	l.blocks.open(all)
	w.ask(&l.asked[0])
	l.blocks.wait()
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
				for j, x := range l.near[k/alikeBlock][from : int(from)+n] {
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

// ask asks what distinct terms are near to, block by block, until there are no more. Several may do that at a time, each with memory of its
// own.
func (w *work) ask(asked *[]float32) {
	for {
		k, ok := w.alike.blocks.take()
		if !ok {
			return
		}
		w.askBlock(k, asked)
	}
}

// askBlock asks what the terms of a block are near to, and keeps it where that is anything.
func (w *work) askBlock(k int, asked *[]float32) {
	l, n := &w.alike, len(w.query.ids)
	defer l.blocks.left.Done()
	from := k * alikeBlock
	ids := l.numbers.ids[from:min(from+alikeBlock, len(l.numbers.ids))]
	*asked = zeroed(*asked, len(ids)*n)
	w.s.Alike(ids, *asked)
	kept := l.near[k][:0]
	for i, id := range ids {
		near := (*asked)[i*n : (i+1)*n]
		at := int32(-1)
		for j, x := range near {
			if !(x > alikeFrom) || w.query.ids[j] == id {
				near[j] = 0
				continue
			}
			near[j] = min(1, x)
			at = int32(len(kept))
		}
		l.row[from+i] = at
		if at >= 0 {
			kept = append(kept, near...)
		}
	}
	l.near[k] = kept
}

// blocks are parts of a piece of work, given out to whoever has time. One opens them, and waits until all are done.
type blocks struct {
	n    atomic.Int32 // how many there are; 0: they are not open
	next atomic.Int32
	left sync.WaitGroup
}

func (b *blocks) open(n int) {
	b.left.Add(n)
	b.next.Store(0)
	b.n.Store(int32(n))
}

// take returns the number of a block that nobody has taken. Its taker says when it is done.
func (b *blocks) take() (k int, ok bool) {
	n := b.n.Load()
	if n == 0 {
		return 0, false
	}
	k = int(b.next.Add(1)) - 1
	return k, k < int(n)
}

func (b *blocks) wait() {
	b.left.Wait()
	b.n.Store(0)
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
