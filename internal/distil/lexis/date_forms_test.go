package lexis_test

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// TestRelativeDates reads the forms in which people name days, against the time of the message in its own zone.
func TestRelativeDates(t *testing.T) { // D-3, N-7: relative dates against the message's own time and zone
	t.Parallel()
	zone := time.FixedZone("", -7*3600)
	at := time.Date(2024, 3, 6, 22, 30, 0, 0, zone) // a Wednesday; in UTC it is the 7th already
	tests := []struct{ text, want string }{
		{"I met her yesterday", "2024-03-05"},
		{"see you tomorrow", "2024-03-07"},
		{"the day after tomorrow I fly", "2024-03-08"},
		{"it was the day before yesterday", "2024-03-04"},
		{"I went last Friday", "2024-03-01"},
		{"I will go on Friday", "2024-03-08"},
		{"the demo is on Friday at 14:00", "2024-03-08T14:00"},
		{"I booked it for Friday March 15", "2024-03-15"},
		{"we will meet next Tuesday", "2024-03-12"},
		{"we met two weeks ago", "2024-W08"},
		{"in three weeks I move", "2024-W13"},
		{"three months from now", "2024-06"},
		{"we will decide by the end of the month", "2024-03-31"},
		{"it will be done by the end of June", "2024-06-30"},
		{"I was there at the end of January", "2024-01"},
		{"I have been here since the 4th", "2024-03-04"},
		{"it will be on the 15th though", "2024-03-15"},
		{"on the 19th of May we will see", "2024-05-19"},
		{"I will be away until mid-August", "2024-08"},
		{"crutches until mid april", "2024-04"},
		{"I've been eating cheese since spring", "2024-03/2024-05"},
		{"I moved over the weekend", "2024-03-02/2024-03-03"},
		{"they will come at the weekend", "2024-03-09/2024-03-10"},
		{"the shop closed at Christmas", "2023-12-25"},
		{"we will be there at Easter", "2024-03-31"},
		{"Easter Monday 2025 is late", "2025-04-21"},
		{"it went live at 13:47", "2024-03-06T13:47"},
		{"he was born at 3:20 this morning", "2024-03-06T03:20"},
		{"it crashed at 23:50", "2024-03-05T23:50"},
		{"we will launch in Q3", "2024-Q3"},
		{"in 2019 we married", "2019"},
		{"in the 1990s", "199X"},
	}
	for _, tt := range tests {
		got := lexis.Dates(tt.text, at)
		if len(got) == 0 || got[0].ISO() != tt.want {
			t.Errorf("%q: %v, want %s", tt.text, got, tt.want)
			continue
		}
		if _, off := got[0].From.Zone(); off != -7*3600 || !got[0].To.After(got[0].From) {
			t.Errorf("%q: from %v to %v", tt.text, got[0].From, got[0].To)
		}
	}
	from := lexis.Dates("they come from the 12th to the 20th of October", at)
	if len(from) != 2 || from[0].ISO() != "2024-10-12" && from[0].ISO() != "2023-10-12" || from[0].From.AddDate(0, 0, 8) != from[1].From {
		t.Errorf("%v", from)
	}
	for _, s := range []string{
		"lessons on Tuesday evenings", "every Friday", "at 5 people", "at home", "the end of the road",
		"opening at 7", "may I go", "until that Thursday",
	} {
		if got := lexis.Dates(s, at); len(got) != 0 {
			t.Errorf("%q: %v", s, got)
		}
	}
}
