package recall

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// reasonExpired is why a memory that nothing has replaced does not hold any more.
const reasonExpired = "its time is over"

// superseded marks what is no longer so of what hits show, and puts what holds now before it. It reads the rows each time, also for an answer
// that was kept: what took the place of a memory may stand elsewhere, and be gone by now.
func (p *Path) superseded(ctx context.Context, s *search, hits []lukasa.Hit) ([]lukasa.Hit, error) {
	began := p.Now()
	defer func() { s.lap("load", began, p.Now) }()
	at := began
	for _, then := range []*time.Time{s.q.AsOf, s.q.ValidAt} {
		if then != nil {
			at = *then
		}
	}
	var shown []lukasa.Source
	var retired []int
	for i := range hits {
		if src := evidence(&hits[i]); src.End > 0 {
			shown = append(shown, src)
		}
		switch m := hits[i].Memory; {
		case m == nil || s.valid(): // it was true at the time that is asked for
		case !m.IsLatest:
			retired = append(retired, i)
		case expired(m, at):
			hits[i].Superseded = append(hits[i].Superseded, supersededBy(m, nil, reasonExpired))
		}
		for k := range hits[i].Memories {
			if m := &hits[i].Memories[k]; m.IsLatest && expired(m, at) {
				hits[i].Superseded = append(hits[i].Superseded, supersededBy(m, nil, reasonExpired))
			}
		}
	}
	inForce := map[lukasa.ID]*lukasa.Memory{}    // that took the place of something
	ordered := strings.TrimSpace(s.q.Text) != "" // without words, the newest come in order of time
	var found []store.Superseded
	var err error
	if len(shown)+len(retired) > 0 {
		err = p.view(ctx, s, func(r store.Reader) (err error) {
			found, err = r.Superseded(shown)
			for _, i := range retired {
				if err != nil {
					return err
				}
				var by *lukasa.Memory
				if by, err = successor(r, hits[i].Memory); by != nil {
					inForce[by.ID] = by
				}
				hits[i].Superseded = append(hits[i].Superseded, supersededBy(hits[i].Memory, by, hits[i].Memory.Reason))
			}
			return err
		})
	}
	if err != nil {
		return hits, err
	}
	for i := range found {
		f := &found[i]
		if s.valid() && !s.replacedBy(f) {
			continue
		}
		if f.By != nil && merge.Same(f.Memory, *f.By) { // it is so again
			continue
		}
		if f.By != nil {
			inForce[f.By.ID] = f.By
		}
		if whole := markSources(hits, f); ordered && f.By != nil && whole != nil {
			hits = s.inherit(hits, f.By, whole.Score, whole.Relevance, whole.Relevant)
		}
	}
	if ordered {
		putInForceFirst(hits, inForce, s.q.Ranker == rank.Lukasa)
	}
	return hits[:min(len(hits), s.q.Limit)], nil
}

// replacedBy reports whether a memory had ceased to hold at the moment that a query asks for, and leaves out what took its place later.
func (s *search) replacedBy(f *store.Superseded) bool {
	if s.q.ValidAt == nil || f.Memory.ValidTo == nil || f.Memory.ValidTo.After(*s.q.ValidAt) {
		return false
	}
	if f.By != nil && store.HeldFrom(f.By).After(*s.q.ValidAt) {
		f.By = nil
	}
	return true
}

// markSources marks the hits whose words a superseded memory was drawn from. It returns the first that says little else, nil for none.
func markSources(hits []lukasa.Hit, f *store.Superseded) *lukasa.Hit {
	told := supersededBy(&f.Memory, f.By, f.Memory.Reason)
	var whole *lukasa.Hit
	for i := range hits {
		src := evidence(&hits[i])
		for _, of := range f.Memory.Sources {
			if store.Overlap(of, src) && says(hits[i].Content, src, of) {
				hits[i].Superseded = append(hits[i].Superseded, told)
				if whole == nil && 2*(min(of.End, src.End)-max(of.Start, src.Start)) >= src.End-src.Start {
					whole = &hits[i]
				}
				break
			}
		}
	}
	return whole
}

