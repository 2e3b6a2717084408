package client

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Text writes a profile for people; "" when nothing is known.
func (p Profile) Text() string {
	var b strings.Builder
	list := func(head string, lines []string) {
		for i, l := range lines {
			if i == 0 {
				fmt.Fprintf(&b, "%s\n", head)
			}
			fmt.Fprintf(&b, "  - %s\n", strings.Join(strings.Fields(l), " "))
		}
	}
	list("What is known", p.Static)
	list("Recently", p.Recent)
	var about []string
	for _, h := range p.Relevant {
		about = append(about, h.Content)
	}
	list("About this", about)
	return b.String()
}

// Text writes a recall file for people, with the parts of it that are there.
func (f RecallFile) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", f.Topic)
	field := func(name, format string, args ...any) {
		if v := strings.Trim(fmt.Sprintf(format, args...), " ,"); v != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, v)
		}
	}
	moment := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.Local().Format("2006-01-02 15:04")
	}
	field("id", "%s", f.ID)
	field("container", "%s", f.Container)
	field("talk", "%s", cmp.Or(f.Title, f.Conversation))
	if f.Title != "" {
		field("name", "%s", f.Conversation)
	}
	field("status", "%s, %s, %s", f.Status, f.Storage, f.Trigger)
	field("size", "%d messages, %d tokens", f.Messages, f.Tokens)
	field("begun", "%s", moment(&f.CreatedAt))
	field("ended", "%s", moment(f.FinalizedAt))
	field("folder", "%s", f.Folder)
	field("keywords", "%s", strings.Join(f.Keywords, ", "))
	for _, a := range f.Artifacts {
		field("artifact", "%s, %s, %d bytes %s", a.Name, a.Type, a.Size, a.URL)
	}
	names := make([]string, len(f.Linked))
	for i, n := range f.Linked {
		names[i] = n.Name
	}
	field("linked", "%s", strings.Join(names, ", "))
	for _, part := range []string{f.Summary, f.Transcript} {
		if part != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(part, "\n"))
		}
	}
	return b.String()
}
