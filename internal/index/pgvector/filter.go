package pgvector

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// fields are those that leaves compare by equality, beside metadata, and "latest", which has a column of its own.
var fields = [...]string{"type", "kind", "subject", "slot", "tags", "content_type", "session", "speaker", "role", "status", "source", "document", "conversation"}

// labelsOf lists what an entry has in the fields that filters compare by equality: for each value the field and the value. That is what
// [lukasa.EntryValues] says, so that a leaf of a filter holds where one of its labels is among the entry's.
func labelsOf(e *lukasa.Entry) []string {
	list := []string{}
	add := func(field string) {
		for _, v := range lukasa.EntryValues(e, field) {
			list = append(list, label(field, v))
		}
	}
	for _, f := range fields {
		add(f)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Metadata)) {
		add("metadata." + name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// label names a value of a field. Both are quoted, so that no two pairs have the same name, and what PostgreSQL cannot keep is escaped.
func label(field, value string) string {
	return short(strconv.Quote(field) + strconv.Quote(value))
}

// condition is a WHERE clause over entries e with its arguments, whose numbers go on behind those that are there already.
type condition struct {
	args []any
}

func (c *condition) arg(v any) string {
	c.args = append(c.args, v)
	return "?" + strconv.Itoa(len(c.args))
}

// keeps is what an entry must meet to be found, beside where it stands: "" where every latest entry does.
func (c *condition) keeps(types []lukasa.EntryType, f *lukasa.Filter) string {
	var parts []string
	if !asksLatest(f) {
		parts = append(parts, "e.latest")
	}
	if len(types) > 0 {
		list := make([]string, len(types))
		for i, t := range types {
			list[i] = label("type", string(t))
		}
		parts = append(parts, "e.labels && "+c.arg(texts(list))+"::text[]")
	}
	if f != nil {
		parts = append(parts, c.filter(f))
	}
	return strings.Join(parts, " AND ")
}

// asksLatest reports whether a filter has a condition on "latest" anywhere.
func asksLatest(f *lukasa.Filter) bool {
	if f == nil {
		return false
	}
	some := func(list []lukasa.Filter) bool {
		for i := range list {
			if asksLatest(&list[i]) {
				return true
			}
		}
		return false
	}
	return f.Field == "latest" || some(f.And) || some(f.Or) || asksLatest(f.Not)
}

// filter translates [lukasa.Filter.Match]. It is never NULL.
func (c *condition) filter(f *lukasa.Filter) string {
	var parts []string
	for i := range f.And {
		parts = append(parts, c.filter(&f.And[i]))
	}
	if len(f.Or) > 0 {
		some := make([]string, len(f.Or))
		for i := range f.Or {
			some[i] = c.filter(&f.Or[i])
		}
		parts = append(parts, "("+strings.Join(some, " OR ")+")")
	}
	if f.Not != nil {
		parts = append(parts, "NOT "+c.filter(f.Not))
	}
	if f.Field != "" {
		parts = append(parts, c.leaf(f))
	}
	if len(parts) == 0 {
		return "TRUE"
	}
	return "(" + strings.Join(parts, " AND ") + ")"
}

func (c *condition) leaf(f *lukasa.Filter) string {
	switch f.Field {
	case "confidence":
		if math.IsNaN(f.Num) {
			return "FALSE"
		}
		return "(e.confidence IS NOT NULL AND e.confidence >= " + c.arg(f.Num) + "::double precision)"
	case "after", "before", "created_from", "created_to":
		op, at := ">=", "when"
		if f.Field == "before" || f.Field == "created_to" {
			op = "<"
		}
		if f.Field != "after" && f.Field != "before" {
			at = "made"
		}
		return "((e." + at + "_s, e." + at + "_n) " + op + " (" + c.arg(f.Time.Unix()) + "::bigint, " + c.arg(int64(f.Time.Nanosecond())) + "::integer))"
	case "latest":
		yes, no := slices.Contains(f.Text, "true"), slices.Contains(f.Text, "false")
		switch {
		case yes && no:
			return "TRUE"
		case yes:
			return "e.latest"
		case no:
			return "(NOT e.latest)"
		}
		return "FALSE"
	}
	if len(f.Text) == 0 {
		return "FALSE"
	}
	if f.Field == "record" { // an array of thousands is hashed here, and not by &&
		n := c.arg(texts(f.Text)) + "::text[]"
		return "(e.entry_id = ANY(" + n + ") OR e.document = ANY(" + n + ") AND e.document <> '')"
	}
	list := make([]string, len(f.Text))
	for i, v := range f.Text {
		list[i] = label(f.Field, v)
	}
	return "(e.labels && " + c.arg(texts(list)) + "::text[])"
}
