package learn

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
)

// Numbers of a subject tell things apart; a number that is said of a subject is a value, which may change.
func TestSeriesAreNoChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"Pump M/12 was greased.", "Pump M/13 was greased.", true},
		{"The bearing of pump 12 was greased on Monday.", "The bearing of pump 13 was greased on Monday.", true},
		{"Room 4 has a printer.", "Room 5 has a printer.", true},
		{"The rent is 640.", "The rent is 695.", false},
		{"I pay 640 for the flat.", "I pay 695 for the flat.", false},
		{"The backup runs at 2.", "The backup runs at 4.", false},
		{"I live in Berlin.", "I moved to Vienna.", false},
		{"Pump 12 was greased.", "Pump 13 was cleaned.", false},
	} {
		if got := ofOneSeries(lukasa.Memory{Content: c.one}, lukasa.Memory{Content: c.other}); got != c.want {
			t.Errorf("%q, %q: %v", c.one, c.other, got)
		}
	}
}
