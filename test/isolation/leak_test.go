package isolation

import (
	"strings"
	"testing"
)

// A key that is bound to a subtree is not told the names and places of the owner's other keys.
func TestLeakKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, newBook())
	for _, c := range w.model.callers {
		if c.root == "" || c.state.Load() != alive {
			continue
		}
		list := w.must(c, "GET", "/v1/keys", nil)
		items, _ := list["items"].([]any)
		for _, x := range items {
			k, _ := x.(map[string]any)
			if root := str(k, "container"); !covers(c.root, root) {
				t.Errorf("%s, bound to %s, is told of key %s at %q", c.name, c.root, strings.TrimSpace(str(k, "name")), root)
			}
		}
	}
}
