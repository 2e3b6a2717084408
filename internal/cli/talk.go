package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

type briefCmd struct {
	Query      []string `arg:"" help:"What it is about, in plain words."`
	Container  []string `short:"c" sep:"none" help:"Look only here; may be repeated." placeholder:"PATH"`
	MaxTokens  int      `default:"2000" help:"Tokens of the text, markers included." placeholder:"N"`
	Floor      *float64 `help:"Least relevance, 0 to 1; otherwise 0.4." placeholder:"X"`
	Session    string   `help:"What this session was given it is not given again. A running server keeps it for a day." placeholder:"NAME"`
	Fresh      bool     `help:"Forget what the session was given."`
	NoDefining bool     `help:"Without decisions, milestones, events and turning points."`
	From       string   `help:"What happened at or after this time." placeholder:"TIME"`
	To         string   `help:"What happened before this time." placeholder:"TIME"`
	AsOf       string   `help:"What had been saved by then." placeholder:"TIME"`
	ValidAt    string   `help:"Memories that were true then, alone." placeholder:"TIME"`
}

// Run prints the text and nothing else; what else there is to say goes to standard error.
func (c *briefCmd) Run(a *app) error {
	if c.MaxTokens == 0 { // which is a default for the others
		c.MaxTokens = -1
	}
	r := client.BriefRequest{Query: strings.Join(c.Query, " "), MaxTokens: c.MaxTokens, Session: c.Session, Fresh: c.Fresh, NoDefining: c.NoDefining}
	if c.Floor != nil {
		if r.Floor = *c.Floor; r.Floor == 0 {
			r.Floor = -1 // none
		}
	}
	var err, badTime, badValid, badFrom, badTo error
	r.Containers, err = Patterns(c.Container)
	r.AsOf, badTime = Perhaps(Moment("--as-of", c.AsOf))
	r.ValidAt, badValid = Perhaps(Moment("--valid-at", c.ValidAt))
	r.From, badFrom = Perhaps(Moment("--from", c.From))
	r.To, badTo = Perhaps(Moment("--to", c.To))
	if err := errors.Join(err, badTime, badValid, badFrom, badTo); err != nil {
		return err
	}
	return a.with(toRead, func(b backend) error {
		out, err := b.Brief(a.ctx, r)
		switch {
		case err != nil || a.g.JSON:
			return a.printUnless(err, out)
		case out.Text == "":
			a.note("%s", out.Message)
			return nil
		}
		a.say("%s", plain(out.Text))
		a.note("%s of %d, %s", counted(out.Tokens, "token"), c.MaxTokens, counted(len(out.Hits), "hit"))
		return nil
	})
}

type profileCmd struct {
	Container string `arg:"" optional:"" help:"Whom or what it is about: work (with all below it), work! (it alone) or work.* (its children); nothing means everything."`
	In        string `short:"c" name:"container" help:"The same, as other commands have it." placeholder:"PATH"`
	Query     string `short:"q" help:"A question: what is relevant to it is shown too." placeholder:"TEXT"`
	AsOf      string `help:"What was known then." placeholder:"TIME"`
	ValidAt   string `help:"Made of what was true then." placeholder:"TIME"`
	MaxTokens int    `help:"Tokens of all lines together; no bound otherwise." placeholder:"N"`
}

// Run prints what is known.
func (c *profileCmd) Run(a *app) error {
	at, badTime := Perhaps(Moment("--as-of", c.AsOf))
	valid, badValid := Perhaps(Moment("--valid-at", c.ValidAt))
	if c.Container != "" && c.In != "" {
		return lukasa.Invalid("--container", "a container is named already: %s", c.Container)
	}
	if err := errors.Join(badTime, badValid); err != nil {
		return err
	}
	return a.with(toRead, func(b backend) error {
		p, err := b.Profile(a.ctx, client.ProfileRequest{Container: cmp.Or(c.Container, c.In), Query: c.Query, AsOf: at, ValidAt: valid, MaxTokens: c.MaxTokens})
		if err == nil && p.Text() == "" && !a.g.JSON {
			a.note("nothing is known yet")
			return nil
		}
		return a.printed(p, err)
	})
}

