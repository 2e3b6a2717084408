package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Changes are the verbs of what has changed.
type Changes interface {
	AddMemory(ctx context.Context, sc lukasa.Scope, in lukasa.NewMemory) (lukasa.Memory, error)
	History(ctx context.Context, sc lukasa.Scope, record lukasa.ID, p lukasa.Page, at time.Time) (lukasa.Listing[lukasa.Delta], error)
	Diff(ctx context.Context, sc lukasa.Scope, record lukasa.ID, from, to time.Time) (engine.Diff, error)
	DiffVersions(ctx context.Context, sc lukasa.Scope, from, to lukasa.ID) (engine.Diff, error)
	Undo(ctx context.Context, sc lukasa.Scope, delta lukasa.ID) (lukasa.Delta, error)
	Restore(ctx context.Context, sc lukasa.Scope, record lukasa.ID, at time.Time, reason string) error
}

// past adds their tools.
func (t tools) past(s *sdk.Server, read func(title string) *sdk.ToolAnnotations) {
	write := func(title string) *sdk.ToolAnnotations {
		no := false // nothing is destroyed: what was stays on record
		return &sdk.ToolAnnotations{Title: title, OpenWorldHint: &no, DestructiveHint: &no}
	}
	add(s, t.takes, &sdk.Tool{
		Name: "history", Description: "List what has changed of a memory, document or project: when, by whom, why, and how it was before and after.",
		Annotations: read("History of a record"),
	}, t.history)
	add(s, t.takes, &sdk.Tool{
		Name: "diff", Description: "Compare a memory, document or project with how it was at another moment, or a document with another version of it.",
		Annotations: read("What differs"),
	}, t.diff)
	add(s, t.takes, &sdk.Tool{
		Name: "correct", Description: "Put a right statement in the place of a memory that is wrong or out of date. The old one stays on record, no longer in force.",
		Annotations: write("Correct a memory"),
	}, t.correct)
	add(s, t.takes, &sdk.Tool{
		Name: "undo", Description: "Turn one change back, such as a correction that was wrong. What had been replaced is in force again.",
		Annotations: write("Undo a change"),
	}, t.undo)
	add(s, t.takes, &sdk.Tool{
		Name: "restore", Description: "Take a memory, document or conversation that was forgotten out of the trash; or, with at, make the state that a memory, document or project had at a moment current again.",
		Annotations: write("Restore an earlier state"),
	}, t.restore)
}

type historyIn struct {
	ID    string `json:"id" jsonschema:"id of a memory (mem_…) or document (doc_…), or id or dotted path of a project"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many changes at most, 1 to 100; 20 if left out"`
	AsOf  string `json:"as_of,omitempty" jsonschema:"ISO 8601 date or time: only the changes until then"`
}

type changeOut struct {
	ID     string         `json:"change_id"`
	Record string         `json:"record_id"`
	Op     string         `json:"op"`
	Author string         `json:"authored_by"`
	Reason string         `json:"reason,omitempty"`
	At     time.Time      `json:"at"`
	Before map[string]any `json:"before,omitempty"`
	After  map[string]any `json:"after,omitempty"`
}

type historyOut struct {
	Changes []changeOut `json:"changes"`
	Total   int         `json:"total"`
}

// changed keeps what differs of the states before and after: all of a record that was made or taken away.
func changed(d lukasa.Delta) changeOut {
	out := changeOut{ID: string(d.ID), Record: string(d.Record), Op: d.Op, Author: d.Author, Reason: d.Reason, At: d.At}
	for state, to := range map[*json.RawMessage]*map[string]any{&d.Before: &out.Before, &d.After: &out.After} {
		if len(*state) > 0 && json.Unmarshal(*state, to) != nil { // of a record whose content was deleted for good nothing is left
			*to = nil
		}
	}
	for name, was := range out.Before {
		if is, ok := out.After[name]; ok && (name == "updated_at" || reflect.DeepEqual(was, is)) {
			delete(out.Before, name)
			delete(out.After, name)
		}
	}
	return out
}

// lines writes fields one a line, in order.
func lines(b *strings.Builder, sign string, state map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(state)) {
		fmt.Fprintf(b, "%s %s: %s\n", sign, name, shown(state[name]))
	}
}

