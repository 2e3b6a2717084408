//go:build amd64 && !purego

package encoder

import "golang.org/x/sys/cpu"

func detectKernels() kernels {
	simd := cpu.X86.HasAVX2 && cpu.X86.HasFMA
	return kernels{
		simd: simd,
		wide: simd && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VNNI,
	}
}

// The strides of dst and a are in bytes. w points to a block of 16 rows of weights (mulTileAVX512: two of them, one after the
// other), as matrix keeps them; pairs is half the length of a row.
//
//go:noescape
func mulTileAVX2(dst *float32, dstStride int, a *int16, aStride int, w *int8, pairs int, aScales, scales, bias *float32)

//go:noescape
func mulTileAVX512(dst *float32, dstStride int, a *int16, aStride int, w *int8, pairs int, aScales, scales, bias *float32)

//go:noescape
func quantizeAVX2(dst *int16, src *float32, n int) float32

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func addNormAVX2(x, y, gain, bias *float32, n int, eps float32)

//go:noescape
func softmaxAVX2(x *float32, n int, scale float32)

//go:noescape
func mulStripeAVX2(dst *float32, dstStride int, a *float32, aStride int, b *float32, bStride, k int)

// mul multiplies tokens, of which there are a whole number of tiles, by the weights of m. A block of weights meets all tokens
// before the next one, so that it is read from memory once.
func (k kernels) mul(dst []float32, a []int16, aScales []float32, m *matrix) {
	tokens := len(a) / m.cols
	_, _ = dst[tokens*m.rows-1], aScales[tokens-1] // the assembly checks no bounds
	switch {
	case k.wide && m.rows%(2*block) == 0:
		for r := 0; r < m.rows; r += 2 * block {
			for t := 0; t < tokens; t += tile {
				mulTileAVX512(&dst[t*m.rows+r], 4*m.rows, &a[t*m.cols], 2*m.cols, &m.codes[r*m.cols], m.cols/2,
					&aScales[t], &m.scales[r], &m.bias[r])
			}
		}
	case k.simd:
		for r := 0; r < m.rows; r += block {
			for t := 0; t < tokens; t += tile {
				mulTileAVX2(&dst[t*m.rows+r], 4*m.rows, &a[t*m.cols], 2*m.cols, &m.codes[r*m.cols], m.cols/2,
					&aScales[t], &m.scales[r], &m.bias[r])
			}
		}
	default:
		mulGo(dst, a, aScales, m)
	}
}

func (k kernels) quantize(dst []int16, src []float32) float32 {
	if k.simd {
		return quantizeAVX2(&dst[0], &src[0], len(src))
	}
	return quantizeGo(dst, src)
}

func (k kernels) gelu(x []float32) {
	if k.simd {
		geluAVX2(&x[0], len(x))
		return
	}
	geluGo(x)
}

func (k kernels) addNorm(x, y []float32, n *layerNorm) {
	if k.simd {
		addNormAVX2(&x[0], &y[0], &n.gain[0], &n.bias[0], len(x), n.eps)
		return
	}
	addNormGo(x, y, n)
}

func (k kernels) softmax(x []float32, scale float32) {
	if k.simd {
		softmaxAVX2(&x[0], len(x), scale)
		return
	}
	softmaxGo(x, scale)
}

// mulRows sets two rows of dst to two rows of a times b, a stripe of 32 columns after the other. Strides are in numbers.
func (k kernels) mulRows(dst []float32, dstStride int, a []float32, aStride int, b []float32, bStride, inner, cols int) {
	if !k.simd {
		mulRowsGo(dst, dstStride, a, aStride, b, bStride, inner, cols)
		return
	}
	_, _, _ = dst[dstStride+cols-1], a[aStride+inner-1], b[(inner-1)*bStride+cols-1] // the assembly checks no bounds
	for c := 0; c < cols; c += stripe {
		mulStripeAVX2(&dst[c], 4*dstStride, &a[0], 4*aStride, &b[c], 4*bStride, inner)
	}
}
