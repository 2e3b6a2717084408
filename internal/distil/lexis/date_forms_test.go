package lexis_test

import (
	"strings"
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
		{"the contract runs until 12 December", "2024-12-12"},
		{"we have money until December", "2024-12"},
		{"we stayed until December", "2023-12"},
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

// forms are read on Wednesday 6 March 2024 at 10:00, with how the sentence leans; dates are divided by spaces.
func readForms(t *testing.T, lean int, forms map[string]string) {
	t.Helper()
	at := time.Date(2024, 3, 6, 10, 0, 0, 0, time.UTC)
	for s, want := range forms {
		got := ""
		for _, m := range lexis.FindDates(lexis.Lex(nil, s, 0, len(s)), at, lean) {
			if m.Start < 0 || m.End > len(s) || m.Start >= m.End || !m.To.After(m.From) {
				t.Errorf("%q: %+v", s, m)
			}
			got += " " + m.ISO()
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%q leaning %d: %q, want %q", s, lean, strings.TrimSpace(got), want)
		}
	}
}

func TestTimesOfTheDay(t *testing.T) { // D-3
	t.Parallel()
	readForms(t, 1, map[string]string{
		"the choir meets on Friday at half past six":            "2024-03-08T18:30",
		"choir on Friday, half six":                             "2024-03-08T18:30",
		"vet on Friday, quarter to ten":                         "2024-03-08T09:45",
		"vet on Friday, quarter past nine in the morning":       "2024-03-08T09:15",
		"the ferry leaves at three o'clock on Monday":           "2024-03-11T15:00",
		"the bakery opens on Friday at four in the morning":     "2024-03-08T04:00",
		"the notary wants us on Tuesday at eleven by the gate":  "2024-03-12T11:00",
		"dinner at Rosa's on Saturday at eight":                 "2024-03-09T20:00",
		"the meeting is on Monday at eight":                     "2024-03-11T08:00",
		"the plumber comes on Friday, 7.30":                     "2024-03-08T07:30",
		"the parish council is on Friday, 7.30":                 "2024-03-08T19:30",
		"football on Saturday 5:30":                             "2024-03-09T17:30",
		"the bus goes on Friday at 6.20 in the morning":         "2024-03-08T06:20",
		"parents' evening on Tuesday at 16h15":                  "2024-03-12T16:15",
		"stall on Saturday 9 March, 11 to 3":                    "2024-03-09T11:00",
		"stall on Saturday 9 March, 2 till 5":                   "2024-03-09T14:00",
		"open house on Sunday 17 March from 10, bring boots":    "2024-03-17T10:00",
		"lift is down on Friday, 13-15h":                        "2024-03-08T13:00",
		"hand it in before Friday noon":                         "2024-03-08T12:00",
		"call the garage tomorrow before 13h":                   "2024-03-07T13:00",
		"interview on 20 March at the Red and White Inn, 14.15": "2024-03-20T14:15",
		"Sat 11am at the pool":                                  "2024-03-09T11:00",
		"pick up on Friday at 5 people":                         "2024-03-08",
		"the hut has no water at noon, only on Sundays":         "",
	})
	readForms(t, -1, map[string]string{"it rang at ten past four this morning": "2024-03-06T04:10"})
}

func TestStretchesOfDays(t *testing.T) { // D-3
	t.Parallel()
	readForms(t, 1, map[string]string{
		"fair is 26-30 May":                      "2024-05-26 2024-05-30",
		"away 17 to 26 may, Fien covers":         "2024-05-17 2024-05-26",
		"rehearsals 8+9 June":                    "2024-06-08 2024-06-09",
		"camp June 20 to 25":                     "2024-06-20 2024-06-25",
		"only in April, 11 to 20":                "2024-04-11 2024-04-20",
		"we are in Brno from the 3rd to the 9th": "2024-04-03 2024-04-09",
		"the week of the 18th":                   "2024-W12",
		"wk of 22 April":                         "2024-W17",
		"the weekend of the 16th":                "2024-03-16/2024-03-17",
		"first weekend of May":                   "2024-05-04/2024-05-05",
		"the last Friday in October":             "2024-10-25",
		"2 to 4 people in May":                   "2024-05",
		"the score was 3-4 in May":               "2023-05",
		"the shop is closed, 14 May till 3 June": "2024-05-14 2024-06-03",
		"he leaves on 29 March, back on the 2nd": "2024-03-29 2024-04-02",
		"the jury sits on the 12th and the 14th": "2024-03-12 2024-03-14",
	})
	readForms(t, -1, map[string]string{"they were in Turin 1966 to 1968": "1966 1968"})
}

// TestOneDayNamedTwice reads what says one day in two ways as one day.
func TestOneDayNamedTwice(t *testing.T) { // D-3
	t.Parallel()
	readForms(t, 1, map[string]string{
		"the regatta is on the 9th, the Sunday":   "2024-06-09",
		"the swap is 3 May, a Friday":             "2024-05-03",
		"we open in May now, the 7th":             "2024-05-07",
		"the audit is in April already, 16 April": "2024-04-16",
		"moved to 30th, Saturday":                 "2024-03-30",
		"it is Thursday, not Tuesday":             "2024-03-07",
		"it is not the 28th but Monday 1 April":   "2024-04-01",
		"instead of the 18th it is the 19th":      "2024-03-19",
		"practice is mon and thurs":               "",
		"the club meets Tuesday and Friday":       "",
		"rent goes out every month on the 1st":    "",
		"I am off Monday and Tuesday":             "2024-03-11 2024-03-12",
		"this Monday and Tuesday we paint":        "2024-03-11 2024-03-12",
	})
	readForms(t, -1, map[string]string{"she retired in '98, on 30 June": "1998-06-30", "he died, 1999, the fourth of June": "1999-06-04"})
}

// TestWhichWayADayLies tells by the words beside a date whether it is over or to come.
func TestWhichWayADayLies(t *testing.T) { // D-3
	t.Parallel()
	readForms(t, -1, map[string]string{
		"I got the post, start 2 April":              "2024-04-02",
		"broke my wrist, in plaster until mid-April": "2024-04",
		"they moved out on 12 November":              "2023-11-12",
		"they switched me to Sunday":                 "2024-03-10",
		"she came the day after Christmas":           "2023-12-26",
		"bought it on Black Friday":                  "2023-11-24",
		"it has been so since the new year":          "2024-01-01",
		"they left in March '84":                     "1984-03",
		"we met in '91":                              "1991",
		"I joined in Nov 23":                         "2023-11",
		"no trouble since feb":                       "2024-02",
		"I got it from jan":                          "",
		"I joined on Nov 23":                         "2023-11-23",
		"I joined in nov 23, 2019":                   "2019-11-23",
	})
	readForms(t, 1, map[string]string{
		"R hip, replaced, done Thursday by Dr Abel":     "2024-02-29",
		"the mill we sold in May is a museum":           "2023-05",
		"she is getting her teeth done on Thursday":     "2024-03-07",
		"a new tenant is coming Monday":                 "2024-03-11",
		"the coming Monday":                             "2024-03-11",
		"Christmas fair on Friday":                      "2024-03-08",
		"we are at hers for Christmas":                  "2024-12-25",
		"November's bill is late":                       "",
		"the same list as last year":                    "",
		"the cost goes up to 2000":                      "",
		"Fifteenth of August, 1959, in the engine shed": "1959-08-15",
		"the twenty-first of June":                      "2024-06-21",
		"I finish on the 20th":                          "2024-03-20",
		"tests now the 18th":                            "2024-03-18",
		"the 18th attempt":                              "",
		"I have the licence as of Friday":               "2024-03-08",
		"the parcel comes at 5 p.m. on Friday":          "2024-03-08T17:00",
		"dinner nov 23":                                 "2024-11-23",
		"dinner is in nov 23":                           "2024-11-23",
		"it ends in nov 25":                             "2025-11",
	})
	readForms(t, 0, map[string]string{"she has the licence as of Friday": "2024-03-01"})
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{
		"from the 12th to the 20th of May at half past six", "Mon 26-30 May, 3 to 5 pm", "in '84 ' 84 '", "not the 3rd", "the day after the day after Christmas",
		"first weekend of May first", "5 to", "the 9th, the Sunday, the", "every Monday and coming", "8+9 8-9 - 9 June,", "a quarter to", "11h 16h15 7.30. p.m.",
	} {
		f.Add(s, int8(1))
		f.Add(s, int8(-1))
	}
	at := time.Date(2024, 3, 6, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string, lean int8) {
		end := 0
		for _, m := range lexis.FindDates(lexis.Lex(nil, s, 0, len(s)), at, int(lean)) {
			if m.Start < 0 || m.End > len(s) || m.Start >= m.End || !m.To.After(m.From) {
				t.Fatalf("%q: %+v", s, m)
			}
			if m.Start < end {
				t.Fatalf("%q: %+v begins before byte %d", s, m, end)
			}
			end = m.Start + 1
		}
	})
}
