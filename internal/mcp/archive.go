package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// archive adds the tools that know memory as an archive of conversations, under the names and with the fields that prompts
// written for such archives expect. What they answer is what recall, get_defining_memories and get_recall_file_content answer.
func (t tools) archive(s *sdk.Server, read func(title string) *sdk.ToolAnnotations) {
	add(s, t.takes, &sdk.Tool{
		Name: "search_memory", Description: "Search the user's conversation history for relevant memories. Use this when the user references past conversations or when context would be helpful.",
		Annotations: read("Search conversation history"),
	}, t.searchMemory)
	add(s, t.takes, &sdk.Tool{
		Name: "get_decisions", Description: "Retrieve the user's past decisions and major milestones. Use this when the user asks about what they decided or accomplished.",
		Annotations: read("Decisions and milestones"),
	}, t.decisions)
	add(s, t.takes, &sdk.Tool{
		Name: "get_full_conversation", Description: "Retrieve the complete transcript of a specific past conversation. Use this when detailed context is needed.",
		Annotations: read("Full conversation"),
	}, t.fullConversation)
}

type searchMemoryIn struct {
	Query           string `json:"query" jsonschema:"what to look for, in plain words"`
	MaxResults      int    `json:"max_results,omitempty" jsonschema:"how many results at most, 1 to 50; 5 if left out"`
	IncludeDefining *bool  `json:"include_defining,omitempty" jsonschema:"with decisions, milestones, events and turning points; true if left out"`
}

type archived struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Topic      string  `json:"topic"`
	Date       string  `json:"date"`
	Summary    string  `json:"summary"`
	Relevance  float64 `json:"relevance"`
	RecallFile string  `json:"recall_file_id,omitempty"`
	Project    string  `json:"project"`
	// Superseded lists the memories that were drawn from this text and no longer hold.
	Superseded []lukasa.Superseded `json:"superseded,omitempty" jsonschema:"what of it is no longer so, and in by what holds now"`
}

type searchMemoryOut struct {
	Results []archived `json:"results"`
	Total   int        `json:"total"`
	Message string     `json:"message,omitempty"`
}

func (t tools) searchMemory(ctx context.Context, _ *sdk.CallToolRequest, in searchMemoryIn) (*sdk.CallToolResult, searchMemoryOut, error) {
	out := searchMemoryOut{Results: []archived{}}
	q := lukasa.Query{Text: in.Query, Limit: cmp.Or(in.MaxResults, 5)}
	switch {
	case strings.TrimSpace(in.Query) == "":
		return nil, out, failure(lukasa.Invalid("query", "is empty"))
	case q.Limit < 1 || q.Limit > 50:
		return nil, out, failure(lukasa.Invalid("max_results", "is not between 1 and 50"))
	}
	if in.IncludeDefining != nil && !*in.IncludeDefining {
		q.Filter = &lukasa.Filter{Not: &lukasa.Filter{Field: "kind", Text: []string{"defining"}}}
	}
	r, err := t.v.Search(ctx, t.sc, q)
	if err != nil {
		return nil, out, failure(err)
	}
	out.Total, out.Message = r.Total, r.Message
	if len(r.Hits) == 0 {
		return say("%s: %s.", r.Message, r.Suggestion), out, nil
	}
	var b strings.Builder
	for _, h := range r.Hits {
		x := archivedHit(h)
		out.Results = append(out.Results, x)
		fmt.Fprintf(&b, "%s, %s (relevance %.2f", x.Date[:len(time.DateOnly)], x.Topic, x.Relevance)
		if x.RecallFile != "" {
			fmt.Fprintf(&b, ", recall file %s", x.RecallFile)
		}
		fmt.Fprintf(&b, ")\n%s\n%s\n", x.Summary, noLonger(x.Superseded))
	}
	return say("%s", strings.TrimSpace(b.String())), out, nil
}

func archivedHit(h lukasa.Hit) archived {
	x := archived{ID: string(h.ID), Type: string(h.Type), Summary: preview(h.Content), Relevance: h.Relevance, Project: string(h.Path), Superseded: h.Superseded}
	x.Date = h.When().UTC().Format(time.RFC3339)
	switch {
	case h.Memory != nil:
		x.Topic = string(h.Memory.Kind)
	case h.Document != nil:
		x.Topic = h.Document.Title
		if h.Document.ContentType == "conversation" {
			x.RecallFile = string(h.Document.ID)
		}
	}
	if x.Topic == "" && h.Message != nil {
		x.Topic = cmp.Or(h.Message.Title, h.Message.Conversation)
	}
	return x
}

type decisionsIn struct {
	TypeFilter string `json:"type_filter,omitempty" jsonschema:"only this type: decision, milestone, event or turning_point"`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 10 if left out"`
	Project    string `json:"project,omitempty" jsonschema:"only of this project: its id or dotted path"`
}

type decision struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Summary    string `json:"summary"`
	Date       string `json:"date" jsonschema:"when it was noticed"`
	OccurredAt string `json:"occurred_at,omitempty"`
}

type decisionsOut struct {
	Decisions []decision `json:"decisions"`
	Total     int        `json:"total"`
}

func (t tools) decisions(ctx context.Context, req *sdk.CallToolRequest, in decisionsIn) (*sdk.CallToolResult, decisionsOut, error) {
	out := decisionsOut{Decisions: []decision{}}
	res, all, err := t.definingMemories(ctx, req, definingIn{Project: in.Project, TypeFilter: in.TypeFilter, Limit: in.Limit})
	if err != nil {
		return nil, out, err
	}
	out.Total = all.Total
	for _, m := range all.Memories {
		d := decision{ID: string(m.ID), Type: string(m.Type), Summary: m.Summary, Date: m.DetectedAt.Format(time.RFC3339)}
		if m.OccurredAt != nil {
			d.OccurredAt = m.OccurredAt.Format(time.RFC3339)
		}
		out.Decisions = append(out.Decisions, d)
	}
	return res, out, nil
}

type conversationIn struct {
	ID string `json:"recall_file_id" jsonschema:"the id of the recall file, doc_…, as search_memory tells it"`
}

type conversationOut struct {
	ID         string `json:"recall_file_id"`
	Topic      string `json:"topic"`
	Date       string `json:"date"`
	Transcript string `json:"transcript"`
}

func (t tools) fullConversation(ctx context.Context, req *sdk.CallToolRequest, in conversationIn) (*sdk.CallToolResult, conversationOut, error) {
	res, f, err := t.recallFile(ctx, req, recallFileIn{ID: in.ID, Include: []string{engine.PartTranscript}})
	if err != nil {
		return nil, conversationOut{}, err
	}
	return res, conversationOut{ID: string(f.ID), Topic: f.Topic, Date: f.CreatedAt.Format(time.RFC3339), Transcript: f.Transcript}, nil
}
