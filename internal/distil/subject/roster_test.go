package subject_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/subject"
)

func TestRoster(t *testing.T) { // N-7: people, organisations, places and products as fields
	t.Parallel()
	var r subject.Roster
	tests := []struct {
		text string
		want string
	}{
		{"My sister Freja lives in Malmö.", "person Freja, place Malmö"},
		{"freja called again", "person freja"},
		{"I work as an engineer at Otto.", "organisation Otto"},
		{"We signed the contract with Hetzner. WOW!", "organisation Hetzner"},
		{"We use PostgreSQL 17 and Kafka on Fridays.", "product PostgreSQL, product Kafka"},
		{"Dr. Patel says hello", "person Dr. Patel"},
		{"Otto is closed", "organisation Otto"},
		{"nothing here at all", ""},
	}
	for _, tt := range tests {
		got := ""
		for _, e := range r.Read(tt.text) {
			if got != "" {
				got += ", "
			}
			got += string(e.Type) + " " + e.Name
			if tt.text[e.Start:e.End] == "" {
				t.Errorf("%q: %+v", tt.text, e)
			}
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzRoster(f *testing.F) {
	for _, s := range []string{"My sister Freja", "Dr. ", "at Otto, with Ben", "BEN", "İstanbul'da", "\xff", "Ana's"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var r subject.Roster
		for range 2 {
			for _, e := range r.Read(s) {
				if e.Start < 0 || e.End > len(s) || e.Start >= e.End || e.Name == "" || e.Type == lexis.EntityOther {
					t.Fatalf("%q: %+v", s, e)
				}
			}
		}
	})
}
