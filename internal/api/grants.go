package api

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type newGrant struct {
	Subject   string  `json:"subject_id" doc:"a persona, by the id or path of its container, or the id of a third party's key"`
	Node      string  `json:"target_node_id,omitempty" doc:"the container, by id or path: this one, and nothing above or below it"`
	Container string  `json:"container,omitempty" doc:"the same"`
	Access    string  `json:"grant_type,omitempty" doc:"read (the default) or read_write; third parties may only read"`
	ExpiresAt *moment `json:"expires_at,omitempty" doc:"when it ends; without it, when it is revoked"`
}

func (d *door) grants() {
	const tag = "grants"
	add(d, "POST", "/v1/grants", "create-grant", "Give a persona or a third party leave to one container", tag, func(ctx context.Context, in *struct{ Body newGrant }) (*answer[engine.Grant], error) {
		b := in.Body
		if b.Node == "" {
			b.Node = b.Container
		} else if b.Container != "" && b.Container != b.Node {
			return nil, d.fail(ctx, lukasa.Invalid("container", "names another container than target_node_id"))
		}
		g, err := d.e.Grant(ctx, scope(ctx), engine.NewGrant{Subject: b.Subject, Node: b.Node, Access: b.Access, Expires: b.ExpiresAt.ptr()})
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[engine.Grant]{Status: http.StatusCreated, Body: g}, nil
	})
	add(d, "GET", "/v1/grants", "list-grants", "List grants, newest first; a persona or third party sees its own", tag, func(ctx context.Context, in *struct {
		Paging
		Subject   string `query:"subject_id" doc:"only those to this persona or third party"`
		Container string `query:"container" doc:"only those to this container"`
		All       bool   `query:"all" doc:"those that have ended too"`
	},
	) (*answer[lukasa.Listing[engine.Grant]], error) {
		l, err := d.e.Grants(ctx, scope(ctx), engine.GrantQuery{Subject: in.Subject, Node: in.Container, All: in.All}, in.page())
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/grants/{id}", "get-grant", "One grant", tag, func(ctx context.Context, in *ByID) (*answer[engine.Grant], error) {
		id, err := lukasa.ParseID(lukasa.PrefixGrant, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		g, err := d.e.OneGrant(ctx, scope(ctx), id)
		return reply(ctx, d, g, err)
	})
	for _, r := range []struct{ method, path, id string }{{"DELETE", "/v1/grants/{id}", "revoke-grant"}, {"POST", "/v1/grants/{id}/revoke", "revoke-grant-by-post"}} {
		add(d, r.method, r.path, r.id, "End a grant at once", tag, func(ctx context.Context, in *ByID) (*answer[engine.Grant], error) {
			id, err := lukasa.ParseID(lukasa.PrefixGrant, in.ID)
			if err != nil {
				return nil, d.fail(ctx, err)
			}
			g, err := d.e.RevokeGrant(ctx, scope(ctx), id)
			return reply(ctx, d, g, err)
		})
	}
}
