package rules_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// A word that lacks its apostrophe is read as if it had it, and told with it.
func TestApostrophesThatAreLeftOut(t *testing.T) { // D-3, D-5
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"i dont eat pork":                                  {"avoids=pork: Ana doesn't eat pork."},
		"no i dont live in moscow":                         {"Ana doesn't live in moscow."},
		"im 27 and ive moved to Leeds":                     {"age=27: Ana is 27 years old.", "lives_in=Leeds: Ana lives in Leeds."},
		"Tom didnt like the soup, im ok":                   {"Tom didn't like the soup.", "Ana is ok."},
		"Im Haus am See":                                   {"Ana says: Im Haus am See."},
		"IM is down":                                       {"Ana says: IM is down."},
		"weve got 40 rolls of paper and nan's budgie":      {"has=40 rolls of paper and nan's budgie: Ana has 40 rolls of paper and nan's budgie."},
		"the RIBOSOME CAME UP. hes my date for prom":       {"The RIBOSOME CAME UP.", "Ana says: hes my date for prom."},
		"ive signed on for a plumbing course from october": {"Ana has signed on for a plumbing course from october (2024-10). {2024-10}"},
	})
}

// A clause that begins without a mark before it is one of its own; what tells more of a noun is not.
func TestClausesThatRunOn(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"im ana i run the billing team":                       {"Ana runs the billing team."},
		"i'm pregnant i'm not getting the tram":               {"Ana is pregnant.", "Ana is not getting the tram."},
		"i cant fly in november my mother has surgery":        {"Ana can't fly in november (2024-11). {2024-11}", "Ana's mother has surgery."},
		"i hate the tram i'm on":                              {"Ana hates the tram they are on."},
		"i'm on nights so if show week is in june i'm stuck":  {"Ana is on nights so if show week is in june they are stuck (2024-06). {2024-06}"},
		"I'm in Leeds on Friday.":                             {"Ana is in Leeds on Friday (2024-03-08). {2024-03-08}"},
		"ana here, im on lantus 14 units and i work for Otto": {"Ana says: ana here.", "Ana is on lantus 14 units.", "works_at=Otto: Ana works at Otto."},
	})
}

// Who tells the name that they are called by already tells what stands behind it; an aside at the end tells nothing.
func TestNamesAndAsidesAreNotToldAgain(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"I'm Ana, frontend.":               {"Ana is frontend."},
		"im ana btw, 58":                   {"age=58: Ana is 58 years old."},
		"I'm Ana.":                         nil,
		"I'm vegetarian, by the way.":      {"diet=vegetarian: Ana is vegetarian."},
		"my wife is pregnant btw":          {"Ana's wife is pregnant."},
		"no gofpdf is dead":                {"Ana says: gofpdf is dead."},
		"no tests are failing":             {"Ana says: no tests are failing."},
		"The talk is on LOL and the like.": {"Ana says: The talk is on LOL and the like."},
	})
}

// What 's belongs to: a noun with a verb behind it is owned, anything else is what somebody is or has.
func TestWhatSomebodyOwnsIsNotWhatTheyAre(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"My uncle's shop is in Leeds.":           {"located_in=Leeds: Ana's uncle's shop is in Leeds."},
		"my uncle's bakery sells bread":          {"Ana's uncle's bakery sells bread."},
		"mom's birthday is on the 14th":          {"birthday=03-14: Ana's mother's birthday is 03-14."},
		"Don't forget mum's birthday, the 14th":  {"Ana says: mum's birthday, the 14th (2024-03-14). {2024-03-14}"},
		"dont forget dad's birthday is the 14th": {"birthday=03-14: Ana's father's birthday is 03-14."},
		"my dad's surgery is on friday":          {"Ana's father's surgery is on friday (2024-03-08). {2024-03-08}"},
		"My brother's a nurse.":                  {"job_title=nurse: Ana's brother works as a nurse."},
		"My uncle's very ill.":                   {"Ana's uncle is very ill."},
		"My sister's husband is a baker.":        {"job_title=baker: Ana's sister's husband works as a baker."},
		"Leah's allergic to dogs, not cats.":     {"allergic_to=dogs: Leah is allergic to dogs, not cats."},
		"Leah's got her half marathon.":          {"Leah has got her half marathon."},
		"I spoke to Mum's neighbour.":            {"Ana spoke to their mother's neighbour."},
		"I spoke to Tom's mum and Mama Risi.":    {"Ana spoke to Tom's mum and Mama Risi."},
		"I'd rather not drop the shell.":         {"prefers=not drop the shell: Ana would rather not drop the shell."},
		"I'm in Oslo for work that whole week.":  {"Ana is in Oslo for work that whole week."},
	})
}

