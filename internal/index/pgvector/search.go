package pgvector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// BM25's constants, and the factor that makes scores whole numbers.
const (
	k1      = 1.2
	lengthB = 0.75
	scale   = 1 << 30
)

// part is a node whose entries are in the tables.
type part struct {
	id                               lukasa.ID
	n                                int
	entries, vectors, latest, length int64
	tongues                          text.Tongues
}

// parts returns those of the nodes that are loaded.
func (x *Index) parts(ctx context.Context, c *pg.Conn, owner lukasa.ID, nodes []lukasa.ID) (list []part, err error) {
	err = c.Each(ctx, "SELECT node_id, n, entries, vectors, latest, length, tongues FROM "+x.made.nodes+" WHERE owner_id = ?1 AND node_id = ANY(?2::text[]) AND loaded ORDER BY n",
		[]any{owner, texts(nodes)}, func(r sqlrows.Row) error {
			list = append(list, part{lukasa.ID(r.Text(0)), r.Int(1), r.Int64(2), r.Int64(3), r.Int64(4), r.Int64(5), text.Tongues(r.Int64(6))})
			return nil
		})
	return list, err
}

// search is one request on its way.
type search struct {
	x     *Index
	c     *pg.Conn
	req   index.Request
	parts []part
	nums  string // of the parts
	byNum map[int]lukasa.ID
	terms []index.Term // of the query
	names []string     // the same terms, as they are indexed, and then other forms of them
	forms []form       // what each of these others is
	at    map[string]int
	query string // the vector; "" for none

	weights              []float64
	n, total, vectors    int64
	avg                  float64
	matched              int
	filtered             bool // not every latest entry is kept
	found                []*item
	byEntry              map[int64]*item
	fromText, fromVector map[int64]bool
	then                 []*item           // what has changed since, where the request is about an earlier moment
	wordsThen            map[string]string // of that, by term
}

// form is a name that stands for a term beside the term's own.
type form struct {
	of    int     // which of terms
	share float64 // of the weight: 1, or less for what only stands in
}

// maxLoads is how often a search loads what another process has dropped meanwhile.
const maxLoads = 10

// Search implements [index.Index].
func (x *Index) Search(ctx context.Context, r index.Request) (index.Answer, error) {
	if err := ctx.Err(); err != nil {
		return index.Answer{}, err
	}
	if x.seen.Load() < 0 || x.owing() {
		if _, err := x.Sync(ctx); err != nil {
			return index.Answer{}, err
		}
	}
	nodes := unique(r.Nodes)
	var ans index.Answer
	err := x.over(ctx, r.Owner, nodes, func(c *pg.Conn, parts []part) error {
		s := &search{x: x, c: c, req: r, parts: parts}
		var err error
		ans, err = s.run(ctx)
		ans.Partitions = len(nodes)
		return err
	})
	return ans, err
}

// over runs fn over one moment of nodes, which it loads where that is needed.
func (x *Index) over(ctx context.Context, owner lukasa.ID, nodes []lukasa.ID, fn func(*pg.Conn, []part) error) error {
	errMissing := errors.New("a node is not loaded")
	for tries := 0; ; tries++ {
		missing := map[lukasa.ID]bool{}
		err := x.pool.Read(ctx, x.prelude(owner, "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL max_parallel_workers_per_gather = 0"), func(c *pg.Conn) error {
			clear(missing)
			parts, err := x.parts(ctx, c, owner, nodes)
			if err != nil {
				return err
			}
			if len(parts) < len(nodes) {
				for _, id := range nodes {
					missing[id] = true
				}
				for _, p := range parts {
					delete(missing, p.id)
				}
				return errMissing
			}
			return fn(c, parts)
		})
		if !errors.Is(err, errMissing) || tries >= maxLoads {
			return fault(err)
		}
		for _, id := range nodes {
			if missing[id] {
				if err := x.load(ctx, place{owner, id}); err != nil {
					return err
				}
			}
		}
	}
}

