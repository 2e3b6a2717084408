package lukasa

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Filter is a condition on entries: a tree of And, Or and Not whose leaves compare one field. A leaf with several values
// matches when one of them does. The zero Filter matches everything.
type Filter struct {
	And   []Filter
	Or    []Filter
	Not   *Filter
	Field string // type, kind, tags, content_type, session, speaker, role, status, source, document, conversation, latest, confidence, after, before, metadata.NAME
	Text  []string
	Num   float64   // confidence: at least
	Time  time.Time // after: at or after; before: strictly before
}

// filterAliases maps the names that requests may use to the field that they mean.
var filterAliases = map[string]string{
	"memory_type": "kind", "memory_types": "kind", "kinds": "kind", "types": "type", "tag": "tags", "topics": "tags",
	"origin": "source", "is_latest": "latest", "conversation_id": "conversation", "document_id": "document",
}

// ParseFilter reads the JSON form of a filter: an object whose entries must all hold. A list means any of its values; and,
// or take lists of objects and not takes one; metadata takes an object of names and values. An unknown name is
// [CodeUnknownField].
func ParseFilter(m map[string]any) (*Filter, error) { return parseFilter(m, 0) }

func parseFilter(m map[string]any, depth int) (*Filter, error) {
	if depth > 16 {
		return nil, Invalid("filters", "are nested more than 16 deep")
	}
	if len(m) == 0 {
		return nil, nil
	}
	var f Filter
	for _, k := range slices.Sorted(maps.Keys(m)) {
		leaf, err := parseFilterEntry(k, m[k], depth)
		if err != nil {
			return nil, err
		}
		if leaf != nil {
			f.And = append(f.And, *leaf)
		}
	}
	if len(f.And) == 1 {
		return &f.And[0], nil
	}
	return &f, nil
}

func parseFilterEntry(k string, v any, depth int) (*Filter, error) {
	field := "filters." + k
	name := k
	if a, ok := filterAliases[k]; ok {
		name = a
	}
	switch name {
	case "and", "or":
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return nil, Invalid(field, "takes a list of filters")
		}
		subs := make([]Filter, 0, len(list))
		for i, x := range list {
			s, err := parseSubfilter(fmt.Sprintf("%s[%d]", field, i), x, depth)
			if err != nil {
				return nil, err
			}
			subs = append(subs, *s)
		}
		if name == "or" {
			return &Filter{Or: subs}, nil
		}
		return &Filter{And: subs}, nil
	case "not":
		s, err := parseSubfilter(field, v, depth)
		return &Filter{Not: s}, err
	case "after", "before":
		s, _ := v.(string)
		t, err := ParseTime(s)
		if err != nil {
			return nil, Invalid(field, "takes an ISO 8601 date or time, like 2026-05-01 or 2026-05-01T10:00:00Z")
		}
		return &Filter{Field: name, Time: t}, nil
	case "confidence":
		n, ok := v.(float64)
		if !ok {
			return nil, Invalid(field, "takes a number, the least confidence")
		}
		return &Filter{Field: name, Num: n}, nil
	case "metadata":
		return parseMetadataFilter(field, v)
	case "type", "kind", "tags", "content_type", "session", "speaker", "role", "status", "source", "document", "conversation", "latest":
		vals, err := filterValues(field, v)
		if err != nil {
			return nil, err
		}
		return &Filter{Field: name, Text: vals}, nil
	}
	return nil, &Error{
		Code: CodeUnknownField, Field: field, Msg: "is not a filter",
		Hint: "known: type, kind, tags, content_type, session, speaker, role, status, source, confidence, after, before, metadata, document, conversation, latest, and, or, not",
	}
}

// parseSubfilter reads a filter inside another; an empty one matches everything.
func parseSubfilter(field string, v any, depth int) (*Filter, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, Invalid(field, "is not a filter object")
	}
	if s, err := parseFilter(o, depth+1); s != nil || err != nil {
		return s, err
	}
	return &Filter{}, nil
}

func parseMetadataFilter(field string, v any) (*Filter, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, Invalid(field, "takes an object of names and values")
	}
	var f Filter
	for _, k := range slices.Sorted(maps.Keys(o)) {
		vals, err := filterValues(field+"."+k, o[k])
		if err != nil {
			return nil, err
		}
		f.And = append(f.And, Filter{Field: "metadata." + k, Text: vals})
	}
	return &f, nil
}

func filterValues(field string, v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := make([]string, 0, len(list))
	for _, x := range list {
		switch x := x.(type) {
		case string:
			out = append(out, x)
		case bool, float64:
			out = append(out, ScalarString(x))
		default:
			return nil, Invalid(field, "takes a text, number or boolean, or a list of them")
		}
	}
	return out, nil
}

// ScalarString returns the form in which a metadata value is compared: texts as they are, other values as JSON.
func ScalarString(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// ParseTime reads an ISO 8601 date or time; a date alone is midnight UTC.
func ParseTime(s string) (time.Time, error) {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02",
		"2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 { // others have no form in JSON
			return t.UTC(), nil
		}
	}
	return time.Time{}, Invalid("time", "%.40q is not an ISO 8601 date or time", s)
}

// Match reports whether the entry meets the filter. A nil filter matches everything.
func (f *Filter) Match(e *Entry) bool {
	if f == nil {
		return true
	}
	for i := range f.And {
		if !f.And[i].Match(e) {
			return false
		}
	}
	if len(f.Or) > 0 && !slices.ContainsFunc(f.Or, func(o Filter) bool { return o.Match(e) }) {
		return false
	}
	if f.Not != nil && f.Not.Match(e) {
		return false
	}
	return f.Field == "" || f.matchLeaf(e)
}

func (f *Filter) matchLeaf(e *Entry) bool {
	switch f.Field {
	case "confidence":
		return e.Confidence >= f.Num
	case "after":
		return !e.When().Before(f.Time)
	case "before":
		return e.When().Before(f.Time)
	}
	for _, v := range EntryValues(e, f.Field) {
		if slices.Contains(f.Text, v) {
			return true
		}
	}
	return false
}

// EntryValues returns the entry's values in a field that leaves compare by equality.
func EntryValues(e *Entry, field string) []string {
	switch field {
	case "type":
		return []string{string(e.Type)}
	case "kind":
		if e.Kind == "" {
			return nil
		}
		if e.Kind.Defining() {
			return []string{string(e.Kind), "defining"}
		}
		return []string{string(e.Kind), "regular"}
	case "tags":
		return e.Tags
	case "content_type":
		return []string{e.ContentType}
	case "session":
		return []string{e.Session}
	case "speaker":
		return []string{e.Speaker}
	case "role":
		return []string{e.Role}
	case "status":
		return []string{string(e.Status)}
	case "source":
		return []string{string(e.Origin)}
	case "document":
		return []string{string(e.Document)}
	case "conversation":
		return []string{string(e.Conversation)}
	case "latest":
		return []string{ScalarString(e.Latest)}
	}
	name, ok := strings.CutPrefix(field, "metadata.")
	if !ok {
		return nil
	}
	v, ok := e.Metadata[name]
	if !ok {
		return nil
	}
	if list, ok := v.([]any); ok {
		out := make([]string, len(list))
		for i, x := range list {
			out[i] = ScalarString(x)
		}
		return out
	}
	return []string{ScalarString(v)}
}
