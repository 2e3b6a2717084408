package sqlite

import "testing"

// TestVectorsTakeHalfTheRoom: numbers that 16 bits can say take no more.
func TestVectorsTakeHalfTheRoom(t *testing.T) {
	t.Parallel()
	if n := len(dialect.Vector([]float32{0.5, -0.25, 0})); n != 7 {
		t.Errorf("three of them take %d bytes", n)
	}
}
