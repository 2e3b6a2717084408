package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// scanAll returns the estimates of one scan; NaN where nothing was reported.
func scanAll(k vector.Kernels, b *vector.Bits, q *vector.Query, live []uint64, base, threshold float32) []float32 {
	h := new(vector.Hits)
	for i := range h.Mask { // as left by an earlier scan
		h.Mask[i] = math.MaxUint64
	}
	for i := range h.Est {
		h.Est[i] = -1e9
	}
	k.Scan(h, b, q, live, base, threshold)
	out := make([]float32, vector.MaxSlots)
	for i := range out {
		out[i] = float32(math.NaN())
		if h.Mask[i/64]>>(i%64)&1 != 0 {
			out[i] = h.Est[i]
		}
	}
	return out
}

func isLive(live []uint64, slot int) bool { return live[slot/64]>>(slot%64)&1 != 0 }

func randomLive(r *rand.Rand, slots int) []uint64 {
	live := make([]uint64, vector.LiveLen(slots))
	for i := range live {
		switch live[i] = r.Uint64(); r.IntN(4) {
		case 0:
			live[i] = 0
		case 1:
			live[i] &= 0xff00ff00f0f0
		}
	}
	return live
}

func randomBits(r *rand.Rand, dim, slots int) *vector.Bits {
	b := vector.NewBits(dim, slots)
	for i := range slots {
		b.Put(i, gauss(r, dim))
	}
	return b
}

func TestScanOfKernelsIsBitIdentical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim := 64 * rapid.OneOf(rapid.IntRange(1, 8), rapid.Just(64)).Draw(t, "words")
		slots := 8 * rapid.OneOf(rapid.IntRange(1, 20), rapid.SampledFrom([]int{2, 8, 32})).Draw(t, "groups")
		base := rapid.Float32Range(-2, 2).Draw(t, "base")
		threshold := rapid.OneOf(rapid.Float32Range(-20, 20), rapid.Just(float32(math.Inf(-1)))).Draw(t, "threshold")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b, live := randomBits(r, dim, slots), randomLive(r, slots)
		var q vector.Query
		q.Set(gauss(r, dim))
		got := scanAll(vector.Portable(), b, &q, live, base, threshold)
		for _, k := range kernels[1:] {
			if !sameAll(got, scanAll(k, b, &q, live, base, threshold)) {
				t.Fatalf("%d slots of %d dimensions: %s differs", slots, dim, k.Name())
			}
		}
		for slot, est := range got {
			if est == est && (slot >= slots || !isLive(live, slot) || est < threshold) {
				t.Fatalf("slot %d of %d with estimate %g was reported", slot, slots, est)
			}
		}
		everything := scanAll(vector.Default(), b, &q, live, base, float32(math.Inf(-1)))
		for slot := range slots {
			if all := everything[slot]; isLive(live, slot) && !(all == all && (all < threshold) == (got[slot] != got[slot])) {
				t.Fatalf("slot %d with estimate %g is missing or below the threshold %g", slot, all, threshold)
			}
		}
	})
}

// The estimate of every code against the definition, in float64.
func TestScanAgreesWithDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for _, dim := range []int{64, 256, 384, vector.MaxDim} {
		query, block := gauss(r, dim), vector.NewBits(dim, 64)
		vectors := make([][]float32, 64)
		for i := range vectors {
			vectors[i] = gauss(r, dim)
			block.Put(i, vectors[i])
		}
		var q vector.Query
		q.Set(query)
		step := float64(max(slices.Max(query), -slices.Min(query))) / 7.5
		got := scanAll(vector.Default(), block, &q, []uint64{math.MaxUint64}, 1, float32(math.Inf(-1)))
		for i, v := range vectors {
			var corner, abs, square float64
			for j, x := range v {
				u := min(15, math.Floor(float64(query[j])/step+8))
				corner += step * (u - 7.5) * math.Copysign(1, float64(x))
				abs += math.Abs(float64(x))
				square += float64(x) * float64(x)
			}
			if want := corner*square/abs + 1; math.Abs(float64(got[i])-want) > .01*math.Sqrt(float64(dim)) {
				t.Errorf("slot %d of %d dimensions: %g, want %g", i, dim, got[i], want)
			}
		}
	}
}

