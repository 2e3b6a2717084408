package program_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/program"
)

// Programs run beside each other within the bound, in the order in which they came, and one that has left the line holds up nobody.
func TestRunner(t *testing.T) {
	t.Parallel()
	if !program.Has("sh") {
		t.Skip("needs sh: it is not installed")
	}
	dir := t.TempDir()
	const most = 100 << 20
	r := program.NewRunner(most)
	// Each run leaves a file while it runs, and says how many there were.
	together := func(c context.Context, size int64) (int, error) {
		res, err := r.Run(c, program.Command{
			Name: "sh", Args: []string{"-c", `touch "$0/$$"; n=0; for i in 1 2 3 4 5; do m=$(ls "$0" | wc -l); [ $m -gt $n ] && n=$m; sleep 0.02; done; rm "$0/$$"; echo $n`, dir}, Resident: size,
		})
		n, _ := strconv.Atoi(string(res.Stdout[:max(0, len(res.Stdout)-1)]))
		return n, err
	}
	for _, c := range []struct {
		size int64
		most int64 // that may run together
	}{{40 << 20, 2}, {60 << 20, 1}, {4 * most, 1}, {0, 2}} {
		var wg sync.WaitGroup
		var peak atomic.Int64
		for range 8 {
			wg.Go(func() {
				n, err := together(t.Context(), c.size)
				if err != nil {
					t.Error(err)
				}
				for {
					was := peak.Load()
					if int64(n) <= was || peak.CompareAndSwap(was, int64(n)) {
						return
					}
				}
			})
		}
		wg.Wait()
		if peak.Load() > c.most || peak.Load() < 1 {
			t.Errorf("%d MiB each: %d ran together, want at most %d", c.size>>20, peak.Load(), c.most)
		}
	}
	held := make(chan error, 1)
	go func() {
		_, err := r.Run(t.Context(), program.Command{Name: "sh", Args: []string{"-c", `touch "$0/held"; sleep 0.5`, dir}, Resident: most})
		held <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "held")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // waits for another process
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := together(short, most); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one who leaves the line: %v", err)
	}
	if err := <-held; err != nil {
		t.Error(err)
	}
	if _, err := together(t.Context(), most); err != nil {
		t.Errorf("one behind it: %v", err)
	}
	if _, err := r.Run(t.Context(), program.Command{Name: "no-such-program"}); !errors.Is(err, program.ErrMissing) {
		t.Error(err)
	}
}
