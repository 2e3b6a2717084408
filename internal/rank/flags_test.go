package rank_test

import (
	"math"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/rank"
)

func TestFeatures(t *testing.T) {
	t.Parallel()
	question, when, number := rank.Flags.Question, rank.Flags.Time, rank.Flags.Number
	for _, c := range []struct {
		name string
		flag func(rank.Flags) bool
		yes  []string
		no   []string
	}{
		{
			"question", question,
			[]string{"Where?", "Did you say “where?”", "Really? ", "¿Dónde?", "どこ？", "أين؟", "Look, is it yours? [image: a red bicycle]", "(why?)"},
			[]string{"", "Why? Because.", "No.", "[image: what?]", "a] b", "?!"},
		},
		{
			"time", when,
			[]string{"I left yesterday.", "It was last summer", "two days of rain", "a couple of weeks", "in 1999", "On Friday", "this morning", "a few years", "March came"},
			[]string{"", "the summer", "at 12345", "days", "this dog", "week"},
		},
		{"number", number, []string{"seven swans", "Twice!", "7", "a dozen eggs"}, []string{"", "many swans", "v2"}},
	} {
		for _, s := range c.yes {
			if !c.flag(rank.FlagsOf(s)) {
				t.Errorf("%s: %q has it", c.name, s)
			}
		}
		for _, s := range c.no {
			if c.flag(rank.FlagsOf(s)) {
				t.Errorf("%s: %q has it not", c.name, s)
			}
		}
	}
}

func TestFeaturesCountNames(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"":                                0,
		"The end. The start.":             0,
		"we met Ada":                      1,
		"we met Ada, Ben":                 2,
		"we met Ada, Ben and Cem and Di":  3,
		`the play "Hamlet" and 12 others`: 2,
		"Ada":                             0,
	} {
		if got := rank.FlagsOf(s).Names(); got != want {
			t.Errorf("%q has %d names, want %d", s, got, want)
		}
	}
}

func TestFeaturesMeasureTheSelf(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"":                                 0,
		"The weather is fine.":             0,
		"I swim.":                          1,
		"I’m glad":                         1,
		"my own house":                     1,
		strings.Repeat("word ", 15) + "I":  .5,
		strings.Repeat("word ", 31) + "we": .25,
	} {
		if got := rank.FlagsOf(s).Self(); math.Abs(float64(got)-want) > .01 {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestFeaturesDoNotAllocate(t *testing.T) {
	s := "We met Ada last week, didn't we? She plays the violin and has seven cats. Ünlaut öffnet Türen."
	if n := testing.AllocsPerRun(100, func() { rank.FlagsOf(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFeatures(f *testing.F) {
	for _, s := range []string{"", "Where?", "a'", "’", "[[[?]", "x [?]", "\xff\xfe?", "I I I I", "“?”", "last week of 1999 days", strings.Repeat("İ", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := rank.FlagsOf(s)
		if got != rank.FlagsOf(s) {
			t.Errorf("%q: two answers", s)
		}
		if x := got.Self(); x < 0 || x > 1 || got.Names() > 3 {
			t.Errorf("%q: self %v, names %d", s, x, got.Names())
		}
	})
}
