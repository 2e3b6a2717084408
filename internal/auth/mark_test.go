package auth_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/auth"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// The key that marks briefs is the same after each start, and another for each owner and each master key.
func TestMarkKey(t *testing.T) {
	t.Parallel()
	master, err := crypt.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := crypt.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	open := func(k crypt.Key) *auth.Auth { return auth.New(auth.Deps{Master: k}, auth.Options{}) }
	key := open(master).MarkKey("usr_a")
	if len(key) != crypt.KeySize || !bytes.Equal(key, open(master).MarkKey("usr_a")) {
		t.Errorf("%x is not the same after a second start", key)
	}
	if bytes.Equal(key, open(master).MarkKey("usr_b")) || bytes.Equal(key, open(other).MarkKey("usr_a")) {
		t.Error("two owners, or two masters, share a key")
	}
	if open(master).MarkKey("") != nil {
		t.Error("nobody has a key")
	}
}