// supersededBy tells that a memory does not hold any more, and what holds now; by may be nil.
func supersededBy(old, by *lukasa.Memory, reason string) lukasa.Superseded {
	told := lukasa.Superseded{ID: old.ID, Content: old.Content, Reason: reason, ValidTo: old.ValidTo, RetiredAt: old.RetiredAt}
	if by != nil {
		told.By = &lukasa.SupersededBy{ID: by.ID, Content: by.Content, Since: new(store.HeldFrom(by))}
	}
	return told
}

// expired reports whether a memory that nothing has replaced has ceased to be true. What is told as past, or happened once, is no less true.
func expired(m *lukasa.Memory, now time.Time) bool {
	ended, _ := m.Metadata[merge.KeyEnded].(bool)
	lasts := m.Kind == lukasa.KindFact || m.Kind == lukasa.KindPreference || m.Kind == lukasa.KindTask
	return lasts && !ended && m.ValidTo != nil && !m.ValidTo.After(now) && m.ValidTo.After(store.HeldFrom(m))
}

// maxChain bounds how many memories may have taken each other's place one by one.
const maxChain = 50

// successor returns the memory that holds now in the place of one that was superseded; nil where there is none, or none that the scope sees.
func successor(r store.Reader, m *lukasa.Memory) (*lukasa.Memory, error) {
	for range maxChain {
		if m.RetiredBy == "" {
			return nil, nil
		}
		list, err := r.MemoriesByID([]lukasa.ID{m.RetiredBy})
		if err != nil || len(list) == 0 {
			return nil, err
		}
		if m = &list[0]; m.IsLatest && m.State == "" {
			return m, nil
		}
	}
	return nil, nil
}

// staleShare is what the score of a hit counts of which something is no longer so.
const staleShare = 0.5

// putInForceFirst puts the hits that show what is in force before those that show what it took the place of. Where scores may be changed, a hit
// of which something is no longer so stands behind what is in force and answers nearly as well, too.
func putInForceFirst(hits []lukasa.Hit, inForce map[lukasa.ID]*lukasa.Memory, rescore bool) {
	if rescore {
		for i := range hits {
			if len(hits[i].Superseded) > 0 {
				hits[i].Score *= staleShare
			}
		}
		sortByScore(hits)
	}
	if len(inForce) == 0 {
		return
	}
	out := make([]lukasa.Hit, 0, len(hits))
	placed := make([]bool, len(hits))
	var place func(i int, least float64)
	place = func(i int, least float64) {
		if placed[i] {
			return
		}
		placed[i] = true
		if rescore {
			hits[i].Score = max(hits[i].Score, least)
		}
		for _, old := range hits[i].Superseded {
			if old.By == nil {
				continue
			}
			if k := indexShowing(hits, inForce[old.By.ID]); k >= 0 {
				place(k, hits[i].Score)
			}
		}
		out = append(out, hits[i])
	}
	for i := range hits {
		place(i, 0)
	}
	copy(hits, out)
}

// indexShowing is the place of the first hit that shows a memory: it is that memory, carries it, or is what it was drawn from. -1 for none.
func indexShowing(hits []lukasa.Hit, m *lukasa.Memory) int {
	return slices.IndexFunc(hits, func(h lukasa.Hit) bool {
		return h.ID == m.ID || h.Memory == nil && isSource(m, &h)
	})
}

// says reports whether the words that a hit shows of a source are still those that the memory was drawn from: a message may have been sent
// again with others. Evidence is quoted in the text's own bytes, from its start, and not always to its end.
func says(content string, shown, of lukasa.Source) bool {
	from, to := max(of.Start, shown.Start)-of.Start, min(of.End, shown.End)-of.Start
	return strings.Contains(content, of.Quote[min(from, len(of.Quote)):min(to, len(of.Quote))])
}

// evidence is the stretch of a message or a document that a hit shows; of other hits it is empty.
func evidence(h *lukasa.Hit) lukasa.Source {
	switch {
	case h.Message != nil:
		return lukasa.Source{Message: h.Message.Record, Start: h.Message.Span[0], End: h.Message.Span[1]}
	case h.Chunk != nil && h.Document != nil:
		return lukasa.Source{Document: h.Document.ID, Start: h.Chunk.Start, End: h.Chunk.End}
	}
	return lukasa.Source{}
}
