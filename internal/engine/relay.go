package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pubsub"
)

// The channels between nodes.
const (
	channelEvents = "events"
	channelJobs   = "jobs"
)

// wire is what other nodes are told by. Without a relay it tells nobody: there are none, or they find out by looking.
type wire struct {
	relay pubsub.Relay
	node  string // this process, so that it does not hear itself
	out   chan told
	jobs  chan struct{}
}

// told is an event on its way.
type told struct {
	From  string       `json:"from"`
	Owner lukasa.ID    `json:"owner"`
	Event lukasa.Event `json:"event"`
}

func newWire(r pubsub.Relay) *wire {
	return &wire{relay: r, node: rand.Text(), out: make(chan told, 1024), jobs: make(chan struct{}, 1)}
}

// tell hands an event over without waiting. When too many wait, it is heard here alone.
func (w *wire) tell(ev lukasa.Event) {
	if w.relay == nil {
		return
	}
	select {
	case w.out <- told{w.node, ev.Owner, ev}:
	default:
	}
}

// call says that a job was queued.
func (w *wire) call() {
	if w.relay == nil {
		return
	}
	select {
	case w.jobs <- struct{}{}:
	default:
	}
}

// runWire carries what this node tells to the others, and what they tell to those who listen here.
func (e *Engine) runWire(ctx context.Context) {
	w := e.wire
	if w.relay == nil {
		return
	}
	hear := func(channel string, fn func([]byte)) {
		if err := w.relay.Subscribe(ctx, channel, fn); err != nil && ctx.Err() == nil {
			e.log.Warn("news of other nodes do not come through", "channel", channel, "err", err)
		}
	}
	hear(channelEvents, func(b []byte) {
		var t told
		if json.Unmarshal(b, &t) != nil || t.From == w.node {
			return
		}
		t.Event.Owner = t.Owner
		e.news.Publish(t.Event)
		e.warmth.note(t.Event.Owner, t.Event.Node)
	})
	if e.cfg.Role != "api" {
		hear(channelJobs, func(b []byte) {
			if string(b) != w.node {
				e.nudgeHere()
			}
		})
	}
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-w.out:
			b, err := json.Marshal(t)
			if err == nil && len(b) > pubsub.MaxMessage {
				t.Event.Data = nil
				b, err = json.Marshal(t)
			}
			if err == nil {
				err = w.relay.Publish(ctx, channelEvents, b)
			}
			e.quiet("tell other nodes", err)
		case <-w.jobs:
			e.quiet("tell other nodes", w.relay.Publish(ctx, channelJobs, []byte(w.node)))
			select { // what is queued meanwhile is called once
			case <-ctx.Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// quiet logs what matters little: the others look by themselves.
func (e *Engine) quiet(what string, err error) {
	if err != nil {
		e.log.Debug(what, "err", err)
	}
}
