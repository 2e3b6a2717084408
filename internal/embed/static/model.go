package static

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The tensors of a model.
const (
	rowsTensor    = "embeddings"
	rowsTensorST  = "embedding.weight" // sentence-transformers' name for it
	weightsTensor = "weights"
	mappingTensor = "mapping"
)

// model is what a text's vector is made of.
type model struct {
	tokenizer *tokenizer
	rows      matrix
	mapping   []uint32  // from a piece to its row; nil: a piece is its row
	weights   []float32 // a factor for each piece; nil: 1
}

// matrix reads rows straight from the file's bytes.
type matrix struct {
	kind      string
	dim, rows int
	data      []byte
}

// load takes the tensors of file and checks that every piece of the vocabulary has a row.
func (m *model) load(file []byte) error {
	tensors, err := parseTensors(file, rowsTensor, rowsTensorST, weightsTensor, mappingTensor)
	if err != nil {
		return err
	}
	t, ok := tensors[rowsTensor]
	if !ok {
		if t, ok = tensors[rowsTensorST]; !ok {
			return fmt.Errorf("no tensor %s", rowsTensor)
		}
	}
	if m.rows, err = newMatrix(t); err != nil {
		return fmt.Errorf("read tensor %s: %w", rowsTensor, err)
	}
	pieces := m.rows.rows
	if t, ok := tensors[mappingTensor]; ok {
		pieces = t.shape[0]
		if m.mapping, err = t.places(pieces, m.rows.rows); err != nil {
			return fmt.Errorf("read tensor %s: %w", mappingTensor, err)
		}
	}
	if t, ok := tensors[weightsTensor]; ok {
		if m.weights, err = t.floats(pieces); err != nil {
			return fmt.Errorf("read tensor %s: %w", weightsTensor, err)
		}
	}
	if m.tokenizer.ids > pieces {
		return fmt.Errorf("%d rows for a vocabulary of %d pieces: the files are of two models", pieces, m.tokenizer.ids)
	}
	return nil
}

func newMatrix(t tensor) (matrix, error) {
	if len(t.shape) != 2 || t.shape[0] < 1 || t.shape[1] < 1 || t.shape[1] > maxDim {
		return matrix{}, fmt.Errorf("shape %v", t.shape)
	}
	m := matrix{kind: t.kind, rows: t.shape[0], dim: t.shape[1], data: t.data}
	switch t.kind {
	case kindF32:
		for i := 0; i+4 <= len(m.data); i += 4 {
			if !sound(math.Float32frombits(binary.LittleEndian.Uint32(m.data[i:]))) {
				return matrix{}, fmt.Errorf("number %d is not one up to %g", i/4, float64(maxNumber))
			}
		}
	case kindF16:
		for i := 0; i+2 <= len(m.data); i += 2 {
			if m.data[i+1]&0x7c == 0x7c {
				return matrix{}, fmt.Errorf("number %d is not finite", i/2)
			}
		}
	case kindI8:
	default:
		return matrix{}, fmt.Errorf("numbers of kind %s, want %s, %s or %s", t.kind, kindF32, kindF16, kindI8)
	}
	return m, nil
}

// sum writes the sum of the vectors of text's pieces into x and returns their number.
func (m *model) sum(x []float32, text string) int {
	clear(x)
	var letters [wordRoom]byte
	var room [pieceRoom]uint32
	ids := room[:0]
	n := 0
	r := m.tokenizer.read(text)
	for word := r.next(letters[:0]); len(word) > 0; word = r.next(word[:0]) {
		ids = r.pieces(ids[:0], word)
		for _, id := range ids {
			row, f := id, float32(1)
			if m.mapping != nil {
				row = m.mapping[id]
			}
			if m.weights != nil {
				f = m.weights[id]
			}
			m.rows.add(x, int(row), f)
			n++
		}
	}
	return n
}

// add adds f times a row to x. The explicit conversions forbid fused multiply-add, so that all machines agree.
func (m *matrix) add(x []float32, row int, f float32) {
	x = x[:m.dim]
	switch m.kind {
	case kindF32:
		for i, b := 0, m.data[4*m.dim*row:][:4*m.dim]; i < len(x) && len(b) >= 4; i, b = i+1, b[4:] {
			x[i] += float32(math.Float32frombits(binary.LittleEndian.Uint32(b)) * f)
		}
	case kindF16:
		for i, b := 0, m.data[2*m.dim*row:][:2*m.dim]; i < len(x) && len(b) >= 2; i, b = i+1, b[2:] {
			x[i] += float32(half(binary.LittleEndian.Uint16(b)) * f)
		}
	case kindI8:
		for i, b := range m.data[m.dim*row:][:m.dim] {
			x[i] += float32(float32(int8(b)) * f)
		}
	}
}
