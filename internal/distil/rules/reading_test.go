package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// drawn is what is drawn from the last of some messages of Ana's before the judge has spoken, with predicates where rules gave them, and days.
func drawn(at time.Time, messages ...string) []string {
	var d rules.Dialogue
	var out []string
	for _, m := range messages {
		out = nil
		for _, c := range d.Candidates(rules.Input{Text: m, Speaker: "Ana", Role: "user", At: at}) {
			s := c.Content
			if c.Predicate != "" {
				s = c.Predicate + "=" + c.Value + ": " + s
			}
			if c.When != nil {
				s += " {" + c.When.ISO() + "}"
			}
			out = append(out, s)
		}
	}
	return out
}

// candidates are what is drawn from one message of Ana's before the judge has spoken.
func candidates(s string) []rules.Candidate {
	var d rules.Dialogue
	return d.Candidates(rules.Input{Text: s, Speaker: "Ana", Role: "user", At: wednesday})
}

// draws checks a table of messages, split at " / ", and what is drawn from the last.
func draws(t *testing.T, at time.Time, table map[string][]string) {
	t.Helper()
	for s, want := range table {
		if got := drawn(at, strings.Split(s, " / ")...); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", s, got, want)
		}
	}
}

// A participle behind a noun tells more of the noun, and so does one that stands beside it.
func TestParticiplesAreNotWhatSomebodyDid(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"It's a tool built by Jo and published last year.": {"Ana says: It's a tool built by Jo and published last year (2023). {2023}"},
		"Lint is a script written by Mara and maintained by the infra team.": {
			"is=a script: Ana says: Lint is a script written by Mara and maintained by the infra team.",
		},
		"I live in a house built in 1902 and renovated in 2010.":          {"Ana lives in a house built in 1902 and renovated in 2010. {1902}"},
		"We use a library called Zog, written by Petra and sold by Acme.": {"Ana says: we use a library called Zog, written by Petra and sold by Acme."},
		"The report, sent to Kim.":                                        {"Ana says: The report, sent to Kim."},
		"Invited by my aunt.":                                             {"Ana says: Invited by my aunt."},
		"I bought a car built in 2010 and moved to Lyon.":                 {"Ana bought a car built in 2010. {2010}", "lives_in=Lyon: Ana lives in Lyon."},
		"I saw a film made by Jo and met Tom in Porto.":                   {"Ana saw a film made by Jo.", "Ana met Tom in Porto."},
		"Bought a bike, sold the car.":                                    {"Ana bought a bike.", "Ana sold the car."},
	})
}

// Who moves something stays where they are.
func TestMovingSomethingIsNoMove(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"We moved the build to Bazel.":       {"Ana says: we moved the build to Bazel."},
		"I moved my savings to Triodos.":     {"Ana moved their savings to Triodos."},
		"We moved to Lyon.":                  {"lives_in=Lyon: Ana lives in Lyon."},
		"I moved from Lyon to Porto in May.": {"lives_in=Lyon: Ana used to live in Lyon.", "lives_in=Porto: Ana lives in Porto (since 2023-05). {2023-05}"},
	})
}

// A day that returns is none; one without its month is of the month that was named just before; what was, was before.
func TestDaysAreThoseThatAreMeant(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"Book club meets on the first sunday of the month.": {"Ana says: Book club meets on the first sunday of the month."},
		"The market is on the last saturday of each month.": {"Ana says: The market is on the last saturday of each month."},
		"My week begins on Sunday.":                         {"Ana's week begins on Sunday."},
		"Weeks start on Monday in our calendar.":            {"Ana says: Weeks start on Monday in our calendar."},
		"Our sprints begin on Monday and end on Friday.":    {"Ana says: Our sprints begin on Monday and end on Friday."},
		"The course begins on Monday.":                      {"Ana says: The course begins on Monday (2024-03-11). {2024-03-11}"},
		"The first week starts on Monday.":                  {"Ana says: The first week starts on Monday (2024-03-11). {2024-03-11}"},
		"The fair starts on the 20th of June. It ends on the 24th.": {
			"Ana says: The fair starts on the 20th of June (2024-06-20). {2024-06-20}", "Ana says: It ends on the 24th (2024-06-24). {2024-06-24}",
		},
		"The fair starts on the 20th of June. / It ends on the 24th.": {"Ana says: It ends on the 24th (2024-03-24). {2024-03-24}"},
		"Remind me to call the sweep, last time was nov 12.":          {"To do for Ana: call the sweep, last time was nov 12 (2023-11-12). {2023-11-12}"},
		"Blood sugar was 9, was 7 at xmas.":                           {"Ana says: Blood sugar was 9.", "Ana says: was 7 at xmas (2023-12-25). {2023-12-25}"},
		"Mia called, baby due 30 Nov.":                                {"Mia called, baby due 30 Nov (2024-11-30). {2024-11-30}"},
		"The bike was stolen in May.":                                 {"Ana says: The bike was stolen in May (2023-05). {2023-05}"},
		"It was due on 12 Feb.":                                       {"Ana says: It was due on 12 Feb (2024-02-12). {2024-02-12}"},
		"I found a class, starting on the 25th.":                      {"Ana found a class, starting on the 25th (2024-03-25). {2024-03-25}"},
		"we meet nov 23":                                              {"Ana says: we meet nov 23 (2024-11-23). {2024-11-23}"},
		"the retro is on tue 12 / team dinner nov 23":                 {"Ana says: team dinner nov 23 (2024-11-23). {2024-11-23}"},
		"I can't do the 18th.":                                        {"Ana can't do the 18th (2024-03-18). {2024-03-18}"},
	})
}

