package extract_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// readFile extracts data with the built-in kinds.
func readFile(t *testing.T, name string, data []byte) extract.Output {
	t.Helper()
	out, err := extract.With().Extract(t.Context(), extract.Input{Data: data, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// render writes all that an output holds.
func render(out extract.Output) string {
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

func TestGolden(t *testing.T) { // D-9, H-2
	t.Parallel()
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := f.Name()
		switch filepath.Ext(name) {
		case ".csv", ".tsv", ".json", ".sql", ".md", ".txt":
		default:
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			named := readFile(t, name, data)
			if out := readFile(t, "", data); len(out.Text) < len(named.Text)/2 || len(out.Parts) != len(named.Parts) || len(out.Marks) != len(named.Marks) {
				t.Errorf("without a name the content is not recognised:\n%s", render(out))
			}
			file := filepath.Join("testdata", name+".golden")
			got := render(named)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // a fixture
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if !slices.IsSortedFunc(named.Marks, func(a, b extract.Mark) int { return cmp.Compare(a.Offset, b.Offset) }) {
				t.Error("marks out of order")
			}
		})
	}
}
