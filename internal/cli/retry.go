package cli

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// RetryCmd tries again what could not be read.
type RetryCmd struct {
	ID  []lukasa.ID `arg:"" optional:"" help:"Documents to try again."`
	All bool        `help:"Everything that has failed."`
}

// Run puts jobs back into the queue. Where this process works them off it lists what has failed again; a server is still at it.
func (c *RetryCmd) Run(a *app) error {
	if c.All == (len(c.ID) > 0) {
		return lukasa.Invalid("retry", "takes documents, or --all; `lukasa jobs --state failed` lists what has failed")
	}
	tried := 0
	server, err := a.findServer()
	if err != nil {
		return err
	}
	err = a.api(toChange, func(api *client.Client) (err error) {
		tried, err = api.Retry(a.ctx, c.ID...)
		return err
	})
	if err != nil {
		return err
	}
	if server != nil {
		a.note("put %s back into the queue; the server works on it, and `lukasa jobs` shows what is left", counted(tried, "job"))
		return nil
	}
	return a.api(toRead, func(api *client.Client) error {
		failed, err := failedTasks(a, api)
		if err != nil {
			return err
		}
		if !c.All {
			failed = slices.DeleteFunc(failed, func(t client.Task) bool { return !slices.Contains(c.ID, t.Document) })
		}
		a.note("tried %s again; %d failed", counted(tried, "job"), len(failed))
		return showTasks(a, lukasa.Listing[client.Task]{Items: failed, Total: len(failed)})
	})
}

// failedTasks lists everything that has failed.
func failedTasks(a *app, api *client.Client) (out []client.Task, err error) {
	for p := (lukasa.Page{Limit: 100}); ; {
		l, err := api.Tasks(a.ctx, "failed", p)
		if out = append(out, l.Items...); err != nil || l.Next == "" {
			return out, err
		}
		p.Cursor = l.Next
	}
}
