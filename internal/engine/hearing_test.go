package engine_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/hear/heartest"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// H-6, H-28, T-18: a recording waits for a speech server that is away, without a try of its own, and is read once the server is back.
func TestRecordingOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	cfg := enginetest.Config(t)
	cfg.HearProvider, cfg.HearKey, cfg.HearModel, cfg.InlineBytes = "openai", heartest.Secret, "whisper-1", 1
	cfg.HearURL = wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		wiretest.WriteJSON(w, map[string]any{"task": "transcribe", "language": "english", "duration": 3, "text": "The ferry leaves at eight.", "segments": []any{
			map[string]any{"id": 0, "start": 0.5, "end": 2.5, "text": "The ferry leaves at eight.", "avg_logprob": -0.2, "no_speech_prob": 0.01},
		}})
	}) + "/v1"
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	data, err := os.ReadFile(filepath.Join("..", "extract", "media", "testdata", "talk.ogg"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Data: data, Name: "talk.ogg", Container: "life"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := e.Document(t.Context(), sc, r.Document.ID)
	if err != nil || d.Status != lukasa.StatusQueued || !strings.Contains(d.Reason, "waiting") {
		t.Fatalf("while the server is away: %s, %q, %v", d.Status, d.Reason, err)
	}
	up.Store(true)
	for range 4 { // the circuit breaker counts by the wall
		clock.Advance(15 * time.Minute)
		if err := e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d, err = e.Document(t.Context(), sc, r.Document.ID); err != nil || d.Status == lukasa.StatusDone {
			break
		}
		select {
		case <-t.Context().Done():
		case <-time.After(11 * time.Second):
		}
	}
	if err != nil || d.Status != lukasa.StatusDone || !strings.Contains(d.Content, "ferry") {
		t.Errorf("when it is back: %s, %q, %v", d.Status, d.Reason, err)
	}
}
