package sqlrows

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHalf tries all numbers of 16 bits, those beside them, and any others against what the definition says.
func TestHalf(t *testing.T) {
	t.Parallel()
	// value is what the definition says, worked out with more bits than are needed.
	value := func(h uint16) float64 {
		exp, frac := int(h>>10&31), float64(h&1023)/1024
		v := math.Ldexp(1+frac, exp-15)
		switch {
		case exp == 0:
			v = math.Ldexp(frac, -14)
		case exp == 31 && frac == 0:
			v = math.Inf(1)
		case exp == 31:
			v = math.NaN()
		}
		if h&0x8000 != 0 {
			v = -v
		}
		return v
	}
	for h := range 1 << 16 {
		want := value(uint16(h))
		got := whole(uint16(h))
		if math.IsNaN(want) {
			if !math.IsNaN(float64(got)) || !math.IsNaN(float64(whole(half(got)))) {
				t.Fatalf("%#x is %v", h, got)
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) || half(got) != uint16(h) {
			t.Fatalf("%#x is %v, and back %#x; %v is meant", h, got, half(got), want)
		}
	}
	nearest := func(x float32) {
		h := half(x)
		v := value(h)
		if math.IsInf(v, 0) {
			if math.Abs(float64(x)) < 65520 {
				t.Fatalf("%v became infinite", x)
			}
			return
		}
		miss := math.Abs(float64(x) - v)
		for _, o := range []uint16{h - 1, h + 1} {
			other := math.Abs(float64(x) - value(o))
			if other < miss || other == miss && h&1 == 1 {
				t.Fatalf("%v became %v, though %v is no further", x, v, value(o))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		nearest(math.Float32frombits(uint32(r.IntN(0x47800000-0x30000000)) + 0x30000000))
		nearest(-float32(r.NormFloat64() / 16))
	}
	for h := range uint16(0x7bff) {
		nearest((whole(h) + whole(h+1)) / 2)
	}
}
