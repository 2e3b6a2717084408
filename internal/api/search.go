package api

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
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
	Filters     map[string]any `json:"filters,omitempty" doc:"conditions that must all hold, like {\"entity\": \"Dave\", \"from\": \"2026-03-01\"}; and, or, not nest"`
	From        *moment        `json:"from,omitempty" doc:"the same as filters.from: what happened, was said or is dated at or after this"`
	To          *moment        `json:"to,omitempty" doc:"the same as filters.to: before this"`
	DateRange   *dateRange     `json:"date_range,omitempty" doc:"the same as filters.after and filters.before"`
	Tags        []string       `json:"tags,omitempty" doc:"the same as filters.tags"`
	Topics      []string       `json:"topics,omitempty" doc:"the same as filters.topic"`
	MemoryTypes []string       `json:"memory_types,omitempty" doc:"the same as filters.kind"`
	Threshold   float64        `json:"threshold,omitempty" doc:"least relevance, 0..1"`
	MinScore    float64        `json:"min_score,omitempty" doc:"least score of the ranker's own"`
	Include     []string       `json:"include,omitempty" doc:"content: the whole text of each hit's document"`
	Talk        string         `json:"conversation,omitempty" doc:"id of a conversation: its messages alone"`
	Session     string         `json:"session,omitempty" doc:"the same as filters.session"`
	AsOf        *moment        `json:"as_of,omitempty" doc:"what had been saved by then"`
	ValidAt     *moment        `json:"valid_at,omitempty" doc:"memories that were true then; with types that name them, messages sent and documents dated by then too"`
	ValidFrom   *moment        `json:"valid_from,omitempty" doc:"memories that were true then or later"`
	ValidTo     *moment        `json:"valid_to,omitempty" doc:"memories that were true before then; with valid_from, at some time between them; messages and documents that types name, by their dates"`
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
	q.ValidFrom, q.ValidTo = b.ValidFrom.ptr(), b.ValidTo.ptr()
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
	q.Types, part = Types(b.Types)
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
	pats, err := Places(append(append([]string(b.Container), b.Containers...), b.Project), b.Inherit)
	if err != nil {
		return q, err
	}
	q.Containers = pats
	if b.Talk != "" {
		if q.Conversation, err = ID("conversation", lukasa.PrefixConversation, b.Talk); err != nil {
			return q, err
		}
	}
	ranges, err := b.ranges()
	if err != nil {
		return q, err
	}
	f, err := engine.ParseFilter(b.Filters)
	if err != nil {
		return q, err
	}
	q.Filter = Conditions{Session: b.Session, Tags: b.Tags, Topics: b.Topics, Kinds: b.MemoryTypes}.Narrow(ranges, part, f)
	return q, nil
}

// ranges takes date_range out of the filters, where some clients put it, and joins it to the one beside them.
func (b *searchBody) ranges() (out []Range, err error) {
	out = append(out, Range{Start: b.From.ptr(), End: b.To.ptr()})
	var r *dateRange
	if inner, ok := b.Filters["date_range"]; ok {
		raw, _ := json.Marshal(inner) // it came as JSON
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if dec.Decode(&r) != nil || r != nil && (r.Start.bad() || r.End.bad()) {
			return nil, lukasa.Invalid("filters.date_range", "takes start and end, each an ISO 8601 date or time")
		}
		b.Filters = maps.Clone(b.Filters)
		delete(b.Filters, "date_range")
	}
	for _, x := range []*dateRange{b.DateRange, r} {
		if x != nil {
			out = append(out, Range{Start: x.Start.ptr(), End: x.End.ptr()})
		}
	}
	return out, nil
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
