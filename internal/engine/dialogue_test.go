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

// house is a running engine with what a test says to it.
type house struct {
	*testing.T
	e     *engine.Engine
	clock *enginetest.Clock
	sc    lukasa.Scope
}

func newHouse(t *testing.T) *house {
	t.Helper()
	e, clock, sc := enginetest.New(t)
	return &house{t, e, clock, sc}
}

// say appends messages "Speaker: text" a minute apart.
func (h *house) say(conversation string, at time.Time, lines ...string) lukasa.Conversation {
	h.Helper()
	in := lukasa.Append{Container: "life", Conversation: conversation}
	for i, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		when := at.Add(time.Duration(i) * time.Minute)
		role := "user"
		if who == "Bot" {
			role = "assistant"
		}
		in.Messages = append(in.Messages, lukasa.NewMessage{ExternalID: fmt.Sprintf("%s-%d-%d", conversation, at.Unix(), i), Speaker: who, Role: role, Content: text, Time: &when})
	}
	c, results, err := h.e.Append(h.Context(), h.sc, in)
	if err != nil {
		h.Fatal(err)
	}
	for _, r := range results {
		if r.Error != "" {
			h.Fatal(r.Error)
		}
	}
	return c
}

func (h *house) memories(f lukasa.MemoryFilter) []lukasa.Memory {
	h.Helper()
	l, err := h.e.Memories(h.Context(), h.sc, f, lukasa.Page{Limit: 100})
	if err != nil {
		h.Fatal(err)
	}
	return l.Items
}

// slot returns the one memory in force of a slot.
func (h *house) slot(slot string) lukasa.Memory {
	h.Helper()
	yes := true
	l := h.memories(lukasa.MemoryFilter{Slot: slot, Latest: &yes})
	if len(l) != 1 {
		h.Fatalf("%d memories in force for %s: %+v", len(l), slot, l)
	}
	return l[0]
}

var march = time.Date(2024, 3, 6, 15, 30, 0, 0, time.UTC)

// D-4, H-8: the newer statement takes the older one's place; the older one stays, with when and why.
func TestLyonReplacesParis(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Paris.", "Bot: Nice!", "Ana: What is the weather like?")
	paris := h.slot("lives_in")
	if paris.Value != "Paris" || paris.Subject != "Ana" || len(paris.Sources) != 1 || paris.Sources[0].Message == "" || paris.Sources[0].Quote == "" {
		t.Fatalf("%+v", paris)
	}
	between := h.clock.Now()
	h.clock.Advance(time.Hour)
	h.say("a", march.AddDate(0, 2, 0), "Ana: I moved to Lyon last month.")
	lyon := h.slot("lives_in")
	if lyon.Value != "Lyon" {
		t.Fatalf("%+v", lyon)
	}
	old, err := h.e.Memory(t.Context(), h.sc, paris.ID)
	if err != nil {
		t.Fatal(err)
	}
	if old.IsLatest || old.RetiredBy != lyon.ID || old.Reason == "" || old.RetiredAt == nil || old.ValidTo == nil {
		t.Errorf("the older statement: %+v", old)
	}
	then, err := h.e.MemoryAt(t.Context(), h.sc, paris.ID, between) // N-10
	if err != nil || !then.IsLatest || then.RetiredBy != "" {
		t.Errorf("as it was: %+v, %v", then, err)
	}
	past, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Where does Ana live?", AsOf: &between, Types: []lukasa.EntryType{lukasa.EntryMemory}})
	if err != nil || len(past.Hits) == 0 || past.Hits[0].Memory.Value != "Paris" {
		t.Errorf("searched as of then: %+v, %v", past.Hits, err)
	}
	april := march.AddDate(0, 0, 10)
	valid, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Where does Ana live?", ValidAt: &april})
	if err != nil || len(valid.Hits) != 1 || valid.Hits[0].Memory.Value != "Paris" {
		t.Errorf("valid in the middle of March: %+v, %v", valid.Hits, err)
	}
}

// An older statement that arrives late is history, and does not take the place of the newer one.
func TestLateEvidenceIsHistory(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Lyon.")
	h.say("b", march.AddDate(-2, 0, 0), "Ana: I live in Paris.")
	if m := h.slot("lives_in"); m.Value != "Lyon" {
		t.Errorf("%+v", m)
	}
	if l := h.memories(lukasa.MemoryFilter{Slot: "lives_in"}); len(l) != 2 {
		t.Errorf("%d memories, want both", len(l))
	}
}

