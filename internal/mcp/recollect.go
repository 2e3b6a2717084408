package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Recollections are the verbs that give back what was put together from many records.
type Recollections interface {
	Brief(ctx context.Context, sc lukasa.Scope, in engine.BriefRequest) (engine.Brief, error)
	Profile(ctx context.Context, sc lukasa.Scope, in engine.ProfileRequest) (engine.Profile, error)
	DefiningMemories(ctx context.Context, sc lukasa.Scope, f engine.DefiningQuery, p lukasa.Page) (lukasa.Listing[engine.DefiningMemory], error)
	Timeline(ctx context.Context, sc lukasa.Scope, f lukasa.TimelineFilter, p lukasa.Page) (lukasa.Listing[lukasa.TimelineLine], error)
	RecallFilePage(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time, include ...string) (engine.RecallPage, error)
}

// topicsURI is the address of the resource that lists projects and topics.
const topicsURI = "lukasa://topics"

// recollect adds their tools and the resource of topics.
func (t tools) recollect(s *sdk.Server, read func(title string) *sdk.ToolAnnotations) {
	add(s, t.takes, &sdk.Tool{
		Name: "brief", Description: "Get what long-term memory has on a question as text that fits into a budget of tokens, with marks that name the sources.",
		Annotations: read("Brief from memory"),
	}, t.brief)
	add(s, t.takes, &sdk.Tool{
		Name: "profile", Description: "Get what is known about the user or a project: facts that hold now, what happened lately, and what is relevant to a query.",
		Annotations: read("Profile"),
	}, t.profile)
	add(s, t.takes, &sdk.Tool{
		Name: "get_defining_memories", Description: "Retrieve the user's major decisions, milestones, and significant events",
		Annotations: read("Defining memories"),
	}, t.definingMemories)
	add(s, t.takes, &sdk.Tool{
		Name: "timeline", Description: "List what happened, was said or is dated between two days, in order of time.",
		Annotations: read("Timeline"),
	}, t.timeline)
	add(s, t.takes, &sdk.Tool{
		Name: "get_recall_file_content", Description: "Retrieve the full content of a specific conversation archive",
		Annotations: read("Conversation archive"),
	}, t.recallFile)
	add(s, t.takes, &sdk.Tool{
		Name: "list_topics", Description: "List the user's projects and topics from their knowledge graph",
		Annotations: read("List topics"),
	}, t.listTopics)
	s.AddResource(&sdk.Resource{
		URI: topicsURI, Name: "topics", Title: "Topics", Description: "List of topics and projects from the user's memory", MIMEType: "application/json",
	}, t.topicsResource)
}

type briefIn struct {
	Query           string   `json:"query" jsonschema:"what it is about, in plain words: the question that is to be answered"`
	MaxTokens       int      `json:"max_tokens,omitempty" jsonschema:"tokens that the text may have, 1 to 100,000; 2,000 if left out"`
	Project         string   `json:"project,omitempty" jsonschema:"look only in this project: its id or dotted path"`
	Session         string   `json:"session,omitempty" jsonschema:"a name for this conversation: what it was given already is not given again"`
	Fresh           bool     `json:"fresh,omitempty" jsonschema:"forget what the session was given, for example once it is no longer in your context"`
	Floor           *float64 `json:"floor,omitempty" jsonschema:"least relevance, 0 to 1; 0.4 if left out, 0 leaves out nothing"`
	IncludeDefining *bool    `json:"include_defining,omitempty" jsonschema:"with decisions, milestones and events; true if left out"`
	From            string   `json:"from,omitempty" jsonschema:"ISO 8601 date or time: only of what happened, was said or is dated at or after this"`
	To              string   `json:"to,omitempty" jsonschema:"ISO 8601 date or time: only of what happened before this"`
	AsOf            string   `json:"as_of,omitempty" jsonschema:"ISO 8601 date or time: what had been saved by then"`
	ValidAt         string   `json:"valid_at,omitempty" jsonschema:"ISO 8601 date or time: only statements that were true then"`
}

const briefTokens = 2000

// thenOf reads as_of; the zero time is now.
func thenOf(s string) (time.Time, error) {
	at, err := timeOf("as_of", s)
	if at == nil || err != nil {
		return time.Time{}, err
	}
	return *at, nil
}

// timeOf reads an argument that is a time; nil for "".
func timeOf(field, s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	at, err := lukasa.ParseTime(s)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "is not an ISO 8601 date or time", Hint: lukasa.TimeForms}
	}
	return &at, nil
}

// times are arguments that are times, and where they go.
type times []struct {
	field, value string
	to           **time.Time
}

// read reads them all.
func (list times) read() (err error) {
	for _, x := range list {
		if *x.to, err = timeOf(x.field, x.value); err != nil {
			return err
		}
	}
	return nil
}

