package cli

import (
	"errors"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// TimelineCmd lists what happened between two moments.
type TimelineCmd struct {
	Container []string `arg:"" optional:"" help:"Only here: work (with all below it), work! (it alone) or work.* (its children)."`
	In        []string `short:"c" name:"container" sep:"none" help:"The same, as other commands have it; may be repeated." placeholder:"PATH"`
	From      string   `help:"Only at or after this time: a date, or how long ago like 30d." placeholder:"TIME"`
	To        string   `help:"Only before this time." placeholder:"TIME"`
	Kind      []string `help:"Only memory, message, document, or memories of a kind like event; defining and regular stand for several kinds." placeholder:"KIND"`
	Limit     int      `short:"n" default:"20" help:"How many at most, up to 100." placeholder:"N"`
	Cursor    string   `help:"Go on where a page ended." placeholder:"CURSOR"`
}

// Run lists it, a line each: the day, the kind, the text, and the id.
func (c *TimelineCmd) Run(a *app) error {
	var f lukasa.TimelineFilter
	in, err := Patterns(append(c.Container, c.In...))
	if err != nil {
		return err
	}
	f.Containers = in
	from, badFrom := Moment("--from", c.From)
	to, badTo := Moment("--to", c.To)
	f.From, f.To = perhaps(from), perhaps(to)
	if err := errors.Join(badFrom, badTo, f.Narrow(c.Kind)); err != nil {
		return err
	}
	return a.api(toRead, func(cl *client.Client) error {
		l, err := cl.Timeline(a.ctx, f, lukasa.Page{Limit: c.Limit, Cursor: c.Cursor})
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(l)
		case len(l.Items) == 0:
			a.note("there is nothing")
			return nil
		}
		for _, x := range l.Items {
			text := oneLine(x.Text, 300)
			if x.Speaker != "" {
				text = x.Speaker + ": " + text
			}
			if x.Superseded {
				text += " (superseded)"
			}
			a.say("%s  %-9s %s  %s", when(x.Date), x.Kind, text, a.tty.paint(dim, string(x.ID)))
		}
		if l.Next != "" {
			a.note("%d of %d; more with --cursor %s", len(l.Items), l.Total, l.Next)
		}
		return nil
	})
}
