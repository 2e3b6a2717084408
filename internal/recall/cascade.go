package recall

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of the cascade.
const (
	cascadeDefining = 5    // defining memories at most
	cascadeMoments  = 2000 // of which so many are looked at
	cascadeDepth    = 2    // edges from what the query names
	cascadeOverlap  = 0.1  // share of the query's keywords that a document must have
	cascadeWidth    = 500  // records at most that the graph leads to
)

// eventQuery tells questions about what happened or was decided, which ask for defining memories.
var eventQuery = regexp.MustCompile(`(?i)\bwhen did (i|we)\b|\bwhat (did (i|we)) decide|\b(milestone|decision|event)s?\b|\bremember when\b|\bwhen (was|were|have) (it|this|that|we|i)\b`)

// cascade goes from stage to stage, each narrower and dearer than the one before: defining memories, the graph, keywords,
// the vectors of summaries, content. Where the graph finds nothing, everything is looked at.
func (p *Path) cascade(ctx context.Context, s *search) error {
	words := keywordsOf(s.q.Text)
	at := p.Now()
	err := p.view(ctx, s, func(r store.Reader) error { return p.defining(r, s, words) })
	s.lap("defining", at, p.Now)
	if err != nil {
		return err
	}
	at = p.Now()
	var docs []lukasa.ID
	err = p.view(ctx, s, func(r store.Reader) (err error) {
		docs, err = p.navigate(r, s, words)
		return err
	})
	s.lap("graph", at, p.Now)
	if err != nil {
		return err
	}
	s.trace.narrowed("graph", "what the question names leads to other documents", nil, docs)
	at = p.Now()
	led := docs
	if docs, err = p.byKeywords(ctx, s, docs, words); err != nil {
		return err
	}
	s.trace.narrowed("keywords", "other documents share more of the question's keywords", led, docs)
	s.lap("keywords", at, p.Now)
	at = p.Now()
	groups, err := p.bySummaries(ctx, s, docs)
	s.lap("vectors", at, p.Now)
	if err != nil {
		return err
	}
	s.result.Total += len(groups)
	at = p.Now()
	defer func() { s.lap("content", at, p.Now) }()
	if err := p.hydrate(ctx, s, groups); err != nil {
		return err
	}
	return p.wholes(ctx, s)
}

// keywordsOf are the content words of a question, in small letters, each once.
func keywordsOf(text string) []string {
	var out []string
	for _, t := range lexis.Lex(nil, text, 0, len(text)) {
		if t.Kind == lexis.Punct || lexis.Stops[t.Low] || len(t.Low) < 2 || slices.Contains(out, t.Low) {
			continue
		}
		out = append(out, t.Low)
	}
	return out
}

// eventWords say that something is asked about what happened, and nothing about what it was.
var eventWords = lexis.Words("decide decided decides deciding decision decisions milestone milestones event events happen happened remember")

// defining answers questions about events with the defining memories that have most of their words, newest first among those that have
// as many. A question that is about nothing ("What did we decide?") gets the newest.
func (p *Path) defining(r store.Reader, s *search, words []string) error {
	if !eventQuery.MatchString(s.q.Text) || len(s.q.Types) > 0 && !slices.Contains(s.q.Types, lukasa.EntryMemory) {
		return nil
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return eventWords[w] })
	type moment struct {
		lukasa.Memory
		share float64
	}
	var found []moment
	for page := (lukasa.Page{Limit: 100}); len(found) < cascadeMoments; {
		l, err := r.Memories(lukasa.MemoryFilter{
			Containers: s.q.Containers, Latest: new(true),
			Kinds: []lukasa.MemoryKind{lukasa.KindDecision, lukasa.KindMilestone, lukasa.KindEvent, lukasa.KindTurningPoint},
		}, page)
		if err != nil {
			return err
		}
		for _, m := range l.Items {
			found = append(found, moment{m, shareOf(words, m)})
		}
		if page.Cursor = l.Next; l.Next == "" || len(words) == 0 {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b moment) int { return cmp.Compare(b.share, a.share) })
	for _, m := range found {
		if m.share == 0 || len(s.result.Hits) >= min(cascadeDefining, s.q.Limit) {
			break
		}
		h := lukasa.Hit{
			ID: m.ID, Type: lukasa.EntryMemory, Content: m.Content, Score: m.Confidence * m.share, Relevance: min(1, 0.55+0.45*m.share), Relevant: true, Path: m.Path,
			Parts: map[string]float64{"defining": m.share}, Memory: &m.Memory, Tags: m.Tags, Metadata: m.Metadata, OccurredAt: m.OccurredAt, CreatedAt: m.RecordedAt,
		}
		if e := entryOf(h, rows{}); s.stood(h, rows{}) && s.q.Filter.Match(&e) {
			s.result.Hits = append(s.result.Hits, h)
		}
	}
	s.result.Total = len(s.result.Hits)
	return nil
}

