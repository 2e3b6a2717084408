package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What is kept in memory of a conversation is not used once somebody has changed what was said: neither here nor in another process.
func TestThreadsAreNotStale(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	one, _, sc := enginetest.Open(t, cfg, engine.Options{})
	two, _, _ := enginetest.Open(t, cfg, engine.Options{})
	say := func(e *engine.Engine, talk, id, text string) lukasa.AppendResult {
		t.Helper()
		at := march.Add(time.Minute)
		_, r, err := e.Append(t.Context(), sc, lukasa.Append{Container: "life", Conversation: talk, Replace: true, Messages: []lukasa.NewMessage{
			{ExternalID: id, Role: "user", Speaker: "Ana", Content: text, Time: &at},
		}})
		if err != nil || r[0].Error != "" {
			t.Fatal(err, r)
		}
		return r[0]
	}
	homes := func(talk string) (subjects string) {
		t.Helper()
		l, err := one.Memories(t.Context(), sc, lukasa.MemoryFilter{Slot: "lives_in"}, lukasa.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range l.Items {
			subjects += m.Subject + " " + m.Value + "\n"
		}
		return subjects
	}
	for _, c := range []struct {
		name  string
		alter func(talk string, told lukasa.AppendResult)
		knows bool
	}{
		{"untouched", func(string, lukasa.AppendResult) {}, true},
		{"deleted", func(_ string, told lukasa.AppendResult) {
			if _, err := one.Delete(t.Context(), sc, told.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"deleted elsewhere", func(_ string, told lukasa.AppendResult) {
			if _, err := two.Delete(t.Context(), sc, told.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"replaced elsewhere", func(talk string, _ lukasa.AppendResult) { say(two, talk, "2", "The soup was too hot.") }, false},
	} {
		name := map[string]string{"untouched": "Wilma", "deleted": "Xenia", "deleted elsewhere": "Yvonne", "replaced elsewhere": "Zoe"}[c.name]
		city := name + "ville"
		say(one, c.name, "0", "Good morning.") // the conversation is there,
		say(one, c.name, "1", "It rains.")     // and its thread is kept
		told := say(one, c.name, "2", "My sister "+name+" plays the cello.")
		c.alter(c.name, told)
		say(one, c.name, "3", "She lives in "+city+".")
		got := homes(c.name)
		if !strings.Contains(got, city) && c.knows {
			t.Errorf("%s: nobody lives in %s: %q", c.name, city, got)
		}
		if strings.Contains(got, name+" "+city) != c.knows {
			t.Errorf("%s: is %s known? %q", c.name, name, got)
		}
	}
}
