package cli

import (
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// KeyListCmd lists keys.
type KeyListCmd struct {
	All bool   `help:"Everyone's; for admins."`
	Org string `help:"Those to the records of this organisation." placeholder:"ID"`
}

// Run lists keys.
func (c *KeyListCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		var keys []lukasa.Key
		var err error
		if c.Org != "" {
			keys, err = cl.OrganisationKeys(a.ctx, lukasa.ID(c.Org))
		} else {
			keys, err = cl.Keys(a.ctx, c.All)
		}
		if err != nil {
			return err
		}
		return show(a, whole(keys), []string{"ID", "NAME", "KEY", "ROLE", "CONTAINER", "CREATED", "LAST USED", "STATE"}, func(k lukasa.Key) []string {
			role := string(k.Role)
			if k.Org != "" {
				role = "member"
			}
			if k.ReadOnly {
				role += ", read-only"
			}
			if k.ThirdParty {
				role = "third party"
			} else if k.Persona != "" {
				role += ", persona"
			}
			place := string(k.Root)
			if place == "" {
				place = string(k.Persona) // of a persona that is gone
			}
			used := ""
			if k.LastUsedAt != nil {
				used = when(*k.LastUsedAt)
			}
			return []string{string(k.ID), oneLine(k.Name, 30), k.Hint + "…", role, place, when(k.CreatedAt), used, lasting(k.RevokedAt, k.ExpiresAt)}
		})
	})
}

// lasting says whether what may be revoked or end by itself still holds.
func lasting(revoked, expires *time.Time) string {
	switch {
	case revoked != nil:
		return "revoked"
	case expires != nil && !expires.After(time.Now()):
		return "expired"
	case expires != nil:
		return "until " + when(*expires)
	}
	return "valid"
}

// WhoamiCmd shows whom a key speaks for.
type WhoamiCmd struct{}

// Run shows whom the key speaks for.
func (WhoamiCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		u, k, err := cl.WhoAmI(a.ctx)
		if err != nil {
			return err
		}
		org, role, err := cl.Standing(a.ctx)
		if err != nil {
			return err
		}
		if a.g.JSON {
			out := map[string]any{"user": u, "key": k, "read_only": k.ReadOnly}
			if role != "" {
				out["organisation"] = map[string]any{"id": k.Org, "name": org, "role": role}
			}
			return a.printJSON(out)
		}
		a.field("user", oneLine(u.Name, 60)+"  "+string(u.ID))
		if role != "" {
			a.field("records of", oneLine(org, 60)+"  "+string(k.Org))
		} else {
			role = string(k.Role)
		}
		if k.ReadOnly {
			role += ", read-only"
		}
		a.field("role", role)
		if k.ID != "" {
			a.field("key", oneLine(k.Name, 60)+"  "+string(k.ID))
		}
		if k.Root != "" {
			a.field("container", string(k.Root))
		}
		return nil
	})
}
