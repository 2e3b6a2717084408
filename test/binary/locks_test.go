package binary

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// TestScrubKeepsLocks searches the files for what was deleted, lets another process open the directory and end, and kills the server: a
// process that opens and closes a file loses the locks that it holds on it, and one that is thought to be the last takes the log away
// with all that is written to it from then on.
func TestScrubKeepsLocks(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := start(t, data)
	defer func() { s.kill() }()
	note := func(text string) string {
		t.Helper()
		status, out, err := s.call(http.MethodPost, "/v1/documents", map[string]any{"content": text})
		if err != nil || status != http.StatusCreated {
			t.Fatal(status, out, err)
		}
		return out["id"].(string)
	}
	gone := note("The quixotropic lantern stands in the attic.")
	if status, out, err := s.call(http.MethodDelete, "/v1/documents/"+gone+"?wait=scrubbed", nil); err != nil || status != http.StatusOK {
		t.Fatal(status, out, err)
	} else if scrub := out["scrub"].(map[string]any); scrub["state"] != "scrubbed" || scrub["files"].(float64) < 3 {
		t.Fatalf("the files were not searched: %v", out)
	}
	if out, err := run(t, data, "backup", filepath.Join(t.TempDir(), "copy")); err != nil {
		t.Fatal(out, err)
	}
	if out, err := run(t, data, "doctor"); err != nil {
		t.Fatal(out, err)
	}
	if _, err := os.Stat(filepath.Join(data, "lukasa.db-wal")); err != nil {
		t.Errorf("the log was taken away from under the server: %v", err)
	}
	kept := note("The tide table of the harbour lies in the drawer.")
	s.kill()
	s = start(t, data)
	if status, out, err := s.call(http.MethodGet, "/v1/documents/"+kept, nil); err != nil || status != http.StatusOK {
		t.Errorf("what was acknowledged is lost: %d %v %v", status, out, err)
	}
}