func (s *search) run(ctx context.Context) (index.Answer, error) {
	s.byNum, s.byEntry = map[int]lukasa.ID{}, map[int64]*item{}
	s.fromText, s.fromVector = map[int64]bool{}, map[int64]bool{}
	nums := make([]int, len(s.parts))
	for i, p := range s.parts {
		nums[i], s.byNum[p.n] = p.n, p.id
		s.n, s.total, s.vectors = s.n+p.latest, s.total+p.length, s.vectors+p.vectors
	}
	s.nums = numbers(nums)
	s.filtered = s.req.Filter != nil || len(s.req.Types) > 0 || s.req.Then != nil
	s.query = unit(s.req.Vector, s.x.opt.Dim)
	s.analyse()
	if s.req.Then != nil {
		s.overlay()
		if err := s.totals(ctx); err != nil {
			return index.Answer{}, err
		}
	}
	var ans index.Answer
	for _, step := range []func(context.Context) error{s.statistics, s.count, s.bestTexts, s.nearest, s.describe} {
		if len(s.parts) == 0 {
			break
		}
		if err := step(ctx); err != nil {
			return ans, err
		}
	}
	ans.Matched, ans.Terms, ans.Instead = s.matched, s.names[:len(s.terms)], index.Instead(s.terms)
	if s.req.Scene {
		sc, err := s.scene(ctx)
		if err != nil {
			return ans, err
		}
		ans.Scene = sc
	}
	for _, it := range s.found {
		ans.Candidates = append(ans.Candidates, it.Candidate)
	}
	return ans, nil
}

// analyse makes terms of the text. Where there are texts in other tongues than English, words come in all their forms.
func (s *search) analyse() {
	s.at = map[string]int{}
	an := s.x.analyz.Get().(*text.Analyzer)
	defer s.x.analyz.Put(an)
	var tongues text.Tongues
	for _, p := range s.parts {
		tongues |= p.tongues
	}
	type other struct {
		term string
		of   int
	}
	var forms []other
	for _, k := range an.Ask(s.req.Text, tongues) {
		if i, ok := s.at[k.Term]; ok {
			s.terms[i].Count++
			continue
		}
		for _, f := range k.Forms {
			forms = append(forms, other{f, len(s.terms)})
		}
		s.at[k.Term] = len(s.terms)
		s.terms = append(s.terms, index.Term{ID: index.NoTerm, Word: s.req.Text[k.Start:k.End], Count: 1})
		s.names = append(s.names, k.Term)
	}
	for _, f := range forms {
		if _, ok := s.at[f.term]; !ok {
			s.addForm(f.term, form{f.of, 1})
		}
	}
}

func (s *search) addForm(name string, f form) {
	s.at[name] = len(s.names)
	s.names, s.forms = append(s.names, name), append(s.forms, f)
}

// of returns which of the terms a name stands for.
func (s *search) of(name int) int {
	if name < len(s.terms) {
		return name
	}
	return s.forms[name-len(s.terms)].of
}

// share returns how much of its weight a name counts.
func (s *search) share(name int) float64 {
	if name < len(s.terms) {
		return cmp.Or(s.terms[name].Share, 1)
	}
	return s.forms[name-len(s.terms)].share
}

// statistics reads how many entries have each term, and weighs these.
func (s *search) statistics(ctx context.Context) error {
	s.avg = 1
	if s.n > 0 && s.total > 0 {
		s.avg = float64(s.total) / float64(s.n)
	}
	if len(s.terms) == 0 {
		return nil
	}
	known, err := s.frequencies(ctx, s.names)
	if err != nil {
		return err
	}
	for i, name := range s.names {
		if n, ok := known[name]; ok {
			s.met(i, n)
		}
	}
	if err := s.spell(ctx); err != nil {
		return err
	}
	s.weights = make([]float64, len(s.names))
	for i := range s.names {
		t := s.terms[s.of(i)]
		idf := math.Log(1 + (float64(s.n)-float64(t.Frequency)+.5)/(float64(t.Frequency)+.5))
		s.weights[i] = idf * (k1 + 1) * float64(t.Count) * s.share(i)
	}
	return nil
}

// frequencies returns how many latest entries of the named nodes have each of some names, of those that any entry has or had.
func (s *search) frequencies(ctx context.Context, names []string) (map[string]int, error) {
	known := make(map[string]int, len(names))
	if s.req.Then != nil {
		return known, s.frequenciesThen(ctx, names, known)
	}
	return known, s.c.Each(ctx, "SELECT term, sum(df)::bigint FROM "+s.x.made.terms+" WHERE node = ANY(?1::integer[]) AND term = ANY(?2::text[]) GROUP BY term", []any{s.nums, texts(names)}, func(r sqlrows.Row) error {
		known[r.Text(0)] = r.Int(1)
		return nil
	})
}

// met counts entries that have a name; a term is as common as all its forms together.
func (s *search) met(name, entries int) {
	i := s.of(name)
	s.terms[i].ID, s.terms[i].Frequency = uint32(i), min(s.terms[i].Frequency+entries, max(int(s.n), entries))
}

// from is the beginning of a condition over the entries e of the named nodes.
func (s *search) from(c *condition) string {
	c.args = append(c.args, s.req.Owner, s.nums)
	where := "e.owner_id = ?1 AND e.node = ANY(?2::integer[])"
	if keeps := c.keeps(s.req.Types, s.req.Filter); keeps != "" {
		where += " AND " + keeps
	}
	return where + s.stood(c)
}