// The mean error over many rotations vanishes, and its spread is that of the paper, about √((1-c²)/c²/(dim-1)) with
// c = √(2/π), which is .75/√dim.
func TestEstimateIsUnbiased(t *testing.T) {
	t.Parallel()
	const dim, n = 256, 400
	r := rand.New(rand.NewPCG(5, 5))
	a, b := gauss(r, dim), gauss(r, dim)
	for i := range b {
		b[i] += a[i]
	}
	vector.Portable().Normalize(a)
	vector.Portable().Normalize(b)
	want, _ := exactDot(a, b)
	var sum, square float64
	for seed := range uint64(n) {
		rot := rotation(t, dim, seed)
		block := vector.NewBits(dim, 8)
		block.Put(0, rotate(rot, a))
		var q vector.Query
		q.Set(rotate(rot, b))
		e := float64(scanAll(vector.Default(), block, &q, []uint64{1}, 0, -2)[0]) - want
		sum += e
		square += e * e
	}
	mean, deviation := sum/n, math.Sqrt(square/n)
	if math.Abs(mean) > 4*deviation/math.Sqrt(n) || deviation > .8/16 {
		t.Errorf("error of the estimate of %.3f: mean %.5f, deviation %.5f", want, mean, deviation)
	}
}

func TestPutOddVectors(t *testing.T) {
	t.Parallel()
	b, c := vector.NewBits(64, 8), vector.NewInt8(64, 8)
	odd := [][]float32{make([]float32, 64), make([]float32, 64), make([]float32, 64), make([]float32, 64)}
	odd[1][5], odd[2][6], odd[3][7] = float32(math.NaN()), float32(math.Inf(-1)), 1e-44
	for i, v := range odd {
		b.Put(i, v)
		c.Put(i, v)
	}
	query := gauss(rand.New(rand.NewPCG(1, 1)), 64)
	var q vector.Query
	q.Set(query)
	var q8 vector.Int8Query
	q8.Set(query)
	for _, k := range kernels {
		got := scanAll(k, b, &q, []uint64{15}, 0, float32(math.Inf(-1)))
		if got[0] != 0 || got[1] == got[1] || got[2] == got[2] || math.Abs(float64(got[3])) > 1e-40 {
			t.Errorf("%s: estimates of zero, NaN, infinity and almost zero: %v", k.Name(), got[:4])
		}
		if zero, tiny := c.Score(k, 0, &q8), c.Score(k, 3, &q8); zero != 0 || math.Abs(float64(tiny)) > 1e-40 {
			t.Errorf("%s: scores of zero and almost zero: %g, %g", k.Name(), zero, tiny)
		}
		for slot := 1; slot <= 2; slot++ {
			if got := c.Score(k, slot, &q8); got == got {
				t.Errorf("%s: score of slot %d = %g, want NaN", k.Name(), slot, got)
			}
		}
	}
	q.Set(odd[0]) // a zero query gives zero, a broken one gives nothing
	if got := scanAll(vector.Default(), b, &q, []uint64{1}, .5, 0); got[0] != .5 {
		t.Errorf("zero query: %g, want the base", got[0])
	}
	for _, v := range odd[1:3] {
		q.Set(v)
		for _, k := range kernels {
			if got := scanAll(k, b, &q, []uint64{255}, 0, float32(math.Inf(-1)))[4]; got == got {
				t.Errorf("%s: broken query: %g", k.Name(), got)
			}
		}
	}
}

func TestLayoutGrowsByPrefix(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	small := randomBits(r, 192, 16)
	large := vector.NewBits(192, 64)
	copy(large.Codes, small.Codes)
	copy(large.Scale, small.Scale)
	large.CopySlot(40, small, 11)
	var q vector.Query
	q.Set(gauss(r, 192))
	want := scanAll(vector.Default(), small, &q, []uint64{0xffff}, 0, -100)
	got := scanAll(vector.Default(), large, &q, []uint64{0xffff | 1<<40}, 0, -100)
	if !sameAll(want[:16], got[:16]) || !same(got[40], want[11]) {
		t.Errorf("after growing %v and %g, before %v", got[:16], got[40], want[:16])
	}
	v := gauss(r, 192)
	v[63], v[64] = -1, 1 // the top bit of word 0, the bottom bit of word 1
	large.Put(21, v)
	if w0, w1 := large.Codes[(21/8*3+0)*8+21%8], large.Codes[(21/8*3+1)*8+21%8]; w0>>63 != 0 || w1&1 != 1 {
		t.Errorf("words of slot 21: %x, %x", w0, w1)
	}
}

