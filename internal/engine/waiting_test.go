package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What waits to be read when an export is written comes along as it came in, and is read where the export is imported. What could not be read
// comes along, too. What is lost is named, by the export and by the import.
func TestExportOfWhatWaits(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	long := strings.Repeat("The wombat digs at night. ", 24_000)
	queued := remember(t, e, sc, lukasa.NewDocument{Data: []byte(long), Name: "wombat.txt", Container: "zoo", CustomID: "w", Tags: []string{"night"}}).Document
	twin := remember(t, e, sc, lukasa.NewDocument{Data: []byte(strings.Repeat("The emu runs by day. ", 24_000)), Name: "emu.txt", Container: "zoo"}).Document
	locked, err := os.ReadFile(filepath.Join("..", "extract", "office", "testdata", "locked.docx"))
	if err != nil {
		t.Fatal(err)
	}
	failed := remember(t, e, sc, lukasa.NewDocument{Data: locked, Name: "locked.docx", Container: "zoo"}).Document
	if queued.Status != lukasa.StatusQueued || twin.Status != lukasa.StatusQueued || failed.Status != lukasa.StatusFailed {
		t.Fatalf("%s, %s, %s", queued.Status, twin.Status, failed.Status)
	}
	export := func() ([]byte, []string) {
		t.Helper()
		var b bytes.Buffer
		gaps := &engine.ExportGaps{To: &b}
		must[engine.Progress](t)(e.Export(t.Context(), sc, nil, gaps, nil))
		return b.Bytes(), gaps.Found
	}
	file, missing := export()
	if len(missing) != 0 {
		t.Errorf("missing: %q", missing)
	}
	other, _, osc := enginetest.New(t)
	for _, want := range []int{3, 0} { // the second time it is there already
		p := must[engine.Progress](t)(other.Import(t.Context(), osc, bytes.NewReader(file), nil))
		if len(p.NoContent) != 0 || p.Documents != want {
			t.Errorf("%+v, want %d documents", p, want)
		}
		if err := other.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]lukasa.Document{}
	l := must[lukasa.Listing[lukasa.Document]](t)(other.Documents(t.Context(), osc, lukasa.DocumentFilter{}, lukasa.Page{}))
	for _, d := range l.Items {
		if d.Status == lukasa.StatusFailed {
			got[d.Title] = d
			continue
		}
		got[d.CustomID] = must[lukasa.Document](t)(other.Document(t.Context(), osc, d.ID))
	}
	if d := got["w"]; strings.TrimSpace(d.Content) != strings.TrimSpace(long) || d.Path != "zoo" || !d.CreatedAt.Equal(queued.CreatedAt.Truncate(time.Microsecond)) || !strings.Contains(strings.Join(d.Tags, " "), "night") {
		t.Errorf("the text that waited: %.80q, %s, %v, %q", d.Content, d.Path, d.CreatedAt, d.Tags)
	}
	if d := got["locked.docx"]; d.Reason == "" || !strings.HasPrefix(got[""].Content, "The emu runs") {
		t.Errorf("of %d documents, %+v and %.80q", len(l.Items), d, got[""].Content)
	}

	// Where the bytes are lost, export and import say so.
	blobs := filepath.Join(e.Config().Data, "blobs")
	if err := os.RemoveAll(blobs); err != nil {
		t.Fatal(err)
	}
	file, missing = export()
	empty, _, esc := enginetest.New(t)
	p := must[engine.Progress](t)(empty.Import(t.Context(), esc, bytes.NewReader(file), nil))
	if len(missing) == 0 || len(p.NoContent) != len(missing) || !strings.Contains(strings.Join(missing, "\n"), string(queued.ID)+" wombat.txt: the file's bytes are gone") {
		t.Errorf("missing: %q, without content: %q", missing, p.NoContent)
	}
}