// count counts what the filter keeps.
func (s *search) count(ctx context.Context) error {
	if !s.filtered {
		s.matched = int(s.n)
		return nil
	}
	var c condition
	sql := "SELECT count(*) FROM " + s.x.made.entries + " e WHERE " + s.from(&c)
	for _, it := range s.then {
		s.matched += btoi(s.keeps(it))
	}
	return s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error { s.matched += r.Int(0); return nil })
}

// bestTexts finds the K entries with the best text scores.
func (s *search) bestTexts(ctx context.Context) error {
	if s.req.K <= 0 || len(s.terms) == 0 || s.matched == 0 {
		return nil
	}
	var c condition
	where := s.from(&c)
	latest := ""
	if !asksLatest(s.req.Filter) {
		latest = " AND p.latest"
	}
	k := c.arg(s.req.K) + "::bigint"
	// Postings are looked up term by term, and entries from the best score on, until there are K and all that tie with the last: OFFSET 0
	// keeps the planner, which may know nothing yet of what has just been written, from turning that around.
	hits := fmt.Sprintf("SELECT p.entry, sum(floor(q.weight * p.tf / (p.tf + %s::float8 + %s::float8 * p.length / %s::float8) * %d::float8 + %s::float8)::bigint)::bigint AS score FROM unnest(%s::text[], %s::float8[])"+
		" AS q(term, weight) CROSS JOIN LATERAL (SELECT p.entry, p.tf, p.length FROM %s p WHERE p.node = ANY(?2::integer[]) AND p.term = q.term%s OFFSET 0) p GROUP BY p.entry ORDER BY score DESC",
		c.arg(k1*(1-lengthB)), c.arg(k1*lengthB), c.arg(s.avg), scale, c.arg(.5), c.arg(texts(s.names)), c.arg(floats(s.weights)), s.x.made.postings, latest)
	sql := "SELECT b.n FROM (SELECT e.n, e.entry_id, h.score FROM (" + hits + ") h CROSS JOIN LATERAL (SELECT e.n, e.entry_id FROM " + s.x.made.entries + " e WHERE e.n = h.entry AND " + where +
		" OFFSET 0) e ORDER BY h.score DESC FETCH FIRST (" + k + ") ROWS WITH TIES) b ORDER BY b.score DESC, b.entry_id LIMIT " + k
	return s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error { s.fromText[r.Int64(0)] = true; return nil })
}

// nearest finds the K entries most similar to the request's vector.
func (s *search) nearest(ctx context.Context) error {
	if s.req.K <= 0 || s.query == "" || s.matched == 0 || s.vectors == 0 {
		return nil
	}
	walks, err := s.walks(ctx)
	if err != nil {
		return err
	}
	if walks {
		found := 0
		if err := s.walk(ctx, &found); err != nil || found >= s.req.K {
			return err
		}
		clear(s.fromVector)
	}
	var c condition
	where := s.from(&c)
	q := "(e.v <#> " + c.arg(s.query) + "::" + s.x.made.kind + ")"
	sql := "SELECT e.n FROM " + s.x.made.entries + " e WHERE " + where + " AND e.v IS NOT NULL ORDER BY " + q + " + 0, e.entry_id LIMIT " + c.arg(s.req.K) + "::bigint" // + 0: no index orders by that
	return s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error { s.fromVector[r.Int64(0)] = true; return nil })
}

// walks reports whether it is worth it to walk through the index of vectors: there are many that may be found, and those are not so rare
// among all that comparing them costs less than meeting enough of them on the way.
func (s *search) walks(ctx context.Context) (bool, error) {
	if !s.x.near.Load() || s.matched <= s.x.opt.Exact || s.req.K*4 > s.matched {
		return false, nil
	}
	total := 0.0 // about how many entries there are of all owners; not known until the server has counted
	err := s.c.Each(ctx, "SELECT reltuples FROM pg_class WHERE oid = ?1::regclass", []any{s.x.made.entries}, func(r sqlrows.Row) error { total = r.Float(0); return nil })
	met := total * float64(s.req.K) / float64(s.matched)
	return met*float64(s.x.opt.Cost) <= float64(s.matched), err
}

