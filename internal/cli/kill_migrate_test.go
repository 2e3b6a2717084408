package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A migration whose process is killed goes on where it was, and nothing is there twice or missing.
func TestMigrateKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lukasa := func(args ...string) *exec.Cmd {
		c := exec.Command("lukasa", args...) //nolint:noctx // it is killed by hand
		c.Env = append(os.Environ(), "LUKASA_DATA="+filepath.Join(dir, "data"))
		return c
	}
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		text := strings.Repeat("Ada lives in Paris, in house "+string(rune('A'+i%26))+string(rune('a'+i/26))+". ", 5)
		if err := os.WriteFile(filepath.Join(notes, "n"+string(rune('A'+i%26))+string(rune('a'+i/26))+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := lukasa("add", notes).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, table := range []string{"users", "documents", "chunks", "edges", "deltas"} {
		to := filepath.Join(dir, table)
		migrate := []string{"--json", "migrate", "--from", "sqlite:" + filepath.Join(dir, "data"), "--to", "sqlite:" + to}
		c := lukasa(migrate...)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && !strings.Contains(lines.Text(), `"event":"rows","table":"`+table+`"`) {
		}
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
		done, err := lukasa(migrate...).CombinedOutput()
		if err != nil && !strings.Contains(string(done), "not empty") { // it may have been faster than the signal
			t.Fatalf("%s: %v: %s", table, err, done)
		}
		found, err := lukasa("--data", to, "doctor").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", table, err, found)
		}
		if err == nil && !strings.Contains(string(done), "not empty") && !strings.Contains(string(done), `"event":"table","table":"documents","rows":60,"total":60`) {
			t.Errorf("%s: %s", table, done)
		}
	}
}
