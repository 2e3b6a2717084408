package sqlstore

import (
	"cmp"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// timelineCursor tells cursors of a timeline from others.
const timelineCursor = 'l'

// Timeline implements [store.ChunkReader]. The position behind a line is one in all three tables, as ids differ by their prefix.
func (s *Session) Timeline(f lukasa.TimelineFilter, p lukasa.Page) (list lukasa.Listing[store.Moment], err error) {
	list.Items = []store.Moment{}
	if p.Offset != 0 {
		return list, lukasa.Invalid("offset", "is not taken: go on with the cursor")
	}
	p.Limit = cmp.Or(p.Limit, 20)
	var rows []sqlrows.Position
	more := false
	for _, x := range []struct {
		of                    lukasa.EntryType
		table, alias, key, is string
	}{
		{lukasa.EntryMemory, "memories", "y", "coalesce(y.occurred_at, y.valid_from, y.said_at, y.recorded_at)", "y.state = ''"},
		{lukasa.EntryMessage, "messages", "m", "coalesce(m.time, m.created_at)", "m.content <> ''"},
		{lukasa.EntryDocument, "documents", "d", "coalesce(d.occurred_at, d.created_at)", "d.is_latest = 1 AND d.segment_of = ''"},
	} {
		if len(f.Types) > 0 && !slices.Contains(f.Types, x.of) {
			continue
		}
		c := where(s.visible(x.alias, x.table))
		c.Add(x.is)
		from, err := s.inNodes(&c, x.table, x.alias, f.Containers)
		if err != nil {
			return list, err
		}
		c.Between(x.key, f.From, f.To)
		if x.of == lukasa.EntryMemory {
			sqlrows.Among(&c, "y.kind", f.Kinds)
		}
		part, next, total, err := s.stretch(sqlrows.Stretch{Kind: timelineCursor, From: from, Key: x.key, ID: x.alias + ".id"}, c, p)
		if err != nil {
			return list, err
		}
		rows, more = append(rows, part...), more || next != ""
		if list.Total += total; p.Cursor != "" {
			list.Total = total // the cursor has it
		}
	}
	slices.SortFunc(rows, func(a, b sqlrows.Position) int {
		return cmp.Or(cmp.Compare(micros(a), micros(b)), cmp.Compare(a.ID, b.ID))
	})
	if len(rows) > p.Limit {
		rows, more = rows[:p.Limit], true
	}
	for _, r := range rows {
		list.Items = append(list.Items, store.Moment{ID: lukasa.ID(r.ID), At: time.UnixMicro(micros(r)).UTC()})
	}
	if more {
		last := rows[len(rows)-1]
		last.Total = list.Total
		list.Next = last.Cursor(timelineCursor)
	}
	return list, nil
}

// micros is the key of a row that is ordered by time.
func micros(p sqlrows.Position) int64 {
	n, _ := p.Key.(int64)
	return n
}