// The same said again adds evidence, and no second memory.
func TestSaidAgainAddsEvidence(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Lyon.")
	before := h.slot("lives_in")
	h.say("b", march.AddDate(0, 1, 0), "Ana: As you know I live in Lyon.")
	m := h.slot("lives_in")
	if m.ID != before.ID || len(m.Sources) != 2 || m.Confidence < before.Confidence || m.Confidence > 1 {
		t.Errorf("%+v", m)
	}
	if _, err := h.e.Remember(t.Context(), h.sc, lukasa.NewDocument{Content: "I live in Lyon.", Container: "life"}); err != nil {
		t.Fatal(err)
	}
}

// N-10: a change can be turned back, and what it had replaced is in force again.
func TestUndo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Paris.")
	h.say("a", march.AddDate(0, 1, 0), "Ana: I moved to Lyon.")
	lyon := h.slot("lives_in")
	l, err := h.e.History(t.Context(), h.sc, lyon.ID, lukasa.Page{}, time.Time{})
	if err != nil || len(l.Items) != 1 || l.Items[0].Op != "create" || l.Items[0].Author != "pipeline" {
		t.Fatalf("%+v, %v", l.Items, err)
	}
	if _, err := h.e.Undo(t.Context(), h.sc, l.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	if m := h.slot("lives_in"); m.Value != "Paris" || m.RetiredBy != "" {
		t.Errorf("after undo: %+v", m)
	}
	if _, err := h.e.Undo(t.Context(), h.sc, l.Items[0].ID); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("a second undo: %v", err)
	}
	d, err := h.e.Diff(t.Context(), h.sc, lyon.ID, l.Items[0].At, time.Time{})
	if err != nil || len(d.Fields) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// D-4: a correction by hand keeps what it corrects, with the reason.
func TestCorrect(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Paris.")
	old := h.slot("lives_in")
	m, err := h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "Ana lives in Marseille.", Updates: old.ID, Reason: "she told me on the phone"})
	if err != nil {
		t.Fatal(err)
	}
	if now := h.slot("lives_in"); now.ID != m.ID || now.Path != "life" {
		t.Errorf("%+v", now)
	}
	if was, err := h.e.Memory(t.Context(), h.sc, old.ID); err != nil || was.RetiredBy != m.ID || was.Reason != "she told me on the phone" {
		t.Errorf("%+v, %v", was, err)
	}
	if _, err := h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "x", Updates: old.ID}); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("correcting what is corrected: %v", err)
	}
}

// T-1, T-2: a conversation that ends becomes a recall file in the documented formats; more messages begin a new one.
func TestConversationEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.say("trip", march, "Ana: We decided to go to Japan in May.", "Bot: Great, I will look for flights.", "Ana: Book the hotel in Kyoto please.", "Bot: Done.")
	s, err := h.e.EndConversation(t.Context(), h.sc, c.ID)
	if err != nil || s.State != lukasa.SegmentFinalized || s.Trigger != "conversation_end" || s.Folder == "" || s.Messages != 4 {
		t.Fatalf("%+v, %v", s, err)
	}
	f, err := h.e.RecallFile(t.Context(), h.sc, s.Document, "summary", "keywords", "transcript")
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"summary": f.Summary, "transcript": f.Transcript} {
		if !strings.Contains(text, "Japan") {
			t.Errorf("%s: %q", what, text)
		}
	}
	if f.Keywords == "" || len(f.Words.Topics)+len(f.Words.Entities) == 0 {
		t.Errorf("%+v", f)
	}
	if r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "hotel in Kyoto", Types: []lukasa.EntryType{lukasa.EntryMessage}}); err != nil || len(r.Hits) == 0 || r.Hits[0].Message.ID != "trip-1709739000-2" {
		t.Errorf("after the end: %+v, %v", r.Hits, err)
	}
	again, err := h.e.EndConversation(t.Context(), h.sc, c.ID)
	if err != nil || again.Document != "" {
		t.Errorf("ended twice: %+v, %v", again, err)
	}
	// What is sent again, or put right, opens nothing: no recall file stands there empty.
	sent := lukasa.Append{Container: "life", Conversation: "trip", Replace: true, Messages: []lukasa.NewMessage{{ExternalID: "trip-1709739000-3", Speaker: "Bot", Role: "assistant", Content: "Done.", Time: new(march.Add(3 * time.Minute))}}}
	for _, content := range []string{"Done.", "Done, for two."} {
		sent.Messages[0].Content = content
		same, results, err := h.e.Append(t.Context(), h.sc, sent)
		if err != nil || results[0].Status == "logged" || same.Document != "" {
			t.Errorf("%s: %+v %+v, %v", content, results, same, err)
		}
		if l, err := h.e.RecallFiles(t.Context(), h.sc, engine.SegmentFilter{}, lukasa.Page{}); err != nil || l.Total != 1 {
			t.Errorf("%s: %d recall files, %v", content, l.Total, err)
		}
	}
	if f, err := h.e.RecallFile(t.Context(), h.sc, s.Document, "transcript"); err != nil || !strings.Contains(f.Transcript, "Done, for two.") {
		t.Errorf("the recall file of what was put right: %v, %s", err, f.Transcript)
	}
	next := h.say("trip", march.AddDate(0, 0, 1), "Ana: One more thing.")
	if next.ID != c.ID || next.Document == s.Document || next.Document == "" {
		t.Errorf("%+v", next)
	}
	l, err := h.e.RecallFiles(t.Context(), h.sc, engine.SegmentFilter{}, lukasa.Page{})
	if err != nil || l.Total != 2 || l.Items[0].Previous != s.Document { // M-10
		t.Errorf("%+v, %v", l, err)
	}
}