// shareOf is the share of the words that a memory has; 1 where there are none.
func shareOf(words []string, m lukasa.Memory) float64 {
	if len(words) == 0 {
		return 1
	}
	low, n := strings.ToLower(m.Content), 0
	for _, w := range words {
		if strings.Contains(low, w) || slices.Contains(m.Tags, w) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// navigate follows the edges from the entities and containers that the question names to documents.
func (p *Path) navigate(r store.Reader, s *search, words []string) ([]lukasa.ID, error) {
	said := phrases(words)
	named, err := r.EntitiesNamed(said)
	if err == nil {
		named, err = p.known(r, s.sc, named)
	}
	if err != nil {
		return nil, err
	}
	named = slices.DeleteFunc(named, func(e lukasa.Entity) bool { // the name that was asked for must be one that the scope knows
		return !slices.ContainsFunc(append([]string{e.Name}, e.Aliases...), func(n string) bool { return slices.Contains(said, strings.ToLower(n)) })
	})
	var frontier []lukasa.ID
	for _, e := range named {
		frontier = append(frontier, e.ID)
	}
	var docs []lukasa.ID
	seen := map[lukasa.ID]bool{}
	for id, path := range s.paths {
		if slices.Contains(words, strings.ToLower(path.Name())) {
			frontier = append(frontier, id)
			l, err := r.Documents(lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: path}}, Conversation: true}, lukasa.Page{Limit: 100, Uncounted: true})
			if err != nil {
				return nil, err
			}
			for _, d := range l.Items {
				docs = append(docs, d.ID)
			}
		}
	}
	for depth := 0; depth < cascadeDepth && len(frontier) > 0 && len(seen) < cascadeWidth; depth++ {
		edges, err := r.Edges(frontier, nil, cascadeWidth)
		if err != nil {
			return nil, err
		}
		frontier = frontier[:0]
		for _, e := range edges {
			for _, id := range []lukasa.ID{lukasa.ID(e.From), lukasa.ID(e.To)} {
				if !seen[id] {
					seen[id] = true
					frontier = append(frontier, id)
				}
			}
		}
	}
	more, err := documentsOf(r, seen)
	return compact(append(docs, more...)), err
}

// known is [Deps.Known], where there is one.
func (p *Path) known(r store.Reader, sc lukasa.Scope, list []lukasa.Entity) ([]lukasa.Entity, error) {
	if p.Known == nil {
		return list, nil
	}
	return p.Known(r, sc, list)
}

// phrases are the words, and what two or three of them in a row make.
func phrases(words []string) []string {
	out := slices.Clone(words)
	for n := 2; n <= 3; n++ {
		for i := 0; i+n <= len(words); i++ {
			out = append(out, strings.Join(words[i:i+n], " "))
		}
	}
	return out
}

// documentsOf are the documents among records, and those that messages and memories among them come from.
func documentsOf(r store.Reader, records map[lukasa.ID]bool) ([]lukasa.ID, error) {
	var docs, msgs, mems []lukasa.ID
	for id := range records {
		switch id.Prefix() {
		case lukasa.PrefixDocument:
			docs = append(docs, id)
		case lukasa.PrefixMessage:
			msgs = append(msgs, id)
		case lukasa.PrefixMemory:
			mems = append(mems, id)
		}
	}
	memories, err := r.MemoriesByID(mems)
	if err != nil {
		return nil, err
	}
	for _, m := range memories {
		for _, src := range m.Sources {
			if src.Message != "" {
				msgs = append(msgs, src.Message)
			} else if src.Document != "" {
				docs = append(docs, src.Document)
			}
		}
	}
	messages, err := r.MessagesByID(compact(msgs))
	for _, m := range messages {
		docs = append(docs, m.Document)
	}
	return docs, err
}

