// Package recall is the read path: it works out where to look, gathers candidates by vector and by text, ranks them, and
// gives back the right few with their sources.
package recall

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/encode"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/parallel"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Options tune the path. Zero values are useful.
type Options struct {
	Ranker     string        // default ranker; "" means lukasa
	Weights    rank.Weights  // of the weighted ranker; zero means the defaults
	Candidates int           // a side; 0 means 100
	Whole      float64       // relevance from which on the cascade brings the whole text along; 0 means .9
	RerankTop  int           // hits that a reranker judges; 0 means 100
	Expand     time.Duration // how long a search waits for a model to rephrase the query; 0: queries are searched as they are
	CacheFor   time.Duration // how long a result may be served again; 0 means 5 minutes, negative never
}

// Deps are what the path works with.
type Deps struct {
	Store store.Store
	Index index.Index
	Embed embed.Embedder
	Cache cache.Cache
	// Rerank judges the best hits of the ranker lukasa again; nil: nobody does.
	Rerank rerank.Reranker
	// Model rephrases queries, where Options.Expand is set; nil: nobody does.
	Model llm.Model
	Now   func() time.Time
	Touch func(sc lukasa.Scope, documents []lukasa.ID) // notes what was recalled; must not block
	// Known returns entities under the names that the scope may know, and leaves out those of which it may know none.
	Known func(r store.Reader, sc lukasa.Scope, list []lukasa.Entity) ([]lukasa.Entity, error)
	Log   *slog.Logger
}

// Path is the read path. It is safe for concurrent use.
type Path struct {
	Deps
	opt    Options
	models rank.Models
	encode *encode.Encoder // of results that are kept
	kept   sync.Pool       // of *[]byte, which those are written to
	crew   *parallel.Crew  // of searches
	scenes sync.Pool       // of *rank.Scene, whose memory is used again
}

// New makes a read path.
func New(d Deps, o Options) *Path {
	if o.Ranker == "" {
		o.Ranker = rank.Lukasa
	}
	if o.Weights == (rank.Weights{}) {
		o.Weights = rank.DefaultWeights()
	}
	if o.Candidates == 0 {
		o.Candidates = 100
	}
	if o.Whole == 0 {
		o.Whole = 0.9
	}
	if o.RerankTop == 0 {
		o.RerankTop = 100
	}
	if o.CacheFor == 0 {
		o.CacheFor = 5 * time.Minute
	}
	p := &Path{Deps: d, opt: o, models: rank.DefaultModels(), crew: parallel.New(), encode: encode.New(true)}
	return p
}

// search is one query on its way.
type search struct {
	q       lukasa.Query
	sc      lukasa.Scope
	started time.Time
	paths   map[lukasa.ID]lukasa.Path
	nodes   []lukasa.ID
	seen    int64 // the last change that the answer has to know of
	stats   lukasa.SearchStats
	past    bool        // the answer is not of today: rows decide what the index cannot know
	vector  []float32   // of the query; nil where there is none
	judged  bool        // a reranker gives the scores
	then    *index.Then // what has changed since the moment that is asked for
	trace   *trace      // of the record that the caller misses
	beside  func(part func()) (wait func())
	result  lukasa.Result
}

// lap notes how long a stage took.
func (s *search) lap(stage string, from time.Time, now func() time.Time) {
	s.stats.StageMS[stage] += float64(now().Sub(from)) / 1e6
}

