package subject_test

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/subject"
)

// TestDays reads messages of one conversation, said on Wednesday 6 March 2024, by the days that were named before.
func TestDays(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 3, 6, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		said []string
		want string
	}{
		{[]string{"the kiln delivery is on 12 June", "they moved the kiln to the 19th"}, "2024-06-19"},
		{[]string{"the kiln delivery is on 28 June", "now it is the 2nd"}, "2024-07-02"},
		{[]string{"the kiln delivery is on 12 June", "good", "fine", "thanks", "the rent is due on the 19th"}, "2024-03-19"},
		{[]string{"the kiln delivery is on 12 June", "the rent is due on the 19th"}, "2024-03-19"},
		{[]string{"the kiln delivery is on 28 March", "the rent is due on the 2nd"}, "2024-04-02"},
		{[]string{"the kiln delivery was on 12 January", "the rent is due on the 19th"}, "2024-03-19"},
		{[]string{"the choir meets on Friday at 7pm", "ok", "yes", "no", "maybe", "the choir is on Monday 11 March, same time"}, "2024-03-11T19:00"},
		{[]string{"the vet is on Friday at 9:15", "the choir meets on Friday at 7pm", "the vet is on Monday 11 March now, same hour"}, "2024-03-11T09:15"},
		{[]string{"the choir meets on Friday", "the choir is on Monday 11 March, same time"}, "2024-03-11"},
	} {
		var d subject.Days
		got := ""
		for _, s := range c.said {
			toks := lexis.Lex(nil, s, 0, len(s))
			lean := 1
			if lexis.Leaning(toks) < 0 {
				lean = 0
			}
			d.Next()
			dates := lexis.FindDates(toks, at, lean)
			d.Settle(toks, dates, at)
			d.Note(toks, dates)
			if len(dates) > 0 {
				got = dates[0].ISO()
			}
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.said, got, c.want)
		}
	}
}
