// Package extracttest holds what the rooms below internal/extract share to compare what they read with golden files.
package extracttest

import (
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
	"github.com/lukasa-memory/lukasa/internal/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Read extracts data with the kinds before the built-in ones.
func Read(t testing.TB, kinds []extract.Kind, name string, data []byte) extract.Output {
	t.Helper()
	out, err := extract.With(kinds...).Extract(t.Context(), extract.Input{Data: data, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Render writes all that an output holds, with the marks before the text.
func Render(out extract.Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type: %s\ntitle: %s\nauthor: %s\nlanguage: %s\n", out.Type, out.Title, out.Author, out.Language)
	if !out.Published.IsZero() {
		fmt.Fprintf(&b, "published: %s\n", out.Published.Format(time.RFC3339))
	}
	for _, k := range slices.Sorted(maps.Keys(out.Metadata)) {
		fmt.Fprintf(&b, "meta %s: %s\n", k, out.Metadata[k])
	}
	for _, p := range out.Parts {
		fmt.Fprintf(&b, "part %q %s %q %d bytes %v\n", p.Name, p.Type, p.Title, len(p.Data), p.Metadata)
	}
	for _, m := range out.Marks {
		rest := out.Text[m.Offset:]
		fmt.Fprintf(&b, "mark %s%s at %q\n", m.Place, strings.Repeat(" ", min(m.Page, 1)), rest[:min(len(rest), 30)])
	}
	return b.String() + "\n" + out.Text + "\n"
}

// Show writes an output with its marks where they point.
func Show(out extract.Output) string {
	published := ""
	if !out.Published.IsZero() {
		published = out.Published.Format(time.RFC3339)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "type: %s\ntitle: %s\nauthor: %s\npublished: %s\nlanguage: %s\n", out.Type, out.Title, out.Author, published, out.Language)
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

// Golden compares a text with a golden file, or writes it there.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// Files are the names of the files in testdata with one of the endings.
func Files(t testing.TB, endings ...string) (names []string) {
	t.Helper()
	dir, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range dir {
		if slices.Contains(endings, filepath.Ext(f.Name())) {
			names = append(names, f.Name())
		}
	}
	if len(names) == 0 {
		t.Fatalf("no file ends in one of %v", endings)
	}
	return names
}

// Named reads files of testdata by their names and compares them with their golden files. Each must be read much the same without
// its name where nameless says so.
func Named(t *testing.T, kinds []extract.Kind, nameless bool, names ...string) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			named := Read(t, kinds, name, data)
			if nameless {
				if out := Read(t, kinds, "", data); len(out.Text) < len(named.Text)/2 || len(out.Parts) != len(named.Parts) || len(out.Marks) != len(named.Marks) {
					t.Errorf("without a name the content is not recognised:\n%s", Render(out))
				}
			}
			Golden(t, filepath.Join("testdata", name+".golden"), Render(named))
			if !slices.IsSortedFunc(named.Marks, func(a, b extract.Mark) int { return a.Offset - b.Offset }) {
				t.Error("marks out of order")
			}
		})
	}
}

// Unnamed reads all files of testdata but those that skip names, of which there must be at least so many, without telling their
// names: what a file is stands in the file.
func Unnamed(t *testing.T, kinds []extract.Kind, least int, skip func(name string) bool) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, name := range names {
		if ext := filepath.Ext(name); ext == ".golden" || ext == ".sh" || skip != nil && skip(filepath.Base(name)) {
			continue
		}
		files++
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := Read(t, kinds, "upload.bin", data)
			Sound(t, out)
			Golden(t, name+".golden", Show(out))
		})
	}
	if files < least {
		t.Errorf("only %d files", files)
	}
}

// Sound reports what no output may have.
func Sound(t testing.TB, out extract.Output) {
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
