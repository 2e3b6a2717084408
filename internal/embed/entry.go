package embed

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// EntryText is what of an entry is embedded.
func EntryText(e *lukasa.Entry) string {
	switch {
	case e.Type == lukasa.EntryMessage && e.Speaker != "":
		return e.Speaker + ": " + e.Text
	case e.Title == "" || strings.HasPrefix(e.Text, e.Title):
		return e.Text
	}
	return e.Title + "\n" + e.Text
}
