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

// What [index.Request.Scene] promises.
const (
	spreading    = 40
	spreadWeight = .4
)

// sessionKey says which session an entry is of; kind is "" where it is of none.
type sessionKey struct {
	node       lukasa.ID
	kind, a, b string
}

func keyOf(e *lukasa.Entry) sessionKey {
	switch {
	case e.Type == lukasa.EntryMessage && e.Conversation != "":
		return sessionKey{e.Node, "messages", string(e.Conversation), e.Session}
	case e.Document != "":
		return sessionKey{e.Node, "document", string(e.Document), ""}
	}
	return sessionKey{}
}

// neighbourhood finds neighbours by looking through the whole session.
type neighbourhood map[sessionKey][]*lukasa.Entry

func (f *MemFeed) neighbourhood(r index.Request) neighbourhood {
	f.mu.RLock()
	defer f.mu.RUnlock()
	h := neighbourhood{}
	for _, e := range f.entries {
		if k := keyOf(e); k.kind != "" && e.Owner == r.Owner && slices.Contains(r.Nodes, e.Node) {
			h[k] = append(h[k], e)
		}
	}
	for _, list := range h {
		slices.SortFunc(list, func(a, b *lukasa.Entry) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
	}
	return h
}

// beside returns the entry right before (by = -1) or behind (1) e, or nil.
func (h neighbourhood) beside(e *lukasa.Entry, by int) *lukasa.Entry {
	if e == nil {
		return nil
	}
	list := h[keyOf(e)]
	i := slices.IndexFunc(list, func(o *lukasa.Entry) bool { return o.ID == e.ID })
	if i < 0 {
		return nil
	}
	for i += by; i >= 0 && i < len(list); i += by {
		if o := list[i]; o.Type == e.Type && (o.Latest || !e.Latest) {
			return o
		}
	}
	return nil
}

// around returns the entries up to two away from e.
func (h neighbourhood) around(e *lukasa.Entry) (out []*lukasa.Entry) {
	for _, by := range []int{-1, 1} {
		one := h.beside(e, by)
		for _, o := range []*lukasa.Entry{one, h.beside(one, by)} {
			if o != nil {
				out = append(out, o)
			}
		}
	}
	return out
}

// CheckScene compares the scene of an answer with what the feed has, and returns the first thing that is wrong.
func CheckScene(f *MemFeed, r index.Request, got index.Answer, tol Tolerance) error {
	sc := got.Scene
	h := f.neighbourhood(r)
	all, _ := oracle(f, r)
	if err := checkSpread(all, h, r, got, tol); err != nil {
		return fmt.Errorf("candidates: %w", err)
	}
	c := sceneCheck{f: f, r: r, sc: sc, h: h, n: len(got.Candidates), at: map[lukasa.ID]int32{}}
	if len(sc.Items) < c.n {
		return fmt.Errorf("%d items for %d candidates", len(sc.Items), c.n)
	}
	for i := range sc.Items {
		id := sc.Items[i].Candidate.Entry
		e, ok := f.Get(id)
		if _, twice := c.at[id]; twice || !ok {
			return fmt.Errorf("item %s is there twice, or not in the feed", id)
		}
		if i < c.n && sc.Items[i].Candidate != got.Candidates[i] {
			return fmt.Errorf("item %+v for candidate %+v", sc.Items[i].Candidate, got.Candidates[i])
		}
		if err := sameEntry(&sc.Items[i].Candidate, &e); err != nil {
			return err
		}
		c.at[id] = int32(i)
		c.entries = append(c.entries, &e)
	}
	for _, check := range []func() error{c.neighbours, c.items, c.terms, c.statistics, c.vectors} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSpread checks that what stands near the best is among the candidates, and nothing else beside the best K of both sides.
// Where scores are as close as the tolerance either is right.
func checkSpread(all []scored, h neighbourhood, r index.Request, got index.Answer, tol Tolerance) error {
	best := func(ok func(scored) bool, score func(scored) float64, eps float64) (sure, maybe map[lukasa.ID]bool, top float64) {
		side := slices.DeleteFunc(slices.Clone(all), func(s scored) bool { return !ok(s) })
		slices.SortFunc(side, func(a, b scored) int { return cmp.Compare(score(b), score(a)) })
		sure, maybe = map[lukasa.ID]bool{}, map[lukasa.ID]bool{}
		k := min(max(r.K, 0), len(side))
		for _, s := range side {
			if k > 0 && score(s) >= score(side[k-1])-eps {
				maybe[s.entry.ID] = true
				sure[s.entry.ID] = k == len(side) || score(s) > score(side[k-1])+eps
			}
		}
		if len(side) > 0 {
			top = score(side[0])
		}
		return sure, maybe, top
	}
	byText := func(s scored) float64 { return s.txt }
	bySim := func(s scored) float64 { return s.sim }
	sureT, maybeT, topT := best(func(s scored) bool { return s.has }, byText, tol.Text*100)
	sureV, maybeV, topV := best(func(s scored) bool { return s.vec }, bySim, 10*tol.Similarity) // an approximate search may take one that is a little worse
	value := func(s scored) (v float64) {
		if s.txt > 0 {
			v = s.txt / topT
		}
		if s.vec && topV > 0 {
			v += spreadWeight * s.sim / topV
		}
		return v
	}
	var sure, maybe []scored
	for _, s := range all {
		id := s.entry.ID
		if sureT[id] || sureV[id] {
			sure = append(sure, s)
		}
		if maybeT[id] || maybeV[id] {
			maybe = append(maybe, s)
		}
	}
	eps := .001 + 4*tol.Similarity
	if topV > 0 {
		eps = .001 + 4*tol.Similarity/topV
	}
	nth := func(list []scored) float64 {
		if len(list) <= spreading {
			return math.Inf(-1)
		}
		slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(value(b), value(a)) })
		return value(list[spreading-1])
	}
	high, low := nth(maybe)+eps, nth(sure)-eps
	kept := map[lukasa.ID]bool{}
	for _, s := range all {
		kept[s.entry.ID] = true
	}
	has := map[lukasa.ID]bool{}
	for i := range got.Candidates {
		has[got.Candidates[i].Entry] = true
	}
	may := map[lukasa.ID]bool{}
	for _, s := range maybe {
		may[s.entry.ID] = true
		for _, o := range h.around(s.entry) {
			if value(s) >= low {
				may[o.ID] = true
			}
		}
	}
	for _, s := range sure {
		for _, o := range h.around(s.entry) {
			if value(s) > high && kept[o.ID] && !has[o.ID] {
				return fmt.Errorf("%s is missing, which stands near %s with %v", o.ID, s.entry.ID, value(s))
			}
		}
	}
	for id := range has {
		if !may[id] {
			return fmt.Errorf("%s is not near any of the best", id)
		}
	}
	return nil
}

