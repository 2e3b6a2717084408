package config_test

import (
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/config"
)

func TestParseOrigins(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]string{
		"": nil, " , ": nil, "*": {"*"}, "https://a.example.org": {"https://a.example.org"},
		"https://a.example.org, http://localhost:5173 ,chrome-extension://abcdef": {"https://a.example.org", "http://localhost:5173", "chrome-extension://abcdef"},
	} {
		if got, err := config.ParseOrigins(s); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	for _, bad := range []string{"a.example.org", "https://a.example.org/", "https://a.example.org/x", "https://*.example.org", "https://A.example.org", "null", "https://u@a.example.org", "https://a?b", "http://"} {
		if got, err := config.ParseOrigins(bad); err == nil {
			t.Errorf("%q is taken as %q", bad, got)
		}
	}
}
