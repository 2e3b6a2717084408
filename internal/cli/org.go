package cli

import (
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// OrgCmd is about organisations: records that several users share, each with a role.
type OrgCmd struct {
	Create OrgCreateCmd `cmd:"" help:"Make an organisation; for admins of the server."`
	List   OrgListCmd   `cmd:"" help:"List the organisations that you are a member of."`
	Show   OrgShowCmd   `cmd:"" help:"Show an organisation and its members."`
	Rename OrgRenameCmd `cmd:"" help:"Give an organisation another name."`
	Edit   OrgEditCmd   `cmd:"" help:"Change what an organisation may have; for admins of the server."`
	Member OrgMemberCmd `cmd:"" help:"Add a user, or give a member another role."`
	Remove OrgRemoveCmd `cmd:"" help:"Take a member out, with the member's keys, or leave yourself."`
	Delete OrgDeleteCmd `cmd:"" help:"Remove an organisation and everything in it, for good."`
}

// OrgCreateCmd makes an organisation.
type OrgCreateCmd struct {
	Name  string `arg:"" help:"Its name."`
	Owner string `help:"The user who is its first owner; you otherwise." placeholder:"ID"`
}

// Run makes an organisation.
func (c *OrgCreateCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		o, err := cl.CreateOrganisation(a.ctx, c.Name, lukasa.ID(c.Owner))
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(o)
		}
		a.say("%s", o.ID)
		a.note("made %s; `lukasa org member %s USER` adds a member, `lukasa key create NAME --org %s` makes a key", o.Name, o.ID, o.ID)
		return nil
	})
}

// OrgListCmd lists organisations.
type OrgListCmd struct {
	All bool `help:"All there are; for admins of the server."`
}

// Run lists organisations.
func (c *OrgListCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		list, err := cl.Organisations(a.ctx, c.All)
		if err != nil {
			return err
		}
		return show(a, whole(list), []string{"ID", "NAME", "YOUR ROLE", "CREATED"}, func(o client.Organisation) []string {
			return []string{string(o.ID), oneLine(o.Name, 40), o.Role, when(o.CreatedAt)}
		})
	})
}

// OrgShowCmd shows an organisation.
type OrgShowCmd struct {
	ID string `arg:"" help:"Id of the organisation."`
}

// Run shows an organisation and its members.
func (c *OrgShowCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		o, err := cl.Organisation(a.ctx, lukasa.ID(c.ID))
		if err != nil {
			return err
		}
		ms, err := cl.Members(a.ctx, o.ID)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(struct {
				client.Organisation
				Members []client.Member `json:"members"`
			}{o, ms})
		}
		a.field("id", string(o.ID))
		a.field("name", oneLine(o.Name, 80))
		if o.Role != "" {
			a.field("your role", o.Role)
		}
		a.field("created", when(o.CreatedAt))
		return show(a, whole(ms), []string{"MEMBER", "NAME", "ROLE", "SINCE"}, func(m client.Member) []string {
			return []string{string(m.User), oneLine(m.Name, 40), m.Role, when(m.AddedAt)}
		})
	})
}

// OrgRenameCmd renames an organisation.
type OrgRenameCmd struct {
	ID   string `arg:"" help:"Id of the organisation."`
	Name string `arg:"" help:"Its new name."`
}

// Run renames an organisation.
func (c *OrgRenameCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		o, err := cl.PatchOrganisation(a.ctx, lukasa.ID(c.ID), client.OrganisationPatch{Name: &c.Name})
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(o)
		}
		a.say("%s is now called %s", o.ID, o.Name)
		return nil
	})
}

// OrgEditCmd changes what an organisation may have.
type OrgEditCmd struct {
	ID string `arg:"" help:"Id of the organisation."`
	Bounds
}

// Run changes an organisation's limits and shows them.
func (c *OrgEditCmd) Run(a *app) error {
	id := lukasa.ID(c.ID)
	return c.set(a, id, func(cl *client.Client, settings map[string]any) error {
		_, err := cl.PatchOrganisation(a.ctx, id, client.OrganisationPatch{Settings: settings})
		return err
	})
}

// OrgMemberCmd gives a user a role.
type OrgMemberCmd struct {
	ID   string `arg:"" help:"Id of the organisation."`
	User string `arg:"" help:"Id of the user."`
	Role string `arg:"" optional:"" enum:"owner,admin,member,viewer," default:"" help:"owner, admin, member (reads and writes; the default) or viewer (reads)."`
}

// Run gives a user a role.
func (c *OrgMemberCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		m, err := cl.SetMember(a.ctx, lukasa.ID(c.ID), lukasa.ID(c.User), c.Role)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(m)
		}
		a.say("%s is now %s of %s", m.Name, m.Role, m.OrgName)
		return nil
	})
}

// OrgRemoveCmd takes a member out.
type OrgRemoveCmd struct {
	ID   string `arg:"" help:"Id of the organisation."`
	User string `arg:"" help:"Id of the user."`
}

// Run takes a member out.
func (c *OrgRemoveCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		m, err := cl.RemoveMember(a.ctx, lukasa.ID(c.ID), lukasa.ID(c.User))
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(m)
		}
		a.say("%s is no member of %s any more, and has no key to it", m.Name, m.OrgName)
		return nil
	})
}

// OrgDeleteCmd deletes an organisation.
type OrgDeleteCmd struct {
	ID  string `arg:"" help:"Id of the organisation."`
	Yes bool   `short:"y" help:"Do not ask."`
}

// Run deletes an organisation.
func (c *OrgDeleteCmd) Run(a *app) error {
	if err := a.confirm(c.Yes, fmt.Sprintf("Delete the organisation %s and everything in it?", c.ID)); err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		rm, err := cl.DeleteOrganisation(a.ctx, lukasa.ID(c.ID))
		if err != nil {
			return err
		}
		return a.TellDeleted([]client.Deleted{rm})
	})
}
