// Package isolation lets many callers loose on one store, at random and from a seed, and knows what each of them may see.
//
// People have trees of containers with the same names, and keys that are whole, bound to a subtree, read-only, revoked or expired.
// Every piece of content holds canaries, words that stand nowhere else; every byte of every answer is searched for those that the
// caller may not read, and for ids that are not the caller's to know. Every operation of the API's description and every tool of
// the MCP server is called with parameters out of everybody's ids, paths, words and cursors, on two processes over one store.
package isolation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	calls   = flag.Int("isolation.calls", 0, "calls to make; 0 means 10,000, or 1,000 with -short")
	seed    = flag.Uint64("isolation.seed", 0, "what the worlds are made of; 0 means by the clock")
	minutes = flag.Float64("isolation.minutes", 0, "stop after so many minutes")
	workers = flag.Int("isolation.workers", 4, "how many call at once; with 1 a seed makes the same calls each time")
	one     = flag.Int("isolation.world", 4000, "calls in a world, after which there is a new one")
)

// T-12: no caller is told anything that is not the caller's to know.
func TestIsolation(t *testing.T) {
	t.Parallel()
	n := *calls
	if n == 0 {
		n = 10000
		if testing.Short() {
			n = 1000
		}
	}
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano()) % 1e9
	}
	b := newBook()
	began := time.Now()
	for k := uint64(0); b.calls < n; k++ {
		if *minutes > 0 && time.Since(began).Minutes() > *minutes {
			break
		}
		t.Run(fmt.Sprint("seed=", s+k), func(t *testing.T) { live(t, s+k, b, min(*one, n-b.calls)) })
		if testing.Verbose() {
			t.Logf("seed %d: %d calls so far, %.0f a second, %d kinds of fault", s+k, b.calls, float64(b.calls)/time.Since(began).Seconds(), len(b.faults))
		}
	}
	b.report(t, b.calls >= 50000)
	t.Logf("first seed %d, %d calls in %.0f s; to see it again: go test ./test/isolation -isolation.seed %d -isolation.calls %d", s, b.calls, time.Since(began).Seconds(), s, n)
}

// live is the life of one world.
func live(t *testing.T, seed uint64, b *book, n int) {
	w := newWorld(t, seed, b)
	r := newRand(seed, "calls")
	stop := w.listen(t, rand.New(rand.NewPCG(seed, 1)))
	defer stop()
	upTo := b.calls + n
	before := w.prints()
	for b.calls < upTo {
		part := min(300, max(upTo-b.calls, 4**workers))
		asked := w.probe(w.some(r, 4))
		calm := &round{world: w, writers: map[*person]map[string]bool{}}
		calm.calm(r, part, *workers)
		storm := &round{world: w, writers: calm.writers}
		storm.storm(r, part, *workers)
		w.settle()
		before = w.unchanged(before, storm.writers)
		w.same(asked, storm.writers)
	}
}
