package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/token"
)

// talker is a house with a model that says what a test wants.
func talker(t *testing.T, answer func(n int, a enginetest.Asked) enginetest.Said) (*house, *enginetest.Model) {
	t.Helper()
	m := enginetest.NewModel(t, answer)
	cfg := enginetest.Config(t)
	cfg.LLMTimeout = patience
	m.Use(&cfg)
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	return &house{t, e, clock, sc}, m
}

// patience is how long a test waits for a model that does not answer.
const patience = 5 * time.Second

func says(text string) func(int, enginetest.Asked) enginetest.Said {
	return func(int, enginetest.Asked) enginetest.Said { return enginetest.Said{Text: text} }
}

func (h *house) brief(r engine.BriefRequest) engine.Brief {
	h.Helper()
	b, err := h.e.Brief(h.Context(), h.sc, r)
	if err != nil {
		h.Fatal(err)
	}
	return b
}

// messages are all that was said in a conversation, each with its role.
func (h *house) messages(id lukasa.ID) []string {
	h.Helper()
	l, err := h.e.Messages(h.Context(), h.sc, id, lukasa.Page{Limit: 100}, time.Time{})
	if err != nil {
		h.Fatal(err)
	}
	var out []string
	for _, m := range l.Items {
		out = append(out, m.Role+": "+m.Content)
	}
	return out
}

