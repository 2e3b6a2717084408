package local

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/parallel"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// nearest leaves the k entries most similar to the request's vector in s.near. What a shard holds in full is compared exactly. The rest
// is found in three stages: 1-bit codes, 8-bit codes, and the vectors themselves, read from the feed, of the best few. Where these cannot
// change which the k are, it has them read while other things are done: refine has to be called before the similarities are final.
func (s *search) nearest(ctx context.Context, k int) error {
	s.query, s.near, s.extra = nil, s.near[:0], s.extra[:0]
	g := s.x.geometry.Load()
	if g == nil || len(s.req.Vector) != g.Dim {
		return nil
	}
	if s.query = Unit(s.unit, s.req.Vector); s.query == nil {
		return nil
	}
	s.unit = s.query
	s.geo = g
	if len(s.rotated) != g.Padded {
		s.rotated = make([]float32, g.Padded)
	}
	g.Rotation.Apply(s.rotated, s.query)
	s.q8.Set(s.rotated)
	if k == 0 {
		return nil
	}
	slots, matched := 0, 0
	for i := range s.parts {
		slots += s.parts[i].v.N
		matched += s.parts[i].matched
	}
	r := rescored
	if slots > bigPart {
		r = rescoredBig
	}
	s.exactly = matched <= s.x.opt.few
	exact := s.x.opt.Exact
	if s.req.Scene && g.Padded >= closeFrom { // whose signs take the similarity for one of many
		exact = (exact + 1) / 2
	}
	r = max(r, 4*k, s.x.opt.room)
	s.stage1.Reset(r)
	s.stage2.Reset(max(k, exact))
	s.floor = float32(math.Inf(-1))
	if s.kernels.Sifts() && matched >= sampledFrom && !s.exactly {
		s.sample(r)
	}
	coarse := false
	for i := range s.parts {
		if i%together == 0 {
			for j := range s.parts[i:min(i+together, len(s.parts))] {
				s.meet(s.parts[i+j].v, 0)
			}
		}
		coarse = s.scan(i, coarse)
	}
	if coarse {
		s.rescore(k)
	}
	s.scored = s.stage2.Append(s.scored[:0])
	for _, c := range s.scored {
		pi := s.partOf(c.Slot)
		p := &s.parts[pi]
		n := near{float64(c.Score), pi, int(c.Slot - p.base), p.v.Exact || p.own}
		if p.v.Exact {
			n.sim = s.similarity(p.v, n.slot)
		}
		s.near = append(s.near, n)
	}
	s.cut(max(k, exact))
	s.askVectors(ctx, k, exact)
	if len(s.near) <= k {
		return nil
	}
	if err := s.refine(); err != nil {
		return err
	}
	s.cut(k)
	return nil
}

// cut leaves the k best of s.near, the best first; of equal ones the lower id is better.
func (s *search) cut(k int) {
	if len(s.near) > 2*k { // do not sort what does not count
		s.stage2.Reset(k)
		for i, n := range s.near {
			s.stage2.Push(float32(n.sim), uint32(i))
		}
		s.scored = s.stage2.Append(s.scored[:0])
		least := float64(s.scored[len(s.scored)-1].Score)
		s.near = slices.DeleteFunc(s.near, func(n near) bool { return float64(float32(n.sim)) < least })
	}
	slices.SortFunc(s.near, func(a, b near) int {
		if a.sim != b.sim { // ties are rare, and their comparison is dear
			return cmp.Compare(b.sim, a.sim)
		}
		return s.compareIDs(a.part, a.slot, b.part, b.slot)
	})
	s.near = s.near[:min(k, len(s.near))]
}

