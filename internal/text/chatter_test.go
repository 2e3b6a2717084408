package text_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestChatter(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"haha yes", "ok thanks", "Ok, thank you so much!", "👍", "LOL", "hahahaha", "Yesss!!", "Hmmmm…", "Sounds good, see you then!", "That’s great :)", "", "I don't know"} {
		if !text.Chatter(s) {
			t.Errorf("%q says something", s)
		}
	}
	for _, s := range []string{"Vienna", "yes, Vienna", "ok 42", "thanks, Mia", "ja klar", "好的", "I live in Berlin.", "The good one is red.", "Non.", "yes " + "yes yes yes yes yes yes yes yes yes yes yes yes"} {
		if text.Chatter(s) {
			t.Errorf("%q says nothing", s)
		}
	}
}
