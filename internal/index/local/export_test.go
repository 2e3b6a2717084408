package local

import "github.com/lukasa-memory/lukasa/internal/vector"

// WithoutAssembly has searches done by the kernels in pure Go, one at a time. What it returns tells the floor of the last one.
func (x *Index) WithoutAssembly() (floor func() float32) {
	only := x.pool.New().(*search)
	only.kernels = vector.Portable()
	x.pool.New = func() any { return only }
	return func() float32 { return only.floor }
}
