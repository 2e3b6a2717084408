package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// N-14: what is granted, revoked or has run out on one node counts in the next call on another one, which has everything in its
// caches, and whose scopes were made before.
func TestGrantsEndOnEveryNode(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	one, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	two, _, _ := enginetest.Open(t, cfg, engine.Options{Now: clock.Now})
	ctx := t.Context()
	must[engine.Provisioned](t)(one.Provision(ctx, sc, []engine.NewNode{{Path: "agent", Type: lukasa.NodePersona}, {Path: "vault"}}))
	_, secret, err := one.CreateKey(ctx, sc, lukasa.Key{Name: "agent", Persona: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := one.Remember(ctx, sc, lukasa.NewDocument{Container: "vault", Title: "Plans", Content: "Quentin Dark buys the quixotropic lantern in Lisbon."})
	if err != nil {
		t.Fatal(err)
	}
	scope := func(e *engine.Engine) lukasa.Scope { return must[lukasa.Scope](t)(e.Scope(ctx, secret)) }
	// sees says in how many of its verbs a node shows the document to a scope.
	sees := func(e *engine.Engine, as lukasa.Scope) (seen []string) {
		t.Helper()
		for _, q := range []string{"lantern", "Quentin Dark", ""} {
			res := must[lukasa.Result](t)(e.Search(ctx, as, lukasa.Query{Text: q, Limit: 50}))
			for _, h := range res.Hits {
				if h.Path == "vault" {
					seen = append(seen, "search "+q)
				}
			}
		}
		if _, err := e.Document(ctx, as, r.Document.ID); err == nil {
			seen = append(seen, "document")
		}
		if _, err := e.Shell(ctx, as, "vault", time.Time{}); err == nil {
			seen = append(seen, "shell")
		}
		if _, err := e.Entity(ctx, as, "Quentin Dark", time.Time{}); err == nil {
			seen = append(seen, "entity")
		}
		if g, err := e.Graph(ctx, as, nil, 100, false); err == nil && len(g.Vertices) > 1 {
			seen = append(seen, "graph")
		}
		if st := must[lukasa.Stats](t)(e.Stats(ctx, as, time.Time{})); st.Documents > 0 {
			seen = append(seen, "stats")
		}
		return seen
	}
	blind := func(when string, scopes ...lukasa.Scope) {
		t.Helper()
		for _, e := range []*engine.Engine{one, two} {
			for _, as := range append(scopes, scope(e)) {
				if got := sees(e, as); len(got) > 0 {
					t.Errorf("%s: seen by %v", when, got)
				}
			}
		}
	}
	blind("before")
	for _, end := range []string{"revoke", "expire"} {
		in := engine.NewGrant{Subject: "agent", Node: "vault"}
		if end == "expire" {
			in.Expires = new(clock.Now().Add(time.Hour))
		}
		g := must[engine.Grant](t)(one.Grant(ctx, sc, in))
		var warm []lukasa.Scope
		for _, e := range []*engine.Engine{one, two} {
			as := scope(e)
			warm = append(warm, as)
			for range 2 {
				if got := sees(e, as); len(got) < 7 {
					t.Errorf("granted, and seen by %v alone", got)
				}
			}
		}
		if end == "revoke" {
			must[engine.Grant](t)(two.RevokeGrant(ctx, sc, g.ID))
		} else {
			clock.Advance(61 * time.Minute)
		}
		blind(end, warm...)
	}
}

// The events of a node are heard while it is granted, and no longer.
func TestEventsFollowGrants(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	must[engine.Provisioned](t)(e.Provision(ctx, sc, []engine.NewNode{{Path: "agent", Type: lukasa.NodePersona}, {Path: "vault"}}))
	_, secret, err := e.CreateKey(ctx, sc, lukasa.Key{Name: "agent", Persona: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	news := must[<-chan lukasa.Event](t)(e.Events(ctx, must[lukasa.Scope](t)(e.Scope(ctx, secret))))
	heard := map[lukasa.Path]int{}
	n := 0
	// say saves something where it may be heard or not, and reads until what was saved after it is heard.
	say := func() {
		t.Helper()
		for _, in := range []string{"vault", "agent"} {
			must[lukasa.Receipt](t)(e.Remember(ctx, sc, lukasa.NewDocument{Container: in, Content: "A note in " + in + " about number " + time.Duration(n).String()}))
		}
		n++
		for heard["agent"] < n {
			select {
			case ev := <-news:
				if ev.Type == lukasa.EventDocumentCreated || ev.Type == engine.EventGrantCreated {
					heard[ev.Path]++
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("heard %v", heard)
			}
		}
	}
	say()
	if heard["vault"] != 0 {
		t.Error("heard before it was granted")
	}
	g := must[engine.Grant](t)(e.Grant(ctx, sc, engine.NewGrant{Subject: "agent", Node: "vault"}))
	say()
	if heard["vault"] != 1 {
		t.Error("not heard when it was granted")
	}
	must[engine.Grant](t)(e.RevokeGrant(ctx, sc, g.ID))
	say()
	if heard["vault"] != 1 || heard[""] != 0 {
		t.Errorf("heard after it was revoked, or of grants: %v", heard)
	}
}

// N-17: what a persona asks at a moment of the past is what it may see today.
func TestThePastIsGrantedToday(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	ctx := t.Context()
	must[engine.Provisioned](t)(e.Provision(ctx, sc, []engine.NewNode{{Path: "agent", Type: lukasa.NodePersona}, {Path: "vault"}}))
	_, secret, err := e.CreateKey(ctx, sc, lukasa.Key{Name: "agent", Persona: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	must[lukasa.Receipt](t)(e.Remember(ctx, sc, lukasa.NewDocument{Container: "vault", Content: "The quixotropic lantern."}))
	then := clock.Now().UTC()
	clock.Advance(time.Hour)
	ask := func() int {
		return len(must[lukasa.Result](t)(e.Search(ctx, must[lukasa.Scope](t)(e.Scope(ctx, secret)), lukasa.Query{Text: "lantern", AsOf: &then})).Hits)
	}
	var got []int
	got = append(got, ask())
	g := must[engine.Grant](t)(e.Grant(ctx, sc, engine.NewGrant{Subject: "agent", Node: "vault"}))
	got = append(got, ask())
	must[engine.Grant](t)(e.RevokeGrant(ctx, sc, g.ID))
	got = append(got, ask())
	if diff := cmp.Diff([]int{0, 1, 0}, got); diff != "" {
		t.Error(diff)
	}
}
