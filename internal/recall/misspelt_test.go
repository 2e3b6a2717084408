package recall

import (
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

// vocabulary is an embedder that knows a few words.
type vocabulary struct{ embed.Embedder }

func (vocabulary) KnowsWord(word string) bool {
	return slices.Contains([]string{"allergy", "singing", "renewing", "where"}, strings.ToLower(word))
}

func TestMisspelt(t *testing.T) {
	t.Parallel()
	p := &Path{Deps: Deps{Embed: vocabulary{}}}
	for _, c := range []struct {
		query, word string
		want        bool
	}{
		{"allergy medicine", "allergy", false},
		{"renewing travel documents", "renewing", false},
		{"singing practice", "singing", false},
		{"money for the damaged pane", "pane", false},
		{"the new medecine", "medecine", true},
		{"when does Okaforr visit?", "Okaforr", true},
		{"where is Ana?", "Ana", true}, // a name
		{"Where is it?", "Where", false},
		{"error E-4410", "E-4410", true},
	} {
		if got := p.misspelt(c.query)(c.word); got != c.want {
			t.Errorf("%q in %q: misspelt is %v", c.word, c.query, got)
		}
	}
}