// Search answers a query. What was acknowledged before the call is found, by whichever process it was written.
func (p *Path) Search(ctx context.Context, sc lukasa.Scope, q lukasa.Query) (lukasa.Result, error) {
	if err := p.check(&q); err != nil {
		return lukasa.Result{}, err
	}
	ctx, leave := p.crew.Enter(ctx)
	defer leave()
	s := &search{q: q, sc: sc, started: p.Now(), judged: p.Rerank != nil, result: lukasa.Result{Query: q.Text, Hits: []lukasa.Hit{}}}
	s.beside = func(part func()) func() { return parallel.Part(ctx, part) }
	s.stats.Ranker, s.stats.StageMS = q.Ranker, map[string]float64{}
	s.past = q.AsOf != nil || s.valid()
	if err := errors.Join(p.places(ctx, s), p.expect(ctx, s)); err != nil {
		return lukasa.Result{}, err
	}
	if err := p.marks(ctx, s); err != nil {
		return lukasa.Result{}, err
	}
	if len(s.nodes) == 0 {
		if s.trace != nil {
			s.stats.WhyNot = p.explain(s)
		}
		return p.finish(ctx, s, "")
	}
	at := p.Now()
	head, err := p.Index.Sync(ctx)
	if err != nil {
		return lukasa.Result{}, fmt.Errorf("sync index: %w", err)
	}
	s.seen = head
	s.lap("sync", at, p.Now)
	key := p.cacheKey(s)
	if p.cached(ctx, s, key) {
		return p.finish(ctx, s, "")
	}
	words := strings.TrimSpace(q.Text) != ""
	if words && q.AsOf != nil {
		err = p.since(ctx, s)
	}
	if err != nil {
		return lukasa.Result{}, err
	}
	if !words {
		err = p.newest(ctx, s)
	} else if q.Ranker == lukasa.RankerCascade {
		err = p.cascade(ctx, s)
	} else {
		if err = p.find(ctx, s); err == nil {
			err = p.handOn(ctx, s)
		}
	}
	if err == nil && q.Related {
		err = p.relate(ctx, s)
	}
	if err == nil && s.trace != nil {
		s.stats.WhyNot = p.explain(s)
	}
	if err != nil {
		return lukasa.Result{}, err
	}
	return p.finish(ctx, s, key)
}

// view runs fn over the rows of the moment that the query asks for.
func (p *Path) view(ctx context.Context, s *search, fn func(store.Reader) error) error {
	if s.q.AsOf != nil {
		return p.Store.ViewAt(ctx, s.sc, *s.q.AsOf, fn)
	}
	return p.Store.View(ctx, s.sc, fn)
}

func (p *Path) check(q *lukasa.Query) error {
	if q.Limit == 0 {
		q.Limit = 10
	}
	if q.Ranker == "" {
		q.Ranker = p.opt.Ranker
	}
	switch {
	case len(q.Text) > lukasa.MaxQuery:
		return &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "query", Msg: fmt.Sprintf("is over %d bytes", lukasa.MaxQuery)}
	case q.Limit < 1 || q.Limit > 200:
		return lukasa.Invalid("limit", "is not between 1 and 200")
	case q.Ranker != lukasa.RankerCascade && !slices.Contains(rank.Names(), q.Ranker):
		return lukasa.Invalid("ranker", "is not one of %s, %s", strings.Join(rank.Names(), ", "), lukasa.RankerCascade)
	case !(q.Threshold >= 0 && q.Threshold <= 1):
		return lukasa.Invalid("threshold", "is not between 0 and 1")
	}
	if len(q.Types) == 0 && (q.ValidAt != nil || q.ValidFrom != nil || q.ValidTo != nil) {
		q.Types = []lukasa.EntryType{lukasa.EntryMemory}
	}
	if q.Conversation != "" {
		c := lukasa.Filter{Field: "conversation", Text: []string{string(q.Conversation)}}
		if q.Filter != nil {
			c = lukasa.Filter{And: []lukasa.Filter{*q.Filter, c}}
		}
		q.Filter = &c
	}
	if err := checkKinds(q.Filter); err != nil {
		return err
	}
	for _, t := range q.Types {
		switch t {
		case lukasa.EntryChunk, lukasa.EntryMessage, lukasa.EntryMemory, lukasa.EntryDocument:
		default:
			return lukasa.Invalid("types", "%q is not one of message, chunk, memory, document", t)
		}
	}
	return nil
}

// places resolves the containers to the nodes that may be read.
func (p *Path) places(ctx context.Context, s *search) error {
	at := p.Now()
	defer func() { s.lap("nodes", at, p.Now) }()
	s.paths = map[lukasa.ID]lukasa.Path{}
	return p.Store.View(ctx, s.sc, func(r store.Reader) error {
		nodes, err := r.Paths(s.q.Containers)
		for _, n := range nodes {
			s.paths[n.ID] = n.Path
			s.nodes = append(s.nodes, n.ID)
		}
		s.stats.Nodes = len(nodes)
		return err
	})
}

// resultForm is raised when what is kept of a result, or how results are found and ordered, changes.
const resultForm = 5

