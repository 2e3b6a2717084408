package vector

import "fmt"

// NibbleBlock is how many numbers of 4 bits share a scale.
const NibbleBlock = 32

// AddNibbles adds numbers of 4 bits to x: each is (nibble - 8) times the scale of its block of [NibbleBlock]. A byte of codes holds two of
// them, the low nibble first. It panics unless the lengths fit. Every kernel gives the same bits: product and sum are rounded each by itself.
func (k Kernels) AddNibbles(x []float32, codes string, scales []float32) {
	if len(x) != len(scales)*NibbleBlock || len(codes) != len(x)/2 {
		panic(fmt.Sprintf("vector: %d nibbles in %d blocks for %d numbers", 2*len(codes), len(scales), len(x)))
	}
	k.addNibbles(x, codes, scales)
}

func addNibblesGo(x []float32, codes string, scales []float32) {
	for _, s := range scales {
		y, c := (*[NibbleBlock]float32)(x), codes[:NibbleBlock/2]
		for i := range NibbleBlock / 2 {
			v := &pairs[c[i]]
			y[2*i] += float32(v[0] * s) // the conversion forbids a fused multiply-add
			y[2*i+1] += float32(v[1] * s)
		}
		x, codes = x[NibbleBlock:], codes[NibbleBlock/2:]
	}
}

// pairs are the two numbers of every byte, before they are scaled.
var pairs = func() (list [256][2]float32) {
	for b := range list {
		list[b] = [2]float32{float32(b&15 - 8), float32(b>>4 - 8)}
	}
	return list
}()
