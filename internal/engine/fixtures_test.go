package engine_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/extract"
)

// kindOf says which kind a file is taken for, without reading it.
func kindOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	kinds := engine.Kinds().Kinds()
	for i := range kinds {
		name := kinds[i].Name
		kinds[i].Extract = func(context.Context, *extract.Source) (extract.Output, error) {
			found = name
			return extract.Output{}, extract.ErrEmpty
		}
	}
	if _, err := extract.With(kinds...).Extract(t.Context(), extract.Input{Data: data, Name: filepath.Base(path)}); err == nil {
		return "text" // what is left is read by the last of the built-in kinds
	}
	return found
}

// tested reports whether what is read of a file is held against what is expected: by a golden file beside it, or by a test of its
// room that names it.
func tested(t *testing.T, path string) bool {
	t.Helper()
	if _, err := os.Stat(path + ".golden"); err == nil {
		return true
	}
	tests, err := filepath.Glob(filepath.Join(filepath.Dir(path), "..", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tests {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), `"`+filepath.Base(path)+`"`) {
			return true
		}
	}
	return false
}

// Each row of docs/content-types.md has a file that a program of others wrote, as the make.sh beside it says, and a test of what is
// read of it.
func TestEachKindHasAFixture(t *testing.T) { // D-9
	t.Parallel()
	// The words on pages of YouTube are not ours to give away: that file is written by hand, and the README.md beside it says so.
	byHand := map[string]bool{"film page": true}
	made, any := map[string][]string{}, map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", "extract"), func(path string, d fs.DirEntry, err error) error {
		folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
		if err != nil || d.IsDir() || folder != "testdata" || strings.HasSuffix(name, ".golden") || strings.HasPrefix(name, "make.") || name == "README.md" || !tested(t, path) {
			return err
		}
		kind := kindOf(t, path)
		any[kind] = true
		script, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "make.sh"))
		python, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "make.py"))
		readme, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "README.md"))
		how := string(script) + string(python)
		said := strings.Contains(how, name) || strings.Contains(how, strings.TrimSuffix(name, filepath.Ext(name))+".") && strings.Contains(how, filepath.Ext(name)[1:])
		if len(readme) > 0 { // it tells file by file
			source, _, _ := strings.Cut(string(readme), "by hand")
			said = strings.Contains(source, "`"+name+"`")
		}
		if said {
			made[kind] = append(made[kind], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range engine.Kinds().Kinds() {
		switch {
		case !any[k.Name]:
			t.Errorf("no file in internal/extract/*/testdata that a test reads is taken for %s", k.Name)
		case len(made[k.Name]) == 0 && !byHand[k.Name]:
			t.Errorf("no make.sh says how a file of %s was made", k.Name)
		case len(made[k.Name]) > 0 && byHand[k.Name]:
			t.Errorf("%s has files of its own program now: %v", k.Name, made[k.Name])
		default:
			t.Logf("%-12s %v", k.Name, made[k.Name])
		}
	}
}
