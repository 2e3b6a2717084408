package api

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type newOrganisation struct {
	Name  string `json:"name"`
	Owner string `json:"owner_id,omitempty" doc:"the user who is its first owner; without it, you"`
}

type organisationPatch struct {
	Name     *string        `json:"name,omitempty" doc:"takes an owner"`
	Settings map[string]any `json:"settings,omitempty" doc:"admins of the server only; merged as those of a user: limits, retention_days"`
}

type memberRole struct {
	Role string `json:"role,omitempty" enum:"owner,admin,member,viewer," doc:"member, if left out"`
}

// MemberOf is the path of a member. It is exported because huma reads exported embedded structs only.
type MemberOf struct {
	ByID
	User string `path:"user" doc:"id of the user"`
}

func (in MemberOf) ids() (org, user lukasa.ID, err error) {
	if org, err = lukasa.ParseID(engine.PrefixOrganisation, in.ID); err == nil {
		user, err = lukasa.ParseID(lukasa.PrefixUser, in.User)
	}
	return org, user, err
}

// standing says which organisation's records a key opens, and what its user is there now.
type standing struct {
	ID   lukasa.ID `json:"id"`
	Name string    `json:"name"`
	Role string    `json:"role"`
}

// standing returns that of the caller, nil for a key to a user's own records.
func (d *door) standing(ctx context.Context) (*standing, error) {
	sc := scope(ctx)
	name, role, err := d.e.Standing(ctx, sc)
	if role == "" || err != nil {
		return nil, err
	}
	return &standing{ID: sc.Owner, Name: name, Role: role}, nil
}

// organisation registers an operation on one organisation.
func organisation[O any](d *door, method, path, id, summary string, fn func(context.Context, lukasa.ID) (O, error)) {
	add(d, method, path, id, summary, "organisations", func(ctx context.Context, in *ByID) (*answer[O], error) {
		org, err := lukasa.ParseID(engine.PrefixOrganisation, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		out, err := fn(ctx, org)
		return reply(ctx, d, out, err)
	})
}

func (d *door) organisations() {
	const tag = "organisations"
	verbs := func() engine.Organisations { return d.e.Organisations() }
	add(d, "POST", "/v1/organisations", "create-organisation", "Make an organisation, with records that its members share; for admins of the server", tag, func(ctx context.Context, in *struct{ Body newOrganisation }) (*answer[engine.Organisation], error) {
		o, err := verbs().Create(ctx, scope(ctx), in.Body.Name, lukasa.ID(in.Body.Owner))
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[engine.Organisation]{Status: http.StatusCreated, Body: o}, nil
	})
	add(d, "GET", "/v1/organisations", "list-organisations", "The organisations that you are a member of", tag, func(ctx context.Context, in *struct {
		All bool `query:"all" doc:"admins of the server only: all there are"`
	},
	) (*answer[lukasa.Listing[engine.Organisation]], error) {
		os, err := verbs().List(ctx, scope(ctx), in.All)
		return reply(ctx, d, whole(os), err)
	})
	organisation(d, "GET", "/v1/organisations/{id}", "get-organisation", "One organisation, with your role in it", func(ctx context.Context, org lukasa.ID) (engine.Organisation, error) {
		return verbs().One(ctx, scope(ctx), org)
	})
	add(d, "PATCH", "/v1/organisations/{id}", "patch-organisation", "Rename an organisation, or change what it may have", tag, func(ctx context.Context, in *struct {
		ByID
		Body organisationPatch
	},
	) (*answer[engine.Organisation], error) {
		org, err := lukasa.ParseID(engine.PrefixOrganisation, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		o, err := verbs().Patch(ctx, scope(ctx), org, engine.OrganisationPatch{Name: in.Body.Name, Settings: in.Body.Settings})
		return reply(ctx, d, o, err)
	})
	add(d, "DELETE", "/v1/organisations/{id}", "delete-organisation", "Remove an organisation and everything in it, for good; takes an owner", tag, func(ctx context.Context, in *struct {
		ByID
		Wait string `query:"wait" enum:"scrubbed," doc:"scrubbed: answer once the store's own files are cleaned and searched for what was removed"`
	},
	) (*answer[deleted], error) {
		org, err := lukasa.ParseID(engine.PrefixOrganisation, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		r, err := d.e.DeleteOrganisation(ctx, scope(ctx), org)
		if err == nil && in.Wait != "" {
			r, err = d.scrubbed(ctx, r)
		}
		return reply(ctx, d, deletionOf(r), err)
	})
	organisation(d, "GET", "/v1/organisations/{id}/members", "list-members", "Its members, owners first", func(ctx context.Context, org lukasa.ID) (lukasa.Listing[engine.Member], error) {
		ms, err := verbs().Members(ctx, scope(ctx), org)
		return whole(ms), err
	})
	organisation(d, "GET", "/v1/organisations/{id}/keys", "list-organisation-keys", "The keys to its records: all for its owners and admins, else your own", func(ctx context.Context, org lukasa.ID) (lukasa.Listing[lukasa.Key], error) {
		ks, err := verbs().Keys(ctx, scope(ctx), org)
		return whole(ks), err
	})
	add(d, "PUT", "/v1/organisations/{id}/members/{user}", "set-member", "Add a member, or give one another role; it counts in the next call", tag, func(ctx context.Context, in *struct {
		MemberOf
		Body memberRole
	},
	) (*answer[engine.Member], error) {
		org, user, err := in.ids()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		m, added, err := verbs().SetMember(ctx, scope(ctx), org, user, in.Body.Role)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		if added {
			return &answer[engine.Member]{Status: http.StatusCreated, Body: m}, nil
		}
		return ok(m), nil
	})
	add(d, "DELETE", "/v1/organisations/{id}/members/{user}", "remove-member", "Take a member out, with the member's keys, or leave yourself", tag, func(ctx context.Context, in *MemberOf) (*answer[engine.Member], error) {
		org, user, err := in.ids()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		m, err := verbs().RemoveMember(ctx, scope(ctx), org, user)
		return reply(ctx, d, m, err)
	})
}
