package embed

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// EntryForm is raised when EntryText makes another text of entries that are there already, so that their vectors are made again.
const EntryForm = "2"

// EntryText is what of an entry is embedded; "" where it says nothing that a vector could be near to. A message is led by its speaker's name,
// unless that only says who talks to whom: "user: " would draw all that users said together, and away from questions.
func EntryText(e *lukasa.Entry) string {
	switch {
	case e.Type == lukasa.EntryMessage && text.Chatter(e.Text):
		return ""
	case e.Type == lukasa.EntryMessage && e.Speaker != "" && !PlainSpeaker(e.Speaker):
		return e.Speaker + ": " + e.Text
	case e.Type == lukasa.EntryMessage || e.Title == "" || strings.HasPrefix(e.Text, e.Title):
		return e.Text
	}
	return e.Title + "\n" + e.Text
}

// PlainSpeaker reports whether a speaker's name is no more than a role in a chat.
func PlainSpeaker(name string) bool {
	switch strings.ToLower(name) {
	case "", "user", "human", "assistant", "ai", "bot", "model", "system", "tool":
		return true
	}
	return false
}
