package api_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// The Go client hears what happens, and the end of its key.
func TestEventsOfTheClient(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	key := s.must(201, "POST", "/v1/keys", obj{"name": "ear"})
	c, err := client.New(s.url, client.Options{Key: text(key, "key")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard, errs := make(chan lukasa.Event, 64), make(chan error, 4)
	go func() {
		defer close(heard)
		for ev, err := range c.Events(ctx) {
			if err != nil {
				errs <- err
			} else {
				heard <- ev
			}
		}
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	saved := map[lukasa.ID]bool{}
	for first := (lukasa.Event{}); first.Record == ""; { // it listens from a while on
		select {
		case <-tick.C:
			saved[lukasa.ID(text(s.save(fmt.Sprintf("Ferry %d leaves at nine.", len(saved))), "id"))] = true
		case first = <-heard:
			if first.Type == lukasa.EventNodeCreated {
				first.Record = ""
			} else if !saved[first.Record] || first.ID.Prefix() != lukasa.PrefixEvent || first.At.IsZero() {
				t.Fatalf("heard %+v of %v", first, saved)
			}
		case err := <-errs:
			t.Fatal(err)
		}
	}
	s.must(200, "DELETE", "/v1/keys/"+text(key, "id"), nil)
	for range heard { //nolint:revive // until there is no more
	}
	if err := <-errs; lukasa.CodeOf(err) != lukasa.CodeUnauthenticated {
		t.Errorf("the key's end is told as %v", err)
	}
}
