package subject

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Company is who takes part in a conversation.
type Company struct {
	Machines bool            // a system or tool message was read: who answers as the assistant is a machine
	Helper   bool            // an assistant, most likely a machine, takes part
	Voices   []string        // the people who have spoken, no more than three
	First    map[string]bool // their first names, in small letters
}

// Join notes who speaks, and reports whether it is somebody whom others may name.
func (c *Company) Join(role, speaker string) bool {
	if role = strings.ToLower(role); role == "assistant" || role == "model" || role == "ai" || role == "bot" || role == "agent" {
		c.Helper = true
	} else if speaker != "" && len(c.Voices) < 3 && lexis.Speaks(role, speaker) && !slices.Contains(c.Voices, speaker) {
		c.Voices = append(c.Voices, speaker)
		if c.First == nil {
			c.First = map[string]bool{}
		}
		c.First[first(speaker)] = true
	}
	return speaker != "" && !lexis.MachineNames[strings.ToLower(speaker)]
}

// Kind names the sort of company for whom reads it: people, many, machine.
func (c *Company) Kind() string {
	switch {
	case c.Helper || c.Machines:
		return "machine"
	case len(c.Voices) > 2:
		return "many"
	}
	return "people"
}

// Partner is the other one of a dialogue between two people; "" when there are more, or fewer.
func (c *Company) Partner(speaker string) string {
	if c.Helper || c.Machines || len(c.Voices) != 2 {
		return ""
	}
	if strings.EqualFold(c.Voices[0], speaker) {
		return c.Voices[1]
	}
	return c.Voices[0]
}

// Addressee is whom a message of speaker speaks to, as long as it names nobody: the other one of two, else who spoke before.
func (c *Company) Addressee(speaker, before string) string {
	if c.Helper || c.Machines || before == "" || strings.EqualFold(before, speaker) && len(c.Voices) != 2 {
		return ""
	}
	if len(c.Voices) == 2 {
		return c.Partner(speaker)
	}
	return before
}
