package lexis

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// One pass over a text finds the same orders as looking for each of them does.
func TestOrdered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		pieces := []string{" ", ".", "x", "9", "é", "-", "please ", "ign"}
		for _, o := range orders {
			pieces = append(pieces, o.phrase, o.phrase[:len(o.phrase)-1], o.phrase[1:])
		}
		flat := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(rt, "pieces"), "")
		want := make([]bool, len(orders))
		for i, o := range orders {
			for at := range len(flat) {
				want[i] = want[i] || strings.HasPrefix(flat[at:], o.phrase) && (at == 0 || !isAlnum(flat[at-1]))
			}
		}
		if got := ordered(flat); !slices.Equal(got, want) {
			rt.Errorf("%q: %v, want %v", flat, got, want)
		}
	})
}