func TestInt8Score(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	for _, dim := range []int{64, 384, vector.MaxDim} {
		block, query := vector.NewInt8(dim, 16), gauss(r, dim)
		vectors := make([][]float32, 16)
		for i := range vectors {
			vectors[i] = gauss(r, dim)
			block.Put(i, vectors[i])
		}
		block.CopySlot(15, block, 3)
		vectors[15] = vectors[3]
		var q vector.Int8Query
		q.Set(query)
		for i, v := range vectors {
			want, _ := exactDot(v, query)
			got := block.Score(vector.Portable(), i, &q)
			if math.Abs(float64(got)-want) > .04*math.Sqrt(float64(dim)) {
				t.Errorf("%d dimensions, slot %d: %g, want %g", dim, i, got, want)
			}
			if !same(got, block.Score(vector.Default(), i, &q)) {
				t.Errorf("%d dimensions, slot %d: kernels differ", dim, i)
			}
			if high := slices.MaxFunc(block.Code(i), cmpAbs); high != 127 && high != -127 {
				t.Errorf("%d dimensions, slot %d: largest number of the code %d, want ±127", dim, i, high)
			}
		}
	}
}

func cmpAbs(a, b int8) int { return max(int(a), -int(a)) - max(int(b), -int(b)) }

func TestScanTopEqualsSortingAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	const dim, blocks = 128, 6
	var q vector.Query
	q.Set(gauss(r, dim))
	for _, k := range kernels {
		top, h := vector.NewTopK(37), new(vector.Hits)
		var all []vector.Scored
		for i := range blocks {
			slots := []int{16, 64, 256, 1024}[i%4]
			b, live := randomBits(r, dim, slots), randomLive(r, slots)
			base, first := float32(i)/10, uint32(i*vector.MaxSlots)
			k.ScanTop(top, h, b, nil, &q, live, base, first)
			for slot, est := range scanAll(k, b, &q, live, base, float32(math.Inf(-1))) {
				if est == est {
					all = append(all, vector.Scored{Score: est, Slot: first + uint32(slot)})
				}
			}
		}
		if want, got := best(all, 37), top.Append(nil); !slices.Equal(want, got) {
			t.Errorf("%s: got %v, want %v", k.Name(), got, want)
		}
	}
}

func TestScanOfNoSlots(t *testing.T) {
	t.Parallel()
	var q vector.Query
	q.Set(gauss(rand.New(rand.NewPCG(6, 7)), 64))
	for _, k := range kernels {
		top := vector.NewTopK(3)
		k.ScanTop(top, new(vector.Hits), &vector.Bits{Dim: 64}, nil, &q, nil, 0, 0)
		if top.Len() != 0 {
			t.Errorf("%s: %d results of nothing", k.Name(), top.Len())
		}
	}
}

