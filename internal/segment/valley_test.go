package segment

import (
	"slices"
	"testing"
)

// Which valleys of the similarity count: deep on both sides, far under what is usual, and not too wide.
func TestValleys(t *testing.T) {
	t.Parallel()
	flat := func(like float64, n int) []float64 { return slices.Repeat([]float64{like}, n) }
	for name, c := range map[string]struct {
		likes []float64
		want  int // index of the valley, 0 for none
	}{
		"a valley":            {slices.Concat(flat(.5, 20), []float64{.3, .1, .3}, flat(.5, 5)), 21},
		"too early":           {slices.Concat(flat(.5, 8), []float64{.3, .1, .3}, flat(.5, 5)), 0},
		"too shallow":         {slices.Concat(flat(.5, 20), []float64{.46, .45, .47}, flat(.5, 5)), 0},
		"only down":           {slices.Concat(flat(.5, 20), flat(.1, 40)), 0},
		"only up":             {slices.Concat(flat(.1, 20), flat(.5, 40)), 0},
		"an ordinary one":     {slices.Concat(slices.Repeat([]float64{.9, .1, .5, .1, .9}, 3), []float64{.9, .35, .9, .9}), 0},
		"too wide":            {slices.Concat(flat(.5, 20), flat(.1, 30), flat(.5, 5)), 0},
		"down, a little up":   {slices.Concat(flat(.5, 20), []float64{.1, .13, .12, .14, .12}), 0},
		"the deepest of some": {slices.Concat(flat(.5, 20), []float64{.2, .25, .1, .2}, flat(.5, 5)), 22},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tl tiles
			got := 0
			for i, like := range c.likes {
				g := gap{Pos: int64(i+1) * 20, Mark: mark{Seq: int64(i)}}
				if found, ok := tl.score(g, like); ok && got == 0 {
					got = int(found.Mark.Seq)
					tl.Low = gap{}
				}
			}
			if got != c.want {
				t.Errorf("valley at %d, want %d", got, c.want)
			}
		})
	}
}
