package static

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Limits of a file, far above any known model's.
const (
	maxHeaderBytes = 1 << 20 // the format allows 100 MB, for files with thousands of tensors
	maxTensors     = 1 << 10
	maxRows        = 1 << 22
	maxDim         = 1 << 13
	maxNumber      = 1e6
)

// Widths in bytes of the kinds of number that are read, by their names in a header.
const (
	kindF64 = "F64"
	kindF32 = "F32"
	kindF16 = "F16"
	kindI64 = "I64"
	kindI32 = "I32"
	kindI8  = "I8"
)

func width(kind string) int {
	switch kind {
	case kindF64, kindI64:
		return 8
	case kindF32, kindI32:
		return 4
	case kindF16:
		return 2
	case kindI8:
		return 1
	}
	return 0
}

// tensor is a block of numbers in a file, little-endian, the last dimension running fastest.
type tensor struct {
	kind  string
	shape []int
	data  []byte
}

// header is one entry of a file's header.
type header struct {
	Kind    string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// parseTensors reads a safetensors file: 8 bytes with the length of the header, little-endian; the header, a JSON object that
// gives each tensor a dtype, a shape and data_offsets into what follows; the numbers. The tensors named are checked and
// point into file; others, which may be of kinds that are not read here, are left out.
func parseTensors(file []byte, names ...string) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, errors.New("read tensors: shorter than its header")
	}
	n := binary.LittleEndian.Uint64(file)
	if n > maxHeaderBytes || n > uint64(len(file)-8) {
		return nil, fmt.Errorf("read tensors: header of %d bytes does not fit", n)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+n], &entries); err != nil {
		return nil, fmt.Errorf("read tensors: decode header: %w", err)
	}
	if len(entries) > maxTensors {
		return nil, fmt.Errorf("read tensors: %d of them, at most %d", len(entries), maxTensors)
	}
	out := make(map[string]tensor)
	for _, name := range names {
		raw, ok := entries[name]
		if !ok {
			continue
		}
		var h header
		if err := json.Unmarshal(raw, &h); err != nil {
			return nil, fmt.Errorf("read tensor %s: decode header: %w", name, err)
		}
		t, err := h.cut(file[8+n:])
		if err != nil {
			return nil, fmt.Errorf("read tensor %s: %w", name, err)
		}
		out[name] = t
	}
	return out, nil
}

// cut checks an entry against the data and returns its tensor.
func (h header) cut(data []byte) (tensor, error) {
	w := int64(width(h.Kind))
	if w == 0 {
		return tensor{}, fmt.Errorf("numbers of kind %q are not supported", h.Kind)
	}
	if len(h.Shape) < 1 || len(h.Shape) > 2 || len(h.Offsets) != 2 {
		return tensor{}, fmt.Errorf("shape %v at %v", h.Shape, h.Offsets)
	}
	t := tensor{kind: h.Kind}
	size := w
	for _, d := range h.Shape {
		if d < 0 || d > maxRows {
			return tensor{}, fmt.Errorf("shape %v", h.Shape)
		}
		size *= d // at most 8 * 2^22 * 2^22
		t.shape = append(t.shape, int(d))
	}
	from, to := h.Offsets[0], h.Offsets[1]
	if from < 0 || to < from || to > int64(len(data)) || to-from != size {
		return tensor{}, fmt.Errorf("shape %v of %s does not fit %v of %d bytes", h.Shape, h.Kind, h.Offsets, len(data))
	}
	t.data = data[from:to]
	return t, nil
}

// floats returns the numbers of a tensor with one dimension of length n.
func (t tensor) floats(n int) ([]float32, error) {
	if len(t.shape) != 1 || t.shape[0] != n {
		return nil, fmt.Errorf("shape %v, want [%d]", t.shape, n)
	}
	out := make([]float32, n)
	for i := range out {
		switch t.kind {
		case kindF64:
			out[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(t.data[8*i:])))
		case kindF32:
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
		case kindF16:
			h := binary.LittleEndian.Uint16(t.data[2*i:])
			if out[i] = half(h); h&0x7c00 == 0x7c00 {
				out[i] = float32(math.NaN())
			}
		default:
			return nil, fmt.Errorf("numbers of kind %s, want floating point", t.kind)
		}
		if !sound(out[i]) {
			return nil, fmt.Errorf("entry %d is not a number up to %g", i, float64(maxNumber))
		}
	}
	return out, nil
}

// places returns the numbers of a tensor with one dimension of length n, each of them below limit.
func (t tensor) places(n, limit int) ([]uint32, error) {
	if len(t.shape) != 1 || t.shape[0] != n {
		return nil, fmt.Errorf("shape %v, want [%d]", t.shape, n)
	}
	out := make([]uint32, n)
	for i := range out {
		var at int64
		switch t.kind {
		case kindI64:
			at = int64(binary.LittleEndian.Uint64(t.data[8*i:]))
		case kindI32:
			at = int64(int32(binary.LittleEndian.Uint32(t.data[4*i:])))
		default:
			return nil, fmt.Errorf("numbers of kind %s, want integers", t.kind)
		}
		if at < 0 || at >= int64(limit) {
			return nil, fmt.Errorf("entry %d is %d, beyond %d rows", i, at, limit)
		}
		out[i] = uint32(at)
	}
	return out, nil
}

// half converts a finite float16. The product is exact, subnormal numbers included.
func half(h uint16) float32 {
	x := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(x) | uint32(h&0x8000)<<16)
}

// sound reports whether sums of millions of numbers like x stay finite. Token vectors and weights are far smaller.
func sound(x float32) bool { return math.Abs(float64(x)) <= maxNumber }
