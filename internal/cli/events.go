package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// EventsCmd follows what changes.
type EventsCmd struct {
	Type      []string `help:"Only these, like memory.created, or all of a kind, like memory." placeholder:"TYPE"`
	Container string   `short:"c" help:"Only of this container: work (with all below it), work! (it alone) or work.* (its children)." placeholder:"PATH"`
	Count     int      `short:"n" help:"End after so many." placeholder:"N"`
}

// Help is the detail of the command's help.
func (EventsCmd) Help() string {
	return `It needs a server, and tells what happens from now on until it is interrupted: ids and small facts, never content. With --json each event is one line. A stream that breaks off is taken up again, and a note says that something may have been missed.`
}

// eventTypes are the types that a server tells of.
func eventTypes() []string {
	return []string{
		"document.created", "document.updated", "document.status", "document.deleted", "memory.created", "memory.updated", "memory.deleted", "message.logged", "conversation.updated",
		"recall_file.finalized", "defining_memory.detected", "node.created", "node.deleted", "node.moved", "node.archived", "node.depth_limited", "node.suggested",
		"grant.created", "grant.revoked", "member.added", "member.changed", "member.removed", "organisation.updated",
	}
}

// Run prints events as they come.
func (c *EventsCmd) Run(a *app) error {
	for _, typ := range c.Type {
		if !slices.ContainsFunc(eventTypes(), func(t string) bool { return matchesType(t, typ) }) {
			return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "--type", Msg: fmt.Sprintf("there are no events %q", typ), Hint: "there are " + strings.Join(eventTypes(), ", ")}
		}
	}
	in, err := placesOf(c.Container)
	if err != nil {
		return err
	}
	return a.running(func(cl *client.Client) error {
		a.note("following %s; ctrl-c ends it", cl.Server())
		n := 0
		for ev, err := range cl.Events(a.ctx) {
			switch {
			case errors.Is(err, client.ErrGap):
				a.note("%s", err)
				continue
			case err != nil:
				return err
			case len(in) > 0 && !in[0].Match(ev.Path):
				continue
			case len(c.Type) > 0 && !slices.ContainsFunc(c.Type, func(typ string) bool { return matchesType(string(ev.Type), typ) }):
				continue
			}
			if err := a.event(ev); err != nil {
				return err
			}
			if n++; n == c.Count {
				break
			}
		}
		return nil
	})
}

// about reports whether a type of events is the one that is asked for, or of that kind.
func matchesType(typ, asked string) bool { return typ == asked || strings.HasPrefix(typ, asked+".") }

func (a *app) event(ev lukasa.Event) error {
	if a.g.JSON {
		return json.NewEncoder(a.p.Out).Encode(ev)
	}
	var facts []string
	for _, k := range slices.Sorted(maps.Keys(ev.Data)) {
		facts = append(facts, fmt.Sprintf("%s=%v", k, ev.Data[k]))
	}
	a.say("%s", strings.TrimRight(fmt.Sprintf("%s  %-24s  %s  %s  %s", ev.At.Local().Format("15:04:05"), ev.Type, ev.Record, ev.Path, oneLine(strings.Join(facts, " "), 120)), " "))
	return nil
}
