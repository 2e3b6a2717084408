package client_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

func parseFilterJSON(s string) (*lukasa.Filter, error) {
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		return nil, err
	}
	return client.ParseFilter(m)
}

// sample is an entry of which every field has a value.
func sample() *lukasa.Entry {
	return &lukasa.Entry{
		ID: "mem_1", Type: lukasa.EntryMemory, Kind: lukasa.KindFact, Subject: "Ann", Slot: "lives_in", Document: "doc_1", Conversation: "conv_1", Session: "s1",
		Speaker: "Ann", Role: "user", ContentType: "text/plain", Status: lukasa.StatusDone, Origin: lukasa.OriginUser, Confidence: 0.5, Latest: true,
		Tags: []string{"red", "blue"}, Metadata: map[string]any{"lang": "go", "stars": 3.0, "ok": true, "list": []any{"x", 2.0}, "nil": nil},
		OccurredAt: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC), CreatedAt: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
	}
}

// M-3: filters know the types that a search knows beside its filters.
func TestFilterByPartOfAType(t *testing.T) {
	t.Parallel()
	entries := map[string]*lukasa.Entry{
		"note":     {Type: lukasa.EntryDocument, ContentType: "text/plain"},
		"talk":     {Type: lukasa.EntryDocument, ContentType: "conversation"},
		"said":     {Type: lukasa.EntryMessage, ContentType: "conversation"},
		"fact":     {Type: lukasa.EntryMemory, Kind: lukasa.KindFact},
		"decision": {Type: lukasa.EntryMemory, Kind: lukasa.KindDecision},
	}
	for in, want := range map[string][]string{
		`{"type":"recall_file"}`:                               {"talk"},
		`{"type":"defining_memory"}`:                           {"decision"},
		`{"type":["defining_memory","recall_file"]}`:           {"decision", "talk"},
		`{"types":["message","recall_file"]}`:                  {"said", "talk"},
		`{"types":["memory","defining_memory"]}`:               {"decision", "fact"},
		`{"not":{"type":"recall_file"},"type":["document"]}`:   {"note"},
		`{"or":[{"type":"defining_memory"},{"type":"chunk"}]}`: {"decision"},
	} {
		f, err := parseFilterJSON(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := client.ParseFilter(client.FilterBody(f)) // as the client sends it
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*lukasa.Filter{f, again} {
			var got []string
			for name, e := range entries {
				if f.Match(e) {
					got = append(got, name)
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", in, got, want)
			}
		}
	}
}

func TestFilterMatch(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		`{}`:                                true,
		`{"type":"memory"}`:                 true,
		`{"types":["chunk"]}`:               false,
		`{"type":"recall_file"}`:            false,
		`{"type":["recall_file","memory"]}`: true,
		`{"type":"defining_memory"}`:        false,
		`{"not":{"types":["chunk","defining_memory"]}}`: true,
		`{"kind":"fact"}`:                                   true,
		`{"memory_types":"regular"}`:                        true,
		`{"memory_type":"defining"}`:                        false,
		`{"tags":"red"}`:                                    true,
		`{"topics":["green","blue"]}`:                       true,
		`{"tag":[]}`:                                        false, // one of none
		`{"content_type":"text/plain"}`:                     true,
		`{"session":"s1","speaker":"Ann"}`:                  true,
		`{"session":"s1","speaker":"Bob"}`:                  false,
		`{"speaker":"ann"}`:                                 false, // case counts
		`{"role":"user"}`:                                   true,
		`{"status":["done","failed"]}`:                      true,
		`{"source":"user"}`:                                 true,
		`{"origin":"web"}`:                                  false,
		`{"document_id":"doc_1"}`:                           true,
		`{"conversation_id":"conv_2"}`:                      false,
		`{"latest":true}`:                                   true,
		`{"is_latest":false}`:                               false,
		`{"latest":"true"}`:                                 true,
		`{"confidence":0.5}`:                                true, // at least
		`{"confidence":0.51}`:                               false,
		`{"after":"2026-05-01T10:00:00Z"}`:                  true, // inclusive
		`{"after":"2026-05-01T10:00:00.000000001Z"}`:        false,
		`{"before":"2026-05-01T10:00:00Z"}`:                 false, // exclusive
		`{"before":"2026-05-02"}`:                           true,
		`{"after":"2026-05-01T12:00:00+02:00"}`:             true,
		`{"from":"2026-05-01T10:00:00Z"}`:                   true,
		`{"to":"2026-05-01T10:00:00Z"}`:                     false,
		`{"created_from":"2026-06-01"}`:                     true, // inclusive
		`{"created_from":"2026-06-01T00:00:00.000000001Z"}`: false,
		`{"created_to":"2026-06-01"}`:                       false, // exclusive
		`{"created_to":"2026-06-01T00:00:01Z"}`:             true,
		`{"subject":["Bob","Ann"]}`:                         true,
		`{"subject":""}`:                                    false,
		`{"slot":"lives_in"}`:                               true,
		`{"slot":"works_at"}`:                               false,
		`{"metadata":{"lang":"go","stars":3}}`:              true,
		`{"metadata":{"stars":"3"}}`:                        true,
		`{"metadata":{"ok":true}}`:                          true,
		`{"metadata":{"list":["y",2]}}`:                     true,
		`{"metadata":{"lang":["go","c"],"gone":"x"}}`:       false,
		`{"metadata":{}}`:                                   true,
		`{"not":{"kind":"fact"}}`:                           false,
		`{"not":{"kind":"task"}}`:                           true,
		`{"or":[{"kind":"task"},{"tags":"red"}]}`:           true,
		`{"or":[{"kind":"task"},{"tags":"green"}]}`:         false,
		`{"and":[{"kind":"fact"},{"tags":"green"}]}`:        false,
		`{"or":[{"kind":"task"},{}]}`:                       true,
		`{"or":[{"tags":"red"}],"not":{"speaker":"Ann"}}`:   false,
		`{"not":{"or":[{"tags":"x"},{"not":{"tags":[]}}]}}`: false,
	} {
		f, err := parseFilterJSON(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := f.Match(sample()); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
	later := sample()
	later.OccurredAt = time.Time{} // then the time of making counts
	if f, err := parseFilterJSON(`{"after":"2026-05-15"}`); err != nil || !f.Match(later) || f.Match(sample()) {
		t.Errorf("an entry of unknown time is not judged by when it was made: %v", err)
	}
}

func TestParseFilterNamesTheField(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat(`{"not":`, n) + `{"kind":"fact"}` + strings.Repeat("}", n) }
	if _, err := parseFilterJSON(nested(16)); err != nil {
		t.Errorf("16 deep: %v", err)
	}
	for in, want := range map[string]struct {
		field string
		code  lukasa.Code
	}{
		`{"colour":"red"}`:                {"filters.colour", lukasa.CodeUnknownField},
		`{"metadata.lang":"go"}`:          {"filters.metadata.lang", lukasa.CodeUnknownField},
		`{"and":[{"or":[{"x":1}]}]}`:      {"filters.x", lukasa.CodeUnknownField},
		`{"and":{}}`:                      {"filters.and", lukasa.CodeInvalid},
		`{"or":[]}`:                       {"filters.or", lukasa.CodeInvalid},
		`{"or":[{"kind":"fact"},"task"]}`: {"filters.or[1]", lukasa.CodeInvalid},
		`{"not":[]}`:                      {"filters.not", lukasa.CodeInvalid},
		`{"after":"yesterday"}`:           {"filters.after", lukasa.CodeInvalid},
		`{"before":1700000000}`:           {"filters.before", lukasa.CodeInvalid},
		`{"from":"soon"}`:                 {"filters.from", lukasa.CodeInvalid},
		`{"created_to":"2026-13-01"}`:     {"filters.created_to", lukasa.CodeInvalid},
		`{"relationship":{}}`:             {"filters.relationship", lukasa.CodeInvalid},
		`{"entity":null}`:                 {"filters.entity", lukasa.CodeInvalid},
		`{"confidence":"high"}`:           {"filters.confidence", lukasa.CodeInvalid},
		`{"confidence":7}`:                {"filters.confidence", lukasa.CodeInvalid},
		`{"latest":"no"}`:                 {"filters.latest", lukasa.CodeInvalid},
		`{"is_latest":[true,1]}`:          {"filters.is_latest", lukasa.CodeInvalid},
		`{"not":{"status":"ready"}}`:      {"filters.status", lukasa.CodeInvalid},
		`{"type":["memory","note"]}`:      {"filters.type", lukasa.CodeInvalid},
		`{"origin":"me"}`:                 {"filters.origin", lukasa.CodeInvalid},
		`{"document":"report.pdf"}`:       {"filters.document", lukasa.CodeInvalid},
		`{"conversation":"conv"}`:         {"filters.conversation", lukasa.CodeInvalid},
		`{"conversation_id":"doc_1"}`:     {"filters.conversation_id", lukasa.CodeInvalid},
		`{"metadata":"go"}`:               {"filters.metadata", lukasa.CodeInvalid},
		`{"metadata":{"lang":{}}}`:        {"filters.metadata.lang", lukasa.CodeInvalid},
		`{"kind":null}`:                   {"filters.kind", lukasa.CodeInvalid},
		`{"memory_type":[["fact"]]}`:      {"filters.memory_type", lukasa.CodeInvalid}, // as the request called it
		nested(17):                        {"filters", lukasa.CodeInvalid},
	} {
		f, err := parseFilterJSON(in)
		var e *lukasa.Error
		if f != nil || !errors.As(err, &e) || e.Field != want.field || e.Code != want.code {
			t.Errorf("%s: got %+v, %v; want %s of %s", in, f, err, want.code, want.field)
		}
	}
}

// aFilter draws the JSON form of a filter over a small vocabulary, so that about half of all filters match.
func aFilter(depth int) *rapid.Generator[map[string]any] {
	values := func(of ...any) *rapid.Generator[any] {
		one := rapid.SampledFrom(of)
		return rapid.OneOf(one, rapid.Map(rapid.SliceOfN(one, 0, 3), func(l []any) any { return l }))
	}
	return rapid.Custom(func(t *rapid.T) map[string]any {
		fields := map[string]*rapid.Generator[any]{
			"kind": values("fact", "decision", "regular", "defining"), "memory_type": values("fact"), "tags": values("red", "green"), "topics": values("blue"),
			"speaker": values("Ann", "Bob"), "latest": values(true, false), "confidence": rapid.SampledFrom([]any{0.0, 0.5, 1.0}),
			"after":  rapid.SampledFrom([]any{"2026-01-01", "2026-05-01T10:00:00Z", "2027-01-01"}),
			"before": rapid.SampledFrom([]any{"2026-01-01", "2026-05-01T10:00:00Z", "2027-01-01"}),
			"metadata": rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"n", "gone"}), values("a", 1.0, true), 0, 2),
				func(m map[string]any) any { return m }),
		}
		names := []string{"kind", "memory_type", "tags", "topics", "speaker", "latest", "confidence", "after", "before", "metadata"}
		if depth > 0 {
			list := rapid.Map(rapid.SliceOfN(aFilter(depth-1), 1, 3), func(l []map[string]any) any {
				out := make([]any, len(l))
				for i, m := range l {
					out[i] = m
				}
				return out
			})
			fields["and"], fields["or"] = list, list
			fields["not"] = rapid.Map(aFilter(depth-1).Filter(func(m map[string]any) bool { return len(m) > 0 }), func(m map[string]any) any { return m })
			names = append(names, "and", "or", "not", "or", "not")
		}
		m := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			m[name] = fields[name].Draw(t, "value")
		}
		return m
	})
}

