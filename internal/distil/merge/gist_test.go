package merge_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/distil/merge"
)

func TestSimilar(t *testing.T) { // near-duplicates merge their sources
	t.Parallel()
	same := [][2]string{
		{"Ana lives in Lyon.", "ana lives in  Lyon"},
		{"Ana likes strong coffee.", "Ana likes the strong coffee!"},
		{"Ana needs to call the dentist.", "Ana needs to call a dentist."},
		{"Ana works at Airbus", "Ana worked at Airbus."},
		{"", " "},
	}
	for _, p := range same {
		if !merge.Similar(p[0], p[1]) || !merge.Similar(p[1], p[0]) {
			t.Errorf("%q and %q are not taken for the same", p[0], p[1])
		}
	}
	other := [][2]string{
		{"Ana lives in Lyon.", "Ana lives in Paris."},
		{"Ana likes coffee.", "Ana does not like coffee."},
		{"Ana is 34 years old.", "Ana is 35 years old."},
		{"Ana's meeting is on 2024-03-05.", "Ana's meeting is on 2024-03-06."},
		{"Tom works at Airbus.", "Ana works at Airbus."},
		{"", "Ana lives in Lyon."},
		{"Ana, Tom, Ben, Eva, Mia, Leo, Ida and Max swim, run, read, cook, sing, draw and paint.", "Ana, Tom, Ben, Eva, Mia, Leo, Ida and Max swim, run, read, cook, sing, draw and paint 3 times."},
	}
	for _, p := range other {
		if merge.Similar(p[0], p[1]) || merge.Similar(p[1], p[0]) {
			t.Errorf("%q and %q are taken for the same", p[0], p[1])
		}
	}
}

// Every text is like itself, and of two neither is more like the other.
func TestSimilarOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"Ana", "not", "likes", "coffee", "3", "b2", "Lyon", "the", "?", "swims", "’s", "\xff"}), 0, 8)
		text := func(name string) (s string) {
			for _, w := range words.Draw(t, name) {
				s += w + " "
			}
			return s
		}
		a, b := text("a"), text("b")
		if !merge.Similar(a, a) || merge.Similar(a, b) != merge.Similar(b, a) {
			t.Fatalf("%q and %q: %v, %v, %v", a, b, merge.Similar(a, a), merge.Similar(a, b), merge.Similar(b, a))
		}
	})
}
