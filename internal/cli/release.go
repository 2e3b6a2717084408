package cli

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// ReleaseCmd puts memories in force that wait for a review.
type ReleaseCmd struct {
	ID []lukasa.ID `arg:"" help:"Memories, as lukasa list memories --state candidate and --state quarantined show them."`
}

// Run releases them, and prints each as it stands now.
func (c *ReleaseCmd) Run(a *app) error {
	out := lukasa.Listing[lukasa.Memory]{Items: []lukasa.Memory{}}
	err := a.api(toChange, func(api *client.Client) error {
		for _, id := range c.ID {
			m, err := api.Release(a.ctx, id)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, m)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out.Total = len(out.Items)
	return show(a, out, []string{"ID", "CONTAINER", "KIND", "CONTENT"}, func(m lukasa.Memory) []string {
		content := oneLine(m.Content, 80)
		if !m.IsLatest {
			content += " (" + m.Reason + ")"
		}
		return []string{string(m.ID), string(m.Path), string(m.Kind), content}
	})
}
