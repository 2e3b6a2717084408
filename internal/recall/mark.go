package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxMarked bounds how many records one condition on entities, relations or topics may name.
const maxMarked = 50_000

// checkKinds refuses a filter that asks for kinds that there are not.
func checkKinds(f *lukasa.Filter) error {
	if f == nil {
		return nil
	}
	err := checkKinds(f.Not)
	if f.Field == "kind" && err == nil {
		kinds := make([]lukasa.MemoryKind, len(f.Text))
		for i, k := range f.Text {
			kinds[i] = lukasa.MemoryKind(k)
		}
		_, err = lukasa.Kinds("filters.kind", kinds)
	}
	for _, list := range [][]lukasa.Filter{f.And, f.Or} {
		for i := range list {
			err = cmp.Or(err, checkKinds(&list[i]))
		}
	}
	return err
}

// marks puts the records that have it in the place of each condition that only rows can answer: what mentions somebody, stands at an
// edge, or is about a topic.
func (p *Path) marks(ctx context.Context, s *search) error {
	if len(s.nodes) == 0 || !names(s.q.Filter, "entity") && !names(s.q.Filter, "relation") && !names(s.q.Filter, "topic") {
		return nil
	}
	at := p.Now()
	defer func() { s.lap("filter", at, p.Now) }()
	return p.view(ctx, s, func(r store.Reader) error {
		f, err := s.marked(r, *s.q.Filter, nil)
		if err == nil {
			s.q.Filter = &f
		}
		return err
	})
}

// marked returns a filter without such conditions. Entities that stand beside it in the same object are those that a relation is with.
func (s *search) marked(r store.Reader, f lukasa.Filter, beside []string) (lukasa.Filter, error) {
	out := lukasa.Filter{Field: f.Field, Text: f.Text, Num: f.Num, Time: f.Time}
	var with []string
	for _, a := range f.And {
		if a.Field == "entity" {
			with = append(with, a.Text...)
		}
	}
	for _, part := range []struct {
		from []lukasa.Filter
		to   *[]lukasa.Filter
		with []string
	}{{f.And, &out.And, with}, {f.Or, &out.Or, nil}} {
		for _, sub := range part.from {
			sub, err := s.marked(r, sub, part.with)
			if err != nil {
				return out, err
			}
			*part.to = append(*part.to, sub)
		}
	}
	if f.Not != nil {
		not, err := s.marked(r, *f.Not, nil)
		if err != nil {
			return out, err
		}
		out.Not = &not
	}
	var some []lukasa.Filter
	var m store.Mark
	switch f.Field {
	case "entity":
		m.Entities = f.Text
	case "relation":
		var words []string
		if m.Types, words = store.Relations(f.Text); len(words) > 0 {
			some = append(some, lukasa.Filter{Field: "metadata.predicate", Text: words})
		}
		m.Entities = beside
	case "topic":
		m.Topics = f.Text
		some = append(some, lukasa.Filter{Field: "tags", Text: f.Text})
	default:
		return out, nil
	}
	ids := lukasa.Filter{Field: "record"}
	if len(m.Types) > 0 || f.Field != "relation" && len(f.Text) > 0 {
		list, err := r.Marked(s.nodes, m, maxMarked)
		if err != nil {
			return out, err
		}
		if len(list) == maxMarked {
			s.degrade(fmt.Sprintf("filters.%s holds for more than %d records: only the newest of them were looked at", f.Field, maxMarked))
		}
		for _, id := range list {
			ids.Text = append(ids.Text, string(id))
		}
		slices.Sort(ids.Text)
	}
	out.Field, out.Text = "", nil
	out.And = append(out.And, lukasa.Filter{Or: append(some, ids)})
	return out, nil
}
