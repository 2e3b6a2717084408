package chats_test

import (
	"testing"
	"testing/fstest"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/exports/chats"
)

// TestNoChat: what looks like a chat only by a piece of it is none.
func TestNoChat(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]fstest.MapFS{
		"a vault with a chat in it": {".obsidian/app.json": {Data: []byte("{}")}, "chat.txt": {Data: []byte("05/01/2024, 21:07 - A: x\n")}, "n.md": {Data: []byte("x")}},
		"a text":                    {"a.txt": {Data: []byte("On 05/01/2024, 21:07 - we left: all of us.\n")}},
		"some JSON":                 {"conversations.json": {Data: []byte(`{"mapping": 1}`)}, "result.json": {Data: []byte(`{"messages": 1}`)}, "users.json": {Data: []byte("[]")}},
		"nothing":                   {},
	} {
		src, err := exports.FromFolder("x", dir, exports.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := exports.Set(chats.Kinds()).Detect(src); got != "" {
			t.Errorf("%s is taken for %s", name, got)
		}
	}
}