type sceneCheck struct {
	f       *MemFeed
	r       index.Request
	sc      *index.Scene
	h       neighbourhood
	n       int // candidates
	entries []*lukasa.Entry
	at      map[lukasa.ID]int32
	numbers map[uint32]string // terms
	terms2  map[string]uint32
}

func (c *sceneCheck) neighbours() error {
	want := map[lukasa.ID]bool{}
	for _, e := range c.entries[:c.n] {
		for _, o := range c.h.around(e) {
			if want[o.ID] = true; c.at[o.ID] == 0 && c.entries[0].ID != o.ID {
				return fmt.Errorf("%s is missing, a neighbour of %s", o.ID, e.ID)
			}
		}
	}
	for i, e := range c.entries {
		if i >= c.n && !want[e.ID] {
			return fmt.Errorf("%s is no neighbour of any candidate", e.ID)
		}
		if !slices.Contains(c.r.Nodes, e.Node) || e.Owner != c.r.Owner {
			return fmt.Errorf("%s is of a node that is not named", e.ID)
		}
		for by, got := range map[int]int32{-1: c.sc.Items[i].Prev, 1: c.sc.Items[i].Next} {
			place := int32(-1)
			if o := c.h.beside(e, by); o != nil {
				if at, ok := c.at[o.ID]; ok {
					place = at
				}
			}
			if got != place {
				return fmt.Errorf("item %d (%s) has item %d at %d, want %d", i, e.ID, got, by, place)
			}
		}
	}
	return nil
}

