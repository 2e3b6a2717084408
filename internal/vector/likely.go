package vector

import (
	"math"
	"math/bits"
)

// likely is what turns the number of dimensions in which the sign of a code is that of the query into the most that <o,q> can be with
// that number, all but certainly: the mean over all ways to place these dimensions, and four standard deviations.
type likely struct{ mul, add float32 }

// setLikely keeps the signs of the quantised query by themselves, and what they say of the rest of it. Where n of dim signs are the same,
// <o,q> = Σ±|qᵢ| has the mean (2n-dim)·m, where m is that of |qᵢ|, and a variance of at most Σ(|qᵢ|-m)².
func (q *Query) setLikely(v []float32) {
	q.signs = resize(q.signs, len(v)/64)
	for w := range q.signs {
		q.signs[w] = q.planes[4*w+3]
	}
	var abs, square float64 // products of two float32 are exact in float64, so every platform agrees
	for _, x := range v {
		abs += math.Abs(float64(x))
		square += float64(x) * float64(x)
	}
	mean := abs / float64(len(v))
	spread := math.Sqrt(max(0, square-float64(mean*abs)))
	q.likely = likely{mul: float32(2 * mean), add: float32(float64(4*spread) - abs)}
}

// Sifts reports whether [Kernels.ScanLikely] leaves anything out: so it does where there is no assembly.
func (k Kernels) Sifts() bool { return !k.simd }

// ScanLikely does what [Kernels.ScanTop] does, but for what is all but certain not to be among the best. Kernels without assembly compare
// the signs of a code with those of the query first, which is a quarter of the work, and leave a slot out where these put its estimate
// four standard deviations below the threshold. The threshold is that of top, or floor where this is higher: a score that so many are
// likely to reach as top keeps, or negative infinity. Kernels with assembly leave nothing out and take no heed of floor.
func (k Kernels) ScanLikely(top *TopK, h *Hits, b, next *Bits, q *Query, live []uint64, base, floor float32, first uint32) {
	e := q.estimate(base, max(top.Threshold(), floor))
	if !k.Sifts() || math.IsInf(float64(e.threshold), -1) {
		k.ScanTop(top, h, b, next, q, live, base, first)
		return
	}
	checkScan(b, q, live)
	var slots [MaxSlots]uint16
	for _, slot := range slots[:siftGo(&slots, b, q, live, e)] {
		s, words := int(slot), b.Dim/64
		sum := sumGo(b.Codes[s/8*words*8+s%8:(s/8+1)*words*8], q.planes)
		factor := math.Float32frombits(uint32(b.Scale[s]) << 16)
		if x := float32(factor*(float32(e.mul*float32(sum))+e.add)) + e.base; x >= e.threshold {
			top.Push(x, first+uint32(slot))
		}
	}
	top.tighten()
}

// siftGo fills slots with the live ones whose signs let their estimates reach the threshold, and returns how many these are. A slot whose
// live bit is 0 is not read.
func siftGo(slots *[MaxSlots]uint16, b *Bits, q *Query, live []uint64, e estimate) (n int) {
	words, most, least := b.Dim/64, q.likely, e.threshold-e.base
	var same [8]int
	for group := range len(b.Scale) / 8 {
		todo := live[group/8] >> (group % 8 * 8) & 0xff
		if todo == 0 {
			continue
		}
		codes, scale := b.Codes[group*words*8:(group+1)*words*8], (*[8]uint16)(b.Scale[group*8:])
		if todo != 0xff {
			for ; todo != 0; todo &= todo - 1 {
				lane := bits.TrailingZeros64(todo) & 7
				slots[n&(MaxSlots-1)] = uint16(group*8 + lane)
				n += most.reaches(least, scale[lane], sameGo(codes[lane:], q.signs))
			}
			continue
		}
		if len(codes) == 32 && len(q.signs) == 4 { // 256 dimensions, in registers
			c, s := (*[32]uint64)(codes), (*[4]uint64)(q.signs)
			for i := range 8 {
				slots[n&(MaxSlots-1)] = uint16(group*8 + i)
				n += most.reaches(least, scale[i], bits.OnesCount64(c[i]^s[0])+bits.OnesCount64(c[8+i]^s[1])+
					bits.OnesCount64(c[16+i]^s[2])+bits.OnesCount64(c[24+i]^s[3]))
			}
			continue
		}
		groupSameGo(&same, codes, q.signs)
		for i, count := range same {
			slots[n&(MaxSlots-1)] = uint16(group*8 + i)
			n += most.reaches(least, scale[i], count)
		}
	}
	return n
}

// reaches returns 1 where a code of this factor with so many signs of the query can reach the threshold, and 0 where it hardly can: a
// number, since a branch would be mispredicted too often.
func (l likely) reaches(least float32, scale uint16, same int) (yes int) {
	if float32(math.Float32frombits(uint32(scale)<<16)*(float32(l.mul*float32(same))+l.add)) >= least {
		yes = 1
	}
	return yes
}

// groupSameGo counts for the eight codes of a group how many of their signs are those of the query.
func groupSameGo(same *[8]int, codes, signs []uint64) {
	*same = [8]int{}
	for ; len(signs) >= 2 && len(codes) >= 16; signs, codes = signs[2:], codes[16:] {
		c, s0, s1 := (*[16]uint64)(codes), signs[0], signs[1]
		for i := range 8 {
			same[i] += bits.OnesCount64(c[i]^s0) + bits.OnesCount64(c[8+i]^s1)
		}
	}
	if len(signs) > 0 && len(codes) >= 8 {
		for i, c := range codes[:8] {
			same[i&7] += bits.OnesCount64(c ^ signs[0])
		}
	}
}

// sameGo does so for one code, whose words lie 8 apart.
func sameGo(codes, signs []uint64) (same int) {
	for i := 0; len(signs) > 0 && i < len(codes); i += 8 {
		same += bits.OnesCount64(codes[i] ^ signs[0])
		signs = signs[1:]
	}
	return same
}
