// Package ledgertest plays what a store keeps beside the records of a scope: accounts, organisations, keys, grants, jobs and acts. It is a part of the
// suite of storetest.
package ledgertest

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Run plays the suite against stores that open makes, each new and empty, with the clock that it is given.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	for _, cases := range [][]testCase{accountCases, memberCases, jobCases, auditCases, grantCases, fileCases} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, newWorld(t, open))
			})
		}
	}
}

type testCase struct {
	name string
	run  func(*testing.T, *world)
}

// start is the moment at which the tests' clock stands; each record made moves it on by a second.
var start = time.Date(2026, 5, 1, 10, 0, 0, 123456000, time.UTC)

// world is a store with one owner.
type world struct {
	store.Store
	t     *testing.T
	owner lukasa.ID

	mu   sync.Mutex
	rand *rand.ChaCha8
	now  time.Time
}

func newWorld(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) *world {
	w := &world{t: t, rand: rand.NewChaCha8([32]byte{1}), now: start}
	w.Store = open(t, w.clock)
	w.owner = w.id(lukasa.PrefixUser)
	w.ok(w.PutUser(t.Context(), lukasa.User{ID: w.owner, Name: "Ada", Role: lukasa.RoleUser, CreatedAt: start}, []byte("wrapped")))
	return w
}

func (w *world) id(p lukasa.Prefix) lukasa.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return lukasa.Minter{Now: func() time.Time { return w.now }, Rand: w.rand}.ID(p)
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) ctx() context.Context { return w.t.Context() }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("unexpected error: %v", err)
	}
}

// fails checks an error's code.
func (w *world) fails(want lukasa.Code, err error) {
	w.t.Helper()
	if got := lukasa.CodeOf(err); got != want {
		w.t.Fatalf("error has code %q, want %q: %v", got, want, err)
	}
}

func (w *world) update(fn func(store.Tx) error) {
	w.t.Helper()
	w.ok(w.Update(w.ctx(), lukasa.Scope{Owner: w.owner, Principal: w.owner}, fn))
}

// node makes the root and a node below it.
func (w *world) node(p lukasa.Path) (id lukasa.ID) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		if err := tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode)}); err != nil {
			return err
		}
		id = w.id(lukasa.PrefixNode)
		return tx.PutNode(lukasa.Node{ID: id, Path: p})
	})
	return id
}

// same compares what was stored with what is read; nil and empty lists are the same.
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
