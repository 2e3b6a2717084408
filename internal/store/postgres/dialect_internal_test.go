package postgres

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestVectorsForTheReleaseBefore: nodes of the release before may run on the same schema. They read a vector as numbers of 32 bits.
func TestVectorsForTheReleaseBefore(t *testing.T) {
	t.Parallel()
	v := []float32{0.5, -0.25, 0}
	b := dialect.Vector(v)
	if len(b) != 4*len(v) {
		t.Fatalf("%d bytes for %d numbers", len(b), len(v))
	}
	for i, x := range v {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])); got != x {
			t.Errorf("%v reads as %v", x, got)
		}
	}
}