// What was recalled is not remembered as new when it is pasted: no memory, nothing in a summary. It is known again after a restart.
func TestEchoIsNotLearned(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	h := &house{t, e, clock, sc}
	h.say("a", march, "Ana: Hello Bot!\nI live in Lyon.\nMy favourite tea is jasmine.", "Ana: We decided to go with PostgreSQL.")
	before := h.memories(lukasa.MemoryFilter{})
	b := h.brief(engine.BriefRequest{Query: "Where does Ana live and what does she like?", MaxTokens: 800})
	if len(before) < 3 || !strings.Contains(b.Text, "Lyon") || !strings.Contains(b.Text, "jasmine") {
		t.Fatalf("%d memories, brief %+v", len(before), b)
	}
	again, _, _ := enginetest.Open(t, cfg, engine.Options{}) // another process, the same master key
	h.e = again
	line := b.Text[strings.Index(b.Text, "I live in Lyon."):]
	line = line[:strings.IndexByte(line, '\n')] // with its number: a line is known by itself
	c := h.say("b", march.AddDate(0, 1, 0), "Ben: "+line, "Ben: "+b.Text, "Ben: > "+strings.ReplaceAll(b.Text, "\n", "\n> "), "Ben: I work at Siemens as a welder.")
	after := h.memories(lukasa.MemoryFilter{})
	sources := map[lukasa.ID]int{}
	for _, m := range before {
		sources[m.ID] = len(m.Sources)
	}
	fresh := 0
	for _, m := range after {
		if n, ok := sources[m.ID]; !ok {
			fresh++
			if strings.Contains(m.Content, "Lyon") || strings.Contains(m.Content, "jasmine") || strings.Contains(m.Content, "PostgreSQL") {
				t.Errorf("learned from an echo: %+v", m)
			}
		} else if n != len(m.Sources) {
			t.Errorf("an echo became evidence: %+v", m)
		}
	}
	if fresh == 0 {
		t.Error("what stands beside the echo was not learned")
	}
	s, err := h.e.EndConversation(t.Context(), h.sc, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	f, err := h.e.RecallFile(t.Context(), h.sc, s.Document, "summary", "keywords")
	if err != nil || strings.Contains(f.Summary, "Lyon") || strings.Contains(f.Keywords, "lyon") || !strings.Contains(f.Summary, "welder") {
		t.Errorf("the summary counts the echo: %+v, %v", f, err)
	}
	r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Where does Ana live?", Types: []lukasa.EntryType{lukasa.EntryMemory}})
	if err != nil || len(r.Hits) == 0 || r.Hits[0].Memory.Value != "Lyon" || len(r.Hits[0].Memory.Sources) != 1 {
		t.Errorf("%+v, %v", r.Hits, err)
	}
	// a brief does not bring back what was a brief
	if b := h.brief(engine.BriefRequest{Query: "Where does Ana live and what does she like?", Floor: -1}); strings.Count(b.Text, "I live in Lyon.") != 1 || strings.Count(b.Text, "lukasa") != 2 {
		t.Errorf("%s", b.Text)
	}
}

// T-7: the text never has more tokens than were allowed; a session is not given the same twice; what is not relevant stays out.
func TestBrief(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Lyon.", "Ana: I adopted a grey cat called Miso.", "Ana: We decided to use PostgreSQL for the billing service.", "Bot: Noted.",
		"Ana: The quarterly report is due on Friday.", "Ana: My brother Tom plays the cello.")
	var count token.Counter
	for _, most := range []int{1, 60, 120, 300, 2000} {
		b := h.brief(engine.BriefRequest{Query: "What do we use for billing?", MaxTokens: most})
		if n := count.Count(b.Text); n > most || n != b.Tokens || (b.Text == "") != (len(b.Hits) == 0) || b.Text == "" && b.Message == "" {
			t.Errorf("%d allowed, %d in the text, %d said: %+v", most, n, b.Tokens, b)
		}
	}
	b := h.brief(engine.BriefRequest{Query: "What do we use for billing?", MaxTokens: 2000})
	if !strings.Contains(b.Text, "PostgreSQL") || !b.Hits[0].Defining || b.Hits[0].Title != "decision" || b.Hits[0].Container != "life" {
		t.Errorf("%s\n%+v", b.Text, b.Hits)
	}
	if b := h.brief(engine.BriefRequest{Query: "What do we use for billing?", NoDefining: true}); strings.Contains(b.Text, "Defining") {
		t.Errorf("%s", b.Text)
	}
	if b := h.brief(engine.BriefRequest{Query: "xylophone quarks", Floor: 0.95}); b.Text != "" || b.Message == "" || b.Hits == nil || len(b.Left) == 0 {
		t.Errorf("%+v", b)
	}
	ask := engine.BriefRequest{Query: "Where does Ana live?", Session: "s1"}
	first := h.brief(ask)
	if second := h.brief(ask); !strings.Contains(first.Text, "Lyon") || strings.Contains(second.Text, "I live in Lyon") || second.Text == first.Text {
		t.Errorf("%s\n---\n%s", first.Text, second.Text)
	}
	ask.Fresh = true
	if third := h.brief(ask); third.Text != first.Text {
		t.Errorf("afresh: %s\n---\n%s", third.Text, first.Text)
	}
	ask.Fresh, ask.Session = false, "s2"
	if other := h.brief(ask); other.Text != first.Text {
		t.Errorf("another session: %s", other.Text)
	}
	past := march.Add(-time.Hour)
	if b := h.brief(engine.BriefRequest{Query: "Where does Ana live?", AsOf: &past}); b.Text != "" {
		t.Errorf("before anything was known: %s", b.Text)
	}
	for _, bad := range []engine.BriefRequest{{}, {Query: " "}, {Query: "x", MaxTokens: -1}, {Query: "x", MaxTokens: 100_001}, {Query: "x", Floor: 2}, {Query: "x", Session: strings.Repeat("s", 600)}} {
		if _, err := h.e.Brief(t.Context(), h.sc, bad); lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := h.e.Brief(t.Context(), lukasa.Scope{}, ask); lukasa.CodeOf(err) != lukasa.CodeUnauthenticated {
		t.Errorf("nobody: %v", err)
	}
}

// Whoever asks what is known about somebody is told it, and not what happens to be worded like the question.
func TestBriefAboutSomebody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Lyon.", "Tom: I prefer tabs over spaces.", "Bot: Welcome both. What should I know and keep in mind?", "Ana: Miso, the cat, died last night.",
		"Tom: My sister Ines visits next week.", "Ana: The quarterly report is due on Friday.", "Ana: I sold the old piano.", "Tom: I am vegetarian since January.")
	for _, query := range []string{"What is known about Tom?", "tell me about Tom", "What do you remember about Tom?", "Tom"} {
		b := h.brief(engine.BriefRequest{Query: query})
		for _, want := range []string{"tabs", "Ines", "vegetarian"} {
			if !strings.Contains(b.Text, want) {
				t.Errorf("%s: nothing of %s in\n%s", query, want, b.Text)
			}
		}
		if strings.Contains(b.Text, "piano") || strings.Contains(b.Text, "Friday") {
			t.Errorf("%s: of somebody else\n%s", query, b.Text)
		}
	}
}

// Who asks for a moment before anything was kept is told what asks for a date that was only told of later.
func TestNothingWasKeptByThen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Lyon.")
	q := lukasa.Query{Text: "Where does Ana live?", AsOf: new(march.AddDate(0, 1, 0))}
	r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, q))
	if len(r.Hits) != 0 || r.Message != "nothing relevant was kept by then" || !strings.Contains(r.Suggestion, "valid_at") {
		t.Errorf("%+v: %s, %s", r.Hits, r.Message, r.Suggestion)
	}
	q.AsOf, q.ValidAt = nil, q.AsOf
	if r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, q)); len(r.Hits) == 0 || r.Message != "" {
		t.Errorf("what was true then: %+v, %s", r.Hits, r.Message)
	}
}

// A file that is one unbroken line is called by its name, and a note that is one by what it holds.
func TestUnbrokenTitle(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	line := strings.Repeat("aGVsbG8gd29ybGQ", 40)
	file := remember(t, h.e, h.sc, lukasa.NewDocument{Name: "dump.txt", Data: []byte(line)})
	note := remember(t, h.e, h.sc, lukasa.NewDocument{Content: line + "x"})
	words := remember(t, h.e, h.sc, lukasa.NewDocument{Name: "words.txt", Data: []byte("The brakes are done.")})
	for _, x := range [][2]string{{file.Document.Title, "dump.txt"}, {note.Document.Title[:8], line[:8]}, {words.Document.Title, "The brakes are done"}} {
		if x[0] != x[1] {
			t.Errorf("the title is %q, want %q", x[0], x[1])
		}
	}
}

