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
		if desk.JSON {
			return desk.Print(now)
		}
		desk.Say("%s of %d files, %s of %s, %d of %d conversations at once, %d requests a minute", fmt.Sprint(now.Files), now.Limits.Files, desk.Bytes(now.Storage),
			desk.Bytes(now.Limits.Storage), now.Sessions, now.Limits.Sessions, now.Limits.Requests)
		if now.Retention > 0 {
			desk.Say("records are deleted after %d days", now.Retention)
		}
		return nil
	})
}
