package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// stood reports whether a hit holds for the moment that the query asks for; one for today always does, unless it is kept
// apart. The rows of that moment have the last word: what has come since under an earlier date the index cannot tell, nor what is true.
func (s *search) stood(h lukasa.Hit, got rows) bool {
	if h.Memory != nil && h.Memory.State != "" && !names(s.q.Filter, "status") {
		return false
	}
	if h.Type == lukasa.EntryDocument && len(s.q.Types) == 0 && !wants(s.q.Filter, "type", string(lukasa.EntryDocument)) && got.docs[h.Document.ID].ContentType == "conversation" && s.q.Ranker != lukasa.RankerCascade {
		return false // a recall file's summary repeats what its messages say, and those are hits themselves
	}
	if !s.past {
		return true
	}
	e := entryOf(h, got)
	if s.q.AsOf != nil && !s.valid() && !names(s.q.Filter, "latest") && !e.Latest {
		return false
	}
	if s.valid() && !s.heldThen(h) {
		return false
	}
	return s.q.AsOf == nil || s.q.Filter.Match(&e)
}

// heldThen reports whether what a hit says was true at the time that is asked for; of a message or a document, whether it has a date of then.
func (s *search) heldThen(h lukasa.Hit) bool {
	if m := h.Memory; m != nil {
		return (s.q.ValidAt == nil || store.TrueAt(m, *s.q.ValidAt)) && store.TrueBetween(m, s.q.ValidFrom, s.q.ValidTo)
	}
	from, before := s.dated()
	at := h.When()
	return (from == nil || !at.Before(*from)) && (before == nil || at.Before(*before))
}

// The bounds of a search of an earlier moment.
const (
	maxSince   = 50_000 // entries that have changed since
	maxAnew    = 256    // of their texts that are embedded by another machine
	anewAtOnce = 64
)

// since gathers what has changed since the moment that the query asks for, as it was: the index holds what there is today.
func (p *Path) since(ctx context.Context, s *search) error {
	at := p.Now()
	defer func() { s.lap("since", at, p.Now) }()
	th := &index.Then{At: *s.q.AsOf}
	err := p.view(ctx, s, func(r store.Reader) error {
		th.Without, th.Entries = nil, nil
		return r.Since(s.nodes, p.Embed.Space().ID, func(id lukasa.ID, was *lukasa.Entry) bool {
			th.Without = append(th.Without, id)
			if was != nil {
				th.Entries = append(th.Entries, *was)
			}
			return len(th.Without) < maxSince
		})
	})
	if err != nil {
		return err
	}
	if len(th.Without) == maxSince {
		s.degrade(fmt.Sprintf("more than %d entries have changed since: not all of them were looked at", maxSince))
	}
	s.then = th
	if s.q.Ranker != rank.Text {
		p.anew(ctx, s, th.Entries)
	}
	return nil
}

// anew embeds texts that have been replaced since; their vectors were not kept.
func (p *Path) anew(ctx context.Context, s *search, entries []lukasa.Entry) {
	var todo []*lukasa.Entry
	for i := range entries {
		if e := &entries[i]; e.Vector == nil && strings.TrimSpace(embed.EntryText(e)) != "" {
			todo = append(todo, e)
		}
	}
	if !p.Embed.Space().Local && len(todo) > maxAnew {
		s.degrade(fmt.Sprintf("of %d texts that have been replaced since, %d were found by keyword only", len(todo), len(todo)-maxAnew))
		todo = todo[:maxAnew]
	}
	for some := range slices.Chunk(todo, anewAtOnce) {
		texts := make([]string, len(some))
		for i, e := range some {
			texts[i] = embed.EntryText(e)
		}
		vecs, err := p.Embed.Embed(ctx, texts)
		for i, v := range vecs {
			some[i].Vector = v
		}
		if err != nil {
			p.Log.WarnContext(ctx, "embed replaced texts", "err", err)
			s.degrade("the embedder is away: texts that have been replaced since were found by keyword only")
			return
		}
	}
}

// names reports whether the filter has a condition on the field.
func names(f *lukasa.Filter, field string) bool {
	if f == nil {
		return false
	}
	sub := func(x lukasa.Filter) bool { return names(&x, field) }
	return f.Field == field || names(f.Not, field) || slices.ContainsFunc(f.And, sub) || slices.ContainsFunc(f.Or, sub)
}

// wants reports whether the filter has a condition that a field has a value, other than to leave it out.
func wants(f *lukasa.Filter, field, value string) bool {
	if f == nil {
		return false
	}
	sub := func(x lukasa.Filter) bool { return wants(&x, field, value) }
	return f.Field == field && slices.Contains(f.Text, value) || slices.ContainsFunc(f.And, sub) || slices.ContainsFunc(f.Or, sub)
}

// entryOf is the entry that a hit was, with the fields of the rows that it was read from.
func entryOf(h lukasa.Hit, got rows) lukasa.Entry {
	e := lukasa.Entry{ID: h.ID, Type: h.Type, Tags: h.Tags, Metadata: h.Metadata, CreatedAt: h.CreatedAt, Latest: true}
	if h.OccurredAt != nil {
		e.OccurredAt = *h.OccurredAt
	}
	if m := h.Memory; m != nil {
		e.Kind, e.Subject, e.Slot, e.Origin, e.Confidence, e.Latest, e.Status = m.Kind, m.Subject, m.Slot, m.Origin, m.Confidence, m.IsLatest, lukasa.StatusDone
		if m.State != "" {
			e.Status = lukasa.Status(m.State)
		}
		return e
	}
	d := got.docs[h.Document.ID]
	e.Document, e.ContentType, e.Status, e.Origin, e.Latest = d.ID, d.ContentType, d.Status, d.Origin, d.IsLatest
	if h.Message != nil {
		e.Speaker, e.Role, e.Session = h.Message.Speaker, h.Message.Role, h.Message.Session
		if c, ok := got.chunks[h.ID]; ok {
			e.Message, e.Conversation = c.Message, got.messages[c.Message].Conversation
		}
	}
	return e
}

// add puts a hit behind the others. A memory whose source is a hit is carried by it; where the memory came first, its
// source takes its place.
func (s *search) add(h lukasa.Hit) {
	if h.Memory != nil {
		for i := range s.result.Hits {
			if o := &s.result.Hits[i]; o.Memory == nil && isSource(h.Memory, o) {
				o.Memories = append(o.Memories, *h.Memory)
				return
			}
		}
		s.result.Hits = append(s.result.Hits, h)
		return
	}
	place := -1
	keep := s.result.Hits[:0]
	for _, o := range s.result.Hits {
		if o.Memory != nil && isSource(o.Memory, &h) {
			h.Memories = append(h.Memories, *o.Memory)
			if place < 0 {
				place = len(keep)
				h.Score, h.Relevance = max(h.Score, o.Score), max(h.Relevance, o.Relevance)
			}
			continue
		}
		keep = append(keep, o)
	}
	if place < 0 {
		place = len(keep)
	}
	s.result.Hits = slices.Insert(keep, place, h)
}

// isSource reports whether the memory was drawn from what the hit shows.
func isSource(m *lukasa.Memory, h *lukasa.Hit) bool {
	return slices.ContainsFunc(m.Sources, func(src lukasa.Source) bool {
		if h.Message != nil {
			return src.Message != "" && src.Message == h.Message.Record
		}
		return h.Chunk != nil && src.Document == h.Document.ID && src.Start < h.Chunk.End && src.End > h.Chunk.Start
	})
}
