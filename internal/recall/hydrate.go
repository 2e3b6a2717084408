package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// rows are the records behind the hits of one answer.
type rows struct {
	chunks   map[lukasa.ID]lukasa.Chunk
	docs     map[lukasa.ID]lukasa.Document
	memories map[lukasa.ID]lukasa.Memory
	messages map[lukasa.ID]lukasa.Message
	convs    map[lukasa.ID]lukasa.Conversation
}

// hydrate reads the records of the best groups, with today's rights, and makes hits of them. A record that was deleted
// since the index saw it is passed over, and so is a note, statement or file that says the very same as one that stands
// before it; what somebody said stands each time.
func (p *Path) hydrate(ctx context.Context, s *search, groups []rank.Group) error {
	at := p.Now()
	defer func() { s.lap("load", at, p.Now) }()
	judged := p.Rerank != nil && s.q.Ranker == rank.Lukasa && s.q.Text != "" && len(groups) > 1
	want := s.q.Limit
	if judged {
		want = max(want, p.opt.RerankTop)
	}
	said := map[string]bool{}
	s.result.Hits = slices.Grow(s.result.Hits, min(len(groups), want))
	for len(groups) > 0 && len(s.result.Hits) < want {
		some := groups[:min(len(groups), want-len(s.result.Hits))]
		groups = groups[len(some):]
		got, err := p.load(ctx, s, some)
		if err != nil {
			return err
		}
		for _, g := range some {
			h, ok := p.hit(s, g, got)
			switch same := ok && h.Message == nil && s.q.Text != ""; {
			case !ok:
				s.trace.drop(g.Best.Entry, "absent: it was removed after it was indexed")
			case !s.stood(h, got):
				s.trace.drop(g.Best.Entry, "moment: it did not hold at the time that is asked for, or repeats what messages say")
			case same && said[h.Content]:
				s.trace.drop(g.Best.Entry, "grouping: in place %d it says the very same as a hit before it", s.trace.place())
			default:
				said[h.Content] = said[h.Content] || same
				s.add(h)
			}
		}
	}
	if judged {
		p.judge(ctx, s)
	}
	s.result.Hits = s.result.Hits[:min(len(s.result.Hits), s.q.Limit)]
	return nil
}

// judge has the best hits put in order by the reranker. If that fails, the order stays as it is, and the answer says so.
func (p *Path) judge(ctx context.Context, s *search) {
	at := p.Now()
	defer func() { s.lap("rerank", at, p.Now) }()
	top := s.result.Hits[:min(len(s.result.Hits), p.opt.RerankTop)]
	texts := make([]string, len(top))
	for i := range top {
		texts[i] = top[i].Content
	}
	scores, err := p.Rerank.Rerank(ctx, s.q.Text, texts)
	if err != nil || len(scores) != len(top) {
		p.Log.WarnContext(ctx, "rerank", "err", err)
		s.stats.Degraded = "the reranker is away: the order is the ranker's own"
		return
	}
	for i := range top {
		top[i].Parts["lukasa"], top[i].Parts["rerank"] = top[i].Score, scores[i]
		top[i].Score = scores[i]
	}
	slices.SortStableFunc(top, func(a, b lukasa.Hit) int { return cmp.Compare(b.Score, a.Score) })
	if t := s.trace; t != nil && t.stage == "" {
		at := slices.IndexFunc(top, func(h lukasa.Hit) bool { return shows(h, t.record) })
		if at >= s.q.Limit {
			t.stage = fmt.Sprintf("rerank: the ranker has it in place %d, the reranker in place %d with score %.3f; the limit is %d", t.rank, at+1, top[at].Score, s.q.Limit)
		}
	}
}

// load reads the records behind groups: documents beside all others.
func (p *Path) load(ctx context.Context, s *search, groups []rank.Group) (got rows, err error) {
	var docIDs, chunkIDs, memIDs []lukasa.ID
	for _, g := range groups {
		switch g.Best.Type {
		case lukasa.EntryMemory:
			memIDs = append(memIDs, g.Best.Entry)
		case lukasa.EntryDocument:
			docIDs = append(docIDs, g.Best.Document)
		default:
			chunkIDs = append(chunkIDs, g.Best.Entry)
			docIDs = append(docIDs, g.Best.Document)
		}
	}
	var fault error
	documents := s.beside(func() {
		if len(docIDs) > 0 {
			fault = p.view(ctx, s, func(r store.Reader) (err error) { return got.readDocuments(r, docIDs, s.q.Content) })
		}
	})
	if len(chunkIDs)+len(memIDs) > 0 {
		err = p.view(ctx, s, func(r store.Reader) error { return got.readEntries(r, s.sc, chunkIDs, memIDs) })
	}
	documents()
	return got, errors.Join(err, fault)
}

