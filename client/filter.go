package client

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// filterAliases maps the names that requests may use to the field that they mean.
var filterAliases = map[string]string{
	"memory_type": "kind", "memory_types": "kind", "kinds": "kind", "types": "type", "tag": "tags", "topics": "topic",
	"origin": "source", "is_latest": "latest", "conversation_id": "conversation", "document_id": "document",
	"entities": "entity", "relations": "relation", "relationship": "relation", "relationships": "relation", "predicate": "relation",
	"from": "after", "to": "before",
}

// ParseFilter reads the JSON form of a filter (docs/api/http.md): an object whose entries must all hold. A list means any of its values; and,
// or take lists of objects and not takes one; metadata takes an object of names and values. An unknown name is
// [lukasa.CodeUnknownField].
func ParseFilter(m map[string]any) (*lukasa.Filter, error) { return parseFilter(m, 0) }

func parseFilter(m map[string]any, depth int) (*lukasa.Filter, error) {
	if depth > 16 {
		return nil, lukasa.Invalid("filters", "are nested more than 16 deep")
	}
	if len(m) == 0 {
		return nil, nil
	}
	var f lukasa.Filter
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

func parseFilterEntry(k string, v any, depth int) (*lukasa.Filter, error) {
	field := "filters." + k
	name := k
	if a, ok := filterAliases[k]; ok {
		name = a
	}
	switch name {
	case "and", "or":
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return nil, lukasa.Invalid(field, "takes a list of filters")
		}
		subs := make([]lukasa.Filter, 0, len(list))
		for i, x := range list {
			s, err := parseSubfilter(fmt.Sprintf("%s[%d]", field, i), x, depth)
			if err != nil {
				return nil, err
			}
			subs = append(subs, *s)
		}
		if name == "or" {
			return &lukasa.Filter{Or: subs}, nil
		}
		return &lukasa.Filter{And: subs}, nil
	case "not":
		s, err := parseSubfilter(field, v, depth)
		return &lukasa.Filter{Not: s}, err
	case "after", "before", "created_from", "created_to":
		s, _ := v.(string)
		t, err := lukasa.ParseTime(s)
		if err != nil {
			return nil, lukasa.Invalid(field, "takes an ISO 8601 date or time, like 2026-05-01 or 2026-05-01T10:00:00Z")
		}
		return &lukasa.Filter{Field: name, Time: t}, nil
	case "confidence":
		n, ok := v.(float64)
		if !ok || n < 0 || n > 1 {
			return nil, lukasa.Invalid(field, "takes a number from 0 to 1, the least confidence")
		}
		return &lukasa.Filter{Field: name, Num: n}, nil
	case "metadata":
		return parseMetadataFilter(field, v)
	case "type", "kind", "subject", "slot", "entity", "relation", "topic", "tags", "content_type", "session", "speaker", "role", "status", "source", "document", "conversation", "latest":
		vals, err := filterValues(field, v)
		if err == nil {
			err = fitting(field, name, vals)
		}
		if err != nil {
			return nil, err
		}
		if name == "type" {
			return typeFilter(vals), nil
		}
		return &lukasa.Filter{Field: name, Text: vals}, nil
	}
	return nil, &lukasa.Error{
		Code: lukasa.CodeUnknownField, Field: field, Msg: "is not a filter",
		Hint: "known: type, kind, subject, slot, entity, relation, topic, tags, content_type, session, speaker, role, status, source, confidence, " +
			"after, before, created_from, created_to, metadata, document, conversation, latest, and, or, not",
	}
}

// partTypes are the names that stand for a part of a type: the documents that conversations became, and the memories of a defining kind.
var partTypes = map[string]lukasa.Filter{
	"recall_file": {And: []lukasa.Filter{
		{Field: "type", Text: []string{string(lukasa.EntryDocument)}}, {Field: "content_type", Text: []string{"conversation"}},
	}},
	"defining_memory": {And: []lukasa.Filter{
		{Field: "type", Text: []string{string(lukasa.EntryMemory)}}, {Field: "kind", Text: []string{"defining"}},
	}},
}

// typeFilter is the filter for any of some types, named as a search names them beside its filters.
func typeFilter(names []string) *lukasa.Filter {
	whole := lukasa.Filter{Field: "type", Text: []string{}}
	var some []lukasa.Filter
	for _, n := range names {
		if part, ok := partTypes[n]; ok {
			some = append(some, part)
		} else {
			whole.Text = append(whole.Text, n)
		}
	}
	if len(some) == 0 {
		return &whole
	}
	if len(whole.Text) > 0 {
		some = append(some, whole)
	}
	return &lukasa.Filter{Or: some}
}