// walk goes through the index of vectors from the nearest on until enough are met that may be found.
func (s *search) walk(ctx context.Context, found *int) error {
	effort := min(1000, max(s.x.opt.Effort, 2*s.req.K))
	err := s.c.Script(ctx, fmt.Sprintf("SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = %d; SET LOCAL hnsw.max_scan_tuples = %d; SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off",
		effort, s.x.opt.Scan))
	if err != nil {
		return err
	}
	var c condition
	where := s.from(&c)
	sql := "SELECT e.n FROM " + s.x.made.entries + " e WHERE " + where + " ORDER BY e.v <#> " + c.arg(s.query) + "::" + s.x.made.kind + " LIMIT " + c.arg(s.req.K) + "::bigint"
	err = s.c.Each(ctx, sql, c.args, func(r sqlrows.Row) error {
		*found++
		s.fromVector[r.Int64(0)] = true
		return nil
	})
	if err != nil {
		return err
	}
	return s.c.Script(ctx, "SET LOCAL enable_sort = on; SET LOCAL enable_seqscan = on")
}

// item is an entry that was read.
type item struct {
	lukasa.Candidate
	n                  int64
	node, length, head int
	latest             bool
	speaker, role      string
	terms              []string
	vector             []float32
	confidence         float64
	sim                float64
	hasSim             bool
	text               int64 // score × scale
}

// describe reads what was found, and scores it.
func (s *search) describe(ctx context.Context) error {
	var list []int64
	for n := range s.fromText {
		list = append(list, n)
	}
	for n := range s.fromVector {
		if !s.fromText[n] {
			list = append(list, n)
		}
	}
	items, err := s.read(ctx, list)
	if err != nil {
		return err
	}
	if s.req.Then != nil {
		items = s.join(items)
	}
	both := s.req.Both || s.req.Scene
	for _, it := range items {
		s.complete(it, both || s.fromVector[it.n], both || s.fromText[it.n])
	}
	s.found = items
	s.order()
	return nil
}

func (s *search) order() {
	slices.SortFunc(s.found, func(a, b *item) int { return cmp.Compare(a.Entry, b.Entry) })
}

// complete gives a candidate its scores.
func (s *search) complete(it *item, vector, text bool) {
	if vector && it.hasSim {
		it.Similarity, it.HasVector = it.sim, true
	}
	if text && it.text > 0 {
		it.Text, it.HasText = float64(it.text)/scale, true
	}
}

// read reads entries by their numbers.
func (s *search) read(ctx context.Context, list []int64) ([]*item, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var c condition
	c.arg(numbers(list))
	sim, raw := "NULL", "NULL"
	if s.query != "" {
		sim = "-(e.v <#> " + c.arg(s.query) + "::" + s.x.made.kind + ")"
		if s.req.Scene {
			raw = s.x.made.kind + "_send(e.v)"
		}
	}
	var out []*item
	err := s.c.Each(ctx, "SELECT e.n, e.node, e.entry_id, e.type, e.document, e.seq, e.when_s, e.when_n, e.made_s, e.made_n, e.latest, e.length, e.head, e.speaker, e.role, e.terms, "+
		sim+", "+raw+", coalesce(e.confidence, 'NaN') FROM "+s.x.made.entries+" e WHERE e.n = ANY(?1::bigint[])", c.args, func(r sqlrows.Row) error {
		it := &item{
			n: r.Int64(0), node: r.Int(1), latest: r.Bool(10), length: r.Int(11), head: r.Int(12), speaker: r.Text(13), role: r.Text(14),
			sim: r.Float(16), hasSim: r[16] != nil, vector: s.x.made.floats(r.Bytes(17)), confidence: r.Float(18),
		}
		it.Candidate = lukasa.Candidate{
			Entry: lukasa.ID(r.Text(2)), Type: lukasa.EntryType(r.Text(3)), Node: s.byNum[it.node], Document: lukasa.ID(r.Text(4)), Seq: r.Int64(5),
			When: time.Unix(r.Int64(6), r.Int64(7)).UTC(), CreatedAt: time.Unix(r.Int64(8), r.Int64(9)).UTC(),
		}
		if terms := r.Text(15); terms != "" {
			it.terms = strings.Split(terms, " ")
		}
		it.text = s.score(it)
		out = append(out, it)
		s.byEntry[it.n] = it
		return nil
	})
	return out, err
}

// score is the text score of an entry as a whole number.
func (s *search) score(it *item) (sum int64) {
	if len(s.names) == 0 {
		return 0
	}
	tf := make(map[int]int, len(s.names))
	for _, t := range it.terms {
		if i, ok := s.at[t]; ok {
			tf[i]++
		}
	}
	for i, n := range tf {
		f := float64(n)
		sum += int64(math.Floor(s.weights[i]*f/(f+k1*(1-lengthB)+k1*lengthB*float64(it.length)/s.avg)*scale + .5))
	}
	return sum
}
