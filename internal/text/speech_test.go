package text_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestQuoted(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		`The key is under "carriers.`:                     `The key is under "carriers".`,
		`Dov says: blue" serves customers.`:               `Dov says: "blue" serves customers.`,
		`Dov says: "blue" is up, green" waits.`:           `Dov says: "blue" is up, green" waits.`,
		`"Blue" serves customers, "green" is warming up.`: `"Blue" serves customers, "green" is warming up.`,
		`blue" serves customers.`:                         `"blue" serves customers.`,
		`"blue`:                                           `"blue"`,
		`It is called "rota!`:                             `It is called "rota"!`,
		`The plan ("the one of May) is off.`:              `The plan ("the one of May) is off".`,
		`Ana has a 19" rack.`:                             `Ana has a 19" rack.`,
	} {
		if got := text.Quoted(s); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
}
