package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
)

type timelineIn struct {
	From    string   `json:"from,omitempty" jsonschema:"ISO 8601 date or time: only what happened at or after this"`
	To      string   `json:"to,omitempty" jsonschema:"ISO 8601 date or time: only what happened before this"`
	Project string   `json:"project,omitempty" jsonschema:"only of this project: its id or dotted path"`
	Kinds   []string `json:"kinds,omitempty" jsonschema:"only these: memory, message, document, or kinds of memories like event; defining for decisions, milestones, events and turning points"`
	Limit   int      `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 50 if left out"`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"next_cursor of the answer before, to go on"`
}

func (t tools) timeline(ctx context.Context, _ *sdk.CallToolRequest, in timelineIn) (*sdk.CallToolResult, lukasa.Listing[lukasa.TimelineLine], error) {
	out := lukasa.Listing[lukasa.TimelineLine]{Items: []lukasa.TimelineLine{}}
	var f lukasa.TimelineFilter
	if in.Project != "" {
		p, err := t.path(ctx, in.Project, false)
		if err != nil {
			return nil, out, failure(err)
		}
		f.Containers = []lukasa.Pattern{{Path: p}}
	}
	err := f.Narrow(in.Kinds)
	if err == nil {
		f.From, err = timeOf("from", in.From)
	}
	if err == nil {
		f.To, err = timeOf("to", in.To)
	}
	if err != nil {
		return nil, out, failure(err)
	}
	l, err := t.v.Timeline(ctx, t.sc, f, lukasa.Page{Limit: cmp.Or(in.Limit, 50), Cursor: in.Cursor})
	if err != nil {
		return nil, out, failure(err)
	}
	if len(l.Items) == 0 {
		return say("There is nothing."), l, nil
	}
	var b strings.Builder
	for _, x := range l.Items {
		who, gone := "", ""
		if x.Speaker != "" {
			who = x.Speaker + ": "
		}
		if x.Superseded {
			gone = ", no longer so"
		}
		fmt.Fprintf(&b, "%s, %s: %s%s (%s%s)\n", x.Date.Format(time.DateOnly), x.Kind, who, preview(x.Text), x.ID, gone)
	}
	if l.Next != "" {
		fmt.Fprintf(&b, "%d of %d; go on with cursor %s", len(l.Items), l.Total, l.Next)
	}
	return say("%s", strings.TrimSpace(b.String())), l, nil
}
