package rank

import "math"

const (
	k1 = 1.2
	b1 = 0.75

	window   = 15 // terms that a neighbour counts as at most, and from which on a text needs its neighbours less
	maxTerms = 64 // terms of a question that are looked at
	full     = 30 // terms from which on a text is of full length
)

// Shares of the neighbours' terms and vectors: one before, one behind, two before, two behind.
var (
	contextShare = [4]float32{.6, .2, .35, .05}
	meaningShare = [4]float32{.6, .3, .24, .12}
)

// work is one measurement.
type work struct {
	s      *Scene
	counts counts
	idf    []float32
	total  float32      // of idf
	named  bool         // the question only asks what is known of a few words
	length []float32    // terms of an item, without title and speaker
	damp   []float32    // how much an item counts as a neighbour, and its neighbours for it
	around [][4]int32   // the items beside an item
	cosine []float32    // with the question, of all items
	pairs  [][4]float32 // cosines between an item and the four behind it
}

func newWork(s *Scene) *work {
	terms := s.Terms[:min(len(s.Terms), maxTerms)]
	w := &work{s: s}
	w.counts.reset(len(terms))
	for _, t := range terms {
		w.counts.add(t.ID)
		weight := idf(s.Entries, t.Frequency)
		if t.Share > 0 {
			weight *= float32(t.Share)
		}
		w.idf = append(w.idf, weight)
		w.total += weight
	}
	w.total = max(w.total, 1e-9)
	w.named = w.asksAbout()
	w.counts.scan(s.Items)
	n := len(s.Items)
	w.length, w.damp, w.around, w.cosine = make([]float32, n), make([]float32, n), make([][4]int32, n), make([]float32, n)
	w.pairs = make([][4]float32, n)
	for i := range s.Items {
		it := &s.Items[i]
		w.length[i] = float32(len(it.Terms) - it.Head)
		w.damp[i] = min(1, window/max(w.length[i], 1))
		w.around[i] = s.neighbours(it)
		w.pairs[i] = [4]float32{unknown, unknown, unknown, unknown}
		if it.Vector && s.Dot != nil {
			w.cosine[i] = s.Dot(-1, i)
		}
	}
	return w
}

// idf is how much a term says: the inverse document frequency of BM25 (Robertson and Zaragoza 2009), never negative.
func idf(entries, frequency int) float32 {
	n, f := float64(entries), float64(frequency)
	return float32(math.Log(1 + (max(n-f, 0)+0.5)/(f+0.5)))
}

// rows measures the signs of the candidates.
func (w *work) rows() []Row {
	s := w.s
	rows := make([]Row, s.Candidates)
	wide := w.wideMean()
	var bestText, bestContext float32
	for i := range rows {
		it, r := &s.Items[i], &rows[i]
		r[SignCosine], r[SignSmooth] = w.cosine[i], w.smoothed(i)
		r[SignText] = w.text(i)
		r[SignContext], r[SignWide] = w.context(i, wide)
		bestText, bestContext = max(bestText, r[SignText]), max(bestContext, r[SignContext])
		length := min(1, float32(math.Log1p(float64(w.length[i]))/math.Log(full)))
		r[SignLength] = length
		switch it.Voice {
		case Assistant:
			r[SignAssistant], r[SignAssistantLength] = 1, length
		case User:
			r[SignUserLength] = length
		case Person:
			if it.Speaker >= 0 && s.Query.names(s.Speakers[it.Speaker]) {
				r[SignSpeaker] = 1
			}
		case Nobody:
		}
		r[SignCode], r[SignAbout] = w.codes(i), w.about(i)
		r[SignDate] = s.Query.near(it.When)
		if it.Derived {
			r[SignDerived] = 1
		}
	}
	for i := range rows {
		rows[i][SignTextPeak] = rows[i][SignText] * bestText
		rows[i][SignContextPeak] = rows[i][SignContext] * bestContext
	}
	return rows
}

// text is the BM25 share of an item by its own words, those of title and speaker included.
func (w *work) text(i int) float32 {
	n := len(w.idf)
	norm := k1 * (1 - b1 + b1*float32(len(w.s.Items[i].Terms))/float32(max(w.s.Length, 1)))
	var sum float32
	for j := range n {
		if x := float32(w.counts.text[i*n+j]) + float32(w.counts.head[i*n+j]); x > 0 {
			sum += w.idf[j] * x * (k1 + 1) / (x + norm)
		}
	}
	return sum / w.total
}

