package rest_test

import (
	"net/url"
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
