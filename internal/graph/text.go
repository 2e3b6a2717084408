package graph

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What follows words the answers for people and for models: plain text, one thing a line.

// page gathers lines of text.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// field adds a name and a value, unless that is empty.
func (p *page) field(name, value string) {
	if value != "" {
		p.line("%-10s %s", name, value)
	}
}

func asleep(is bool) string {
	if is {
		return " (dormant)"
	}
	return ""
}

func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

func memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}

func each[T any](list []T, name func(T) string) string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return strings.Join(names, ", ")
}

// Text words the shell of a node.
func (s Shell) Text() string {
	var p page
	m := s.Manifest
	p.line("%s%s", s.Path, asleep(s.Dormant))
	p.field("id", string(s.ID))
	p.field("type", string(s.Type))
	p.field("about", Snippet(s.Description, 200))
	p.field("holds", fmt.Sprintf("%s, %s, %s, %s", Count(m.Documents, "document"), memories(m.Memories), Count(m.Conversations, "conversation"), Count(m.Messages, "message")))
	p.field("below", each(s.Children, func(c Child) string { return c.Name + asleep(c.Dormant) }))
	p.field("named", each(m.Entities, func(x Named) string { return fmt.Sprintf("%s (%d)", x.Name, x.Mentions) }))
	p.field("topics", strings.Join(s.Keywords.Topics, ", "))
	p.field("touched", s.UpdatedAt.Local().Format("2006-01-02 15:04"))
	if s.Summary != "" {
		p.line("\n%s", s.Summary)
	}
	return p.String()
}

// Text words branches, one node a line.
func (f Forest) Text() string {
	var p page
	var grow func(list []Branch, margin string)
	grow = func(list []Branch, margin string) {
		for _, b := range list {
			p.line("%s%s  %s, %s%s", margin, b.Path.Name(), Count(b.Documents, "document"), memories(b.Memories), asleep(b.Dormant))
			grow(b.Children, margin+"  ")
		}
	}
	grow(f, "")
	if len(f) == 0 {
		p.line("there are none")
	}
	return p.String()
}

// Text words the receipt of an archiving.
func (a Archived) Text() string {
	var p page
	if a.State == "archiving" {
		p.line("archiving %s into %s goes on in the background", a.Container, a.Into)
		return p.String()
	}
	p.line("archived %s into %s: %s, %s, %s", a.Container, a.Into, Count(a.Documents, "document"), memories(a.Memories), Count(a.Conversations, "conversation"))
	for _, m := range a.Moved {
		p.line("  container %s is now %s", m.From, m.To)
	}
	for _, r := range a.Renamed {
		p.line("  conversation %q is now %q", r.From, r.To)
	}
	return p.String()
}

// Text words everything about an entity.
func (a About) Text() string {
	var p page
	p.line("%s (%s)", a.Name, a.Kind)
	p.field("id", string(a.ID))
	p.field("also", strings.Join(a.Aliases, ", "))
	if a.FirstSeen != nil {
		p.field("seen", day(a.FirstSeen)+" to "+day(a.LastSeen))
	}
	p.field("in", fmt.Sprintf("%s, %s, %s, %s", memories(a.Counts.Memories), Count(a.Counts.Messages, "message"), Count(a.Counts.Documents, "document"), Count(a.Counts.RecallFiles, "recall file")))
	for _, w := range a.Where {
		p.field("where", fmt.Sprintf("%s  %s%s", w.Path, Count(w.Mentions, "mention"), asleep(w.Dormant)))
	}
	p.field("with", each(a.Related, func(x Named) string { return fmt.Sprintf("%s (%d)", x.Name, x.Mentions) }))
	for _, part := range [][]Statement{a.Memories, a.Messages, a.Documents} {
		if len(part) > 0 {
			p.line("")
		}
		for _, s := range part {
			who := ""
			if s.Speaker != "" {
				who = s.Speaker + ": "
			}
			old := ""
			if !s.IsLatest {
				old = ", superseded"
			}
			p.line("%s  %s%s (%s%s)", s.At.Format(time.DateOnly), who, s.Text, s.Path, old)
		}
	}
	if a.Truncated {
		p.line("… and more")
	}
	return p.String()
}

// Text words what lies around records, one link a line.
func (h Hood) Text() string {
	var p page
	label := map[string]string{}
	for _, r := range h.Records {
		label[string(r.ID)] = fmt.Sprintf("%s %q%s", r.Type, Snippet(r.Label, 60), asleep(r.Dormant))
	}
	for _, e := range h.Edges {
		p.line("%s  %s  %s", label[e.From], e.Type, label[e.To])
	}
	if len(h.Edges) == 0 {
		p.line("nothing hangs on it")
	}
	if h.Truncated {
		p.line("… and more")
	}
	return p.String()
}

// Text lists the vertices of a picture, one a line.
func (d Drawing) Text() string {
	var p page
	for _, v := range d.Vertices {
		where := ""
		if v.Path != "" {
			where = "  " + string(v.Path)
		}
		p.line("%-11s %-50s %s  at %.0f, %.0f%s", v.Type, Snippet(v.Label, 48), Count(int(v.Size), "link"), v.X, v.Y, where)
	}
	if len(d.Vertices) == 0 {
		p.line("there is nothing yet")
	}
	if d.Truncated {
		p.line("… and more")
	}
	return p.String()
}

// Text words them, one a line.
func (l Provisioned) Text() string {
	var p page
	for _, n := range l {
		p.line("made %s  %s (%s)", n.ID, n.Path, n.Type)
	}
	return p.String()
}

// Snippet shortens a text to n runes on one line.
func Snippet(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := range s {
		if n--; n < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// Count words a number of things.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
