package api_test

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

func got[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// N-10: the Go client tells, compares and turns back what has changed, and reads what was known at a moment.
func TestClientPast(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	ctx := t.Context()
	c := got[*client.Client](t)(client.New(s.url, client.Options{Key: s.key}))
	empty := time.Now()
	paris := got[lukasa.Memory](t)(c.AddMemory(ctx, lukasa.NewMemory{Content: "Ana lives in Paris.", Container: "life", Tags: []string{"home"}}))
	old := got[lukasa.Receipt](t)(c.Remember(ctx, lukasa.NewDocument{Content: "The cat sleeps.\nIt is red.", CustomID: "cat", Container: "life"})).Document
	then := c.At(time.Now())
	lyon := got[lukasa.Memory](t)(c.Correct(ctx, paris.ID, "Ana lives in Lyon.", "she wrote"))
	young := got[lukasa.Receipt](t)(c.Remember(ctx, lukasa.NewDocument{Content: "The cat sleeps.\nIt is blue.", CustomID: "cat", Container: "life"})).Document
	got[lukasa.Document](t)(c.PatchDocument(ctx, old.ID, lukasa.DocumentPatch{Title: new("Red cat")}))

	latest := true
	f := lukasa.MemoryFilter{Latest: &latest}
	for _, x := range []struct {
		verbs client.Verbs
		want  string
		doc   lukasa.ID
	}{{c, "Ana lives in Lyon.", young.ID}, {then, "Ana lives in Paris.", old.ID}, {c.At(time.Time{}), "Ana lives in Lyon.", young.ID}} {
		l := got[lukasa.Listing[lukasa.Memory]](t)(x.verbs.Memories(ctx, f, lukasa.Page{}))
		if l.Total != 1 || l.Items[0].Content != x.want {
			t.Errorf("memories: %+v, want %s", l.Items, x.want)
		}
		if m := got[lukasa.Memory](t)(x.verbs.Memory(ctx, paris.ID)); m.IsLatest != (x.want == paris.Content) {
			t.Errorf("memory: %+v", m)
		}
		docs := got[lukasa.Listing[lukasa.Document]](t)(x.verbs.Documents(ctx, lukasa.DocumentFilter{}, lukasa.Page{}))
		if docs.Total != 1 || docs.Items[0].ID != x.doc {
			t.Errorf("documents: %+v, want %s", docs.Items, x.doc)
		}
		if d := got[lukasa.Document](t)(x.verbs.Document(ctx, old.ID)); d.IsLatest != (x.doc == old.ID) || d.Content != "The cat sleeps.\nIt is red." || (d.Title == "Red cat") != (x.doc != old.ID) {
			t.Errorf("document: %+v", d)
		}
		r := got[lukasa.Result](t)(x.verbs.Search(ctx, lukasa.Query{Text: "Where does Ana live?", Types: []lukasa.EntryType{lukasa.EntryMemory}}))
		if len(r.Hits) != 1 || r.Hits[0].Content != x.want {
			t.Errorf("search: %+v, want %s", r.Hits, x.want)
		}
	}
	if l := got[lukasa.Listing[lukasa.Memory]](t)(c.At(empty).Memories(ctx, f, lukasa.Page{})); l.Total != 0 {
		t.Errorf("before all: %+v", l)
	}
	if ns := got[[]lukasa.Node](t)(c.At(empty).Nodes(ctx, nil)); len(ns) != 0 {
		t.Errorf("containers before all: %+v", ns)
	}
	if ns := got[[]lukasa.Node](t)(then.Nodes(ctx, nil)); len(ns) != 1 || ns[0].Path != "life" {
		t.Errorf("containers then: %+v", ns)
	}
	if n := got[lukasa.Node](t)(then.Node(ctx, "life")); n.Path != "life" {
		t.Errorf("container then: %+v", n)
	}
	for _, id := range []lukasa.ID{paris.ID, young.ID} {
		_, err := c.At(empty).Memory(ctx, id)
		if id == young.ID {
			_, err = then.Document(ctx, id)
		}
		if lukasa.CodeOf(err) != lukasa.CodeNotFound {
			t.Errorf("%s before it was: %v", id, err)
		}
	}

	h := got[lukasa.Listing[lukasa.Delta]](t)(c.History(ctx, paris.ID, lukasa.Page{Limit: 1}))
	if h.Total != 2 || len(h.Items) != 1 || h.Items[0].Op != "update" || h.Items[0].Reason != "she wrote" || h.Next == "" {
		t.Errorf("history: %+v", h)
	}
	if rest := got[lukasa.Listing[lukasa.Delta]](t)(c.History(ctx, paris.ID, lukasa.Page{Limit: 1, Cursor: h.Next})); len(rest.Items) != 1 || rest.Items[0].Op != "create" {
		t.Errorf("history goes on: %+v", rest)
	}
	d := got[client.Diff](t)(c.Diff(ctx, paris.ID, then.Moment, time.Time{}))
	if len(d.Fields) == 0 || d.Fields[0].Name != "is_latest" || d.Fields[0].Before != true || d.Fields[0].After != false {
		t.Errorf("diff: %+v", d)
	}
	d = got[client.Diff](t)(c.DiffVersions(ctx, old.ID, young.ID))
	if want := "--- before\n+++ after\n@@ -1,2 +1,2 @@\n The cat sleeps.\n-It is red.\n+It is blue.\n"; d.Text != want || d.Record != young.ID {
		t.Errorf("diff of versions: %+v, want %q", d, want)
	}

	made := got[lukasa.Listing[lukasa.Delta]](t)(c.History(ctx, lyon.ID, lukasa.Page{})).Items[0]
	if back := got[lukasa.Delta](t)(c.Undo(ctx, made.ID)); back.Record != lyon.ID {
		t.Errorf("undone: %+v", back)
	}
	if m := got[lukasa.Memory](t)(c.Memory(ctx, paris.ID)); !m.IsLatest || m.RetiredBy != "" {
		t.Errorf("after the undo: %+v", m)
	}
	if _, err := c.Undo(ctx, made.ID); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("undone twice: %v", err)
	}
	none := []string{}
	got[lukasa.Memory](t)(c.PatchMemory(ctx, paris.ID, lukasa.MemoryPatch{Tags: &none}))
	if err := c.RestoreTo(ctx, paris.ID, then.Moment, "the label was right"); err != nil {
		t.Fatal(err)
	}
	if m := got[lukasa.Memory](t)(c.Memory(ctx, paris.ID)); len(m.Tags) != 1 {
		t.Errorf("after the restore: %+v", m)
	}
	third := got[lukasa.Receipt](t)(c.RestoreVersion(ctx, old.ID)).Document
	if third.Version != 3 || third.Previous != young.ID || !third.IsLatest {
		t.Errorf("version restored: %+v", third)
	}
	if _, err := c.RestoreVersion(ctx, third.ID); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("the newest restored: %v", err)
	}
}

