package parallel

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestLook(t *testing.T) {
	var r rest
	at := uint64(0)
	// Megabytes allocated before each look, and whether memory is given back.
	for i, step := range []struct {
		mb   uint64
		want bool
	}{
		{10, false}, {0, true}, {0, true}, {0, false}, {0, true}, // work, then nothing: at once, after two and four looks
		{0, false}, {0, false}, {0, false}, {0, true}, // eight
		{2, false}, {0, false}, {0, false}, // too little to be worth it
		{3, false}, {0, true}, // with that it is
	} {
		at += step.mb << 20
		if got := r.look(at); got != step.want {
			t.Errorf("look %d: %v, want %v", i, got, step.want)
		}
	}
	r = rest{}
	r.look(10 << 20)
	n := 0
	for range 1000 {
		if r.look(10<<20 + 1) {
			n++
		}
	}
	if n != 5 {
		t.Errorf("in a long time without work memory is given back %d times, want 5", n)
	}
}

var kept []byte

// What was used for a while is returned to the machine.
func TestRest(t *testing.T) {
	const size = 64 << 20
	kept = make([]byte, size)
	for i := range kept {
		kept[i] = 1
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, trimmed := make(chan struct{}), make(chan struct{}, 100)
	go func() {
		defer close(ended)
		Rest(ctx, 10*time.Millisecond, func() {
			kept = nil
			trimmed <- struct{}{}
		})
	}()
	<-trimmed
	<-trimmed // the first has ended
	stop()
	<-ended
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	if used := s[0].Value.Uint64() + s[1].Value.Uint64(); used > size/2 {
		t.Errorf("%d bytes are still held", used)
	}
	runtime.KeepAlive(kept)
}
