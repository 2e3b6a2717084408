package cli

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

type readyCmd struct {
	Wait  time.Duration `help:"Wait this long for a server to answer." placeholder:"10s"`
	Write bool          `help:"Say no also where what is saved is refused, as on a full disk, while searches go on."`
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
	var ready bool
	var h client.Health
	if c.Write {
		ready, h, err = b.ReadyToWrite(a.ctx)
	} else if h, err = b.Ready(a.ctx); err == nil {
		ready = h.Status == "ok" || h.Status == "degraded"
	}
	if err != nil {
		return err
	}
	if a.g.JSON {
		err = a.printJSON(h)
	} else {
		a.say("%s", plain(fmt.Sprintf("%s is %s (version %s)", b.server(), h.Status, h.Version)))
		for _, name := range slices.Sorted(maps.Keys(h.Checks)) {
			if check := h.Checks[name]; check.Status != "ok" {
				a.field("  "+name, plain(check.Status+"  "+check.Detail))
			}
		}
	}
	if err == nil && !ready {
		return quiet(exitUnavailable)
	}
	return err
}
