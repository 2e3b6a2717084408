package mcp

import (
	"context"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type aboutIn struct {
	Name  string `json:"name" jsonschema:"name of the person, organisation, place or product, or its id; small slips are forgiven"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many memories, messages and documents each, 1 to 50, 10 if left out"`
}

// about answers who or what somebody or something is.
func (t tools) about(ctx context.Context, _ *sdk.CallToolRequest, in aboutIn) (*sdk.CallToolResult, engine.About, error) {
	if in.Limit == 0 {
		in.Limit = 10
	}
	switch {
	case strings.TrimSpace(in.Name) == "":
		return nil, engine.About{}, failure(lukasa.Invalid("name", "is empty"))
	case in.Limit < 1 || in.Limit > 50:
		return nil, engine.About{}, failure(lukasa.Invalid("limit", "is not between 1 and 50"))
	}
	a, err := t.v.Entity(ctx, t.sc, in.Name, time.Time{})
	if err != nil {
		return nil, a, failure(err)
	}
	a.Truncated = a.Truncated || max(len(a.Memories), len(a.Messages), len(a.Documents)) > in.Limit
	a.Memories = a.Memories[:min(len(a.Memories), in.Limit)]
	a.Messages = a.Messages[:min(len(a.Messages), in.Limit)]
	a.Documents = a.Documents[:min(len(a.Documents), in.Limit)]
	return say("%s", strings.TrimSpace(a.Text())), a, nil
}
