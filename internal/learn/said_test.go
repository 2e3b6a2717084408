package learn

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

var levels = reader.Levels{Keep: 0.7, Candidate: 0.3, Replace: 0.8}

// read makes a reading of one sentence, as sure as it is told to be.
func read(text string, sure float64) (Text, *reading) {
	t := Text{Body: text, Message: "msg_1", Role: "user", Speaker: "Ana", At: time.Date(2026, 1, 29, 9, 0, 0, 0, time.UTC)}
	s := reader.Sentence{Start: 0, End: len(text), Kind: reader.Fact, Confidence: sure}
	return t, &reading{body: text, sentences: []reader.Sentence{s}, levels: levels}
}

// A sentence of which the rules drew nothing is quoted as it was said, whatever signs it holds.
func TestSentencesAreQuoted(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"I'm left-handed, mind the scissors":     `Ana, 29 January 2026: "I'm left-handed, mind the scissors"`,
		"• the map lies in C:\\maps\\new ;":      `Ana, 29 January 2026: "the map lies in C:\maps\new"`,
		"we are a family of three 👩‍👩‍👦 now":     `Ana, 29 January 2026: "we are a family of three 👩‍👩‍👦 now"`,
		"she said \"Über\nall\" and meant it":    `Ana, 29 January 2026: "she said 'Über all' and meant it"`,
		"- the dentist is Dr. Ito on the corner": `Ana, 29 January 2026: "the dentist is Dr. Ito on the corner"`,
	} {
		text, r := read(said, 0.9)
		got := r.statementsIn(text, nil)
		if len(got) != 1 || got[0].Content != want || got[0].Candidate || got[0].Subject != "Ana" {
			t.Errorf("%q: %+v", said, got)
			continue
		}
		if evidence := said[got[0].Start:got[0].End]; strings.ContainsAny(evidence[:1], "-•") || strings.TrimSpace(evidence) != evidence {
			t.Errorf("%q rests on %q", said, evidence)
		}
	}
}

func TestLevelsDecide(t *testing.T) {
	t.Parallel()
	const said = "Ana lives in Lyon, near the river."
	lives := rules.Statement{Content: "Ana lives in Lyon.", Predicate: "lives_in", Subject: "Ana", Value: "Lyon", End: 17, Confidence: 0.9}
	asked, moment := lives, lives
	asked.Predicate, asked.Requested = "", true
	moment.Predicate, moment.Kind, moment.Defining, moment.Confidence = "", lukasa.KindDecision, true, 0.8
	for _, c := range []struct {
		name  string
		sure  float64
		drawn []rules.Statement
		count int
		held  bool
	}{
		{"sure", 0.75, nil, 1, false},
		{"not sure", 0.5, nil, 1, true},
		{"nothing", 0.2, nil, 0, false},
		{"both agree", 0.5, []rules.Statement{lives}, 1, false},
		{"the rules alone", 0.2, []rules.Statement{lives}, 0, false},
		{"asked for", 0.1, []rules.Statement{asked}, 1, false},
		{"a defining moment", 0.1, []rules.Statement{moment}, 1, false},
	} {
		text, r := read(said, c.sure)
		got := r.statementsIn(text, c.drawn)
		if len(got) != c.count || c.count == 1 && (got[0].Candidate != c.held || !strings.Contains(got[0].Content, "near the river")) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// What the rules drew is told in their words where it leaves nothing out.
func TestSayAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, content, predicate string
		want                     bool
	}{
		{"I live in Lyon.", "Ana lives in Lyon.", "lives_in", true},
		{"I moved to Lyon.", "Ana lives in Lyon.", "lives_in", true},
		{"I live in Lyon, near the river.", "Ana lives in Lyon.", "lives_in", false},
		{"The rent is 640 warm.", "The rent of Ana is 650 warm.", "", false},
		{"my editor is Birgitta Holm, she wants the draft", "Birgitta Holm works as an editor.", "", false},
		{"it's the blue one", "Ana says: it's the blue one.", "", false},
	} {
		if got := sayAll([]rules.Statement{{Content: c.content, Predicate: c.predicate}}, c.said); got != c.want {
			t.Errorf("%q as %q: %v", c.said, c.content, got)
		}
	}
}

func TestMostlyLatin(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"": true, "Ana wohnt in Köln": true, "Аня живёт в Москве": false, "安娜住在北京": false, "ok, Москва": false, "Paris, Москва 12": false, "in Paris on 12": true} {
		if got := mostlyLatin(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
