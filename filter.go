package lukasa

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Filter is a condition on entries: a tree of And, Or and Not whose leaves compare one field. A leaf with several values
// matches when one of them does. The zero Filter matches everything.
type Filter struct {
	And []Filter
	Or  []Filter
	Not *Filter
	// Field is type, kind, subject, slot, tags, content_type, session, speaker, role, status, source, document, conversation, latest, confidence,
	// after, before, created_from, created_to or metadata.NAME; or record: one of the ids, in order, is the entry's or its document's.
	// Three ask what only rows know, and become others before an index sees them: entity (a name or id that the record is linked with),
	// relation (a type of edge, or what a statement says of its subject, like works_at) and topic (of the record or its document).
	Field string
	Text  []string
	Num   float64   // confidence: at least
	Time  time.Time // after, created_from: at or after; before, created_to: strictly before
}

// During is a filter on when things happened, were said or are dated: at or after from, before to. Nil is no bound; nil for none.
func During(from, to *time.Time) *Filter {
	var and []Filter
	if from != nil {
		and = append(and, Filter{Field: "after", Time: *from})
	}
	if to != nil {
		and = append(and, Filter{Field: "before", Time: *to})
	}
	if len(and) == 0 {
		return nil
	}
	return &Filter{And: and}
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

// TimeForms is the hint where something should be a time.
const TimeForms = "like 2026-05-01 or 2026-05-01T10:00:00Z"

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
	wrong := Invalid("time", "%.40q is not an ISO 8601 date or time", s)
	wrong.Hint = TimeForms
	return time.Time{}, wrong
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
	case "created_from":
		return !e.CreatedAt.Before(f.Time)
	case "created_to":
		return e.CreatedAt.Before(f.Time)
	case "record":
		_, is := slices.BinarySearch(f.Text, string(e.ID))
		_, in := slices.BinarySearch(f.Text, string(e.Document))
		return is || in && e.Document != ""
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
	case "subject":
		return filled(e.Subject)
	case "slot":
		return filled(e.Slot)
	case "tags", "topic":
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

// filled is the value of a field that not every entry has.
func filled(v string) []string {
	if v == "" {
		return nil
	}
	return []string{v}
}