// The fuzz input is the raw memory of a block, as if read from a damaged file.
func FuzzScan(f *testing.F) {
	f.Add([]byte{1}, uint8(1), uint8(4), uint64(math.MaxUint64), float32(0))
	f.Add([]byte("some bytes to repeat"), uint8(4), uint8(9), uint64(0x00ff00f0f), float32(-3))
	f.Add([]byte{255, 255, 127, 127}, uint8(63), uint8(1), uint64(1), float32(1e30))
	f.Fuzz(func(t *testing.T, data []byte, words, groups uint8, liveBits uint64, threshold float32) {
		if len(data) == 0 {
			t.Skip()
		}
		dim, slots := 64*(1+int(words)%64), 8*(1+int(groups)%16)
		at := 0
		next := func() (x uint64) {
			for range 8 {
				x = x<<8 | uint64(data[at%len(data)])
				at++
			}
			return x
		}
		b := vector.NewBits(dim, slots)
		for i := range b.Codes {
			b.Codes[i] = next()
		}
		for i := range slots {
			b.Scale[i] = uint16(next())
		}
		query := make([]float32, dim)
		for i := range query {
			query[i] = float32(int16(next())) / 100
		}
		var q vector.Query
		q.Set(query)
		live := []uint64{liveBits, next()}
		want := scanAll(vector.Portable(), b, &q, live, 0, threshold)
		for _, k := range kernels[1:] {
			if !sameAll(want, scanAll(k, b, &q, live, 0, threshold)) {
				t.Errorf("%d slots of %d dimensions: %s differs", slots, dim, k.Name())
			}
		}
		var all []vector.Scored
		for slot, est := range scanAll(vector.Portable(), b, &q, live, 0, float32(math.Inf(-1))) {
			all = append(all, vector.Scored{Score: est, Slot: 7 + uint32(slot)}, vector.Scored{Score: est, Slot: 3000 + uint32(slot)})
		}
		for _, k := range kernels {
			top := k.NewTopK(slots / 2)
			for _, first := range []uint32{3000, 7} {
				k.ScanTop(top, new(vector.Hits), b, nil, &q, live, 0, first)
			}
			if want, got := best(all, slots/2), top.Append(nil); !slices.Equal(want, got) {
				t.Errorf("%d slots of %d dimensions: %s collects %v, want %v", slots, dim, k.Name(), got, want)
			}
		}
	})
}

// Estimates fall short of what they stand for by more than the doubt about them about as often as a normal variable exceeds four
// standard deviations, of vectors that are like each other as of such that are not; and the doubt is no larger than it must be.
func TestDoubt(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{64, 256, 384} {
		r := rand.New(rand.NewPCG(uint64(dim), 8))
		rot := rotation(t, dim, 5)
		block, turned := vector.NewBits(dim, vector.MaxSlots), make([]float32, dim)
		live := slices.Repeat([]uint64{math.MaxUint64}, vector.MaxSlots/64)
		short, all, half := 0, 0, 0
		for range 30 {
			query := gauss(r, dim)
			vector.Normalize(query)
			dots := make([]float32, vector.MaxSlots)
			for slot := range dots {
				v, like := gauss(r, dim), float32(slot%11)/3
				vector.Normalize(v)
				for i := range v {
					v[i] += like * query[i]
				}
				vector.Normalize(v)
				dots[slot] = vector.Dot(v, query)
				rot.Apply(turned, v)
				block.Put(slot, turned)
			}
			rot.Apply(turned, query)
			var q vector.Query
			q.Set(turned)
			for slot, est := range scanAll(vector.Default(), block, &q, live, 0, float32(math.Inf(-1))) {
				all++
				if est < dots[slot]-q.Doubt(dots[slot]) {
					short++
				}
				if est < dots[slot]-q.Doubt(dots[slot])/4 {
					half++
				}
			}
		}
		if short*1000 > all || half*10 < all {
			t.Errorf("%d dimensions: of %d estimates %d fall short by four deviations, %d by one", dim, all, short, half)
		}
		t.Logf("%d dimensions: of %d estimates %d fall short by four deviations, %d by one", dim, all, short, half)
	}
}

func FuzzInt8Score(f *testing.F) {
	f.Add([]byte{128, 127, 0}, []byte{1, 2})
	f.Fuzz(func(t *testing.T, codes, query []byte) {
		v := floats(query)
		if len(v) == 0 || len(v) > vector.MaxDim {
			t.Skip()
		}
		block := vector.Int8{Dim: len(v), Codes: make([]int8, len(v)), Scale: []float32{1}}
		for i := range block.Codes {
			if len(codes) > 0 {
				block.Codes[i] = int8(codes[i%len(codes)])
			}
		}
		var q vector.Int8Query
		q.Set(v)
		if x, y := block.Score(vector.Portable(), 0, &q), block.Score(vector.Default(), 0, &q); !same(x, y) {
			t.Errorf("score of %d dimensions: go %g, default %g", len(v), x, y)
		}
	})
}