func (t tools) brief(ctx context.Context, _ *sdk.CallToolRequest, in briefIn) (*sdk.CallToolResult, engine.Brief, error) {
	r := engine.BriefRequest{
		Query: in.Query, MaxTokens: in.MaxTokens, Session: in.Session, Fresh: in.Fresh, NoDefining: in.IncludeDefining != nil && !*in.IncludeDefining,
	}
	if in.Floor != nil {
		if r.Floor = *in.Floor; r.Floor == 0 {
			r.Floor = -1 // none
		}
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = briefTokens
	}
	err := times{{"as_of", in.AsOf, &r.AsOf}, {"valid_at", in.ValidAt, &r.ValidAt}, {"from", in.From, &r.From}, {"to", in.To, &r.To}}.read()
	if err == nil && in.Project != "" {
		var p lukasa.Path
		p, err = t.path(ctx, in.Project, false)
		r.Containers = []lukasa.Pattern{{Path: p}}
	}
	if err != nil {
		return nil, engine.Brief{}, failure(err)
	}
	b, err := t.v.Brief(ctx, t.sc, r)
	switch {
	case err != nil:
		return nil, b, failure(err)
	case b.Text == "":
		return say("%s.", b.Message), b, nil
	}
	return say("%s", b.Text), b, nil
}

type profileIn struct {
	Project   string `json:"project,omitempty" jsonschema:"only this project: its dotted path; all of memory if left out"`
	Query     string `json:"query,omitempty" jsonschema:"a question: what is relevant to it is told too"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"tokens that all lines may have together"`
	AsOf      string `json:"as_of,omitempty" jsonschema:"ISO 8601 date or time: what was known then"`
	ValidAt   string `json:"valid_at,omitempty" jsonschema:"ISO 8601 date or time: made of what was true then"`
}

type profileOut struct {
	Container string     `json:"container"`
	Static    []string   `json:"static_facts"`
	Recent    []string   `json:"recent_context"`
	Relevant  []recalled `json:"relevant_memories"`
}

func (t tools) profile(ctx context.Context, _ *sdk.CallToolRequest, in profileIn) (*sdk.CallToolResult, profileOut, error) {
	out := profileOut{Static: []string{}, Recent: []string{}, Relevant: []recalled{}}
	r := engine.ProfileRequest{Query: in.Query, MaxTokens: in.MaxTokens}
	var err error
	if r.AsOf, err = timeOf("as_of", in.AsOf); err == nil {
		r.ValidAt, err = timeOf("valid_at", in.ValidAt)
	}
	if err == nil && in.Project != "" {
		var p lukasa.Path
		p, err = t.path(ctx, in.Project, true)
		r.Container = string(p)
	}
	if err != nil {
		return nil, out, failure(err)
	}
	p, err := t.v.Profile(ctx, t.sc, r)
	if err != nil {
		return nil, out, failure(err)
	}
	out.Container, out.Static, out.Recent = string(p.Container), p.Static, p.Recent
	var b strings.Builder
	list := func(head string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s:\n- %s\n", head, strings.Join(lines, "\n- "))
		}
	}
	list("What is known", p.Static)
	list("Recently", p.Recent)
	var about []string
	for _, h := range p.Relevant {
		out.Relevant = append(out.Relevant, recalledHit(h))
		about = append(about, strings.Join(strings.Fields(preview(h.Content)), " "))
	}
	list("About this", about)
	if b.Len() == 0 {
		return say("Nothing is known yet."), out, nil
	}
	return say("%s", strings.TrimSpace(b.String())), out, nil
}

type definingIn struct {
	Project    string `json:"project,omitempty" jsonschema:"only of this project: its id or dotted path"`
	TypeFilter string `json:"type_filter,omitempty" jsonschema:"only this type: decision, milestone, event or turning_point"`
	Since      string `json:"since,omitempty" jsonschema:"only what happened at or after this ISO 8601 date or time"`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 10 if left out"`
	AsOf       string `json:"as_of,omitempty" jsonschema:"ISO 8601 date or time: what was known then"`
	ValidAt    string `json:"valid_at,omitempty" jsonschema:"ISO 8601 date or time: only what was true then, even if something newer took its place"`
}

type definingOut struct {
	Memories []engine.DefiningMemory `json:"defining_memories"`
	Total    int                     `json:"total"`
}

func (t tools) definingMemories(ctx context.Context, _ *sdk.CallToolRequest, in definingIn) (*sdk.CallToolResult, definingOut, error) {
	out := definingOut{Memories: []engine.DefiningMemory{}}
	if in.Limit == 0 {
		in.Limit = 10
	}
	f := engine.DefiningQuery{}
	if in.TypeFilter != "" {
		f.Kinds = []lukasa.MemoryKind{lukasa.MemoryKind(in.TypeFilter)}
	}
	var err error
	if in.Project != "" {
		var p lukasa.Path
		if p, err = t.path(ctx, in.Project, false); err != nil {
			return nil, out, failure(err)
		}
		f.Containers = []lukasa.Pattern{{Path: p}}
	}
	if f.Since, err = timeOf("since", in.Since); err == nil {
		f.ValidAt, err = timeOf("valid_at", in.ValidAt)
	}
	if err == nil {
		f.At, err = thenOf(in.AsOf)
	}
	if err != nil {
		return nil, out, failure(err)
	}
	l, err := t.v.DefiningMemories(ctx, t.sc, f, lukasa.Page{Limit: in.Limit})
	if err != nil {
		return nil, out, failure(err)
	}
	out.Memories, out.Total = l.Items, l.Total
	if len(l.Items) == 0 {
		return say("There are none."), out, nil
	}
	var b strings.Builder
	for _, m := range l.Items {
		at := m.DetectedAt
		if m.OccurredAt != nil {
			at = *m.OccurredAt
		}
		fmt.Fprintf(&b, "%s, %s: %s (%s)\n", at.Format(time.DateOnly), m.Type, m.Summary, m.ID)
	}
	return say("%s", strings.TrimSpace(b.String())), out, nil
}

