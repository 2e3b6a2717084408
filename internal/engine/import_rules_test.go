package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func remember(t *testing.T, e *engine.Engine, sc lukasa.Scope, in lukasa.NewDocument) lukasa.Receipt {
	t.Helper()
	r, err := e.Remember(t.Context(), sc, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What stands under one custom id is no version of what stands under another one, whatever address or text they share.
func TestCustomIDsKeepApart(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	const page = "https://tides.example/table"
	saved := remember(t, e, sc, lukasa.NewDocument{Content: "The tide table of the harbour, as the page shows it.", SourceURL: page})
	mark := remember(t, e, sc, lukasa.NewDocument{Content: "A bookmark: tide table", SourceURL: page, CustomID: "bookmarks:1"})
	if mark.Document.Version != 1 {
		t.Errorf("a bookmark is version %d of the page that it points to", mark.Document.Version)
	}
	again := remember(t, e, sc, lukasa.NewDocument{Content: "The tide table of the harbour, as the page shows it today.", SourceURL: page})
	if again.Document.Version != 2 || again.Document.Previous != saved.Document.ID {
		t.Errorf("the page that was saved again is version %d of %s", again.Document.Version, again.Document.Previous)
	}
	other := remember(t, e, sc, lukasa.NewDocument{Content: "A bookmark: tide table, renamed", SourceURL: page, CustomID: "bookmarks:1"})
	if other.Document.Previous != mark.Document.ID {
		t.Errorf("the changed bookmark follows %q", other.Document.Previous)
	}

	a := remember(t, e, sc, lukasa.NewDocument{Content: "milk and bread", CustomID: "a", Metadata: map[string]any{"list": "first"}})
	b := remember(t, e, sc, lukasa.NewDocument{Content: "oil and salt", CustomID: "b"})
	same := remember(t, e, sc, lukasa.NewDocument{Content: "milk and bread", CustomID: "c", Metadata: map[string]any{"list": "third", "shop": "corner"}})
	if same.Deduplicated || same.Document.ID == a.Document.ID || same.Document.CustomID != "c" || same.Document.Metadata["list"] != "third" {
		t.Errorf("the same text under a third id: %+v", same)
	}
	for _, d := range []lukasa.Document{a.Document, same.Document} {
		r := remember(t, e, sc, lukasa.NewDocument{Content: "milk and bread", CustomID: d.CustomID, Metadata: map[string]any{"seen": "twice"}})
		if !r.Deduplicated || !r.Changed || r.Document.ID != d.ID || r.Document.Metadata["list"] != d.Metadata["list"] {
			t.Errorf("the same text under %s once more: %+v", d.CustomID, r)
		}
		l, err := e.Documents(t.Context(), sc, lukasa.DocumentFilter{CustomID: d.CustomID}, lukasa.Page{})
		if err != nil || len(l.Items) != 1 || l.Items[0].ID != d.ID {
			t.Errorf("documents under %s: %+v, %v", d.CustomID, l.Items, err)
		}
	}
	if r := remember(t, e, sc, lukasa.NewDocument{Content: "milk and bread"}); !r.Deduplicated {
		t.Errorf("the same text without an id: %+v", r)
	}
	// b is made the same as a: it has changed, and is not still what it was.
	b2 := remember(t, e, sc, lukasa.NewDocument{Content: "milk and bread", CustomID: "b"})
	if b2.Deduplicated || b2.Document.Previous != b.Document.ID {
		t.Errorf("a document that was made the same as another one: %+v", b2)
	}
}

// A conversation has the title that it had, as has each of its segments, which say that they were imported. Messages that were edited
// are replaced.
func TestImportedConversation(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.SegmentTokens = 1000
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	turns := func(edit string) []lukasa.NewMessage {
		var out []lukasa.NewMessage
		at := time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)
		for i := range 60 {
			at = at.Add(time.Minute)
			when := at
			role := []string{"user", "assistant"}[i%2]
			out = append(out, lukasa.NewMessage{
				ExternalID: fmt.Sprint("m", i), Role: role, Time: &when,
				Content: fmt.Sprintf("Turn %d about the lighthouse. %s", i, strings.Repeat("The lamp turns and the fog comes in. ", 20)),
			})
		}
		out[3].Content += edit
		return out
	}
	item := func(edit string) []engine.ImportItem {
		return []engine.ImportItem{{Key: "k", Title: "About the lighthouse", Append: &lukasa.Append{Container: "chats", Conversation: "chatgpt:1", Messages: turns(edit)}}}
	}
	first, err := e.ImportItems(t.Context(), sc, item(""))
	if err != nil || first[0].New != 60 {
		t.Fatalf("%+v, %v", first, err)
	}
	files, err := e.RecallFiles(t.Context(), sc, engine.SegmentFilter{Conversation: first[0].ID}, lukasa.Page{Limit: 100})
	if err != nil || len(files.Items) < 3 {
		t.Fatalf("%d segments, %v", len(files.Items), err)
	}
	for _, s := range files.Items {
		d, err := e.Document(t.Context(), sc, s.Document)
		if err != nil || d.Title != "About the lighthouse" || d.Origin != lukasa.OriginImport {
			t.Errorf("segment %s: title %q, origin %q, %v", s.Document, d.Title, d.Origin, err)
		}
	}
	conv := func() lukasa.Conversation {
		t.Helper()
		return must[lukasa.Conversation](t)(e.Conversation(t.Context(), sc, first[0].ID, time.Time{}))
	}
	if c := conv(); c.Title != "About the lighthouse" || c.ExternalID != "chatgpt:1" {
		t.Errorf("the conversation is called %q, under the name %q", c.Title, c.ExternalID)
	}
	again, err := e.ImportItems(t.Context(), sc, item(""))
	if err != nil || again[0].Unchanged != 60 || again[0].New+again[0].Replaced > 0 || again[0].ID != first[0].ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	edited, err := e.ImportItems(t.Context(), sc, item("And then it stops."))
	if err != nil || edited[0].Unchanged != 59 || edited[0].Replaced != 1 {
		t.Errorf("with an edit: %+v, %v", edited, err)
	}
	title := "My own name for it"
	if _, err := e.PatchDocument(t.Context(), sc, files.Items[0].Document, lukasa.DocumentPatch{Title: &title}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.ImportItems(t.Context(), sc, item("")); err != nil {
		t.Fatal(err)
	}
	if d, err := e.Document(t.Context(), sc, files.Items[0].Document); err != nil || d.Title != title {
		t.Errorf("the title that somebody gave became %q, %v", d.Title, err)
	}
	// What somebody calls the conversation stays, too, and is what its next segments are called, with its labels.
	must[lukasa.Conversation](t)(e.PatchConversation(t.Context(), sc, string(first[0].ID), "", lukasa.DocumentPatch{Title: new("The tower"), Tags: &[]string{"sea"}}, ""))
	more := item("")
	for i, text := range []string{"Is it tall?", "Is it open on Sundays?"} {
		must[lukasa.Segment](t)(e.EndConversation(t.Context(), sc, first[0].ID))
		more[0].Append.Messages = append(more[0].Append.Messages, lukasa.NewMessage{ExternalID: fmt.Sprint("m", 60+i), Role: "user", Content: text})
		if r, err := e.ImportItems(t.Context(), sc, more); err != nil || r[0].New != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	c := conv()
	d, err := e.Document(t.Context(), sc, c.Document)
	if err != nil || c.Title != "The tower" || d.Title != "The tower" || !slices.Equal(d.Tags, []string{"sea"}) || d.Origin != lukasa.OriginImport {
		t.Errorf("%q has the new segment %q %q of %s, %v", c.Title, d.Title, d.Tags, d.Origin, err)
	}
	found := must[lukasa.Result](t)(e.Search(t.Context(), sc, lukasa.Query{
		Text: "open on Sundays", Filter: &lukasa.Filter{Field: "tags", Text: []string{"sea"}}, Types: []lukasa.EntryType{lukasa.EntryMessage}, Limit: 1,
	}))
	if len(found.Hits) != 1 || found.Hits[0].Content != "Is it open on Sundays?" {
		t.Errorf("by its label it finds %+v", found.Hits)
	}
}

// A memory is known by its key: what changes in its source takes the place of what is there, what was corrected here stays
// corrected. What was deleted here stays deleted: see TestImportedMemoryStaysDeleted.
func TestImportedMemory(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	put := func(text string, tags ...string) engine.ImportResult {
		t.Helper()
		r, err := e.ImportItems(t.Context(), sc, []engine.ImportItem{{Key: "mem0:7", Memory: &lukasa.NewMemory{Content: text, Container: "old", Tags: tags}}})
		if err != nil || r[0].Failed != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		return r[0]
	}
	latest := func() []string {
		t.Helper()
		yes := true
		l, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{Latest: &yes}, lukasa.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range l.Items {
			out = append(out, m.Content)
		}
		return out
	}
	first := put("Lives in Lyon")
	m, err := e.Memory(t.Context(), sc, first.ID)
	if err != nil || first.New != 1 || m.Origin != lukasa.OriginImport || m.Metadata["export_id"] != "mem0:7" {
		t.Fatalf("%+v %+v, %v", first, m, err)
	}
	if r := put("Lives in Lyon"); r.Unchanged != 1 || r.ID != first.ID {
		t.Errorf("again: %+v", r)
	}
	if r := put("Lives in Lyon", "home"); r.Replaced != 1 || r.ID != first.ID {
		t.Errorf("with a tag: %+v", r)
	}
	second := put("Lives in Porto")
	if second.Replaced != 1 || !slices.Equal(latest(), []string{"Lives in Porto"}) {
		t.Errorf("changed: %+v, latest %q", second, latest())
	}
	if r := put("Lives in Porto"); r.Unchanged != 1 {
		t.Errorf("changed, again: %+v", r)
	}
	if _, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Lives in Porto since May", Updates: second.ID}); err != nil {
		t.Fatal(err)
	}
	if r := put("Lives in Porto"); r.Unchanged != 1 || !slices.Equal(latest(), []string{"Lives in Porto since May"}) {
		t.Errorf("what was corrected here: %+v, latest %q", r, latest())
	}
	// One in another container, or under another key, is another one.
	r, err := e.ImportItems(t.Context(), sc, []engine.ImportItem{
		{Key: "mem0:7", Memory: &lukasa.NewMemory{Content: "Lives in Porto", Container: "elsewhere"}},
		{Key: "mem0:8", Memory: &lukasa.NewMemory{Content: "Lives in Porto", Container: "old"}},
		{Key: "mem0:9", Memory: &lukasa.NewMemory{Content: strings.Repeat("A long story. ", 1000), Container: "old"}},
		{Key: "", Memory: &lukasa.NewMemory{Content: "has no key"}},
		{Key: "both", Memory: &lukasa.NewMemory{Content: "x"}, Append: &lukasa.Append{}},
	})
	if err != nil || r[0].New != 1 || r[1].New != 1 || r[2].ID.Prefix() != lukasa.PrefixDocument || r[3].Failed == "" || r[4].Failed == "" {
		t.Errorf("others: %+v, %v", r, err)
	}
}

// Links become edges once both ends are there, and go when they go from the source.
func TestImportedLinks(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	dir := write(t, filepath.Join(t.TempDir(), "vault"), map[string]string{
		".obsidian/app.json": "{}",
		"A.md":               "To [[B]] and [[D]] and [[Nowhere]].",
		"B.md":               "Back to [[A]].",
		"C.md":               "No way out.",
		"D.md":               "No way out.", // the same text, and another note
	})
	o := engine.ImportOptions{Container: "vault"}
	if r := bring(t, e, sc, dir, o); r.Links != 3 {
		t.Errorf("%d links, want 3", r.Links)
	}
	id := func(custom string) lukasa.ID {
		t.Helper()
		l, err := e.Documents(t.Context(), sc, lukasa.DocumentFilter{CustomID: custom}, lukasa.Page{})
		if err != nil || len(l.Items) != 1 {
			t.Fatalf("%s: %d documents, %v", custom, len(l.Items), err)
		}
		return l.Items[0].ID
	}
	ends := func(custom string) []string {
		t.Helper()
		edges, err := e.EdgesOf(t.Context(), sc, id(custom))
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, x := range edges {
			if x.From == string(id(custom)) {
				out = append(out, x.To)
			}
		}
		slices.Sort(out)
		return out
	}
	want := []string{string(id("obsidian:B")), string(id("obsidian:D"))}
	slices.Sort(want)
	if got := ends("obsidian:A"); !slices.Equal(got, want) {
		t.Errorf("A points to %v, want %v", got, want)
	}
	write(t, dir, map[string]string{"Nowhere.md": "It is there now.", "B.md": "No way back."})
	if r := bring(t, e, sc, dir, o); r.Links != 2 || r.Documents.New != 1 || r.Documents.Replaced != 1 { // to Nowhere, and to what B is now
		t.Errorf("after a change: %+v", *r)
	}
	want = []string{string(id("obsidian:B")), string(id("obsidian:D")), string(id("obsidian:Nowhere"))}
	slices.Sort(want)
	if got := ends("obsidian:A"); !slices.Equal(got, want) {
		t.Errorf("A points to %v, want %v", got, want)
	}
	if got := ends("obsidian:B"); len(got) > 0 {
		t.Errorf("B still points to %v", got)
	}
}

// cut is a server that dies after some calls, like a process that is killed between two batches, or in one: the items of the
// last call are kept and its answer is lost.
type cut struct {
	client.Verbs
	e    *engine.Engine
	sc   lukasa.Scope
	left int
}

var errKilled = errors.New("killed")

func (c *cut) ImportItems(ctx context.Context, items []client.ImportItem) ([]client.ImportResult, error) {
	c.left--
	n := len(items)
	if c.left < 0 {
		n = (n + 1) / 2
	}
	r, err := c.e.ImportItems(ctx, c.sc, items[:n])
	if err == nil && c.left < 0 {
		return nil, errKilled
	}
	return r, err
}

func (c *cut) ImportLinks(ctx context.Context, container string, links []client.ImportLink) (int, error) {
	return c.e.ImportLinks(ctx, c.sc, container, links)
}

// An import that is cut off, wherever it is, and made again ends like one that was not.
func TestImportGoesOn(t *testing.T) {
	t.Parallel()
	files := map[string]string{".obsidian/app.json": "{}"}
	for i := range 180 {
		files[fmt.Sprintf("n%03d.md", i)] = fmt.Sprintf("Note %d of the logbook. See [[n%03d]].", i, (i*7+1)%180)
	}
	dir := write(t, filepath.Join(t.TempDir(), "vault"), files)
	whole, _, sc := enginetest.New(t)
	bring(t, whole, sc, dir, engine.ImportOptions{})
	want, err := whole.Stats(t.Context(), sc, time.Time{})
	if err != nil || want.Documents != 180 {
		t.Fatalf("%+v, %v", want, err)
	}
	e, _, sc := enginetest.New(t)
	for n := range 3 {
		x, err := engine.Exports().Open(dir, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = engine.TakeExport(t.Context(), x, &cut{here{e.As(sc), e}, e, sc, n}, engine.ImportOptions{}, nil)
		if !errors.Is(err, errKilled) {
			t.Fatalf("round %d: %v", n, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := bring(t, e, sc, dir, engine.ImportOptions{})
	if r.Documents.Unchanged != 125 || r.Documents.New != 55 || r.Links != 180 {
		t.Errorf("the last round: %+v", *r)
	}
	got, err := e.Stats(t.Context(), sc, time.Time{})
	if err != nil || got.Documents != want.Documents || got.Chunks != want.Chunks {
		t.Errorf("%d documents and %d chunks, want %d and %d, %v", got.Documents, got.Chunks, want.Documents, want.Chunks, err)
	}
	if l, err := e.Documents(t.Context(), sc, lukasa.DocumentFilter{AllVersions: true}, lukasa.Page{Limit: 1}); err != nil || l.Total != 180 {
		t.Errorf("%d rows of documents, %v", l.Total, err)
	}
}

// A file that yields nothing is kept as it is, marked failed with a reason, and can be tried again.
func TestRetry(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	locked, err := os.ReadFile(filepath.Join("..", "extract", "office", "testdata", "locked.docx"))
	if err != nil {
		t.Fatal(err)
	}
	r := remember(t, e, sc, lukasa.NewDocument{Data: locked, Name: "locked.docx", CustomID: "x"})
	id := r.Document.ID
	if r.Document.Status != lukasa.StatusFailed || !strings.Contains(r.Document.Reason, "password") {
		t.Fatalf("%s: %s", r.Document.Status, r.Document.Reason)
	}
	settle := func() lukasa.Document {
		t.Helper()
		if err := e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, err := e.Document(t.Context(), sc, id)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := settle(); d.Status != lukasa.StatusFailed || d.Reason != r.Document.Reason {
		t.Errorf("after a try of the worker: %s: %s", d.Status, d.Reason)
	}
	l, err := e.Tasks(t.Context(), sc, "failed", lukasa.Page{})
	if err != nil || len(l.Items) != 1 || l.Items[0].Document != id || l.Items[0].State != "failed" || l.Items[0].Reason == "" {
		t.Errorf("tasks: %+v, %v", l, err)
	}
	rc, _, err := e.Content(t.Context(), sc, id, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	rc.Close()
	for _, ids := range [][]lukasa.ID{{id}, nil} {
		if n, err := e.Retry(t.Context(), sc, ids...); err != nil || n != 1 {
			t.Fatalf("retry %v: %d, %v", ids, n, err)
		}
		if d, err := e.Document(t.Context(), sc, id); err != nil || d.Status != lukasa.StatusQueued || d.Reason != "" {
			t.Errorf("queued again: %s %q, %v", d.Status, d.Reason, err)
		}
		if d := settle(); d.Status != lukasa.StatusFailed {
			t.Errorf("tried again: %s", d.Status)
		}
	}
	good := remember(t, e, sc, lukasa.NewDocument{Content: "all is well"})
	if n, err := e.Retry(t.Context(), sc, good.Document.ID); err != nil || n != 0 {
		t.Errorf("what is done was tried again: %d, %v", n, err)
	}
	read := sc
	read.ReadOnly = true
	if _, err := e.Retry(t.Context(), read, id); lukasa.CodeOf(err) != lukasa.CodeForbidden {
		t.Errorf("a key that may only read: %v", err)
	}
	bound := sc
	bound.Root = "work"
	if _, err := e.Retry(t.Context(), bound, id); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("a key that does not see it: %v", err)
	}
	if n, err := e.Retry(t.Context(), bound); err != nil || n != 0 {
		t.Errorf("all that it sees: %d, %v", n, err)
	}
	// A file that nobody reads here is refused, as before, and so is a text without words.
	for name, data := range map[string]string{"x.bin": "\x7fELF\x02\x01\x01\x00\x00", "x.txt": " \n "} {
		if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Data: []byte(data), Name: name}); err == nil {
			t.Errorf("%s was kept", name)
		}
	}
}

// An import keeps to the limits of its user, and what was put into the trash here does not hold it up.
func TestImportKeepsToLimits(t *testing.T) {
	t.Parallel()
	e, _, admin := enginetest.New(t)
	u, err := e.CreateUser(t.Context(), admin, lukasa.User{Name: "Bob", Settings: map[string]any{"limits": map[string]any{"files": 2.0}}})
	if err != nil {
		t.Fatal(err)
	}
	k, _, err := e.CreateKey(t.Context(), admin, lukasa.Key{Name: "bob", User: u.ID})
	if err != nil {
		t.Fatal(err)
	}
	bob := lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser, Key: k.ID}
	for i := range 4 {
		id := fmt.Sprint("keep:", i)
		r, err := e.ImportItems(t.Context(), bob, []engine.ImportItem{{Key: id, Document: &lukasa.NewDocument{Content: fmt.Sprintf("Note %d of Bob.", i), CustomID: id}}})
		if err != nil || i < 2 && r[0].New != 1 || i >= 2 && !strings.Contains(r[0].Failed, "2 of 2 files") {
			t.Errorf("note %d: %+v, %v", i, r, err)
		}
	}
	memory := []engine.ImportItem{{Key: "mem0:1", Memory: &lukasa.NewMemory{Content: "Keeps bees"}}}
	r, err := e.ImportItems(t.Context(), admin, memory)
	if err != nil || r[0].New != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := e.Bury(t.Context(), admin, r[0].ID); err != nil {
		t.Fatal(err)
	}
	memory = append(memory, engine.ImportItem{Key: "mem0:2", Memory: &lukasa.NewMemory{Content: "Keeps geese"}})
	r, err = e.ImportItems(t.Context(), admin, memory)
	if err != nil || r[0].Deleted != 1 || r[1].New != 1 {
		t.Fatalf("after the trash: %+v, %v", r, err)
	}
	if m, err := e.Memory(t.Context(), admin, r[1].ID); err != nil || m.Content != "Keeps geese" {
		t.Errorf("%+v, %v", m, err)
	}
}