// scan compares what may be found in one part: exactly, by 8-bit codes into stage2, or by 1-bit codes into stage1. It
// returns whether stage1 has been used.
func (s *search) scan(pi int, coarse bool) bool {
	p := &s.parts[pi]
	v := p.v
	if p.matched == 0 || v.Vectors == 0 {
		return coarse
	}
	if p.slots != nil {
		for i, slot := range p.slots {
			if p.wanted[i] && Has(v.Vec, int(slot)) {
				s.compare(pi, p, int(slot))
			}
		}
		return coarse
	}
	mask, n := p.mask, p.matched
	if v.Vectors < v.Alive {
		mask, n = s.withVector(p)
	}
	if s.exactly || n < v.N/6 {
		for slot := range EachBit(mask) {
			s.compare(pi, p, slot)
		}
		return coarse
	}
	if !coarse {
		s.q1.SetFor(s.kernels, s.rotated)
	}
	s.x.train(s.owner, p)
	covered := v.Cells.Covered()
	for bi := covered >> BlockShift; bi < len(v.Blocks); bi++ {
		if bi > 0 && bi%together == 0 {
			s.meet(v, bi)
		}
		b := v.Blocks[bi]
		first := covered - bi*BlockSlots
		if b.Bits == nil || first >= b.Slots() {
			continue
		}
		live := mask[bi*BlockWords:][:(b.Slots()+63)/64]
		if first > 0 { // those before it stand in cells
			live = append(s.tail[:0], live...)
			clear(live[:first/64])
			live[first/64] &= ^uint64(0) << (first % 64)
		}
		s.kernels.ScanLikely(s.stage1, &s.block, b.Bits, s.blockAfter(pi, bi), &s.q1, live, 0, s.floor, p.base+uint32(bi*BlockSlots))
	}
	if v.Cells != nil {
		v.Cells.Scan(s.kernels, &s.reading, s.stage1, &s.block, &s.q1, &s.q8, mask, p.celled)
	}
	return true
}

// together is of how many blocks what describes them is fetched in one go.
const together = 16

// meet has what describes the next blocks on its way from memory at once: a scan would wait for one after another.
func (s *search) meet(v *View, first int) {
	for _, b := range v.Blocks[first:min(first+together, len(v.Blocks))] {
		if b.Bits != nil {
			s.touched64 ^= uint64(len(b.Bits.Scale))
		}
	}
}

// slotNames gives what was found in cells, under the names of places, the names of slots.
func (s *search) slotNames(found []vector.Scored) {
	first := s.parts[0].celled
	for i := range found {
		name := &found[i].Slot
		if *name < first {
			continue
		}
		p := &s.parts[sort.Search(len(s.parts), func(i int) bool { return s.parts[i].celled > *name })-1]
		*name = p.base + p.v.Cells.Slot(*name-p.celled)
	}
}

// blockAfter returns the codes that are looked at after those of a block, or nil.
func (s *search) blockAfter(pi, bi int) *vector.Bits {
	if blocks := s.parts[pi].v.Blocks; bi+1 < len(blocks) {
		return blocks[bi+1].Bits
	}
	if pi+1 < len(s.parts) {
		if blocks := s.parts[pi+1].v.Blocks; len(blocks) > 0 {
			return blocks[0].Bits
		}
	}
	return nil
}

// withVector returns what may be found in a part and has a vector, and how many there are.
func (s *search) withVector(p *part) (mask []uint64, n int) {
	s.vmask = append(s.vmask[:0], p.mask...)
	for i := range s.vmask {
		s.vmask[i] &= p.v.Vec[i]
		n += bits.OnesCount64(s.vmask[i])
	}
	return s.vmask, n
}

// compare scores one slot as exactly as its shard can.
func (s *search) compare(pi int, p *part, slot int) {
	if s.exactly {
		s.near = append(s.near, near{s.similarity(p.v, slot), pi, slot, p.v.Exact || p.own})
		return
	}
	b := p.v.Blocks[slot>>BlockShift]
	s.stage2.Push(b.I8.Score(s.kernels, slot&(BlockSlots-1), &s.q8), p.base+uint32(slot))
}

