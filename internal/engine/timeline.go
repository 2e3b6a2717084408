package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Timeline lists the memories, messages and documents between two moments, the oldest first.
func (e *Engine) Timeline(ctx context.Context, sc lukasa.Scope, f lukasa.TimelineFilter, p lukasa.Page) (lukasa.Listing[lukasa.TimelineLine], error) {
	none := lukasa.Listing[lukasa.TimelineLine]{Items: []lukasa.TimelineLine{}}
	return view(ctx, e, sc, func(r store.Reader) (lukasa.Listing[lukasa.TimelineLine], error) {
		l, err := r.Timeline(f, p)
		if err != nil {
			return none, err
		}
		lines, err := linesOf(r, l.Items)
		out := lukasa.Listing[lukasa.TimelineLine]{Items: []lukasa.TimelineLine{}, Next: l.Next, Total: l.Total}
		for _, at := range l.Items {
			if x, ok := lines[at.ID]; ok {
				x.Date = at.At
				out.Items = append(out.Items, x)
			}
		}
		return out, err
	})
}

// linesOf reads the records of a timeline.
func linesOf(r store.Reader, list []store.Moment) (map[lukasa.ID]lukasa.TimelineLine, error) {
	of := map[lukasa.Prefix][]lukasa.ID{}
	for _, at := range list {
		of[at.ID.Prefix()] = append(of[at.ID.Prefix()], at.ID)
	}
	lines := map[lukasa.ID]lukasa.TimelineLine{}
	memories, err := r.MemoriesByID(of[lukasa.PrefixMemory])
	if err != nil {
		return nil, err
	}
	for _, m := range memories {
		x := lukasa.TimelineLine{ID: m.ID, Kind: string(m.Kind), Text: m.Content, Container: m.Path, Superseded: !m.IsLatest}
		if len(m.Sources) > 0 {
			x.Source = cmp.Or(m.Sources[0].Message, m.Sources[0].Document)
		}
		lines[m.ID] = x
	}
	messages, err := r.MessagesByID(of[lukasa.PrefixMessage])
	if err != nil {
		return nil, err
	}
	documents := slices.Clone(of[lukasa.PrefixDocument])
	for _, m := range messages {
		documents = append(documents, m.Document)
	}
	docs, err := r.DocumentsByID(documents)
	path := map[lukasa.ID]lukasa.Path{}
	for _, d := range docs {
		path[d.ID] = d.Path
		if slices.Contains(of[lukasa.PrefixDocument], d.ID) {
			lines[d.ID] = lukasa.TimelineLine{ID: d.ID, Kind: string(lukasa.EntryDocument), Text: cmp.Or(d.Title, d.Summary), Container: d.Path}
		}
	}
	for _, m := range messages {
		lines[m.ID] = lukasa.TimelineLine{
			ID: m.ID, Kind: string(lukasa.EntryMessage), Text: m.Content, Container: path[m.Document], Speaker: cmp.Or(m.Speaker, m.Role),
		}
	}
	return lines, err
}
