package rtf_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/rtf"
	"github.com/lukasa-memory/lukasa/internal/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read extracts data with the kinds of this room before the built-in ones.
func read(ctx context.Context, in extract.Input) (extract.Output, error) {
	return extract.With(rtf.Kinds()...).Extract(ctx, in)
}

// show writes an output as a golden file has it. Marks stand where they point.
func show(out extract.Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type: %s\ntitle: %s\nauthor: %s\npublished: %s\nlanguage: %s\n", out.Type, out.Title, out.Author, stamp(out.Published), out.Language)
	for _, k := range slices.Sorted(maps.Keys(out.Metadata)) {
		fmt.Fprintf(&b, "%s: %s\n", k, out.Metadata[k])
	}
	for _, p := range out.Parts {
		fmt.Fprintf(&b, "part: %s (%d bytes)\n", p.Name, len(p.Data))
	}
	b.WriteString("---\n")
	at := 0
	for _, m := range out.Marks {
		b.WriteString(out.Text[at:m.Offset])
		fmt.Fprintf(&b, "⟦%d %s⟧", m.Page, m.Place)
		at = m.Offset
	}
	b.WriteString(out.Text[at:] + "\n")
	return b.String()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// sound reports what no output may have.
func sound(t *testing.T, out extract.Output) {
	t.Helper()
	if clean := text.CleanAs(out.Text, text.Markdown); clean != out.Text {
		t.Errorf("the text is not clean: %s", cmp.Diff(clean, out.Text))
	}
	last := -1
	for _, m := range out.Marks {
		if m.Offset <= last || m.Offset > len(out.Text) || m.Page < 0 || m.Page == 0 && m.Place == "" {
			t.Errorf("mark %+v behind %d of %d bytes", m, last, len(out.Text))
		}
		last = m.Offset
	}
}

func TestGoldenFiles(t *testing.T) { // D-9, H-3
	t.Parallel()
	names, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, name := range names {
		switch filepath.Ext(name) {
		case ".golden", ".sh":
			continue
		}
		files++
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			// The name says nothing: what the file is stands in the file.
			out, err := read(t.Context(), extract.Input{Data: data, Name: "upload.bin"})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, out)
			golden(t, name+".golden", show(out))
		})
	}
	if files < 2 {
		t.Errorf("only %d files", files)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}
