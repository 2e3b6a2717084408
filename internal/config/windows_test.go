package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/config"
)

// T-7: context sizes can be set.
func TestWindows(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]map[string]int{
		"": nil, " ": nil, "32768": {"": 32768}, "gpt-4o=64000, Llama = 8192": {"gpt-4o": 64000, "llama": 8192}, "a/b=1024": {"a/b": 1024},
	} {
		got, err := config.ParseWindows(in)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", in, err, diff)
		}
	}
	for _, bad := range []string{"x", "0", "-5", "1023", "=5000", "gpt=", "gpt=many", "5000,6000", "gpt=5000,6000", ",", "gpt=5000,", "9999999999999999999"} {
		if got, err := config.ParseWindows(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

func FuzzWindows(f *testing.F) {
	for _, s := range []string{"32768", "gpt-4o=64000, llama=8192", "=", ",", "a=b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := config.ParseWindows(s)
		for name, n := range got {
			if err != nil || n < 1024 || name == "" && len(got) > 1 {
				t.Fatalf("%q: %q is %d, %v", s, name, n, err)
			}
		}
	})
}
