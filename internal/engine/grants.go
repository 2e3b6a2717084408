package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/auth"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Who may see what beside the owner.

// Grant is [store.Grant].
type Grant = store.Grant

// NewGrant is [auth.NewGrant].
type NewGrant = auth.NewGrant

// GrantQuery is [auth.GrantQuery].
type GrantQuery = auth.GrantQuery

// The events of grants. Whoever is bound to a part of the tree does not hear of them.
const (
	EventGrantCreated lukasa.EventType = "grant.created"
	EventGrantRevoked lukasa.EventType = "grant.revoked"
)

// Grant gives a persona or a third party leave to one node; see [auth.Auth.Grant].
func (e *Engine) Grant(ctx context.Context, sc lukasa.Scope, in NewGrant) (Grant, error) {
	g, err := e.auth.Grant(ctx, sc, in)
	if err == nil {
		e.tellGrant(ctx, sc, EventGrantCreated, "grant.create", g)
	}
	return g, err
}

// Grants lists what the owner has granted, newest first; a persona or third party sees what it has now.
func (e *Engine) Grants(ctx context.Context, sc lukasa.Scope, q GrantQuery, p lukasa.Page) (lukasa.Listing[Grant], error) {
	return e.auth.ListGrants(ctx, sc, q, p)
}

// OneGrant returns a grant.
func (e *Engine) OneGrant(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Grant, error) {
	return e.auth.OneGrant(ctx, sc, id)
}

// RevokeGrant ends a grant at once, in every process that has the store open.
func (e *Engine) RevokeGrant(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Grant, error) {
	g, err := e.auth.RevokeGrant(ctx, sc, id)
	if err == nil {
		e.tellGrant(ctx, sc, EventGrantRevoked, "grant.revoke", g)
	}
	return g, err
}

// tellGrant notes an act with a grant, and tells of it at the root, where only those hear it who see the whole tree.
func (e *Engine) tellGrant(ctx context.Context, sc lukasa.Scope, t lukasa.EventType, act string, g Grant) {
	e.life.Note(ctx, sc, act, string(g.ID), map[string]any{"subject": string(g.Subject), "node": string(g.Node), "access": g.Access, "expires_at": g.ExpiresAt})
	e.notify(lukasa.Event{
		ID: e.auth.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: sc.Owner, Record: g.ID, At: e.auth.Mint.Now().UTC(),
		Data: map[string]any{"subject_id": g.Subject, "target_node_id": g.Node, "grant_type": g.Access},
	})
}
