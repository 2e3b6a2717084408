package cli

import (
	"cmp"
	"errors"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// DefiningCmd lists the moments that shape what comes after them.
type DefiningCmd struct {
	Container  []string `arg:"" optional:"" help:"Only here: work (with all below it), work! (it alone) or work.* (its children)."`
	In         []string `short:"c" name:"container" sep:"none" help:"The same, as other commands have it; may be repeated." placeholder:"PATH"`
	Type       []string `help:"Only decision, milestone, event or turning_point." placeholder:"TYPE"`
	Since      string   `help:"Only what happened at or after this time: a date, or how long ago like 30d." placeholder:"TIME"`
	Superseded bool     `help:"Those too that something newer took the place of."`
	AsOf       string   `help:"As they were known then." placeholder:"TIME"`
	ValidAt    string   `help:"Only those that were true then." placeholder:"TIME"`
	Limit      int      `short:"n" default:"20" help:"How many at most, up to 100." placeholder:"N"`
	Cursor     string   `help:"Go on where a page ended."`
}

// Run lists them, each with what was said around it.
func (c *DefiningCmd) Run(a *app) error {
	q := client.DefiningQuery{Superseded: c.Superseded}
	in, err := Patterns(append(c.Container, c.In...))
	if err != nil {
		return err
	}
	q.Containers = in
	for _, t := range c.Type {
		q.Kinds = append(q.Kinds, lukasa.MemoryKind(t))
	}
	since, badSince := Moment("--since", c.Since)
	valid, badValid := Moment("--valid-at", c.ValidAt)
	var badThen error
	q.At, badThen = Moment("--as-of", c.AsOf)
	if err := errors.Join(badSince, badValid, badThen); err != nil {
		return err
	}
	q.Since, q.ValidAt = perhaps(since), perhaps(valid)
	return a.api(toRead, func(cl *client.Client) error {
		l, err := cl.DefiningMemories(a.ctx, q, lukasa.Page{Limit: c.Limit, Cursor: c.Cursor})
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(l)
		case len(l.Items) == 0:
			a.note("there are none")
			return nil
		}
		for i, m := range l.Items {
			if i > 0 {
				a.say("")
			}
			a.defining(m)
		}
		if l.Next != "" {
			a.note("%d of %d; more with --cursor %s", len(l.Items), l.Total, l.Next)
		}
		return nil
	})
}

// perhaps makes nil of a moment that is not there.
func perhaps(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (a *app) defining(m client.DefiningMemory) {
	at := m.DetectedAt
	if m.OccurredAt != nil {
		at = *m.OccurredAt
	}
	gone := ""
	if !m.IsLatest {
		gone = " (superseded)"
	}
	a.say("%s  %s  %s%s", when(at), m.Type, oneLine(m.Summary, 300), gone)
	a.say("  %s · %s", m.Container, m.ID)
	if said := oneLine(m.Context, 300); said != "" {
		a.say("  %s: %s", cmp.Or(string(m.Message), "said"), said)
	}
}
