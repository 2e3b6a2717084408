package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// searchBody accepts one superset of the shapes that are in use; docs/api/compat.md lists the aliases.
type searchBody struct {
	Query       string         `json:"query" doc:"empty: the newest first"`
	Container   texts          `json:"container,omitempty" doc:"a path (its subtree), work! (it alone), work.* (its children)"`
	Containers  []string       `json:"containers,omitempty"`
	Project     string         `json:"project_id,omitempty" doc:"the same as container"`
	Inherit     bool           `json:"inherit,omitempty" doc:"search the ancestors too"`
	Limit       int            `json:"limit,omitempty" doc:"1-200, default 10"`
	MaxResults  int            `json:"max_results,omitempty" doc:"the same as limit"`
	Offset      int            `json:"offset,omitempty" doc:"how many results to pass over; offset and limit are at most 200 together"`
	Ranker      string         `json:"ranker,omitempty" doc:"lukasa (default), weighted, cascade, vector, text, rrf"`
	Types       []string       `json:"types,omitempty" doc:"message, chunk, memory, document; recall_file: the documents that conversations became; defining_memory: memories of a defining kind"`
	Filters     map[string]any `json:"filters,omitempty" doc:"conditions that must all hold; and, or, not nest"`
	DateRange   *dateRange     `json:"date_range,omitempty" doc:"the same as filters.after and filters.before"`
	Tags        []string       `json:"tags,omitempty" doc:"the same as filters.tags"`
	Topics      []string       `json:"topics,omitempty" doc:"the same as filters.tags"`
	MemoryTypes []string       `json:"memory_types,omitempty" doc:"the same as filters.kind"`
	Threshold   float64        `json:"threshold,omitempty" doc:"least relevance, 0..1"`
	MinScore    float64        `json:"min_score,omitempty" doc:"least score of the ranker's own"`
	Include     []string       `json:"include,omitempty" doc:"content: the whole text of each hit's document"`
	Talk        string         `json:"conversation,omitempty" doc:"id of a conversation: its messages alone"`
	Session     string         `json:"session,omitempty" doc:"the same as filters.session"`
	AsOf        *moment        `json:"as_of,omitempty" doc:"what was known then"`
	ValidAt     *moment        `json:"valid_at,omitempty" doc:"memories that were true then"`
	Related     bool           `json:"include_related,omitempty" doc:"the same as include related"`
	Transcripts bool           `json:"include_transcripts,omitempty" doc:"the same as include content"`
	Expect      string         `json:"expect,omitempty" doc:"say in stats.why_not at which stage this record was dropped"`
}

type dateRange struct {
	Start *moment `json:"start,omitempty"`
	End   *moment `json:"end,omitempty"`
}

func (b searchBody) request() (lukasa.Query, error) {
	q := lukasa.Query{Text: b.Query, Limit: b.Limit, Ranker: b.Ranker, Threshold: b.Threshold, MinScore: b.MinScore}
	q.AsOf, q.ValidAt, q.Related, q.Content, q.Expect = b.AsOf.ptr(), b.ValidAt.ptr(), b.Related, b.Transcripts, lukasa.ID(b.Expect)
	if q.Limit == 0 {
		q.Limit = b.MaxResults
	}
	if b.Offset != 0 {
		if q.Limit == 0 {
			q.Limit = 10
		}
		if b.Offset < 0 || q.Limit < 1 || q.Limit > maxFound || b.Offset+q.Limit > maxFound {
			return q, lukasa.Invalid("offset", "must not be negative, and offset and limit are at most %d together", maxFound)
		}
		q.Limit += b.Offset
	}
	var part *lukasa.Filter
	q.Types, part = typesOf(b.Types)
	for _, x := range b.Include {
		switch x {
		case "content":
			q.Content = true
		case "related":
			q.Related = true
		case "explain": // every hit shows its parts
		default:
			return q, lukasa.Invalid("include", "%q is not known; known: content, related, explain", x)
		}
	}
	pats, err := places(append(append([]string(b.Container), b.Containers...), b.Project), b.Inherit)
	if err != nil {
		return q, err
	}
	q.Containers = pats
	if b.Talk != "" {
		if q.Conversation, err = lukasa.ParseID(lukasa.PrefixConversation, b.Talk); err != nil {
			return q, err
		}
	}
	ranges, err := b.ranges()
	if err != nil {
		return q, err
	}
	f, err := lukasa.ParseFilter(b.Filters)
	if err != nil {
		return q, err
	}
	q.Filter = b.narrow(part, f, ranges)
	return q, nil
}

// typesOf reads types. Two names stand for a part of a type, and come with the condition that draws the line.
func typesOf(names []string) (types []lukasa.EntryType, part *lukasa.Filter) {
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

// ranges takes date_range out of the filters, where some clients put it, and joins it to the one beside them.
func (b *searchBody) ranges() ([]*dateRange, error) {
	var r *dateRange
	if inner, ok := b.Filters["date_range"]; ok {
		raw, _ := json.Marshal(inner) // it came as JSON
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if dec.Decode(&r) != nil {
			return nil, lukasa.Invalid("filters.date_range", "takes start and end, each an ISO 8601 date or time")
		}
		b.Filters = maps.Clone(b.Filters)
		delete(b.Filters, "date_range")
	}
	return []*dateRange{b.DateRange, r}, nil
}

// narrow adds the conditions that are spelled beside the filters.
func (b searchBody) narrow(part, f *lukasa.Filter, ranges []*dateRange) *lukasa.Filter {
	var and []lukasa.Filter
	for _, x := range []*lukasa.Filter{part, f} {
		if x != nil {
			and = append(and, *x)
		}
	}
	if b.Session != "" { // a label may hold a comma
		and = append(and, lukasa.Filter{Field: "session", Text: []string{b.Session}})
	}
	for field, vals := range map[string][]string{"tags": append(b.Tags, b.Topics...), "kind": b.MemoryTypes} {
		if len(vals) > 0 {
			and = append(and, lukasa.Filter{Field: field, Text: vals})
		}
	}
	for _, r := range ranges {
		if r == nil {
			continue
		}
		if t := r.Start.ptr(); t != nil {
			and = append(and, lukasa.Filter{Field: "after", Time: *t})
		}
		if t := r.End.ptr(); t != nil {
			and = append(and, lukasa.Filter{Field: "before", Time: *t})
		}
	}
	if len(and) == 0 {
		return nil
	}
	return &lukasa.Filter{And: and}
}

// maxFound is the most results that a search gathers.
const maxFound = 200

// found is the answer to a search. What other clients look for under another name stands there too.
type found struct {
	lukasa.Result
	Hits        []foundHit         `json:"results"`
	SearchStats lukasa.SearchStats `json:"search_stats" doc:"the same as stats"`
}

type foundHit struct {
	lukasa.Hit
	RelevanceScore float64 `json:"relevance_score" doc:"the same as score"`
}

func foundOf(r lukasa.Result, offset int) found {
	out := found{Result: r, Hits: []foundHit{}, SearchStats: r.Stats}
	for _, h := range r.Hits[min(offset, len(r.Hits)):] {
		out.Hits = append(out.Hits, foundHit{h, h.Score})
	}
	return out
}

func (d *door) search() {
	add(d, "POST", "/v1/search", "search", "Find what is relevant, by meaning and by words", "search", func(ctx context.Context, in *struct{ Body searchBody }) (*answer[found], error) {
		q, err := in.Body.request()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		r, err := d.e.Search(ctx, scope(ctx), q)
		return reply(ctx, d, foundOf(r, in.Body.Offset), err)
	})
}