// A memory of what was said long ago is dated by when it was said, wherever it is shown, not by when that was imported.
func TestMemoriesAreDatedBySaying(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Lyon.")
	a, err := h.e.Entity(t.Context(), h.sc, "Ana", time.Time{})
	if err != nil || len(a.Memories) == 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, s := range a.Memories {
		if s.At.Sub(march).Abs() > time.Hour {
			t.Errorf("of Ana: %s at %v", s.Text, s.At)
		}
	}
	r := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Where does Ana live?", Types: []lukasa.EntryType{lukasa.EntryMemory}}))
	if len(r.Hits) != 1 || !r.Hits[0].When().Equal(march) {
		t.Errorf("%+v", r.Hits)
	}
}

// What was said and is no longer so is told with what is so now, as of the moment that is asked for.
func TestBriefSaysWhatIsSuperseded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I live in Paris, near the river.")
	h.clock.Advance(time.Hour)
	paris := h.clock.Now()
	h.clock.Advance(time.Hour)
	h.say("b", march.AddDate(0, 1, 0), "Ana: I moved to Lyon.")
	h.clock.Advance(time.Hour)
	h.say("b", march.AddDate(0, 2, 0), "Ana: I moved to Berlin.")
	ask := engine.BriefRequest{Query: "Does Ana live near the river?", Floor: -1}
	b := h.brief(ask)
	i := strings.Index(b.Text, "near the river.")
	if i < 0 || !strings.Contains(b.Text[i:], "(No longer so: Ana, 6 March 2024: ") {
		t.Errorf("%s", b.Text)
	}
	ask.AsOf = &paris
	if b := h.brief(ask); strings.Contains(b.Text, "No longer") || !strings.Contains(b.Text, "river") {
		t.Errorf("as it was: %s", b.Text)
	}
}

// D-7
func TestProfile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", h.clock.Now().AddDate(0, 0, -2), "Ana: I live in Paris.", "Ana: I love jasmine tea.", "Ana: We decided to use PostgreSQL for billing.")
	paris := h.clock.Now()
	h.clock.Advance(time.Hour)
	h.say("a", h.clock.Now(), "Ana: I moved to Lyon.")
	p, err := h.e.Profile(t.Context(), h.sc, engine.ProfileRequest{Container: "life", Query: "which database"})
	static, recent := strings.Join(p.Static, "\n"), strings.Join(p.Recent, "\n")
	if err != nil || !strings.Contains(static, "Lyon") || strings.Contains(static, "Paris") || !strings.Contains(recent, "PostgreSQL") || len(p.Sources) != len(p.Static)+len(p.Recent) {
		t.Errorf("%+v, %v", p, err)
	}
	old, err := h.e.Profile(t.Context(), h.sc, engine.ProfileRequest{Container: "life", AsOf: &paris})
	if static := strings.Join(old.Static, "\n"); err != nil || !strings.Contains(static, "Paris") || strings.Contains(static, "Lyon") {
		t.Errorf("as it was: %+v, %v", old, err)
	}
	if p, err := h.e.Profile(t.Context(), h.sc, engine.ProfileRequest{Container: "work"}); err != nil || p.Static == nil || len(p.Static) != 0 || p.Container != "work" {
		t.Errorf("elsewhere: %+v, %v", p, err)
	}
	if _, err := h.e.Profile(t.Context(), h.sc, engine.ProfileRequest{Container: "a b"}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("%v", err)
	}
}

