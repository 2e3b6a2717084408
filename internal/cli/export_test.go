package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/cli"
)

// An export that lacks the content of a document says so and exits with 1, as does the import of it. The file is there all the same.
func TestExportSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(data string, args ...string) (int, string) {
		var out, stderr strings.Builder
		code := cli.Main(t.Context(), cli.Process{Args: append(args, "--data", filepath.Join(dir, data)), In: strings.NewReader(""), Out: &out, Err: &stderr})
		return code, out.String() + stderr.String()
	}
	locked, err := os.ReadFile(filepath.Join("..", "extract", "office", "testdata", "locked.docx"))
	if err != nil {
		t.Fatal(err)
	}
	doc := filepath.Join(dir, "locked.docx") // it cannot be read, and is kept; it is long enough for a file of its own
	if err := os.WriteFile(doc, append(locked, make([]byte, 1<<20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	run("from", "add", doc)
	file := filepath.Join(dir, "export.jsonl")
	if code, said := run("from", "export", file); code != 0 {
		t.Errorf("exit code %d: %.500s", code, said)
	}
	if code, said := run("whole", "import", file); code != 0 || !strings.Contains(said, "1 document") {
		t.Errorf("import: exit code %d: %.500s", code, said)
	}
	if err := os.RemoveAll(filepath.Join(dir, "from", "blobs")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, "-"} {
		if code, said := run("from", "export", "--force", name); code != 1 || !strings.Contains(said, "the export lacks the content of doc_") || !strings.Contains(said, "locked.docx: the file's bytes are gone") {
			t.Errorf("%s: exit code %d: %.500s", name, code, said)
		}
	}
	if code, said := run("to", "import", file); code != 1 || !strings.Contains(said, "came without content: doc_") || !strings.Contains(said, "locked.docx") {
		t.Errorf("import: exit code %d: %.500s", code, said)
	}
}
