package copytest

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// start is the moment at which the clock stands at first; each record made moves it on by a second.
var start = time.Date(2026, 5, 1, 10, 0, 0, 123456000, time.UTC)

const space = "test-3"

// world is a store with one owner, and makes records.
type world struct {
	Whole
	t     *testing.T
	owner lukasa.ID
	rand  *rand.ChaCha8
	now   time.Time
}

// newWorld opens a store with an owner.
func newWorld(t *testing.T, open Opener) *world {
	w := &world{t: t, rand: rand.NewChaCha8([32]byte{7}), now: start}
	w.Whole = open(t, w.clock)
	w.owner = w.id(lukasa.PrefixUser)
	w.ok(w.PutUser(w.ctx(), lukasa.User{ID: w.owner, Name: "Eve", Role: lukasa.RoleUser, CreatedAt: start}, []byte("wrapped")))
	return w
}

func (w *world) id(p lukasa.Prefix) lukasa.ID {
	return lukasa.Minter{Now: w.clock, Rand: w.rand}.ID(p)
}

func (w *world) clock() time.Time { return w.now }

func (w *world) tick() time.Time {
	w.now = w.now.Add(time.Second)
	return w.now
}

func (w *world) ctx() context.Context { return w.t.Context() }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("unexpected error: %v", err)
	}
}

func (w *world) update(fn func(store.Tx) error) {
	w.t.Helper()
	w.ok(w.Update(w.ctx(), lukasa.Scope{Owner: w.owner, Principal: w.owner, Role: lukasa.RoleUser}, fn))
}

// node makes a node with its ancestors and returns its id.
func (w *world) node(p lukasa.Path) (id lukasa.ID) {
	w.t.Helper()
	w.update(func(tx store.Tx) (err error) {
		id, err = w.nodeIn(tx, p)
		return err
	})
	return id
}

func (w *world) nodeIn(tx store.Tx, p lukasa.Path) (lukasa.ID, error) {
	if n, err := tx.NodeAt(p); err == nil {
		return n.ID, nil
	}
	n := lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: p, Type: lukasa.NodeTopic, CreatedAt: w.tick(), UpdatedAt: w.now}
	if p == "" {
		n.Type = lukasa.NodeRoot
	} else if _, err := w.nodeIn(tx, p.Parent()); err != nil {
		return "", err
	}
	return n.ID, tx.PutNode(n)
}

func (w *world) doc(node lukasa.ID, text string) lukasa.Document {
	at := w.tick()
	return lukasa.Document{
		ID: w.id(lukasa.PrefixDocument), Node: node, Title: "Title of " + text, Content: text, ContentType: "text/plain", ContentHash: "hash of " + text,
		Size: int64(len(text)), Status: lukasa.StatusDone, Version: 1, IsLatest: true, CreatedAt: at, UpdatedAt: at,
	}
}

func (w *world) memory(node lukasa.ID, text string) lukasa.Memory {
	at := w.tick()
	return lukasa.Memory{ID: w.id(lukasa.PrefixMemory), Node: node, Kind: lukasa.KindFact, Content: text, IsLatest: true, RecordedAt: at, UpdatedAt: at}
}

// same compares two values; nil and empty lists are the same.
func same[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}

// must is for calls whose error the test has no interest in.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return v
	}
}
