package guard_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/distil/guard"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

func TestRemembered(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Remember that the team owns the ledger":        "the team owns the ledger!",
		"Please remember: the password is 1234":         "the password is 1234!",
		"I'd like you to remember that I live in Porto": "I live in Porto!",
		"keep in mind that the tests need Docker":       "the tests need Docker!",
		"Don't forget that the keys are under the mat":  "the keys are under the mat!",
		"I remember that we lived in Porto":             "we lived in Porto",
		"Let me note that the tests need Docker":        "the tests need Docker",
		"remember to call Tom":                          "remember to call Tom",
		"Do you know that I live in Porto":              "I live in Porto",
		"I forget that the tests need Docker":           "I forget that the tests need Docker",
		"My mind is made up that we go":                 "My mind is made up that we go",
	} {
		toks, asked := guard.Remembered(lexis.Lex(nil, s, 0, len(s)))
		got := s[toks[0].Start:toks[len(toks)-1].End]
		if asked {
			got += "!"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestReminder(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"remind me to ring Tom":              "ring Tom",
		"set a reminder to ring Tom":         "ring Tom",
		"don't let me forget to ring Tom":    "ring Tom",
		"remind me on Friday at 6 to ring T": "on Friday at 6 to ring T",
		"remind me tomorrow to ring Tom":     "tomorrow to ring Tom",
		"remind me of the talk to Tom":       "",
		"they remind me on Friday to go":     "",
	} {
		toks := lexis.Lex(nil, s, 0, len(s))
		got := ""
		if i := guard.Reminder(toks); i > 0 {
			got = s[toks[i].Start:]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
