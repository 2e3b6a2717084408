package text_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"The ferry leaves at nine.", "the FERRY leaves, at (ten)", true},
		{"one two three four five", "one two six seven eight", false}, // two of eight
		{"one two three four", "one two three five six seven eight", false},
		{"one two three four", "one two", true}, // two of four
		{"", "", false},
		{"...", "one", false},
	} {
		if got := text.Alike(c.a, c.b); got != c.want || text.Alike(c.b, c.a) != got {
			t.Errorf("%q, %q: %v", c.a, c.b, got)
		}
	}
}