// What is wrong with a moment, or with what is compared, is said by name.
func TestPastMistakes(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	status, m := s.do("POST", "/v1/memories", obj{"content": "Ana lives in Paris."})
	if status != 201 {
		t.Fatal(m)
	}
	id := text(m, "id")
	for _, c := range []struct{ path, field string }{
		{"/v1/memories?as_of=soon", "as_of"},
		{"/v1/memories?valid_at=soon", "valid_at"},
		{"/v1/memories/" + id + "?as_of=soon", "as_of"},
		{"/v1/documents?as_of=soon", "as_of"},
		{"/v1/documents/doc_01m7y0hrghf278p2nyn0qwvhfz?as_of=soon", "as_of"},
		{"/v1/nodes?as_of=soon", "as_of"},
		{"/v1/containers?as_of=soon", "as_of"},
		{"/v1/records/" + id + "/diff?from=soon", "from"},
		{"/v1/records/" + id + "/diff?from=2030-01-02&to=2030-01-01", "from"},
		{"/v1/records/" + id + "/diff?to=soon", "to"},
		{"/v1/records/" + id + "/diff?with=doc_01m7y0hrghf278p2nyn0qwvhfz&from=2026-01-01", "with"},
	} {
		status, out := s.do("GET", c.path, nil)
		e, _ := out["error"].(obj)
		details, _ := e["details"].(obj)
		if status != 400 || text(details, "field") != c.field {
			t.Errorf("%s: %d %v", c.path, status, out)
		}
	}
	if status, out := s.do("GET", "/v1/memories?valid_at="+url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339)), nil); status != 200 || len(out["items"].([]any)) != 1 {
		t.Errorf("valid in an hour: %d %v", status, out)
	}
	if status, out := s.do("POST", "/v1/documents/"+id+"/restore", nil); status != 400 {
		t.Errorf("a memory has no versions: %d %v", status, out)
	}
}

