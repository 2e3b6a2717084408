package pubsub

import (
	"context"
	"sync"

	"github.com/lukasa-memory/lukasa"
)

// backlog is how many events a listener may fall behind.
const backlog = 256

// Newsroom hands the events of this process to whoever listens in it. A listener that does not keep up loses the oldest, never holds
// up a write.
type Newsroom struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	closed    bool
}

type listener struct {
	sc lukasa.Scope
	ch chan lukasa.Event
}

// NewNewsroom makes one without listeners.
func NewNewsroom() *Newsroom { return &Newsroom{listeners: map[*listener]struct{}{}} }

// Publish hands an event to those who may see it. It does not wait for them.
func (n *Newsroom) Publish(ev lukasa.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.listeners {
		if ev.Owner != l.sc.Owner || l.sc.Grantee == "" && !l.sc.Sees(ev.Path) {
			continue // what a grantee may hear is decided when it is read
		}
		for sent := false; !sent; {
			select {
			case l.ch <- ev:
				sent = true
			default:
				select {
				case <-l.ch:
				default:
				}
			}
		}
	}
}

// Listen returns what is published for the scope from now on, until ctx ends or the newsroom is closed; then the channel is closed.
func (n *Newsroom) Listen(ctx context.Context, sc lukasa.Scope) chan lukasa.Event {
	l := &listener{sc: sc, ch: make(chan lukasa.Event, backlog)}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		close(l.ch)
		return l.ch
	}
	n.listeners[l] = struct{}{}
	context.AfterFunc(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if _, ok := n.listeners[l]; ok {
			delete(n.listeners, l)
			close(l.ch)
		}
	})
	return l.ch
}

// Close ends all listening.
func (n *Newsroom) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for l := range n.listeners {
		close(l.ch)
		delete(n.listeners, l)
	}
}
