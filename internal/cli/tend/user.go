package tend

import (
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// UserEditCmd changes what a user may have.
type UserEditCmd struct {
	ID        string `arg:"" help:"Id of the user."`
	Files     *int   `help:"Documents that the user may have; 0: no limit." placeholder:"N"`
	Storage   *int64 `help:"Bytes that they may take; 0: no limit." placeholder:"N"`
	Sessions  *int   `help:"Conversations at once; 0: no limit." placeholder:"N"`
	Requests  *int   `help:"Requests a minute; 0: no limit." placeholder:"N"`
	Retention *int   `help:"Days after which records are deleted; 0: they are kept." placeholder:"DAYS"`
}

// Run changes a user's limits and shows them.
func (c *UserEditCmd) Run(desk *Desk) error {
	return desk.API(true, func(cl *client.Client) error {
		id := lukasa.ID(c.ID)
		now, err := cl.Usage(desk.Ctx, id)
		if err != nil {
			return err
		}
		l := now.Limits
		settings := map[string]any{}
		for _, x := range []struct {
			set *int
			to  *int
		}{{c.Files, &l.Files}, {c.Sessions, &l.Sessions}, {c.Requests, &l.Requests}} {
			if x.set != nil {
				*x.to, settings["limits"] = *x.set, true
			}
		}
		if c.Storage != nil {
			l.Storage, settings["limits"] = *c.Storage, true
		}
		if settings["limits"] != nil {
			settings["limits"] = l
		}
		if c.Retention != nil {
			if settings["retention_days"] = *c.Retention; *c.Retention == 0 {
				settings["retention_days"] = nil
			}
		}
		if len(settings) > 0 {
			if _, err := cl.ChangeUser(desk.Ctx, id, settings); err != nil {
				return err
			}
			if now, err = cl.Usage(desk.Ctx, id); err != nil {
				return err
			}
		}
		return desk.used(now)
	})
}

// used shows what a user has, of what they may have.
func (desk *Desk) used(now client.Usage) error {
	if desk.JSON {
		return desk.Print(now)
	}
	of := func(has, may string, limit int64) string {
		if limit == 0 {
			return has
		}
		return has + " of " + may
	}
	l := now.Limits
	line := of(fmt.Sprint(now.Files), fmt.Sprint(l.Files), int64(l.Files)) + " files, " + of(desk.Bytes(now.Storage), desk.Bytes(l.Storage), l.Storage) + ", " +
		of(fmt.Sprint(now.Sessions), fmt.Sprint(l.Sessions), int64(l.Sessions)) + " conversations at once"
	if l.Requests > 0 {
		line += fmt.Sprintf(", %d requests a minute", l.Requests)
	}
	desk.Say("%s", line)
	if now.Retention > 0 {
		desk.Say("records are deleted after %d days", now.Retention)
	}
	return nil
}