type recallFileIn struct {
	ID      string   `json:"recall_file_id" jsonschema:"the id of the recall file, doc_…"`
	Include []string `json:"include,omitempty" jsonschema:"which parts: summary, keywords, transcript, artifacts; summary and transcript if left out"`
	AsOf    string   `json:"as_of,omitempty" jsonschema:"ISO 8601 date or time: as it was then"`
}

func (t tools) recallFile(ctx context.Context, _ *sdk.CallToolRequest, in recallFileIn) (*sdk.CallToolResult, engine.RecallPage, error) {
	id, err := lukasa.ParseID(lukasa.PrefixDocument, in.ID)
	if err != nil {
		return nil, engine.RecallPage{}, failure(err)
	}
	if in.Include == nil {
		in.Include = []string{engine.PartSummary, engine.PartTranscript}
	}
	at, err := thenOf(in.AsOf)
	if err != nil {
		return nil, engine.RecallPage{}, failure(err)
	}
	f, err := t.v.RecallFilePage(ctx, t.sc, id, at, in.Include...)
	if err != nil {
		return nil, f, failure(err)
	}
	parts := []string{fmt.Sprintf("%s (%s, %s, %s, %d tokens)", f.Topic, cmp.Or(f.Title, f.Conversation), f.CreatedAt.Format(time.DateOnly), f.Status, f.Tokens)}
	for _, s := range []string{f.Summary, strings.Join(f.Keywords, ", "), f.Transcript} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	for _, a := range f.Artifacts {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s, %s, %d bytes %s", a.Name, a.Type, a.Size, a.URL)))
	}
	return say("%s", strings.Join(parts, "\n\n")), f, nil
}

type topicsIn struct {
	TypeFilter string `json:"type_filter,omitempty" jsonschema:"only this type: project, topic, concept or persona"`
	ParentID   string `json:"parent_id,omitempty" jsonschema:"only the children of this one: its id or dotted path"`
}

type topicOut struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	Path        string `json:"path"`
	Parent      string `json:"parent_id,omitempty"`
	Description string `json:"description,omitempty"`
	Documents   int    `json:"document_count"`
	Memories    int    `json:"memory_count"`
}

type topicsOut struct {
	Topics []topicOut `json:"topics"`
}

func (t tools) listTopics(ctx context.Context, _ *sdk.CallToolRequest, in topicsIn) (*sdk.CallToolResult, topicsOut, error) {
	out, err := t.topics(ctx, in)
	if err != nil {
		return nil, out, failure(err)
	}
	if len(out.Topics) == 0 {
		return say("There are none."), out, nil
	}
	var b strings.Builder
	for _, n := range out.Topics {
		fmt.Fprintf(&b, "%s (%s): %s, %d memories\n", n.Path, n.Type, count(n.Documents, "document"), n.Memories)
	}
	return say("%s", strings.TrimSpace(b.String())), out, nil
}

func (t tools) topics(ctx context.Context, in topicsIn) (topicsOut, error) {
	out := topicsOut{Topics: []topicOut{}}
	switch lukasa.NodeType(in.TypeFilter) {
	case "", lukasa.NodeProject, lukasa.NodeTopic, lukasa.NodeConcept, lukasa.NodePersona:
	default:
		return out, lukasa.Invalid("type_filter", "%q is not one of project, topic, concept, persona", in.TypeFilter)
	}
	var pats []lukasa.Pattern
	if in.ParentID != "" {
		p, err := t.path(ctx, in.ParentID, false)
		if err != nil {
			return out, err
		}
		pats = []lukasa.Pattern{{Path: p, Mode: '*'}}
	}
	nodes, err := t.v.Nodes(ctx, t.sc, pats)
	if err != nil {
		return out, err
	}
	for _, n := range nodes {
		if in.TypeFilter == "" || string(n.Type) == in.TypeFilter {
			out.Topics = append(out.Topics, topicOut{
				ID: string(n.ID), Name: n.Name, Type: string(n.Type), Path: string(n.Path), Parent: string(n.Parent), Description: n.Description,
				Documents: n.Documents, Memories: n.Memories,
			})
		}
	}
	return out, nil
}

func (t tools) topicsResource(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	out, err := t.topics(ctx, topicsIn{})
	if err != nil {
		return nil, failure(err)
	}
	data, err := json.Marshal(out.Topics)
	if err != nil {
		return nil, failure(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: topicsURI, MIMEType: "application/json", Text: string(data)}}}, nil
}
