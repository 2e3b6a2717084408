package rank

import "math"

const (
	k1 = 1.2
	b1 = 0.75

	window   = 15 // terms that a neighbour counts as at most, and from which on a text needs its neighbours less
	maxTerms = 64 // query terms that are looked at
	full     = 30 // terms from which on a text is of full length

	// namedTalk is how much the length of an assistant's turn counts beside people with names of their own: theirs counts nothing, and an answer
	// that is weighed down alone would come behind all that they say. On BEAM with a name for its user recall@10 is 55.1 and recall@50 77.7; in
	// full they are 54.8 and 75.8, not at all 51.8 and 76.3.
	namedTalk = 0.3
)

// Matrix holds the signs of the candidates of a scene, one row each.
type Matrix struct {
	Rows []Row
	w    *work
	from *Features
}

// Measure computes the signs of each candidate. Release the matrix when it is no longer needed.
func (f *Features) Measure(s *Scene) Matrix {
	w, ok := f.pool.Get().(*work)
	if !ok {
		w = new(work)
	}
	w.measure(s)
	return Matrix{w.rows, w, f}
}

// Release gives the memory of the matrix back.
func (m *Matrix) Release() {
	if m.w != nil {
		m.w.s = nil
		m.from.pool.Put(m.w)
		*m = Matrix{}
	}
}

// work is the memory of one measurement. It is reused.
type work struct {
	s    *Scene
	rows []Row

	query    counts
	idf      []float32 // of the query's terms
	weight   []float32 // of the terms that are being scored
	name     []bool    // is the query's term the name of a speaker
	length   []float32 // terms of an item's text
	damp     []float32 // how much it counts as a neighbour, and its neighbours for it
	around   [][4]int32
	people   []bool    // of the sessions: has somebody a name of their own there
	ctx      []float32 // of the candidates
	sums     []float64
	order    []int32
	own      []float32 // of all items
	strength float32   // of the text score
	likely   float32   // how much the likeness counts

	group struct { // sessions
		tf, length, score []float32
	}
	alike alike
	vec   struct {
		query []float32
		pair  [][4]float32
		topic []topic
	}
	feed struct {
		counts
		best   []int
		seen   places
		weight []float32
		order  []int
		text   []uint32
		df     []int
		score  []float32
	}
}

func (w *work) measure(s *Scene) {
	w.s = s
	w.rows = zeroed(w.rows, s.Candidates)
	w.layout()
	terms := s.Terms[:min(len(s.Terms), maxTerms)]
	w.query.reset(len(terms))
	w.idf = w.idf[:0]
	for _, t := range terms {
		w.query.add(t.ID)
		weight := idf(s.Entries, t.Frequency)
		if t.Share > 0 {
			weight *= float32(t.Share)
		}
		w.idf = append(w.idf, weight)
	}
	w.query.scan(s.Items)
	w.names()
	w.ctx = zeroed(w.ctx, s.Candidates)
	w.weight = w.weight[:0]
	for j, t := range terms {
		w.weight = append(w.weight, w.idf[j]*float32(max(1, t.Count)))
	}
	w.contextScores(w.ctx, &w.query)
	likened := w.beside(w.likeness) // which no other sign needs, and which needs none
	w.ownText()
	w.sessions()
	w.meaning()
	w.feedback()
	w.ask(&w.alike.asked[1]) // of it what is left
	likened()
	toBest(w.ctx)
	w.weaken()
	w.plain()
}

// beside has a part done beside the rest, where somebody does that, and otherwise when it is waited for.
func (w *work) beside(part func()) (wait func()) {
	if w.s.Beside == nil {
		return part
	}
	return w.s.Beside(part)
}

// layout notes the lengths and who stands beside whom.
func (w *work) layout() {
	n := len(w.s.Items)
	w.length, w.damp, w.around = zeroed(w.length, n), zeroed(w.damp, n), zeroed(w.around, n)
	for i := range w.s.Items {
		it := &w.s.Items[i]
		w.length[i] = float32(len(it.Terms) - it.Head)
		w.damp[i] = min(1, window/max(w.length[i], 1))
		w.around[i] = w.s.neighbours(it)
	}
}

// idf is how much a term says: the inverse document frequency of BM25 (Robertson and Zaragoza 2009), never negative.
func idf(entries, frequency int) float32 {
	n, df := float64(max(entries, frequency)), float64(frequency)
	return float32(math.Log(1 + (n-df+.5)/(df+.5)))
}

func best(v []float32) float32 {
	top := float32(0)
	for _, x := range v {
		top = max(top, x)
	}
	return top
}

