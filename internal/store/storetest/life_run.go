package storetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// runLife plays so many histories against a store that open makes, new and empty, with the clock that it is given.
func runLife(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store, lives int) { // N-10
	t.Run("Valid", func(t *testing.T) { testValid(t, open) })
	t.Run("ValidHistories", func(t *testing.T) { testValidHistories(t, open) })
	t.Run("Whole", func(t *testing.T) { testWhole(t, open) })
	t.Run("Foresee", func(t *testing.T) { testForesee(t, open) })
	t.Run("Clear", func(t *testing.T) { testClear(t, open) })
	t.Run("Files", func(t *testing.T) { testFiles(t, open) })
	t.Run("Marks", func(t *testing.T) { testMarks(t, open) })
	t.Run("Written", func(t *testing.T) { testWritten(t, open) })
	t.Run("Superseded", func(t *testing.T) { testSuperseded(t, open) })
	t.Run("Marked", func(t *testing.T) { testMarked(t, open) })
	t.Run("Topics", func(t *testing.T) { testTopics(t, open) })
	t.Run("Versions", func(t *testing.T) { testVersions(t, open) })
	w := &world{t: t, rand: rand.NewChaCha8([32]byte{1}), now: start}
	w.Store = open(t, func() time.Time { return w.now })
	for seed := range uint64(lives) {
		l := &life{
			w: w, t: t, rng: rand.New(rand.NewPCG(seed, 1)), sc: lukasa.Scope{Owner: w.id(lukasa.PrefixUser)},
			purged: map[lukasa.ID]bool{}, scarred: map[lukasa.ID]bool{}, talkOf: map[lukasa.ID]lukasa.ID{},
		}
		l.sc.Principal = l.sc.Owner
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: l.sc.Owner, Name: "Ada", CreatedAt: start}, nil))
		stands := w.standing(l.sc)
		for range 120 {
			w.ok(w.Update(w.ctx(), l.sc, l.live))
			stands = w.risen(l.sc, stands)
			if l.rng.IntN(10) == 0 {
				l.watch(w.tick())
			}
		}
		for _, s := range l.seen {
			l.compare(s)
		}
		found, err := w.Check(w.ctx())
		w.ok(err)
		if len(found) > 0 {
			t.Fatalf("check found damage: %q", found)
		}
	}
}
