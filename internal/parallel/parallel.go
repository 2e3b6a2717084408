// Package parallel has parts of a piece of work done at the same time as the rest, while cores have nothing else to do, and gives memory
// back to the machine while nothing is to be done at all.
//
// A part takes some hundred microseconds, and to wake a core that sleeps takes as long. So a piece of work is begun with a mate, which wakes
// a core at once and stays awake between parts; and who waits for a part that is being done stays awake for a while, too. That costs time of a
// core that nobody else wants: mates are there only while so few pieces of work are under way that a core each is to spare. On a server
// that is busy all is done in turn.
package parallel

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long somebody stays awake for what is about to come: a little longer than what lies between two parts.
const patience = 400 * time.Microsecond

// Crew counts the pieces of work under way.
type Crew struct {
	cores int64
	busy  atomic.Int64
}

// New makes a crew for as many cores as the program may use.
func New() *Crew { return &Crew{cores: int64(runtime.GOMAXPROCS(0))} }

// spare reports whether each piece of work may have a mate.
func (c *Crew) spare() bool { return 2*c.busy.Load() <= c.cores }

type workKey struct{}

// work is a piece of work under way.
type work struct {
	crew  *Crew
	parts chan *task  // that nobody may have taken yet
	mated atomic.Bool // somebody looks at parts
	over  atomic.Bool
}

// Enter begins a piece of work, up to leave. Its parts may be done beside it by whoever is handed the context.
func (c *Crew) Enter(ctx context.Context) (inner context.Context, leave func()) {
	c.busy.Add(1)
	w := &work{crew: c, parts: make(chan *task, 8)}
	w.call()
	return context.WithValue(ctx, workKey{}, w), func() {
		w.over.Store(true)
		c.busy.Add(-1)
	}
}

// call has a mate look at the parts, if none does and a core is to spare for one.
func (w *work) call() {
	if w.crew.spare() && w.mated.CompareAndSwap(false, true) {
		go w.mate()
	}
}

// mate does parts as they come, until none has come for a while.
func (w *work) mate() {
	awake(func() bool {
		select {
		case t := <-w.parts:
			t.run()
			return true
		default:
			return false
		}
	}, func() bool { return w.over.Load() || !w.crew.spare() })
	w.mated.Store(false)
	if len(w.parts) > 0 && !w.over.Load() { // it came in just now
		w.call()
	}
}

// awake tries again and again, until nothing has come of it for a while, or it is enough; whoever else has something to do goes first.
func awake(try, enough func() bool) {
	for since := time.Now(); !enough() && time.Since(since) < patience; runtime.Gosched() {
		for range 32 {
			if try() {
				since = time.Now()
			}
		}
	}
}

// Part has a part of the work of the context done beside the rest, at the latest when wait is called, which returns once it is. Wait must be
// called, and once. Without a crew, or without a core to spare, it does the part itself. What panics in the part panics in wait, and so does a
// fault of what it reads that is mapped from a file.
func Part(ctx context.Context, part func()) (wait func()) {
	w, _ := ctx.Value(workKey{}).(*work)
	if w == nil || !w.crew.spare() {
		return part
	}
	t := &task{part: part}
	t.done.Add(1)
	select {
	case w.parts <- t:
		w.call()
	default: // more at a time than a mate is for
		go t.run()
	}
	return t.wait
}

// task is a part that is done by whoever comes first: a mate, or who waits for it.
type task struct {
	part  func()
	taken atomic.Bool
	ready atomic.Bool
	done  sync.WaitGroup
	fault any // what it panicked with
}

func (t *task) run() {
	if !t.taken.CompareAndSwap(false, true) {
		return
	}
	defer t.done.Done()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		t.fault = recover()
		t.ready.Store(true)
	}()
	t.part()
}

func (t *task) wait() {
	if t.taken.CompareAndSwap(false, true) {
		t.part()
		return
	}
	awake(func() bool { return false }, t.ready.Load)
	t.done.Wait()
	if t.fault != nil {
		panic(t.fault)
	}
}
