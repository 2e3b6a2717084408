package rank

import (
	"cmp"
	"math"
	"slices"
)

const (
	feedbackItems = 10
	feedbackTerms = 20
	feedbackReach = 256 // terms of a text that are looked at
)

// Shares of the neighbours' terms: one before, one behind, two before, two behind.
var contextShare = [4]float32{.6, .2, .35, .05}

// names finds the query terms that are names of speakers.
func (w *work) names() {
	n := len(w.query.ids)
	w.name = zeroed(w.name, n)
	for i := range w.s.Items {
		if w.s.Items[i].Voice != Person {
			continue
		}
		for j, tf := range w.query.head[i*n : (i+1)*n] {
			if tf > 0 {
				w.name[j] = true
			}
		}
	}
}

// contextScores sets dst[i] to the BM25 score of candidate i for the terms of c by w.weight. A text counts with its title
// and speaker, and with a share of its neighbours' texts: the longer the neighbour, and the longer the text itself, the
// less.
func (w *work) contextScores(dst []float32, c *counts) {
	s, n := w.s, len(c.ids)
	total := float32(0)
	for i := range s.Candidates {
		dl := float32(len(s.Items[i].Terms))
		for k, o := range w.around[i] {
			if o >= 0 {
				dl += w.damp[i] * contextShare[k] * min(w.length[o], window)
			}
		}
		dst[i] = dl
		total += dl
	}
	mean := max(total/float32(max(s.Candidates, 1)), 1e-6)
	for i := range s.Candidates {
		norm := k1 * (1 - b1 + b1*dst[i]/mean)
		text, head := c.text[i*n:(i+1)*n], c.head[i*n:(i+1)*n]
		var beside [4][]uint8
		var share [4]float32
		sides := 0
		for k, o := range w.around[i] {
			if o >= 0 && c.some[o] {
				beside[sides], share[sides] = c.text[int(o)*n:(int(o)+1)*n], w.damp[i]*contextShare[k]*w.damp[o]
				sides++
			}
		}
		var sum float32
		for j := range n {
			x := float32(text[j]) + float32(head[j])
			for k := range sides {
				x += share[k] * float32(beside[k][j])
			}
			if x > 0 {
				sum += w.weight[j] * x * (k1 + 1) / (x + norm)
			}
		}
		dst[i] = sum
	}
}

// ownText scores all items by their own text, without the names of speakers, over the best.
func (w *work) ownText() {
	s, n := w.s, len(w.query.ids)
	w.own = zeroed(w.own, len(s.Items))
	mean := float32(max(s.Length, 1))
	for i := range s.Items {
		if !w.query.some[i] {
			continue
		}
		norm := k1 * (1 - b1 + b1*w.length[i]/mean)
		for j, tf := range w.query.text[i*n : (i+1)*n] {
			if tf > 0 && !w.name[j] {
				w.own[i] += w.idf[j] * float32(tf) * (k1 + 1) / (float32(tf) + norm)
			}
		}
	}
	toBest(w.own)
	w.stray()
}

// What counts where no text has more than one word of a query of several: such a word may have come there by chance, and meaning
// decides. Of notes and documents a word that stands nowhere else (strayRare: its idf over that of a word in one entry) counts
// more than in messages, and the commoner it is the less; a neighbour in meaning of some word is then worth less, too, and where none
// has any word at all, nothing beside what the whole means.
const (
	strayWord  = 0.35 // of the text score
	strayNote  = 0.1  // of the text score of notes and documents, at the least
	strayOnly  = 0.42 // of the text score of notes and documents, for a word of one entry
	strayAlike = 0.45 // of the likeness of notes and documents
	strayRare  = 0.9  // up to here a word is common
)

// stray sets how much the text score and the likeness count. Names of speakers are no words of the query.
func (w *work) stray() {
	w.strength, w.likely = 1, 1
	n := len(w.query.ids)
	asked, most := 0, 0
	for j := range n {
		if !w.name[j] {
			asked++
		}
	}
	if asked < 2 {
		return
	}
	rarest, spoken := float32(0), false
	for i := range w.s.Candidates {
		spoken = spoken || w.s.Items[i].Voice != Nobody
		if !w.query.some[i] {
			continue
		}
		found := 0
		for j, tf := range w.query.text[i*n : (i+1)*n] {
			if tf > 0 && !w.name[j] {
				found++
				rarest = max(rarest, w.idf[j])
			}
		}
		most = max(most, found)
	}
	if most > 1 {
		return
	}
	w.strength = strayWord
	if spoken {
		return
	}
	rare := (rarest/idf(w.s.Entries, 1) - strayRare) / (1 - strayRare)
	w.strength = strayNote + (strayOnly-strayNote)*min(1, max(0, rare))
	if most > 0 {
		w.likely = strayAlike
	} else {
		w.likely = 0
	}
}

