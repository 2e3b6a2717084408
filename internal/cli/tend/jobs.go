package tend

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
func (c *JobsCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		l, err := cl.Tasks(desk.Ctx, c.State, c.page())
		if err != nil {
			return err
		}
		return Show(desk, l, []string{"RECORD", "STATE", "KIND", "SINCE", "WHAT"}, func(t client.Task) []string {
			id, kind := t.Document, "process"
			if t.Job != "" {
				id, kind = t.Record, string(t.Kind)
			}
			what := desk.OneLine(t.Title, 40)
			if t.Reason != "" {
				what = strings.TrimPrefix(what+": "+desk.OneLine(t.Reason, 200), ": ")
			}
			return []string{string(id), t.State, kind, desk.When(t.UpdatedAt), what}
		})
	})
}

// UsageCmd shows what a user has, and may have.
type UsageCmd struct {
	User string `arg:"" optional:"" help:"Id of a user, for admins; you otherwise."`
}

// Run shows it.
func (c *UsageCmd) Run(desk *Desk) error {
	return desk.API(false, func(cl *client.Client) error {
		u, err := cl.Usage(desk.Ctx, lukasa.ID(c.User))
		return firstError(err, func() error { return desk.used(u) })
	})
}
