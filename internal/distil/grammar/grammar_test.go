package grammar_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

var at = time.Date(2024, 3, 6, 15, 30, 0, 0, time.UTC)

func lex(s string) []lexis.Token { return lexis.Lex(nil, s, 0, len(s)) }

func TestParts(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"I live in Lyon and work at Airbus":                   "I live in Lyon|work at Airbus+",
		"I live in Lyon, my sister works at Airbus":           "I live in Lyon|my sister works at Airbus",
		"I need the report, deadline is Friday":               "I need the report|deadline is Friday",
		"we moved, her husband got a job":                     "we moved|her husband got a job",
		"I'd move if they paid me":                            "I'd move|they paid me?",
		"I like tea and coffee":                               "I like tea and coffee",
		"Tom and I run a shop":                                "Tom and I run a shop",
		"I was born in Oslo because my parents lived there":   "I was born in Oslo|my parents lived there",
		"we moved to Lyon until the summer":                   "we moved to Lyon until the summer",
		"I have to call Tom and send the letter":              "I have to call Tom|send the letter+",
		"update: the server is at the office":                 "update|the server is at the office",
		"she lives in Oslo; he lives in Rome — they write":    "she lives in Oslo|he lives in Rome|they write",
		"I booked it but we are not sure and they may cancel": "I booked it|we are not sure|they may cancel",
	} {
		var got []string
		for _, p := range grammar.Parts(lex(s)) {
			text := s[p.Toks[0].Start:p.Toks[len(p.Toks)-1].End]
			if p.Joined {
				text += "+"
			}
			if p.Conditional {
				text += "?"
			}
			got = append(got, text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", s, strings.Join(got, "|"), want)
		}
	}
}

func read(s string, scene *grammar.Scene) (grammar.Clause, bool) {
	scene.S, scene.At, scene.Toks = s, at, lex(s)
	if scene.Me == "" {
		scene.Me, scene.Self = "Ana", true
	}
	c := grammar.Clause{Scene: scene, Toks: scene.Toks}
	ok := c.Read(grammar.Party{}, false)
	return c, ok
}

func TestReadFindsTheSubject(t *testing.T) {
	t.Parallel()
	cast := grammar.Cast{}
	cast.Meet("Mateo Daniel")
	for s, want := range map[string]struct {
		kind  grammar.Kind
		name  string
		lemma string
	}{
		"I live in Lyon":                       {grammar.Speaker, "Ana", "live"},
		"btw we moved to Lyon":                 {grammar.Speaker, "Ana", "move"},
		"bought a bike yesterday":              {grammar.Speaker, "Ana", "buy"},
		"going back on the 12th":               {grammar.Speaker, "Ana", "go"},
		"need to call the bank":                {grammar.Speaker, "Ana", "need"},
		"had coffee with Tom today":            {grammar.Speaker, "Ana", "have"},
		"my sister Clara works at Airbus":      {grammar.Someone, "Clara", "work"},
		"Tom's wife teaches physics":           {grammar.Someone, "Tom's wife", "teach"},
		"mateo took his first steps":           {grammar.Someone, "Mateo", "take"},
		"Mum and I are flying to Lagos":        {grammar.Speaker, "Ana", "fly"},
		"Clara and the kids are coming in May": {grammar.Someone, "Clara", "come"},
		"the deadline is Friday":               {grammar.Thing, "deadline", "be"},
		"surgery is on the 14th":               {grammar.Thing, "surgery", "be"},
		"Checkout v2 goes live in May":         {grammar.Thing, "Checkout v2", "go"},
		"Ben, I finished the report":           {grammar.Speaker, "Ana", "finish"},
	} {
		c, ok := read(s, &grammar.Scene{Cast: cast})
		if !ok || c.Subj.Kind != want.kind || c.Subj.Name != want.name || c.Verb.Lemma != want.lemma {
			t.Errorf("%q: %v %d %q %q, want %+v", s, ok, c.Subj.Kind, c.Subj.Name, c.Verb.Lemma, want)
		}
	}
	for _, s := range []string{"nice one", "developers love Go", "maybe tomorrow", "", "she lives in Oslo", "they moved"} {
		if c, ok := read(s, &grammar.Scene{}); ok {
			t.Errorf("%q: %+v", s, c.Subj)
		}
	}
}

