package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// TestTalkOfTwoProcesses: a conversation whose messages come through two processes by chance teaches what it teaches through one, whatever each
// of them has heard before, and what was replaced through one is not known to the other any more.
func TestTalkOfTwoProcesses(t *testing.T) { // T-21
	t.Parallel()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	talk := []string{
		"Ann: My sister Clara moved to Lisbon.",
		"Ann: She works at Initech.",
		"Ben: What does she do there?",
		"Ann: She is a nurse.",
		"Ann: Her favourite colour is green.",
		"Ben: My brother Tom lives in Oslo.",
		"Ben: He likes chess.",
		"Ann: I work at Globex.",
		"Ben: He has a dog called Rex.",
		"Ann: My boss is Maria Silva.",
		"Ann: She lives in Porto.",
		"Ben: I prefer tea to coffee.",
	}
	learned := func(pattern string) []string {
		cfg := enginetest.Config(t)
		one, clock, sc := enginetest.Open(t, cfg, engine.Options{})
		two, _, _ := enginetest.Open(t, cfg, engine.Options{Now: clock.Now})
		h := []*house{{t, one, clock, sc}, {t, two, clock, sc}}
		for i, line := range talk {
			h[pattern[i%len(pattern)]-'0'].say("talk", at.Add(time.Duration(i)*time.Hour), line)
		}
		var list []string
		for _, m := range h[0].memories(lukasa.MemoryFilter{}) {
			list = append(list, fmt.Sprintf("%s|%s|%v", m.Subject, m.Content, m.IsLatest))
		}
		slices.Sort(list)
		return list
	}
	want := learned("0")
	if !slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, "Clara") && strings.Contains(s, "Initech") }) {
		t.Fatalf("one process did not learn whom \"she\" means: %q", want)
	}
	for _, pattern := range []string{"01", "0011", "011", "000000000001", "010010111"} {
		if got := learned(pattern); !slices.Equal(got, want) {
			t.Errorf("through two processes (%s) it learned\n%s\nthrough one\n%s", pattern, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestReplacedElsewhere: what a message said before another process replaced it tells nothing of the messages behind it.
func TestReplacedElsewhere(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	one, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	two, _, _ := enginetest.Open(t, cfg, engine.Options{Now: clock.Now})
	put := func(e *engine.Engine, id, text string, replace bool) {
		t.Helper()
		_, res, err := e.Append(t.Context(), sc, lukasa.Append{Container: "life", Conversation: "c", Replace: replace, Messages: []lukasa.NewMessage{{ExternalID: id, Role: "user", Speaker: "Ann", Content: text}}})
		if err != nil || res[0].Error != "" {
			t.Fatal(err, res)
		}
	}
	for i := range 4 { // both have found that they share the conversation
		put(one, fmt.Sprint("a", i), "Good morning.", false)
		put(two, fmt.Sprint("b", i), "Good evening.", false)
	}
	put(one, "who", "My sister Clara moved to Lisbon.", false)
	put(two, "b9", "That is nice.", false)
	put(one, "b10", "Good night.", false)
	put(two, "who", "My sister Greta moved to Lisbon.", true)
	put(two, "b11", "Yes.", false)
	put(one, "she", "She works at Initech.", false)
	l, err := one.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	greta := false
	for _, m := range l.Items {
		if strings.Contains(m.Content, "Initech") && strings.Contains(m.Content, "Clara") {
			t.Errorf("it was learned from a message that is no more: %q", m.Content)
		}
		greta = greta || strings.Contains(m.Content, "Greta") && strings.Contains(m.Content, "Initech")
	}
	if !greta {
		t.Errorf("what took its place was not heard: %+v", l.Items)
	}
}
