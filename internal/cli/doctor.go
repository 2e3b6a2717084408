package cli

import "github.com/lukasa-memory/lukasa"

type doctorCmd struct {
	Repair bool `help:"Build again what is derived, and try dead jobs again."`
}

// Run looks for damage. What is found, or left after a repair, makes the exit code 1.
func (c *doctorCmd) Run(a *app) error {
	return a.with(toChange, func(b backend) error {
		found, err := b.Doctor(a.ctx, c.Repair)
		if err != nil {
			return err
		}
		if c.Repair {
			if err := b.settle(a.ctx, nil); err != nil {
				return err
			}
			if found, err = b.Doctor(a.ctx, false); err != nil {
				return err
			}
		}
		if a.g.JSON {
			err = a.printJSON(struct {
				lukasa.Listing[string]
				Repaired bool `json:"repaired"`
			}{whole(found), c.Repair})
		} else {
			for _, line := range found {
				a.say("%s", plain(line))
			}
			if len(found) == 0 {
				a.say("no damage found")
			}
			if c.Repair {
				a.note("the index is built again at the next search")
			}
		}
		if err == nil && len(found) > 0 {
			return quiet(exitError)
		}
		return err
	})
}