// holds says whether an entry meets the JSON form of a filter, read off the documentation of [client.ParseFilter].
func holds(t *rapid.T, m map[string]any, e *lukasa.Entry) bool {
	list := func(v any) []any {
		if l, ok := v.([]any); ok {
			return l
		}
		return []any{v}
	}
	any1 := func(v any, is func(any) bool) bool {
		return slices.ContainsFunc(list(v), is)
	}
	when := e.OccurredAt
	if when.IsZero() {
		when = e.CreatedAt
	}
	for name, v := range m {
		var ok bool
		switch name {
		case "kind", "memory_type":
			defining := e.Kind == lukasa.KindDecision
			ok = any1(v, func(x any) bool {
				return x == string(e.Kind) || e.Kind != "" && (x == "defining" && defining || x == "regular" && !defining)
			})
		case "tags", "topics":
			ok = any1(v, func(x any) bool {
				return any1(toAny(e.Tags), func(tag any) bool { return tag == x })
			})
		case "speaker":
			ok = any1(v, func(x any) bool { return x == e.Speaker })
		case "latest":
			ok = any1(v, func(x any) bool { return x == e.Latest })
		case "confidence":
			ok = e.Confidence >= v.(float64)
		case "after", "before":
			at, err := time.Parse(time.RFC3339, v.(string))
			if err != nil {
				at, err = time.Parse(time.DateOnly, v.(string))
			}
			if err != nil {
				t.Fatal(err)
			}
			ok = when.Before(at) == (name == "before")
		case "metadata":
			ok = true
			for k, want := range v.(map[string]any) {
				have, known := e.Metadata[k]
				ok = ok && known && any1(want, func(x any) bool { return any1(have, func(y any) bool { return x == y }) })
			}
		case "not":
			ok = !holds(t, v.(map[string]any), e)
		case "or":
			ok = any1(v, func(x any) bool { return holds(t, x.(map[string]any), e) })
		case "and":
			ok = !any1(v, func(x any) bool { return !holds(t, x.(map[string]any), e) })
		}
		if !ok {
			return false
		}
	}
	return true
}

