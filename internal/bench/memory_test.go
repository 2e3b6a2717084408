package bench_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

func TestPrivate(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		t.Skip(err)
	}
	measure := func() int64 {
		debug.FreeOSMemory()
		n, err := bench.Private(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := measure()
	const size = 64 << 20
	with := func() int64 {
		own := make([]byte, size)
		for i := range own {
			own[i] = 1
		}
		defer runtime.KeepAlive(own)
		return measure()
	}()
	after := measure()
	if grown := with - before; grown < size*9/10 || grown > size*3/2 {
		t.Errorf("64 MiB count as %d bytes", grown)
	}
	if after > before+size/4 {
		t.Errorf("%d bytes before, %d when it is given back", before, after)
	}
	if _, err := bench.Private(-1); err == nil {
		t.Error("a process that is not there has memory")
	}
}
