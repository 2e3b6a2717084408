package api

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// pagination is how some clients are used to be told where they are in a list.
type pagination struct {
	Total   int  `json:"total"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"has_more"`
}

func (p Paging) pagination(total, count int, next string) pagination {
	limit := p.Limit
	if limit == 0 {
		limit = 20
	}
	return pagination{Total: total, Limit: limit, Offset: p.Offset, HasMore: next != "" || p.Cursor == "" && p.Offset+count < total}
}

type recallFileList struct {
	lukasa.Listing[engine.RecallPage]
	Same       []engine.RecallPage `json:"recall_files" doc:"the same as items"`
	Pagination pagination          `json:"pagination"`
}

type definingList struct {
	lukasa.Listing[engine.DefiningMemory]
	Same       []engine.DefiningMemory `json:"defining_memories" doc:"the same as items"`
	Pagination pagination              `json:"pagination"`
}

func (d *door) recallFiles() {
	const tag = "recall files"
	add(d, "GET", "/v1/recall-files", "list-recall-files", "List the stretches of conversations, newest first", tag, func(ctx context.Context, in *struct {
		Paging
		Then
		Container    string `query:"container"`
		Conversation string `query:"conversation_id"`
		Status       string `query:"status" doc:"active, finalized, archived"`
		Topic        string `query:"topic" doc:"a part of it, or about how it is spelled"`
		Sort         string `query:"sort" doc:"created_at (default), updated_at, last_accessed_at, topic, token_count"`
		Order        string `query:"order" enum:"asc,desc" doc:"default desc"`
	},
	) (*answer[recallFileList], error) {
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		f := engine.RecallQuery{Containers: pats, Status: List(in.Status), Topic: in.Topic, Sort: in.Sort, Oldest: in.Order == "asc"}
		if in.Conversation != "" {
			if f.Conversation, err = ID("conversation_id", lukasa.PrefixConversation, in.Conversation); err != nil {
				return nil, d.fail(ctx, err)
			}
		}
		if f.At, err = in.at(); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.RecallPages(ctx, scope(ctx), f, in.page())
		return reply(ctx, d, recallFileList{l, l.Items, in.pagination(l.Total, len(l.Items), l.Next)}, err)
	})
	add(d, "GET", "/v1/recall-files/{id}", "get-recall-file", "One recall file with the parts that are asked for", tag, func(ctx context.Context, in *struct {
		ByID
		Then
		Include string `query:"include" doc:"summary, keywords, transcript, artifacts; several with commas"`
	},
	) (*answer[engine.RecallPage], error) {
		id, err := lukasa.ParseID(lukasa.PrefixDocument, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		f, err := d.e.RecallFilePage(ctx, scope(ctx), id, at, List(in.Include)...)
		return reply(ctx, d, f, err)
	})
	add(d, "GET", "/v1/recall-files/{id}/artifacts/{name}", "get-artifact", "An artifact of a recall file, byte for byte", tag, func(ctx context.Context, in *struct {
		ByID
		Then
		Name string `path:"name"`
	},
	) (*huma.StreamResponse, error) {
		id, err := lukasa.ParseID(lukasa.PrefixDocument, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		rc, f, err := d.e.Artifact(ctx, scope(ctx), id, in.Name, at)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			defer rc.Close()
			hc.SetHeader("Content-Type", "application/octet-stream") // never shown by a browser as a page of ours
			if strings.HasPrefix(f.Type, "text/") {
				hc.SetHeader("Content-Type", "text/plain; charset=utf-8")
			}
			hc.SetHeader("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.Name))
			_, _ = io.Copy(hc.BodyWriter(), rc)
		}}, nil
	})
}

func (d *door) moments() {
	add(d, "POST", "/v1/conversations/{id}/end", "end-conversation", "End what is open of a conversation and write its recall file", "conversations", func(ctx context.Context, in *Named) (*answer[engine.RecallPage], error) {
		f, err := d.e.FinishConversation(ctx, scope(ctx), in.ID, in.Container)
		return reply(ctx, d, f, err)
	})
	add(d, "GET", "/v1/messages/{id}/context", "message-context", "A message with what was said before and after it", "conversations", func(ctx context.Context, in *struct {
		ByID
		Then
		Before int `query:"before" default:"5" doc:"0-100, default 5"`
		After  int `query:"after" doc:"0-100, default 0"`
	},
	) (*answer[engine.MessageContext], error) {
		id, err := lukasa.ParseID(lukasa.PrefixMessage, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		c, err := d.e.MessageContext(ctx, scope(ctx), id, in.Before, in.After, at)
		return reply(ctx, d, c, err)
	})
	add(d, "GET", "/v1/defining-memories", "list-defining-memories", "List decisions, milestones, events and turning points, newest first", "memories", func(ctx context.Context, in *struct {
		Paging
		Then
		Container  string `query:"container"`
		Type       string `query:"type" doc:"decision, milestone, event, turning_point; several with commas"`
		Since      string `query:"since" doc:"ISO 8601 date or time: what happened from then on"`
		Superseded bool   `query:"superseded" doc:"those too that something newer took the place of"`
		ValidAt    string `query:"valid_at" doc:"ISO 8601: only what was true then, superseded or not"`
	},
	) (*answer[definingList], error) {
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		f := engine.DefiningQuery{Containers: pats, Superseded: in.Superseded}
		for _, k := range List(in.Type) {
			f.Kinds = append(f.Kinds, lukasa.MemoryKind(k))
		}
		if f.Since, err = Since("since", in.Since); err != nil {
			return nil, d.fail(ctx, err)
		}
		if f.ValidAt, err = Since("valid_at", in.ValidAt); err != nil {
			return nil, d.fail(ctx, err)
		}
		if f.At, err = in.at(); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.DefiningMemories(ctx, scope(ctx), f, in.page())
		return reply(ctx, d, definingList{l, l.Items, in.pagination(l.Total, len(l.Items), l.Next)}, err)
	})
}
