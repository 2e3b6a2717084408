package rank_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa/internal/rank"
)

func TestAnalyze(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]rank.Query{
		"":                                      {},
		"Where do I live?":                      {Self: true},
		"what is my dog called":                 {Self: true},
		"What happened on the 3rd of March?":    {Month: time.March, Day: 3},
		"What happened on August 12th, 2021?":   {Month: time.August, Day: 12, Year: 2021},
		"What happened on 12 August 2021?":      {Month: time.August, Day: 12, Year: 2021},
		"What happened in may?":                 {Month: time.May},
		"What may happen?":                      {},
		"Is it June 41?":                        {Month: time.June},
		"Whenever it rains, what is it called?": {},
	} {
		got := rank.Analyze(question)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(rank.Query{}, "Words")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
	if diff := cmp.Diff([]string{"what", "did", "ann", "don't", "ölmühle"}, rank.Analyze("What did Ann's, DON’T: Ölmühle?").Words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestVoiceOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role, speaker string
		want          rank.Voice
	}{
		{"", "", rank.Nobody},
		{"tool", "", rank.Nobody},
		{"user", "", rank.User},
		{"user", "user", rank.User},
		{"", "assistant", rank.Assistant},
		{"assistant", "", rank.Assistant},
		{"user", "Ann", rank.Person},
		{"", "Ann", rank.Person},
	} {
		if got := rank.VoiceOf(c.role, c.speaker); got != c.want {
			t.Errorf("role %q, speaker %q: %v, want %v", c.role, c.speaker, got, c.want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"", "When?", "31st of of March", "may may may 99999", "'s 's", "can you you", "\xff", "1 january 1 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := rank.Analyze(s)
		if q.Day < 0 || q.Day > 31 || q.Month < 0 || q.Month > 12 || q.Month == 0 && (q.Day != 0 || q.Year != 0) {
			t.Errorf("%q: %+v is no date", s, q)
		}
		for _, w := range q.Words {
			if strings.ContainsAny(w, " \t\n") {
				t.Errorf("%q: word %q", s, w)
			}
		}
	})
}
