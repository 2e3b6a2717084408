package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A memory that was imported as a record of its own and deleted since, softly or for good, stays deleted when the export is imported again, also as it
// has changed since. In another container it is another memory, another user's is not concerned, and the trash gives back what lies in it.
func TestImportedMemoryStaysDeleted(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	bob, err := e.CreateUser(t.Context(), sc, lukasa.User{Name: "Bob"})
	if err != nil {
		t.Fatal(err)
	}
	other := lukasa.Scope{Owner: bob.ID, Principal: bob.ID, Role: lukasa.RoleUser}
	put := func(sc lukasa.Scope, container, key, text string) engine.ImportResult {
		t.Helper()
		r, err := e.ImportItems(t.Context(), sc, []engine.ImportItem{{Key: key, Memory: &lukasa.NewMemory{Content: text, Container: container}}})
		if err != nil || r[0].Failed != "" {
			t.Fatalf("%+v, %v", r, err)
		}
		return r[0]
	}
	contents := func() []string {
		t.Helper()
		l, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range l.Items {
			out = append(out, m.Content)
		}
		slices.Sort(out)
		return out
	}
	good, soft, changed := put(sc, "old", "mem0:1", "Lives in Lyon"), put(sc, "old", "mem0:2", "Drives a van"), put(sc, "old", "mem0:3", "Plays the cello")
	put(sc, "old", "mem0:4", "Likes rain")
	mine, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Owns a kiln", Container: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if changed = put(sc, "old", "mem0:3", "Plays the viola"); changed.Replaced != 1 {
		t.Fatalf("%+v", changed)
	}
	var export bytes.Buffer
	if _, err := e.Export(t.Context(), sc, nil, &export, nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []lukasa.ID{good.ID, mine.ID} {
		if _, err := e.DeleteMemory(t.Context(), sc, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []lukasa.ID{soft.ID, changed.ID} {
		if _, err := e.Bury(t.Context(), sc, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	left := contents()
	for _, in := range [][2]string{{"mem0:1", "Lives in Lyon"}, {"mem0:1", "Lives in Porto"}, {"mem0:2", "Drives a van"}, {"mem0:3", "Plays the viola"}} {
		if r := put(sc, "old", in[0], in[1]); r != (engine.ImportResult{Deleted: 1}) {
			t.Errorf("%q again: %+v", in, r)
		}
	}
	got, err := e.Import(t.Context(), sc, bytes.NewReader(export.Bytes()), nil)
	if err != nil || got.Memories != 0 || got.Deleted != 4 {
		t.Errorf("our own export again: %+v, %v", got, err)
	}
	if now := contents(); !slices.Equal(now, left) || slices.Contains(now, "Lives in Lyon") {
		t.Errorf("left are %q, want %q", now, left)
	}
	if r := put(other, "old", "mem0:1", "Lives in Lyon"); r.New != 1 {
		t.Errorf("another user's: %+v", r)
	}
	if r := put(sc, "elsewhere", "mem0:1", "Lives in Lyon"); r.New != 1 {
		t.Errorf("in another container: %+v", r)
	}
	if err := e.Unbury(t.Context(), sc, soft.ID); err != nil {
		t.Fatal(err)
	}
	if r := put(sc, "old", "mem0:2", "Drives a van"); r.Unchanged != 1 || r.ID != soft.ID {
		t.Errorf("out of the trash: %+v", r)
	}
	if _, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Lives in Lyon", Container: "old"}); err != nil || !strings.Contains(strings.Join(contents(), ";"), "Lives in Lyon") {
		t.Errorf("by hand: %v", err)
	}
}
