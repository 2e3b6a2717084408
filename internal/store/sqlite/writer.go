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

// writer owns the one connection that writes and gathers what comes at the same time into one transaction. The functions
// run in the goroutines of their callers, one at a time: a panic or a Goexit there ends the caller, not the writer.
type writer struct {
	c       *conn
	busy    time.Duration
	span    time.Duration // groupTime
	queue   chan *turn
	closing chan struct{}
	stopped chan struct{}
	once    sync.Once
	err     error
}

// turn is one caller's place in the queue.
type turn struct {
	state atomic.Int32
	grant chan *conn // the caller may run its function now; it may come more than once
	ran   chan error // what the function returned
	done  chan error // the outcome, after the commit
}

const (
	waiting int32 = iota
	granted
	withdrawn
)

// errGone is what a turn returns whose function did not: it panicked.
var errGone = errors.New("function did not return")

func newWriter(c *conn, busy time.Duration) *writer {
	w := &writer{c: c, busy: busy, span: groupTime, queue: make(chan *turn, maxGroup), closing: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// do runs fn in the next transaction and returns after its commit. Until its turn comes, the end of ctx takes it out of
// the queue; from then on fn itself has to look at ctx.
func (w *writer) do(ctx context.Context, fn func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return fault(err)
	}
	t := &turn{grant: make(chan *conn), ran: make(chan error), done: make(chan error, 1)}
	select {
	case <-w.closing:
		return errClosed()
	default:
	}
	select {
	case w.queue <- t:
	case <-ctx.Done():
		return fault(ctx.Err())
	case <-w.closing:
		return errClosed()
	}
	ended, stopped := ctx.Done(), w.stopped
	for {
		select {
		case c := <-t.grant:
			t.play(c, fn)
		case err := <-t.done:
			return fault(err)
		case <-ended:
			if t.state.CompareAndSwap(waiting, withdrawn) {
				return fault(ctx.Err())
			}
			ended = nil
		case <-stopped:
			if t.state.CompareAndSwap(waiting, withdrawn) {
				return errClosed()
			}
			stopped = nil
		}
	}
}

// play runs fn and reports back, also when fn panics.
func (t *turn) play(c *conn, fn func(*conn) error) {
	err := errGone
	defer func() { t.ran <- err }()
	err = fn(c)
}

func (w *writer) loop() {
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
func (w *writer) group(first *turn) {
	if err := w.begin(first); err != nil {
		w.refuse(first, err)
		return
	}
	start := time.Now()
	var well []*turn
	for t := first; t != nil && len(well) < maxGroup; {
		if t.state.CompareAndSwap(waiting, granted) {
			ok, lost := w.run(t)
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
		if time.Since(start) < w.span && len(well) < maxGroup {
			select {
			case t = <-w.queue:
			default:
			}
		}
	}
	w.commit(well)
}

// begin waits for the write lock, as long as the first of the queue does.
func (w *writer) begin(first *turn) error {
	return untilFree(context.Background(), w.busy, func() error {
		if first != nil && first.state.Load() == withdrawn {
			return context.Canceled
		}
		_, _, err := w.c.exec("BEGIN IMMEDIATE")
		return err
	})
}

// refuse answers the first turn and, if the store is what failed, all that wait behind it.
func (w *writer) refuse(first *turn, err error) {
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

// run gives the turn the connection, in a savepoint. With lost, the whole transaction is gone, as SQLite does when the disk
// is full; whoever was in it has to be run again.
func (w *writer) run(t *turn) (ok, lost bool) {
	if _, _, err := w.c.exec("SAVEPOINT turn"); err != nil {
		t.done <- err
		return false, w.rollback()
	}
	t.grant <- w.c
	err := <-t.ran
	if err == nil {
		_, _, err = w.c.exec("RELEASE turn")
	}
	if err == nil {
		return true, false
	}
	if _, _, e := w.c.exec("ROLLBACK TO turn"); e != nil {
		lost = w.rollback()
	} else if _, _, e := w.c.exec("RELEASE turn"); e != nil {
		lost = w.rollback()
	}
	t.done <- err // nobody reads it after a panic
	return false, lost
}

// rollback ends the transaction, if it is still there. It returns true for the sake of its callers.
func (w *writer) rollback() bool {
	w.c.exec("ROLLBACK")
	return true
}

func (w *writer) commit(well []*turn) {
	_, _, err := w.c.exec("COMMIT")
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
func (w *writer) alone(t *turn) {
	if err := w.begin(nil); err != nil {
		t.done <- err
		return
	}
	ok, lost := w.run(t)
	if lost {
		return
	}
	if ok {
		w.commit([]*turn{t})
	} else {
		w.rollback()
	}
}

func (w *writer) close() error {
	w.once.Do(func() {
		close(w.closing)
		<-w.stopped
		w.err = w.c.close()
	})
	return w.err
}