// "One" is an age of nobody who speaks, and a school is where one studies, not where one works beside it.
func TestWhoIsMeantByANumber(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"We release on Fridays, today is one.": {"Ana says: we release on Fridays.", "Ana says: today is one (2024-03-06). {2024-03-06}"},
		"Lunch is one.":                        {"Ana says: Lunch is one."},
		"We're seven.":                         {"Ana says: we are seven."},
		"My son is one.":                       {"age=one: Ana's son's age is one."},
		"Mia is two.":                          {"age=two: Mia's age is two."},
		"i study law, part time bc i work at the local bakery": {
			"studies=law: Ana studies law, part time.", "works_at=local bakery: Ana works at a local bakery.",
		},
	})
}

// What is used is told with what it is for, and a list behind a colon stays with what it is a list of.
func TestListsStayWhole(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"We use Terraform for infrastructure and Ansible for servers.": {
			"uses=Terraform: Ana uses Terraform for infrastructure.", "uses=Ansible: Ana uses Ansible for servers.",
		},
		"We use Redis 7 for caching since May.":           {"uses=Redis 7: Ana uses Redis 7 for caching (since 2023-05). {2023-05}"},
		"We use Go, Svelte and Postgres.":                 {"uses=Go: Ana uses Go.", "uses=Svelte: Ana uses Svelte.", "uses=Postgres: Ana uses Postgres."},
		"We use Figma and Tom likes tea.":                 {"uses=Figma: Ana uses Figma.", "likes=tea: Tom likes tea."},
		"We deploy three services: api, worker, gateway.": {"Ana says: we deploy three services: api, worker, gateway."},
		"We have three environments: dev, staging and prod.": {
			"has=three environments: dev, staging and prod: Ana has three environments: dev, staging and prod.",
		},
		"I have two brothers: Miguel and Rui.": {
			"has=two brothers: Ana has two brothers.", "brother=Miguel: Miguel is Ana's brother.", "brother=Rui: Rui is Ana's brother.",
		},
		"Our stack: Go, Redis and React.":                     {"stack=Go, Redis and React: Ana's stack is Go, Redis and React."},
		"The plan is simple: we meet on Friday, then decide.": {"Ana says: The plan is simple.", "Ana says: we meet on Friday (2024-03-08). {2024-03-08}", "Ana says: we decide."},
		"Docs are built with Zola and published on Fridays.":  {"Ana says: Docs are built with Zola and published on Fridays."},
		"Checkout v2 works in staging.":                       {"Checkout v2 works in staging."},
	})
}

// A question is one without its mark.
func TestQuestionsWithoutAMark(t *testing.T) { // D-5
	t.Parallel()
	for _, s := range []string{
		"do you know when the bakery opens", "wonder if he still works at the bank", "anyone know where the keys are", "does tom still live in leeds",
		"not sure if the train runs on sunday", "any idea when the pool closes", "what time does the gym open tomorrow", "i wonder when the library closes",
		"how much is the rent in Porto", "which bus do we take on Friday", "who won the cup in 1990", "did the parcel arrive",
		"whats the capital of peru", "hows the dorm", "wheres my phone then", "whos the new boss", "Chidi are you coming", "yuki are you coming on friday", "Ximena have you eaten", "paulo did u finish the export",
	} {
		if got := drawn(wednesday, s); len(got) > 0 {
			t.Errorf("%q: %q", s, got)
		}
	}
	draws(t, wednesday, map[string][]string{
		"did the dishes":                  {"Ana did the dishes."},
		"Did not like the soup.":          {"Ana says: Did not like the soup."},
		"What I can't stand is musicals.": {"Ana says: What I can't stand is musicals."},
		"I know where the keys are.":      {"Ana knows where the keys are."},
		"Who I saw on Friday was Tom.":    {"Ana says: Who I saw on Friday was Tom (2024-03-01). {2024-03-01}"},
		"No idea, ask Tom.":               {"Ana says: No idea, ask Tom."},
		"Guests are you and Tom.":         {"Ana says: Guests are you and Tom."},
		"Ximena can you send the invoice": {"To do for Ximena: send the invoice."},
	})
}

// What is said in another language makes no English statement, and what "it" means is what the clause before does something with.
func TestOtherLanguagesAreNotRead(t *testing.T) { // D-3
	t.Parallel()
	for s, want := range map[string]int{
		"Tom is in Utrecht en hij blijft tot mei bij mij.": 0, "Sofia is in Rom, ich bin im Urlaub und nicht da.": 0, "Sofia is in Rom.": 1,
	} {
		if got := extract(s); len(got) != want {
			t.Errorf("%q: %+v", s, got)
		}
	}
	var d rules.Dialogue
	for _, st := range d.Read(rules.Input{Text: "We moved the build to Bazel and it takes 10 min.", Speaker: "Ana", Role: "user", At: wednesday}) {
		if strings.Contains(st.Content, "it takes") && st.Slot != "amount:build" {
			t.Errorf("it is taken for %q", st.Slot)
		}
	}
}