// cacheKey names everything that the answer depends on: who asks, what for, and the state of each node that is searched. A
// write to a node therefore clears what was cached for it, and nothing else.
func (p *Path) cacheKey(s *search) string {
	if p.Cache == nil || p.opt.CacheFor < 0 {
		return ""
	}
	h := sha256.New()
	q, err := json.Marshal(s.q)
	if err != nil {
		return ""
	}
	h.Write(q)
	// A cache may outlive this process and serve others, whose settings and version may differ.
	fmt.Fprintf(h, "\x00%d %+v %d %d", resultForm, p.opt.Weights, p.opt.Candidates, p.opt.RerankTop)
	fmt.Fprintf(h, "\x00%s\x00%s\x00%s\x00%s\x00%s\x00%s\x00", s.sc.Owner, s.sc.Principal, s.sc.Root, s.sc.Grantee, s.sc.Granted, p.Embed.Space().ID)
	if p.Rerank != nil {
		fmt.Fprintf(h, "%s\x00", p.Rerank.Info().Model)
	}
	if p.Model != nil && p.opt.Expand > 0 {
		fmt.Fprintf(h, "expand %s\x00", p.Model.Info().Model)
	}
	var b [8]byte
	for _, n := range s.nodes {
		h.Write([]byte(n))
		h.Write([]byte(s.paths[n])) // hits show it, and a move changes no entry
		v := p.Index.Version(s.sc.Owner, n)
		s.seen = max(s.seen, v) // what is kept under this name knows of this change
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		h.Write(b[:])
	}
	return "search:" + string(h.Sum(nil))
}

func (p *Path) cached(ctx context.Context, s *search, key string) bool {
	if key == "" {
		return false
	}
	data, ok := p.Cache.Get(ctx, key)
	if !ok {
		return false
	}
	var r lukasa.Result
	if json.Unmarshal(data, &r) != nil {
		return false
	}
	s.result = r
	s.stats.Cached, s.stats.Candidates, s.stats.WhyNot, s.stats.Instead = true, r.Stats.Candidates, r.Stats.WhyNot, r.Stats.Instead
	return true
}

// finish words an empty answer, keeps the result for the next time and notes what was recalled.
func (p *Path) finish(ctx context.Context, s *search, key string) (lukasa.Result, error) {
	r := s.result
	r.Nothing = strings.TrimSpace(s.q.Text) != "" && !slices.ContainsFunc(r.Hits, func(h lukasa.Hit) bool { return h.Relevant })
	if r.Nothing && len(r.Hits) > 0 {
		r.Message, r.Suggestion = "nothing relevant found: these are the nearest", "try other words or a wider container"
	}
	if len(r.Hits) == 0 {
		r.Message, r.Suggestion = "nothing relevant found", "try other words, a lower threshold or a wider container"
		switch {
		case s.q.AsOf != nil && s.q.ValidAt == nil:
			r.Message, r.Suggestion = "nothing relevant was kept by then", "as_of goes by when something was kept; ask with valid_at for what was true at a date, also where it was told or imported later"
		case len(s.nodes) == 0:
			r.Message, r.Suggestion = "there is nothing here yet", "save something first, or check the container's name"
		}
	}
	r.Stats = s.stats
	kept := func() {}
	if key != "" && s.stats.Degraded == "" {
		now := r // without what is worked out anew each time
		now.Hits, now.Stats = slices.Clone(r.Hits), lukasa.SearchStats{Candidates: r.Stats.Candidates, WhyNot: r.Stats.WhyNot, Instead: r.Stats.Instead}
		kept = s.beside(func() { p.keep(ctx, key, now) })
	}
	var err error
	r.Hits, err = p.superseded(ctx, s, r.Hits)
	if kept(); err != nil {
		return lukasa.Result{}, err
	}
	s.stats.TookMS = float64(p.Now().Sub(s.started)) / 1e6
	r.Stats = s.stats
	var docs []lukasa.ID
	for _, h := range r.Hits {
		if h.Document != nil {
			docs = append(docs, h.Document.ID)
		}
	}
	if p.Touch != nil && len(docs) > 0 {
		p.Touch(s.sc, docs)
	}
	return r, nil
}

