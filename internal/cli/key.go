package cli

import (
	"time"

	"github.com/lukasa-memory/lukasa"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key and print its secret, this once."`
	List   KeyListCmd   `cmd:"" help:"List keys."`
	Revoke keyRevokeCmd `cmd:"" help:"End a key at once."`
}

type keyCreateCmd struct {
	Name      string `arg:"" help:"What it is for."`
	User      string `help:"Whose key; yours otherwise." placeholder:"ID"`
	Org       string `help:"A key to the records of this organisation, as far as your role there reaches." placeholder:"ID"`
	Admin     bool   `help:"It may manage users, keys and the server."`
	Container string `short:"c" help:"Bind it to this container and what is below." placeholder:"PATH"`
	Persona   string `help:"Bind it to this persona: its container, and what is granted to it." placeholder:"PATH"`
	Third     bool   `name:"third-party" help:"For a connected application: it reads what is granted to it, and nothing else."`
	ReadOnly  bool   `help:"It may not change anything."`
	Expires   string `help:"When it ends: a date, or a time from now like 30d." placeholder:"TIME"`
}

// Run makes a key. Its secret alone goes to standard output, so that it can be piped.
func (c *keyCreateCmd) Run(a *app) error {
	k := lukasa.Key{Name: c.Name, Org: lukasa.ID(c.Org), Role: lukasa.RoleUser, Root: lukasa.Path(c.Container), ReadOnly: c.ReadOnly, Persona: lukasa.ID(c.Persona), ThirdParty: c.Third}
	if c.Admin {
		k.Role = lukasa.RoleAdmin
	}
	var err error
	if c.User != "" {
		if k.User, err = lukasa.ParseID(lukasa.PrefixUser, c.User); err != nil {
			return err
		}
	}
	if k.ExpiresAt, err = When("--expires", c.Expires, time.Now()); err != nil {
		return err
	}
	return a.with(toWrite, func(b backend) error {
		made, secret, err := b.CreateKey(a.ctx, k)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(struct {
				lukasa.Key
				Secret string `json:"key"`
			}{made, secret})
		}
		a.say("%s", secret)
		a.note("%s  %s: keep it, it is not shown again", made.ID, made.Name)
		return nil
	})
}

// whole makes a listing of a list that is not cut.
func whole[T any](items []T) lukasa.Listing[T] {
	if items == nil {
		items = []T{}
	}
	return lukasa.Listing[T]{Items: items, Total: len(items)}
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"Id of the key."`
}

// Run ends a key.
func (c *keyRevokeCmd) Run(a *app) error {
	id, err := lukasa.ParseID(lukasa.PrefixKey, c.ID)
	if err != nil {
		return err
	}
	return a.with(toChange, func(b backend) error {
		k, err := b.RevokeKey(a.ctx, id)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(k)
		}
		a.say("revoked %s  %s", k.ID, k.Name)
		return nil
	})
}