// What tells since when something else is so happened on no day that is known.
func TestBackdropsHaveNoDay(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"She's lost weight since Dad died.": {"Ana says: She's lost weight.", "Ana's father died."},
	})
	for _, c := range candidates("She's lost weight since Dad died.") {
		if c.Defining || !c.OccurredAt.IsZero() {
			t.Errorf("%s of %v: %s", c.Kind, c.OccurredAt, c.Content)
		}
	}
	for _, c := range candidates("Dad died.") {
		if !c.Defining || !c.OccurredAt.Equal(wednesday) {
			t.Errorf("%s of %v: %s", c.Kind, c.OccurredAt, c.Content)
		}
	}
}

// Who is whose what is noted in passing, with a comma before the name or without.
func TestRelativesInPassing(t *testing.T) { // D-5
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"I'll bring Leah's brother Marcus.":    {"Ana will bring Leah's brother Marcus.", "brother=Marcus: Marcus is Leah's brother."},
		"I saw my boss, Olga, in Oslo.":        {"Ana saw their boss, Olga, in Oslo.", "boss=Olga: Olga is Ana's boss."},
		"Then I met my sister, Tom, and Jo.":   {"Ana met their sister, Tom, and Jo."},
		"I met the company's boss Olga there.": {"Ana met the company's boss Olga there."},
	})
}

// An order that holds from now on is a rule, and so is what somebody would rather have a helper do.
func TestOrdersThatHold(t *testing.T) { // D-3
	t.Parallel()
	draws(t, wednesday, map[string][]string{
		"Please answer in Dutch from now on.": {"rule=answer in Dutch from now on: Ana wants: answer in Dutch from now on."},
		"I'd prefer if you answered me in Dutch from now on, for practice.": {
			"rule=I'd prefer if you answered me in Dutch from now on: Ana says: I'd prefer if you answered me in Dutch from now on.",
		},
		"please write titles in English from now on, the auditors are from Vienna": {
			"rule=write titles in English from now on: Ana wants: write titles in English from now on.", "Ana says: the auditors are from Vienna.",
		},
		"Please always use metric units, and never cite blogs.": {
			"rule=always use metric units: Ana wants: always use metric units.", "rule=never cite blogs: Ana wants: never cite blogs.",
		},
		"Yes, remind me on 6 June to ring Tom.":   {"To do for Ana: on 6 June to ring Tom (2024-06-06). {2024-06-06}"},
		"Can you remind me tomorrow to ring Tom?": {"To do for Ana: tomorrow to ring Tom (2024-03-07). {2024-03-07}"},
		"Remind me to ring Tom on 6 June.":        {"To do for Ana: ring Tom on 6 June (2024-06-06). {2024-06-06}"},
		"They remind me of you.":                  {"Ana says: They remind me of you."},
		"I'd rather you heard it from me.":        {"Ana would rather you heard it from them."},
		"Keep your answers short.":                {"Ana says: Keep your answers short."},
		"From now on the gym opens at 7.":         {"Ana says: from now on the gym opens at 7."},
	})
	var d rules.Dialogue
	d.Read(rules.Input{Text: "How can I help?", Role: "assistant", At: wednesday})
	for s, want := range map[string]string{
		"Keep your answers short, please.":  "Ana wants: Keep your answers short, please.",
		"I'd rather you didn't use emojis.": "Ana says: I'd rather you didn't use emojis.",
		"Keep the receipts.":                "",
	} {
		rule := ""
		for _, c := range d.Candidates(rules.Input{Text: s, Speaker: "Ana", Role: "user", At: wednesday}) {
			if c.Predicate == "rule" {
				rule = c.Content
			}
		}
		if rule != want {
			t.Errorf("%q: %q, want %q", s, rule, want)
		}
	}
}
