package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/cli"
)

// bench load makes users, sends all kinds of operations and stops where they are too slow or fail.
func TestBenchLoad(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--rate-limit", "0")
	load := func(more ...string) (int, string, string) {
		var out, errs safe
		args := append([]string{"bench", "load", s.url, "--key", s.key, "--users", "3", "--step", "1s", "--requests", "10", "--searches", "10", "--messages", "10"}, more...)
		code := cli.Main(t.Context(), cli.Process{Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Version: "test"})
		return code, out.String(), errs.String()
	}
	code, out, errs := load("--json", "--steps", "2", "--start", "1", "--limit", "20s", "--pid", "server="+strconv.Itoa(os.Getpid()))
	var steps []struct {
		Timings []struct {
			Operation    string
			Done, Failed int
			P99          float64 `json:"p99_ms"`
		}
		CPU []struct{ Process string }
	}
	if err := json.Unmarshal([]byte(out), &steps); code != 0 || err != nil || len(steps) != 2 {
		t.Fatalf("code %d, %v: %s %s", code, err, out, errs)
	}
	for _, step := range steps {
		if len(step.Timings) != 4 || len(step.CPU) != 2 || step.CPU[1].Process != "server" {
			t.Fatalf("%+v", step)
		}
		for _, op := range step.Timings {
			if op.Done == 0 || op.Failed > 0 || op.P99 <= 0 {
				t.Errorf("%+v", op)
			}
		}
	}
	// Nothing is as fast as a nanosecond: the first step is the last.
	if code, out, errs := load("--steps", "5", "--start", "1", "--limit", "1ns"); code != 0 || strings.Count(out, "asked for") != 1 || !strings.Contains(out, "message") {
		t.Errorf("code %d: %s %s", code, out, errs)
	}
	if code, _, errs := load("--factor", "1"); code != 2 || !strings.Contains(errs, "faster than the one before") {
		t.Errorf("code %d: %s", code, errs)
	}
	s.key = "sk_wrong_0123456789abcdef"
	if code, _, errs := load("--steps", "1"); code == 0 || !strings.Contains(errs, "admin's key") {
		t.Errorf("code %d: %s", code, errs)
	}
}
