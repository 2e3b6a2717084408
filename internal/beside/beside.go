// Package beside has parts of a piece of work done at the same time as the rest, while cores have nothing else to do, and gives memory
// back to the machine while nothing is to be done at all.
//
// That costs a little more than doing all in turn: a goroutine, and waking a core. So it is done only while so few pieces of work are
// under way that a core each is to spare; on a server that is busy all is done in turn. There is at most one goroutine for each call of
// [Part], and it ends before its wait returns.
package beside

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Crew counts the pieces of work under way.
type Crew struct {
	cores int64
	busy  atomic.Int64
}

// New makes a crew for as many cores as the program may use.
func New() *Crew { return &Crew{cores: int64(runtime.GOMAXPROCS(0))} }

type crewKey struct{}

// Enter begins a piece of work, up to leave. Its parts may be done beside it by whoever is handed the context.
func (c *Crew) Enter(ctx context.Context) (inner context.Context, leave func()) {
	c.busy.Add(1)
	return context.WithValue(ctx, crewKey{}, c), func() { c.busy.Add(-1) }
}

// Part has a part of the work of the context done beside the rest, at the latest when wait is called, which returns once it is. Wait must be
// called, and once. Without a crew, or without a core to spare, it does the part itself. What panics in the part panics in wait.
func Part(ctx context.Context, part func()) (wait func()) {
	c, _ := ctx.Value(crewKey{}).(*Crew)
	if c == nil || 2*c.busy.Load() > c.cores {
		return part
	}
	t := &task{part: part}
	t.done.Add(1)
	go t.run()
	return t.wait
}

// task is a part that is done by whoever comes first: the goroutine that was made for it, or who waits for it.
type task struct {
	part  func()
	taken atomic.Bool
	done  sync.WaitGroup
	fault any // what it panicked with
}

func (t *task) run() {
	if !t.taken.CompareAndSwap(false, true) {
		return
	}
	defer t.done.Done()
	defer func() { t.fault = recover() }()
	t.part()
}

func (t *task) wait() {
	if t.taken.CompareAndSwap(false, true) {
		t.part()
		return
	}
	t.done.Wait()
	if t.fault != nil {
		panic(t.fault)
	}
}
