package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A conversation that is wanted for a time only goes then with all that was said in it and learned from it; of one with a message that
// is, the message goes, and the rest stays.
func TestForgetTalk(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
		ctx := t.Context()
		soon, late, gone := clock.Now().Add(24*time.Hour), clock.Now().Add(30*24*time.Hour), clock.Now().Add(-time.Hour)
		say := func(name string, whole *time.Time, ms ...lukasa.NewMessage) (lukasa.Conversation, error) {
			c, _, err := e.Append(ctx, sc, lukasa.Append{Container: "life", Conversation: name, Messages: ms, ForgetAfter: whole})
			return c, err
		}
		for field, in := range map[string]func() error{
			"forget_after":             func() error { _, err := say("x", &gone, lukasa.NewMessage{Content: "a"}); return err },
			"messages[0].forget_after": func() error { _, err := say("x", nil, lukasa.NewMessage{Content: "a", ForgetAfter: &gone}); return err },
		} {
			err := in()
			if told, ok := errors.AsType[*lukasa.Error](err); !ok || told.Code != lukasa.CodeInvalid || told.Field != field {
				t.Errorf("%s in the past: %v", field, err)
			}
		}
		whole := must[lukasa.Conversation](t)(say("whole", &late, lukasa.NewMessage{ExternalID: "a", Role: "user", Speaker: "Maya", Content: "I live in Lyon."}))
		part := must[lukasa.Conversation](t)(say("part", nil,
			lukasa.NewMessage{Role: "user", Speaker: "Ben", Content: "I live in Porto.", ForgetAfter: &soon}, lukasa.NewMessage{Role: "user", Speaker: "Ben", Content: "I work at Initech."}))
		must[lukasa.Segment](t)(e.EndConversation(ctx, sc, whole.ID))
		must[lukasa.Conversation](t)(say("whole", nil, lukasa.NewMessage{Content: "The quixotropic lantern stands in the attic."}))
		if c := must[lukasa.Conversation](t)(e.Conversation(ctx, sc, whole.ID, time.Time{})); c.ForgetAfter == nil || !c.ForgetAfter.Equal(late.Truncate(time.Microsecond)) {
			t.Errorf("it is to be forgotten at %v, not %v", c.ForgetAfter, late)
		}
		talk := func(id lukasa.ID) []lukasa.Message {
			return must[lukasa.Listing[lukasa.Message]](t)(e.Messages(ctx, sc, id, lukasa.Page{}, time.Time{})).Items
		}
		known := func() (n int) {
			return must[lukasa.Listing[lukasa.Memory]](t)(e.Memories(ctx, sc, lukasa.MemoryFilter{Slot: "lives_in"}, lukasa.Page{})).Total
		}
		pass := func(to time.Time) []engine.DeletionReceipt {
			t.Helper()
			clock.Advance(to.Sub(clock.Now()) + time.Second)
			if err := e.Forget(ctx); err != nil {
				t.Fatal(err)
			}
			return must[lukasa.Listing[engine.DeletionReceipt]](t)(e.DeletionReceipts(ctx, sc, lukasa.Page{})).Items
		}
		if ms := talk(part.ID); len(ms) != 2 || ms[0].ForgetAfter == nil || ms[1].ForgetAfter != nil || known() != 2 {
			t.Fatalf("messages: %+v, %d memories", ms, known())
		}
		rs := pass(soon)
		if len(rs) != 1 || rs[0].Action != "message.delete" || rs[0].Why != "forget_after" {
			t.Errorf("receipts: %+v", rs)
		}
		if ms := talk(part.ID); len(ms) != 1 || ms[0].Content != "I work at Initech." || known() != 1 {
			t.Errorf("of the one: %+v, %d memories", ms, known())
		}
		rs = pass(late)
		if len(rs) != 2 || rs[0].Action != "conversation.delete" || rs[0].Why != "forget_after" || rs[0].Removed.Messages != 2 || rs[0].Removed.Memories == 0 {
			t.Errorf("receipts: %+v", rs)
		}
		if _, err := e.Conversation(ctx, sc, whole.ID, time.Time{}); lukasa.CodeOf(err) != lukasa.CodeNotFound || known() != 0 {
			t.Errorf("the conversation: %v, %d memories", err, known())
		}
		if faults := must[[]string](t)(e.Doctor(ctx, sc, false)); len(faults) > 0 {
			t.Errorf("the doctor finds %v", faults)
		}
	})
}
