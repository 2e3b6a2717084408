//go:build !amd64 || purego

package encoder

func detectKernels() kernels { return kernels{} }

func (kernels) mul(dst []float32, a []int16, aScales []float32, m *matrix) { mulGo(dst, a, aScales, m) }

func (kernels) quantize(dst []int16, src []float32) float32 { return quantizeGo(dst, src) }

func (kernels) gelu(x []float32) { geluGo(x) }

func (kernels) addNorm(x, y []float32, n *layerNorm) { addNormGo(x, y, n) }

func (kernels) softmax(x []float32, scale float32) { softmaxGo(x, scale) }

func (kernels) mulRows(dst []float32, dstStride int, a []float32, aStride int, b []float32, bStride, inner, cols int) {
	mulRowsGo(dst, dstStride, a, aStride, b, bStride, inner, cols)
}
