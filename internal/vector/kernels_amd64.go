//go:build amd64 && !purego

package vector

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func haveSIMD() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// haveWide reports whether the scan can count the bits of eight words at a time, and bytes be multiplied and summed up in one go.
func haveWide() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512VNNI &&
		cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2
}

func (k Kernels) dot(a, b []float32) float32 {
	if k.simd {
		return dotAVX2(a, b)
	}
	return dotGo(a, b)
}

func (k Kernels) dotInt8(a, b []int8) int32 {
	if k.simd {
		return dotInt8AVX2(a, b)
	}
	return dotInt8Go(a, b)
}

func (k Kernels) dotInt8Query(code []int8, query []int16) int32 {
	if k.simd {
		return dotInt8QueryAVX2(code, query)
	}
	return dotInt8QueryGo(code, query)
}

// dotRows sets dst to the dot products of rows and a code to whose numbers 128 is added. It reports false where the kernels cannot.
func (k Kernels) dotRows(dst []int32, code, rows []int8) bool {
	if !k.wide || len(code) == 0 || len(code)%64 != 0 {
		return false
	}
	if len(dst) > 0 {
		dotRowsAVX512(dst, code, &rows[0])
	}
	return true
}

func (k Kernels) prefetch(code []int8, scale *float32) {
	if k.simd && len(code) > 0 {
		prefetchAVX2(unsafe.Pointer(&code[0]), len(code))
		prefetchAVX2(unsafe.Pointer(scale), 4)
	}
}

func (k Kernels) prefetchFloats(v []float32) {
	if k.simd && len(v) > 0 {
		prefetchAVX2(unsafe.Pointer(&v[0]), 4*len(v))
	}
}

func (k Kernels) hadamard(x, signs []float32) {
	if k.simd {
		hadamardAVX2(x, signs)
		return
	}
	hadamardGo(x, signs)
}

func (k Kernels) addNibbles(x []float32, codes string, scales []float32) {
	if !k.simd || len(scales) == 0 {
		addNibblesGo(x, codes, scales)
		return
	}
	addNibblesAVX2(&x[0], unsafe.StringData(codes), scales)
}

// lead is how many bytes ahead of those that it counts a scan fetches codes: with fewer they do not come in time from memory outside the
// caches, with more the first cache is too small.
const lead = 12 << 10

// prefetchBits asks for the factors that the scan of the next block needs first. That scan does not ask for its first codes, so the scan
// of the block before does: it sets how far ahead, where the codes of a block end, and how far from there the codes lie that are needed next.
func (k Kernels) prefetchBits(a *scanArgs, b, next *Bits) {
	bytes := uintptr(len(b.Codes)) * 8
	a.lead, a.end = min(lead, bytes), uintptr(unsafe.Pointer(&b.Codes[0]))+bytes
	if next == nil || len(next.Codes) == 0 {
		next = b // which is there already
	}
	prefetchAVX2(unsafe.Pointer(&next.Scale[0]), min(2*len(next.Scale), 256))
	a.jump = uintptr(unsafe.Pointer(&next.Codes[0])) - a.end
}

// scan runs the assembly over whole units of 32 slots and once more over what is left.
func (k Kernels) scan(h *Hits, b, next *Bits, q *Query, live []uint64, e estimate) {
	if !k.simd {
		scanGo(h, b, q, live, e)
		return
	}
	if len(b.Scale) == 0 {
		return
	}
	group := int64(b.Dim)
	a := scanArgs{
		codes: &b.Codes[0], words: int64(b.Dim / 64), units: int64(len(b.Scale) / 32), scale: &b.Scale[0],
		live: &live[0], mask: &h.Mask[0], est: &h.Est[0], table: k.table(q),
		offset: [4]int64{0, group, 2 * group, 3 * group}, unit: 4 * group, estimate: e,
	}
	k.prefetchBits(&a, b, next)
	if a.units > 0 {
		k.scanUnits(&a)
	}
	if rest := len(b.Scale) % 32; rest > 0 {
		k.scanRest(h, b, q, live, e, rest)
	}
}

// table returns what the assembly looks up in of a query.
func (k Kernels) table(q *Query) *uint64 {
	if k.wide {
		return &q.planes[0]
	}
	return &q.tables[0]
}

func (k Kernels) scanUnits(a *scanArgs) {
	if k.wide {
		scanAVX512(a)
		return
	}
	scanAVX2(a)
}

func (k Kernels) list(slots *[MaxSlots]uint16, mask []uint64) int {
	if k.wide {
		return listAVX512(slots, mask)
	}
	return listGo(slots, mask)
}

func (k Kernels) partition(keys []uint64, pivot uint64, rest []uint64) int {
	if !k.wide {
		return partition(keys, pivot)
	}
	n := partitionAVX512(keys, pivot, rest)
	copy(keys[n:], rest)
	return n
}

// scanRest scans the last 8, 16 or 24 slots as a unit of 32 in which groups stand twice and the second is dead, with
// the factors copied so that nothing behind the slices is read.
func (k Kernels) scanRest(h *Hits, b *Bits, q *Query, live []uint64, e estimate, rest int) {
	first := len(b.Scale) - rest
	words, group := b.Dim/64, int64(b.Dim)
	var scale [32]uint16
	copy(scale[:], b.Scale[first:])
	alive := live[first/64] >> (first % 64) & (1<<rest - 1)
	var mask uint64
	a := scanArgs{
		codes: &b.Codes[first*words], words: int64(words), units: 1, scale: &scale[0],
		live: &alive, mask: &mask, est: &h.Est[first], table: k.table(q), estimate: e,
	}
	if rest > 8 {
		a.offset[1] = group
	}
	if rest > 16 {
		a.offset[2] = 2 * group
	}
	k.scanUnits(&a)
	h.Mask[first/64] |= mask << (first % 64)
}

// scanArgs is what scanAVX2 and scanAVX512 read; the assembler takes the places of the fields from here.
type scanArgs struct {
	codes    *uint64
	words    int64 // per code
	units    int64 // of 32 slots
	scale    *uint16
	live     *uint64
	mask     *uint64
	est      *float32
	table    *uint64  // tables of the query, or its planes
	offset   [4]int64 // bytes from the first group of a unit to each; the first is 0
	unit     int64    // bytes from one unit to the next
	estimate estimate
	lead     uintptr // so far ahead codes are fetched
	end      uintptr // where the codes end: what is fetched early
	jump     uintptr // lies this much farther on from there
}

//go:noescape
func dotAVX2(a, b []float32) float32

//go:noescape
func dotInt8AVX2(a, b []int8) int32

//go:noescape
func dotInt8QueryAVX2(code []int8, query []int16) int32

// dotRowsAVX512 needs a code of a multiple of 64 numbers, and len(dst) rows as long.
//
//go:noescape
func dotRowsAVX512(dst []int32, code []int8, rows *int8)

//go:noescape
func prefetchAVX2(p unsafe.Pointer, bytes int)

// hadamardAVX2 needs len(x) == len(signs), a power of two of at least 16.
//
//go:noescape
func hadamardAVX2(x, signs []float32)

// addNibblesAVX2 needs as many numbers and codes as the blocks of the scales have.
//
//go:noescape
func addNibblesAVX2(x *float32, codes *byte, scales []float32)

//go:noescape
func scanAVX2(a *scanArgs)

//go:noescape
func scanAVX512(a *scanArgs)

//go:noescape
func listAVX512(slots *[MaxSlots]uint16, mask []uint64) int

//go:noescape
func partitionAVX512(keys []uint64, pivot uint64, rest []uint64) int
