package text_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestBlankNoise(t *testing.T) {
	random := make([]byte, 4000)
	for i, r := 0, rand.New(rand.NewPCG(1, 1)); i < len(random); i++ {
		random[i] = byte(r.Uint32())
	}
	sum := sha256.Sum256(random)
	for name, noise := range map[string]string{
		"base64 in one":  base64.StdEncoding.EncodeToString(random),
		"base64 for web": base64.RawURLEncoding.EncodeToString(random[:60]),
		"hash":           hex.EncodeToString(sum[:]),
		"id":             "mem_01m81b4ch3f31tgrecqe47jx66",
		"UUID":           "550e8400-e29b-41d4-a716-446655440000",
		"key":            "sk-proj-" + base64.RawStdEncoding.EncodeToString(random[:30]),
	} {
		in := "Ann keeps " + noise + " in Oslo."
		want := "Ann keeps " + strings.Repeat(" ", len(noise)) + " in Oslo."
		if got := text.BlankNoise(in); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	lines := base64.StdEncoding.EncodeToString(random)
	for at := 76; at < len(lines); at += 77 {
		lines = lines[:at] + "\n" + lines[at:]
	}
	if got := strings.TrimSpace(text.BlankNoise(lines[:76*30])); got != "" {
		t.Errorf("lines of base64 leave %q", got)
	}
	for _, plain := range []string{
		"", "Donaudampfschifffahrtsgesellschaftskapitän Müller-Lüdenscheidt-Meyer", "INV-20913 of 2026-11-22T10:00:00Z",
		"see https://github.com/acme/UserProfile/ProfileHeaderView and internal/distil/lexis/entity_test.go",
		"git switch feature/JIRA-1234-addNewThing2", "AbstractSingletonProxyFactoryBean", "iPhone15ProMax", "+49-170-1234567890-1234567890",
		"=========================================", "------------------------------",
	} {
		if got := text.BlankNoise(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

func FuzzBlankNoise(f *testing.F) {
	f.Add("Ann keeps 550e8400-e29b-41d4-a716-446655440000 in Oslo.")
	f.Fuzz(func(t *testing.T, s string) {
		got := text.BlankNoise(s)
		if len(got) != len(s) {
			t.Fatalf("%d bytes became %d", len(s), len(got))
		}
		for i := range len(s) {
			if got[i] != s[i] && got[i] != ' ' {
				t.Fatalf("byte %d: %q became %q", i, s[i], got[i])
			}
		}
		if again := text.BlankNoise(got); again != got {
			t.Fatalf("%q became %q", got, again)
		}
	})
}
