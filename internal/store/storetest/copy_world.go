package storetest

import (
	"math/rand/v2"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

const copySpace = "test-3"

// copyWorld is a world whose store can be copied.
type copyWorld struct {
	*world
	all store.Rows
}

// newCopyWorld opens a store with an owner.
func newCopyWorld(t *testing.T, open Opener) *copyWorld {
	w := &copyWorld{world: &world{t: t, rand: rand.NewChaCha8([32]byte{7}), now: start}}
	w.use(open(t, w.clock))
	w.owner = w.id(lukasa.PrefixUser)
	w.ok(w.PutUser(w.ctx(), lukasa.User{ID: w.owner, Name: "Eve", Role: lukasa.RoleUser, CreatedAt: start}, []byte("wrapped")))
	return w
}

// use goes on with another store.
func (w *copyWorld) use(s Whole) { w.Store, w.all = s.Store, s.All }

func (w *copyWorld) whole() Whole { return Whole{Store: w.Store, All: w.all} }