// N-10: the Go client reads conversations, recall files, versions and all that hangs on them as they were at a moment.
func TestClientPastOfTalks(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	ctx := t.Context()
	c := got[*client.Client](t)(client.New(s.url, client.Options{Key: s.key}))
	empty := c.At(time.Now())
	say := func(text string) lukasa.Conversation {
		t.Helper()
		conv, _, err := c.Append(ctx, lukasa.Append{Container: "life", Conversation: "talk", Messages: []lukasa.NewMessage{{Speaker: "Ana", Role: "user", Content: text}}})
		if err != nil {
			t.Fatal(err)
		}
		return conv
	}
	conv := say("The night train is nice.\n```go\nfunc a() {\n\tb()\n\tc()\n\td()\n\te()\n}\n```\n")
	old := got[lukasa.Receipt](t)(c.Remember(ctx, lukasa.NewDocument{Content: "The cat is red.", CustomID: "cat", Container: "life"})).Document
	decided := got[lukasa.Memory](t)(c.AddMemory(ctx, lukasa.NewMemory{Content: "The night train it is.", Kind: lukasa.KindDecision, Container: "life"}))
	open := c.At(time.Now())
	file := got[client.RecallFile](t)(c.EndConversation(ctx, string(conv.ID), ""))
	ended := c.At(time.Now())
	say("And the ferry back.")
	young := got[lukasa.Receipt](t)(c.Remember(ctx, lukasa.NewDocument{Content: "The cat is blue.", CustomID: "cat", Container: "life"})).Document
	got[lukasa.Memory](t)(c.Correct(ctx, decided.ID, "The day train it is.", "cheaper"))

	for _, x := range []struct {
		name                      string
		verbs                     client.Past
		talks, messages, versions int
		files, decisions, changes int
		state                     string
	}{
		{name: "before all", verbs: empty},
		{"while it was open", open, 1, 1, 1, 1, 1, 1, lukasa.SegmentOpen},
		{"when it had ended", ended, 1, 1, 1, 1, 1, 1, lukasa.SegmentFinalized},
		{"now", c.At(time.Time{}), 1, 2, 2, 2, 1, 2, lukasa.SegmentFinalized},
	} {
		t.Run(x.name, func(t *testing.T) {
			if l := got[lukasa.Listing[lukasa.Conversation]](t)(x.verbs.Conversations(ctx, nil, lukasa.Page{})); l.Total != x.talks || x.talks > 0 && l.Items[0].Messages != x.messages {
				t.Errorf("conversations: %+v", l)
			}
			if l := got[lukasa.Listing[client.RecallFile]](t)(x.verbs.RecallFiles(ctx, client.RecallFileQuery{}, lukasa.Page{})); l.Total != x.files {
				t.Errorf("recall files: %+v", l)
			}
			if l := got[lukasa.Listing[client.DefiningMemory]](t)(x.verbs.DefiningMemories(ctx, client.DefiningQuery{}, lukasa.Page{})); l.Total != x.decisions {
				t.Errorf("defining memories: %+v", l)
			}
			if l := got[lukasa.Listing[lukasa.Delta]](t)(x.verbs.History(ctx, decided.ID, lukasa.Page{})); l.Total != x.changes {
				t.Errorf("history: %+v", l)
			}
			if st := got[lukasa.Stats](t)(x.verbs.Stats(ctx)); st.Conversations != x.talks || st.Messages != x.messages || st.Documents != min(1, x.versions) {
				t.Errorf("stats: %+v", st)
			}
			if x.talks == 0 {
				_, err := x.verbs.Conversation(ctx, conv.ID)
				_, err2 := x.verbs.Chunks(ctx, old.ID)
				_, err3 := x.verbs.Content(ctx, old.ID)
				_, err4 := x.verbs.RecallFile(ctx, file.ID)
				_, err5 := x.verbs.Artifact(ctx, file.ID, "code-1.go")
				for _, err := range []error{err, err2, err3, err4, err5} {
					if lukasa.CodeOf(err) != lukasa.CodeNotFound {
						t.Errorf("before all: %v", err)
					}
				}
				return
			}
			if v := got[lukasa.Conversation](t)(x.verbs.Conversation(ctx, conv.ID)); v.Messages != x.messages {
				t.Errorf("conversation: %+v", v)
			}
			l := got[lukasa.Listing[lukasa.Message]](t)(x.verbs.Messages(ctx, conv.ID, lukasa.Page{}))
			if l.Total != x.messages {
				t.Errorf("messages: %+v", l)
			}
			if m := got[client.MessageContext](t)(x.verbs.MessageContext(ctx, l.Items[0].ID, 0, 9)); len(m.After) != x.messages-1 {
				t.Errorf("context: %+v", m)
			}
			if v := got[[]lukasa.Document](t)(x.verbs.Versions(ctx, old.ID)); len(v) != x.versions || v[0].IsLatest != (v[0].ID == young.ID || x.versions == 1) {
				t.Errorf("versions: %+v", v)
			}
			if cs := got[[]lukasa.Chunk](t)(x.verbs.Chunks(ctx, old.ID)); len(cs) != 1 {
				t.Errorf("chunks: %+v", cs)
			}
			rc := got[io.ReadCloser](t)(x.verbs.Content(ctx, old.ID))
			if b := got[[]byte](t)(io.ReadAll(rc)); string(b) != old.Content && string(b) != "The cat is red." {
				t.Errorf("content: %s", b)
			}
			_ = rc.Close() // read to its end
			f := got[client.RecallFile](t)(x.verbs.RecallFile(ctx, file.ID, "transcript", "artifacts"))
			if f.Status != x.state || f.Messages != 1 || !strings.Contains(f.Transcript, "night train") || len(f.Artifacts) != 1 || strings.Contains(f.Transcript, "ferry") {
				t.Errorf("recall file: %+v", f)
			}
			b := got[client.Brief](t)(x.verbs.Brief(ctx, client.BriefRequest{Query: "Which train do we take?", Floor: -1}))
			if p := got[client.Profile](t)(x.verbs.Profile(ctx, client.ProfileRequest{})); slices.Contains(p.Recent, "The day train it is.") != (x.changes == 2) {
				t.Errorf("profile: %+v", p)
			}
			if strings.Contains(b.Text, "The day train it is.") != (x.changes == 2) {
				t.Errorf("brief: %s", b.Text)
			}
		})
	}
	rc := got[io.ReadCloser](t)(ended.Artifact(ctx, file.ID, got[client.RecallFile](t)(c.RecallFile(ctx, file.ID, "artifacts")).Artifacts[0].Name))
	if b := got[[]byte](t)(io.ReadAll(rc)); !strings.Contains(string(b), "func a()") {
		t.Errorf("artifact: %s", b)
	}
	_ = rc.Close() // read to its end

	// What was true counts even where something newer took its place.
	was := decided.RecordedAt
	if l := got[lukasa.Listing[client.DefiningMemory]](t)(c.DefiningMemories(ctx, client.DefiningQuery{ValidAt: &was}, lukasa.Page{})); l.Total != 1 || l.Items[0].ID != decided.ID {
		t.Errorf("defining then: %+v", l)
	}
	if p := got[client.Profile](t)(c.Profile(ctx, client.ProfileRequest{ValidAt: &was})); !slices.Equal(p.Recent, []string{"The night train it is."}) {
		t.Errorf("profile of what was true: %+v", p)
	}
	if b := got[client.Brief](t)(c.Brief(ctx, client.BriefRequest{Query: "Which train do we take?", Floor: -1, ValidAt: &was})); !strings.Contains(b.Text, "night train it is") || strings.Contains(b.Text, "day train") {
		t.Errorf("brief of what was true: %s", b.Text)
	}
	for path, field := range map[string]string{
		"/v1/stats?as_of=soon": "as_of", "/v1/conversations?as_of=soon": "as_of", "/v1/documents/" + string(old.ID) + "/chunks?as_of=soon": "as_of",
		"/v1/recall-files/" + string(file.ID) + "?as_of=soon": "as_of", "/v1/profile?valid_at=soon": "valid_at", "/v1/defining-memories?valid_at=soon": "valid_at",
		"/v1/memories/" + string(decided.ID) + "/related?valid_at=soon": "valid_at", "/v1/records/" + string(decided.ID) + "/history?as_of=soon": "as_of",
	} {
		if status, out := s.do("GET", path, nil); status != 400 && status != 422 || !strings.Contains(fmt.Sprint(out), field) {
			t.Errorf("%s: %d %v", path, status, out)
		}
	}
}

