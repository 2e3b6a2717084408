package data_test

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
	"github.com/lukasa-memory/lukasa/internal/extract/data"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read extracts data with the kinds of this room before the built-in ones.
func read(t *testing.T, name string, content []byte) extract.Output {
	t.Helper()
	out, err := extract.With(data.Kinds()...).Extract(t.Context(), extract.Input{Data: content, Name: name})
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
		if out.Metadata[k] == "" {
			continue
		}
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

func TestGolden(t *testing.T) { // D-9
	t.Parallel()
	for _, name := range []string{
		"boats.sqlite", "utf16le.sqlite", "utf16be.sqlite", "wal.sqlite", "compose.yaml", "deploy.yaml", "project.toml", "settings.yaml", "settings.toml", "catalogue.xml", "boat.plist", "pier.log",
		"chat.jsonl", "events.jsonl", "service.ndjson",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			named := read(t, name, content)
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