// printed prints an answer as text or JSON, unless there is an error.
func (a *app) printed(v interface{ Text() string }, err error) error {
	if err != nil || a.g.JSON {
		return a.printUnless(err, v)
	}
	a.say("%s", plain(strings.TrimRight(v.Text(), "\n")))
	return nil
}

// printUnless prints v as JSON, unless there is an error.
func (a *app) printUnless(err error, v any) error {
	if err != nil {
		return err
	}
	return a.printJSON(v)
}

type chatCmd struct {
	Message      []string `arg:"" optional:"" help:"What to say; nothing opens a dialogue, - reads it from standard input."`
	Conversation string   `default:"chat" help:"The conversation that it is kept in, by name or id." placeholder:"NAME"`
	Container    string   `short:"c" help:"Where it is kept." placeholder:"PATH"`
	Model        string   `help:"Another model of the configured provider." placeholder:"NAME"`
	System       string   `help:"What the model should be." placeholder:"TEXT"`
	NoMemories   bool     `help:"Recall nothing."`
}

// Run asks the model once, or line by line until the input ends.
func (c *chatCmd) Run(a *app) error {
	said := strings.Join(c.Message, " ")
	if said == "-" || said == "" && !a.tty.in {
		all, err := io.ReadAll(io.LimitReader(a.p.In, a.loaded.Config.MaxBody))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		said = string(all)
	}
	return a.with(toWrite, func(b backend) error {
		if said != "" {
			return c.ask(a, b, said)
		}
		a.note("an empty line, or ctrl-d, ends it")
		for lines := bufio.NewScanner(a.p.In); ; {
			fmt.Fprint(a.p.Err, a.tty.paint(bold, "> "))
			if !lines.Scan() || strings.TrimSpace(lines.Text()) == "" {
				return lines.Err()
			}
			if err := c.ask(a, b, lines.Text()); err != nil && a.ctx.Err() == nil {
				report(a.p.Err, err)
			}
		}
	})
}

// ask prints an answer as it is written, and what it rests on.
func (c *chatCmd) ask(a *app, b backend, message string) error {
	r := client.ChatRequest{Message: message, Conversation: c.Conversation, Container: c.Container, Model: c.Model, System: c.System}
	if c.NoMemories {
		r.Memories = new(false)
	}
	delta := func(s string) error {
		_, err := io.WriteString(a.p.Out, plain(s))
		return err
	}
	if a.g.JSON {
		delta = nil
	}
	out, err := b.Chat(a.ctx, r, delta)
	if err != nil || a.g.JSON {
		return a.printUnless(err, out)
	}
	a.say("")
	var topics []string
	for _, m := range out.Memories {
		if s := m.Topic + ", " + m.Date; !slices.Contains(topics, s) {
			topics = append(topics, s)
		}
	}
	if len(topics) > 0 {
		a.note("%s", a.tty.paint(dim, oneLine("recalled: "+strings.Join(topics, " · "), a.tty.width)))
	}
	return nil
}

func (c *listCmd) recallFiles(a *app, b client.Verbs, in []lukasa.Pattern) error {
	f := client.RecallFileQuery{Containers: in, Topic: c.Title, Status: c.Status}
	l, err := pages(c, func(p lukasa.Page) (lukasa.Listing[client.RecallFile], error) { return b.RecallFiles(a.ctx, f, p) })
	if err != nil {
		return err
	}
	return show(a, l, []string{"ID", "BEGUN", "CONTAINER", "STATUS", "MESSAGES", "TOPIC"}, func(f client.RecallFile) []string {
		return []string{string(f.ID), when(f.CreatedAt), string(f.Container), f.Status, fmt.Sprint(f.Messages), oneLine(f.Topic, 60)}
	})
}