// similarity returns the cosine of a slot's vector, exact or from its 8-bit code.
func (s *search) similarity(v *View, slot int) float64 {
	b, i := v.Blocks[slot>>BlockShift], slot&(BlockSlots-1)
	if v.Exact && b.F32 != nil {
		return float64(s.kernels.Dot(b.F32[i*s.geo.Dim:(i+1)*s.geo.Dim], s.query))
	}
	return float64(b.I8.Score(s.kernels, i, &s.q8))
}

const (
	// closeFrom is from how many dimensions on a similarity by 8-bit codes is within .004 of that by vectors; see [search.coded].
	closeFrom = 256

	ahead = 8 // so many vectors are on their way from memory while one is compared
	sure  = 8 // so many estimates more than one and a half times those asked for are looked at first
)

// rescore takes the best of the 1-bit stage to the 8-bit stage: first those whose estimates are best, then of the others those that can
// be among the k best by the doubt about their estimates.
func (s *search) rescore(k int) {
	best := 0
	s.scored, best = s.stage1.AppendParted(s.scored[:0], k+k/2+sure)
	s.slotNames(s.scored)
	s.sofar.Reset(k)
	for i, score := range s.codeScores(s.scored[:best]) {
		s.sofar.Push(score, s.scored[i].Slot)
		s.stage2.Push(score, s.scored[i].Slot)
	}
	least := s.sofar.Worst()
	least -= s.q1.Doubt(least) + s.coded()
	n := 0
	rest := s.scored[best:]
	for _, c := range rest {
		rest[n] = c
		if c.Score >= least {
			n++
		}
	}
	for i, score := range s.codeScores(rest[:n]) {
		s.stage2.Push(score, rest[i].Slot)
	}
}

// coded is how much two similarities by 8-bit codes can be wrong beside each other: a number is rounded to the nearest of 255 that are
// about 1/(40√dim) apart, which makes standard deviations of 0.0072/√dim and, for a difference, 0.01/√dim; this is eight of them.
func (s *search) coded() float32 { return float32(.08 / math.Sqrt(float64(s.geo.Padded))) }

// codeScores returns the similarities of entries by their 8-bit codes, for as long as it is not called again.
func (s *search) codeScores(of []vector.Scored) []float32 {
	s.codes, s.sims = s.codes[:0], s.sims[:0]
	for _, c := range of {
		p := &s.parts[s.partOf(c.Slot)]
		slot := c.Slot - p.base
		s.codes = append(s.codes, codeAt{p.v.Blocks[slot>>BlockShift].I8, int(slot & (BlockSlots - 1))})
	}
	for i := range s.codes[:min(ahead, len(s.codes))] {
		s.codes[i].in.Prefetch(s.kernels, s.codes[i].slot)
	}
	for i := range s.codes {
		if i+ahead < len(s.codes) {
			next := &s.codes[i+ahead]
			next.in.Prefetch(s.kernels, next.slot)
		}
		s.sims = append(s.sims, s.codes[i].in.Score(s.kernels, s.codes[i].slot, &s.q8))
	}
	return s.sims
}

// codeAt is where an 8-bit code is.
type codeAt struct {
	in   *vector.Int8
	slot int
}

