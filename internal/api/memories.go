package api

import (
	"context"
	"encoding/json"

	"github.com/lukasa-memory/lukasa"
)

type newMemory struct {
	Content     string         `json:"content" doc:"one statement"`
	Kind        string         `json:"kind,omitempty" doc:"fact (default), preference, episode, insight, task, decision, milestone, event, turning_point"`
	Container   string         `json:"container,omitempty"`
	Confidence  *float64       `json:"confidence,omitempty" doc:"0..1, default 1"`
	Tags        []string       `json:"tags,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	OccurredAt  *moment        `json:"occurred_at,omitempty"`
	ForgetAfter *moment        `json:"forget_after,omitempty"`
	Updates     string         `json:"updates,omitempty" doc:"the memory that this one corrects; it stays, no longer latest"`
	Reason      string         `json:"reason,omitempty" doc:"why"`
}

func (b newMemory) request() lukasa.NewMemory {
	return lukasa.NewMemory{
		Content: b.Content, Kind: lukasa.MemoryKind(b.Kind), Container: b.Container, Confidence: b.Confidence,
		Tags: b.Tags, Metadata: b.Metadata, OccurredAt: b.OccurredAt.ptr(), ForgetAfter: b.ForgetAfter.ptr(),
		Updates: lukasa.ID(b.Updates), Reason: b.Reason,
	}
}

type memoryPatch struct {
	Kind        *string         `json:"kind,omitempty"`
	Confidence  *float64        `json:"confidence,omitempty"`
	Tags        *[]string       `json:"tags,omitempty"`
	Metadata    map[string]any  `json:"metadata,omitempty" doc:"merged; null removes a name"`
	ForgetAfter json.RawMessage `json:"forget_after,omitempty" doc:"ISO 8601, or null to keep it"`
	State       *string         `json:"state,omitempty" enum:"active,archived" doc:"archived: kept and listed, and out of searches unless they filter by status"`
}

func (d *door) memories() {
	const tag = "memories"
	add(d, "POST", "/v1/memories", "create-memory", "Add one statement as it is given", tag, func(ctx context.Context, in *struct{ Body newMemory }) (*answer[lukasa.Memory], error) {
		m, err := d.e.AddMemory(ctx, scope(ctx), in.Body.request())
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[lukasa.Memory]{Status: statusOf(lukasa.Receipt{Document: lukasa.Document{Status: lukasa.StatusDone}, Deduplicated: m.Deduplicated}), Body: m}, nil
	})
	add(d, "GET", "/v1/memories", "list-memories", "List memories, newest first", tag, func(ctx context.Context, in *struct {
		Paging
		Memories
	},
	) (*answer[lukasa.Listing[lukasa.Memory]], error) {
		f, at, err := in.Filter()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.MemoriesAt(ctx, scope(ctx), f, in.page(), at)
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/memories/{id}", "get-memory", "One memory with its sources", tag, func(ctx context.Context, in *struct {
		ByID
		AsOf string `query:"as_of" doc:"ISO 8601: as it was known then"`
	},
	) (*answer[lukasa.Memory], error) {
		id, err := lukasa.ParseID(lukasa.PrefixMemory, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		m, err := d.e.MemoryAt(ctx, scope(ctx), id, at)
		return reply(ctx, d, m, err)
	})
	add(d, "PATCH", "/v1/memories/{id}", "patch-memory", "Change kind, confidence, tags, metadata or forget_after", tag, func(ctx context.Context, in *struct {
		ByID
		Body memoryPatch
	},
	) (*answer[lukasa.Memory], error) {
		id, err := lukasa.ParseID(lukasa.PrefixMemory, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, keep, err := Forget(in.Body.ForgetAfter)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		p := lukasa.MemoryPatch{Confidence: in.Body.Confidence, Tags: in.Body.Tags, Metadata: in.Body.Metadata, ForgetAfter: at, ClearForget: keep, State: in.Body.State}
		if in.Body.Kind != nil {
			k := lukasa.MemoryKind(*in.Body.Kind)
			p.Kind = &k
		}
		m, err := d.e.PatchMemory(ctx, scope(ctx), id, p)
		return reply(ctx, d, m, err)
	})
	add(d, "POST", "/v1/memories/{id}/release", "release-memory", "Put a memory in force that waits for a review: a candidate, or one in quarantine", tag, d.release)
	d.eraser(lukasa.PrefixMemory, "/v1/memories/{id}", "delete-memory", "Remove a memory", tag)
}
