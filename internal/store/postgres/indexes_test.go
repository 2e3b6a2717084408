package postgres

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The statements that both databases share are made for the same indexes: SQLite's are PostgreSQL's too, after all steps, but for one whose
// column may be longer than a row of an index.
func TestIndexesAreSQLites(t *testing.T) {
	t.Parallel()
	step := regexp.MustCompile(`(CREATE (?:UNIQUE )?)INDEX (\w+) (ON [^;]+);|DROP INDEX (\w+);`)
	indexes := func(pattern string) map[string]string {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		all := map[string]string{}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range step.FindAllStringSubmatch(string(b), -1) {
				if m[4] != "" {
					delete(all, m[4])
				} else {
					all[m[2]] = m[1] + strings.Join(strings.Fields(m[3]), " ")
				}
			}
		}
		return all
	}
	ours := indexes("schema/0*.sql")
	for name, want := range indexes("../sqlite/migrations/0*.sql") {
		if got := ours[name]; got != want && name != "documents_url" {
			t.Errorf("%s is %q, SQLite's is %q", name, got, want)
		}
	}
}
