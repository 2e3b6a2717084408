package crypt_test

import (
	"bytes"
	"crypto/rand"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

func TestNewAPIKey(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^sk_[0-9A-Za-z]{43}$`)
	seen := map[string]bool{}
	for range 1000 {
		key, err := crypt.NewAPIKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if !form.MatchString(key) || seen[key] {
			t.Fatalf("key %q is malformed or repeated", key)
		}
		seen[key] = true
	}
	if _, err := crypt.NewAPIKey(strings.NewReader("short")); err == nil {
		t.Fatal("a short random source gave a key")
	}
}

// No two random inputs share a key, and the bounds keep their length.
func TestAPIKeyEncoding(t *testing.T) {
	t.Parallel()
	encode := func(raw []byte) string {
		key, err := crypt.NewAPIKey(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if got, want := encode(make([]byte, 32)), "sk_"+strings.Repeat("0", 43); got != want {
		t.Errorf("zeros: %q, want %q", got, want)
	}
	if got := encode(bytes.Repeat([]byte{255}, 32)); len(got) != 46 {
		t.Errorf("largest: %q has %d characters, want 46", got, len(got))
	}
	rapid.Check(t, func(rt *rapid.T) {
		raw := rapid.SliceOfNDistinct(rapid.SliceOfN(rapid.Byte(), 32, 32), 2, 2, func(b []byte) string { return string(b) }).Draw(rt, "raw")
		a, b := encode(raw[0]), encode(raw[1])
		if a == b || (a < b) != (bytes.Compare(raw[0], raw[1]) < 0) {
			rt.Fatalf("%x and %x give %q and %q", raw[0], raw[1], a, b)
		}
	})
}

func TestAPIKeyHash(t *testing.T) {
	t.Parallel()
	a, b := crypt.HashAPIKey("sk_one"), crypt.HashAPIKey("sk_two")
	if again := crypt.HashAPIKey("sk_one"); !crypt.EqualHash(a[:], again[:]) {
		t.Error("one key has two hashes")
	}
	if crypt.EqualHash(a[:], b[:]) || crypt.EqualHash(a[:], a[:31]) || crypt.EqualHash(a[:], nil) {
		t.Error("different hashes are called equal")
	}
}

func TestAPIKeyHint(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"sk_" + strings.Repeat("Ab1z", 10) + "xyz": "sk_Ab1z…",
		"sk_short": "…", "": "…", strings.Repeat("p", 64): "…",
	} {
		if got := crypt.APIKeyHint(key); got != want {
			t.Errorf("APIKeyHint(%q) = %q, want %q", key, got, want)
		}
	}
}