// Where other words take the place of a message's, what only the old ones said no longer holds, and what that had taken the place of holds again;
// what the new ones still say, or another message says, stays.
func TestWhatAReplacedMessageSaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Bo: I live in Rome.")
	said := lukasa.Append{Container: "life", Conversation: "a", Replace: true, Messages: []lukasa.NewMessage{{ExternalID: "x", Speaker: "Bo", Role: "user", Time: new(march.Add(time.Hour))}}}
	say := func(content string) {
		t.Helper()
		h.clock.Advance(time.Minute)
		said.Messages[0].Content = content
		if _, _, err := h.e.Append(t.Context(), h.sc, said); err != nil {
			t.Fatal(err)
		}
	}
	holds := func() string {
		l := must[lukasa.Listing[lukasa.Memory]](t)(h.e.Memories(t.Context(), h.sc, lukasa.MemoryFilter{Latest: new(true)}, lukasa.Page{Limit: 100}))
		var out []string
		for _, m := range l.Items {
			out = append(out, m.Content)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	say("I live in Paris. My dog is called Rex. I love jasmine tea.")
	if got := holds(); got != "Bo has a dog called Rex. Bo likes jasmine tea. Bo lives in Paris." {
		t.Fatalf("at first: %s", got)
	}
	h.say("b", march.Add(2*time.Hour), "Bo: I love jasmine tea.")
	say("My dog is called Rex, and I hate mud.")
	if got := holds(); got != "Bo dislikes mud. Bo has a dog called Rex. Bo likes jasmine tea. Bo lives in Rome." {
		t.Errorf("after the message was changed: %s", got)
	}
	say("Nothing.")
	if got := holds(); got != "Bo likes jasmine tea. Bo lives in Rome." {
		t.Errorf("after it says nothing: %s", got)
	}
	l := must[lukasa.Listing[lukasa.Memory]](t)(h.e.Memories(t.Context(), h.sc, lukasa.MemoryFilter{Latest: new(false)}, lukasa.Page{Limit: 100}))
	for _, m := range l.Items {
		if m.Reason != "the message that said it was changed" || m.ValidTo == nil || m.RetiredAt == nil {
			t.Errorf("%s: %q until %v", m.Content, m.Reason, m.ValidTo)
		}
	}
}

// N-3: people are found from every branch; what names them leads there.
func TestEntitiesAreLinked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: My sister Clara lives in Berlin.", "Ana: Clara works at Siemens.")
	r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Clara", Related: true})
	if err != nil || len(r.Hits) == 0 {
		t.Fatalf("%+v, %v", r.Hits, err)
	}
	found := false
	for _, x := range r.Hits[0].Related {
		found = found || x.Label == "Clara" && x.Edge == lukasa.EdgeMentions
	}
	if !found {
		t.Errorf("%+v", r.Hits[0].Related)
	}
}

