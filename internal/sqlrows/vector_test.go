package sqlrows

import (
	"database/sql/driver"
	"math"
	"slices"
	"testing"
)

// TestVector writes vectors of whatever numbers and reads them: each comes back as it was, and one of numbers that 16 bits can say takes half the
// room. What versions before wrote is read, too.
func TestVector(t *testing.T) {
	t.Parallel()
	fine := []float32{0.1, -2.5e-9, 1, 0, 3e38}
	plain := []float32{0.25, -1.5, 0, 6.1035156e-05, whole(half(0.1))}
	for _, c := range []struct {
		v    []float32
		size int
	}{{nil, 0}, {fine, 20}, {plain, 11}, {plain[:1], 3}, {plain[:2], 5}, {fine[:1], 4}, {[]float32{float32(math.Inf(1))}, 3}} {
		b := Vector(c.v)
		if len(b) != c.size {
			t.Errorf("%v takes %d bytes", c.v, len(b))
		}
		if got := (Row{driver.Value(b)}).Vector(0); !slices.Equal(got, c.v) {
			t.Errorf("%v came back as %v", c.v, got)
		}
		if got := (Row{driver.Value(Wide(c.v))}).Vector(0); !slices.Equal(got, c.v) {
			t.Errorf("%v of a version before came back as %v", c.v, got)
		}
	}
}
