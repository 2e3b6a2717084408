package indextest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Tolerance says how far scores may be from the oracle's.
type Tolerance struct {
	Similarity float64 // absolute, on the cosine
	Text       float64 // relative, on the BM25 score
}

// Small is the number of entries of an owner up to which a driver compares vectors exactly.
const Small = 256

// TolerancesFor returns what the suite allows over a feed of n entries.
func TolerancesFor(n int) Tolerance {
	if n <= Small {
		return Tolerance{Similarity: 2e-5, Text: 1e-6}
	}
	return Tolerance{Similarity: 4e-3, Text: 1e-6}
}

type scored struct {
	entry    *lukasa.Entry
	sim, txt float64
	vec, has bool
}

// doc is the bag of terms of an entry.
type doc struct {
	tf  map[string]float64
	len float64
}

func (f *MemFeed) doc(e *lukasa.Entry) *doc {
	if d, ok := f.docs.Load(e); ok {
		return d.(*doc)
	}
	d := &doc{tf: map[string]float64{}}
	for _, s := range []string{e.Title, e.Speaker, e.Text} {
		for _, t := range text.Analyze(nil, s) {
			d.tf[t.Term]++
			d.len++
		}
	}
	f.docs.Store(e, d)
	return d
}

// oracle answers a request by looking at every entry.
func oracle(f *MemFeed, r index.Request) (all []scored, terms []string) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	weight := map[string]float64{}
	for _, t := range text.Analyze(nil, r.Text) {
		if weight[t.Term] == 0 {
			terms = append(terms, t.Term)
		}
		weight[t.Term]++
	}
	var n, total float64
	df := map[string]float64{}
	docs := map[lukasa.ID]*doc{}
	for _, e := range f.entries {
		if e.Owner != r.Owner || !slices.Contains(r.Nodes, e.Node) {
			continue
		}
		d := f.doc(e)
		docs[e.ID] = d
		if e.Latest {
			n++
			total += d.len
			for t := range d.tf {
				df[t]++
			}
		}
	}
	for id, d := range docs {
		e := f.entries[id]
		if !(e.Latest || namesLatest(r.Filter)) || len(r.Types) > 0 && !slices.Contains(r.Types, e.Type) || !r.Filter.Match(e) {
			continue
		}
		s := scored{entry: e}
		s.sim, s.vec = cosine(r.Vector, e.Vector)
		for _, t := range terms {
			if tf := d.tf[t]; tf > 0 {
				idf := math.Log(1 + (n-df[t]+.5)/(df[t]+.5))
				s.txt += weight[t] * idf * tf * 2.2 / (tf + 1.2*(.25+.75*d.len/(max(total, 1)/max(n, 1))))
				s.has = true
			}
		}
		all = append(all, s)
	}
	return all, terms
}

func cosine(a, b []float32) (float64, bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0, false
	}
	return ab / math.Sqrt(aa*bb), true
}

func namesLatest(f *lukasa.Filter) bool {
	if f == nil {
		return false
	}
	for i := range f.And {
		if namesLatest(&f.And[i]) {
			return true
		}
	}
	for i := range f.Or {
		if namesLatest(&f.Or[i]) {
			return true
		}
	}
	return f.Field == "latest" || namesLatest(f.Not)
}

