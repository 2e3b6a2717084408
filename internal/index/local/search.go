package local

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/parallel"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

const (
	fewSlots    = 16   // entries that are looked through one by one rather than by postings
	fewNamed    = 2048 // the same for the nodes that a request names in a pool
	rescored    = 200  // entries that go from the 1-bit to the 8-bit stage
	rescoredBig = 400  // the same over bigPart slots
	bigPart     = 250_000
	exactTotal  = 1024 // entries to be compared, over all parts, up to which the 1-bit stage is left out
)

// part is what a request sees of one shard.
type part struct {
	v            *View
	from         *shard   // nil for what is of this search alone
	base         uint32   // number of its first slot among those of all parts
	celled       uint32   // number of the first place of its cells, behind the slots of all parts
	whole        bool     // all that the shard holds is named
	named        []uint64 // else the slots of the named nodes, or slots
	slots        []uint32
	wanted       []bool   // of slots: may it be found
	mask         []uint64 // what may be found; nil where slots is set
	cond         *Condition
	places       int  // in search.places, where slots is not set: those of the terms in the first segment, then in the next
	retired      bool // entries that are not the latest may be found
	narrowed     bool // to named: nothing else is to be looked at
	tongues      text.Tongues
	own          bool // the feed has other vectors under these ids
	matched      int
	count, total int64 // latest entries of the named nodes, and their terms
}

// search is the working memory of one request. It is reused.
type search struct {
	x        *Index
	owner    *owner
	req      index.Request
	analyzer *text.Analyzer
	dict     *postings.Dict
	parts    []part
	terms    []string
	asks     []index.Term // the same, with what is known of them
	around   surroundings
	named    int   // nodes
	moves    int64 // those of the owner when the parts were looked for

	set      postings.TermSet
	n, total int64
	avg      float64
	norm     postings.Norm // of avg
	hits     []hit
	scans    []scanned
	tf       []uint32
	touched  []int
	looked   []uint32 // terms of an entry
	said     []uint32 // terms of those in found, as far as they have been read
	acc      []int64  // twice the score of the newest slots of a part, and 1; zero between uses
	slots    []uint32 // those that have one
	top      postings.Top
	walker   postings.Walker
	sink     sink
	places   []int32 // where each term is in each segment; see part.places
	probe    postings.Cursor

	geo     *Geometry
	query   []float32 // of unit length; nil: no vector side
	rotated []float32
	q1      vector.Query
	q8      vector.Int8Query
	kernels vector.Kernels
	stage1  *vector.TopK
	stage2  *vector.TopK
	sofar   *vector.TopK // of those that stage 2 looked at first
	sims    []float32
	block   vector.Hits
	floor   float32 // of the 1-bit stage; see sample
	scored  []vector.Scored
	near    []near
	asked   []int // places in near whose vectors are read
	exactly bool
	extra   []near // of the text side, exact
	texts   []postings.Ranked
	vmask   []uint64
	reading vector.CellReading
	tail    [BlockWords]uint64

	found     []found
	spare     []found
	keys      []keyed
	codes     []codeAt
	unit      []float32 // memory of query
	ids       []lukasa.ID
	idbuf     []byte
	idlens    []int
	touched32 uint32

	// words has the side of the text done, at the latest now: beside the side of the vectors, where a core is to spare. Neither touches what
	// the other writes.
	words     func()
	touched64 uint64 // of the side of the vectors

	// vectorsAsked has the vectors of asked and extra read into vecs, at the latest now: beside what needs none of them. nil: none are.
	vectorsAsked func()
	vecs         [][]float32
	vecsErr      error
}

// keyed is the id of a candidate, to sort by.
type keyed struct {
	id Packed
	at int32
}

// near is an entry with its similarity.
type near struct {
	sim   float64
	part  int
	slot  int
	exact bool
}

// found is a candidate in the making.
type found struct {
	part, slot int
	sim        float64
	text       int64
	hasSim     bool
	hasText    bool
	from       *near // whose similarity it has, which may become exact; nil: that of its code is all there is
	said       span  // its terms, where a scene is asked for
}

// span is a stretch of search.said; of no length: nothing has been read.
type span struct{ from, to int }

// Search implements [index.Index].
func (x *Index) Search(ctx context.Context, r index.Request) (index.Answer, error) {
	if err := ctx.Err(); err != nil {
		return index.Answer{}, err
	}
	if x.applied.Load() < 0 {
		if _, err := x.Sync(ctx); err != nil {
			return index.Answer{}, err
		}
	}
	for range mostMends {
		s := x.pool.Get().(*search)
		s.req, s.owner, s.moves = r, x.owner(r.Owner), writing
		ans, err := s.answer(ctx)
		if !x.mended(s.owner, s.moves, err) {
			s.release()
			return ans, err
		}
	}
	return index.Answer{}, errors.New("the index cannot be read, nor mended")
}

