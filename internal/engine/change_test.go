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

// D-4: what was noted gives way to what a later message says of the same thing in words of its own, even to a message that would not be worth a
// memory by itself.
func TestAMessageChangesWhatWasNoted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, old, fresh string }{
		{"The reunion is on Saturday 12 October.", "Reunion now Friday 11 October, 7.30", "Saturday 12 October", "11 October"},
		{"budget is £18,000 and not a penny more", "Budget is £22,000 now", "18,000", "22,000"},
	} {
		e, clock, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
		say := func(s string) {
			t.Helper()
			clock.Advance(26 * time.Hour)
			_, res, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{{Content: s, Role: "user", Speaker: "Ana"}}})
			if err != nil || res[0].Status != "logged" {
				t.Fatal(res, err)
			}
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
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

// D-4: what is said to be over, and what was decided otherwise, stands no longer, whoever of those who say "we" says it, and however many slots it has.
func TestWhatIsGivenUpStandsNoLonger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, old, fresh, reason string }{
		{"We use Sentry for errors.", "We no longer use Sentry.", "Ana uses Sentry", "no longer uses Sentry", "said to be over"},
		{"We decided to use Redis for the job queue.", "We dropped Redis because it lost jobs on failover.", "decided to use Redis", "dropped Redis", "decided otherwise"},
		{"We're going with Kafka for events.", "We decided to drop Kafka.", "going with Kafka", "drop Kafka", "decided otherwise"},
		{"We decided on exponential backoff.", "We decided against exponential backoff.", "on exponential", "against exponential", "decided otherwise"},
		{"We decided to drop Kafka.", "We decided to use Kafka after all.", "drop Kafka", "to use Kafka", "decided otherwise"},
		{"We decided to use Kafka for events.", "We decided to drop Kafka Streams.", "to use Kafka", "drop Kafka Streams", ""},
		{"We decided to hire Anna.", "We dropped Anna off at the station.", "hire Anna", "", ""},
	} {
		e, clock, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
		say := func(who, s string) {
			t.Helper()
			clock.Advance(26 * time.Hour)
			_, res, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{{Content: s, Role: "user", Speaker: who}}})
			if err != nil || res[0].Status != "logged" {
				t.Fatal(res, err)
			}
		}
		say("Ana", tt.before)
		for i := range 60 {
			say("Ana", fmt.Sprintf("I like the colour number %d.", 1000+i))
		}
		say("Ben", tt.after)
		all, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		rest, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100, Cursor: all.Next})
		if err != nil {
			t.Fatal(err)
		}
		all.Items = append(all.Items, rest.Items...)
		find := func(part string) *lukasa.Memory {
			i := slices.IndexFunc(all.Items, func(m lukasa.Memory) bool { return part != "" && strings.Contains(m.Content, part) })
			if i < 0 {
				return nil
			}
			return &all.Items[i]
		}
		old, fresh := find(tt.old), find(tt.fresh)
		switch {
		case old == nil || fresh == nil && tt.fresh != "":
			t.Errorf("%q, then %q: old %v, new %v", tt.before, tt.after, old, fresh)
		case tt.reason == "" && !old.IsLatest:
			t.Errorf("%q, then %q: %+v", tt.before, tt.after, old)
		case tt.reason != "" && (old.IsLatest || !fresh.IsLatest || old.RetiredBy != fresh.ID || !strings.Contains(old.Reason, tt.reason) || old.ValidTo == nil):
			t.Errorf("%q, then %q:\nold %+v\nnew %+v", tt.before, tt.after, old, fresh)
		}
	}
}

// D-4: a habit ends with what says so, in whatever order the two come in.
func TestAHabitIsOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, after, old, fresh string
		over                      bool
	}{
		{"I go for a run every Tuesday morning.", "I stopped running after the knee surgery.", "for a run", "stopped running", true},
		{"I play tennis every Sunday with Ben.", "I no longer play tennis.", "plays tennis every Sunday", "no longer plays tennis", true},
		{"I go to yoga on Thursdays.", "I stopped running after the knee surgery.", "to yoga on Thursdays", "stopped running", false},
	} {
		for _, late := range []bool{false, true} {
			e, clock, sc := enginetest.Open(t, enginetest.Config(t), engine.Options{})
			now := clock.Now()
			said := []lukasa.NewMessage{{Content: tt.before, Time: new(now.AddDate(0, 0, -60))}}
			for i := range 60 {
				said = append(said, lukasa.NewMessage{Content: fmt.Sprintf("I like the colour number %d.", 1000+i), Time: new(now.AddDate(0, 0, -30))})
			}
			said = append(said, lukasa.NewMessage{Content: tt.after, Time: new(now.AddDate(0, 0, -1))})
			if late {
				slices.Reverse(said)
			}
			for i := range said {
				said[i].Role, said[i].Speaker = "user", "Ana"
				if _, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: said[i : i+1]}); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			find := func(part string) lukasa.Memory {
				i := slices.IndexFunc(all.Items, func(m lukasa.Memory) bool { return strings.Contains(m.Content, part) })
				if i < 0 {
					t.Fatalf("%q is not among %+v", part, all.Items)
				}
				return all.Items[i]
			}
			old, fresh := find(tt.old), find(tt.fresh)
			if old.IsLatest == tt.over || tt.over && (old.RetiredBy != fresh.ID || !strings.Contains(old.Reason, "said to ") || old.ValidTo == nil) || !fresh.IsLatest {
				t.Errorf("late %v: %q, then %q:\nold %+v\nnew %+v", late, tt.before, tt.after, old, fresh)
			}
		}
	}
}

// What changes nothing and is worth no memory makes none.
func TestChatterMakesNoMemory(t *testing.T) {
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
