package telemetry_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// A limit on the size of files stands in for a full disk: the system refuses a write in the midst of a file. The limit holds for a process, so the test
// runs itself.
func TestDiskThatIsFull(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("TELEMETRY_FULL"); dir != "" {
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
			t.Fatal(err)
		}
		told, ok := errors.AsType[telemetry.Poorly](telemetry.NewDisk(dir, time.Now).Check())
		if !ok || !strings.Contains(string(told), "the disk is full") {
			t.Errorf("got %q", told)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskThatIsFull$")
	c.Env = append(os.Environ(), "TELEMETRY_FULL="+t.TempDir())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
