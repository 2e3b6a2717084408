package recall

import (
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
)

// stood reports whether a hit holds for the moment that the query asks for; one for today always does, unless it is kept
// apart. The index knows today's tags, states and versions only, so that here the rows of that moment decide.
func (s *search) stood(h lukasa.Hit, got rows) bool {
	if h.Memory != nil && h.Memory.State == lukasa.MemoryQuarantined && !names(s.q.Filter, "status") {
		return false
	}
	if h.Type == lukasa.EntryDocument && len(s.q.Types) == 0 && got.docs[h.Document.ID].ContentType == "conversation" && s.q.Ranker != lukasa.RankerCascade {
		return false // a recall file's summary repeats what its messages say, and those are hits themselves
	}
	if !s.past {
		return true
	}
	e := entryOf(h, got)
	if s.q.AsOf != nil && !names(s.q.Filter, "latest") && !e.Latest {
		return false
	}
	if s.q.ValidAt != nil && (h.Memory == nil || !ValidAt(*h.Memory, *s.q.ValidAt)) {
		return false
	}
	return s.q.AsOf == nil || s.q.Filter.Match(&e)
}

// ValidAt reports whether what a memory says was true at the moment, as far as it is known: from valid_from (else from when
// it was said) until valid_to.
func ValidAt(m lukasa.Memory, at time.Time) bool {
	from := merge.SaidAt(&m)
	if m.ValidFrom != nil {
		from = *m.ValidFrom
	}
	return !at.Before(from) && (m.ValidTo == nil || at.Before(*m.ValidTo))
}

// names reports whether the filter has a condition on the field.
func names(f *lukasa.Filter, field string) bool {
	if f == nil {
		return false
	}
	sub := func(x lukasa.Filter) bool { return names(&x, field) }
	return f.Field == field || names(f.Not, field) || slices.ContainsFunc(f.And, sub) || slices.ContainsFunc(f.Or, sub)
}

// entryOf is the entry that a hit was, with the fields of the rows that it was read from.
func entryOf(h lukasa.Hit, got rows) lukasa.Entry {
	e := lukasa.Entry{ID: h.ID, Type: h.Type, Tags: h.Tags, Metadata: h.Metadata, CreatedAt: h.CreatedAt, Latest: true}
	if h.OccurredAt != nil {
		e.OccurredAt = *h.OccurredAt
	}
	if m := h.Memory; m != nil {
		e.Kind, e.Origin, e.Confidence, e.Latest, e.Status = m.Kind, m.Origin, m.Confidence, m.IsLatest, lukasa.StatusDone
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
