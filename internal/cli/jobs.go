package cli

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// JobsCmd lists what is not done.
type JobsCmd struct {
	State string `help:"Only what is waiting, running or failed." enum:"waiting,running,failed," default:"" placeholder:"STATE"`
	Paging
}

// Run lists documents that are not done, and behind the last of them the jobs of other kinds.
func (c *JobsCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		l, err := cl.Tasks(a.ctx, c.State, c.page())
		if err != nil {
			return err
		}
		return showTasks(a, l)
	})
}

// showTasks prints what is not done.
func showTasks(a *app, l lukasa.Listing[client.Task]) error {
	return show(a, l, []string{"RECORD", "STATE", "KIND", "SINCE", "WHAT"}, func(t client.Task) []string {
		id, kind := t.Document, "process"
		if t.Job != "" {
			id, kind = t.Record, string(t.Kind)
		}
		what := oneLine(t.Title, 40)
		if t.Reason != "" {
			what = strings.TrimPrefix(what+": "+oneLine(t.Reason, 200), ": ")
		}
		return []string{string(id), t.State, kind, when(t.UpdatedAt), what}
	})
}

// UsageCmd shows what a user has, and may have.
type UsageCmd struct {
	User string `arg:"" optional:"" help:"Id of a user, for admins; you otherwise."`
}

// Run shows it.
func (c *UsageCmd) Run(a *app) error {
	return a.api(toRead, func(cl *client.Client) error {
		u, err := cl.Usage(a.ctx, lukasa.ID(c.User))
		return firstError(err, func() error { return a.used(u) })
	})
}
