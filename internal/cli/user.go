package cli

import (
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

type userCmd struct {
	Create userCreateCmd `cmd:"" help:"Make a user with records of their own."`
	List   userListCmd   `cmd:"" help:"List users."`
	Edit   UserEditCmd   `cmd:"" help:"Change what a user may have, and how long records are kept."`
	Delete userDeleteCmd `cmd:"" help:"Remove a user and everything of theirs, for good."`
}

type userCreateCmd struct {
	Name       string `arg:"" help:"Name of the user."`
	Email      string `help:"Address of the user."`
	ExternalID string `name:"external-id" help:"Id of the user in another system." placeholder:"ID"`
	Admin      bool   `help:"The user may manage users, keys and the server."`
}

// Run makes a user.
func (c *userCreateCmd) Run(a *app) error {
	u := lukasa.User{Name: c.Name, Email: c.Email, ExternalID: c.ExternalID, Role: lukasa.RoleUser}
	if c.Admin {
		u.Role = lukasa.RoleAdmin
	}
	return a.with(toWrite, func(b backend) error {
		made, err := b.CreateUser(a.ctx, u)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(made)
		}
		a.say("%s", made.ID)
		a.note("made the user %s; `lukasa key create NAME --user %s` makes a key", made.Name, made.ID)
		return nil
	})
}

type userListCmd struct{}

// Run lists users.
func (c *userListCmd) Run(a *app) error {
	return a.with(toRead, func(b backend) error {
		users, err := b.Users(a.ctx)
		if err != nil {
			return err
		}
		return show(a, whole(users), []string{"ID", "NAME", "ROLE", "EMAIL", "CREATED"}, func(u lukasa.User) []string {
			return []string{string(u.ID), oneLine(u.Name, 40), string(u.Role), oneLine(u.Email, 40), when(u.CreatedAt)}
		})
	})
}

type userDeleteCmd struct {
	ID    string `arg:"" help:"Id of the user."`
	Trash bool   `help:"Refuse the user's keys, and remove everything later; until then restore brings the user back."`
	Yes   bool   `short:"y" help:"Do not ask."`
}

// Run removes a user.
func (c *userDeleteCmd) Run(a *app) error {
	id, err := lukasa.ParseID(lukasa.PrefixUser, c.ID)
	if err != nil {
		return err
	}
	if err := a.confirm(c.Yes || c.Trash, fmt.Sprintf("Delete the user %s and everything of theirs?", id)); err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		rm, err := cl.Delete(a.ctx, id, c.Trash, false)
		if err != nil {
			return err
		}
		return a.TellDeleted([]client.Deleted{rm})
	})
}