func (c *sceneCheck) items() error {
	c.numbers, c.terms2 = map[uint32]string{}, map[string]uint32{}
	for i, e := range c.entries {
		it := &c.sc.Items[i]
		head := len(text.Analyze(text.Analyze(nil, e.Title), e.Speaker))
		want := text.Analyze(text.Analyze(text.Analyze(nil, e.Title), e.Speaker), e.Text)
		if len(it.Terms) != len(want) || it.Head != head {
			return fmt.Errorf("%s has %d terms, %d in the head; want %d, %d", e.ID, len(it.Terms), it.Head, len(want), head)
		}
		for j, t := range want {
			n := it.Terms[j]
			if old, ok := c.numbers[n]; ok && old != t.Term {
				return fmt.Errorf("term %d is %q and %q", n, old, t.Term)
			}
			if old, ok := c.terms2[t.Term]; ok && old != n {
				return fmt.Errorf("term %q is %d and %d", t.Term, old, n)
			}
			c.numbers[n], c.terms2[t.Term] = t.Term, n
		}
		if it.Confidence != e.Confidence {
			return fmt.Errorf("%s has the confidence %v, want %v", e.ID, it.Confidence, e.Confidence)
		}
		if it.Role != e.Role {
			return fmt.Errorf("%s has role %q, want %q", e.ID, it.Role, e.Role)
		}
		speaker := ""
		if it.Speaker >= 0 {
			speaker = c.sc.Speakers[it.Speaker]
		}
		if speaker != e.Speaker {
			return fmt.Errorf("%s is said by %q, want %q", e.ID, speaker, e.Speaker)
		}
	}
	return nil
}

func (c *sceneCheck) terms() error {
	count := map[string]int{}
	var order []string
	for _, t := range text.Analyze(nil, c.r.Text) {
		if count[t.Term]++; count[t.Term] == 1 {
			order = append(order, t.Term)
		}
	}
	if len(order) != len(c.sc.Terms) {
		return fmt.Errorf("%d terms, want %q", len(c.sc.Terms), order)
	}
	for i, t := range c.sc.Terms {
		if t.Count != count[order[i]] || !makes(t.Word, order[i]) {
			return fmt.Errorf("term %+v for %q, which is there %d times", t, order[i], count[order[i]])
		}
		if n, ok := c.terms2[order[i]]; ok && n != t.ID {
			return fmt.Errorf("term %+v has number %d in items", t, n)
		}
	}
	return nil
}

// makes reports whether a term is made of a word; a term is taken as its own word.
func makes(word, term string) bool {
	return word == term || slices.ContainsFunc(text.Analyze(nil, word), func(t text.Token) bool { return t.Term == term })
}

func (c *sceneCheck) statistics() error {
	c.f.mu.RLock()
	defer c.f.mu.RUnlock()
	df := map[string]int{}
	n, total := 0, 0.0
	for _, e := range c.f.entries {
		if e.Owner != c.r.Owner || !slices.Contains(c.r.Nodes, e.Node) || !e.Latest {
			continue
		}
		d := c.f.doc(e)
		n, total = n+1, total+d.len
		for t := range d.tf {
			df[t]++
		}
	}
	mean := 1.0
	if n > 0 && total > 0 {
		mean = total / float64(n)
	}
	if c.sc.Entries != n || math.Abs(c.sc.Length-mean) > 1e-9*mean {
		return fmt.Errorf("%d entries of %v terms, want %d of %v", c.sc.Entries, c.sc.Length, n, mean)
	}
	for _, t := range text.Analyze(nil, c.r.Text) {
		i := slices.IndexFunc(c.sc.Terms, func(x index.Term) bool { return makes(x.Word, t.Term) && x.Frequency == df[t.Term] })
		if i < 0 || c.sc.Terms[i].ID == index.NoTerm && df[t.Term] > 0 {
			return fmt.Errorf("no term %q with %d in %+v", t.Term, df[t.Term], c.sc.Terms)
		}
	}
	return nil
}

func (c *sceneCheck) vectors() error {
	if _, ok := cosine(c.r.Vector, c.r.Vector); !ok || len(c.r.Vector) != Dim {
		if c.sc.Dot != nil {
			return fmt.Errorf("there is a Dot without a vector")
		}
		return nil
	}
	if c.sc.Dot == nil {
		return nil // nobody has a vector yet
	}
	for i, e := range c.entries {
		sim, ok := cosine(c.r.Vector, e.Vector)
		if got := float64(c.sc.Dot(-1, i)); ok != c.sc.Items[i].Candidate.HasVector || math.Abs(got-sim) > .005 {
			return fmt.Errorf("cosine of %s is %v, want %v", e.ID, got, sim)
		}
		for j := max(0, i-5); j < i; j++ {
			want, _ := cosine(e.Vector, c.entries[j].Vector)
			if len(e.Vector) != Dim || len(c.entries[j].Vector) != Dim {
				want = 0
			}
			if got := float64(c.sc.Dot(i, j)); math.Abs(got-want) > .02 || c.sc.Dot(j, i) != float32(got) {
				return fmt.Errorf("cosine of %s and %s is %v, want %v", e.ID, c.entries[j].ID, got, want)
			}
		}
	}
	return nil
}
