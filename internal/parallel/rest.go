package parallel

import (
	"context"
	"math/bits"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What a program that does nothing allocates from look to look is less than still: jobs are asked for, times are written. One that has
// allocated less than worth since it last gave memory back has little to give.
const (
	still  = 1 << 20
	worth  = 4 << 20
	longer = 16 // looks after which it is not tried again
)

// Rest gives memory back to the machine while the program has nothing to do, until ctx ends. Every so often it looks whether anything was
// done since it last looked; if not, it calls trim, which lets go of what is kept for speed alone, collects garbage and returns what is
// free. It does that again after twice, four, eight and sixteen times as long, as things expire, and then not before something was done.
func Rest(ctx context.Context, every time.Duration, trim func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var r rest
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if r.look(allocated()) {
			trim()
			debug.FreeOSMemory()
			r.last = allocated()
		}
	}
}

// rest is what one look leaves for the next.
type rest struct {
	last  uint64 // bytes that had been allocated
	done  uint64 // of them since the last stretch of nothing
	looks uint   // of this stretch
}

// look reports whether memory is to be given back now.
func (r *rest) look(allocated uint64) bool {
	new := allocated - r.last
	r.last = allocated
	r.done += new
	if new > still {
		r.looks = 0
		return false
	}
	if r.looks == 0 && r.done < worth {
		return false
	}
	r.looks, r.done = r.looks+1, 0
	return r.looks <= longer && bits.OnesCount(r.looks) == 1
}

// allocated returns how many bytes have been allocated since the start.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
