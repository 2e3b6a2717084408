package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Whoever listens holds a scope that was made when they began. What has ended since is found out by asking the store, for all
// listeners of this process at once, so that it holds on every node whoever ended it.
const (
	watchEvery = 250 * time.Millisecond // how often it is asked whether the keys of listeners still open anything
	watchFresh = time.Second            // how old that answer may be where something is handed over
	watchWait  = 5 * time.Second        // how long one question may take
)

// watched is the key of a listener.
type watched struct {
	key   store.OwnedKey
	since time.Time
	ended chan struct{} // closed when the key opens nothing any more
}

// Listen passes on what a scope may hear at the moment when it is read, until ctx ends, raw is closed, or the key of the scope opens
// nothing any more, or another place: within a second, on every node. What waited then is not handed over. Then stop is called.
func (a *Auth) Listen(ctx context.Context, sc lukasa.Scope, raw <-chan lukasa.Event, stop func()) <-chan lukasa.Event {
	if sc.Key == "" && sc.Grantee == "" && sc.Root == "" { // the local process: it may hear everything, for as long as it wants
		return raw
	}
	out := make(chan lukasa.Event)
	w := &watched{key: store.OwnedKey{Owner: sc.Owner, Key: sc.Key}, since: time.Now(), ended: make(chan struct{})}
	if sc.Grantee == "" { // whose root is asked for each time
		w.key.Root = sc.Root
	}
	if sc.Key != "" {
		a.watch(w)
	}
	a.listeners.Go(func() {
		defer close(out)
		defer stop()
		defer a.unwatch(w)
		for {
			select {
			case <-w.ended:
				return
			case ev, ok := <-raw:
				if !ok || !a.hand(ctx, sc, w, ev, out) {
					return
				}
			}
		}
	})
	return out
}

// Quiet waits for listeners that are about to end.
func (a *Auth) Quiet() { a.listeners.Wait() }

// hand hands over an event, and reports whether there may be more.
func (a *Auth) hand(ctx context.Context, sc lukasa.Scope, w *watched, ev lukasa.Event, out chan<- lukasa.Event) bool {
	for {
		var give chan<- lukasa.Event
		if now, err := a.Refresh(ctx, sc); err == nil && a.fresh(w) {
			if !now.Sees(ev.Path) {
				return true
			}
			ev, give = hearing(now, ev), out
		}
		pause := time.NewTimer(watchEvery / 5) // then it is looked again who may hear it
		select {
		case give <- ev:
			pause.Stop()
			return true
		case <-w.ended:
			return false
		case <-ctx.Done():
			return false
		case <-pause.C:
		}
	}
}

// hearing returns an event as a scope may hear it: without the paths that it may not know.
func hearing(sc lukasa.Scope, ev lukasa.Event) lukasa.Event {
	if sc.Root == "" {
		return ev
	}
	ev.Data = maps.Clone(ev.Data)
	maps.DeleteFunc(ev.Data, func(name string, v any) bool {
		switch name {
		case "from", "into", "container", "wanted":
			return !sc.Sees(lukasa.Path(fmt.Sprint(v)))
		}
		return false
	})
	return ev
}

// fresh reports whether it is known of late that a listener's key still opens something.
func (a *Auth) fresh(w *watched) bool {
	if w.key.Key == "" || time.Since(w.since) < watchFresh {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Since(a.checked) < watchFresh
}

// watch begins to ask for a key.
func (a *Auth) watch(w *watched) {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := len(a.watching) == 0
	a.watching[w] = struct{}{}
	if first {
		a.idle = make(chan struct{})
		idle := a.idle
		a.listeners.Go(func() { a.look(idle) })
	}
}

func (a *Auth) unwatch(w *watched) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.watching[w]; ok {
		if delete(a.watching, w); len(a.watching) == 0 {
			close(a.idle)
		}
	}
}

// look asks for the keys of all listeners until there are none.
func (a *Auth) look(idle <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		a.lookOnce()
		select {
		case <-idle:
			return
		case <-tick.C:
		}
	}
}

func (a *Auth) lookOnce() {
	began := time.Now()
	a.mu.Lock()
	keys := map[store.OwnedKey]struct{}{}
	for w := range a.watching {
		keys[w.key] = struct{}{}
	}
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), watchWait) //nolint:forbidigo // it is nobody's request
	defer cancel()
	valid, err := a.Members.Valid(ctx, slices.Collect(maps.Keys(keys)), a.Mint.Now())
	if err != nil {
		return // nothing is handed over until it is known
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.checked = began
	for w := range a.watching {
		if _, asked := keys[w.key]; asked && !valid[w.key.Key] {
			close(w.ended)
			if delete(a.watching, w); len(a.watching) == 0 {
				close(a.idle)
			}
		}
	}
}