// compact sorts ids and keeps each once.
func compact(ids []lukasa.ID) []lukasa.ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// byKeywords keeps the documents that share more than a tenth of the question's keywords; all of them where none does.
func (p *Path) byKeywords(ctx context.Context, s *search, ids []lukasa.ID, words []string) ([]lukasa.ID, error) {
	if len(ids) == 0 || len(words) == 0 {
		return ids, nil
	}
	var docs []lukasa.Document
	err := p.view(ctx, s, func(r store.Reader) (err error) {
		docs, err = r.DocumentsByID(ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	var keep []lukasa.ID
	for _, d := range docs {
		have := strings.ToLower(strings.Join(slices.Concat(d.Keywords.Entities, d.Keywords.Topics, d.Keywords.Relationships, d.Tags, []string{d.Title, d.Summary}), " "))
		shared := 0
		for _, w := range words {
			if strings.Contains(have, w) {
				shared++
			}
		}
		if float64(shared) > cascadeOverlap*float64(len(words)) {
			keep = append(keep, d.ID)
		}
	}
	if len(keep) == 0 {
		return ids, nil
	}
	return keep, nil
}

// bySummaries orders documents by how near their summary is to the question; a document of one chunk has that as its summary.
func (p *Path) bySummaries(ctx context.Context, s *search, docs []lukasa.ID) ([]rank.Group, error) {
	vector, err := embed.EmbedQuery(ctx, p.Embed, s.q.Text)
	if err != nil {
		p.Log.WarnContext(ctx, "embed query", "err", err)
		s.stats.Degraded = "the embedder is away: found by keyword only"
	}
	req := index.Request{
		Owner: s.sc.Owner, Nodes: s.nodes, Vector: vector, Text: s.q.Text, Types: []lukasa.EntryType{lukasa.EntryDocument, lukasa.EntryChunk, lukasa.EntryMessage},
		Filter: within(s.filter(), docs), K: p.opt.Candidates, Both: true, Then: s.then, Seen: s.seen,
	}
	ans, err := p.Index.Search(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	s.stats.Candidates = len(ans.Candidates)
	scored := rank.ByVector(ans.Candidates)
	if vector == nil {
		scored = rank.ByText(ans.Candidates)
	}
	p.judgeRelevance(scored, nil)
	best := map[lukasa.ID]int{} // a document is one hit, its summary before its parts
	var groups []rank.Group
	kept := p.cut(s, scored)
	for k := range kept {
		c := &kept[k]
		if i, ok := best[c.Document]; ok {
			groups[i].Count++
			if c.Type == lukasa.EntryDocument && groups[i].Best.Type != lukasa.EntryDocument {
				c.Score = max(c.Score, groups[i].Best.Score)
				groups[i].Best = c
			}
			continue
		}
		best[c.Document] = len(groups)
		groups = append(groups, rank.Group{Best: c, Count: 1})
	}
	if t := s.trace; t != nil {
		if t.candidates(ans, groups); t.record.Prefix() == lukasa.PrefixMemory && t.stage == "" {
			t.stage = "defining: the cascade brings memories of decisions, milestones and events, where the question asks for such and shares words with them"
		}
	}
	return groups, nil
}

// within narrows a filter to documents; none: it stays as it is.
func within(f *lukasa.Filter, docs []lukasa.ID) *lukasa.Filter {
	if len(docs) == 0 {
		return f
	}
	only := lukasa.Filter{Field: "document"}
	for _, d := range docs {
		only.Text = append(only.Text, string(d))
	}
	if f == nil {
		return &only
	}
	return &lukasa.Filter{And: []lukasa.Filter{*f, only}}
}

// wholes adds the whole text to hits that are sure, and to them alone.
func (p *Path) wholes(ctx context.Context, s *search) error {
	return p.view(ctx, s, func(r store.Reader) error {
		for i := range s.result.Hits {
			h := &s.result.Hits[i]
			if h.Document == nil || h.Relevance < p.opt.Whole || h.ContentFull != "" {
				continue
			}
			if h.Message != nil {
				var b strings.Builder
				err := r.MessagesIn(h.Document.ID, 0, func(m lukasa.Message) bool {
					fmt.Fprintf(&b, "%s: %s\n", m.Speaker, m.Content)
					return b.Len() < 200_000
				})
				if err != nil {
					return err
				}
				h.ContentFull = b.String()
				continue
			}
			d, err := r.Document(h.Document.ID)
			if err != nil {
				return err
			}
			h.ContentFull = d.Content
		}
		return nil
	})
}