// keep remembers a result under a key. What it is written to is used again: the cache keeps a copy.
func (p *Path) keep(ctx context.Context, key string, r lukasa.Result) {
	b, _ := p.kept.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	data, err := p.encode.Append((*b)[:0], r)
	if err == nil {
		p.Cache.Set(ctx, key, data, p.opt.CacheFor)
	}
	if cap(data) <= maxKept {
		*b = data
		p.kept.Put(b)
	}
}

// maxKept is up to how many bytes the memory that a result was written to is used again.
const maxKept = 1 << 18

// newest answers a query without words: newest first.
func (p *Path) newest(ctx context.Context, s *search) error {
	var entries []lukasa.Entry
	for n := 2 * s.q.Limit; ; n *= 4 {
		err := p.view(ctx, s, func(r store.Reader) (err error) {
			entries, err = r.Newest(s.nodes, s.q.Types, s.filter(), n)
			return err
		})
		if err != nil {
			return err
		}
		scored := make([]rank.Scored, len(entries))
		for i, e := range entries {
			scored[i].Candidate = lukasa.Candidate{Entry: e.ID, Type: e.Type, Node: e.Node, Document: e.Document, Seq: e.Seq, When: e.When(), CreatedAt: e.CreatedAt}
		}
		groups := rank.ByDocument(scored)
		all := len(entries) < n || n > maxPast
		if len(groups) < s.q.Limit && !all {
			continue
		}
		s.result.Total, s.stats.Candidates = len(groups), len(entries)
		if s.trace != nil {
			s.trace.candidates(index.Answer{Candidates: candidatesOf(scored)}, groups)
		}
		if err := p.hydrate(ctx, s, groups); err != nil || all || !s.past || len(s.result.Hits) >= s.q.Limit {
			return err
		}
		s.result.Hits = s.result.Hits[:0] // only the rows know how many of these were true
	}
}

func candidatesOf(scored []rank.Scored) []lukasa.Candidate {
	out := make([]lukasa.Candidate, len(scored))
	for i := range scored {
		out[i] = scored[i].Candidate
	}
	return out
}

// find gathers candidates, ranks and groups them. If grouping leaves fewer hits than asked for while more entries match, it
// looks wider, so that k hits come back whenever k exist.
func (p *Path) find(ctx context.Context, s *search) error {
	var vector []float32
	if s.q.Ranker != rank.Text {
		at := p.Now()
		v, err := p.embedQuery(ctx, s)
		if err != nil {
			if s.q.Ranker == rank.Vector || ctx.Err() != nil {
				return err
			}
			p.Log.WarnContext(ctx, "embed query", "err", err)
			s.stats.Degraded = "the embedder is away: found by keyword only"
		}
		vector, s.vector = v, v
		s.lap("embed", at, p.Now)
	}
	others := slices.Concat(p.parts(ctx, s), p.rephrase(ctx, s), p.meant(ctx, s))
	limit := s.q.Limit
	s.q.Limit = min(200, limit+2*len(s.result.Meant)) // what tells who is meant stands behind
	defer func() {
		s.q.Limit = limit
		s.putIntrosBack(limit)
	}()
	k := p.opt.Candidates
	if s.q.Ranker == rank.Lukasa {
		k = max(sceneText, s.q.Limit)
	}
	for ; ; k *= 4 {
		req := index.Request{Owner: s.sc.Owner, Nodes: s.nodes, Vector: vector, Types: s.q.Types, Filter: s.filter(), K: k, Both: true, Scene: s.q.Ranker != rank.Text, Then: s.then, Seen: s.seen}
		if s.q.Ranker != rank.Vector {
			req.Text, req.Misspelt = s.q.Text, p.misspelt(s.q.Text)
		}
		at := p.Now()
		ans, err := p.Index.Search(ctx, req)
		s.lap("candidates", at, p.Now)
		if err != nil {
			return fmt.Errorf("search index: %w", err)
		}
		s.instead(ans)
		at = p.Now()
		exhausted := len(ans.Candidates) < k || len(ans.Candidates) >= ans.Matched
		scored, err := p.rank(s, ans, k)
		if err != nil {
			return err
		}
		if len(others) > 0 {
			if ans, scored, err = p.unite(ctx, s, req, others, ans, scored); err != nil {
				return err
			}
		}
		scored = p.cut(s, scored)
		groups := rank.ByDocument(scored)
		s.lap("rank", at, p.Now)
		if s.past && !exhausted { // only the rows know how many of these there were
			s.trace.candidates(ans, groups)
			if err := p.hydrate(ctx, s, groups); err != nil {
				return err
			}
			if len(s.result.Hits) < s.q.Limit && k < maxPast {
				s.result.Hits = s.result.Hits[:0]
				continue
			}
			if len(s.result.Hits) < s.q.Limit {
				s.degrade(fmt.Sprintf("%d entries were looked at, there may be more", k))
			}
			s.result.Total, s.stats.Candidates = len(groups), len(ans.Candidates)
			return nil
		}
		if len(groups) >= s.q.Limit || exhausted || len(scored) < len(ans.Candidates) {
			s.result.Total, s.stats.Candidates = len(groups), len(ans.Candidates)
			s.trace.candidates(ans, groups)
			return p.hydrate(ctx, s, groups)
		}
	}
}