// Check compares an answer with what looking at every entry gives, and returns the first thing that is wrong. Recall of the
// vector side is taken as exact within the tolerance: an entry may stand in for another only if their cosines are that close.
func Check(f *MemFeed, r index.Request, got index.Answer, tol Tolerance) error {
	all, terms := oracle(f, r)
	r.Both = r.Both || got.Scene != nil
	late := r.K == 0 && !r.Scene && r.Text == "" && len(r.Vector) == 0 && r.Filter == nil // see index.Request.K
	if got.Matched != len(all) && !late {
		return fmt.Errorf("matched %d, want %d", got.Matched, len(all))
	}
	if len(terms) != len(got.Terms) || !slices.Equal(slices.Sorted(slices.Values(terms)), slices.Sorted(slices.Values(got.Terms))) {
		return fmt.Errorf("terms %q, want %q", got.Terms, terms)
	}
	byID := map[lukasa.ID]scored{}
	for _, s := range all {
		byID[s.entry.ID] = s
	}
	in := map[lukasa.ID]*lukasa.Candidate{}
	for i := range got.Candidates {
		c := &got.Candidates[i]
		if i > 0 && got.Candidates[i-1].Entry >= c.Entry {
			return fmt.Errorf("candidates %s, %s out of order or double", got.Candidates[i-1].Entry, c.Entry)
		}
		s, ok := byID[c.Entry]
		if !ok {
			return fmt.Errorf("candidate %s should not be found", c.Entry)
		}
		if err := sameEntry(c, s.entry); err != nil {
			return err
		}
		if c.HasVector && (!s.vec || math.Abs(c.Similarity-s.sim) > tol.Similarity) {
			return fmt.Errorf("similarity of %s is %v, want %v (%v)", c.Entry, c.Similarity, s.sim, s.vec)
		}
		if c.HasText && (!s.has || math.Abs(c.Text-s.txt) > tol.Text*max(1, s.txt)) {
			return fmt.Errorf("text score of %s is %v, want %v (%v)", c.Entry, c.Text, s.txt, s.has)
		}
		if r.Both && (c.HasVector != s.vec || c.HasText != s.has) {
			return fmt.Errorf("candidate %s has vector %v, text %v; want %v, %v", c.Entry, c.HasVector, c.HasText, s.vec, s.has)
		}
		in[c.Entry] = c
	}
	nv, err := checkSide(all, in, r.K, tol.Similarity, func(s scored) (float64, bool) { return s.sim, s.vec },
		func(c *lukasa.Candidate) bool { return c.HasVector }, r.Both)
	if err != nil {
		return fmt.Errorf("vector side: %w", err)
	}
	nt, err := checkSide(all, in, r.K, tol.Text*100, func(s scored) (float64, bool) { return s.txt, s.has },
		func(c *lukasa.Candidate) bool { return c.HasText }, r.Both)
	if err != nil {
		return fmt.Errorf("text side: %w", err)
	}
	if got.Scene != nil {
		return CheckScene(f, r, got, tol)
	}
	if len(got.Candidates) > nv+nt {
		return fmt.Errorf("%d candidates for %d + %d", len(got.Candidates), nv, nt)
	}
	return nil
}

func sameEntry(c *lukasa.Candidate, e *lukasa.Entry) error {
	if c.Type != e.Type || c.Node != e.Node || c.Document != e.Document || c.Seq != e.Seq || !c.When.Equal(e.When()) || !c.CreatedAt.Equal(e.CreatedAt) {
		return fmt.Errorf("candidate %+v does not describe %+v", *c, *e)
	}
	return nil
}

// checkSide checks that min(k, n) of the best entries of one side are there, and returns that number.
func checkSide(all []scored, in map[lukasa.ID]*lukasa.Candidate, k int, tol float64,
	score func(scored) (float64, bool), flag func(*lukasa.Candidate) bool, both bool,
) (int, error) {
	var side []scored
	for _, s := range all {
		if _, ok := score(s); ok {
			side = append(side, s)
		}
	}
	slices.SortFunc(side, func(a, b scored) int {
		x, _ := score(a)
		y, _ := score(b)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.entry.ID, b.entry.ID))
	})
	want := min(max(k, 0), len(side))
	if want == 0 {
		return 0, nil
	}
	last, _ := score(side[want-1])
	flagged, good := 0, 0
	for _, s := range side {
		v, _ := score(s)
		c := in[s.entry.ID]
		if c != nil && flag(c) {
			flagged++
			if v >= last-tol {
				good++
			}
		} else if v > last+tol {
			return 0, fmt.Errorf("%s with %v is missing; the last of %d has %v", s.entry.ID, v, want, last)
		}
	}
	if good < want || !both && flagged != want {
		return 0, fmt.Errorf("%d of the best %d, %d in all", good, want, flagged)
	}
	return want, nil
}

// Recall returns how many of the best min(K, n) entries of the vector side are among the answer's, and that number.
func Recall(f *MemFeed, r index.Request, got index.Answer) (found, want int) {
	all, _ := oracle(f, r)
	all = slices.DeleteFunc(all, func(s scored) bool { return !s.vec })
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(b.sim, a.sim) })
	all = all[:min(len(all), r.K)]
	for _, s := range all {
		if slices.ContainsFunc(got.Candidates, func(c lukasa.Candidate) bool { return c.Entry == s.entry.ID && c.HasVector }) {
			found++
		}
	}
	return found, len(all)
}