// why_not names the stage that dropped an expected record.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Paris.")
	old := h.slot("lives_in")
	h.say("a", march.AddDate(0, 1, 0), "Ana: I moved to Lyon.")
	for _, c := range []struct {
		q    lukasa.Query
		want string
	}{
		{lukasa.Query{Text: "Where does Ana live?", Expect: old.ID}, "latest: "},
		{lukasa.Query{Text: "Where does Ana live?", Expect: "mem_01h455vb4pex5vsknk084sn02q"}, "absent: "},
		{lukasa.Query{Text: "Lyon", Expect: h.slot("lives_in").ID, Types: []lukasa.EntryType{lukasa.EntryMessage}}, "types: "},
		{lukasa.Query{Text: "Lyon", Expect: h.slot("lives_in").ID}, "it is result "},
	} {
		r, err := h.e.Search(t.Context(), h.sc, c.q)
		if err != nil || !strings.HasPrefix(r.Stats.WhyNot, c.want) {
			t.Errorf("%q: %q, %v", c.want, r.Stats.WhyNot, err)
		}
	}
}

// People whose short name somebody else has already are kept apart, and no write is refused for it.
func TestShortNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: My brother Tom lives in Oslo.", "Ana: Tom Berger works at Siemens.", "Ana: Tom Hansen lives in Bergen.", "Ana: Tom likes tea.")
	h.say("b", march, "Ana: I met Tom Hansen and Tom Berger.", "Ana: User Ana Torres lives in Lyon, said the user.")
}

// M-10: a recall file points to what its messages name: records by id, and what was saved from an address.
func TestRecallFilePointsToWhatItNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	saved := map[string]lukasa.ID{}
	for _, name := range []string{"page", "note", "far"} {
		in := lukasa.NewDocument{Container: "life", Content: "The " + name + " about the boiler.", SourceURL: "https://example.org/" + name}
		if name == "far" {
			in.Container = "elsewhere"
		}
		r, err := h.e.Remember(t.Context(), h.sc, in)
		if err != nil {
			t.Fatal(err)
		}
		saved[name] = r.Document.ID
	}
	first := h.say("a", march, "Ana: The boiler is broken.")
	c := h.say("b", march.AddDate(0, 0, 1),
		"Ana: See https://example.org/page, and (https://example.org/nowhere).", "Ben: "+string(saved["note"])+" says the same, as "+string(saved["page"])+" does.",
		"Ana: We spoke of it in "+string(first.ID)+" and https://example.org/far. No doc_01kqhfpa8vfw78tdp895pvfzqn here.")
	s, err := h.e.EndConversation(t.Context(), h.sc, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	edges, err := h.e.EdgesOf(t.Context(), h.sc, s.Document)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range edges {
		if e.From != string(s.Document) || e.Metadata["message"] == "" {
			t.Errorf("%+v", e)
		}
		got[e.To] = true
	}
	if len(edges) != 3 || !got[string(saved["page"])] || !got[string(saved["note"])] || !got[string(first.ID)] {
		t.Errorf("%v of %v and %s", got, saved, first.ID)
	}
}

// A conversation that just stops gets its recall file when it has been quiet for long enough; what is said later begins the next.
func TestSilenceEndsSegment(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	at := h.clock.Now()
	long := strings.Repeat("The boats lie in the harbour and wait for the wind of the evening. ", 60)
	h.say("trip", at, "Ann: "+long, "Bot: I see.")
	h.say("short", at, "Ann: Hello there.", "Bot: Hello.")
	closed := func() []engine.RecallFile {
		t.Helper()
		if err := h.e.Tend(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := h.e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		l, err := h.e.RecallFiles(t.Context(), h.sc, engine.SegmentFilter{States: []string{string(lukasa.SegmentFinalized)}}, lukasa.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return l.Items
	}
	h.clock.Advance(5 * time.Hour)
	if got := closed(); len(got) != 0 {
		t.Fatalf("after five hours %+v", got)
	}
	h.clock.Advance(time.Hour)
	got := closed()
	if len(got) != 1 || got[0].Trigger != "event_boundary" || got[0].State != lukasa.SegmentFinalized || got[0].Messages != 2 || got[0].Detail != "a silence of 6 hours" {
		t.Fatalf("after six hours %+v", got)
	}
	if got := closed(); len(got) != 1 {
		t.Fatalf("closed twice: %+v", got)
	}
	c := h.say("trip", h.clock.Now(), "Ann: And back again.")
	if c.Document == got[0].Document || c.Document == "" {
		t.Fatalf("what follows stands in %q", c.Document)
	}
}
