//go:build !amd64 || purego

package vector

func haveSIMD() bool { return false }

func haveWide() bool { return false }

func (Kernels) dot(a, b []float32) float32 { return dotGo(a, b) }

func (Kernels) dotInt8(a, b []int8) int32 { return dotInt8Go(a, b) }

func (Kernels) dotInt8Query(code []int8, query []int16) int32 { return dotInt8QueryGo(code, query) }

func (Kernels) dotRows([]int32, []int8, []int8) bool { return false }

func (Kernels) prefetch([]int8, *float32) {}

func (Kernels) prefetchFloats([]float32) {}

func (Kernels) hadamard(x, signs []float32) { hadamardGo(x, signs) }

func (Kernels) scan(h *Hits, b, _ *Bits, q *Query, live []uint64, e estimate) {
	scanGo(h, b, q, live, e)
}

func (Kernels) list(slots *[MaxSlots]uint16, mask []uint64) int { return listGo(slots, mask) }

func (Kernels) partition(keys []uint64, pivot uint64, _ []uint64) int { return partition(keys, pivot) }

func (Kernels) addNibbles(x []float32, codes string, scales []float32) {
	addNibblesGo(x, codes, scales)
}