// T-8: a message is answered with what is remembered, and both are kept.
func TestChat(t *testing.T) {
	t.Parallel()
	h, m := talker(t, says("You live in Lyon, with Miso."))
	h.say("a", march, "Ana: I live in Lyon.", "Ana: I adopted a grey cat called Miso.")
	ask := engine.ChatRequest{ID: "q1", Message: "Where do I live?", Speaker: "Ana", Container: "life", Conversation: "helper", System: "Be brief."}
	r, err := h.e.Chat(t.Context(), h.sc, ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Response != "You live in Lyon, with Miso." || r.Model != "stand-in" || len(r.Memories) == 0 || r.Memories[0].RecallFile == "" || r.Memories[0].Date != "2024-03-06" ||
		r.Usage.Prompt != 100 || r.Usage.Completion != 6 || r.Usage.Memory == 0 || r.LoggedTo == "" || r.Log.Tokens == 0 || r.Log.Total < r.Log.Tokens || r.ID == "" {
		t.Errorf("%+v", r)
	}
	asked := m.Asked()[0]
	last := asked.Last()
	if !strings.Contains(last, "## Relevant Context from Previous Conversations") || !strings.Contains(last, "I live in Lyon.") || !strings.HasSuffix(last, "Where do I live?") ||
		strings.Count(last, "Where do I live?") != 1 || !strings.HasPrefix(asked.Messages[0].Content, "Be brief.") || asked.MaxTokens != 4096 {
		t.Errorf("asked: %+v", asked)
	}
	if got := strings.Join(h.messages(r.Log.ConversationID), "|"); got != "user: Where do I live?|assistant: You live in Lyon, with Miso." {
		t.Errorf("kept: %s", got)
	}
	// the same again is the same answer, and the model is not asked
	again, err := h.e.Chat(t.Context(), h.sc, ask, nil)
	if err != nil || !again.Replayed || again.Response != r.Response || again.ID != r.ID || len(m.Asked()) != 1 {
		t.Errorf("again: %+v, %v", again, err)
	}
	other := ask
	other.Message = "Something else?"
	if _, err := h.e.Chat(t.Context(), h.sc, other, nil); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("another message under the id: %v", err)
	}
	// the next turn sees the one before, and is streamed
	var pieces []string
	next, err := h.e.Chat(t.Context(), h.sc, engine.ChatRequest{Message: "Tell me more about Miso in Lyon.", Conversation: string(r.Log.ConversationID)}, func(s string) error {
		pieces = append(pieces, s)
		return nil
	})
	asked = m.Asked()[1]
	if err != nil || len(pieces) < 2 || strings.Join(pieces, "") != next.Response || next.Log.ConversationID != r.Log.ConversationID || next.LoggedTo != r.LoggedTo {
		t.Errorf("%q %+v, %v", pieces, next, err)
	}
	if len(asked.Messages) != 4 || asked.Messages[1].Content != "Where do I live?" || asked.Messages[2].Role != "assistant" || strings.Contains(asked.Last(), "Where do I live?") ||
		strings.Contains(asked.Last(), "with Miso") {
		t.Errorf("asked: %+v", asked)
	}
	if r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "Tell me more about Miso in Lyon."}); err != nil || len(r.Hits) == 0 {
		t.Errorf("the exchange is not found: %v", err)
	}
}

// T-8: what may be recalled can be narrowed, and left out.
func TestChatOptions(t *testing.T) {
	t.Parallel()
	h, m := talker(t, says("Fine."))
	h.say("a", march, "Ana: I live in Paris.", "Ana: We decided to paint the kitchen blue.")
	h.say("b", march.AddDate(1, 0, 0), "Ana: The kitchen was painted green in Paris.")
	no := false
	from := march.AddDate(0, 6, 0)
	for _, c := range []struct {
		name      string
		o         *engine.MemoryOptions
		memories  *bool
		want, not string
	}{
		{"all", nil, nil, "[2]", "none of it"},
		{"none", nil, &no, "kitchen?", "Relevant Context"},
		{"not defining", &engine.MemoryOptions{Defining: &no}, nil, "Relevant Context", "Defining"},
		{"one", &engine.MemoryOptions{Max: 1}, nil, "[1]", "[2]"},
		{"of later", &engine.MemoryOptions{Range: &engine.TimeRange{Start: &from}}, nil, "green", "blue"},
		{"of before", &engine.MemoryOptions{Range: &engine.TimeRange{End: &from}}, nil, "blue", "green"},
		{"too few tokens", &engine.MemoryOptions{Tokens: 10}, nil, "kitchen?", "Relevant Context"},
	} {
		r, err := h.e.Chat(t.Context(), h.sc, engine.ChatRequest{Message: "What about the kitchen?", Conversation: c.name, Memories: c.memories, Options: c.o}, nil)
		asked := m.Asked()
		last := asked[len(asked)-1].Last()
		if err != nil || !strings.Contains(last, c.want) || strings.Contains(last, c.not) {
			t.Errorf("%s: %+v, %v:\n%s", c.name, r, err, last)
		}
	}
	for _, bad := range []engine.ChatRequest{
		{Message: " "},
		{Message: "x", Model: "a\nb"},
		{Message: "x", ID: strings.Repeat("x", 600)},
		{Message: "x", Options: &engine.MemoryOptions{Max: -1}},
		{Message: "x", Options: &engine.MemoryOptions{Tokens: -1}},
		{Message: "x", Options: &engine.MemoryOptions{Range: &engine.TimeRange{Start: &from, End: &march}}},
		{Message: "x", Container: "a b"},
	} {
		if _, err := h.e.Chat(t.Context(), h.sc, bad, nil); lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	reader := h.sc
	reader.ReadOnly = true
	if _, err := h.e.Chat(t.Context(), reader, engine.ChatRequest{Message: "x"}, nil); lukasa.CodeOf(err) != lukasa.CodeForbidden {
		t.Errorf("read-only: %v", err)
	}
}

// A model that answers rubbish, half JSON, 500s or never: the message is kept and recalled, and the failure is visible.
func TestModelFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said enginetest.Said
		code lukasa.Code
	}{
		"500":       {enginetest.Said{Status: 500, Raw: `{"error":{"message":"boom"}}`}, lukasa.CodeUnavailable},
		"429":       {enginetest.Said{Status: 429, Raw: `{}`}, lukasa.CodeUnavailable},
		"401":       {enginetest.Said{Status: 401, Raw: `{}`}, lukasa.CodeExternal},
		"404":       {enginetest.Said{Status: 404, Raw: `{"error":{"message":"no such model"}}`}, lukasa.CodeExternal},
		"400":       {enginetest.Said{Status: 400, Raw: `{"error":{"message":"too long"}}`}, lukasa.CodeExternal},
		"rubbish":   {enginetest.Said{Raw: "<html>welcome</html>"}, lukasa.CodeExternal},
		"half JSON": {enginetest.Said{Raw: `{"choices":[{"message":{"content":"I th`}, lukasa.CodeExternal},
		"empty":     {enginetest.Said{Text: "  "}, lukasa.CodeExternal},
		"hangs":     {enginetest.Said{Hangs: true}, lukasa.CodeUnavailable},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h, _ := talker(t, func(int, enginetest.Asked) enginetest.Said { return c.said })
				var delta func(string) error
				if streamed {
					delta = func(string) error { return nil }
				}
				began := time.Now()
				r, err := h.e.Chat(t.Context(), h.sc, engine.ChatRequest{ID: "q", Message: "My cello is made of spruce.", Speaker: "Ana"}, delta)
				code := lukasa.CodeOf(err)
				if streamed && c.code == lukasa.CodeExternal && code == lukasa.CodeUnavailable {
					code = c.code // a stream that is none is a server that is not able
				}
				e, ok := errors.AsType[*lukasa.Error](err)
				if !ok || code != c.code || !strings.Contains(e.Msg, string(r.Log.Message)) || r.Log.Message == "" || time.Since(began) > 3*patience {
					t.Fatalf("after %v: %+v, %v", time.Since(began), r, err)
				}
				found, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "what is the cello made of?"})
				if err != nil || len(found.Hits) == 0 || !strings.Contains(found.Hits[0].Content, "spruce") {
					t.Errorf("lost: %+v, %v", found.Hits, err)
				}
				if got := h.messages(r.Log.ConversationID); len(got) != 1 && name != "empty" {
					t.Errorf("kept: %q", got)
				}
			})
		}
	}
}