// toBest divides by the best value, so that it becomes 1.
func toBest(v []float32) {
	if top := best(v); top > 0 {
		for i := range v {
			v[i] /= top
		}
	}
}

// lengthShares holds the log of a length over that of a full text.
var lengthShares = func() (t [full]float32) {
	for i := range t {
		t[i] = min(1, float32(math.Log1p(float64(i))/math.Log(full)))
	}
	return t
}()

func lengthShare(n float32) float32 {
	if n >= full-1 {
		return 1
	}
	return lengthShares[int(n)]
}

// weaken lets the text score and the likeness count less where no more than a stray word is there.
func (w *work) weaken() {
	if w.strength == 1 && w.likely == 1 {
		return
	}
	for i := range w.rows {
		w.ctx[i] *= w.strength
		w.rows[i][SignSession] *= w.strength
		w.rows[i][SignFeedback] *= w.strength
		w.rows[i][SignAlike] *= w.likely
	}
}

// plain sets the signs that need no more than flags and what has been computed.
func (w *work) plain() {
	s, q := w.s, &w.s.Query
	named := s.named()
	w.peopled()
	for i := range s.Candidates {
		it, r := &s.Items[i], &w.rows[i]
		a, damp := w.ctx[i], w.damp[i]
		chat := it.Voice == User || it.Voice == Assistant
		r[SignContext] = a
		switch {
		case it.Voice == Person && named >= 0 && it.Speaker == named:
			r[SignSpeaker] = 1
		case it.Voice == User && q.I, it.Voice == Assistant && q.You:
			r[SignRole] = a
		}
		w.byFlags(it.Flags, r, a, damp)
		if it.Voice != Nobody {
			r.bySpeech(it.Flags, a, damp)
			r[SignLength] = lengthShare(w.length[i])
		}
		if p := it.Prev; p >= 0 {
			r[SignAfterStatement] = w.own[p] * damp
			if s.Items[p].Flags.Question() {
				r[SignAfterQuestion] = w.own[p] * damp
			}
			if chat && int(p) < s.Candidates {
				r[SignChatPrevious] = w.ctx[p]
			}
		}
		r[SignDate] = q.near(it.When)
		if chat {
			rest := 1 - w.said(i)
			if it.Voice == Assistant && it.Session >= 0 && w.people[it.Session] {
				rest *= namedTalk
			}
			r[SignChatLength], r[SignChatFeedback], r[SignChatSession] = r[SignLength]*rest, r[SignFeedback]*rest, r[SignSession]
		}
	}
}

// peopled notes in which sessions people speak under names of their own.
func (w *work) peopled() {
	count := int32(0)
	for i := range w.s.Items {
		count = max(count, w.s.Items[i].Session+1)
	}
	w.people = zeroed(w.people, int(count))
	for i := range w.s.Items {
		if it := &w.s.Items[i]; it.Voice == Person && it.Session >= 0 {
			w.people[it.Session] = true
		}
	}
}

// said returns how surely a candidate says just what was looked for, 0..1: all of the few words of a query that asks nothing, or a name
// like parseHTML that stands nearly nowhere else. How long it is then tells nothing: the answer of an assistant that holds the
// function is the place where the function is.
func (w *work) said(i int) float32 {
	s, n := w.s, len(w.query.ids)
	if !w.query.some[i] {
		return 0
	}
	var has, all, whole float32
	for j, tf := range w.query.text[i*n : (i+1)*n] {
		if w.name[j] {
			continue
		}
		all += w.idf[j]
		if tf == 0 {
			continue
		}
		has += w.idf[j]
		if s.Terms[j].Whole {
			whole = max(whole, w.idf[j]/idf(s.Entries, 1))
		}
	}
	if !s.Query.Bare || all == 0 {
		has, all = 0, 1
	}
	return max(has*has/(all*all), whole*whole*whole*whole)
}

// byFlags sets the signs of any text that need what was asked.
func (w *work) byFlags(f Flags, r *Row, a, damp float32) {
	if w.s.Query.When && f.Time() {
		r[SignWhen] = a
	}
	if w.s.Query.Many && f.Number() {
		r[SignMany] = a * damp
	}
	if f.Question() {
		r[SignQuestion] = a * damp
	}
}

// bySpeech sets the signs that tell what is worth remembering of what somebody says from small talk.
func (r *Row) bySpeech(f Flags, a, damp float32) {
	if self := f.Self(); self > 0 {
		r[SignSelf], r[SignSelfDensity] = 1, a*self
	}
	r[SignNames] = float32(f.Names()) / 3 * damp
}
