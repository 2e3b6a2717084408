package isolation

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A key that is bound to a subtree is not told the names and places of the owner's other keys.
func TestLeakKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, newBook(), embedded)
	for _, c := range w.model.callers {
		if c.root == "" || c.state.Load() != alive {
			continue
		}
		list := w.must(c, "GET", "/v1/keys", nil)
		items, _ := list["items"].([]any)
		for _, x := range items {
			k, _ := x.(map[string]any)
			if root := str(k, "container"); !covers(c.root, root) && str(k, "id") != c.id {
				t.Errorf("%s, bound to %s, is told of key %s at %q", c.name, c.root, strings.TrimSpace(str(k, "name")), root)
			}
		}
	}
}

// A record that came from elsewhere does not tell a key of the place it came to what the place was called that it came from.
func TestLeakHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, newBook(), embedded)
	ann := w.people[1]
	var bound *caller
	for _, c := range w.model.callers {
		if c.owner == ann && c.root == "work.acme" && !c.readOnly {
			bound = c
		}
	}
	m := w.must(ann.whole, "POST", "/v1/memories", map[string]any{"container": "home.takeover", "content": "The budget of the plan is small."})
	w.must(ann.whole, "POST", "/v1/nodes/home.takeover/archive", map[string]any{"into": "work.acme"})
	if got := w.must(bound, "GET", "/v1/memories/"+str(m, "id"), nil); str(got, "container") != "work.acme" {
		t.Fatalf("the memory stands in %q", str(got, "container"))
	}
	past := url.QueryEscape(w.clock.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano))
	for _, path := range []string{"/history", "/diff?from=" + past} {
		status, data := w.plain(bound, "GET", "/v1/records/"+str(m, "id")+path, nil)
		if bytes.Contains(data, []byte("takeover")) {
			t.Errorf("%s is told by %s, with status %d, where it came from: %s", bound.name, path, status, data)
		}
	}
}
