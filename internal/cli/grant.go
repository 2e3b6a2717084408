package cli

import (
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// GrantCmd grants.
type GrantCmd struct {
	Container string `arg:"" help:"What is granted: this container, and nothing above or below it."`
	Subject   string `arg:"" help:"To whom: a persona's container, or the id of a third party's key."`
	Write     bool   `help:"To read and write; else to read. Third parties may only read."`
	Expires   string `help:"When it ends: a date, or a time from now like 30d." placeholder:"TIME"`
}

// Run gives a persona or a third party leave to one container.
func (c *GrantCmd) Run(a *app) error {
	in := client.NewGrant{Subject: c.Subject, Node: c.Container}
	if c.Write {
		in.Access = "read_write"
	}
	var err error
	if in.Expires, err = When("--expires", c.Expires, time.Now()); err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		g, err := cl.Grant(a.ctx, in)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(g)
		}
		a.say("%s", g.ID)
		may := "read"
		if in.Access != "" {
			may = "read and write"
		}
		a.note("%s may now %s %s", g.Subject, may, g.Path)
		return nil
	})
}

// GrantsCmd lists grants.
type GrantsCmd struct {
	Subject   string `help:"Only those to this persona's container or third party's key." placeholder:"WHO"`
	Container string `short:"c" help:"Only those to this container." placeholder:"PATH"`
	All       bool   `help:"Those that have ended too."`
	Paging
}

// Run lists grants.
func (c *GrantsCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		l, err := cl.Grants(a.ctx, client.GrantQuery{Subject: c.Subject, Node: c.Container, All: c.All}, c.page())
		if err != nil {
			return err
		}
		return show(a, l, []string{"ID", "CONTAINER", "TO", "ACCESS", "GRANTED", "STATE"}, func(g client.Grant) []string {
			return []string{string(g.ID), string(g.Path), string(g.Subject), g.Access, when(g.GrantedAt), lasting(g.RevokedAt, g.ExpiresAt)}
		})
	})
}

// RevokeCmd ends a grant.
type RevokeCmd struct {
	ID string `arg:"" help:"Id of the grant."`
}

// Run ends a grant at once.
func (c *RevokeCmd) Run(a *app) error {
	id, err := lukasa.ParseID(lukasa.PrefixGrant, c.ID)
	if err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		g, err := cl.RevokeGrant(a.ctx, id)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(g)
		}
		a.say("revoked %s: %s may no longer see %s", g.ID, g.Subject, g.Path)
		return nil
	})
}
