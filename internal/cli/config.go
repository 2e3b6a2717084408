package cli

import "github.com/lukasa-memory/lukasa/internal/config"

type configCmd struct{}

// Help is the detail of the command's help.
func (configCmd) Help() string {
	return `Every setting can stand in the file, in the environment or on the command line, and the later wins; docs/config.md explains them. Secrets are masked.`
}

// Run prints the settings in force.
func (c *configCmd) Run(a *app) error {
	values := a.loaded.Origins()
	if a.g.JSON {
		return a.printJSON(struct {
			File     string         `json:"file,omitempty"`
			Settings []config.Value `json:"settings"`
		}{a.loaded.File, values})
	}
	rows := make([][]string, len(values))
	for i, v := range values {
		rows[i] = []string{v.Key, plain(v.Value), v.Origin.String()}
	}
	return a.table([]string{"SETTING", "VALUE", "FROM"}, rows)
}
