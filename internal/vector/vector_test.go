package vector_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// kernels are compared with each other in every test, the pure Go ones first; on a machine without AVX2 there are no others.
var kernels = vector.All()

func gauss(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func exactDot(a, b []float32) (sum, abs float64) {
	for i := range a {
		p := float64(a[i]) * float64(b[i])
		sum += p
		abs += math.Abs(p)
	}
	return sum, abs
}

func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func sameAll(a, b []float32) bool { return slices.EqualFunc(a, b, same) }

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestDotOfEveryLength(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		offset := n % 7 // unaligned starts
		a, b := gauss(r, n+offset)[offset:], gauss(r, n+offset)[offset:]
		want, abs := exactDot(a, b)
		for _, k := range kernels {
			if got := float64(k.Dot(a, b)); math.Abs(got-want) > 1e-5*abs {
				t.Errorf("%s: dot of %d = %g, want %g", k.Name(), n, got, want)
			}
		}
		if got := vector.Dot(a, b); !same(got, vector.Default().Dot(a, b)) {
			t.Errorf("Dot of %d is not that of the default kernels", n)
		}
	}
}

func TestDotRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	rows, query, got := gauss(r, 5*33), gauss(r, 33), make([]float32, 5)
	for _, k := range kernels {
		k.DotRows(got, rows, query)
		for i := range got {
			if want := k.Dot(rows[i*33:(i+1)*33], query); !same(got[i], want) {
				t.Errorf("%s: row %d = %g, want %g", k.Name(), i, got[i], want)
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name       string
		give, want []float32
		norm       float32
	}{
		{"plain", []float32{3, 4}, []float32{.6, .8}, 5},
		{"unit", []float32{0, -1}, []float32{0, -1}, 1},
		{"zero", []float32{0, 0}, []float32{0, 0}, 0},
		{"empty", nil, nil, 0},
		{"square overflows", []float32{3e30, 4e30}, []float32{.6, .8}, 5e30},
		{"length overflows", []float32{3e38, 3e38}, []float32{math.Sqrt2 / 2, math.Sqrt2 / 2}, inf},
		{"square underflows", []float32{3e-30, 4e-30}, []float32{.6, .8}, 5e-30},
		{"subnormal", []float32{3e-42, 4e-42}, []float32{.6, .8}, 5e-42},
		{"nan", []float32{1, nan}, []float32{1, nan}, nan},
		{"infinity", []float32{1, inf}, []float32{1, inf}, inf},
	}
	for _, tt := range tests {
		for _, k := range kernels {
			v := slices.Clone(tt.give)
			near := cmp.Comparer(func(a, b float32) bool {
				return a == b || a != a && b != b || math.Abs(float64(a)-float64(b)) < 1e-3*math.Abs(float64(a))
			})
			norm := k.Normalize(v)
			if diff := cmp.Diff(tt.norm, norm, near); diff != "" {
				t.Errorf("%s, %s: norm (-want +got)\n%s", tt.name, k.Name(), diff)
			}
			if diff := cmp.Diff(tt.want, v, near); diff != "" {
				t.Errorf("%s, %s: vector (-want +got)\n%s", tt.name, k.Name(), diff)
			}
		}
	}
	v := []float32{3, 4}
	if got := vector.Normalize(v); got != 5 || v[0] != float32(.6) {
		t.Errorf("Normalize of 3, 4 = %g, %v", got, v)
	}
}

func TestDotInt8OfEveryLength(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	for n := range 200 {
		a, b := make([]int8, n), make([]int8, n)
		var want, own int32
		for i := range a {
			a[i], b[i] = int8(r.Uint32()), int8(r.Uint32())
			if n%3 == 0 {
				a[i], b[i] = -128, -128
			}
			want += int32(a[i]) * int32(b[i])
			own += int32(a[i]) * int32(a[i])
		}
		var rows vector.Int8Rows
		for _, row := range [][]int8{a, b, a} {
			rows.Add(row)
		}
		for _, k := range kernels {
			if got := k.DotInt8(a, b); got != want {
				t.Errorf("%s: dot of %d = %d, want %d", k.Name(), n, got, want)
			}
			dots := make([]int32, 3)
			if rows.Dots(k, dots[:2], a); dots[0] != own || dots[1] != want || dots[2] != 0 {
				t.Errorf("%s: dots of %d = %d, want %d and %d", k.Name(), n, dots, own, want)
			}
		}
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	t.Parallel()
	rotation, err := vector.NewRotation(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	var q vector.Query
	q.Set(make([]float32, 128))
	k, h, bits, codes := vector.Default(), new(vector.Hits), vector.NewBits(64, 16), vector.NewInt8(64, 16)
	var q8 vector.Int8Query
	q8.Set(make([]float32, 128))
	var rows vector.Int8Rows
	rows.Add(make([]int8, 64))
	short := *vector.NewBits(128, 64)
	short.Codes = short.Codes[1:]
	calls := map[string]func(){
		"dot":            func() { k.Dot(make([]float32, 2), make([]float32, 3)) },
		"dot rows":       func() { k.DotRows(make([]float32, 2), make([]float32, 3), make([]float32, 2)) },
		"dot int8":       func() { k.DotInt8(make([]int8, 2), make([]int8, 3)) },
		"dots of rows":   func() { rows.Dots(k, make([]int32, 1), make([]int8, 65)) },
		"dots of more":   func() { rows.Dots(k, make([]int32, 2), make([]int8, 64)) },
		"other rows":     func() { rows.Add(make([]int8, 63)) },
		"rotate in":      func() { rotation.Apply(make([]float32, 128), make([]float32, 99)) },
		"rotate out":     func() { rotation.Apply(make([]float32, 100), make([]float32, 100)) },
		"query":          func() { new(vector.Query).Set(make([]float32, 100)) },
		"query int8":     func() { new(vector.Int8Query).Set(make([]float32, vector.MaxDim+1)) },
		"put bits":       func() { bits.Put(0, make([]float32, 63)) },
		"put int8":       func() { codes.Put(0, make([]float32, 65)) },
		"copy bits":      func() { bits.CopySlot(0, vector.NewBits(128, 16), 0) },
		"copy int8":      func() { codes.CopySlot(0, vector.NewInt8(128, 16), 0) },
		"scan dimension": func() { k.Scan(h, bits, &q, []uint64{1}, 0, 0) },
		"scan live":      func() { k.Scan(h, vector.NewBits(128, 128), &q, []uint64{1}, 0, 0) },
		"scan no live":   func() { k.Scan(h, vector.NewBits(128, 16), &q, nil, 0, 0) },
		"scan codes":     func() { k.Scan(h, &short, &q, []uint64{1}, 0, 0) },
		"score":          func() { codes.Score(k, 0, &q8) },
		"bits dimension": func() { vector.NewBits(100, 16) },
		"bits slots":     func() { vector.NewBits(64, 12) },
		"int8 slots":     func() { vector.NewInt8(64, 2048) },
	}
	for name, call := range calls {
		if !panics(call) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func TestCheckNamesWrongShapes(t *testing.T) {
	t.Parallel()
	b, c := vector.NewBits(64, 16), vector.NewInt8(64, 16)
	if err := errors.Join(b.Check(), c.Check()); err != nil {
		t.Fatal(err)
	}
	b.Codes, c.Codes = b.Codes[1:], c.Codes[1:]
	for _, err := range []error{
		b.Check(), c.Check(),
		(&vector.Bits{Dim: 65}).Check(), (&vector.Int8{Dim: 64}).Check(), (&vector.Bits{}).Check(),
		(&vector.Bits{Dim: 2 * vector.MaxDim, Scale: make([]uint16, 8)}).Check(),
	} {
		if !errors.Is(err, vector.ErrShape) {
			t.Errorf("error = %v, want ErrShape", err)
		}
	}
}

func TestSlotsFor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 16, 16: 16, 17: 64, 64: 64, 65: 256, 256: 256, 257: 1024, 5000: 1024} {
		if got := vector.SlotsFor(n); got != want {
			t.Errorf("SlotsFor(%d) = %d, want %d", n, got, want)
		}
	}
	if got := []int{vector.LiveLen(16), vector.LiveLen(64), vector.LiveLen(1024)}; !slices.Equal(got, []int{1, 1, 16}) {
		t.Errorf("LiveLen of 16, 64, 1024 = %v", got)
	}
}

// floats makes numbers of fuzz input: small whole ones, so that a sum of products has a known error.
func floats(data []byte) []float32 {
	v := make([]float32, len(data)/2)
	for i := range v {
		v[i] = float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 256
	}
	return v
}

func FuzzDot(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, uint8(1))
	f.Add(make([]byte, 4*67), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, offset uint8) {
		v := floats(data)
		v = v[min(len(v), int(offset)):]
		a, b := v[:len(v)/2], v[len(v)/2:len(v)/2*2]
		want, abs := exactDot(a, b)
		for _, k := range kernels {
			if got := float64(k.Dot(a, b)); math.Abs(got-want) > 1e-4*abs {
				t.Errorf("%s: dot of %d = %g, want %g", k.Name(), len(a), got, want)
			}
		}
	})
}

func FuzzDotInt8(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{128, 128, 128, 128, 127, 127, 127, 1}, uint8(0))
	f.Add(make([]byte, 131), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, offset uint8) {
		data = data[min(len(data), int(offset)):]
		n := len(data) / 2
		a, b := make([]int8, n), make([]int8, n)
		for i := range a {
			a[i], b[i] = int8(data[i]), int8(data[n+i])
		}
		if x, y := vector.Portable().DotInt8(a, b), vector.Default().DotInt8(a, b); x != y {
			t.Errorf("dot of %d: go %d, default %d", n, x, y)
		}
	})
}

// Numbers of 4 bits add up to the same bits whatever the kernel, and nothing is read or written behind them.
func TestAddNibbles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for blocks := range 18 {
		codes := make([]byte, blocks*vector.NibbleBlock/2)
		for i := range codes {
			codes[i] = byte(r.Uint32())
		}
		x, scales := gauss(r, blocks*vector.NibbleBlock), gauss(r, blocks)
		want := slices.Clone(x)
		for i := range want {
			n := int(codes[i/2]>>(i%2*4)&15) - 8
			want[i] += float32(float32(n) * scales[i/vector.NibbleBlock])
		}
		for _, k := range kernels {
			got := append(slices.Clone(x), 1, 2, 3, 4, 5, 6, 7, 8)
			k.AddNibbles(got[:len(x)], string(codes), scales)
			if !slices.Equal(got[:len(x)], want) || !slices.Equal(got[len(x):], []float32{1, 2, 3, 4, 5, 6, 7, 8}) {
				t.Errorf("%s, %d blocks: %v, want %v", k.Name(), blocks, got, want)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("lengths that do not fit are taken")
		}
	}()
	vector.Default().AddNibbles(make([]float32, 32), "too short", make([]float32, 1))
}
