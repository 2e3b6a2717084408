package program_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/program"
)

// sh runs a script by the shell, which here is a program like any other.
func sh(t *testing.T, script string, more ...func(*program.Command)) (program.Result, error) {
	t.Helper()
	if !program.Has("sh") {
		t.Skip("needs sh: it is not installed")
	}
	c := program.Command{Name: "sh", Args: []string{"-c", script}, Timeout: 20 * time.Second}
	for _, m := range more {
		m(&c)
	}
	return program.Run(t.Context(), c)
}

// alive reports whether a process runs, and is more than a name in a table.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(state, "Z")
}

// gone waits for the end of a process.
func gone(t *testing.T, pid string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs linux: processes are looked up under /proc")
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(5 * time.Second); alive(t, pid); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("process %s still runs", pid)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	res, err := sh(t, "cat; echo problem >&2; cat in.txt; echo made > out-1.txt; echo other > skip.txt; echo $HOME | grep -c lukasa-", func(c *program.Command) {
		c.Stdin, c.Files, c.Collect = []byte("given "), map[string][]byte{"in.txt": []byte("file\n")}, []string{"out-*.txt"}
	})
	if err != nil || string(res.Stdout) != "given file\n1\n" || string(res.Stderr) != "problem\n" {
		t.Errorf("%q, %q, %v", res.Stdout, res.Stderr, err)
	}
	if diff := cmp.Diff(map[string][]byte{"out-1.txt": []byte("made\n")}, res.Files); diff != "" {
		t.Error(diff)
	}
}

// TestScratch: the folder is empty but for what was given, and gone afterwards; what the parent's environment holds does not
// reach the program.
func TestScratch(t *testing.T) {
	t.Setenv("LUKASA_MASTER_KEY", "secret")
	res, err := sh(t, "pwd; ls -A; env")
	dir, rest, _ := strings.Cut(string(res.Stdout), "\n")
	if err != nil || strings.Contains(rest, "secret") || !strings.HasPrefix(rest, "HOME=") && !strings.Contains(rest, "HOME="+dir) {
		t.Errorf("%q, %v", res.Stdout, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", dir, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	if _, err := program.Run(t.Context(), program.Command{Name: "no-such-program-here"}); !errors.Is(err, program.ErrMissing) || program.Has("no-such-program-here") {
		t.Errorf("missing: %v", err)
	}
	_, err := sh(t, "echo why >&2; exit 3")
	if e, ok := errors.AsType[*program.ExitError](err); !ok || e.Code != 3 || e.Stderr != "why\n" || err.Error() != "sh ended with code 3: why" {
		t.Errorf("code: %v", err)
	}
	_, err = sh(t, "kill -11 $$")
	if e, ok := errors.AsType[*program.ExitError](err); !ok || e.Code != -1 || !strings.Contains(err.Error(), "segmentation fault") {
		t.Errorf("signal: %v", err)
	}
	for _, name := range []string{"../x", "/etc/x", "a/b", ".", "..", ""} {
		if _, err := sh(t, "true", func(c *program.Command) { c.Files = map[string][]byte{name: nil} }); err == nil {
			t.Errorf("file %q was written", name)
		}
	}
}

// TestTimeout: at its limit a program ends with all that it started.
func TestTimeout(t *testing.T) {
	t.Parallel()
	start := time.Now()
	res, err := sh(t, "sleep 60 & echo $!; wait", func(c *program.Command) { c.Timeout = 300 * time.Millisecond })
	if !errors.Is(err, program.ErrTimeout) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	gone(t, strings.TrimSpace(string(res.Stdout)))
}

// TestLeftovers: what a program leaves running when it ends well ends too.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	res, err := sh(t, "sleep 60 >/dev/null 2>&1 & echo $!")
	if err != nil {
		t.Fatal(err)
	}
	gone(t, strings.TrimSpace(string(res.Stdout)))
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := program.Run(ctx, program.Command{Name: "sleep", Args: []string{"60"}}); !errors.Is(err, context.Canceled) && !errors.Is(err, program.ErrMissing) {
		t.Errorf("%v", err)
	}
	if _, err := program.Run(ctx, program.Command{Name: "sleep", Args: []string{"60"}}); !errors.Is(err, context.Canceled) && !errors.Is(err, program.ErrMissing) {
		t.Errorf("cancelled before: %v", err)
	}
}

// TestTooMuch: a program that prints or writes without end is stopped; what it said on standard error is cut.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	start := time.Now()
	res, err := sh(t, "yes", func(c *program.Command) { c.MaxOutput = 10_000 })
	if !errors.Is(err, program.ErrTooLarge) || len(res.Stdout) != 10_000 || time.Since(start) > 10*time.Second {
		t.Errorf("%d bytes, %v", len(res.Stdout), err)
	}
	if _, err := sh(t, "echo 0123456789 > out.bin", func(c *program.Command) { c.MaxOutput, c.Collect = 5, []string{"out.bin"} }); !errors.Is(err, program.ErrTooLarge) {
		t.Errorf("file: %v", err)
	}
	res, err = sh(t, "yes | head -c 100000 >&2")
	if err != nil || len(res.Stderr) != 4<<10 {
		t.Errorf("%d bytes of errors, %v", len(res.Stderr), err)
	}
}

// TestLinks: what is collected are files, not what a link points to.
func TestLinks(t *testing.T) {
	t.Parallel()
	res, err := sh(t, "ln -s /etc/passwd out-link; mkdir out-dir; echo x > out-file", func(c *program.Command) { c.Collect = []string{"out-*", "../*", "/etc/passwd"} })
	if diff := cmp.Diff(map[string][]byte{"out-file": []byte("x\n")}, res.Files); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

// TestOffline: where the kernel allows it there is no network but an empty one, and files still belong to who runs.
func TestOffline(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs linux: namespaces")
	}
	res, err := sh(t, "cat /proc/net/dev; id -u; echo mine > out", func(c *program.Command) { c.Collect = []string{"out"} })
	if err != nil {
		t.Fatal(err)
	}
	if !res.Offline {
		t.Skip("needs namespaces: this kernel does not let an ordinary process make them")
	}
	interfaces := 0
	for l := range strings.Lines(string(res.Stdout)) {
		if name, _, ok := strings.Cut(l, ":"); ok {
			interfaces++
			if strings.TrimSpace(name) != "lo" && !strings.HasPrefix(strings.TrimSpace(name), "sit") && !strings.HasPrefix(strings.TrimSpace(name), "tun") {
				t.Errorf("interface %q", name)
			}
		}
	}
	if interfaces == 0 || string(res.Files["out"]) != "mine\n" || !strings.Contains(string(res.Stdout), "\n"+strconv.Itoa(os.Getuid())+"\n") {
		t.Errorf("%s", res.Stdout)
	}
}

// TestMemory: a program that takes more memory than it may fails, and this machine does not.
func TestMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs linux: prlimit")
	}
	res, err := sh(t, "sleep 0.3; ulimit -v; ulimit -c", func(c *program.Command) { c.Memory = 256 << 20 })
	if err != nil || string(res.Stdout) != "262144\n0\n" {
		t.Errorf("%q, %v", res.Stdout, err)
	}
	if _, err := sh(t, "sleep 0.3; x=x; while :; do x=$x$x$x$x; done", func(c *program.Command) { c.Memory = 64 << 20 }); err == nil || errors.Is(err, program.ErrTimeout) {
		t.Errorf("without end: %v", err)
	}
}
