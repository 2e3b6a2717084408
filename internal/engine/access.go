package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/auth"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Keys and organisations. What is allowed stands in the auth room; acts are noted, and told of, here.

// Organisation is [auth.Organisation].
type Organisation = auth.Organisation

// Organisations are [auth.Organisations].
type Organisations = auth.Organisations

// OrganisationPatch is [auth.OrganisationPatch].
type OrganisationPatch = auth.OrganisationPatch

// Member is [store.Member].
type Member = store.Member

// PrefixOrganisation leads the ids of organisations.
const PrefixOrganisation = store.PrefixOrganisation

// WhoAmI returns the scope's user and key; see [auth.Auth.WhoAmI].
func (e *Engine) WhoAmI(ctx context.Context, sc lukasa.Scope) (lukasa.User, lukasa.Key, error) {
	return e.auth.WhoAmI(ctx, sc)
}

// Standing says whose the scope's records are, and what its user is there, where they are an organisation's; "" for others.
func (e *Engine) Standing(ctx context.Context, sc lukasa.Scope) (organisation, role string, err error) {
	return e.auth.Standing(ctx, sc)
}

// CreateKey makes a key and returns its secret this once; see [auth.Auth.CreateKey].
func (e *Engine) CreateKey(ctx context.Context, sc lukasa.Scope, k lukasa.Key) (lukasa.Key, string, error) {
	k, secret, err := e.auth.CreateKey(ctx, sc, k)
	if err == nil {
		e.noteIn(ctx, sc, k.Org, "key.create", string(k.ID), map[string]any{
			"user": string(k.User), "role": string(k.Role), "container": string(k.Root), "read_only": k.ReadOnly, "persona": string(k.Persona), "third_party": k.ThirdParty,
		})
	}
	return k, secret, err
}

// Keys lists the caller's keys, or everyone's for an admin who asks for all.
func (e *Engine) Keys(ctx context.Context, sc lukasa.Scope, all bool) ([]lukasa.Key, error) {
	if all {
		return e.auth.AllKeys(ctx, sc)
	}
	return e.auth.Keys(ctx, sc, "")
}

// RevokeKey ends a key at once; see [auth.Auth.RevokeKey].
func (e *Engine) RevokeKey(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Key, error) {
	k, err := e.auth.RevokeKey(ctx, sc, id)
	if err == nil {
		e.noteIn(ctx, sc, k.Org, "key.revoke", string(id), map[string]any{"user": string(k.User)})
	}
	return k, err
}

// noteIn notes an act in the audit log of an organisation that it is about, which its owners read, or else in the caller's.
func (e *Engine) noteIn(ctx context.Context, sc lukasa.Scope, org lukasa.ID, act, resource string, details map[string]any) {
	if org != "" {
		sc.Owner = org
	}
	e.life.Note(ctx, sc, act, resource, details)
}

// Organisations are the verbs of organisations.
func (e *Engine) Organisations() Organisations {
	return e.auth.Organisations(auth.Acts{Note: e.life.Note, Notify: e.notify, Change: e.life.ChangeUser})
}

// DeleteOrganisation removes an organisation and everything of it for good, which takes an owner. The receipt is the caller's.
func (e *Engine) DeleteOrganisation(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (DeletionReceipt, error) {
	if err := e.Organisations().MayDelete(ctx, sc, id); err != nil {
		return DeletionReceipt{}, err
	}
	defer e.nudge()
	sc.Owner = sc.Principal // with the organisation goes its log
	return e.life.DeleteUser(ctx, sc, id, lifecycle.ByRequest)
}