// maxPast is how many candidates a side are looked at for a moment that is not now.
const maxPast = 20_000

// valid reports whether the query asks for what was true at some time.
func (s *search) valid() bool {
	return s.q.ValidAt != nil || s.q.ValidFrom != nil || s.q.ValidTo != nil
}

// filter is what the index may apply. What was true may have been replaced since; messages and documents have a date alone.
func (s *search) filter() *lukasa.Filter {
	if !s.valid() {
		return s.q.Filter
	}
	all := []lukasa.Filter{{Field: "latest", Text: []string{"true", "false"}}}
	if s.q.Filter != nil {
		all = append(all, *s.q.Filter)
	}
	if !slices.Equal(s.q.Types, []lukasa.EntryType{lukasa.EntryMemory}) {
		all = append(all, lukasa.Filter{Or: []lukasa.Filter{{Field: "type", Text: []string{string(lukasa.EntryMemory)}}, *lukasa.During(s.dated())}})
	}
	return &lukasa.Filter{And: all}
}

// dated are the bounds of the dates of messages and documents in a search for what was true: none later than the moment that is asked for.
func (s *search) dated() (from, before *time.Time) {
	from, before = s.q.ValidFrom, s.q.ValidTo
	if at := s.q.ValidAt; at != nil && (before == nil || at.Before(*before)) {
		before = new(at.Add(time.Microsecond))
	}
	return from, before
}

// embedQuery embeds the question.
func (p *Path) embedQuery(ctx context.Context, s *search) ([]float32, error) {
	return embed.EmbedQuery(ctx, p.Embed, s.q.Text)
}

// rank orders what the index found. A scene may be read from what the index has mapped.
func (p *Path) rank(s *search, ans index.Answer, k int) (scored []rank.Scored, err error) {
	defer func() {
		if err != nil {
			err = &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the disk refused", Hint: "search again: what the index lost is read from the rows then", RetryAfter: time.Second, Err: err}
		}
	}()
	defer mmap.Catch(debug.SetPanicOnFault(true), &err)
	var weighed []rank.Scored
	if ans.Scene != nil {
		weighed = p.weigh(s, ans)
	}
	switch s.q.Ranker {
	case rank.Weighted:
		scored = rank.ByWeights(ans.Candidates, p.opt.Weights, p.Now())
	case rank.Vector:
		scored = rank.ByVector(ans.Candidates)
	case rank.Text:
		scored = rank.ByText(ans.Candidates)
	case rank.RRF:
		scored = rank.ByReciprocalRank(ans.Candidates, k)
	default:
		if weighed != nil {
			return weighed, nil
		}
		scored = rank.Fused(ans.Candidates, float64(p.Embed.Space().Profile.VectorWeight))
	}
	p.judgeRelevance(scored, weighed)
	return scored, nil
}

// judgeRelevance sets the relevance of candidates, see [rank.Judge].
func (p *Path) judgeRelevance(scored, weighed []rank.Scored) {
	space := p.Embed.Space().Profile
	rank.Judge(scored, weighed, float64(space.Related), float64(space.Near))
}

// cut drops what is under the request's thresholds.
func (p *Path) cut(s *search, scored []rank.Scored) []rank.Scored {
	if s.q.Threshold == 0 && s.q.MinScore == 0 {
		return scored
	}
	return slices.DeleteFunc(scored, func(c rank.Scored) bool {
		return c.Score < s.q.MinScore || c.Relevance < s.q.Threshold
	})
}