// A model that comes back answers the message that was kept, once.
func TestModelComesBack(t *testing.T) {
	t.Parallel()
	h, _ := talker(t, func(n int, _ enginetest.Asked) enginetest.Said {
		if n == 0 {
			return enginetest.Said{Status: 401, Raw: "{}"}
		}
		return enginetest.Said{Text: "Spruce."}
	})
	ask := engine.ChatRequest{ID: "q", Message: "What is my cello made of?"}
	first, err := h.e.Chat(t.Context(), h.sc, ask, nil)
	if err == nil {
		t.Fatal("the model should have failed")
	}
	r, err := h.e.Chat(t.Context(), h.sc, ask, nil)
	if err != nil || r.Replayed || r.Log.Message != first.Log.Message {
		t.Errorf("%+v, %v", r, err)
	}
	if got := strings.Join(h.messages(r.Log.ConversationID), "|"); got != "user: What is my cello made of?|assistant: Spruce." {
		t.Errorf("kept: %s", got)
	}
}

// What was shown of an answer that broke off is kept, as a part; the whole one takes its place.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	h, _ := talker(t, func(n int, _ enginetest.Asked) enginetest.Said {
		return enginetest.Said{Text: "It is made of spruce.", Breaks: n == 0}
	})
	ask := engine.ChatRequest{ID: "q", Message: "What is my cello made of?"}
	shown := ""
	r, err := h.e.Chat(t.Context(), h.sc, ask, func(s string) error { shown += s; return nil })
	if err == nil || shown == "" || r.Response != shown {
		t.Fatalf("%q %+v, %v", shown, r, err)
	}
	l, lerr := h.e.Messages(t.Context(), h.sc, r.Log.ConversationID, lukasa.Page{}, time.Time{})
	if lerr != nil || len(l.Items) != 2 || l.Items[1].Content != shown || l.Items[1].Metadata["partial"] != true {
		t.Errorf("%+v, %v", l.Items, lerr)
	}
	if r, err = h.e.Chat(t.Context(), h.sc, ask, nil); err != nil || r.Replayed {
		t.Errorf("%+v, %v", r, err)
	}
	l, lerr = h.e.Messages(t.Context(), h.sc, r.Log.ConversationID, lukasa.Page{}, time.Time{})
	if lerr != nil || len(l.Items) != 2 || l.Items[1].Content != "It is made of spruce." || l.Items[1].Metadata["partial"] == true {
		t.Errorf("%+v, %v", l.Items, lerr)
	}
	// a listener that goes away is not answered further, and nothing is lost
	gone := errors.New("gone")
	r, err = h.e.Chat(t.Context(), h.sc, engine.ChatRequest{Message: "And its bow?"}, func(string) error { return gone })
	if !errors.Is(err, gone) || r.Response == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Without a model there is no chat, and the message is kept all the same.