func toAny(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}

func TestFilterMeansWhatItSays(t *testing.T) {
	t.Parallel()
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := aFilter(3).Draw(t, "filter")
		e := &lukasa.Entry{
			Kind:       rapid.SampledFrom([]lukasa.MemoryKind{"", lukasa.KindFact, lukasa.KindDecision}).Draw(t, "kind"),
			Tags:       rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"red", "green", "blue"}), 0, 2, rapid.ID).Draw(t, "tags"),
			Speaker:    rapid.SampledFrom([]string{"", "Ann"}).Draw(t, "speaker"),
			Latest:     rapid.Bool().Draw(t, "latest"),
			Confidence: rapid.SampledFrom([]float64{0, 0.5, 0.9}).Draw(t, "confidence"),
			Metadata:   map[string]any{"n": rapid.SampledFrom([]any{"a", 1.0, true, []any{"a", 1.0}}).Draw(t, "n")},
			CreatedAt:  time.Date(2026, 5, rapid.IntRange(1, 2).Draw(t, "day"), 10, 0, 0, 0, time.UTC),
		}
		if rapid.Bool().Draw(t, "known time") {
			e.OccurredAt = time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
		}
		f, err := client.ParseFilter(m)
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		want := holds(t, m, e)
		if got := f.Match(e); got != want {
			t.Fatalf("%v matches %+v: %v", m, e, got)
		}
		if want {
			yes++
		} else {
			no++
		}
	})
	if yes == 0 || no == 0 {
		t.Errorf("%d matched and %d did not: the property says nothing", yes, no)
	}
}

