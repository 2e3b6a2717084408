package engine_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A correction that was undone is no correction in the store into which the export is imported: each memory is in force there as in the store
// that it comes from, and so is one that was corrected and stays so.
func TestImportAfterUndoneCorrection(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	add := func(content string, updates lukasa.ID) lukasa.Memory {
		t.Helper()
		return must[lukasa.Memory](t)(e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: content, Container: "life", Updates: updates}))
	}
	paris := add("Ana lives in Paris.", "")
	lyon := add("Ana lives in Lyon.", paris.ID)
	must[lukasa.Delta](t)(e.Undo(t.Context(), sc, lyon.ID))
	tea := add("Ana likes tea.", "")
	add("Ana likes coffee.", tea.ID)
	inForce := func(e *engine.Engine, sc lukasa.Scope) map[string]bool {
		t.Helper()
		l := must[lukasa.Listing[lukasa.Memory]](t)(e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100}))
		out := map[string]bool{}
		for _, m := range l.Items {
			out[m.Content] = m.IsLatest
		}
		return out
	}
	want := inForce(e, sc)
	if !want["Ana lives in Paris."] || want["Ana lives in Lyon."] || want["Ana likes tea."] {
		t.Fatalf("in force: %v", want)
	}
	var file bytes.Buffer
	must[engine.Progress](t)(e.Export(t.Context(), sc, nil, &file, nil))
	other, _, osc := enginetest.New(t)
	if p := must[engine.Progress](t)(other.Import(t.Context(), osc, bytes.NewReader(file.Bytes()), nil)); p.Memories != 4 || p.Edges != 2 {
		t.Errorf("imported: %+v", p)
	}
	if d := cmp.Diff(want, inForce(other, osc)); d != "" {
		t.Errorf("in force (-there +here):\n%s", d)
	}
	there := must[engine.Profile](t)(e.Profile(t.Context(), sc, engine.ProfileRequest{Container: "life"}))
	here := must[engine.Profile](t)(other.Profile(t.Context(), osc, engine.ProfileRequest{Container: "life"}))
	if there.Text() == "" || there.Text() != here.Text() {
		t.Errorf("the profile says %q, and %q where it comes from", here.Text(), there.Text())
	}

	// A store that has a memory already takes its correction over from a later export.
	late, _, lsc := enginetest.New(t)
	var before, after bytes.Buffer
	must[engine.Progress](t)(e.Export(t.Context(), sc, nil, &before, nil))
	add("Ana lives in Nice.", paris.ID)
	must[engine.Progress](t)(e.Export(t.Context(), sc, nil, &after, nil))
	for _, f := range []*bytes.Buffer{&before, &after} {
		must[engine.Progress](t)(late.Import(t.Context(), lsc, f, nil))
	}
	if d := cmp.Diff(inForce(e, sc), inForce(late, lsc)); d != "" {
		t.Errorf("in force after a second export (-there +here):\n%s", d)
	}
}