func (got *rows) readDocuments(r store.Reader, ids []lukasa.ID, content bool) error {
	docs, err := r.Heads(ids)
	if err != nil {
		return err
	}
	got.docs = byID(docs, func(d lukasa.Document) lukasa.ID { return d.ID })
	if content {
		for id := range got.docs {
			if got.docs[id], err = r.Document(id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (got *rows) readEntries(r store.Reader, sc lukasa.Scope, chunkIDs, memIDs []lukasa.ID) error {
	chunks, err := r.ChunksByID(chunkIDs)
	if err != nil {
		return err
	}
	got.chunks = byID(chunks, func(c lukasa.Chunk) lukasa.ID { return c.ID })
	mems, err := r.MemoriesByID(memIDs)
	if err != nil {
		return err
	}
	by := make([]*lukasa.ID, len(mems))
	for i := range mems {
		by[i] = &mems[i].RetiredBy
	}
	if err := store.Apart(r, sc, by...); err != nil {
		return err
	}
	got.memories = byID(mems, func(m lukasa.Memory) lukasa.ID { return m.ID })
	var msgIDs []lukasa.ID
	for _, c := range chunks {
		if c.Message != "" {
			msgIDs = append(msgIDs, c.Message)
		}
	}
	msgs, err := r.MessagesByID(msgIDs)
	if err != nil {
		return err
	}
	got.messages = byID(msgs, func(m lukasa.Message) lukasa.ID { return m.ID })
	got.convs = map[lukasa.ID]lukasa.Conversation{}
	for _, m := range msgs {
		if _, ok := got.convs[m.Conversation]; ok {
			continue
		}
		c, err := r.Conversation(m.Conversation)
		if err != nil {
			return err
		}
		got.convs[m.Conversation] = c
	}
	return nil
}

func byID[T any](list []T, id func(T) lukasa.ID) map[lukasa.ID]T {
	m := make(map[lukasa.ID]T, len(list))
	for _, x := range list {
		m[id(x)] = x
	}
	return m
}

func (p *Path) hit(s *search, g rank.Group, got rows) (lukasa.Hit, bool) {
	b := g.Best
	h := lukasa.Hit{
		ID: b.Entry, Type: b.Type, Score: b.Score, Relevance: b.Relevance, Relevant: b.Relevance >= b.Level, Path: s.paths[b.Node], Chunks: g.Count, CreatedAt: b.CreatedAt,
		Tags: []string{}, Metadata: map[string]any{}, Parts: map[string]float64{"vector": b.Parts.Vector, "text": b.Parts.Text, "recency": b.Parts.Recency},
	}
	for _, sh := range b.Shares() {
		h.Parts[sh.Sign.String()] = sh.Score
	}
	if b.HasVector {
		h.Similarity = b.Similarity
	}
	if !b.When.Equal(b.CreatedAt) {
		h.OccurredAt = new(b.When)
	}
	if b.Type == lukasa.EntryMemory {
		m, ok := got.memories[b.Entry]
		h.Content, h.Memory, h.Tags, h.Metadata = m.Content, &m, m.Tags, m.Metadata
		return h, ok
	}
	d, ok := got.docs[b.Document]
	if !ok {
		return h, false
	}
	h.Document = &lukasa.HitDocument{ID: d.ID, Title: d.Title, ContentType: d.ContentType, SourceURL: d.SourceURL, Summary: d.Summary, Version: d.Version}
	h.Tags, h.Metadata, h.Content = d.Tags, d.Metadata, d.Summary
	if s.q.Content {
		h.ContentFull = d.Content
	}
	if b.Type == lukasa.EntryDocument {
		return h, true
	}
	c, ok := got.chunks[b.Entry]
	if !ok {
		return h, false
	}
	h.Content = c.Content
	h.Chunk = &lukasa.HitChunk{ID: c.ID, Seq: c.Seq, Start: c.Start, End: c.End, Lines: c.Lines, Page: c.Page, Place: c.Place, Heading: c.Heading, Symbol: c.Symbol}
	if c.Message == "" {
		return h, true
	}
	m, ok := got.messages[c.Message]
	if !ok {
		return h, false
	}
	id := m.ExternalID
	if id == "" {
		id = string(m.ID)
	}
	in := got.convs[m.Conversation]
	h.Chunk, h.Metadata, h.Chunks = nil, m.Metadata, 0
	h.Message = &lukasa.HitMessage{
		ID: id, Record: m.ID, Conversation: in.ExternalID, Title: in.Title, Speaker: m.Speaker, Role: m.Role, Session: m.Session, Time: m.Time,
		Span: [2]int{c.Start, c.End},
	}
	return h, true
}