// partOf returns the part that a number over all parts belongs to.
func (s *search) partOf(name uint32) int {
	lo, hi := 0, len(s.parts)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; s.parts[m].base <= name {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

// askVectors begins to read the vectors that the feed has of the best of s.near; so it does, where a request asks for both scores and some
// of the exact ones are left over, for the best of the text side, in s.extra.
func (s *search) askVectors(ctx context.Context, k, exact int) {
	s.asked, s.extra = s.asked[:0], s.extra[:0]
	share := exact
	if s.req.Both {
		share = min(exact, k+8)
	} else if k > 0 && k < len(s.near) { // what is worse than the last of k by more than its code can be wrong is not among them
		least := s.near[k-1].sim - float64(s.coded())
		n := k
		for n < len(s.near) && s.near[n].sim >= least {
			n++
		}
		share = min(exact, n)
	}
	for i := range s.near {
		if len(s.asked) == share {
			break
		}
		if n := &s.near[i]; !n.exact {
			s.asked = append(s.asked, i)
			s.touch(n.part, n.slot)
		}
	}
	if s.req.Both && len(s.asked) < exact {
		s.words()
		s.addTexts(exact - len(s.asked))
	}
	ids := s.idsAsked()
	if len(ids) == 0 {
		return
	}
	x, owner := s.x, s.owner.id
	s.vectorsAsked = sync.OnceFunc(parallel.Part(ctx, func() { s.vecs, s.vecsErr = x.feed.Vectors(ctx, x.opt.Space, owner, ids) }))
}

// refine gives what askVectors has asked for the cosine of its vector, also where it is united already.
func (s *search) refine() error {
	if s.vectorsAsked == nil {
		return nil
	}
	s.vectorsAsked()
	vecs, err := s.vecs, s.vecsErr
	s.vectorsAsked, s.vecs, s.vecsErr = nil, nil, nil
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	vecs = vecs[:min(len(vecs), len(s.ids))]
	const ahead = 2
	least := math.Inf(1)
	for i, vec := range vecs {
		if i+ahead < len(vecs) {
			s.kernels.Prefetch(vecs[i+ahead])
		}
		if len(vec) != s.geo.Dim { // gone meanwhile
			continue
		}
		length := s.kernels.Dot(vec, vec)
		sim := float64(s.kernels.Dot(vec, s.query)) / math.Sqrt(float64(length))
		switch {
		case math.IsNaN(sim) || math.IsInf(sim, 0):
		case i < len(s.asked):
			s.near[s.asked[i]].sim, s.near[s.asked[i]].exact = sim, true
			least = min(least, sim)
		default:
			s.extra[i-len(s.asked)].sim = sim
		}
	}
	for i := range s.near { // what came behind by its code does not pass those by the error of the code
		if n := &s.near[i]; !n.exact {
			n.sim = min(n.sim, least)
		}
	}
	for i := range s.found {
		if f := &s.found[i]; f.from != nil {
			f.sim = f.from.sim
		}
	}
	return nil
}

// addTexts adds up to n of the best of the text side whose shards do not compare exactly to s.extra.
func (s *search) addTexts(n int) {
	s.texts = append(s.texts[:0], s.top.Heap...)
	slices.SortFunc(s.texts, func(a, b postings.Ranked) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		if s.worse(b, a) {
			return -1
		}
		return 1
	})
	for _, t := range s.texts {
		v := s.parts[t.Part].v
		if len(s.extra) == n {
			break
		}
		if !v.Exact && !s.parts[t.Part].own && Has(v.Vec, t.Slot) {
			s.extra = append(s.extra, near{s.similarity(v, t.Slot), t.Part, t.Slot, true})
		}
	}
}

// idsAsked returns the ids of s.asked and s.extra. They share one string.
func (s *search) idsAsked() []lukasa.ID {
	s.idbuf, s.idlens = s.idbuf[:0], s.idlens[:0]
	add := func(n *near) {
		v := s.parts[n.part].v
		from := len(s.idbuf)
		s.idbuf = v.AppendID(s.idbuf, v.Blocks[n.slot>>BlockShift].Entry(n.slot&(BlockSlots-1)))
		s.idlens = append(s.idlens, len(s.idbuf)-from)
	}
	for _, i := range s.asked {
		add(&s.near[i])
	}
	for i := range s.extra {
		add(&s.extra[i])
	}
	all, ids := string(s.idbuf), s.ids[:0]
	for _, n := range s.idlens {
		ids, all = append(ids, lukasa.ID(all[:n])), all[n:]
	}
	s.ids = ids
	return ids
}

// touch has the memory that describes an entry fetched; see [Block.Touch].
func (s *search) touch(part, slot int) {
	s.touched64 ^= uint64(s.parts[part].v.Blocks[slot>>BlockShift].Touch(slot & (BlockSlots - 1)))
}
