package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// superseded says of hits what is no longer so of what they show. It reads the rows each time, also for an answer that was kept: what took
// the place of a memory may stand elsewhere, and be gone by now.
func (p *Path) superseded(ctx context.Context, s *search, hits []lukasa.Hit) error {
	var shown []lukasa.Source
	for i := range hits {
		if src := evidence(&hits[i]); src.End > 0 {
			shown = append(shown, src)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	at := p.Now()
	defer func() { s.lap("load", at, p.Now) }()
	var found []store.Superseded
	err := p.view(ctx, s, func(r store.Reader) (err error) {
		found, err = r.Superseded(shown)
		return err
	})
	for _, f := range found {
		if f.By != nil && merge.Same(f.Memory, *f.By) { // it is so again
			continue
		}
		told := lukasa.Superseded{ID: f.Memory.ID, Content: f.Memory.Content, Reason: f.Memory.Reason, ValidTo: f.Memory.ValidTo, RetiredAt: f.Memory.RetiredAt}
		if f.By != nil {
			told.By = &lukasa.SupersededBy{ID: f.By.ID, Content: f.By.Content}
		}
		for i := range hits {
			src := evidence(&hits[i])
			for _, of := range f.Memory.Sources {
				if store.Overlap(of, src) && says(hits[i].Content, src, of) {
					hits[i].Superseded = append(hits[i].Superseded, told)
					break
				}
			}
		}
	}
	return err
}

// staleShare is what the score of a hit counts of which something is no longer so.
const staleShare = 0.5

// putCurrentFirst puts hits of which something is no longer so behind what is in force and answers nearly as well.
func putCurrentFirst(hits []lukasa.Hit) {
	for i := range hits {
		if len(hits[i].Superseded) > 0 {
			hits[i].Score *= staleShare
		}
	}
	slices.SortStableFunc(hits, func(a, b lukasa.Hit) int { return cmp.Compare(b.Score, a.Score) })
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