func TestNoModel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r, err := h.e.Chat(t.Context(), h.sc, engine.ChatRequest{Message: "My cello is made of spruce."}, nil)
	e, ok := errors.AsType[*lukasa.Error](err)
	if !ok || e.Retryable() || e.Field != "llm.provider" || !strings.Contains(e.Hint, "LUKASA_LLM_PROVIDER") || len(h.messages(r.Log.ConversationID)) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// T-7: what is recalled has min(25 % of what is free, 8,000) tokens, by the window that is set.
func TestChatWindow(t *testing.T) {
	t.Parallel()
	m := enginetest.NewModel(t, says("Fine."))
	cfg := enginetest.Config(t)
	m.Use(&cfg)
	cfg.LLMWindow = "stand-in=6000, other=5000"
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	h := &house{t, e, clock, sc}
	var lines []string
	for range 60 {
		lines = append(lines, "Ana: The garden has "+strings.Repeat("roses and tulips and ", 8)+"a pond.")
	}
	h.say("a", march, lines...)
	for _, c := range []struct {
		model string
		most  int
	}{{"stand-in", (6000 - 4096) / 4}, {"other", (5000 - 4096) / 4}, {"unknown", 8000}} {
		r, err := h.e.Chat(t.Context(), h.sc, engine.ChatRequest{Message: "What is in the garden?", Model: c.model, Conversation: c.model}, nil)
		if err != nil || r.Usage.Memory > c.most || r.Usage.Memory == 0 || r.Model != c.model {
			t.Errorf("%s: %+v, %v", c.model, r, err)
		}
	}
	_, err := h.e.Chat(t.Context(), h.sc, engine.ChatRequest{Message: strings.Repeat("rose ", 7000)}, nil)
	if lukasa.CodeOf(err) != lukasa.CodeTooLarge || !strings.Contains(err.Error(), "kept as msg_") {
		t.Errorf("%v", err)
	}
}

