package sqlrows

import "math"

// half returns the number of 16 bits (IEEE 754 binary16) next to x, ties to even. What is too large becomes infinite.
func half(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b>>16) & 0x8000
	switch b &= 0x7fffffff; {
	case b > 0x7f800000:
		return sign | 0x7e00 // no number
	case b >= 0x47800000:
		return sign | 0x7c00
	case b < 0x38800000: // below the smallest with a full mantissa: that of ½ has its lowest bit where theirs is
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += b >> 13 & 1
	return sign | uint16((b-112<<23+0xfff)>>13)
}

// whole returns the number that 16 bits stand for.
func whole(h uint16) float32 {
	b := uint32(h&0x7fff) << 13
	switch exp := b & 0x0f800000; exp {
	case 0x0f800000:
		b += (255 - 31) << 23
	case 0:
		b = math.Float32bits(math.Float32frombits(b+113<<23) - math.Float32frombits(113<<23))
	default:
		b += 112 << 23
	}
	return math.Float32frombits(b | uint32(h&0x8000)<<16)
}
