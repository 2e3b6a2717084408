package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
)

// A full disk costs a job none of its tries: it has room later. What is damaged stays so, and a job that meets it ends.
func TestFullDiskCostsNoTry(t *testing.T) {
	t.Parallel()
	var o lifecycle.Outages
	start := time.Unix(0, 0)
	full := fmt.Errorf("keep file: %w", &lukasa.Error{Code: lukasa.CodeStorage, Msg: "no space left for files", RetryAfter: 5 * time.Second})
	for _, after := range []time.Duration{0, time.Hour} {
		if wait, ok := o.Wait(lukasa.JobProcess, full, start.Add(after)); !ok || wait < 5*time.Second || wait > 11*time.Minute {
			t.Errorf("after %v: waits %v, %v", after, wait, ok)
		}
	}
	if wait, ok := o.Wait(lukasa.JobProcess, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the store's file is damaged"}, start); ok {
		t.Errorf("damage is waited for: %v", wait)
	}
}
