// Package pubsubtest is the conformance suite that every relay must pass.
//
// Only tests may import this package.
package pubsubtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/pubsub"
)

// patience is how long the suite waits for a message.
const patience = 10 * time.Second

// Relay is the port, for tests of drivers, which do not see it.
type Relay = pubsub.Relay

// MaxMessage is the longest message.
const MaxMessage = pubsub.MaxMessage

// Run checks that relays keep the contract of [pubsub.Relay]. Each call of open returns one more node's relay on one server;
// it is closed by whoever opened it, at the end of the test.
func Run(t *testing.T, open func(t *testing.T) pubsub.Relay) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, func(*testing.T) pubsub.Relay)
	}{
		{"all nodes hear", testAllHear},
		{"any bytes", testBytes},
		{"order", testOrder},
		{"channels are apart", testChannels},
		{"an end", testEnd},
		{"limits", testLimits},
		{"a slow listener", testSlow},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open)
		})
	}
}

// channel is a name that no other test uses.
func channel(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("t%d", time.Now().UnixNano())
}

// heard gathers what a subscription is called with.
type heard struct {
	mu   sync.Mutex
	list [][]byte
	gaps int
}

func (h *heard) hear(m []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m == nil {
		h.gaps++
		return
	}
	h.list = append(h.list, bytes.Clone(m))
}

func (h *heard) messages() [][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

func (h *heard) wait(t *testing.T, n int) [][]byte {
	t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(5 * time.Millisecond) {
		if list := h.messages(); len(list) >= n {
			return list
		}
		if time.Now().After(end) {
			t.Fatalf("heard %d messages in %v, want %d", len(h.messages()), patience, n)
		}
	}
}

func subscribe(t *testing.T, r pubsub.Relay, name string) *heard {
	t.Helper()
	h := &heard{}
	if err := r.Subscribe(t.Context(), name, h.hear); err != nil {
		t.Fatal(err)
	}
	return h
}

func publish(t *testing.T, r pubsub.Relay, name string, m []byte) {
	t.Helper()
	if err := r.Publish(t.Context(), name, m); err != nil {
		t.Fatal(err)
	}
}

func testAllHear(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a, b := channel(t), open(t), open(t)
	own, other, twice := subscribe(t, a, name), subscribe(t, b, name), subscribe(t, b, name)
	publish(t, a, name, []byte("hello"))
	for _, h := range []*heard{own, other, twice} {
		if got := h.wait(t, 1); len(got) != 1 || string(got[0]) != "hello" {
			t.Errorf("heard %q", got)
		}
	}
}

func testBytes(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a, b := channel(t), open(t), open(t)
	h := subscribe(t, b, name)
	every := make([]byte, pubsub.MaxMessage)
	for i := range every {
		every[i] = byte(i)
	}
	for i, m := range [][]byte{every, {0}, []byte("it's \"quoted\" \r\n $1 日本"), {0xff, 0xfe}} {
		publish(t, a, name, m)
		if got := h.wait(t, i+1); !bytes.Equal(got[i], m) {
			t.Errorf("message %d: heard %.40q, want %.40q", i, got[i], m)
		}
	}
}

func testOrder(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a, b := channel(t), open(t), open(t)
	h := subscribe(t, b, name)
	const n = 100
	for i := range n {
		publish(t, a, name, fmt.Append(nil, i))
	}
	for i, m := range h.wait(t, n) {
		if string(m) != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, m)
		}
	}
}

func testChannels(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a := channel(t), open(t)
	h, longer := subscribe(t, a, name), subscribe(t, a, name+"_2")
	publish(t, a, name+"_2", []byte("longer"))
	publish(t, a, name+"_3", []byte("nobody"))
	publish(t, a, name, []byte("short"))
	if got := h.wait(t, 1); len(got) != 1 || string(got[0]) != "short" {
		t.Errorf("heard %q", got)
	}
	if got := longer.wait(t, 1); len(got) != 1 || string(got[0]) != "longer" {
		t.Errorf("heard %q", got)
	}
}

func testEnd(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a := channel(t), open(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := &heard{}
	if err := a.Subscribe(ctx, name, ended.hear); err != nil {
		t.Fatal(err)
	}
	stays := subscribe(t, a, name)
	publish(t, a, name, []byte("1"))
	ended.wait(t, 1)
	stays.wait(t, 1)
	cancel()
	<-time.After(50 * time.Millisecond) // the end is not at once
	publish(t, a, name, []byte("2"))
	stays.wait(t, 2)
	if got := ended.messages(); len(got) != 1 {
		t.Errorf("heard %q after the end", got)
	}
	again := subscribe(t, a, name)
	publish(t, a, name, []byte("3"))
	if got := again.wait(t, 1); string(got[0]) != "3" {
		t.Errorf("a new subscription heard %q", got)
	}
}

func testLimits(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a := channel(t), open(t)
	if a.Publish(t.Context(), name, nil) == nil {
		t.Error("an empty message is sent")
	}
	if a.Publish(t.Context(), name, make([]byte, pubsub.MaxMessage+1)) == nil {
		t.Error("a message that is too long is sent")
	}
	if a.Publish(t.Context(), "", []byte("m")) == nil {
		t.Error("a message goes nowhere")
	}
	if a.Subscribe(t.Context(), "", func([]byte) {}) == nil {
		t.Error("a subscription to nothing")
	}
}

// testSlow: who does not listen holds up nobody, and is told that it missed something.
func testSlow(t *testing.T, open func(*testing.T) pubsub.Relay) {
	name, a := channel(t), open(t)
	release := make(chan struct{})
	var slow heard
	if err := a.Subscribe(t.Context(), name, func(m []byte) {
		<-release
		slow.hear(m)
	}); err != nil {
		t.Fatal(err)
	}
	other := subscribe(t, a, name+"_o")
	const n = 20_000
	large := bytes.Repeat([]byte("x"), 1000)
	for range n {
		publish(t, a, name, large)
	}
	publish(t, a, name+"_o", []byte("past it"))
	other.wait(t, 1)
	close(release)
	for end := time.Now().Add(patience); ; <-time.After(5 * time.Millisecond) {
		slow.mu.Lock()
		got, gaps := len(slow.list), slow.gaps
		slow.mu.Unlock()
		if gaps > 0 || got == n { // told, or nothing was lost
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d messages, and no word of those that are lost", got, n)
		}
	}
}
