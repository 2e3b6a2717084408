package cli

import (
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// Bounds are what an owner of records may have. It is exported because kong reads exported embedded structs only.
type Bounds struct {
	Files     *int   `help:"Documents that they may have; 0: no limit." placeholder:"N"`
	Storage   *int64 `help:"Bytes that they may take; 0: no limit." placeholder:"N"`
	Sessions  *int   `help:"Conversations at once; 0: no limit." placeholder:"N"`
	Requests  *int   `help:"Requests a minute; 0: no limit." placeholder:"N"`
	Retention *int   `help:"Days after which records are deleted; 0: they are kept." placeholder:"DAYS"`
}

// set changes an owner's limits, where any are given, and shows them.
func (c *Bounds) set(a *app, id lukasa.ID, change func(cl *client.Client, settings map[string]any) error) error {
	return a.api(toChange, func(cl *client.Client) error {
		now, err := cl.Usage(a.ctx, id)
		if err != nil {
			return err
		}
		if settings := c.settings(now); len(settings) > 0 {
			if err := change(cl, settings); err != nil {
				return err
			}
			if now, err = cl.Usage(a.ctx, id); err != nil {
				return err
			}
		}
		return a.used(now)
	})
}

// settings are what is to be merged into an owner's: a limit that is not given stays as it is.
func (c *Bounds) settings(now client.Usage) map[string]any {
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
	return settings
}

// UserEditCmd changes what a user may have.
type UserEditCmd struct {
	ID string `arg:"" help:"Id of the user."`
	Bounds
}

// Run changes a user's limits and shows them.
func (c *UserEditCmd) Run(a *app) error {
	id := lukasa.ID(c.ID)
	return c.set(a, id, func(cl *client.Client, settings map[string]any) error {
		_, err := cl.ChangeUser(a.ctx, id, settings)
		return err
	})
}

// used shows what a user has, of what they may have.
func (a *app) used(now client.Usage) error {
	if a.g.JSON {
		return a.printJSON(now)
	}
	of := func(has, may string, limit int64) string {
		if limit == 0 {
			return has
		}
		return has + " of " + may
	}
	l := now.Limits
	line := of(fmt.Sprint(now.Files), fmt.Sprint(l.Files), int64(l.Files)) + " files, " + of(bytesOf(now.Storage), bytesOf(l.Storage), l.Storage) + ", " +
		of(fmt.Sprint(now.Sessions), fmt.Sprint(l.Sessions), int64(l.Sessions)) + " conversations at once"
	if l.Requests > 0 {
		line += fmt.Sprintf(", %d requests a minute", l.Requests)
	}
	a.say("%s", line)
	if now.Retention > 0 {
		a.say("records are deleted after %d days", now.Retention)
	}
	return nil
}
