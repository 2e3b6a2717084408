package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// The styles of what went, what came, and what is beside it.
const (
	red   = "31"
	green = "32"
	cyan  = "36"
)

// changePrefix begins the ids of changes.
const changePrefix lukasa.Prefix = "delta"

// exact writes a moment so that it can be given back, to --from for example.
func exact(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// tracked returns the id of what is named: a memory, a document, a conversation, a container by path or id, or what begins with one of also. Other
// ids are refused.
func tracked(a *app, c *client.Client, s string, also ...lukasa.Prefix) (lukasa.ID, error) {
	switch p := lukasa.ID(s).Prefix(); {
	case p == lukasa.PrefixMemory || p == lukasa.PrefixDocument || p == lukasa.PrefixConversation || p == lukasa.PrefixNode || slices.Contains(also, p):
		return lukasa.ParseID(p, s)
	default:
		if _, err := lukasa.ParseID(p, s); p != "" && err == nil {
			return "", &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: "id",
				Msg: fmt.Sprintf("memories (mem_…), documents (doc_…), conversations (conv_…) and containers have a history, got an id that starts with %q", string(p)+"_"),
			}
		}
	}
	n, err := c.Node(a.ctx, s)
	if unknown(err) && slices.Contains(also, lukasa.PrefixConversation) {
		if v, e := c.ConversationNamed(a.ctx, s, ""); !unknown(e) {
			return v.ID, e
		}
	}
	return n.ID, err
}

// HistoryCmd shows what has changed of a record.
type HistoryCmd struct {
	ID   string `arg:"" help:"Id of a memory, document, message or conversation, a container's path, or your own name for a conversation."`
	AsOf string `help:"Only the changes until then." placeholder:"TIME"`
	Paging
}

// Run lists the changes of a record, newest first.
func (c *HistoryCmd) Run(a *app) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	return a.api(toRead, func(cl *client.Client) error {
		id, err := tracked(a, cl, c.ID, lukasa.PrefixMessage, lukasa.PrefixConversation)
		if err != nil {
			return err
		}
		l, err := cl.HistoryAt(a.ctx, id, c.page(), at)
		if err != nil {
			return err
		}
		return show(a, l, []string{"TIME", "CHANGE", "WHAT", "BY", "FIELDS", "WHY"}, func(d lukasa.Delta) []string {
			return []string{exact(d.At), string(d.ID), d.Op, d.Author, oneLine(touched(d), 50), oneLine(d.Reason, 60)}
		})
	})
}

