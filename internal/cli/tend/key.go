package tend

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
func (c *KeyListCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		var keys []lukasa.Key
		var err error
		if c.Org != "" {
			keys, err = cl.OrganisationKeys(desk.Ctx, lukasa.ID(c.Org))
		} else {
			keys, err = cl.Keys(desk.Ctx, c.All)
		}
		if err != nil {
			return err
		}
		return Show(desk, whole(keys), []string{"ID", "NAME", "KEY", "ROLE", "CONTAINER", "CREATED", "LAST USED", "STATE"}, func(k lukasa.Key) []string {
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
				used = desk.When(*k.LastUsedAt)
			}
			return []string{string(k.ID), desk.OneLine(k.Name, 30), k.Hint + "…", role, place, desk.When(k.CreatedAt), used, lasting(desk, k.RevokedAt, k.ExpiresAt)}
		})
	})
}

// lasting says whether what may be revoked or end by itself still holds.
func lasting(desk *Desk, revoked, expires *time.Time) string {
	switch {
	case revoked != nil:
		return "revoked"
	case expires != nil && !expires.After(time.Now()):
		return "expired"
	case expires != nil:
		return "until " + desk.When(*expires)
	}
	return "valid"
}

// whole makes a listing of a list that is not cut.
func whole[T any](items []T) lukasa.Listing[T] {
	if items == nil {
		items = []T{}
	}
	return lukasa.Listing[T]{Items: items, Total: len(items)}
}

// WhoamiCmd shows whom a key speaks for.
type WhoamiCmd struct{}

// Run shows whom the key speaks for.
func (WhoamiCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		u, k, err := cl.WhoAmI(desk.Ctx)
		if err != nil {
			return err
		}
		org, role, err := cl.Standing(desk.Ctx)
		if err != nil {
			return err
		}
		if desk.JSON {
			out := map[string]any{"user": u, "key": k, "read_only": k.ReadOnly}
			if role != "" {
				out["organisation"] = map[string]any{"id": k.Org, "name": org, "role": role}
			}
			return desk.Print(out)
		}
		desk.Field("user", desk.OneLine(u.Name, 60)+"  "+string(u.ID))
		if role != "" {
			desk.Field("records of", desk.OneLine(org, 60)+"  "+string(k.Org))
		} else {
			role = string(k.Role)
		}
		if k.ReadOnly {
			role += ", read-only"
		}
		desk.Field("role", role)
		if k.ID != "" {
			desk.Field("key", desk.OneLine(k.Name, 60)+"  "+string(k.ID))
		}
		if k.Root != "" {
			desk.Field("container", string(k.Root))
		}
		return nil
	})
}