// T-1: a conversation is found by the caller's own name for it, in a container or wherever the key may read, as it is and as it was.
func TestConversationByName(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	ctx := t.Context()
	c := got[*client.Client](t)(client.New(s.url, client.Options{Key: s.key}))
	say := func(container, name string) lukasa.Conversation {
		t.Helper()
		conv, _, err := c.Append(ctx, lukasa.Append{Container: container, Conversation: name, Messages: []lukasa.NewMessage{{Speaker: "Ana", Role: "user", Content: "The night train is nice."}}})
		if err != nil {
			t.Fatal(err)
		}
		return conv
	}
	before := c.At(time.Now())
	trip, odd, home := say("life", "trip"), say("life", "chat 7/b: what? 100 %"), say("work", "notes")
	alone := c.At(time.Now())
	other := say("work.acme", "trip")
	for _, x := range []struct {
		name, container string
		want            lukasa.ID
	}{
		{"trip", "life", trip.ID}, {"trip", "work.acme", other.ID}, {odd.ExternalID, "", odd.ID}, {"notes", "", home.ID}, {string(trip.ID), "", trip.ID},
	} {
		if v := got[lukasa.Conversation](t)(c.ConversationNamed(ctx, x.name, x.container)); v.ID != x.want || v.Messages != 1 {
			t.Errorf("%q in %q: %+v", x.name, x.container, v)
		}
		if l := got[lukasa.Listing[lukasa.Message]](t)(c.Messages(ctx, x.want, lukasa.Page{})); l.Total != 1 {
			t.Errorf("%q in %q: %+v", x.name, x.container, l)
		}
	}
	if status, out := s.do("GET", "/v1/conversations/trip/messages?container=life", nil); status != 200 || len(out["items"].([]any)) != 1 {
		t.Errorf("messages by name: %d %v", status, out)
	}
	if v := got[lukasa.Conversation](t)(alone.ConversationNamed(ctx, "trip", "")); v.ID != trip.ID {
		t.Errorf("when there was one: %+v", v)
	}
	_, secret, err := c.CreateKey(ctx, lukasa.Key{Name: "acme", Root: "work.acme"})
	if err != nil {
		t.Fatal(err)
	}
	bound := got[*client.Client](t)(client.New(s.url, client.Options{Key: secret}))
	if v := got[lukasa.Conversation](t)(bound.ConversationNamed(ctx, "trip", "")); v.ID != other.ID {
		t.Errorf("by a key that sees one: %+v", v)
	}
	for _, x := range []struct {
		how  string
		code lukasa.Code
		err  error
	}{
		{"several", lukasa.CodeConflict, failed(c.ConversationNamed(ctx, "trip", ""))},
		{"in another container", lukasa.CodeNotFound, failed(c.ConversationNamed(ctx, "notes", "life"))},
		{"before all", lukasa.CodeNotFound, failed(before.ConversationNamed(ctx, "trip", ""))},
		{"out of sight", lukasa.CodeNotFound, failed(bound.ConversationNamed(ctx, "notes", ""))},
		{"no id", lukasa.CodeInvalid, failed(c.ConversationNamed(ctx, "conv_1", ""))},
		{"another id", lukasa.CodeInvalid, failed(c.ConversationNamed(ctx, "doc_01m7y0hrghf278p2nyn0qwvhfz", ""))},
		{"no path", lukasa.CodeInvalid, failed(c.ConversationNamed(ctx, "trip", "a..b"))},
	} {
		if lukasa.CodeOf(x.err) != x.code {
			t.Errorf("%s: %v", x.how, x.err)
		}
	}
}

func failed[T any](_ T, err error) error { return err }
