package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// D-4: what was noted gives way to what a later message says of the same thing in words of its own, even to a message that would not be worth a
// memory by itself.
func TestAMessageChangesWhatWasNoted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, old, fresh string }{
		{"I have an appointment with Dr Osei on the 6th of February at 11.20", "The appointment is now Tuesday the 11th, 9.40", "Dr Osei", "11th"},
		{"The reunion is on Saturday 12 October.", "Reunion now Friday 11 October, 7.30", "Saturday 12 October", "11 October"},
		{"budget is £18,000 and not a penny more", "Budget is £22,000 now", "18,000", "22,000"},
		{"Our backup runs every night at 2.", "ok backup runs at 4 now", "every night at 2", "at 4 now"},
	} {
		e, clock, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
		say := func(s string) {
			t.Helper()
			clock.Advance(26 * time.Hour)
			_, res, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{{Content: s, Role: "user", Speaker: "Ana"}}})
			if err != nil || res[0].Status != "logged" {
				t.Fatal(res, err)
			}
		}
		say(tt.before)
		say("The kettle is new as well, and 12 people have seen it.")
		say(tt.after)
		all, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		var old, fresh *lukasa.Memory
		for i, m := range all.Items {
			if strings.Contains(m.Content, tt.old) {
				old = &all.Items[i]
			}
			if strings.Contains(m.Content, tt.fresh) {
				fresh = &all.Items[i]
			}
		}
		if old == nil || fresh == nil || old.IsLatest || !fresh.IsLatest || old.RetiredBy != fresh.ID || old.Reason == "" || old.ValidTo == nil {
			t.Errorf("%q, then %q:\nold %+v\nnew %+v", tt.before, tt.after, old, fresh)
		}
	}
}

// What changes nothing and is worth no memory makes none.
func TestAFaintMessageAloneMakesNoMemory(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
	if _, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{
		{Content: "ok it is on Fridays now", Role: "user", Speaker: "Gaz"}, {Content: "Ok I like the lamp now", Role: "user", Speaker: "Ana"},
	}}); err != nil {
		t.Fatal(err)
	}
	all, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 50})
	if err != nil || len(all.Items) != 0 {
		t.Errorf("%+v, %v", all.Items, err)
	}
}