// answer is [Index.Search] for a request. After a fault the search is of no use any more.
func (s *search) answer(ctx context.Context) (ans index.Answer, err error) {
	defer mmap.Catch(debug.SetPanicOnFault(true), &err)
	defer s.owner.use()()
	x, r := s.x, &s.req
	s.req.Both = r.Both || r.Scene
	if r.K > 0 || r.Scene || r.Text != "" || len(r.Vector) > 0 || r.Filter != nil || s.owner.behind.far() {
		if err := x.keepUp(ctx, s.owner, r.Nodes, r.Seen); err != nil {
			return index.Answer{}, err
		}
	} // else it only loads the nodes, so that a search finds them there
	if err := s.resolve(ctx); err != nil {
		return index.Answer{}, err
	}
	s.past()
	base := uint32(0)
	for i := range s.parts {
		p := &s.parts[i]
		p.base = base
		base += uint32(len(p.v.Blocks) * BlockSlots)
		s.eligible(p)
		ans.Matched += p.matched
	}
	for i := range s.parts {
		s.parts[i].celled = base
		base += uint32(s.parts[i].v.Cells.Places())
	}
	ans.Partitions = s.named
	s.analyze()
	ans.Terms = s.terms
	k := max(r.K, 0)
	s.words = sync.OnceFunc(parallel.Part(ctx, func() { s.statistics(); s.spell(); s.bestTexts(k) }))
	defer s.words()
	defer s.rest()
	if err := s.nearest(ctx, k); err != nil {
		return index.Answer{}, err
	}
	s.words()
	ans.Instead = index.Instead(s.asks)
	s.unite()
	if r.Scene { // which is made while exact vectors are read
		s.widen()
		ans.Scene = s.scene()
	}
	if err := s.refine(); err != nil {
		return index.Answer{}, err
	}
	if !r.Scene {
		ans.Candidates = s.candidates()
		return ans, nil
	}
	ans.Candidates = make([]lukasa.Candidate, len(s.found))
	for i := range ans.Candidates {
		c := &ans.Scene.Items[i].Candidate
		if f := &s.found[i]; f.hasSim {
			c.Similarity = f.sim
		}
		ans.Candidates[i] = *c
	}
	return ans, nil
}

// rest waits for a reading of vectors that nobody wants any more.
func (s *search) rest() {
	if s.vectorsAsked != nil {
		s.vectorsAsked()
		s.vectorsAsked, s.vecs, s.vecsErr = nil, nil, nil
	}
}

func (s *search) release() {
	clear(s.parts)
	s.parts, s.terms, s.req, s.owner, s.dict, s.query, s.words = s.parts[:0], nil, index.Request{}, nil, nil, nil, nil
	s.n, s.total = 0, 0
	s.said = s.said[:0]
	s.hits, s.scans, s.near, s.found, s.places = s.hits[:0], s.scans[:0], s.near[:0], s.found[:0], s.places[:0]
	s.around.release()
	s.walker.Close()
	s.probe.Close()
	s.x.pool.Put(s)
}

// eligible works out what may be found in a part.
func (s *search) eligible(p *part) {
	retired := AsksLatest(s.req.Filter)
	cond := Compile(p.v, s.req.Types, s.req.Filter)
	p.cond, p.retired = cond, retired
	if p.slots != nil {
		p.wanted = make([]bool, len(p.slots))
		for i, slot := range p.slots {
			b := p.v.Blocks[slot>>BlockShift]
			p.wanted[i] = (retired || Has(p.v.Live, int(slot))) && (cond == nil || cond.Keeps(b, int(slot)&(BlockSlots-1)))
			if p.wanted[i] {
				p.matched++
			}
		}
		return
	}
	if p.whole && cond == nil { // then nothing asks for those that are not the latest
		p.mask, p.matched = p.v.Live, int(p.count)
		return
	}
	p.mask = slices.Clone(p.v.Live)
	for i := range p.mask {
		if retired {
			p.mask[i] |= p.v.Old[i]
		}
		if !p.whole {
			p.mask[i] &= p.named[i]
		}
	}
	if cond != nil {
		cond.Apply(p.mask)
	}
	p.matched = Popcount(p.mask)
}

// unite brings both sides together in s.found, each entry once, in the order of ids, with what Both asks for.
func (s *search) unite() {
	for i := range s.near {
		n := &s.near[i]
		s.found = append(s.found, found{part: n.part, slot: n.slot, sim: n.sim, hasSim: true, from: n})
	}
	for _, t := range s.top.Heap {
		s.found = append(s.found, found{part: t.Part, slot: t.Slot, text: t.Score, hasText: true})
	}
	s.sortByID()
	n := 0
	for i, f := range s.found {
		if i > 0 && s.found[n-1].part == f.part && s.found[n-1].slot == f.slot {
			o := &s.found[n-1]
			if f.hasSim {
				o.sim, o.hasSim, o.from = f.sim, true, f.from
			} else {
				o.text, o.hasText = f.text, true
			}
			continue
		}
		s.found[n] = f
		n++
	}
	s.found = s.found[:n]
	if s.req.Both {
		s.fetch(s.found)
		for i := range s.found {
			s.complete(&s.found[i])
		}
	}
}

