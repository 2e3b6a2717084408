package vector_test

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// guarded returns a copy of s that ends where readable memory ends, so that reading behind it stops the program.
func guarded[T any](t *testing.T, s []T) []T {
	t.Helper()
	size, page := len(s)*int(unsafe.Sizeof(*new(T))), syscall.Getpagesize()
	room := (size + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("map memory: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Errorf("unmap memory: %v", err)
		}
	})
	if err := syscall.Mprotect(memory[room:], syscall.PROT_NONE); err != nil {
		t.Fatalf("protect memory: %v", err)
	}
	if size == 0 {
		return nil
	}
	out := unsafe.Slice((*T)(unsafe.Pointer(&memory[room-size])), len(s))
	copy(out, s)
	return out
}

// Blocks are mapped from files: a kernel that reads behind one would bring the program down.
func TestKernelsReadNothingBehindTheirSlices(t *testing.T) {
	t.Parallel()
	for _, k := range kernels {
		readAtTheEdge(t, k)
	}
}

func readAtTheEdge(t *testing.T, k vector.Kernels) {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 2))
	for n := range 70 {
		a, b := guarded(t, gauss(r, n)), guarded(t, gauss(r, n))
		k.Dot(a, b)
		x, y := guarded(t, make([]int8, n)), guarded(t, make([]int8, n))
		k.DotInt8(x, y)
		codes := guarded(t, make([]byte, n*vector.NibbleBlock/2))
		k.AddNibbles(guarded(t, make([]float32, n*vector.NibbleBlock)), unsafe.String(unsafe.SliceData(codes), len(codes)), guarded(t, make([]float32, n)))
	}
	for _, dim := range []int{64, 320} {
		rot := rotation(t, dim, 1)
		rot.Apply(guarded(t, make([]float32, dim)), guarded(t, gauss(r, dim)))
		var q vector.Query
		q.Set(guarded(t, gauss(r, dim)))
		var fine vector.Int8Query
		fine.Set(gauss(r, dim))
		for slots := 8; slots <= 136; slots += 8 {
			b := randomBits(r, dim, slots)
			b.Codes, b.Scale = guarded(t, b.Codes), guarded(t, b.Scale)
			live := guarded(t, randomLive(r, slots))
			k.Scan(new(vector.Hits), b, &q, live, 0, -100)
			c := &vector.Int8{Dim: dim, Codes: guarded(t, make([]int8, dim*slots)), Scale: guarded(t, make([]float32, slots))}
			c.Prefetch(k, slots-1)
			k.Prefetch(guarded(t, gauss(r, dim)))
			c.Score(k, slots-1, &fine)
		}
	}
}
