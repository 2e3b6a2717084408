package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// rows returns the first columns of the tables of a page.
func rows(t *testing.T, page string) map[string][]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if name := strings.Trim(cells[0], "`"); strings.HasPrefix(line, "| `") && !strings.HasPrefix(line, "| `--") {
			if out[name] != nil {
				t.Errorf("%s: %s has two rows", page, name)
			}
			out[name] = cells
		}
	}
	return out
}

// The pages of content types and of exports have a row for each kind that the engine reads, and for nothing else.
func TestContentTypesPage(t *testing.T) {
	t.Parallel()
	page := rows(t, "content-types.md")
	for _, k := range engine.Kinds().Kinds() {
		row, ok := page[k.Name]
		if !ok {
			t.Errorf("content-types.md has no row for %s", k.Name)
			continue
		}
		if len(row) != 6 || row[1] == "" || row[2] == "" || row[3] == "" || row[4] == "" {
			t.Errorf("content-types.md: the row of %s is not filled in: %q", k.Name, row)
		}
		delete(page, k.Name)
	}
	for name := range page {
		t.Errorf("content-types.md has a row for %s, which nobody reads", name)
	}
	page = rows(t, "import.md")
	for _, k := range engine.Exports().Kinds() {
		want := fmt.Sprintf("%s | %s | %s", k.Title, k.Accepts, k.How)
		if row := page[k.Name]; len(row) != 4 || strings.Join(row[1:], " | ") != want {
			t.Errorf("import.md: the row of %s is %q, want | `%s` | %s |", k.Name, row, k.Name, want)
		}
		delete(page, k.Name)
	}
	for name := range page {
		t.Errorf("import.md has a row for %s, which is no kind of export", name)
	}
}
