package parallel

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Every part is done once, before its wait returns, whether or not there is a core for it.
func TestPart(t *testing.T) {
	for _, c := range []struct {
		name  string
		cores int64
	}{{"a core to spare", 2}, {"none", 1}} {
		t.Run(c.name, func(t *testing.T) {
			ctx, leave := (&Crew{cores: c.cores}).Enter(t.Context())
			defer leave()
			n := 0
			for i := range 1000 {
				wait := Part(ctx, func() { n++ })
				wait()
				if n != i+1 {
					t.Fatalf("after %d waits, %d parts are done", i+1, n)
				}
			}
		})
	}
}

// With a core to spare a part is under way while the rest is; without, it waits until it is asked for.
func TestBeside(t *testing.T) {
	crew := &Crew{cores: 2}
	ctx, leave := crew.Enter(t.Context())
	met := make(chan struct{})
	wait := Part(ctx, func() { met <- struct{}{} })
	<-met // nobody has waited yet
	wait()
	leave()

	for name, ctx := range map[string]context.Context{"nobody's work": t.Context(), "a busy crew": func() context.Context {
		crew.Enter(t.Context())
		ctx, _ := crew.Enter(t.Context())
		return ctx
	}()} {
		var done atomic.Bool
		wait := Part(ctx, func() { done.Store(true) })
		if done.Load() {
			t.Errorf("%s: done before it was asked for", name)
		}
		if wait(); !done.Load() {
			t.Errorf("%s: not done", name)
		}
	}
}

// ends waits until there are no more goroutines than there were.
func ends(t *testing.T, before int) {
	t.Helper()
	late := time.After(30 * time.Second)
	for range time.Tick(time.Millisecond) {
		n := runtime.NumGoroutine() - before
		if n <= 0 {
			return
		}
		select {
		case <-late:
			t.Fatalf("%d mates are left", n)
		default:
		}
	}
}

// A mate goes when its piece of work is over, also where parts lie about that somebody else has done, and comes again when it has gone for want
// of parts.
func TestMate(t *testing.T) {
	crew, before := &Crew{cores: 2}, runtime.NumGoroutine()
	for range 200 {
		ctx, leave := crew.Enter(t.Context())
		for range 20 {
			Part(ctx, func() {})()
		}
		leave()
	}
	ends(t, before)
	ctx, leave := crew.Enter(t.Context())
	defer leave()
	for range 3 {
		met := make(chan struct{})
		wait := Part(ctx, func() { met <- struct{}{} })
		<-met
		wait()
		<-time.After(3 * patience)
	}
}

// Whoever comes while a mate waits for parts may have its core.
func TestMakesRoom(t *testing.T) {
	crew, before := &Crew{cores: 2}, runtime.NumGoroutine()
	_, leave := crew.Enter(t.Context())
	defer leave()
	other, gone := crew.Enter(t.Context())
	defer gone()
	ends(t, before)
	n := 0
	wait := Part(other, func() { n++ })
	if n != 0 {
		t.Fatal("done before it was asked for")
	}
	if wait(); n != 1 {
		t.Fatal("not done")
	}
}

func TestPanic(t *testing.T) {
	for range 100 {
		ctx, leave := (&Crew{cores: 2}).Enter(t.Context())
		wait := Part(ctx, func() { panic("oops") })
		func() {
			defer func() {
				if p := recover(); p != "oops" {
					t.Fatalf("wait panicked with %v", p)
				}
			}()
			wait()
		}()
		leave()
	}
}