// oneOf lists the values of the fields that have a few.
var oneOf = map[string][]string{
	"latest": {"true", "false"},
	"type":   {string(lukasa.EntryMessage), string(lukasa.EntryChunk), string(lukasa.EntryMemory), string(lukasa.EntryDocument), "recall_file", "defining_memory"},
	"source": {string(lukasa.OriginUser), string(lukasa.OriginAgent), string(lukasa.OriginTool), string(lukasa.OriginWeb), string(lukasa.OriginFile), string(lukasa.OriginImport)},
	"status": {
		string(lukasa.StatusQueued), string(lukasa.StatusExtracting), string(lukasa.StatusChunking), string(lukasa.StatusEmbedding),
		string(lukasa.StatusDistilling), string(lukasa.StatusIndexing), string(lukasa.StatusDone), string(lukasa.StatusFailed), lukasa.MemoryArchived,
	},
}

// fitting refuses what no record has in a field, and would find nothing without a word. The kinds of memories are judged where they
// are looked for; see [lukasa.Kinds].
func fitting(field, name string, vals []string) error {
	for _, v := range vals {
		if known, ok := oneOf[name]; ok && !slices.Contains(known, v) {
			return lukasa.Invalid(field, "%.40q is not one of %s", v, strings.Join(known, ", "))
		}
		for of, want := range map[string]lukasa.Prefix{"document": lukasa.PrefixDocument, "conversation": lukasa.PrefixConversation} {
			if name == of && lukasa.ID(v).Prefix() != want {
				return lukasa.Invalid(field, "%.40q is not the id of a %s, which starts with %s_", v, of, want)
			}
		}
	}
	return nil
}

// parseSubfilter reads a filter inside another; an empty one matches everything.
func parseSubfilter(field string, v any, depth int) (*lukasa.Filter, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, lukasa.Invalid(field, "is not a filter object")
	}
	if s, err := parseFilter(o, depth+1); s != nil || err != nil {
		return s, err
	}
	return &lukasa.Filter{}, nil
}

func parseMetadataFilter(field string, v any) (*lukasa.Filter, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, lukasa.Invalid(field, "takes an object of names and values")
	}
	var f lukasa.Filter
	for _, k := range slices.Sorted(maps.Keys(o)) {
		vals, err := filterValues(field+"."+k, o[k])
		if err != nil {
			return nil, err
		}
		f.And = append(f.And, lukasa.Filter{Field: "metadata." + k, Text: vals})
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
			out = append(out, lukasa.ScalarString(x))
		default:
			return nil, lukasa.Invalid(field, "takes a text, number or boolean, or a list of them")
		}
	}
	return out, nil
}

// FilterBody writes a filter in the form that [ParseFilter] reads; what it reads from that matches the same entries.
func FilterBody(f *lukasa.Filter) map[string]any {
	if f == nil {
		return nil
	}
	var all []any
	for i := range f.And {
		all = append(all, objectOf(&f.And[i]))
	}
	if len(f.Or) > 0 {
		var some []any
		for i := range f.Or {
			some = append(some, objectOf(&f.Or[i]))
		}
		all = append(all, map[string]any{"or": some})
	}
	if f.Not != nil {
		all = append(all, map[string]any{"not": objectOf(f.Not)})
	}
	if f.Field != "" {
		all = append(all, leafBody(f))
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		one, _ := all[0].(map[string]any)
		return one
	}
	return map[string]any{"and": all}
}

// objectOf is never nil: an empty object matches everything.
func objectOf(f *lukasa.Filter) map[string]any {
	if m := FilterBody(f); m != nil {
		return m
	}
	return map[string]any{}
}

func leafBody(f *lukasa.Filter) map[string]any {
	texts := make([]any, len(f.Text))
	for i, s := range f.Text {
		texts[i] = s
	}
	if name, ok := strings.CutPrefix(f.Field, "metadata."); ok {
		return map[string]any{"metadata": map[string]any{name: texts}}
	}
	switch f.Field {
	case "confidence":
		return map[string]any{f.Field: f.Num}
	case "after", "before", "created_from", "created_to":
		return map[string]any{f.Field: f.Time.UTC().Format(time.RFC3339Nano)}
	}
	return map[string]any{f.Field: texts}
}