// shown is a value as a model reads it: a text as it is, all else as JSON.
func shown(v any) string {
	if s, ok := v.(string); ok {
		return preview(s)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return preview(string(data))
}

// record is the id of what a tool names: as it is, or that of the project at a path.
func (t tools) record(ctx context.Context, s string) (lukasa.ID, error) {
	switch id := lukasa.ID(s); id.Prefix() {
	case lukasa.PrefixMemory, lukasa.PrefixDocument, lukasa.PrefixNode:
		return lukasa.ParseID(id.Prefix(), s)
	}
	if strings.TrimSpace(s) == "" {
		return "", lukasa.Invalid("id", "is empty")
	}
	n, err := t.v.Node(ctx, t.sc, s)
	return n.ID, err
}

func (t tools) history(ctx context.Context, _ *sdk.CallToolRequest, in historyIn) (*sdk.CallToolResult, historyOut, error) {
	out := historyOut{Changes: []changeOut{}}
	id, err := t.record(ctx, in.ID)
	if err != nil {
		return nil, out, failure(err)
	}
	at, err := thenOf(in.AsOf)
	if err != nil {
		return nil, out, failure(err)
	}
	l, err := t.v.History(ctx, t.sc, id, lukasa.Page{Limit: in.Limit}, at)
	if err != nil {
		return nil, out, failure(err)
	}
	out.Total = l.Total
	var b strings.Builder
	for _, d := range l.Items {
		c := changed(d)
		out.Changes = append(out.Changes, c)
		fmt.Fprintf(&b, "%s %s (%s)", c.At.Format(time.RFC3339), c.Op, c.ID)
		if c.Reason != "" {
			fmt.Fprintf(&b, ", because: %s", c.Reason)
		}
		b.WriteByte('\n')
		lines(&b, "  -", c.Before)
		lines(&b, "  +", c.After)
	}
	if len(l.Items) == 0 {
		return say("No changes of it are known."), out, nil
	}
	return say("%s", strings.TrimSpace(b.String())), out, nil
}

type diffIn struct {
	ID   string `json:"id" jsonschema:"id of a memory (mem_…) or document (doc_…), or id or dotted path of a project"`
	From string `json:"from,omitempty" jsonschema:"ISO 8601 date or time: the earlier moment"`
	To   string `json:"to,omitempty" jsonschema:"ISO 8601 date or time: the later moment; now if left out"`
	With string `json:"with,omitempty" jsonschema:"instead of moments: the id of another document, like an earlier version, that this one is compared to"`
}

func (t tools) diff(ctx context.Context, _ *sdk.CallToolRequest, in diffIn) (*sdk.CallToolResult, engine.Diff, error) {
	d, err := t.difference(ctx, in)
	if err != nil {
		return nil, engine.Diff{Fields: []engine.Difference{}}, failure(err)
	}
	var b strings.Builder
	for _, f := range d.Fields {
		if f.Before != nil {
			lines(&b, "-", map[string]any{f.Name: f.Before})
		}
		if f.After != nil {
			lines(&b, "+", map[string]any{f.Name: f.After})
		}
	}
	b.WriteString(d.Text)
	if b.Len() == 0 {
		return say("Nothing differs."), d, nil
	}
	return say("%s", strings.TrimSpace(b.String())), d, nil
}

func (t tools) difference(ctx context.Context, in diffIn) (engine.Diff, error) {
	var d engine.Diff
	id, err := t.record(ctx, in.ID)
	if err != nil {
		return d, err
	}
	from, err := timeOf("from", in.From)
	if err != nil {
		return d, err
	}
	to, err := timeOf("to", in.To)
	switch {
	case err != nil:
		return d, err
	case in.With != "" && (from != nil || to != nil):
		return d, lukasa.Invalid("with", "and from or to exclude each other")
	case in.With != "":
		return t.v.DiffVersions(ctx, t.sc, lukasa.ID(in.With), id)
	case from == nil:
		return d, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "from", Msg: "is missing", Hint: "name a moment, or another document in with; history tells when it changed"}
	case to == nil:
		to = &time.Time{}
	}
	return t.v.Diff(ctx, t.sc, id, *from, *to)
}

