package vector

import (
	"math"
	"math/bits"
)

// The pure Go twins of the assembly. A product that is added to something is written float32(x*y) where the assembly
// rounds it, because some compilers would otherwise fuse the two and round once.

func dotGo(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := (*[8]float32)(a[i:]), (*[8]float32)(b[i:])
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

func dotInt8Go(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += int32(a[0]) * int32(b[0])
		s1 += int32(a[1]) * int32(b[1])
		s2 += int32(a[2]) * int32(b[2])
		s3 += int32(a[3]) * int32(b[3])
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

func dotInt8QueryGo(code []int8, query []int16) int32 {
	query = query[:len(code)]
	var s0, s1, s2, s3 int32
	for len(code) >= 4 && len(query) >= 4 {
		s0 += int32(code[0]) * int32(query[0])
		s1 += int32(code[1]) * int32(query[1])
		s2 += int32(code[2]) * int32(query[2])
		s3 += int32(code[3]) * int32(query[3])
		code, query = code[4:], query[4:]
	}
	for i := range code {
		s0 += int32(code[i]) * int32(query[i])
	}
	return s0 + s1 + s2 + s3
}

// hadamardGo multiplies x by signs and then by the Hadamard matrix of its length, a power of two, in place.
func hadamardGo(x, signs []float32) {
	signs = signs[:len(x)]
	for i := 0; i+8 <= len(x); i += 8 { // the strides 1, 2 and 4 in registers
		p, s := (*[8]float32)(x[i:]), (*[8]float32)(signs[i:])
		a0, a1, a2, a3 := float32(p[0]*s[0]), float32(p[1]*s[1]), float32(p[2]*s[2]), float32(p[3]*s[3])
		a4, a5, a6, a7 := float32(p[4]*s[4]), float32(p[5]*s[5]), float32(p[6]*s[6]), float32(p[7]*s[7])
		a0, a1, a2, a3 = a0+a1, a0-a1, a2+a3, a2-a3
		a4, a5, a6, a7 = a4+a5, a4-a5, a6+a7, a6-a7
		a0, a1, a2, a3 = a0+a2, a1+a3, a0-a2, a1-a3
		a4, a5, a6, a7 = a4+a6, a5+a7, a4-a6, a5-a7
		p[0], p[1], p[2], p[3] = a0+a4, a1+a5, a2+a6, a3+a7
		p[4], p[5], p[6], p[7] = a0-a4, a1-a5, a2-a6, a3-a7
	}
	for h := 8; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			lo, hi := x[i:i+h], x[i+h:i+2*h]
			for j := range lo {
				a, b := lo[j], hi[j]
				lo[j], hi[j] = a+b, a-b
			}
		}
	}
}

// scanGo scans b. A slot whose live bit is 0 is not read.
func scanGo(h *Hits, b *Bits, q *Query, live []uint64, e estimate) {
	words := b.Dim / 64
	var sums [8]int
	for group := range len(b.Scale) / 8 {
		shift := group % 8 * 8
		todo := live[group/8] >> shift & 0xff
		if todo == 0 {
			continue
		}
		codes := b.Codes[group*words*8 : (group+1)*words*8]
		if todo == 0xff {
			groupSumsGo(&sums, codes, q.planes)
		} else {
			for t := todo; t != 0; t &= t - 1 {
				lane := bits.TrailingZeros64(t) & 7
				sums[lane] = sumGo(codes[lane:], q.planes)
			}
		}
		scale, est := (*[8]uint16)(b.Scale[group*8:]), (*[8]float32)(h.Est[group*8:])
		var hits uint64
		for ; todo != 0; todo &= todo - 1 {
			lane := bits.TrailingZeros64(todo) & 7
			factor := math.Float32frombits(uint32(scale[lane]) << 16)
			x := float32(factor*(float32(e.mul*float32(sums[lane]))+e.add)) + e.base
			if x >= e.threshold {
				est[lane] = x
				hits |= 1 << lane
			}
		}
		h.Mask[group/8] |= hits << shift
	}
}

// groupSumsGo makes the sums S (see [Query]) of the eight codes of a group.
func groupSumsGo(sums *[8]int, codes, planes []uint64) {
	*sums = [8]int{}
	for len(planes) >= 4 && len(codes) >= 8 {
		p0, p1, p2, p3 := planes[0], planes[1], planes[2], planes[3]
		for i, c := range codes[:8] {
			n := bits.OnesCount64(c ^ p3)
			n = bits.OnesCount64(c^p2) + 2*n
			n = bits.OnesCount64(c^p1) + 2*n
			n = bits.OnesCount64(c^p0) + 2*n
			sums[i&7] += n
		}
		planes, codes = planes[4:], codes[8:]
	}
}

// sumGo makes the sum S of one code, whose words lie 8 apart.
func sumGo(codes, planes []uint64) int {
	var s0, s1, s2, s3 int
	for i := 0; len(planes) >= 4 && i < len(codes); i += 8 {
		c := codes[i]
		s0 += bits.OnesCount64(c ^ planes[0])
		s1 += bits.OnesCount64(c ^ planes[1])
		s2 += bits.OnesCount64(c ^ planes[2])
		s3 += bits.OnesCount64(c ^ planes[3])
		planes = planes[4:]
	}
	return s0 + 2*s1 + 4*s2 + 8*s3
}
