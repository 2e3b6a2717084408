package sqlite

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxGroup  = 256                   // writes that share a commit at most
	groupTime = 25 * time.Millisecond // no write joins a transaction that is older: other processes wait too
)

// QueueOptions are what the queue has to know of its connection.
type QueueOptions struct {
	// Exec runs a statement of transaction control.
	Exec func(sql string) error
	// Wait calls try until it succeeds, fails for good, or has been kept waiting too long by other processes.
	Wait func(try func() error) error
	// Close is called once no turn is left.
	Close func() error
	// Span is for how long turns may join a transaction; 0 means 25 ms.
	Span time.Duration
}

// ErrQueueClosed says that the queue has been closed.
var ErrQueueClosed = errors.New("closed")

// Queue owns the one connection that writes. It is safe for concurrent use. Writes that come at the same time share one transaction
// and one commit, each in a savepoint of its own. The first of a transaction has none: where it fails, the transaction is rolled back,
// as there is nothing else in it yet.
//
// The functions run in the goroutines of their callers, one at a time: a panic or a Goexit there ends the caller, not the queue.
type Queue struct {
	opt     QueueOptions
	queue   chan *turn
	closing chan struct{}
	stopped chan struct{}
	once    sync.Once
	err     error
}

// turn is one caller's place in the queue.
type turn struct {
	state atomic.Int32
	grant chan struct{} // the caller may run its function now; it may come more than once
	ran   chan error    // what the function returned
	done  chan error    // the outcome, after the commit
}

const (
	waiting int32 = iota
	granted
	withdrawn
)

// errGone is what a turn returns whose function did not: it panicked.
var errGone = errors.New("function did not return")

// NewQueue starts a queue.
func NewQueue(opt QueueOptions) *Queue {
	if opt.Span == 0 {
		opt.Span = groupTime
	}
	w := &Queue{opt: opt, queue: make(chan *turn, maxGroup), closing: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// Waiting returns how many turns wait.
func (w *Queue) Waiting() int { return len(w.queue) }

// SetSpan changes how long turns may join a transaction. No turn may be under way.
func (w *Queue) SetSpan(d time.Duration) { w.opt.Span = d }

// Do runs fn in the next transaction and returns after its commit. Until its turn comes, the end of ctx takes it out of
// the queue; from then on fn itself has to look at ctx.
func (w *Queue) Do(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &turn{grant: make(chan struct{}), ran: make(chan error), done: make(chan error, 1)}
	select {
	case <-w.closing:
		return ErrQueueClosed
	default:
	}
	select {
	case w.queue <- t:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return ErrQueueClosed
	}
	ended, stopped := ctx.Done(), w.stopped
	for {
		select {
		case <-t.grant:
			t.play(fn)
		case err := <-t.done:
			return err
		case <-ended:
			if t.state.CompareAndSwap(waiting, withdrawn) {
				return ctx.Err()
			}
			ended = nil
		case <-stopped:
			if t.state.CompareAndSwap(waiting, withdrawn) {
				return ErrQueueClosed
			}
			stopped = nil
		}
	}
}

// play runs fn and reports back, also when fn panics.
func (t *turn) play(fn func() error) {
	err := errGone
	defer func() { t.ran <- err }()
	err = fn()
}

func (w *Queue) loop() {
	defer close(w.stopped)
	for {
		select {
		case t := <-w.queue:
			w.group(t)
		case <-w.closing:
			for {
				select {
				case t := <-w.queue:
					w.group(t)
				default:
					return
				}
			}
		}
	}
}

// group runs the first turn and all that have come meanwhile in one transaction.
func (w *Queue) group(first *turn) {
	if err := w.begin(first); err != nil {
		w.refuse(first, err)
		return
	}
	start := time.Now()
	var well []*turn
	for t := first; t != nil && len(well) < maxGroup; {
		if t.state.CompareAndSwap(waiting, granted) {
			ok, lost := w.run(t, len(well) == 0)
			if lost {
				for _, u := range well {
					w.alone(u)
				}
				return
			}
			if ok {
				well = append(well, t)
			}
		}
		t = nil
		if time.Since(start) < w.opt.Span && len(well) < maxGroup {
			select {
			case t = <-w.queue:
			default:
			}
		}
	}
	w.commit(well)
}

// begin waits for the write lock, as long as the first of the queue does.
func (w *Queue) begin(first *turn) error {
	return w.opt.Wait(func() error {
		if first != nil && first.state.Load() == withdrawn {
			return context.Canceled
		}
		return w.opt.Exec("BEGIN IMMEDIATE")
	})
}

// refuse answers the first turn and, if the store is what failed, all that wait behind it.
func (w *Queue) refuse(first *turn, err error) {
	first.state.CompareAndSwap(waiting, granted)
	first.done <- err
	if errors.Is(err, context.Canceled) {
		return
	}
	for range len(w.queue) {
		t := <-w.queue
		t.state.CompareAndSwap(waiting, granted)
		t.done <- err
	}
}

// run gives the turn the connection, in a savepoint unless it is the first of the transaction. With lost, the whole transaction is gone,
// as SQLite does when the disk is full; whoever was in it has to be run again.
func (w *Queue) run(t *turn, first bool) (ok, lost bool) {
	if first {
		t.grant <- struct{}{}
		err := <-t.ran
		if err == nil {
			return true, false
		}
		w.rollback()
		t.done <- err
		return false, true
	}
	if err := w.opt.Exec("SAVEPOINT turn"); err != nil {
		t.done <- err
		return false, w.rollback()
	}
	t.grant <- struct{}{}
	err := <-t.ran
	if err == nil {
		err = w.opt.Exec("RELEASE turn")
	}
	if err == nil {
		return true, false
	}
	if e := w.opt.Exec("ROLLBACK TO turn"); e != nil {
		lost = w.rollback()
	} else if e := w.opt.Exec("RELEASE turn"); e != nil {
		lost = w.rollback()
	}
	t.done <- err // nobody reads it after a panic
	return false, lost
}

// rollback ends the transaction, if it is still there. It returns true for the sake of its callers.
func (w *Queue) rollback() bool {
	_ = w.opt.Exec("ROLLBACK") // an error says that SQLite has done it
	return true
}

func (w *Queue) commit(well []*turn) {
	err := w.opt.Exec("COMMIT")
	if err != nil {
		w.rollback()
	}
	for _, t := range well {
		t.done <- err
	}
	if len(well) > 1 {
		runtime.Gosched() // those who just got their answer may come back at once: let them into the next group
	}
}

// alone runs a turn again in a transaction of its own.
func (w *Queue) alone(t *turn) {
	if err := w.begin(nil); err != nil {
		t.done <- err
		return
	}
	if ok, _ := w.run(t, true); ok {
		w.commit([]*turn{t})
	}
}

// Close lets the turns that wait have their commit, refuses others, and closes the connection.
func (w *Queue) Close() error {
	w.once.Do(func() {
		close(w.closing)
		<-w.stopped
		w.err = w.opt.Close()
	})
	return w.err
}
