package encoder

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Limits of a file, far above any known model's.
const (
	maxHeaderBytes = 1 << 20 // the format allows 100 MB, for files with thousands of tensors
	maxTensors     = 1 << 11
	maxRows        = 1 << 26
	maxNumber      = 1e6
)

// The kinds of number that are read, by their names in a header.
const (
	kindF32  = "F32"
	kindF16  = "F16"
	kindBF16 = "BF16"
	kindI8   = "I8"
	kindU8   = "U8"
)

// kindWidth is the width of a number in bytes, 0 for a kind that is not read.
func kindWidth(kind string) int {
	switch kind {
	case kindF32:
		return 4
	case kindF16, kindBF16:
		return 2
	case kindI8, kindU8:
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

// tensors are the blocks of a file by their names.
type tensors struct {
	byName   map[string]tensor
	metadata map[string]string
}

// parseTensors reads a safetensors file: 8 bytes with the length of the header, little-endian; the header, a JSON object that
// gives each tensor a dtype, a shape and data_offsets into what follows; the numbers. The tensors point into file. Those of
// kinds that are not read here are left out.
func parseTensors(file []byte) (*tensors, error) {
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
	out := &tensors{byName: map[string]tensor{}}
	for name, raw := range entries {
		if name == "__metadata__" {
			if err := json.Unmarshal(raw, &out.metadata); err != nil {
				return nil, fmt.Errorf("read tensors: decode metadata: %w", err)
			}
			continue
		}
		var h header
		if err := json.Unmarshal(raw, &h); err != nil {
			return nil, fmt.Errorf("read tensor %s: decode header: %w", name, err)
		}
		if kindWidth(h.Kind) == 0 {
			continue
		}
		t, err := h.cut(file[8+n:])
		if err != nil {
			return nil, fmt.Errorf("read tensor %s: %w", name, err)
		}
		out.byName[name] = t
	}
	return out, nil
}

// cut checks an entry against the data and returns its tensor.
func (h header) cut(data []byte) (tensor, error) {
	if len(h.Shape) < 1 || len(h.Shape) > 2 || len(h.Offsets) != 2 {
		return tensor{}, fmt.Errorf("shape %v at %v", h.Shape, h.Offsets)
	}
	w := int64(kindWidth(h.Kind))
	t := tensor{kind: h.Kind}
	size := w
	for _, d := range h.Shape {
		if d < 0 || d > maxRows {
			return tensor{}, fmt.Errorf("shape %v", h.Shape)
		}
		size *= d // at most 4 * 2^26 * 2^26
		t.shape = append(t.shape, int(d))
	}
	from, to := h.Offsets[0], h.Offsets[1]
	if from < 0 || to < from || to > int64(len(data)) || to-from != size {
		return tensor{}, fmt.Errorf("shape %v of %s does not fit %v of %d bytes", h.Shape, h.Kind, h.Offsets, len(data))
	}
	t.data = data[from:to]
	return t, nil
}

// floats returns a copy of the numbers of a tensor of the given shape.
func (t *tensors) floats(name string, shape ...int) ([]float32, error) {
	x, err := t.get(name, shape...)
	if err != nil {
		return nil, err
	}
	w := kindWidth(x.kind)
	out := make([]float32, len(x.data)/w)
	for i := range out {
		b := x.data[w*i:]
		switch x.kind {
		case kindF32:
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		case kindBF16:
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
		case kindF16:
			h := binary.LittleEndian.Uint16(b)
			if out[i] = half(h); h&0x7c00 == 0x7c00 {
				out[i] = float32(math.NaN())
			}
		default:
			return nil, fmt.Errorf("read tensor %s: numbers of kind %s, want floating point", name, x.kind)
		}
		if !sound(out[i]) {
			return nil, fmt.Errorf("read tensor %s: entry %d is not a number up to %g", name, i, float64(maxNumber))
		}
	}
	return out, nil
}

// codes returns the 8-bit numbers of a tensor of the given shape, which stay where they are.
func (t *tensors) codes(name string, shape ...int) ([]int8, error) {
	x, err := t.get(name, shape...)
	if err != nil {
		return nil, err
	}
	if x.kind != kindI8 {
		return nil, fmt.Errorf("read tensor %s: numbers of kind %s, want %s", name, x.kind, kindI8)
	}
	if len(x.data) == 0 {
		return nil, nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(&x.data[0])), len(x.data)), nil
}

// get returns a tensor of the given shape; a length of -1 may be any.
func (t *tensors) get(name string, shape ...int) (tensor, error) {
	x, ok := t.byName[name]
	if !ok {
		return tensor{}, fmt.Errorf("no tensor %s", name)
	}
	same := len(x.shape) == len(shape)
	for i := range shape {
		same = same && (shape[i] == x.shape[i] || shape[i] < 0)
	}
	if !same {
		return tensor{}, fmt.Errorf("read tensor %s: shape %v, want %v", name, x.shape, shape)
	}
	return x, nil
}

// half converts a finite float16. The product is exact, subnormal numbers included.
func half(h uint16) float32 {
	x := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(x) | uint32(h&0x8000)<<16)
}

// sound reports whether sums of millions of numbers like x stay finite. Token vectors and weights are far smaller.
func sound(x float32) bool { return math.Abs(float64(x)) <= maxNumber }