// touched names the fields that an update changed, and is "-" for what makes or takes away a whole record.
func touched(d lukasa.Delta) string {
	var before, after map[string]any
	if d.Op != "update" || json.Unmarshal(d.Before, &before) != nil || json.Unmarshal(d.After, &after) != nil {
		return "-"
	}
	names := map[string]bool{}
	for _, pair := range [][2]map[string]any{{before, after}, {after, before}} {
		for name, v := range pair[0] {
			if name != "updated_at" && !reflect.DeepEqual(v, pair[1][name]) {
				names[name] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// DiffCmd shows how a record differs from what it was.
type DiffCmd struct {
	ID      string `arg:"" help:"Id of a memory, document or conversation, or a container's path."`
	Against string `arg:"" optional:"" help:"Another document, like a later version, that the first one is compared with: its text too."`
	From    string `help:"The earlier moment; otherwise just before the last change." placeholder:"TIME"`
	To      string `help:"The later moment; otherwise now." placeholder:"TIME"`
}

// Run prints what differs.
func (c *DiffCmd) Run(a *app) error {
	from, err := Moment("--from", c.From)
	if err != nil {
		return err
	}
	to, err := Moment("--to", c.To)
	switch {
	case err != nil:
		return err
	case c.Against != "" && c.From+c.To != "":
		return lukasa.Invalid("--from", "and --to compare one record with itself, and not with another")
	}
	return a.api(toRead, func(cl *client.Client) error {
		id, err := tracked(a, cl, c.ID)
		if err != nil {
			return err
		}
		var d client.Diff
		if c.Against != "" {
			d, err = c.documents(a, cl, id)
		} else {
			if from.IsZero() {
				from, err = lastChange(a, cl, id)
			}
			if err == nil {
				d, err = cl.Diff(a.ctx, id, from, to)
			}
		}
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(d)
		}
		a.tellDiff(c.ID, c.Against, d)
		return nil
	})
}

func (c *DiffCmd) documents(a *app, cl *client.Client, id lukasa.ID) (d client.Diff, err error) {
	if _, err = lukasa.ParseID(lukasa.PrefixDocument, string(id)); err != nil {
		return d, err
	}
	other, err := lukasa.ParseID(lukasa.PrefixDocument, c.Against)
	if err != nil {
		return d, err
	}
	return cl.DiffVersions(a.ctx, id, other)
}

// lastChange is the moment just before the newest change of a record. Moments are kept to the microsecond.
func lastChange(a *app, cl *client.Client, id lukasa.ID) (time.Time, error) {
	d, err := newest(a, cl, id)
	return d.At.Add(-time.Microsecond), err
}

// newest is the newest change of a record.
func newest(a *app, cl *client.Client, id lukasa.ID) (lukasa.Delta, error) {
	l, err := cl.History(a.ctx, id, lukasa.Page{Limit: 1})
	if err == nil && len(l.Items) == 0 {
		err = lukasa.Errorf(lukasa.CodeNotFound, "nothing is known of changes of %s", id)
	}
	if err != nil {
		return lukasa.Delta{}, err
	}
	return l.Items[0], nil
}

// tellDiff prints what went in red and what came in green, as diff does.
func (a *app) tellDiff(id, against string, d client.Diff) {
	if len(d.Fields) == 0 && d.Text == "" {
		a.note("nothing differs")
		return
	}
	before, after := id+" "+exact(d.From), id+" "+exact(d.To)
	if against != "" {
		before, after = id, against
	}
	a.say("%s", a.tty.paint(red, "--- "+plain(before)))
	a.say("%s", a.tty.paint(green, "+++ "+plain(after)))
	for _, f := range d.Fields {
		if against != "" && slices.Contains([]string{"id", "created_at", "content_hash", "previous_id"}, f.Name) {
			continue // of two documents these are never the same
		}
		for _, side := range []struct {
			v           any
			sign, style string
		}{{f.Before, "- ", red}, {f.After, "+ ", green}} {
			if side.v != nil {
				a.say("%s", a.tty.paint(side.style, side.sign+f.Name+": "+oneLine(value(side.v), 200)))
			}
		}
	}
	_, lines, _ := strings.Cut(d.Text, "\n+++ ") // the head stands above
	if _, lines, _ = strings.Cut(lines, "\n"); lines == "" {
		return
	}
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		style := map[bool]string{true: dim}[strings.HasPrefix(line, `\`)]
		switch line[:min(1, len(line))] {
		case "-":
			style = red
		case "+":
			style = green
		case "@":
			style = cyan
		}
		if line = plain(line); style != "" {
			line = a.tty.paint(style, line)
		}
		a.say("%s", line)
	}
}

// value shows a value of JSON: a text as it is.
func value(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return fmt.Sprint(v)
	}
	return b.String()
}

// UndoCmd turns one change back.
type UndoCmd struct {
	ID string `arg:"" help:"Id of a change, as history shows it; or of a memory, document or conversation, or a container's path: then its last change, or the saving of a document."`
}

// Run turns a change back and says what it was.
func (c *UndoCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		id := lukasa.ID(c.ID)
		if id.Prefix() != changePrefix {
			record, err := tracked(a, cl, c.ID)
			if err != nil {
				return err
			}
			id = record // its last change is meant
		}
		d, err := cl.Undo(a.ctx, id)
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(d)
		}
		a.say("undone: %s of %s at %s", d.Op, d.Record, exact(d.At))
		return nil
	})
}

// CorrectCmd puts a statement in the place of another.
type CorrectCmd struct {
	ID      string   `arg:"" help:"Id of the memory that is wrong."`
	Content []string `arg:"" help:"What is right."`
	Reason  string   `help:"Why, or who said so." placeholder:"TEXT"`
}

// Run keeps the right statement and retires the wrong one.
func (c *CorrectCmd) Run(a *app) error {
	id, err := lukasa.ParseID(lukasa.PrefixMemory, c.ID)
	if err != nil {
		return err
	}
	return a.api(toChange, func(cl *client.Client) error {
		m, err := cl.Correct(a.ctx, id, strings.Join(c.Content, " "), c.Reason)
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(m)
		}
		a.say("%s  %s", m.ID, oneLine(m.Content, 100))
		if m.Deduplicated {
			a.note("it says so already: nothing has changed")
			return nil
		}
		a.say("in the place of %s, which stays on record; `lukasa undo %s` turns it back", id, m.ID)
		return nil
	})
}

// RestoreCmd takes records out of the trash, or back to how they were.
type RestoreCmd struct {
	IDs     []string `arg:"" name:"id" help:"What lies in the trash: documents, memories, conversations or users. With --at: memories, documents and containers."`
	At      string   `help:"Make the state that they had then current again." placeholder:"TIME" xor:"how"`
	Version bool     `help:"Make this earlier version of a document the newest one." xor:"how"`
	Reason  string   `help:"Why, with --at." placeholder:"TEXT"`
}

// Run takes records out of the trash, or back to how they were.
func (c *RestoreCmd) Run(a *app) error {
	at, err := Moment("--at", c.At)
	switch {
	case err != nil:
		return err
	case c.Reason != "" && c.At == "":
		return lukasa.Invalid("--reason", "needs --at")
	}
	return a.api(toChange, func(cl *client.Client) error {
		var done []any
		for _, s := range c.IDs {
			v, err := c.one(a, cl, s, at)
			if err != nil {
				return errors.Join(err, a.printAll(done))
			}
			done = append(done, v)
		}
		return a.printAll(done)
	})
}

// printAll prints as JSON what was done to records: to one, or to each of several.
func (a *app) printAll(done []any) error {
	switch {
	case !a.g.JSON || len(done) == 0:
		return nil
	case len(done) == 1:
		return a.printJSON(done[0])
	}
	return a.printJSON(whole(done))
}

// one restores a record, and returns what is to be printed as JSON instead of the line about it.
func (c *RestoreCmd) one(a *app, cl *client.Client, s string, at time.Time) (any, error) {
	say := a.say
	if a.g.JSON {
		say = func(string, ...any) {}
	}
	switch {
	case c.Version:
		id, err := lukasa.ParseID(lukasa.PrefixDocument, s)
		if err != nil {
			return nil, err
		}
		r, err := cl.RestoreVersion(a.ctx, id)
		if err == nil {
			say("%s  version %d, with the content of %s", r.Document.ID, r.Document.Version, id)
		}
		return r.Document, err
	case !at.IsZero():
		id, err := tracked(a, cl, s)
		if err == nil {
			err = cl.RestoreTo(a.ctx, id, at, c.Reason)
		}
		if err == nil {
			say("%s is as it was at %s", s, exact(at))
		}
		return map[string]any{"id": id, "at": at}, err
	}
	err := cl.Restore(a.ctx, lukasa.ID(s))
	if err == nil {
		say("restored %s", s)
	}
	return map[string]any{"id": s, "restored": true}, err
}
