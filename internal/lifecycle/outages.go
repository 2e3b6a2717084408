package lifecycle

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/hear"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

const (
	firstWait = time.Second
	longWait  = 10 * time.Minute
)

// Backoff is how long a job waits that failed by its own fault: 1 s after its first try, twice as long after each more, up to 10 min, and up to a
// half less by chance.
func Backoff(attempt int) time.Duration {
	return shaken(min(longWait, firstWait<<min(attempt-1, 20)))
}

// shaken takes up to a half of a wait away, by chance.
func shaken(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }

// ErrStuck says that a server is late on one record time after time, while it answers for others.
var ErrStuck = &lukasa.Error{
	Code: lukasa.CodeTimeout, Msg: "a server that was asked about it was late every time, and answered for others meanwhile", Hint: "split it, or retry it by hand",
}

// mostLate is how often a server may be late on one record, with others done in between, before the record is put aside.
const mostLate = 5

// Outages keeps since when jobs of a kind fail by no fault of theirs. The zero value is ready, and safe for concurrent use.
type Outages struct {
	mu    sync.Mutex
	since map[lukasa.JobKind]time.Time
	done  map[lukasa.JobKind]int // jobs of a kind
	late  map[lukasa.ID]late     // by job
}

// late is how often a server was late on a job, and how many of its kind were done when it was last.
type late struct{ times, done int }

// Stuck reports whether a server was late on a job once more, and has been often enough: [ErrStuck] then says so. A time counts if a job of the same kind
// was done since the one before.
func (o *Outages) Stuck(j lukasa.Job, err error) bool {
	if lukasa.CodeOf(err) != lukasa.CodeTimeout {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.late == nil {
		o.late = map[lukasa.ID]late{}
	}
	x, before := o.late[j.ID]
	if !before || o.done[j.Kind] > x.done {
		x = late{x.times + 1, o.done[j.Kind]}
	}
	o.late[j.ID] = x
	if x.times < mostLate {
		return false
	}
	delete(o.late, j.ID)
	return true
}

// Wait returns how long a job waits that failed with the error, and false where its record is at fault. The first wait of an outage is about a
// second; then they grow with the outage, up to 10 min. A server that asks for more, and a budget that is used up until midnight, get it.
func (o *Outages) Wait(k lukasa.JobKind, err error, now time.Time) (time.Duration, bool) {
	after, ok := passing(err)
	if !ok {
		return 0, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since == nil {
		o.since = map[lukasa.JobKind]time.Time{}
	}
	if _, there := o.since[k]; !there {
		o.since[k] = now
	}
	wait := shaken(min(longWait, max(firstWait, now.Sub(o.since[k]))))
	if after > 0 { // not all at the same moment
		after += rand.N(min(after/10, time.Minute) + 1)
	}
	return max(wait, after), true
}

// Over notes that a job was done.
func (o *Outages) Over(j lukasa.Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.since, j.Kind)
	delete(o.late, j.ID)
	if o.done == nil {
		o.done = map[lukasa.JobKind]int{}
	}
	o.done[j.Kind]++
}

// passing reports whether a server that was asked is to blame for an error, or the budget for it, and how long to leave it alone. Such a server is
// away, busy or late, or does not know us: its key, account, model or address has to be put right, and no text can help that.
func passing(err error) (after time.Duration, ok bool) {
	e, is := errors.AsType[*lukasa.Error](err)
	if !is {
		return 0, false
	}
	switch e.Code {
	case lukasa.CodeUnavailable, lukasa.CodeLimited, lukasa.CodeTimeout:
		return e.RetryAfter, true
	case lukasa.CodeStorage: // a disk that is full now has room later; what is damaged has not
		return e.RetryAfter, e.RetryAfter > 0
	}
	return e.RetryAfter, errors.Is(err, llm.ErrRefused) || errors.Is(err, embed.ErrRefused) || errors.Is(err, embed.ErrDimension) ||
		errors.Is(err, hear.ErrRefused)
}

// Troubled is a role of what asks a server.
type Troubled interface{ Trouble() wire.Trouble }

// Told says what a server fails with, for everybody: what it said itself is in the log alone.
func Told(s Troubled) string {
	t := s.Trouble()
	what := string(lukasa.CodeOf(t.Err))
	switch {
	case errors.Is(t.Err, llm.ErrBudget):
		what = "budget used up"
	case errors.Is(t.Err, llm.ErrRefused), errors.Is(t.Err, embed.ErrRefused):
		what = "refused (check key, model and address)"
	case errors.Is(t.Err, llm.ErrMismatch), errors.Is(t.Err, llm.ErrCut), errors.Is(t.Err, llm.ErrDeclined):
		what = "unusable answers"
	}
	return t.Words(what)
}
