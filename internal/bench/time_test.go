package bench_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

func TestTimesAndSeeds(t *testing.T) {
	t.Parallel()
	calls := 0
	ms, err := bench.Latencies(20, func() error { calls++; return nil })
	if err != nil || calls != 20 || len(ms) != 20 || ms[0] > ms[19] {
		t.Errorf("%d calls, %v, %v", calls, ms, err)
	}
	boom := errors.New("boom")
	if _, err := bench.Latencies(3, func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if q := bench.Quantile([]float64{1, 2, 3, 4}, .5); q != 3 {
		t.Errorf("median %v", q)
	}
	if q := bench.Quantile([]float64{1, 2, 3, 4}, 1); q != 4 {
		t.Errorf("maximum %v", q)
	}
	a, b := make([]byte, 32), make([]byte, 32)
	for _, p := range [][]byte{a, b} {
		if _, err := io.ReadFull(bench.NewRand(1), p); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a, b) {
		t.Error("one seed gives two streams")
	}
	clock := bench.NewClock()
	if x, y := clock(), clock(); !y.After(x) {
		t.Errorf("the clock stands: %v, %v", x, y)
	}
}
