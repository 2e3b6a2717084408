package bench_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

func TestNotesComeFromTheirSeed(t *testing.T) {
	t.Parallel()
	a, b, c := bench.NewNotes(1), bench.NewNotes(1), bench.NewNotes(2)
	same, other := 0, 0
	for range 50 {
		x, y, z := a.Note(), b.Note(), c.Note()
		if x == "" || a.Query() != b.Query() {
			t.Fatal("an empty note, or queries that differ")
		}
		c.Query()
		if x == y {
			same++
		}
		if x == z {
			other++
		}
	}
	if same != 50 || other != 0 {
		t.Errorf("%d of 50 are the same for one seed, %d for two", same, other)
	}
}
