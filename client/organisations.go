package client

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Organisation is an owner of records that several users share, each with a role.
type Organisation struct {
	ID        lukasa.ID      `json:"id"`
	Name      string         `json:"name"`
	Role      string         `json:"role,omitempty"` // yours: owner, admin, member or viewer; "" for an admin of the server who is no member
	Settings  map[string]any `json:"settings,omitempty"`
	CreatedAt time.Time      `json:"created_at"`
}

// OrganisationPatch changes an organisation. Nil fields stay as they are.
type OrganisationPatch struct {
	Name     *string        `json:"name,omitempty"`     // takes an owner
	Settings map[string]any `json:"settings,omitempty"` // admins of the server only; merged
}

// Member is a user's place in an organisation.
type Member struct {
	Org       lukasa.ID `json:"organisation_id"`
	OrgName   string    `json:"organisation"`
	User      lukasa.ID `json:"user_id"`
	Name      string    `json:"name"` // of the user
	Role      string    `json:"role"`
	AddedBy   lukasa.ID `json:"added_by"`
	AddedAt   time.Time `json:"added_at"`
	ChangedAt time.Time `json:"changed_at"` // when the role was last given
}

// CreateOrganisation makes an organisation with its first owner ("": the caller). Only an admin of the server makes one.
func (c *Client) CreateOrganisation(ctx context.Context, name string, owner lukasa.ID) (Organisation, error) {
	return ask[Organisation](ctx, c, call{method: http.MethodPost, path: "/v1/organisations", body: struct {
		Name  string    `json:"name"`
		Owner lukasa.ID `json:"owner_id,omitempty"`
	}{name, owner}})
}

// Organisations lists those that the caller is a member of, or all for an admin of the server who asks for all.
func (c *Client) Organisations(ctx context.Context, all bool) ([]Organisation, error) {
	v := query(nil, lukasa.Page{})
	if all {
		v.Set("all", "true")
	}
	return items[Organisation](ctx, c, "/v1/organisations", v)
}

// Organisation returns one.
func (c *Client) Organisation(ctx context.Context, id lukasa.ID) (Organisation, error) {
	return ask[Organisation](ctx, c, call{method: http.MethodGet, path: at("/v1/organisations/", string(id))})
}

// PatchOrganisation changes one.
func (c *Client) PatchOrganisation(ctx context.Context, id lukasa.ID, in OrganisationPatch) (Organisation, error) {
	return ask[Organisation](ctx, c, call{method: http.MethodPatch, path: at("/v1/organisations/", string(id)), body: in})
}

// DeleteOrganisation removes one and everything in it, for good; it takes an owner.
func (c *Client) DeleteOrganisation(ctx context.Context, id lukasa.ID) (Deleted, error) {
	return ask[Deleted](ctx, c, call{method: http.MethodDelete, path: at("/v1/organisations/", string(id))})
}

// Members lists the members of an organisation, owners first.
func (c *Client) Members(ctx context.Context, org lukasa.ID) ([]Member, error) {
	return items[Member](ctx, c, at("/v1/organisations/", string(org))+"/members", nil)
}

// OrganisationKeys lists the keys to an organisation's records: all for its owners and admins, else the caller's own.
func (c *Client) OrganisationKeys(ctx context.Context, org lukasa.ID) ([]lukasa.Key, error) {
	return items[lukasa.Key](ctx, c, at("/v1/organisations/", string(org))+"/keys", nil)
}

// SetMember adds a user to an organisation, or gives a member another role: owner, admin, member ("" too) or viewer.
func (c *Client) SetMember(ctx context.Context, org, user lukasa.ID, role string) (Member, error) {
	return ask[Member](ctx, c, call{method: http.MethodPut, path: at("/v1/organisations/", string(org)) + at("/members/", string(user)), body: struct {
		Role string `json:"role,omitempty"`
	}{role}})
}

// RemoveMember takes a user out of an organisation; the user's keys to it open nothing from then on.
func (c *Client) RemoveMember(ctx context.Context, org, user lukasa.ID) (Member, error) {
	return ask[Member](ctx, c, call{method: http.MethodDelete, path: at("/v1/organisations/", string(org)) + at("/members/", string(user))})
}

// Standing says which organisation's records the client's key opens, and what its user is there now; "" for a key to a user's own.
func (c *Client) Standing(ctx context.Context) (organisation, role string, err error) {
	out, err := ask[struct {
		Organisation struct {
			Name string `json:"name"`
			Role string `json:"role"`
		} `json:"organisation"`
	}](ctx, c, call{method: http.MethodGet, path: "/v1/whoami"})
	return out.Organisation.Name, out.Organisation.Role, err
}

// Standing is [Client.Standing].
func (s Scoped) Standing(ctx context.Context, _ lukasa.Scope) (organisation, role string, err error) {
	return s.Client.Standing(ctx)
}
