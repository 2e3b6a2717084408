// Package isolation lets many callers loose on one store, at random and from a seed, and knows what each of them may see.
//
// People have trees of containers with the same names, and keys that are whole, bound to a subtree, read-only, revoked or expired. Some
// of the trees are organisations', whose members have keys to them, and roles that change.
// Every piece of content holds canaries, words that stand nowhere else; every byte of every answer is searched for those that the
// caller may not read, and for ids that are not the caller's to know. Every operation of the API's description and every tool of
// the MCP server (over HTTP and over standard input and output), and the command line, are called with parameters out of everybody's ids,
// paths, words and cursors, on two processes over one store.
package isolation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

var (
	calls   = flag.Int("isolation.calls", 0, "calls to make; 0 means 10,000 on SQLite and 1,000 on PostgreSQL, with -short a tenth")
	seed    = flag.Uint64("isolation.seed", 0, "what the worlds are made of; 0 means by the clock")
	minutes = flag.Float64("isolation.minutes", 0, "stop after so many minutes")
	workers = flag.Int("isolation.workers", 4, "how many call at once; with 1 a seed makes the same calls each time")
	one     = flag.Int("isolation.world", 4000, "calls in a world, after which there is a new one")
	lives   = flag.Int("isolation.lives", 1, "worlds at once")
)

// T-12: no caller is told anything that is not the caller's to know.
func TestIsolation(t *testing.T) {
	t.Parallel()
	play(t, embedded, 10000)
}

// The same with rows in PostgreSQL, where its policies are a second wall, and with Redis and S3 where they are.
func TestIsolationPostgres(t *testing.T) {
	t.Parallel()
	play(t, served, 1000)
}

// play makes n calls, or as many as the command line says, in one world after the other.
func play(t *testing.T, where site, n int) {
	t.Helper()
	if testing.Short() {
		n /= 10
	}
	if *calls > 0 {
		n = *calls
	}
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) % 1e9
	}
	b := newBook()
	began := time.Now()
	var mu sync.Mutex
	taken, next := 0, first
	take := func() (seed uint64, part int) {
		mu.Lock()
		defer mu.Unlock()
		if part = min(*one, n-taken); part <= 0 || *minutes > 0 && time.Since(began).Minutes() > *minutes {
			return 0, 0
		}
		taken += part
		next++
		return next - 1, part
	}
	var all sync.WaitGroup
	for range *lives {
		all.Go(func() {
			for s, part := take(); part > 0; s, part = take() {
				t.Run(fmt.Sprint("seed=", s), func(t *testing.T) { live(t, s, b, where, part) })
				if testing.Verbose() {
					total, kinds := b.so()
					t.Logf("seed %d: %d calls so far, %.0f a second, %d kinds of fault", s, total, float64(total)/time.Since(began).Seconds(), kinds)
				}
			}
		})
	}
	all.Wait()
	total, _ := b.so()
	b.report(t, total)
	t.Logf("first seed %d, %d calls in %.0f s; to see it again: go test ./test/isolation -run '^%s$' -isolation.seed %d -isolation.calls %d",
		first, total, time.Since(began).Seconds(), t.Name(), first, n)
}

// live is the life of one world.
func live(t *testing.T, seed uint64, b *book, where site, n int) {
	w := newWorld(t, seed, b, where)
	r := newRand(seed, "calls")
	stop := w.listen(t, rand.New(rand.NewPCG(seed, 1)))
	defer stop()
	before := w.prints()
	for w.calls() < n {
		part := min(300, max(n-w.calls(), 4**workers))
		asked := w.probe(w.some(r, 4), nil)
		calm := &round{world: w, writers: map[*person]map[string]bool{}}
		calm.calm(r, part, *workers)
		storm := &round{world: w, writers: calm.writers}
		storm.storm(r, part, *workers)
		w.settle()
		before = w.unchanged(before, storm.writers)
		w.same(asked, storm.writers)
	}
}
