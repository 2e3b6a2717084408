package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// dialogues is a house in which conversations are had.
func dialogues(t *testing.T, cfg config.Config) (*house, func(container, name, id, text string) lukasa.Conversation) {
	t.Helper()
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	h := &house{t, e, clock, sc}
	return h, func(container, name, id, text string) lukasa.Conversation {
		t.Helper()
		h.clock.Advance(time.Minute)
		c, results, err := e.Append(t.Context(), sc, lukasa.Append{Container: container, Conversation: name, Messages: []lukasa.NewMessage{{ExternalID: id, Role: "user", Speaker: "Maya", Content: text}}})
		if err != nil || results[0].Error != "" {
			t.Fatalf("append to %s: %v, %v", name, results, err)
		}
		return c
	}
}

// A conversation is called something, keeps its name for programs, says so of the past, and is called as before when that is undone.
func TestAConversationIsRenamed(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := dialogues(t, cfg)
		ctx := t.Context()
		c := say("work", "c-1", "m1", "The ferry to Tallinn leaves at nine.")
		found := func() []lukasa.Hit {
			t.Helper()
			r := must[lukasa.Result](t)(h.e.Search(ctx, h.sc, lukasa.Query{Text: "ferry", Types: []lukasa.EntryType{lukasa.EntryMessage}}))
			if len(r.Hits) != 1 {
				t.Fatalf("%d hits", len(r.Hits))
			}
			return r.Hits
		}
		if m := found()[0].Message; m.Title != "" || m.Conversation != "c-1" {
			t.Errorf("before, a search shows it as %q, under the name %q", m.Title, m.Conversation)
		}
		before := h.clock.Now()
		h.clock.Advance(time.Minute)
		got := must[lukasa.Conversation](t)(h.e.PatchConversation(ctx, h.sc, "c-1", "work", lukasa.DocumentPatch{
			Title: new("Baltic trip"), Tags: &[]string{"travel"}, Metadata: map[string]any{"year": 2026.0},
		}, ""))
		now := must[lukasa.Conversation](t)(h.e.Conversation(ctx, h.sc, c.ID, time.Time{}))
		if got.Title != "Baltic trip" || now.Title != got.Title || len(now.Tags) != 1 || now.Metadata["year"] != 2026.0 || now.ExternalID != "c-1" {
			t.Errorf("it is called %+v, was answered %+v", now, got)
		}
		if then := must[lukasa.Conversation](t)(h.e.Conversation(ctx, h.sc, c.ID, before)); then.Title != "" || len(then.Tags) != 0 {
			t.Errorf("it was called %q %q before", then.Title, then.Tags)
		}
		if m := found()[0].Message; m.Title != "Baltic trip" || m.Conversation != "c-1" {
			t.Errorf("a search shows it as %q, under the name %q", m.Title, m.Conversation)
		}
		page := must[engine.RecallPage](t)(h.e.RecallFilePage(ctx, h.sc, c.Document, time.Time{}))
		if page.Title != "Baltic trip" || page.Topic != "Baltic trip" || page.Conversation != "c-1" || !strings.Contains(page.Text(), "talk       Baltic trip\nname       c-1\n") {
			t.Errorf("its recall file is one of %q, under the name %q, on %q:\n%s", page.Title, page.Conversation, page.Topic, page.Text())
		}
		r := must[lukasa.Result](t)(h.e.Search(ctx, h.sc, lukasa.Query{Text: "ferry", Filter: &lukasa.Filter{Field: "tags", Text: []string{"travel"}}, Limit: 5}))
		if len(r.Hits) == 0 {
			t.Error("its label finds nothing")
		}
		if d := must[lukasa.Document](t)(h.e.Document(ctx, h.sc, c.Document)); d.Title != "Baltic trip" {
			t.Errorf("its stretch is called %q", d.Title)
		}
		if again := say("work", "c-1", "m2", "The cabin is booked."); again.ID != c.ID {
			t.Error("under its name another one goes on")
		}
		must[lukasa.Segment](t)(h.e.EndConversation(ctx, h.sc, c.ID))
		next := say("work", "c-1", "m3", "The cabin has a window.").Document
		if d := must[lukasa.Document](t)(h.e.Document(ctx, h.sc, next)); next == c.Document || d.Title != "Baltic trip" || len(d.Tags) != 1 {
			t.Errorf("its next stretch is called %q %q", d.Title, d.Tags)
		}
		if _, err := h.e.Undo(ctx, h.sc, c.ID); err != nil {
			t.Fatal(err)
		}
		now = must[lukasa.Conversation](t)(h.e.Conversation(ctx, h.sc, c.ID, time.Time{}))
		if d := must[lukasa.Document](t)(h.e.Document(ctx, h.sc, c.Document)); now.Title != "" || len(now.Tags) != 0 || d.Title != "c-1" || len(d.Tags) != 0 {
			t.Errorf("behind the undo it is called %q %q, its stretch %q %q", now.Title, now.Tags, d.Title, d.Tags)
		}
	})
}

