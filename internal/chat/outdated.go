package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxOutdated is how many memories that are no longer so are looked at for a brief, newest first.
const maxOutdated = 300

// outdated adds to hits what is no longer so of what they say, and what is instead: a message stays as it was said, and a
// reader of a brief does not see what was said later. It changes the hits.
func (p *Path) outdated(ctx context.Context, sc lukasa.Scope, q lukasa.Query, hits []lukasa.Hit) error {
	if !slices.ContainsFunc(hits, func(h lukasa.Hit) bool { return h.Message != nil || h.Chunk != nil }) {
		return nil
	}
	return p.view(ctx, sc, q, func(r store.Reader) error {
		no := false
		old, err := newestMemories(r, lukasa.MemoryFilter{Latest: &no}, maxOutdated)
		if err != nil || len(old) == 0 {
			return err
		}
		after := map[lukasa.ID]lukasa.ID{} // what took whose place
		for _, m := range old {
			after[m.ID] = m.RetiredBy
		}
		notes := map[int][]lukasa.Memory{} // by hit
		var by []lukasa.ID
		for _, m := range old {
			for i, h := range hits {
				if slices.ContainsFunc(m.Sources, func(s lukasa.Source) bool { return shows(h, s) }) {
					m.RetiredBy = last(after, m.RetiredBy)
					notes[i] = append(notes[i], m)
					by = append(by, m.RetiredBy)
				}
			}
		}
		news, err := r.MemoriesByID(slices.DeleteFunc(by, func(id lukasa.ID) bool { return id == "" }))
		if err != nil {
			return err
		}
		for i, list := range notes {
			for _, m := range list {
				hits[i].Content += "\n" + noLonger(m, news)
			}
		}
		return nil
	})
}

// last follows what took whose place to what holds now.
func last(after map[lukasa.ID]lukasa.ID, id lukasa.ID) lukasa.ID {
	for range len(after) {
		next, ok := after[id]
		if !ok {
			break
		}
		id = next
	}
	return id
}

// shows reports whether a hit shows the evidence.
func shows(h lukasa.Hit, s lukasa.Source) bool {
	switch {
	case h.Message != nil:
		return s.Message == h.Message.Record && s.Start < h.Message.Span[1] && h.Message.Span[0] < s.End
	case h.Chunk != nil && h.Document != nil && h.Type == lukasa.EntryChunk:
		return s.Document == h.Document.ID && s.Start < h.Chunk.End && h.Chunk.Start < s.End
	}
	return false
}

func noLonger(m lukasa.Memory, news []lukasa.Memory) string {
	s := fmt.Sprintf("(No longer so: %s", strings.TrimSpace(m.Content))
	if i := slices.IndexFunc(news, func(x lukasa.Memory) bool { return x.ID == m.RetiredBy }); i >= 0 {
		s += " Now: " + strings.TrimSpace(news[i].Content)
	}
	return s + ")"
}
