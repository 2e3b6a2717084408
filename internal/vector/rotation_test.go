package vector_test

import (
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

func rotation(tb testing.TB, dim int, seed uint64) *vector.Rotation {
	tb.Helper()
	r, err := vector.NewRotation(dim, seed)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func rotate(r *vector.Rotation, v []float32) []float32 {
	out := make([]float32, r.Padded())
	r.Apply(out, v)
	return out
}

func TestRotationKeepsDotProducts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.OneOf(rapid.IntRange(1, 700), rapid.SampledFrom([]int{256, 384, 768, 1024, 4095, 4096})).Draw(t, "dim")
		seed := rapid.Uint64().Draw(t, "seed")
		r, err := vector.NewRotation(dim, seed)
		if err != nil {
			t.Fatal(err)
		}
		if r.Dim() != dim || r.Seed() != seed || r.Padded() < dim || r.Padded()%64 != 0 || r.Padded() >= dim+64 {
			t.Fatalf("rotation of %d: dim %d, padded %d, seed %d", dim, r.Dim(), r.Padded(), r.Seed())
		}
		random := rand.New(rand.NewPCG(seed, 7))
		a, b := gauss(random, dim), gauss(random, dim)
		ra, rb := rotate(r, a), rotate(r, b)
		want, abs := exactDot(a, b)
		if got, _ := exactDot(ra, rb); math.Abs(got-want) > 1e-4*abs {
			t.Errorf("dot of %d dimensions = %g, want %g", dim, got, want)
		}
		if !sameAll(ra, rotate(r.With(vector.Portable()), a)) {
			t.Errorf("rotation of %d dimensions differs between kernels", dim)
		}
		inPlace := append(slices.Clone(a), make([]float32, r.Padded()-dim)...)
		r.Apply(inPlace, inPlace[:dim])
		if !sameAll(ra, inPlace) {
			t.Errorf("rotation of %d dimensions in place differs", dim)
		}
	})
}

// Codes on disk depend on every bit of the rotation, so it is pinned.
func TestRotationNeverChanges(t *testing.T) {
	t.Parallel()
	for dim, want := range map[int]uint32{256: 0x26c0ed3b, 384: 0xb1848af1, 100: 0x60cc5870} {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(i%17) - 8
		}
		for _, k := range kernels {
			var sum uint32
			for _, x := range rotate(rotation(t, dim, 42).With(k), v) {
				f := math.Float32bits(x)
				sum = crc32.Update(sum, crc32.IEEETable, []byte{byte(f), byte(f >> 8), byte(f >> 16), byte(f >> 24)})
			}
			if sum != want {
				t.Errorf("%s: checksum of %d dimensions = %#08x, want %#08x", k.Name(), dim, sum, want)
			}
		}
	}
}

// A vector with all its weight in few dimensions must come out with its weight spread: then the mean of |x| is near
// that of a Gaussian, √(2/π)·|v|/√dim, and no number sticks out.
func TestRotationSpreadsWeight(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{256, 320, 384, 448, 768, 1000, 1536} {
		worst, least := 0.0, math.Inf(1)
		for at := range dim {
			v := make([]float32, dim)
			v[at], v[(at*7+3)%dim] = 1, 2
			out := rotate(rotation(t, dim, 9), v)
			var abs, square float64
			for _, x := range out {
				abs += math.Abs(float64(x))
				square += float64(x) * float64(x)
				worst = max(worst, math.Abs(float64(x))*math.Sqrt(float64(len(out))/5))
			}
			least = min(least, abs/math.Sqrt(square*float64(len(out))))
		}
		if worst > 7 || least < 0.6 {
			t.Errorf("%d dimensions: largest number %.2f of the mean, flatness %.3f", dim, worst, least)
		}
	}
}

func TestRotationsOfSeedsDiffer(t *testing.T) {
	t.Parallel()
	v := gauss(rand.New(rand.NewPCG(1, 1)), 128)
	if sameAll(rotate(rotation(t, 128, 1), v), rotate(rotation(t, 128, 2), v)) {
		t.Error("seeds 1 and 2 give the same rotation")
	}
}

func TestRotationRefusesDimensions(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{-1, 0, vector.MaxDim + 1} {
		if _, err := vector.NewRotation(dim, 1); !errors.Is(err, vector.ErrDim) {
			t.Errorf("rotation of %d dimensions: error = %v, want ErrDim", dim, err)
		}
	}
}

func FuzzRotation(f *testing.F) {
	f.Add([]byte{1, 2}, uint64(0))
	f.Add(make([]byte, 2*300), uint64(1))
	f.Add([]byte("the quick brown fox jumps over the lazy dog and back again"), uint64(1<<63))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		v := floats(data)
		if len(v) == 0 || len(v) > 1024 {
			t.Skip()
		}
		r := rotation(t, len(v), seed)
		if !sameAll(rotate(r.With(vector.Portable()), v), rotate(r.With(vector.Default()), v)) {
			t.Errorf("rotation of %d dimensions differs between kernels", len(v))
		}
	})
}
