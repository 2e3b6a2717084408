package ingest

import (
	"sync"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/segment"
)

// Heard is what the reader of texts knows of a conversation so far. It belongs to the reader; nil is nothing.
type Heard any

// thread is a conversation as an append has left it, so that the next one need not read again what was said before.
type thread struct {
	conv  lukasa.Conversation
	state segment.State
	heard Heard
	said  int // messages that heard knows
}

// fits reports that nobody has changed the conversation since: each append and each change of a message sets its time, and a message
// that goes its count.
func (t *thread) fits(c lukasa.Conversation) bool {
	o := t.conv
	return o.ID == c.ID && o.Document == c.Document && o.Messages == c.Messages && o.Closer == c.Closer && o.UpdatedAt.UnixMicro() == c.UpdatedAt.UnixMicro()
}

// missed is how many messages have been added behind the thread, where it can go on with them: -1 where something else has changed, or so much
// that the last few tell as much.
func (t *thread) missed(c lukasa.Conversation, now segment.State) int {
	o, n := t.conv, c.Messages-t.conv.Messages
	if o.ID != c.ID || o.Document != c.Document || t.state.Edits != now.Edits || n < 0 || n > backward || n == 0 && !t.fits(c) || int64(n) != now.Last-t.state.Last || t.heard == nil {
		return -1
	}
	return n
}

// The bounds of what is kept of threads.
const (
	maxThreads = 128 // in each of two generations
	maxHeard   = 512 // messages; then the last few are read anew
	sharedFor  = 256 // appends
)

// threads keeps what was left of the conversations that were added to last. A thread is handed out to one append at a time.
type threads struct {
	mu       sync.Mutex
	now, old map[threadKey]*thread
	// shared is above 0 where another node adds to conversations, too: then they are looked at before messages for them are read, as these
	// would mostly have to be read again. It counts down with each append that finds a thread to be the newest.
	shared atomic.Int64
}

type threadKey struct {
	owner lukasa.ID
	path  lukasa.Path
	name  string
	begun bool // no container was named
}

// take hands a thread out; nil when there is none.
func (s *threads) take(k threadKey) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.now[k]
	if t == nil {
		t = s.old[k]
	}
	delete(s.now, k)
	delete(s.old, k)
	return t
}

// put keeps a thread for the next append.
func (s *threads) put(k threadKey, t *thread) {
	if t.said > maxHeard {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.now) >= maxThreads {
		s.old, s.now = s.now, nil
	}
	if s.now == nil {
		s.now = make(map[threadKey]*thread)
	}
	s.now[k] = t
}

// Unhear forgets what is kept in memory of conversations, because something of them is to be gone.
func (p *Path) Unhear() {
	p.threads.mu.Lock()
	defer p.threads.mu.Unlock()
	p.threads.now, p.threads.old = nil, nil
}
