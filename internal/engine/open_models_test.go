package engine

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// TestVectorsTakeHalfTheRoom: what the configured embedder makes is kept as numbers of 16 bits.
func TestVectorsTakeHalfTheRoom(t *testing.T) {
	t.Parallel()
	e, err := openEmbedder(config.Config{})
	if err != nil {
		t.Fatal(err)
	}
	vecs, err := e.Embed(t.Context(), []string{"Ana moved from Paris to Lyon in March.", "The deploy failed on Tuesday."})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vecs {
		if n := len(sqlrows.Vector(v)); n != 1+2*e.Space().Dim {
			t.Errorf("a vector of %d numbers takes %d bytes", len(v), n)
		}
	}
}
