package api

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type newKey struct {
	Name      string  `json:"name"`
	User      string  `json:"user_id,omitempty" doc:"admins only: whose key"`
	Role      string  `json:"role,omitempty" doc:"user (default) or admin"`
	Container string  `json:"container,omitempty" doc:"bind the key to this subtree"`
	ReadOnly  bool    `json:"read_only,omitempty"`
	ExpiresAt *moment `json:"expires_at,omitempty"`
	Persona   string  `json:"persona,omitempty" doc:"bind the key to this persona: a container of type persona, by id or path; it has that subtree and what is granted to it"`
	Org       string  `json:"organisation,omitempty" doc:"a key to the records of this organisation, as far as your role there reaches"`
	Third     bool    `json:"third_party,omitempty" doc:"a key for a connected application: it reads what is granted to it, and nothing else"`
}

type madeKey struct {
	lukasa.Key
	Secret string `json:"key" doc:"shown this once"`
}

type newUser struct {
	Name       string         `json:"name"`
	Email      string         `json:"email,omitempty"`
	ExternalID string         `json:"external_id,omitempty"`
	Role       string         `json:"role,omitempty"`
	Settings   map[string]any `json:"settings,omitempty"`
}

type identity struct {
	User     lukasa.User `json:"user"`
	Key      lukasa.Key  `json:"key"`
	ReadOnly bool        `json:"read_only"`
	Org      *standing   `json:"organisation,omitempty" doc:"whose records the key opens, with the user's role there; without it, the user's own"`
}

func (d *door) accounts() {
	const tag = "accounts"
	add(d, "GET", "/v1/whoami", "whoami", "Who this key speaks for", tag, func(ctx context.Context, _ *struct{}) (*answer[identity], error) {
		u, k, err := d.e.WhoAmI(ctx, scope(ctx))
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		in, err := d.standing(ctx)
		return reply(ctx, d, identity{User: u, Key: k, ReadOnly: scope(ctx).ReadOnly, Org: in}, err)
	})
	add(d, "POST", "/v1/keys", "create-key", "Make a key; its secret is shown this once", tag, func(ctx context.Context, in *struct{ Body newKey }) (*answer[madeKey], error) {
		b := in.Body
		org := lukasa.ID(b.Org)
		if org != "" {
			if _, err := lukasa.ParseID(engine.PrefixOrganisation, b.Org); err != nil {
				return nil, d.fail(ctx, lukasa.Invalid("organisation", "is not the id of an organisation"))
			}
		}
		k, secret, err := d.e.CreateKey(ctx, scope(ctx), lukasa.Key{
			User: lukasa.ID(b.User), Org: org, Name: b.Name, Role: lukasa.Role(b.Role), Root: lukasa.Path(b.Container),
			ReadOnly: b.ReadOnly, ExpiresAt: b.ExpiresAt.ptr(), Persona: lukasa.ID(b.Persona), ThirdParty: b.Third,
		})
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[madeKey]{Status: http.StatusCreated, Body: madeKey{Key: k, Secret: secret}}, nil
	})
	add(d, "GET", "/v1/keys", "list-keys", "List keys", tag, func(ctx context.Context, in *struct {
		All bool `query:"all" doc:"admins only: everyone's"`
	},
	) (*answer[lukasa.Listing[lukasa.Key]], error) {
		ks, err := d.e.Keys(ctx, scope(ctx), in.All)
		return reply(ctx, d, whole(ks), err)
	})
	add(d, "DELETE", "/v1/keys/{id}", "revoke-key", "End a key at once", tag, func(ctx context.Context, in *ByID) (*answer[lukasa.Key], error) {
		id, err := lukasa.ParseID(lukasa.PrefixKey, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		k, err := d.e.RevokeKey(ctx, scope(ctx), id)
		return reply(ctx, d, k, err)
	})
	add(d, "POST", "/v1/users", "create-user", "Make a user with records of their own", tag, func(ctx context.Context, in *struct{ Body newUser }) (*answer[lukasa.User], error) {
		b := in.Body
		u, err := d.e.CreateUser(ctx, scope(ctx), lukasa.User{Name: b.Name, Email: b.Email, ExternalID: b.ExternalID, Role: lukasa.Role(b.Role), Settings: b.Settings})
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[lukasa.User]{Status: http.StatusCreated, Body: u}, nil
	})
	add(d, "GET", "/v1/users", "list-users", "List users", tag, func(ctx context.Context, _ *struct{}) (*answer[lukasa.Listing[lukasa.User]], error) {
		us, err := d.e.Users(ctx, scope(ctx))
		return reply(ctx, d, whole(us), err)
	})
	add(d, "DELETE", "/v1/users/{id}", "delete-user", "Remove a user and everything of theirs, softly or for good", tag, func(ctx context.Context, in *struct {
		ByID
		Removing
	},
	) (*answer[deleted], error) {
		id, err := lukasa.ParseID(lukasa.PrefixUser, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return d.eraseUser(ctx, id, in.Removing)
	})
}
