package api

import (
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Types reads types. Two names stand for a part of a type, and come with the condition that draws the line.
func Types(names []string) (types []lukasa.EntryType, part *lukasa.Filter) {
	is := func(field string, v string) lukasa.Filter { return lukasa.Filter{Field: field, Text: []string{v}} }
	var or []lukasa.Filter
	whole := true
	for _, n := range names {
		t, only := lukasa.EntryType(n), lukasa.Filter{}
		switch n {
		case "recall_file":
			t, only = lukasa.EntryDocument, is("content_type", "conversation")
		case "defining_memory":
			t, only = lukasa.EntryMemory, is("kind", "defining")
		}
		of := is("type", string(t))
		if only.Field != "" {
			whole, of = false, lukasa.Filter{And: []lukasa.Filter{of, only}}
		}
		or = append(or, of)
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if whole {
		return types, nil
	}
	return types, &lukasa.Filter{Or: or}
}

// Conditions are those of a search that are spelled beside its filters. Each list means any of its values.
type Conditions struct {
	Session             string // a label, which may hold a comma
	Tags, Topics, Kinds []string
}

// Range is a stretch of time; nil is no bound.
type Range struct{ Start, End *time.Time }

// Narrow adds them, and stretches of time, to conditions that are there already, of which some may be nil.
func (c Conditions) Narrow(ranges []Range, there ...*lukasa.Filter) *lukasa.Filter {
	var and []lukasa.Filter
	for _, x := range there {
		if x != nil {
			and = append(and, *x)
		}
	}
	if c.Session != "" {
		and = append(and, lukasa.Filter{Field: "session", Text: []string{c.Session}})
	}
	for _, x := range []lukasa.Filter{{Field: "tags", Text: c.Tags}, {Field: "topic", Text: c.Topics}, {Field: "kind", Text: c.Kinds}} {
		if len(x.Text) > 0 { // in one order, as answers are kept by what was asked
			and = append(and, x)
		}
	}
	for _, r := range ranges {
		if r.Start != nil {
			and = append(and, lukasa.Filter{Field: "after", Time: *r.Start})
		}
		if r.End != nil {
			and = append(and, lukasa.Filter{Field: "before", Time: *r.End})
		}
	}
	if len(and) == 0 {
		return nil
	}
	return &lukasa.Filter{And: and}
}
