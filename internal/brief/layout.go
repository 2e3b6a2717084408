package brief

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// The headings of a brief.
const (
	Heading         = "## Relevant Context from Previous Conversations"
	definingHeading = "### Defining moments"
	restHeading     = "### What was said and noted"
)

// Prompt fills the documented template: the system prompt, what was recalled, the user's message. Without a brief its part is left
// out.
func Prompt(system string, b Brief, message string) string {
	var parts []string
	if s := strings.TrimSpace(system); s != "" {
		parts = append(parts, s)
	}
	if b.Text != "" {
		parts = append(parts, b.Text, "---")
	}
	return strings.Join(append(parts, "## Current Message", message), "\n\n") + "\n"
}

// layout writes the text and fills in the items with their marks.
func (p *packer) layout() string {
	var b strings.Builder
	b.WriteString(Heading + "\n")
	p.out.Items = p.out.Items[:0]
	for _, block := range []struct {
		defining bool
		heading  string
	}{{true, definingHeading}, {false, restHeading}} {
		headed := false
		list := slices.Clone(p.in)
		slices.SortStableFunc(list, func(a, b *candidate) int { return a.index - b.index })
		for _, c := range list {
			if c.defining != block.defining {
				continue
			}
			if !headed {
				b.WriteString("\n" + block.heading + "\n")
				headed = true
			}
			mark := len(p.out.Items) + 1
			b.WriteString("\n" + c.render(mark) + "\n")
			p.out.Items = append(p.out.Items, Item{
				Mark: mark, Index: c.index, ID: c.hit.ID, Type: c.hit.Type, Relevance: c.hit.Relevance, Defining: c.defining, Long: c.long, Clipped: c.clipped,
			})
		}
	}
	return b.String()
}

// frame is what a brief costs before its first hit.
func (p *packer) frame(list []*candidate) int {
	head := Heading + "\n\n" + restHeading + "\n"
	if len(list) > 0 && list[0].defining {
		head += "\n" + definingHeading + "\n"
	}
	return p.o.Tokens.Count(Sign(head, p.o.Key)) + 2
}

// render writes a hit: [1] date, place, id, what it is: text.
func (c *candidate) render(mark int) string {
	h := c.hit
	var b strings.Builder
	fmt.Fprintf(&b, "[%d]", mark)
	if at := h.When(); !at.IsZero() {
		b.WriteString(" " + at.UTC().Format(time.DateOnly) + ",")
	}
	if h.Path != "" {
		b.WriteString(" " + string(h.Path) + ",")
	}
	b.WriteString(" " + label(string(idOf(h)), 120))
	switch {
	case h.Memory != nil:
		if h.Memory.Kind != "" {
			b.WriteString(", " + string(h.Memory.Kind))
		}
		switch {
		case h.Memory.ValidTo != nil:
			b.WriteString(", until " + h.Memory.ValidTo.UTC().Format(time.DateOnly))
		case !h.Memory.IsLatest:
			b.WriteString(", no longer so")
		}
	case h.Message != nil:
		if who := label(h.Message.Speaker+strings.Repeat(" ", min(1, len(h.Message.Speaker)))+roleIn(h.Message), 80); who != "" {
			b.WriteString(", " + who)
		}
	case h.Document != nil && h.Document.Title != "":
		b.WriteString(", " + label(h.Document.Title, 120))
	}
	body := tame(c.body + "\n" + c.notes)
	if strings.Contains(body, "\n") {
		b.WriteString(":\n" + body)
	} else {
		b.WriteString(": " + body)
	}
	return b.String()
}

func roleIn(m *lukasa.HitMessage) string {
	if m.Speaker == "" {
		return m.Role
	}
	return ""
}

// label is a name on one line.
func label(s string, n int) string { return lexis.OneLine(lexis.Clip(s, n)) }

// idOf is the id by which a reader can ask for more: that of the message, document or memory.
func idOf(h lukasa.Hit) lukasa.ID {
	switch {
	case h.Memory != nil:
		return h.ID
	case h.Message != nil && h.Message.ID != "":
		return lukasa.ID(h.Message.ID)
	case h.Document != nil:
		return h.Document.ID
	}
	return h.ID
}

// shortOf is the short form of a hit: a document's summary, else what matched.
func shortOf(h lukasa.Hit) string {
	s := strings.TrimSpace(strings.ToValidUTF8(h.Content, "\ufffd"))
	if s == "" && h.Document != nil {
		s = strings.TrimSpace(strings.ToValidUTF8(h.Document.Summary, "\ufffd"))
	}
	return s
}

// Notes says what of a hit is no longer so, and what holds now: a line each, "" where all of it still is.
func Notes(h lukasa.Hit) string {
	lines := make([]string, 0, len(h.Superseded))
	for _, old := range h.Superseded {
		lines = append(lines, "("+lexis.OneLine(old.String())+")")
	}
	return strings.Join(lines, "\n")
}

// given is the note that a session keeps.
func (c *candidate) given() Given {
	sum := sha256.Sum256([]byte(c.short + c.notes))
	return Given{ID: c.hit.ID, Digest: hex.EncodeToString(sum[:6])}
}

// tame keeps what was recalled from posing as a part of the prompt: a heading, a rule, or a mark at the start of a line gets
// a backslash. Runs of blank lines become one line end.
func tame(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.ToValidUTF8(s, "\ufffd"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		t := strings.TrimLeft(line, " \t")
		if t == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if t[0] == '#' || t[0] == '[' || len(t) >= 3 && (strings.Trim(t, "-") == "" || strings.Trim(t, "=") == "") {
			b.WriteString(line[:len(line)-len(t)] + `\` + t)
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}
