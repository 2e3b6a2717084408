package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// settler says things in conversations of a house that chooses containers by itself.
func settler(t *testing.T, cfg config.Config) (*house, func(container, name string, texts ...string) lukasa.Conversation) {
	t.Helper()
	cfg.NodesAuto = true
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	h := &house{t, e, clock, sc}
	h.save(sc, "garden", "Tomatoes", "The tomatoes need water. The greenhouse is warm. Compost helps the tomatoes.")
	return h, func(container, name string, texts ...string) lukasa.Conversation {
		t.Helper()
		in := lukasa.Append{Container: container, Conversation: name}
		for _, s := range texts {
			in.Messages = append(in.Messages, lukasa.NewMessage{Role: "user", Speaker: "Maya", Content: s})
		}
		c, results, err := e.Append(t.Context(), sc, in)
		if err != nil || len(results) != len(texts) {
			t.Fatalf("append to %s: %v, %v", name, results, err)
		}
		return c
	}
}

// N-2: with nodes.auto, a conversation that names no container goes where it belongs, with all that was said in it and learned from
// it, and is still found by its name; one for which somebody has named a container stays there.
func TestSettledTalk(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := settler(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		news := must[<-chan lukasa.Event](t)(h.e.Events(ctx, h.sc))
		if c := say("", "weather", "It rained all day.", "It will rain on Sunday."); c.Path != lukasa.DefaultPath {
			t.Errorf("what fits nowhere went to %s", c.Path)
		}
		first := say("", "t1", "I moved to Lisbon.")
		if first.Path != lukasa.DefaultPath {
			t.Errorf("one message went to %s", first.Path)
		}
		c := say("", "t1", "In the garden the tomatoes in the greenhouse need compost.", "The tomatoes in the garden need water.")
		if c.Path != "garden" || c.ID != first.ID {
			t.Fatalf("what fits the garden went to %s as %s, begun as %s", c.Path, c.ID, first.ID)
		}
		found := false
		for range len(news) {
			ev := <-news
			found = found || ev.Type == "node.suggested" && ev.Record == c.ID && ev.Path == "garden"
		}
		if !found {
			t.Error("no event tells of it")
		}
		in := func(path lukasa.Path) []lukasa.Pattern { return []lukasa.Pattern{{Path: path, Mode: '!'}} }
		lives := func(path lukasa.Path) int {
			return must[lukasa.Listing[lukasa.Memory]](t)(h.e.Memories(ctx, h.sc, lukasa.MemoryFilter{Containers: in(path), Slot: "lives_in"}, lukasa.Page{})).Total
		}
		if lives("garden") != 1 || lives(lukasa.DefaultPath) != 0 {
			t.Errorf("what was learned: %d there, %d here", lives("garden"), lives(lukasa.DefaultPath))
		}
		// It goes on under its name, also what is learned from it, and where a client names none of the containers.
		h.clock.Advance(time.Minute)
		if again := say("", "t1", "I moved to Porto."); again.ID != c.ID || again.Path != "garden" {
			t.Errorf("it goes on as %s in %s", again.ID, again.Path)
		}
		if lives("garden") == 0 || lives(lukasa.DefaultPath) != 0 {
			t.Errorf("what was learned next: %d there, %d here", lives("garden"), lives(lukasa.DefaultPath))
		}
		if there := say("garden", "t1", "The greenhouse is shut."); there.ID != c.ID {
			t.Errorf("by its new container it is %s", there.ID)
		}
		for _, q := range []lukasa.Path{"garden", lukasa.DefaultPath} {
			r := must[lukasa.Result](t)(h.e.Search(ctx, h.sc, lukasa.Query{Text: "greenhouse compost", Containers: in(q), Types: []lukasa.EntryType{lukasa.EntryMessage}}))
			if (len(r.Hits) > 0 && strings.Contains(r.Hits[0].Content, "greenhouse")) != (q == "garden") {
				t.Errorf("a search of %s finds %+v", q, r.Hits)
			}
		}
		ms := must[lukasa.Listing[lukasa.Message]](t)(h.e.Messages(ctx, h.sc, c.ID, lukasa.Page{}, h.clock.Now()))
		if ms.Total != 5 {
			t.Errorf("%d messages", ms.Total)
		}
		for _, m := range ms.Items {
			if m.Node != c.Node {
				t.Errorf("message %d stands in %s", m.Seq, m.Node)
			}
		}
		if faults := must[[]string](t)(h.e.Doctor(ctx, h.sc, false)); len(faults) > 0 {
			t.Errorf("the doctor finds %v", faults)
		}
		past := must[lukasa.Listing[lukasa.Delta]](t)(h.e.History(ctx, h.sc, first.Document, lukasa.Page{}, h.clock.Now()))
		if len(past.Items) == 0 || past.Items[0].Author != "pipeline" {
			t.Errorf("history: %+v", past.Items)
		}
	})
}

