package lukasa_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
)

func TestMemoryKinds(t *testing.T) {
	t.Parallel()
	regular := []lukasa.MemoryKind{lukasa.KindFact, lukasa.KindPreference, lukasa.KindEpisode, lukasa.KindInsight, lukasa.KindTask}
	defining := []lukasa.MemoryKind{lukasa.KindDecision, lukasa.KindMilestone, lukasa.KindEvent, lukasa.KindTurningPoint}
	for _, k := range append(slices.Clone(regular), defining...) {
		if !k.Valid() || k.Defining() != slices.Contains(defining, k) {
			t.Errorf("%s: valid %v, defining %v", k, k.Valid(), k.Defining())
		}
	}
	for _, k := range []lukasa.MemoryKind{"", "Fact", "defining", "regular", "facts"} {
		if k.Valid() || k.Defining() {
			t.Errorf("%q: valid %v, defining %v", k, k.Valid(), k.Defining())
		}
	}
}

func TestEntryWhen(t *testing.T) {
	t.Parallel()
	made, happened := time.Unix(1000, 0), time.Unix(10, 0)
	if got := (&lukasa.Entry{CreatedAt: made}).When(); !got.Equal(made) {
		t.Errorf("got %v, want the time of making", got)
	}
	if got := (&lukasa.Entry{CreatedAt: made, OccurredAt: happened}).When(); !got.Equal(happened) {
		t.Errorf("got %v, want the time of happening", got)
	}
}
