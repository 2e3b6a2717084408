package sense_test

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

var tuesday = time.Date(2025, 2, 4, 9, 0, 0, 0, time.UTC)

func told(days int, subject, content string) sense.Telling {
	at := tuesday.AddDate(0, 0, days)
	return sense.Tell(&lukasa.Memory{Kind: lukasa.KindFact, Subject: subject, Content: content, RecordedAt: at}, at)
}

func TestReplaced(t *testing.T) { // D-4
	t.Parallel()
	standing := []sense.Telling{
		told(0, "", "Ana says: The dentist is on Monday 10 March at 9."),
		told(0, "", "Ana says: rent is 480 a month."),
		told(1, "", "Ana says: the backup runs every night at 2."),
		told(1, "Ben", "Ben is allergic to nuts."),
		told(2, "", "Ben says: Postgres 15 for the users service."),
	}
	for _, tt := range []struct {
		said string
		want int
	}{
		{"Ana says: the dentist moved to Thursday 13 March.", 0},
		{"Ana says: rent goes up to 530 a month now.", 1},
		{"Ana says: backup runs at 4 now.", 2},
		{"Ben says: users service is on Postgres 17 now.", 4},
		{"Ana says: the plumber comes on Thursday 13 March.", -1},
		{"Ana says: 480 people are coming now.", -1},
		{"Ana says: lunch is at 4 now.", -1},
		{"Ana says: rent is due on the first.", -1},
		{"", -1},
	} {
		newer := told(20, "", tt.said)
		if got := sense.Changes().Replaced(standing, &newer); got != tt.want {
			t.Errorf("%q takes the place of %d, want %d", tt.said, got, tt.want)
		}
	}
	var none *sense.Model
	newer := told(20, "", "Ana says: rent goes up to 530 a month.")
	if none.Replaced(standing, &newer) != -1 {
		t.Error("without a model something has changed")
	}
}

func FuzzTell(f *testing.F) {
	f.Add("rent is 480 each (2025-03-01).", "rent goes up to 530 each from April", int64(86400))
	f.Add("Bed 14: 2 litres, 91 % at 3", "Bed 14 on 4 litres now, not 2", int64(-1))
	f.Fuzz(func(t *testing.T, older, newer string, gap int64) {
		o := sense.Tell(&lukasa.Memory{Content: older}, tuesday)
		n := sense.Tell(&lukasa.Memory{Content: newer}, tuesday.Add(time.Duration(gap)))
		if at := sense.Changes().Replaced([]sense.Telling{o}, &n); at < -1 || at > 0 {
			t.Fatalf("%d of one", at)
		}
	})
}