// A conversation moves whole: what was said, its recall files, what is known from it alone, and what of it lies in the trash. A key that is
// bound to where it stood sees nothing of it any more.
func TestAConversationIsMoved(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := dialogues(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		say("home", "letters", "m1", "My sister Clara moved to Porto. The harbour there is quiet.")
		c := say("home", "letters", "m2", "I decided to sell the violin.")
		must[lukasa.Segment](t)(h.e.EndConversation(ctx, h.sc, c.ID))
		c = say("home", "letters", "m3", "My sister Clara works at Acme.")
		dropped := c.Document
		must[lukasa.Segment](t)(h.e.EndConversation(ctx, h.sc, c.ID))
		must[engine.Buried](t)(h.e.Bury(ctx, h.sc, dropped))
		c = say("home", "letters", "m4", "The harbour was full of cranes.")
		stays := say("home", "other", "x1", "The harbour has a lighthouse.")
		other := say("work", "busy", "b1", "The harbour is closed.")

		bound := h.sc
		bound.Root = "home"
		news := must[<-chan lukasa.Event](t)(h.e.Events(ctx, h.sc))
		moved := must[lukasa.Conversation](t)(h.e.PatchConversation(ctx, h.sc, string(c.ID), "", lukasa.DocumentPatch{}, "archive.letters"))
		if moved.ID != c.ID || moved.Path != "archive.letters" || moved.Messages != 3 {
			t.Errorf("it stands as %+v", moved)
		}
		told := false
		for range len(news) {
			ev := <-news
			told = told || ev.Type == lukasa.EventTalkUpdated && ev.Record == c.ID && ev.Path == "archive.letters"
		}
		if !told {
			t.Error("no event tells of it")
		}
		in := func(sc lukasa.Scope, path lukasa.Path) (hits, memories, files int) {
			p := []lukasa.Pattern{{Path: path}}
			r := must[lukasa.Result](t)(h.e.Search(ctx, sc, lukasa.Query{Text: "harbour cranes quiet", Containers: p, Types: []lukasa.EntryType{lukasa.EntryMessage}, Limit: 20}))
			return len(r.Hits), must[lukasa.Listing[lukasa.Memory]](t)(h.e.Memories(ctx, sc, lukasa.MemoryFilter{Containers: p}, lukasa.Page{})).Total,
				must[lukasa.Listing[engine.RecallPage]](t)(h.e.RecallPages(ctx, sc, engine.RecallQuery{Containers: p}, lukasa.Page{})).Total
		}
		if hits, memories, files := in(h.sc, "archive"); hits < 2 || memories == 0 || files != 2 {
			t.Errorf("at the new place: %d hits, %d memories, %d recall files", hits, memories, files)
		}
		for _, sc := range []lukasa.Scope{bound, h.sc} {
			if hits, memories, files := in(sc, "home"); hits != 1 || memories != 0 || files != 1 {
				t.Errorf("at the old place: %d hits, %d memories, %d recall files are left", hits, memories, files)
			}
		}
		if _, err := h.e.Conversation(ctx, bound, c.ID, time.Time{}); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			t.Errorf("a key that is bound to the old place is told %v", err)
		}
		if l := must[lukasa.Listing[lukasa.Delta]](t)(h.e.History(ctx, bound, c.ID, lukasa.Page{}, time.Time{})); l.Total != 0 {
			t.Errorf("it reads %d changes of it", l.Total)
		}
		if l := must[lukasa.Listing[engine.Buried]](t)(h.e.Trash(ctx, bound, lukasa.Page{})); l.Total != 0 {
			t.Errorf("it sees %d things of it in the trash", l.Total)
		}
		if err := h.e.Unbury(ctx, h.sc, dropped); err != nil {
			t.Fatal(err)
		}
		if d := must[lukasa.Document](t)(h.e.Document(ctx, h.sc, dropped)); d.Path != "archive.letters" {
			t.Errorf("out of the trash it came to %s", d.Path)
		}
		if l := must[lukasa.Listing[lukasa.Delta]](t)(h.e.History(ctx, h.sc, c.ID, lukasa.Page{}, time.Time{})); l.Total != 1 || l.Items[0].Reason != "the conversation was moved to archive.letters" {
			t.Errorf("its history is %+v", l.Items)
		}
		// It goes on where it is: a message that is there already is not said twice, and the old place begins a new one.
		if again := say("archive.letters", "letters", "m4", "The harbour was full of cranes."); again.ID != c.ID || again.Messages != 4 {
			t.Errorf("by its name it is %s with %d messages", again.ID, again.Messages)
		}
		if fresh := say("home", "letters", "m4", "The harbour was full of cranes."); fresh.ID == c.ID || fresh.Path != "home" {
			t.Errorf("at the old place it is %s in %s", fresh.ID, fresh.Path)
		}
		// What stands in the way is said, and nothing has moved then.
		say("work", "letters", "w1", "Another one.")
		for to, code := range map[string]lukasa.Code{"work": lukasa.CodeConflict, "home": lukasa.CodeConflict, "not a path": lukasa.CodeInvalid} {
			if _, err := h.e.PatchConversation(ctx, h.sc, string(c.ID), "", lukasa.DocumentPatch{Title: new("No")}, to); lukasa.CodeOf(err) != code {
				t.Errorf("to %s: %v, want %s", to, err, code)
			}
		}
		if _, err := h.e.PatchConversation(ctx, bound, string(stays.ID), "", lukasa.DocumentPatch{}, "work"); err == nil {
			t.Error("a bound key moved one out of its container")
		}
		if _, err := h.e.PatchConversation(ctx, bound, string(other.ID), "", lukasa.DocumentPatch{}, "home"); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			t.Errorf("a bound key moved one into its container: %v", err)
		}
		if _, err := h.e.Undo(ctx, h.sc, c.ID); lukasa.CodeOf(err) != lukasa.CodeConflict {
			t.Errorf("the undo of a move gave %v", err)
		}
		if now := must[lukasa.Conversation](t)(h.e.Conversation(ctx, h.sc, c.ID, time.Time{})); now.Path != "archive.letters" || now.Title != "" {
			t.Errorf("it stands in %s as %q", now.Path, now.Title)
		}
	})
}

// A memory that another conversation tells of too stays where it is, and no longer quotes what has gone from there.
func TestAConversationLeavesWhatOthersTell(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := dialogues(t, cfg)
		gone := say("home", "letters", "m1", "I live in Lyon.")
		stays := say("home", "other", "x1", "I live in Lyon.")
		quoted := func() (places []lukasa.Path, sources int) {
			l := must[lukasa.Listing[lukasa.Memory]](t)(h.e.Memories(t.Context(), h.sc, lukasa.MemoryFilter{Slot: "lives_in"}, lukasa.Page{}))
			for _, m := range l.Items {
				places, sources = append(places, m.Path), sources+len(m.Sources)
			}
			return places, sources
		}
		if places, sources := quoted(); len(places) != 1 || sources != 2 {
			t.Fatalf("before: in %v, with %d sources", places, sources)
		}
		must[lukasa.Conversation](t)(h.e.PatchConversation(t.Context(), h.sc, string(gone.ID), "", lukasa.DocumentPatch{}, "archive"))
		if places, sources := quoted(); len(places) != 1 || places[0] != stays.Path || sources != 1 {
			t.Errorf("after: in %v, with %d sources", places, sources)
		}
	})
}
