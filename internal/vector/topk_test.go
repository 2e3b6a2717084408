package vector_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// best is what a collector promises, by sorting all.
func best(all []vector.Scored, k int) []vector.Scored {
	all = slices.DeleteFunc(slices.Clone(all), func(s vector.Scored) bool { return s.Score != s.Score })
	slices.SortFunc(all, func(a, b vector.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Slot, b.Slot))
	})
	return all[:min(k, len(all))]
}

func TestTopKKeepsTheBest(t *testing.T) {
	t.Parallel()
	top := vector.NewTopK(1) // one for all, so that Reset is tested too
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 40).Draw(t, "k")
		scores := rapid.SliceOfN(rapid.OneOf(rapid.Float32(), rapid.Map(rapid.IntRange(-3, 3), func(i int) float32 {
			return float32(i)
		})), 0, 1500).Draw(t, "scores")
		all := make([]vector.Scored, len(scores))
		for i, s := range scores {
			all[i] = vector.Scored{Score: s, Slot: uint32(i)}
		}
		want := best(all, k)
		for name, order := range map[string][]vector.Scored{"rising": all, "falling": reversed(all)} {
			top.Reset(k)
			for _, s := range order {
				threshold := top.Threshold()
				before := top.Len()
				top.Push(s.Score, s.Slot)
				if s.Score < threshold && top.Len() > before {
					t.Fatalf("%g came in below the threshold %g", s.Score, threshold)
				}
			}
			if got := top.Len(); got != len(want) {
				t.Fatalf("%s: len %d, want %d", name, got, len(want))
			}
			loose := best(top.AppendUnsorted(nil), k)
			got := top.Append(nil)
			if !slices.Equal(loose, got) {
				t.Fatalf("%s: unsorted %v, sorted %v", name, loose, got)
			}
			if diff := gocmp.Diff(want, got, gocmp.Transformer("none", func(s []vector.Scored) []vector.Scored {
				return append([]vector.Scored{}, s...)
			})); diff != "" && !(len(want) == 0 && len(got) == 0) {
				t.Fatalf("%s (-want +got)\n%s", name, diff)
			}
			if len(want) == k && k > 0 && top.Threshold() > want[k-1].Score {
				t.Fatalf("%s: threshold %g above the worst kept, %g", name, top.Threshold(), want[k-1].Score)
			}
		}
	})
}

func reversed(s []vector.Scored) []vector.Scored {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

func TestTopKSpecialScores(t *testing.T) {
	t.Parallel()
	inf, negZero := float32(math.Inf(1)), float32(math.Copysign(0, -1))
	top := vector.NewTopK(10)
	for slot, score := range []float32{negZero, 0, float32(math.NaN()), -inf, inf, -float32(math.NaN()), 1e-45, negZero} {
		top.Push(score, uint32(slot))
	}
	want := []vector.Scored{{inf, 4}, {1e-45, 6}, {0, 0}, {0, 1}, {0, 7}, {-inf, 3}}
	if diff := gocmp.Diff(want, top.Append(nil)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := top.Threshold(); !math.IsInf(float64(got), -1) {
		t.Errorf("threshold of a collector with room = %g, want -Inf", got)
	}
}

func TestTopKMayGoOnAfterAppend(t *testing.T) {
	t.Parallel()
	top := vector.NewTopK(2)
	for i := range 3 {
		top.Push(float32(i), uint32(i))
	}
	if diff := gocmp.Diff([]vector.Scored{{2, 2}, {1, 1}}, top.Append(nil)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	top.Push(1.5, 9)
	if diff := gocmp.Diff([]vector.Scored{{2, 2}, {1.5, 9}}, top.Append(nil)); diff != "" {
		t.Errorf("later (-want +got)\n%s", diff)
	}
}

func FuzzTopK(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 192, 127, 0, 0, 128, 255}, uint8(2))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 62, 9, 8, 7, 63, 3}, 1000), uint8(40))
	f.Fuzz(func(t *testing.T, data []byte, k uint8) {
		for _, kernel := range kernels {
			top := kernel.NewTopK(int(k))
			var all []vector.Scored
			for i := 0; i+4 <= len(data); i += 4 {
				s := vector.Scored{Score: math.Float32frombits(binary.LittleEndian.Uint32(data[i:])), Slot: uint32(i)}
				all = append(all, s)
				top.Push(s.Score, s.Slot)
			}
			want := best(all, int(k))
			parted(t, top, want, int(k)/3)
			if got := top.Append(nil); !slices.Equal(want, got) {
				t.Errorf("%s: got %v, want %v", kernel.Name(), got, want)
			}
			if worst := top.Worst(); len(want) == int(k) && k > 0 && worst != want[k-1].Score {
				t.Errorf("%s: the worst of them is %g, want %g", kernel.Name(), worst, want[k-1].Score)
			}
		}
	})
}

// parted checks that the best n come before the others.
func parted(t *testing.T, top *vector.TopK, want []vector.Scored, n int) {
	t.Helper()
	got, first := top.AppendParted(nil, n)
	if first < min(n, len(want)) || first > len(want) {
		t.Fatalf("%d of %d come first, want %d", first, len(want), n)
	}
	if again := append(best(got[:first], first), best(got[first:], len(got))...); !slices.Equal(want, again) {
		t.Errorf("parted after %d: got %v, want %v", first, again, want)
	}
}