func TestSceneRemembersWhomItSpokeOf(t *testing.T) {
	t.Parallel()
	scene := &grammar.Scene{Cast: grammar.Cast{}}
	var introduced string
	scene.Introduce = func(owner, rel, name string) { introduced = owner + " " + rel + " " + name }
	if _, ok := read("my sister Clara called", scene); !ok || introduced != "Ana sister Clara" || scene.Cast.Knows("clara") != "Clara" {
		t.Errorf("%v %q %v", ok, introduced, scene.Cast)
	}
	if c, ok := read("she's moved to Oslo", scene); !ok || c.Subj.Name != "Clara" {
		t.Errorf("%+v", c.Subj)
	}
	if c, ok := read("he moved to Oslo", scene); ok {
		t.Errorf("a sister is no he: %+v", c.Subj)
	}
}

func TestAgrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pronoun string
		p       grammar.Party
		want    bool
	}{
		{"he", grammar.Party{Name: "Mr Penhale"}, true},
		{"she", grammar.Party{Name: "Mr Penhale"}, false},
		{"his", grammar.Party{Name: "Mrs Kerrigan"}, false},
		{"her", grammar.Party{Name: "Dr Patel"}, true},
		{"he", grammar.Party{Name: "Dr Patel"}, true},
		{"he", grammar.Party{Name: "Ana's aunt", Rel: "aunt"}, false},
		{"-", grammar.Party{Name: "Mrs Kerrigan"}, true},
	} {
		if got := grammar.Agrees(c.pronoun, c.p); got != c.want {
			t.Errorf("%s for %s: %v", c.pronoun, c.p.Name, got)
		}
	}
}

func TestRetell(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"I'm moving to Lyon":               "Ana is moving to Lyon",
		"I have to call my bank":           "Ana has to call their bank",
		"going back on the 12th":           "Ana is going back on the 12th (2024-03-12)",
		"we sold the boat":                 "Ana says: we sold the boat",
		"my sister Clara met us yesterday": "Clara met Ana yesterday (2024-03-05)",
		"anything over 9 MB goes to disk":  "Anything over 9 MB goes to disk",
	} {
		c, ok := read(s, &grammar.Scene{})
		if got := c.Retell(); !ok || got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestSpan tells the ends of one stretch from two dates.
func TestSpan(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"we are in Brno from the 12th to the 20th of May":   true,
		"we are in Brno 5 to 8 May":                         true,
		"we are in Brno 25 May til 4 June":                  true,
		"we are in Brno from Friday and stay until Tuesday": true,
		"we fly on 9 May, back on the 14th":                 true,
		"we fly on 9 May and Tom on 14 May":                 false,
		"it was moved to 9 May from 2 May":                  false,
		"we are in Brno until 9 May":                        false,
		"the paper is due by 9 May, the talk is on 14 May":  false,
	} {
		c, ok := read(s, &grammar.Scene{})
		if got := c.Span(); !ok || got != want {
			t.Errorf("%q: %v, %v of %v", s, ok, got, c.Dates)
		}
	}
	c, _ := read("I've stopped baking until Monday", &grammar.Scene{})
	if len(c.Dates) != 1 || !c.Dates[0].From.After(at) {
		t.Errorf("%v", c.Dates)
	}
}

func TestReadNeverPanics(t *testing.T) {
	t.Parallel()
	pieces := strings.Fields("I we my sister Clara Mum and the kids is are was 's 'm not no longer , . : ; to at in on from until May 5 12th they she his her need have had going bought will would if because Ben the a of by who v2 +1 ( ) ’")
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "words"), " ")
		scene := &grammar.Scene{S: s, Me: "Ana", Self: true, At: at, Toks: lex(s), Cast: grammar.Cast{"clara": "Clara"}}
		var prior grammar.Party
		for _, p := range grammar.Parts(scene.Toks) {
			c := grammar.Clause{Scene: scene, Toks: p.Toks}
			if c.Read(prior, p.Joined) {
				prior, scene.Last = c.Subj, c.Verb
				c.Retell()
				if c.Subj.From < 0 || c.Subj.To > len(c.Toks) || c.Subj.From > c.Subj.To {
					t.Fatalf("%q: %+v", s, c.Subj)
				}
			}
			scene.Count++
		}
	})
}
