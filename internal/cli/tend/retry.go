package tend

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
func (c *RetryCmd) Run(desk *Desk) error {
	if c.All == (len(c.ID) > 0) {
		return lukasa.Invalid("retry", "takes documents, or --all; `lukasa list --status failed` lists them")
	}
	tried := 0
	err := desk.API(true, func(api *client.Client) (err error) {
		tried, err = api.Retry(desk.Ctx, c.ID...)
		return err
	})
	if err != nil {
		return err
	}
	return desk.API(false, func(api *client.Client) error {
		failed, err := api.Documents(desk.Ctx, lukasa.DocumentFilter{Status: []lukasa.Status{lukasa.StatusFailed}}, lukasa.Page{Limit: 100})
		if err != nil {
			return err
		}
		desk.Note("tried %s again; %d failed", desk.Counted(tried, "document"), failed.Total)
		return Show(desk, failed, []string{"ID", "TITLE", "REASON"}, func(d lukasa.Document) []string {
			return []string{string(d.ID), desk.OneLine(d.Title, 40), desk.OneLine(d.Reason, 200)}
		})
	})
}
