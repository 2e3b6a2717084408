package program

import (
	"context"
	"sync"
)

// usual is what a program is expected to hold in memory that does not say.
const usual = 48 << 20

// Runner runs programs beside each other as long as what they are expected to hold in memory together stays within a bound; the
// others wait in line. A program that is expected to hold more than that runs alone. Make it with [NewRunner].
type Runner struct {
	most int64

	mu   sync.Mutex
	held int64
	line []*turn
}

// turn is the place in line of a program.
type turn struct {
	size int64
	come chan struct{} // closed when it may run
}

// NewRunner makes a runner for programs that hold up to most bytes together.
func NewRunner(most int64) *Runner { return &Runner{most: most} }

// Run is the function Run, in its turn. The time limit of the command begins when it is its turn.
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	if !Has(c.Name) {
		return Run(ctx, c) // says so at once
	}
	size := c.Resident
	if size <= 0 {
		size = usual
	}
	size = min(size, r.most)
	if err := r.wait(ctx, size); err != nil {
		return Result{}, err
	}
	defer r.leave(size)
	return Run(ctx, c)
}

// wait returns when there is room.
func (r *Runner) wait(ctx context.Context, size int64) error {
	t := &turn{size, make(chan struct{})}
	r.mu.Lock()
	r.line = append(r.line, t)
	r.next()
	r.mu.Unlock()
	select {
	case <-t.come:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, x := range r.line {
		if x == t {
			r.line = append(r.line[:i], r.line[i+1:]...)
			r.next() // those behind it may have waited for it alone
			return ctx.Err()
		}
	}
	r.held -= size // its turn had come meanwhile
	r.next()
	return ctx.Err()
}

func (r *Runner) leave(size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held -= size
	r.next()
}

// next lets in who stands first, as long as there is room. The lock is held.
func (r *Runner) next() {
	for len(r.line) > 0 && r.held+r.line[0].size <= r.most {
		r.held += r.line[0].size
		close(r.line[0].come)
		r.line = r.line[1:]
	}
}
