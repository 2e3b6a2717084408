package bench

import (
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Latencies calls fn n times and returns the milliseconds of each call, in order of size.
func Latencies(n int, fn func() error) ([]float64, error) {
	ms := make([]float64, n)
	for i := range ms {
		began := time.Now()
		if err := fn(); err != nil {
			return nil, err
		}
		ms[i] = float64(time.Since(began)) / 1e6
	}
	slices.Sort(ms)
	return ms, nil
}

// Quantile returns the value below which the share q of a sorted list lies.
func Quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// NewClock returns a clock that starts at one fixed moment and moves on by a millisecond each time it is read.
func NewClock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Millisecond)
		return now
	}
}

// NewRand returns a source of bytes that are the same for one seed. It is safe for concurrent use.
func NewRand(seed byte) io.Reader { return &seeded{r: rand.NewChaCha8([32]byte{seed})} }

type seeded struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}
