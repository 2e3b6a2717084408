package cli

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
)

func TestWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{"30d": "2026-05-31T12:00:00Z", "90m": "2026-05-01T13:30:00Z", "2030-01-31": "2030-01-31T00:00:00Z"} {
		got, err := When("f", in, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s is %v, %v", in, got, err)
		}
	}
	for _, bad := range []string{"soon", "-3d", "0d", "d", "99999999999d", "3dd", "1h2d"} {
		if got, err := When("f", bad, now); lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("%s is %v", bad, got)
		}
	}
}

func FuzzWhen(f *testing.F) {
	for _, s := range []string{"30d", "1h30m", "2030-01-31", "0.5d", "", "1e9d"} {
		f.Add(s)
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := When("f", s, now)
		if err != nil && lukasa.CodeOf(err) != lukasa.CodeInvalid || err == nil && s != "" && got == nil {
			t.Fatalf("%q: %v, %v", s, got, err)
		}
		if span, ok := parseSpan(s); ok && (span <= 0 || span > maxSpan) {
			t.Fatalf("%q is %v", s, span)
		}
	})
}

// A moment lies behind, however it is given.
func TestMoment(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{"30d": 30 * 24 * time.Hour, "90m": 90 * time.Minute, "12h": 12 * time.Hour} {
		got, err := Moment("f", in)
		if ago := time.Since(got); err != nil || ago < want || ago > want+time.Minute {
			t.Errorf("%s is %v, %v", in, got, err)
		}
	}
	if got, err := Moment("f", "2026-01-31"); err != nil || got.Format(time.RFC3339) != "2026-01-31T00:00:00Z" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Perhaps(Moment("f", "")); got != nil || err != nil {
		t.Errorf("nothing is %v, %v", got, err)
	}
	if _, err := Perhaps(Moment("f", "soon")); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("soon is a moment: %v", err)
	}
}
