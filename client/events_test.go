package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// speaker answers /v1/events by turns: each turn is what is written before the line is cut, or a status.
func speaker(t *testing.T, turns ...any) (*client.Client, *atomic.Int32) {
	t.Helper()
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn := turns[min(int(n.Add(1)), len(turns))-1]
		if r.URL.Path != "/v1/events" || r.Header.Get("Authorization") != "Bearer sk_test" {
			t.Errorf("asked for %s with %q", r.URL, r.Header.Get("Authorization"))
		}
		if status, ok := turn.(int); ok {
			w.WriteHeader(status)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, turn)
	}))
	t.Cleanup(srv.Close)
	c, err := client.New(srv.URL, client.Options{Key: "sk_test", MaxWait: time.Millisecond, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c, &n
}

func event(record string) string {
	return fmt.Sprintf("id: evt_1\nevent: document.created\ndata: {\"type\":\"document.created\",\n"+"data: \"record_id\":%q}\n\n", record)
}

// A stream that is cut is taken up again, and who listens is told that something may have been missed.
func TestEventsAreTakenUpAgain(t *testing.T) {
	t.Parallel()
	c, asked := speaker(t, ": hello\n\n"+event("doc_1")+"data: no JSON\n\n"+event("doc_2")+"data: {\"type\":\"cut\"}\n", 503, 502, ": hello\n\n"+event("doc_3"), 401)
	var got []string
	for ev, err := range c.Events(t.Context()) {
		switch {
		case errors.Is(err, client.ErrGap):
			got = append(got, "gap")
		case err != nil:
			got = append(got, string(lukasa.CodeOf(err)))
		default:
			got = append(got, string(ev.Record))
		}
	}
	if want := []string{"doc_1", "doc_2", "gap", "doc_3", "unauthenticated"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	if asked.Load() != 5 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// Who has heard enough breaks the loop, and asks no more.
func TestEventsEnough(t *testing.T) {
	t.Parallel()
	c, asked := speaker(t, event("doc_1")+event("doc_2"))
	for ev, err := range c.Events(t.Context()) {
		if err != nil || ev.Record != "doc_1" {
			t.Errorf("heard %+v, %v", ev, err)
		}
		break
	}
	for _, err := range c.Events(t.Context()) {
		if errors.Is(err, client.ErrGap) {
			break
		}
	}
	if asked.Load() != 3 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// A server that is not there to begin with ends it, and so does the context.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]lukasa.Code{503: lukasa.CodeUnavailable, 401: lukasa.CodeUnauthenticated, 404: lukasa.CodeNotFound} {
		c, _ := speaker(t, status)
		n := 0
		for _, err := range c.Events(t.Context()) {
			if n++; lukasa.CodeOf(err) != want {
				t.Errorf("%d: %v", status, err)
			}
		}
		if n != 1 {
			t.Errorf("%d: %d errors", status, n)
		}
	}
	c, _ := speaker(t, event("doc_1"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for ev, err := range c.Events(ctx) {
		if last = err; ev.Record != "" {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the context ended it with %v", last)
	}
}
