package cli

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// RetryCmd tries again what could not be read.
type RetryCmd struct {
	ID  []lukasa.ID `arg:"" optional:"" help:"Documents to try again."`
	All bool        `help:"Everything that has failed."`
}

// Run puts documents back into the queue, and lists what has failed when this process has worked it off.
func (c *RetryCmd) Run(a *app) error {
	if c.All == (len(c.ID) > 0) {
		return lukasa.Invalid("retry", "takes documents, or --all; `lukasa list --status failed` lists them")
	}
	tried := 0
	err := a.api(toChange, func(api *client.Client) (err error) {
		tried, err = api.Retry(a.ctx, c.ID...)
		return err
	})
	if err != nil {
		return err
	}
	return a.api(toRead, func(api *client.Client) error {
		failed, err := api.Documents(a.ctx, lukasa.DocumentFilter{Status: []lukasa.Status{lukasa.StatusFailed}}, lukasa.Page{Limit: 100})
		if err != nil {
			return err
		}
		a.note("tried %s again; %d failed", counted(tried, "document"), failed.Total)
		return show(a, failed, []string{"ID", "TITLE", "REASON"}, func(d lukasa.Document) []string {
			return []string{string(d.ID), oneLine(d.Title, 40), oneLine(d.Reason, 200)}
		})
	})
}
