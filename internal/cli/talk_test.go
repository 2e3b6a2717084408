package cli_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// model NAME TEXT… starts a language model that always says the text, and sets a variable to its address.
func model(t *testing.T) func(ts *testscript.TestScript, neg bool, args []string) {
	t.Helper()
	return func(ts *testscript.TestScript, _ bool, args []string) {
		said := enginetest.Said{Text: strings.Join(args[1:], " ")}
		ts.Setenv(args[0], enginetest.NewModel(t, func(int, enginetest.Asked) enginetest.Said { return said }).URL)
	}
}