// fetch has what [search.complete] reads on its way from memory, where it lies scattered.
func (s *search) fetch(all []found) {
	for i := range all {
		f := &all[i]
		v := s.parts[f.part].v
		if s.req.Scene || !f.hasText {
			s.touched32 ^= uint32(v.Forward(f.slot)[0])
		}
		if b := v.Blocks[f.slot>>BlockShift]; !f.hasSim && s.query != nil && b.I8 != nil {
			b.I8.Prefetch(s.kernels, f.slot&(BlockSlots-1))
		}
	}
}

// sortByID puts s.found in the order of ids. The ids are gathered first: where they are, memory is slow, and a sort comes by often.
func (s *search) sortByID() {
	s.keys = s.keys[:0]
	for i := range s.found {
		f := &s.found[i]
		b, at := s.parts[f.part].v.Blocks[f.slot>>BlockShift], f.slot&(BlockSlots-1)
		s.touched32 ^= b.Touch(at)
		s.keys = append(s.keys, keyed{b.Entry(at), int32(i)})
	}
	slices.SortFunc(s.keys, func(a, b keyed) int {
		if a.id.Code == Odd || b.id.Code == Odd {
			x, y := &s.found[a.at], &s.found[b.at]
			return s.compareIDs(x.part, x.slot, y.part, y.slot)
		}
		return a.id.Compare(b.id)
	})
	s.spare = s.spare[:0]
	for i := range s.keys {
		s.spare = append(s.spare, s.found[s.keys[i].at])
	}
	s.found, s.spare = s.spare, s.found
}

// complete computes the scores that a candidate does not have yet.
func (s *search) complete(f *found) {
	v := s.parts[f.part].v
	if s.req.Scene { // which shows them
		from := len(s.said)
		s.said = v.Terms(s.said, f.slot)
		f.said = span{from, len(s.said)}
	}
	switch {
	case f.hasText:
	case s.req.Scene:
		f.text, f.hasText = s.scoreTerms(v, f.slot, s.said[f.said.from:])
	default:
		f.text, f.hasText = s.textScore(v, f.slot)
	}
	if !f.hasSim && s.query != nil && Has(v.Vec, f.slot) {
		f.sim, f.hasSim = s.similarity(v, f.slot), true
		for i := range s.extra {
			if e := &s.extra[i]; e.part == f.part && e.slot == f.slot {
				f.sim, f.from = e.sim, e
			}
		}
	}
}

// compareIDs orders two slots by the ids of their entries.
func (s *search) compareIDs(ap, as, bp, bs int) int {
	av, bv := s.parts[ap].v, s.parts[bp].v
	a, b := av.Blocks[as>>BlockShift].Entry(as&(BlockSlots-1)), bv.Blocks[bs>>BlockShift].Entry(bs&(BlockSlots-1))
	if a.Code != Odd && b.Code != Odd {
		return a.Compare(b)
	}
	return strings.Compare(string(av.IDOf(a)), string(bv.IDOf(b)))
}

// candidates writes out what was found.
func (s *search) candidates() []lukasa.Candidate {
	if len(s.found) == 0 {
		return nil
	}
	out := make([]lukasa.Candidate, len(s.found))
	s.describe(s.found, func(n int) *lukasa.Candidate { return &out[n] })
	return out
}

// describe writes out what is known of entries. All ids share one string.
func (s *search) describe(all []found, to func(n int) *lukasa.Candidate) {
	s.idbuf = s.idbuf[:0]
	for _, f := range all {
		v, b, i := s.at(f)
		s.idbuf = v.AppendID(v.AppendID(s.idbuf, b.Entry(i)), b.Document(i))
	}
	ids, off := string(s.idbuf), 0
	next := func(n int) lukasa.ID {
		off += n
		return lukasa.ID(ids[off-n : off])
	}
	for n, f := range all {
		v, b, i := s.at(f)
		c := to(n)
		c.Entry = next(v.TextLen(b.Entry(i)))
		c.Document = next(v.TextLen(b.Document(i)))
		c.Type = lukasa.EntryType(v.Names.Word(v.Classes[b.Class[i]].Type))
		node := uint32(0)
		if v.Pool {
			node = b.Node[i]
		}
		c.Node = v.Nodes[node].ID
		c.Seq = b.Rows[i].Seq
		c.When, c.CreatedAt = b.Times(i)
		c.HasVector, c.HasText = f.hasSim, f.hasText
		if f.hasSim {
			c.Similarity = f.sim
		}
		if f.hasText {
			c.Text = float64(f.text) / postings.ScoreScale
		}
	}
}

func (s *search) at(f found) (v *View, b *Block, i int) {
	v = s.parts[f.part].v
	return v, v.Blocks[f.slot>>BlockShift], f.slot & (BlockSlots - 1)
}
