package tend

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
func (c *OrgCreateCmd) Run(desk *Desk) error {
	return desk.API(true, func(cl *client.Client) error {
		o, err := cl.CreateOrganisation(desk.Ctx, c.Name, lukasa.ID(c.Owner))
		if err != nil {
			return err
		}
		if desk.JSON {
			return desk.Print(o)
		}
		desk.Say("%s", o.ID)
		desk.Note("made %s; `lukasa org member %s USER` adds a member, `lukasa key create NAME --org %s` makes a key", o.Name, o.ID, o.ID)
		return nil
	})
}

// OrgListCmd lists organisations.
type OrgListCmd struct {
	All bool `help:"All there are; for admins of the server."`
}

// Run lists organisations.
func (c *OrgListCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		list, err := cl.Organisations(desk.Ctx, c.All)
		if err != nil {
			return err
		}
		return Show(desk, whole(list), []string{"ID", "NAME", "YOUR ROLE", "CREATED"}, func(o client.Organisation) []string {
			return []string{string(o.ID), desk.OneLine(o.Name, 40), o.Role, desk.When(o.CreatedAt)}
		})
	})
}

// OrgShowCmd shows an organisation.
type OrgShowCmd struct {
	ID string `arg:"" help:"Id of the organisation."`
}

// Run shows an organisation and its members.
func (c *OrgShowCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		o, err := cl.Organisation(desk.Ctx, lukasa.ID(c.ID))
		if err != nil {
			return err
		}
		ms, err := cl.Members(desk.Ctx, o.ID)
		if err != nil {
			return err
		}
		if desk.JSON {
			return desk.Print(struct {
				client.Organisation
				Members []client.Member `json:"members"`
			}{o, ms})
		}
		desk.Field("id", string(o.ID))
		desk.Field("name", desk.OneLine(o.Name, 80))
		if o.Role != "" {
			desk.Field("your role", o.Role)
		}
		desk.Field("created", desk.When(o.CreatedAt))
		return Show(desk, whole(ms), []string{"MEMBER", "NAME", "ROLE", "SINCE"}, func(m client.Member) []string {
			return []string{string(m.User), desk.OneLine(m.Name, 40), m.Role, desk.When(m.AddedAt)}
		})
	})
}

// OrgRenameCmd renames an organisation.
type OrgRenameCmd struct {
	ID   string `arg:"" help:"Id of the organisation."`
	Name string `arg:"" help:"Its new name."`
}

// Run renames an organisation.
func (c *OrgRenameCmd) Run(desk *Desk) error {
	return desk.API(true, func(cl *client.Client) error {
		o, err := cl.PatchOrganisation(desk.Ctx, lukasa.ID(c.ID), client.OrganisationPatch{Name: &c.Name})
		if err != nil {
			return err
		}
		if desk.JSON {
			return desk.Print(o)
		}
		desk.Say("%s is now called %s", o.ID, o.Name)
		return nil
	})
}

// OrgEditCmd changes what an organisation may have.
type OrgEditCmd struct {
	ID string `arg:"" help:"Id of the organisation."`
	Bounds
}

// Run changes an organisation's limits and shows them.
func (c *OrgEditCmd) Run(desk *Desk) error {
	id := lukasa.ID(c.ID)
	return c.set(desk, id, func(cl *client.Client, settings map[string]any) error {
		_, err := cl.PatchOrganisation(desk.Ctx, id, client.OrganisationPatch{Settings: settings})
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
func (c *OrgMemberCmd) Run(desk *Desk) error {
	return desk.API(true, func(cl *client.Client) error {
		m, err := cl.SetMember(desk.Ctx, lukasa.ID(c.ID), lukasa.ID(c.User), c.Role)
		if err != nil {
			return err
		}
		if desk.JSON {
			return desk.Print(m)
		}
		desk.Say("%s is now %s of %s", m.Name, m.Role, m.OrgName)
		return nil
	})
}

// OrgRemoveCmd takes a member out.
type OrgRemoveCmd struct {
	ID   string `arg:"" help:"Id of the organisation."`
	User string `arg:"" help:"Id of the user."`
}

// Run takes a member out.
func (c *OrgRemoveCmd) Run(desk *Desk) error {
	return desk.API(true, func(cl *client.Client) error {
		m, err := cl.RemoveMember(desk.Ctx, lukasa.ID(c.ID), lukasa.ID(c.User))
		if err != nil {
			return err
		}
		if desk.JSON {
			return desk.Print(m)
		}
		desk.Say("%s is no member of %s any more, and has no key to it", m.Name, m.OrgName)
		return nil
	})
}

// OrgDeleteCmd deletes an organisation.
type OrgDeleteCmd struct {
	ID  string `arg:"" help:"Id of the organisation."`
	Yes bool   `short:"y" help:"Do not ask."`
}

// Run deletes an organisation.
func (c *OrgDeleteCmd) Run(desk *Desk) error {
	if err := desk.Confirm(c.Yes, fmt.Sprintf("Delete the organisation %s and everything in it?", c.ID)); err != nil {
		return err
	}
	return desk.API(true, func(cl *client.Client) error {
		rm, err := cl.DeleteOrganisation(desk.Ctx, lukasa.ID(c.ID))
		if err != nil {
			return err
		}
		return desk.TellDeleted([]client.Deleted{rm})
	})
}
