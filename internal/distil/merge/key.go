package merge

import (
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// KeyOf is what [lukasa.Memory].Key must be: equal for statements that may be the same, by what they say of whom, or by
// their words where they have no value.
func KeyOf(m lukasa.Memory) string {
	if m.Value != "" {
		p, _ := m.Metadata[KeyPredicate].(string)
		return strings.ToLower(m.Subject + "\x1f" + p + "\x1f" + m.Value)
	}
	return strings.ToLower(m.Subject) + "\x1f#" + strconv.FormatUint(lexis.Key(m.Content), 16)
}