// sessions scores each session by all its items in the scene, where there are several.
func (w *work) sessions() {
	s, n := w.s, len(w.query.ids)
	count := 0
	for i := range s.Items {
		count = max(count, int(s.Items[i].Session)+1)
	}
	if count < 2 || n == 0 {
		return
	}
	g := &w.group
	g.tf, g.length, g.score = zeroed(g.tf, count*n), zeroed(g.length, count), zeroed(g.score, count)
	total := float32(0)
	for i := range s.Items {
		in := s.Items[i].Session
		if in < 0 {
			continue
		}
		g.length[in] += w.length[i]
		total += w.length[i]
		if !w.query.some[i] {
			continue
		}
		row := g.tf[int(in)*n : (int(in)+1)*n]
		for j, x := range w.query.text[i*n : (i+1)*n] {
			if x > 0 {
				row[j] += float32(x)
			}
		}
	}
	mean := max(total/float32(count), 1e-6)
	for j := range n {
		df := 0
		for k := range count {
			if g.tf[k*n+j] > 0 {
				df++
			}
		}
		if df == 0 {
			continue
		}
		weight := idf(max(count, s.Sessions), df) * float32(max(1, s.Terms[j].Count))
		for k := range count {
			if x := g.tf[k*n+j]; x > 0 {
				g.score[k] += weight * x * (k1 + 1) / (x + k1*(1-b1+b1*g.length[k]/mean))
			}
		}
	}
	toBest(g.score)
	for i := range s.Candidates {
		if in := s.Items[i].Session; in >= 0 && w.ctx[i] > 0 {
			w.rows[i][SignSession] = g.score[in]
		}
	}
}

// feedback scores the candidates by the terms of the best of them (RM3 of Abdul-Jaleel and others, TREC 2004), weighed by
// how rare they are among the items of the scene.
func (w *work) feedback() {
	s, f := w.s, &w.feed
	f.best = f.best[:0]
	for i := range s.Candidates {
		if w.ctx[i] > 0 {
			f.best = w.keepBest(f.best, i)
		}
	}
	if len(f.best) == 0 {
		return
	}
	var sum float32
	for _, i := range f.best {
		sum += w.ctx[i]
	}
	f.seen.reset(256)
	f.weight = f.weight[:0]
	for _, i := range f.best {
		it := &s.Items[i]
		terms := it.Terms[it.Head:]
		f.text = append(f.text[:0], terms[:min(len(terms), feedbackReach)]...)
		slices.Sort(f.text)
		for k := 0; k < len(f.text); {
			from, id := k, f.text[k]
			for k < len(f.text) && f.text[k] == id {
				k++
			}
			at := f.seen.find(id)
			if at < 0 {
				at = f.seen.add(id)
				f.weight = append(f.weight, 0)
			}
			f.weight[at] += float32(math.Sqrt(float64(k-from))) * w.ctx[i] / sum
		}
	}
	w.feedbackTerms()
	if len(f.ids) == 0 {
		return
	}
	f.scan(s.Items)
	f.score = zeroed(f.score, s.Candidates)
	w.contextScores(f.score, &f.counts)
	toBest(f.score)
	for i := range s.Candidates {
		w.rows[i][SignFeedback] = f.score[i]
	}
}

// keepBest puts i among the best by context, of which there are few; of equals the first stays before.
func (w *work) keepBest(kept []int, i int) []int {
	if len(kept) == feedbackItems {
		if w.ctx[i] <= w.ctx[kept[len(kept)-1]] {
			return kept
		}
		kept = kept[:len(kept)-1]
	}
	kept = append(kept, i)
	for k := len(kept) - 1; k > 0 && w.ctx[kept[k]] > w.ctx[kept[k-1]]; k-- {
		kept[k], kept[k-1] = kept[k-1], kept[k]
	}
	return kept
}

// feedbackTerms leaves the terms that say most, with their weights, the best of which is 1 times its idf.
func (w *work) feedbackTerms() {
	f := &w.feed
	entries := w.frequencies()
	f.order = f.order[:0]
	for at := range f.weight {
		f.weight[at] *= idf(entries, f.df[at])
		f.order = w.keepTerm(f.order, at)
	}
	f.reset(len(f.order))
	w.weight = w.weight[:0]
	for _, at := range f.order {
		f.add(f.seen.ids[at])
		w.weight = append(w.weight, idf(entries, f.df[at])*f.weight[at]/max(f.weight[f.order[0]], 1e-9))
	}
}

// keepTerm puts a term among those that say most, the weightiest first, of which few are kept: to sort all of them would take longer.
func (w *work) keepTerm(kept []int, at int) []int {
	f := &w.feed
	before := func(a, b int) bool {
		if n := cmp.Compare(f.weight[b], f.weight[a]); n != 0 {
			return n < 0
		}
		return f.seen.ids[a] < f.seen.ids[b]
	}
	if len(kept) == feedbackTerms {
		if !before(at, kept[len(kept)-1]) {
			return kept
		}
		kept = kept[:len(kept)-1]
	}
	kept = append(kept, at)
	for k := len(kept) - 1; k > 0 && before(kept[k], kept[k-1]); k-- {
		kept[k], kept[k-1] = kept[k-1], kept[k]
	}
	return kept
}

// frequencies sets in how many entries each term stands that feedback may use, and returns of how many entries.
func (w *work) frequencies() (entries int) {
	s, f := w.s, &w.feed
	f.df = zeroed(f.df, len(f.weight))
	if s.Frequency != nil {
		s.Frequency(f.seen.ids, f.df)
		return s.Entries
	}
	for i := range s.Items {
		it := &s.Items[i]
		for k, id := range it.Terms[it.Head:] {
			at := f.seen.find(id)
			// A term counts once an item; a repeat is looked for among the few before it, which is near enough.
			if at >= 0 && !slices.Contains(it.Terms[max(it.Head, it.Head+k-8):it.Head+k], id) {
				f.df[at]++
			}
		}
	}
	return len(s.Items)
}