// T-2, T-9: recall files with their parts, open and closed, found by topic even when that is misspelled.
func TestRecallPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.say("trip", march, "Ana: We decided to go to Japan in May.", "Bot: Great, I will look for flights to Japan.", "Ana: Book the hotel in Kyoto please.",
		"Bot: Here it is:\n```python\ndef hotel():\n    city = 'Kyoto'\n    nights = 7\n    rate = 90\n    return city, nights * rate\n```")
	open, err := h.e.RecallPages(t.Context(), h.sc, engine.RecallQuery{}, lukasa.Page{})
	if err != nil || len(open.Items) != 1 || open.Items[0].Status != "active" || open.Items[0].Storage != "hot" || open.Items[0].Topic != "trip" ||
		open.Items[0].Messages != 4 || open.Items[0].Tokens == 0 {
		t.Fatalf("%+v, %v", open, err)
	}
	all := []string{engine.PartSummary, engine.PartKeywords, engine.PartTranscript, engine.PartArtifacts}
	for _, state := range []string{"active", "finalized"} {
		f, err := h.e.RecallFilePage(t.Context(), h.sc, open.Items[0].ID, time.Time{}, all...)
		if err != nil || f.Status != state || f.Messages != 4 || f.Tokens == 0 || !strings.Contains(f.Summary, "Japan") || !strings.Contains(f.Transcript, "Book the hotel") ||
			len(f.Keywords) == 0 || len(f.Frequencies) != len(f.Keywords) || len(f.Artifacts) != 1 || f.Artifacts[0].Size == 0 || len(f.Linked) == 0 || f.Linked[0].Name != "life" {
			t.Errorf("%s: %+v, %v", state, f, err)
		}
		for _, k := range f.Frequencies {
			if want := map[string]int{"japan": 2, "kyoto": 1}[k.Keyword]; want > 0 && k.Frequency < want {
				t.Errorf("%s: %+v", state, k)
			}
		}
		if state == "active" {
			for range 2 { // ending it twice changes nothing
				f, err := h.e.FinishConversation(t.Context(), h.sc, "trip", "")
				if err != nil || f.ID != open.Items[0].ID || f.Status != "finalized" || f.Trigger != "conversation_end" {
					t.Errorf("%+v, %v", f, err)
				}
			}
		}
	}
	h.say("car", march.AddDate(0, 0, 1), "Ana: The car needs new brakes.", "Ana: The brakes of the car squeak.", "Ana: I ordered brakes for the car.")
	if _, err := h.e.FinishConversation(t.Context(), h.sc, "car", "life"); err != nil {
		t.Fatal(err)
	}
	topics := func(f engine.RecallQuery, p lukasa.Page) string {
		t.Helper()
		l, err := h.e.RecallPages(t.Context(), h.sc, f, p)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, x := range l.Items {
			out = append(out, x.Conversation)
		}
		return strings.Join(out, " ")
	}
	h.clock.Advance(time.Minute)
	if _, err := h.e.RecallFilePage(t.Context(), h.sc, open.Items[0].ID, time.Time{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		f    engine.RecallQuery
		want string
	}{
		{"newest first", engine.RecallQuery{}, "car trip"},
		{"oldest first", engine.RecallQuery{Oldest: true}, "trip car"},
		{"by state", engine.RecallQuery{Status: []string{"active"}}, ""},
		{"by topic", engine.RecallQuery{Topic: "BRAKE"}, "car"},
		{"misspelled", engine.RecallQuery{Topic: "braks"}, "car"},
		{"no topic", engine.RecallQuery{Topic: "zebra"}, ""},
		{"of a conversation", engine.RecallQuery{Conversation: c.ID}, "trip"},
		{"of a container", engine.RecallQuery{Containers: []lukasa.Pattern{{Path: "work"}}}, ""},
		{"by access", engine.RecallQuery{Sort: "last_accessed_at"}, "car trip"},
	} {
		if got := topics(c.f, lukasa.Page{}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	l, err := h.e.RecallPages(t.Context(), h.sc, engine.RecallQuery{Sort: "last_accessed_at"}, lukasa.Page{Limit: 1})
	if err != nil || l.Next == "" || l.Total != 2 || topics(engine.RecallQuery{Sort: "last_accessed_at"}, lukasa.Page{Limit: 1, Cursor: l.Next}) != "trip" {
		t.Errorf("%+v, %v", l, err)
	}
	for _, bad := range []engine.RecallQuery{{Sort: "colour"}, {Status: []string{"gone"}}} {
		if _, err := h.e.RecallPages(t.Context(), h.sc, bad, lukasa.Page{}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := h.e.RecallFilePage(t.Context(), h.sc, open.Items[0].ID, time.Time{}, "everything"); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("%v", err)
	}
	if _, err := h.e.FinishConversation(t.Context(), h.sc, "nothing", ""); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("%v", err)
	}
	h.say2("work", "trip", "Ana: Another trip.")
	if _, err := h.e.FinishConversation(t.Context(), h.sc, "trip", ""); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("two of one name: %v", err)
	}
}

// say2 appends to a conversation elsewhere.
func (h *house) say2(container, conversation, line string) {
	h.Helper()
	who, text, _ := strings.Cut(line, ": ")
	_, _, err := h.e.Append(h.Context(), h.sc, lukasa.Append{Container: container, Conversation: conversation, Messages: []lukasa.NewMessage{{Speaker: who, Role: "user", Content: text}}})
	if err != nil {
		h.Fatal(err)
	}
}

// T-5, T-9: defining memories with what was said around them.
func TestDefiningMemories(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: After a long talk with Ben, we decided to use PostgreSQL for billing. It will be fine.", "Ana: We launched the new website.", "Ana: I like tea.")
	l, err := h.e.DefiningMemories(t.Context(), h.sc, engine.DefiningQuery{}, lukasa.Page{})
	if err != nil || len(l.Items) != 2 || l.Total != 2 {
		t.Fatalf("%+v, %v", l, err)
	}
	d, err := h.e.DefiningMemories(t.Context(), h.sc, engine.DefiningQuery{Kinds: []lukasa.MemoryKind{"decision"}}, lukasa.Page{})
	if err != nil || len(d.Items) != 1 || !strings.Contains(d.Items[0].Context, "It will be fine.") || d.Items[0].RecallFile == "" || d.Items[0].OccurredAt == nil || d.Items[0].Confidence < 0.8 {
		t.Errorf("%+v, %v", d.Items, err)
	}
	later := march.AddDate(1, 0, 0)
	if l, err := h.e.DefiningMemories(t.Context(), h.sc, engine.DefiningQuery{Since: &later}, lukasa.Page{}); err != nil || len(l.Items) != 0 || l.Items == nil {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := h.e.DefiningMemories(t.Context(), h.sc, engine.DefiningQuery{Kinds: []lukasa.MemoryKind{"fact"}}, lukasa.Page{}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("%v", err)
	}
}

// M-10: what was said before a message, across the ends of segments.
func TestMessageContext(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: one", "Ana: two")
	if _, err := h.e.FinishConversation(t.Context(), h.sc, "a", ""); err != nil {
		t.Fatal(err)
	}
	c := h.say("a", march.AddDate(0, 0, 1), "Ana: three", "Ana: four")
	if _, err := h.e.FinishConversation(t.Context(), h.sc, "a", ""); err != nil {
		t.Fatal(err)
	}
	h.say("a", march.AddDate(0, 0, 2), "Ana: five", "Ana: six")
	l, err := h.e.Messages(t.Context(), h.sc, c.ID, lukasa.Page{}, time.Time{})
	if err != nil || len(l.Items) != 6 {
		t.Fatalf("%+v, %v", l.Items, err)
	}
	said := func(ms []lukasa.Message) string {
		var out []string
		for _, m := range ms {
			out = append(out, m.Content)
		}
		return strings.Join(out, " ")
	}
	for _, x := range []struct {
		at, before, after int
		want              string
	}{{2, 5, 0, "one two|"}, {2, 1, 1, "two|four"}, {3, 2, 5, "two three|five six"}, {0, 3, 10, "|two three four five six"}, {5, 10, 3, "one two three four five|"}, {4, 0, 0, "|"}} {
		got, err := h.e.MessageContext(t.Context(), h.sc, l.Items[x.at].ID, x.before, x.after, time.Time{})
		if s := said(got.Before) + "|" + said(got.After); err != nil || s != x.want || got.Message.ID != l.Items[x.at].ID {
			t.Errorf("%+v: %q, %v", x, s, err)
		}
	}
	if _, err := h.e.MessageContext(t.Context(), h.sc, l.Items[0].ID, 101, 0, time.Time{}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("%v", err)
	}
	if _, err := h.e.MessageContext(t.Context(), h.sc, "msg_01h455vb4pex5vsknk084sn02q", 1, 0, time.Time{}); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("%v", err)
	}
	if _, err := json.Marshal(l); err != nil {
		t.Error(err)
	}
}

// A session never hides what it was not given: whatever is left out as given was shown as a whole before.
func TestSessionHidesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var lines []string
	for i, what := range []string{"roses", "tulips", "a pond", "an oak", "a fence", "herbs", "a swing", "two benches"} {
		lines = append(lines, "Ana: The garden has "+what+". "+strings.Repeat("Tom likes "+what+" most of all. Nobody else has "+what+" like these. ", 2+i%3)+"It is so.")
	}
	h.say("a", march, lines...)
	query := engine.BriefRequest{Query: "What is in the garden?", Session: "s", Floor: -1}
	shown, clipped := "", 0
	budgets := []int{2000, 2000}
	for most := 300; most > 100; most -= 2 {
		budgets = append(budgets, most)
	}
	slices.Reverse(budgets)
	for _, most := range budgets {
		query.MaxTokens = most
		b := h.brief(query)
		for _, l := range b.Left {
			if l.Reason != "given" {
				continue
			}
			text := h.textOf(l.ID)
			if !strings.Contains(squeeze(shown), squeeze(text)) {
				t.Errorf("%d tokens: %s was hidden and never shown: %q", most, l.ID, text)
			}
		}
		for _, x := range b.Hits {
			if x.Clipped {
				clipped++
			}
		}
		shown += b.Text + "\n"
	}
	if clipped == 0 {
		t.Error("nothing was clipped: the test says too little")
	}
	for _, l := range lines {
		if _, said, _ := strings.Cut(l, ": "); !strings.Contains(squeeze(shown), squeeze(said)) {
			t.Errorf("never shown: %q", said)
		}
	}
}

