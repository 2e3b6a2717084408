package local

import "github.com/lukasa-memory/lukasa/internal/vector"

// MakeCells makes cells of the vectors of a view; nil once stop reports true, and where there are too few.
func (v *View) MakeCells(stop func() bool) *vector.Cells {
	codes, bytes := make([]*vector.Bits, len(v.Blocks)), make([]*vector.Int8, len(v.Blocks))
	for i, b := range v.Blocks {
		codes[i], bytes[i] = b.Bits, b.I8
	}
	return vector.NewCells(vector.Default(), codes, bytes, v.Vec, v.N, stop)
}
