package encoder

import "math"

// The shapes that the assembly works with.
const (
	block  = 16 // rows of weights that are stored together
	tile   = 6  // tokens that are multiplied together
	stripe = 32 // columns of attention that are computed together

	// maxActivation is the largest number that an activation is rounded to. The sum of 4,096 products of it and an 8-bit
	// weight fits 32 bits.
	maxActivation = 4095
	maxCols       = 4096
)

// kernels chooses the implementation of the inner loops. The zero value is plain Go.
type kernels struct {
	simd bool // AVX2 and FMA
	wide bool // AVX-512 with VNNI, too
}

func mulGo(dst []float32, a []int16, aScales []float32, m *matrix) {
	for r := 0; r < m.rows; r += block {
		codes := m.codes[r*m.cols:]
		for t, scale := range aScales[:len(a)/m.cols] {
			var sums [block]int32
			row := a[t*m.cols : (t+1)*m.cols]
			for c := 0; c < m.cols; c += 2 {
				x, y := int32(row[c]), int32(row[c+1])
				w := (*[2 * block]int8)(codes[c*block:])
				for i := range sums {
					sums[i] += x*int32(w[2*i]) + y*int32(w[2*i+1])
				}
			}
			for i, s := range sums {
				dst[t*m.rows+r+i] = float32(s)*(scale*m.scales[r+i]) + m.bias[r+i]
			}
		}
	}
}

// quantizeGo rounds src to whole numbers of at most maxActivation and returns what one of them stands for.
func quantizeGo(dst []int16, src []float32) float32 {
	largest := float32(0)
	for _, x := range src {
		largest = max(largest, x, -x)
	}
	if largest == 0 {
		clear(dst[:len(src)])
		return 0
	}
	by := maxActivation / largest
	for i, x := range src {
		dst[i] = int16(math.RoundToEven(float64(x * by)))
	}
	return largest / maxActivation
}

// geluGo replaces each x by x times the probability that a normal variable is below it (Hendrycks and Gimpel 2016).
func geluGo(x []float32) {
	for i, v := range x {
		x[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)*math.Sqrt2/2)))
	}
}

// addNormGo adds y to x and normalises the sum (Ba, Kiros and Hinton 2016).
func addNormGo(x, y []float32, n *layerNorm) {
	var sum, squares float64
	for i := range x {
		x[i] += y[i]
		sum += float64(x[i])
	}
	mean := sum / float64(len(x))
	for _, v := range x {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	by := 1 / math.Sqrt(squares/float64(len(x))+float64(n.eps))
	for i, v := range x {
		x[i] = float32((float64(v)-mean)*by)*n.gain[i] + n.bias[i]
	}
}

// softmaxGo turns x into shares of 1: exp(scale·x) over their sum.
func softmaxGo(x []float32, scale float32) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	sum := float32(0)
	for i, v := range x {
		x[i] = float32(math.Exp(float64(max((v-most)*scale, -87))))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

func mulRowsGo(dst []float32, dstStride int, a []float32, aStride int, b []float32, bStride, inner, cols int) {
	for r := range 2 {
		out := dst[r*dstStride : r*dstStride+cols]
		clear(out)
		for i := range inner {
			x, row := a[r*aStride+i], b[i*bStride:i*bStride+cols]
			for c, y := range row {
				out[c] += x * y
			}
		}
	}
}