// squeeze drops line numbers of a brief and white space.
func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' }), " ")
}

// textOf is what a chunk or memory says.
func (h *house) textOf(id lukasa.ID) string {
	h.Helper()
	r, err := h.e.Search(h.Context(), h.sc, lukasa.Query{Text: "What is in the garden?", Limit: 200})
	if err != nil {
		h.Fatal(err)
	}
	for _, x := range r.Hits {
		if x.ID == id && x.Memory == nil {
			return x.Content
		}
	}
	return "" // a memory of something that was shown
}

// A message that is deleted before its stretch ends is not counted in the recall file.
func TestADeletedMessageIsNotCounted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.say("a", march, "Ana: The boiler is new.", "Ana: My doctor is called Quentin Farrow.", "Ana: The cellar is dry.")
	l, err := h.e.Messages(t.Context(), h.sc, c.ID, lukasa.Page{}, time.Time{})
	if err != nil || len(l.Items) != 3 {
		t.Fatalf("%+v, %v", l.Items, err)
	}
	i := slices.IndexFunc(l.Items, func(m lukasa.Message) bool { return strings.Contains(m.Content, "Quentin") })
	if _, err := h.e.Delete(t.Context(), h.sc, l.Items[i].ID); err != nil {
		t.Fatal(err)
	}
	f, err := h.e.FinishConversation(t.Context(), h.sc, "a", "")
	if err != nil || f.Messages != 2 || f.Tokens != l.Items[0].Tokens+l.Items[1].Tokens+l.Items[2].Tokens-l.Items[i].Tokens {
		t.Errorf("%d messages, %d tokens, %v", f.Messages, f.Tokens, err)
	}
	if told, _ := json.Marshal(f); strings.Contains(string(told), "Quentin") {
		t.Errorf("%s", told)
	}
}
