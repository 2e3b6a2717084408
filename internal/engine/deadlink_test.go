package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A page that cannot be fetched is told to whoever saved it, and is no reason to wake whoever runs the machine: neither while it is
// tried again nor when it is given up.
func TestADeadLinkIsNoIllness(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.FetchPrivate = true // nobody listens at port 1
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{URL: "http://127.0.0.1:1/gone"})
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"waiting", "failed"} {
		for range 12 {
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			clock.Advance(11 * time.Minute)
			if state == "waiting" {
				break
			}
		}
		tasks, err := e.Tasks(t.Context(), sc, "", lukasa.Page{})
		if err != nil || len(tasks.Items) != 1 || tasks.Items[0].State != state || tasks.Items[0].Reason == "" {
			t.Fatalf("%+v, %v", tasks, err)
		}
		if h := e.Health(t.Context()); h.Status != "ok" || !strings.Contains(h.Checks["jobs"].Detail, map[string]string{"waiting": "1 waiting", "failed": "1 dead"}[state]) {
			t.Errorf("%s: %+v", state, h)
		}
		if found, err := e.Doctor(t.Context(), sc, false); err != nil || len(found) > 0 {
			t.Errorf("%s: %q, %v", state, found, err)
		}
	}
	if d, err := e.Document(t.Context(), sc, r.Document.ID); err != nil || d.Status != lukasa.StatusFailed || d.Reason == "" {
		t.Errorf("%+v, %v", d, err)
	}
}
