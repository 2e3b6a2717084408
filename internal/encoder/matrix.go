package encoder

import (
	"errors"
	"fmt"
	"math"
)

// matrix is a linear map with 8-bit weights. The weights of a block of 16 rows stand together: the first two columns of all 16
// rows, row by row, then the next two columns, and so on, as the inner loops read them.
type matrix struct {
	rows, cols int
	codes      []int8
	scales     []float32 // what a code of 1 stands for, in each row
	bias       []float32
}

// quantize makes a matrix of weights (rows times cols, row by row) and a bias for each row.
func quantize(weights, bias []float32, rows, cols int) (*matrix, error) {
	if err := checkShape(rows, cols); err != nil {
		return nil, err
	}
	m := &matrix{rows: rows, cols: cols, codes: make([]int8, rows*cols), scales: make([]float32, rows), bias: bias}
	for r := range rows {
		row := weights[r*cols : (r+1)*cols]
		m.scales[r] = rowScale(row)
		for c, w := range row {
			m.codes[place(r, c, cols)] = code(w, m.scales[r])
		}
	}
	return m, nil
}

// place is where the weight of a row and a column stands.
func place(r, c, cols int) int {
	return r/block*block*cols + c/2*2*block + r%block*2 + c%2
}

// rowScale is what a code of 1 stands for in a row whose largest number gets the code 127 or -127.
func rowScale(row []float32) float32 {
	largest := float32(0)
	for _, w := range row {
		largest = max(largest, w, -w)
	}
	return largest / math.MaxInt8
}

func code(w, scale float32) int8 {
	if scale == 0 {
		return 0
	}
	return int8(math.RoundToEven(float64(w / scale)))
}

func checkShape(rows, cols int) error {
	if rows < block || rows%block != 0 {
		return fmt.Errorf("%d rows: want a multiple of %d", rows, block)
	}
	if cols < block || cols%block != 0 || cols > maxCols {
		return fmt.Errorf("%d columns: want a multiple of %d, at most %d", cols, block, maxCols)
	}
	return nil
}

// table is a matrix of which single rows are looked up, such as the vectors of the vocabulary. Rows stand one after the other.
type table struct {
	rows, cols int
	codes      []int8
	scales     []float32
}

func quantizeTable(weights []float32, rows, cols int) (*table, error) {
	if rows < 1 || cols < 1 || len(weights) != rows*cols {
		return nil, errors.New("a table needs rows")
	}
	t := &table{rows: rows, cols: cols, codes: make([]int8, rows*cols), scales: make([]float32, rows)}
	for r := range rows {
		row := weights[r*cols : (r+1)*cols]
		t.scales[r] = rowScale(row)
		for c, w := range row {
			t.codes[r*cols+c] = code(w, t.scales[r])
		}
	}
	return t, nil
}

// setRow sets x to a row.
func (t *table) setRow(x []float32, row int) {
	scale := t.scales[row]
	for i, c := range t.codes[row*t.cols : (row+1)*t.cols] {
		x[i] = float32(c) * scale
	}
}

// layerNorm is the normalisation of a layer's output.
type layerNorm struct {
	gain, bias []float32
	eps        float32
}