func FuzzParseFilter(f *testing.F) {
	f.Add(`{"or":[{"kind":"fact"},{"not":{"tags":["red",1,true]}}],"after":"2026-05-01"}`)
	f.Add(`{"metadata":{"a":1e400,"b":""}}`)
	f.Add(`{"and":[{}],"confidence":-1}`)
	f.Add(`{"not":{"not":{}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		var m map[string]any
		if json.Unmarshal([]byte(s), &m) != nil {
			return // a request that is no JSON object does not come this far
		}
		filter, err := client.ParseFilter(m)
		if err != nil {
			if c := lukasa.CodeOf(err); filter != nil || c != lukasa.CodeInvalid && c != lukasa.CodeUnknownField {
				t.Fatalf("%s: %v, %v", s, filter, err)
			}
			return
		}
		e := sample()
		if not := (&lukasa.Filter{Not: filter}); filter != nil && not.Match(e) == filter.Match(e) {
			t.Fatalf("%s and its opposite agree", s)
		}
	})
}

func BenchmarkFilterMatch(b *testing.B) {
	f, err := parseFilterJSON(`{"kind":["task","fact"],"tags":"blue","metadata":{"lang":"go"},"after":"2026-01-01","not":{"speaker":"Bob"}}`)
	if err != nil {
		b.Fatal(err)
	}
	e := sample()
	b.ReportAllocs()
	for b.Loop() {
		if !f.Match(e) {
			b.Fatal("no match")
		}
	}
}