type correctIn struct {
	ID      string `json:"id" jsonschema:"id of the memory that is wrong, mem_…"`
	Content string `json:"content" jsonschema:"what is right, as one statement"`
	Reason  string `json:"reason,omitempty" jsonschema:"why, or who said so"`
}

type correctOut struct {
	ID       string `json:"id"`
	Content  string `json:"content"`
	Kind     string `json:"kind"`
	Project  string `json:"project"`
	Replaces string `json:"replaces,omitempty"`
}

func (t tools) correct(ctx context.Context, _ *sdk.CallToolRequest, in correctIn) (*sdk.CallToolResult, correctOut, error) {
	id, err := lukasa.ParseID(lukasa.PrefixMemory, in.ID)
	if err != nil {
		return nil, correctOut{}, failure(err)
	}
	m, err := t.v.AddMemory(ctx, t.sc, lukasa.NewMemory{Content: in.Content, Updates: id, Reason: in.Reason})
	if err != nil {
		return nil, correctOut{}, failure(err)
	}
	out := correctOut{ID: string(m.ID), Content: m.Content, Kind: string(m.Kind), Project: string(m.Path)}
	if m.Deduplicated {
		return say("Nothing has changed: %s says %q already.", m.ID, m.Content), out, nil
	}
	out.Replaces = string(id)
	return say("Saved %q (%s) in the place of %s, which stays on record.", m.Content, m.ID, id), out, nil
}

type undoIn struct {
	Change string `json:"change_id" jsonschema:"id of the change, delta_…, as history tells it"`
}

type doneOut struct {
	Record string `json:"record_id"`
	Op     string `json:"op,omitempty"`
	At     string `json:"at"`
}

func (t tools) undo(ctx context.Context, _ *sdk.CallToolRequest, in undoIn) (*sdk.CallToolResult, doneOut, error) {
	if strings.TrimSpace(in.Change) == "" {
		return nil, doneOut{}, failure(&lukasa.Error{Code: lukasa.CodeInvalid, Field: "change_id", Msg: "is empty", Hint: "history tells the ids of changes"})
	}
	d, err := t.v.Undo(ctx, t.sc, lukasa.ID(in.Change))
	if err != nil {
		return nil, doneOut{}, failure(err)
	}
	out := doneOut{Record: string(d.Record), Op: d.Op, At: d.At.Format(time.RFC3339Nano)}
	return say("Turned back: %s of %s at %s.", d.Op, d.Record, out.At), out, nil
}

type restoreIn struct {
	ID     string `json:"id" jsonschema:"id of a memory (mem_…), document (doc_…) or conversation (conv_…), or with at the id or dotted path of a project"`
	At     string `json:"at,omitempty" jsonschema:"ISO 8601 date or time: the moment whose state is to return; left out, the record is taken out of the trash"`
	Reason string `json:"reason,omitempty" jsonschema:"why"`
}

func (t tools) restore(ctx context.Context, _ *sdk.CallToolRequest, in restoreIn) (*sdk.CallToolResult, doneOut, error) {
	if p := lukasa.ID(in.ID).Prefix(); in.At == "" && (p == lukasa.PrefixMemory || p == lukasa.PrefixDocument || p == lukasa.PrefixConversation) {
		id, err := lukasa.ParseID(p, in.ID)
		if err != nil {
			return nil, doneOut{}, failure(err)
		}
		return t.unbury(ctx, id)
	}
	id, err := t.record(ctx, in.ID)
	if err != nil {
		return nil, doneOut{}, failure(err)
	}
	at, err := timeOf("at", in.At)
	switch {
	case err != nil:
		return nil, doneOut{}, failure(err)
	case at == nil:
		return nil, doneOut{}, failure(lukasa.Invalid("at", "is missing: name the moment whose state is to return"))
	}
	if err := t.v.Restore(ctx, t.sc, id, *at, in.Reason); err != nil {
		return nil, doneOut{}, failure(err)
	}
	return say("%s is as it was at %s.", id, at.Format(time.RFC3339Nano)), doneOut{Record: string(id), At: at.Format(time.RFC3339Nano)}, nil
}
