package embed_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

// given is an embedder that gives what it was given.
type given struct {
	*fake
	vec []float32
}

func (g given) Embed(context.Context, []string) ([][]float32, error) {
	return [][]float32{slices.Clone(g.vec), nil}, nil
}

// TestHalved: what is embedded has the eleven bits of a number of 16, or fewer where that is tiny, and lies next to what it was; what is asked
// stays as it is.
func TestHalved(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		vec := make([]float32, 64)
		for i := range vec {
			vec[i] = float32(r.NormFloat64() / math.Pow(2, float64(3+r.IntN(24))))
		}
		e := embed.Halved(given{&fake{}, vec})
		got, err := e.Embed(t.Context(), []string{"a", "b"})
		if err != nil || got[1] != nil {
			t.Fatal(got, err)
		}
		for i, x := range got[0] {
			step := math.Pow(2, -24)
			if a := math.Abs(float64(vec[i])); a >= math.Pow(2, -14) {
				step = math.Pow(2, math.Floor(math.Log2(a))-10)
			}
			if n := float64(x) / step; n != math.Trunc(n) || math.Abs(float64(x-vec[i])) > step/2 {
				t.Fatalf("%v became %v", vec[i], x)
			}
		}
		asked, err := embed.EmbedQuery(t.Context(), e, "a")
		if err != nil || !slices.Equal(asked, vec) {
			t.Fatalf("%v was asked as %v, %v", vec, asked, err)
		}
	}
}