func TestTalkThatStays(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := settler(t, cfg)
		green := []string{"In the garden the tomatoes in the greenhouse need compost.", "The tomatoes in the garden need water."}
		if c := say(string(lukasa.DefaultPath), "named", green...); c.Path != lukasa.DefaultPath {
			t.Errorf("one with a container went to %s", c.Path)
		}
		first := say("", "both", "Hello.")
		say(string(lukasa.DefaultPath), "both", "Hello again.")
		if c := say("", "both", green...); c.Path != lukasa.DefaultPath || c.ID != first.ID {
			t.Errorf("one whose container was named later went to %s", c.Path)
		}
		say("garden", "taken", "This one was here before.")
		if c := say("", "taken", green...); c.Path != lukasa.DefaultPath {
			t.Errorf("one whose name is taken went to %s", c.Path)
		}
		// A key that is bound to a container keeps what it says below it.
		h.save(h.sc, "desk", "Desk", "A lamp and a pen.")
		bound := h.sc
		bound.Root = "desk"
		in := lukasa.Append{Conversation: "bound", Messages: []lukasa.NewMessage{{Content: green[0]}, {Content: green[1]}}}
		c, _, err := h.e.Append(t.Context(), bound, in)
		if err != nil || c.Path != "desk" {
			t.Errorf("a bound key: %s, %v", c.Path, err)
		}
		if _, err := h.e.EndConversation(t.Context(), h.sc, c.ID); err != nil {
			t.Fatal(err)
		}
		if c := must[lukasa.Conversation](t)(h.e.Conversation(t.Context(), h.sc, c.ID, h.clock.Now())); c.Path != "desk" {
			t.Errorf("the end took it to %s", c.Path)
		}
	})
}

// N-2: the end of a stretch is looked at, too, and a place is made for what was often named.
func TestTalkMakesAPlace(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := settler(t, cfg)
		for i := range 4 {
			h.save(h.sc, "work", fmt.Sprint("Note ", i), fmt.Sprintf("Initech Corp sent offer number %d. Initech Corp wants an answer.", i))
		}
		c := say("", "deal", "Initech Corp signed. Initech Corp will pay on time.")
		if c.Path != lukasa.DefaultPath {
			t.Fatalf("one message went to %s", c.Path)
		}
		s := must[lukasa.Segment](t)(h.e.EndConversation(t.Context(), h.sc, c.ID))
		c = must[lukasa.Conversation](t)(h.e.Conversation(t.Context(), h.sc, c.ID, h.clock.Now()))
		if c.Path != "work.initech-corp" && c.Path != "work" {
			t.Errorf("what was often named went to %s", c.Path)
		}
		f := must[engine.RecallFile](t)(h.e.RecallFile(t.Context(), h.sc, s.Document, "transcript"))
		if f.Path != c.Path || f.Transcript == "" {
			t.Errorf("its recall file: %s, %q", f.Path, f.Transcript)
		}
		if next := say("", "deal", "They paid."); next.ID != c.ID || next.Path != c.Path {
			t.Errorf("it goes on as %s in %s", next.ID, next.Path)
		}
	})
}

// The news of a recall file names the container that the conversation was placed in while it was closed.
func TestFinalizedTellsWhereItStands(t *testing.T) {
	t.Parallel()
	h, say := settler(t, enginetest.Config(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := say("", "short", "The tomatoes in the garden need water and compost.")
	if c.Path != lukasa.DefaultPath {
		t.Fatalf("one message went to %s", c.Path)
	}
	news := must[<-chan lukasa.Event](t)(h.e.Events(ctx, h.sc))
	s := must[lukasa.Segment](t)(h.e.EndConversation(ctx, h.sc, c.ID))
	if now := must[lukasa.Conversation](t)(h.e.Conversation(ctx, h.sc, c.ID, time.Time{})); now.Path != "garden" {
		t.Fatalf("the end left it in %s", now.Path)
	}
	for ev := range news {
		if ev.Type != lukasa.EventSegmentFinalized {
			continue
		}
		if ev.Record != s.Document || ev.Path != "garden" {
			t.Errorf("told of %s in %s", ev.Record, ev.Path)
		}
		return
	}
}

// What of a conversation lies in the trash when it is given its container goes along, and comes out of it there.
func TestSettledTalkTakesItsTrashAlong(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		h, say := settler(t, cfg)
		ctx := t.Context()
		c := say("", "t1", "I moved to Lisbon.")
		must[lukasa.Segment](t)(h.e.EndConversation(ctx, h.sc, c.ID))
		must[engine.Buried](t)(h.e.Bury(ctx, h.sc, c.Document))
		placed := say("", "t1", "In the garden the tomatoes in the greenhouse need compost.", "The tomatoes in the garden need water.")
		if placed.ID != c.ID || placed.Path != "garden" {
			t.Fatalf("it went to %s as %s, begun as %s", placed.Path, placed.ID, c.ID)
		}
		trash := must[lukasa.Listing[engine.Buried]](t)(h.e.Trash(ctx, h.sc, lukasa.Page{}))
		if len(trash.Items) == 0 {
			t.Fatal("nothing is in the trash any more")
		}
		for _, b := range trash.Items {
			if b.Node != placed.Node {
				t.Errorf("%s lies in the trash of %s, not of %s", b.ID, b.Node, placed.Node)
			}
		}
		if err := h.e.Unbury(ctx, h.sc, c.Document); err != nil {
			t.Fatal(err)
		}
		if d := must[lukasa.Document](t)(h.e.Document(ctx, h.sc, c.Document)); d.Path != "garden" {
			t.Errorf("out of the trash it came to %s", d.Path)
		}
		if faults := must[[]string](t)(h.e.Doctor(ctx, h.sc, false)); len(faults) > 0 {
			t.Errorf("the doctor finds %v", faults)
		}
	})
}
