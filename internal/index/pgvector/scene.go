package pgvector

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

const (
	spreading    = 40 // so many of the best candidates bring in those that stand near them
	spreadWeight = .4 // of the cosine, beside BM25
)

// floats reads what vector_send and halfvec_send write: the number of dimensions and an unused number, 2 bytes each, then the values,
// the first byte of each being the highest.
func (g *generation) floats(b []byte) []float32 {
	if len(b) < 4 {
		return nil
	}
	v := make([]float32, int(binary.BigEndian.Uint16(b)))
	b = b[4:]
	size := 4
	if g.kind == "halfvec" {
		size = 2
	}
	if len(b) < size*len(v) {
		return nil
	}
	for i := range v {
		if size == 4 {
			v[i] = math.Float32frombits(binary.BigEndian.Uint32(b[4*i:]))
		} else {
			v[i] = half(binary.BigEndian.Uint16(b[2*i:]))
		}
	}
	return v
}

// half reads a number of 16 bits (IEEE 754 binary16).
func half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case 0:
		v := float32(frac) / (1 << 24)
		if sign != 0 {
			return -v
		}
		return v
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// chains are what stands right before and behind entries in their sessions, by number; 0 is nothing.
type chains map[int64][2]int64

// beside finds what stands beside entries that have not been asked about yet: of the same session and type, and a latest entry beside one.
func (s *search) beside(ctx context.Context, known chains, list []int64) error {
	var ask []int64
	for _, n := range list {
		if _, ok := known[n]; !ok {
			known[n] = [2]int64{}
			ask = append(ask, n)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	side := func(op, dir string) string {
		return "(SELECT e.n FROM " + s.x.made.entries + " e WHERE e.node = c.node AND e.session = c.session AND e.session <> '' AND e.type = c.type AND (e.latest OR NOT c.latest) AND (e.seq, e.entry_id) " +
			op + " (c.seq, c.entry_id) ORDER BY e.seq" + dir + ", e.entry_id" + dir + " LIMIT 1)"
	}
	return s.c.Each(ctx, "SELECT c.n, "+side("<", " DESC")+", "+side(">", "")+" FROM "+s.x.made.entries+" c WHERE c.n = ANY(?1::bigint[]) AND c.session <> ''", []any{numbers(ask)}, func(r sqlrows.Row) error {
		known[r.Int64(0)] = [2]int64{r.Int64(1), r.Int64(2)}
		return nil
	})
}

// around returns the entries up to two away from those of a list, without these.
func (s *search) around(ctx context.Context, known chains, list []int64) ([]int64, error) {
	if err := s.beside(ctx, known, list); err != nil {
		return nil, err
	}
	var first [][2]int64 // with the side that they stand on
	var ask []int64
	for _, n := range list {
		for side, m := range known[n] {
			if m != 0 {
				first = append(first, [2]int64{m, int64(side)})
				ask = append(ask, m)
			}
		}
	}
	if err := s.beside(ctx, known, ask); err != nil {
		return nil, err
	}
	in := map[int64]bool{0: true}
	for _, n := range list {
		in[n] = true
	}
	var out []int64
	add := func(n int64) {
		if !in[n] {
			in[n] = true
			out = append(out, n)
		}
	}
	for _, f := range first {
		add(f[0])
		add(known[f[0]][f[1]])
	}
	return out, nil
}

// scene describes the candidates, to which it adds those that stand near the best, and what stands around them.
func (s *search) scene(ctx context.Context) (*index.Scene, error) {
	sc := &index.Scene{Terms: s.terms, Entries: int(s.n), Length: 1}
	if len(s.parts) > 0 {
		sc.Length = s.avg
	}
	known := chains{}
	if err := s.widen(ctx, known); err != nil {
		return nil, err
	}
	list := make([]int64, len(s.found))
	for i, it := range s.found {
		list[i] = it.n
	}
	near, err := s.around(ctx, known, list)
	if err != nil {
		return nil, err
	}
	if near, err = s.there(ctx, near); err != nil {
		return nil, err
	}
	if err := s.beside(ctx, known, near); err != nil { // who may be beside one another
		return nil, err
	}
	items := slices.Clone(s.found)
	more, err := s.readNew(ctx, near)
	if err != nil {
		return nil, err
	}
	for _, it := range more {
		s.complete(it, true, false)
	}
	items = append(items, more...)
	s.fill(sc, items, known)
	return sc, nil
}

// readNew reads entries in the order of a list, those that are known already from memory.
func (s *search) readNew(ctx context.Context, list []int64) ([]*item, error) {
	var ask []int64
	for _, n := range list {
		if s.byEntry[n] == nil {
			ask = append(ask, n)
		}
	}
	if _, err := s.read(ctx, ask); err != nil {
		return nil, err
	}
	var out []*item
	for _, n := range list {
		if it := s.byEntry[n]; it != nil {
			out = append(out, it)
		}
	}
	return out, nil
}

// widen makes candidates of the entries that stand near the best ones.
func (s *search) widen(ctx context.Context, known chains) error {
	text, sim := int64(0), 0.0
	for _, it := range s.found {
		text = max(text, it.text)
		if it.HasVector {
			sim = max(sim, it.sim)
		}
	}
	value := func(it *item) (v float64) {
		if it.text > 0 {
			v = float64(it.text) / float64(text)
		}
		if it.HasVector && sim > 0 {
			v += spreadWeight * it.sim / sim
		}
		return v
	}
	best := slices.Clone(s.found)
	slices.SortStableFunc(best, func(a, b *item) int {
		switch x, y := value(a), value(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var list []int64
	for _, it := range best[:min(spreading, len(best))] {
		list = append(list, it.n)
	}
	near, err := s.around(ctx, known, list)
	if err != nil || len(near) == 0 {
		return err
	}
	in := map[int64]bool{}
	for _, it := range s.found {
		in[it.n] = true
	}
	near = slices.DeleteFunc(near, func(n int64) bool { return in[n] })
	keep, err := s.kept(ctx, near)
	if err != nil {
		return err
	}
	more, err := s.readNew(ctx, keep)
	if err != nil {
		return err
	}
	for _, it := range more {
		s.complete(it, true, true)
	}
	s.found = append(s.found, more...)
	s.order()
	return nil
}

// kept returns those of a list that the filter keeps.
func (s *search) kept(ctx context.Context, list []int64) (keep []int64, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	var c condition
	where := s.from(&c)
	sql := "SELECT e.n FROM " + s.x.made.entries + " e WHERE " + where + " AND e.n = ANY(" + c.arg(numbers(list)) + "::bigint[])"
	err = s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error { keep = append(keep, r.Int64(0)); return nil })
	return keep, err
}

// fill writes out what the items say, who says it, and how they hang together.
func (s *search) fill(sc *index.Scene, items []*item, known chains) {
	place := make(map[int64]int32, len(items))
	for i, it := range items {
		place[it.n] = int32(i)
	}
	beside := func(n int64) int32 {
		if i, ok := place[n]; ok {
			return i
		}
		return -1
	}
	numbers := make(map[string]uint32, len(s.names))
	for i, name := range s.names {
		numbers[name] = uint32(s.of(i))
	}
	speakers := map[string]int32{}
	sc.Items = make([]index.Item, len(items))
	for i, it := range items {
		o := &sc.Items[i]
		*o = index.Item{
			Candidate: it.Candidate, Terms: make([]uint32, len(it.terms)), Head: it.head, Prev: beside(known[it.n][0]), Next: beside(known[it.n][1]), Speaker: -1,
			Role: it.role, Confidence: it.confidence,
		}
		for j, t := range it.terms {
			n, ok := numbers[t]
			if !ok {
				n = uint32(len(numbers))
				numbers[t] = n
			}
			o.Terms[j] = n
		}
		if it.speaker != "" {
			n, ok := speakers[it.speaker]
			if !ok {
				n = int32(len(sc.Speakers))
				speakers[it.speaker] = n
				sc.Speakers = append(sc.Speakers, it.speaker)
			}
			o.Speaker = n
		}
	}
	if s.query != "" {
		sc.Dot = dots(items)
	}
}

// dots compares items by their vectors; -1 stands for the query.
func dots(items []*item) func(a, b int) float32 {
	return func(a, b int) float32 {
		if a < 0 {
			return float32(items[b].Similarity)
		}
		p, q := items[a].vector, items[b].vector
		if p == nil || q == nil {
			return 0
		}
		var s0, s1, s2, s3 float32
		i := 0
		for ; i+4 <= len(p) && i+4 <= len(q); i += 4 {
			s0 += p[i] * q[i]
			s1 += p[i+1] * q[i+1]
			s2 += p[i+2] * q[i+2]
			s3 += p[i+3] * q[i+3]
		}
		for ; i < len(p) && i < len(q); i++ {
			s0 += p[i] * q[i]
		}
		return s0 + s1 + s2 + s3
	}
}

// maxSpeakers is how many names are worth telling: where many speak, a name in a question is not that of a partner.
const maxSpeakers = 64

// speakersAt are the speakers of a node as of one change.
type speakersAt struct {
	version int64
	names   []string
}

// Speakers implements [index.Index].
func (x *Index) Speakers(ctx context.Context, owner lukasa.ID, nodes []lukasa.ID, _ int64) ([]string, error) {
	var names []string
	for _, id := range unique(nodes) {
		p := place{owner, id}
		version := x.Version(owner, id)
		at, ok := x.speakers.Load(p)
		if !ok || at.(speakersAt).version != version {
			list, err := x.speak(ctx, p)
			if err != nil {
				return nil, err
			}
			at = speakersAt{version, list}
			x.speakers.Store(p, at)
		}
		for _, s := range at.(speakersAt).names {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
		if len(names) > maxSpeakers {
			return nil, nil
		}
	}
	return names, nil
}

// speak lists who speaks in a node, up to one more than is told.
func (x *Index) speak(ctx context.Context, p place) (names []string, err error) {
	err = x.over(ctx, p.owner, []lukasa.ID{p.node}, func(c *pg.Conn, parts []part) error {
		names = nil
		return c.Each(ctx, "SELECT DISTINCT speaker FROM "+x.made.entries+" WHERE owner_id = ?1 AND node = ?2 AND speaker <> '' ORDER BY speaker LIMIT ?3", []any{p.owner, parts[0].n, maxSpeakers + 1}, func(r sqlrows.Row) error {
			names = append(names, r.Text(0))
			return nil
		})
	})
	return names, err
}
