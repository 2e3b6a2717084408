package binary

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrongMasterKey starts the program with another master key than the files were sealed with: it says so, in words, and nothing is lost.
func TestWrongMasterKey(t *testing.T) {
	t.Parallel()
	data, long := t.TempDir(), filepath.Join(t.TempDir(), "tides.txt")
	if err := os.WriteFile(long, []byte(strings.Repeat("The tide comes in and the tide goes out.\n", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, data, "add", long); err != nil {
		t.Fatal(out, err)
	}
	name := filepath.Join(data, "master.key")
	key, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Repeat("a", 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, data, "doctor"); err == nil || !strings.Contains(out, "sealed with another master key") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	if err := os.WriteFile(long, []byte(strings.Repeat("The ebb comes after the flood.\n", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, data, "add", long); err == nil || !strings.Contains(out, "made with another master key") || !strings.Contains(out, "hint: give the one") {
		t.Errorf("add: %v\n%s", err, out)
	}
	if err := os.WriteFile(name, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, data, "doctor"); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}
