package rules_test

import (
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

func TestPronounsMeanWhoWasSpokenOf(t *testing.T) { // D-5
	t.Parallel()
	for _, tt := range []struct {
		said     []string
		subject  string
		is, says string
	}{
		{[]string{"Ana: My sister Clara is visiting on Friday.", "Ben: Nice!", "Ana: She lives in Oslo."}, "Clara", "lives_in", "Clara lives in Oslo."},
		{[]string{"Ana: my dad called.", "Ben: how is he?", "Ana: He lives in Leeds now."}, "Ana's father", "lives_in", "Ana's father lives in Leeds."},
		{[]string{"Ana: My sister is called Clara.", "Ben: ok", "Ana: My sister lives in Oslo."}, "Clara", "lives_in", "Clara lives in Oslo."},
	} {
		got := said(tt.said...)
		last := got[len(got)-1]
		if !has(last, tt.subject, tt.is, tt.says) {
			t.Errorf("%q: %+v", tt.said, last)
		}
		for _, st := range last {
			_, words, _ := strings.Cut(tt.said[len(tt.said)-1], ": ")
			if st.Start < 0 || st.End > len(words) || !strings.Contains(words[st.Start:st.End], st.Value) {
				t.Errorf("%q: its evidence is %d to %d", st.Content, st.Start, st.End)
			}
		}
	}
}

func TestPronounsOfNobodyKnownStayAsTheyAre(t *testing.T) { // D-3: nobody is guessed
	t.Parallel()
	for _, list := range said("Ana: She lives in Oslo.", "Ben: His name is Mateo.", "Ben: Her size is 68 now.", "Cy: my gp is dr haddad at the Elm practice, she only works tuesdays") {
		for _, st := range list {
			if st.Subject != "" && st.Subject != "Ana" && st.Subject != "Ben" && st.Subject != "Cy" && st.Subject != "Cy's doctor" && !strings.Contains(st.Content, "size") || strings.HasPrefix(st.Content, "Elm") || strings.Contains(st.Content, "of the Her") || strings.Contains(st.Content, "of the his") {
				t.Errorf("%+v", st)
			}
		}
	}
}

func TestPricesBelongToWhatWasBought(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ said, thing, sum string }{
		{"I bought a bike on Thursday, second-hand, 380 pounds.", "bike", "380 pounds"},
		{"Bought the Brooks Ghost! 1899 kr.", "Brooks Ghost", "1899 kr"},
		{"Caterer: Root & Salt, £58 a head", "Root & Salt", "£58 a head"},
		{"Milburn Coaches, £180", "Milburn Coaches", "£180"},
		{"I run three times a week, 20 miles.", "", ""},
		{"Would you pay 40 euros?", "", ""},
	} {
		var d rules.Dialogue
		d.Lose()
		found := false
		for _, c := range d.Candidates(rules.Input{Text: tt.said, Speaker: "Ana", Role: "user", At: wednesday}) {
			if c.Predicate != "price" {
				continue
			}
			found = true
			if c.Subject != tt.thing || c.Value != tt.sum || !strings.HasSuffix(tt.said[c.Start:c.End], tt.sum) {
				t.Errorf("%q: %q for %q, of %q", tt.said, c.Value, c.Subject, tt.said[c.Start:c.End])
			}
		}
		if found != (tt.thing != "") {
			t.Errorf("%q: a price is %v", tt.said, found)
		}
	}
}

func TestRequestsByNameAreTheirs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ said, whom, what string }{
		{"Tom can you text the landlord", "Tom", "text the landlord"},
		{"Signe to order 45 scores by 10 September", "Signe", "order 45 scores"},
		{"Lena, ring the school please", "Lena", "ring the school"},
		{"Happy to help with the move", "", ""},
	} {
		var d rules.Dialogue
		found := false
		for _, c := range d.Candidates(rules.Input{Text: tt.said, Speaker: "Ana", Role: "user", At: wednesday}) {
			if c.Kind == "task" && c.Subject != "Ana" && !c.Open {
				found = true
				if c.Subject != tt.whom || !strings.Contains(c.Content, tt.what) {
					t.Errorf("%q: %+v", tt.said, c.Statement)
				}
			}
		}
		if found != (tt.whom != "") {
			t.Errorf("%q: a task is %v", tt.said, found)
		}
	}
}
