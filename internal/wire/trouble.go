package wire

import (
	"fmt"
	"sync"
	"time"
)

// Trouble is what a server has been failing with since it answered last. The zero value is none.
type Trouble struct {
	Err      error         // of the last call; nil: it answered, or was not asked yet
	Since    time.Time     // of the first failure in a row
	Last     time.Time     // of the last one
	Failures int           // in a row
	Alone    time.Duration // how much longer the circuit breaker lets no call through; 0: it does
}

// log keeps how the last calls went.
type log struct {
	mu  sync.Mutex
	now Trouble
}

func (l *log) note(at time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.now = Trouble{}
		return
	}
	if l.now.Err == nil {
		l.now.Since = at
	}
	l.now.Err, l.now.Last = err, at
	l.now.Failures++
}

// Trouble returns what the server fails with. What the one who asked is to blame for, or gave up, is none.
func (r *Retrier) Trouble() Trouble {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	t := r.log.now
	if t.Err != nil && r.breaker.IsOpen() {
		t.Alone = max(r.breaker.RemainingDelay(), 0)
	}
	return t
}

// Words says what the trouble is, in words that hold nothing of what the server said: what names the failure.
func (t Trouble) Words(what string) string {
	const clock = "2006-01-02 15:04:05 MST"
	s := what + " since " + t.Since.UTC().Format(clock)
	if t.Failures > 1 {
		s += fmt.Sprintf(", %d failures in a row, the last at %s", t.Failures, t.Last.UTC().Format(clock))
	}
	if t.Alone > 0 {
		s += fmt.Sprintf("; left alone for %v", t.Alone.Round(time.Second))
	}
	return s
}
