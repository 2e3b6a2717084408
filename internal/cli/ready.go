package cli

import (
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
)

type readyCmd struct {
	Wait time.Duration `help:"Wait this long for a server to answer." placeholder:"10s"`
}

// Help is the detail of the command's help.
func (readyCmd) Help() string {
	return `It asks the server that runs on the data directory, or the one that --server names, and needs no key. The exit code is 0 if the server takes requests, and 5 if it does not, or not yet, or is not there.`
}

// Run says whether a server takes requests.
func (c *readyCmd) Run(a *app) error {
	if err := (&statusCmd{Wait: c.Wait}).await(a); err != nil {
		return err
	}
	b, err := a.findServer()
	switch {
	case err != nil:
		return err
	case b == nil:
		return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "no server runs on " + a.loaded.Config.Data, Hint: "`lukasa serve` starts one; --server names one elsewhere"}
	}
	h, err := b.Ready(a.ctx)
	if err != nil {
		return err
	}
	if a.g.JSON {
		err = a.printJSON(h)
	} else {
		a.say("%s", plain(fmt.Sprintf("%s is %s (version %s)", b.server(), h.Status, h.Version)))
	}
	if err == nil && h.Status != "ok" && h.Status != "degraded" {
		return quiet(exitUnavailable)
	}
	return err
}