// wideLength is the length of an item with what its neighbours count.
func (w *work) wideLength(i int) float32 {
	length := float32(len(w.s.Items[i].Terms))
	for k, o := range w.around[i] {
		if o >= 0 {
			length += w.damp[i] * contextShare[k] * min(w.length[o], window)
		}
	}
	return length
}

// wideMean estimates the mean of the wide lengths of all entries by how much wider the candidates are than they are long.
func (w *work) wideMean() float32 {
	var wide, plain float32
	for i := range w.s.Candidates {
		wide += w.wideLength(i)
		plain += float32(len(w.s.Items[i].Terms))
	}
	if plain == 0 {
		return 1
	}
	return max(1, float32(w.s.Length)*wide/plain)
}

// context is the BM25 share of an item with a share of its neighbours' words, and the idf share of the question's terms that it has or
// they have. The longer a neighbour and the longer the text itself, the less the neighbour counts.
func (w *work) context(i int, mean float32) (share, covered float32) {
	n := len(w.idf)
	norm := k1 * (1 - b1 + b1*w.wideLength(i)/mean)
	for j := range n {
		x := float32(w.counts.text[i*n+j]) + float32(w.counts.head[i*n+j])
		for k, o := range w.around[i] {
			if o >= 0 {
				x += contextShare[k] * w.damp[i] * w.damp[o] * float32(w.counts.text[int(o)*n+j])
			}
		}
		if x > 0 {
			share += w.idf[j] * x * (k1 + 1) / (x + norm)
			covered += w.idf[j]
		}
	}
	return share / w.total, covered / w.total
}

// codes is the share of the question's codes, such as INV-20913, that an item has.
func (w *work) codes(i int) float32 {
	n := len(w.idf)
	var has, all float32
	for j := range n {
		if !w.s.Terms[j].Code {
			continue
		}
		all += w.idf[j]
		if w.counts.text[i*n+j]+w.counts.head[i*n+j] > 0 {
			has += w.idf[j]
		}
	}
	if all == 0 {
		return 0
	}
	return has / all
}

// mostNamed is how many words a question names at most that only asks what is known of them.
const mostNamed = 3

// asksAbout reports whether a question only asks what is known of a few words: "tell me about Tom", "Tom", "harbour boat", or what the
// asker has said of himself: "where do I live".
func (w *work) asksAbout() bool {
	named, asking := 0, false
	for j := range w.idf {
		if w.s.Terms[j].Asking {
			asking = true
		} else {
			named++
		}
	}
	return named > 0 && named <= mostNamed && (asking || named == len(w.s.Query.Words)) || w.s.Query.Self && named > 0 && named < mostNamed
}

// about is 1 for an item that has all that the question names.
func (w *work) about(i int) float32 {
	if !w.named {
		return 0
	}
	n := len(w.idf)
	for j := range n {
		if !w.s.Terms[j].Asking && w.counts.text[i*n+j]+w.counts.head[i*n+j] == 0 {
			return 0
		}
	}
	return 1
}

// smoothed is the cosine between the question and the sum of an item's vector and shares of its neighbours'.
func (w *work) smoothed(i int) float32 {
	if w.s.Dot == nil || !w.s.Items[i].Vector {
		return 0
	}
	a := &w.around[i]
	at := [5]int32{a[2], a[0], int32(i), a[1], a[3]}
	share := [5]float32{meaningShare[2], meaningShare[0], 1, meaningShare[1], meaningShare[3]}
	var dot, square float32
	for x, o := range at {
		if o < 0 || !w.s.Items[o].Vector {
			at[x] = -1
			continue
		}
		dot += share[x] * w.cosine[o]
		square += share[x] * share[x]
		for y := range x {
			if at[y] >= 0 {
				square += 2 * share[x] * share[y] * w.pair(at[y], o, x-y)
			}
		}
	}
	if square < 1e-9 {
		return 0
	}
	return dot / float32(math.Sqrt(float64(square)))
}

// unknown stands for a cosine that has not been computed.
const unknown = -2

// pair returns the cosine between two items of a session of which b stands by, from 1 to 4, behind a.
func (w *work) pair(a, b int32, by int) float32 {
	p := &w.pairs[a][by-1]
	if *p == unknown {
		*p = w.s.Dot(int(a), int(b))
	}
	return *p
}
