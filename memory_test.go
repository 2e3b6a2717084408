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

// When a memory counts as said: its own date, else that of its evidence, else that of its row.
func TestWhen(t *testing.T) {
	t.Parallel()
	recorded, said, happened := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	m := lukasa.Memory{RecordedAt: recorded}
	for _, want := range []time.Time{recorded, said, happened} {
		switch want {
		case said:
			m.Metadata = map[string]any{"said_at": said.Format(time.RFC3339Nano)}
		case happened:
			m.OccurredAt = &happened
		}
		if got := m.When(); !got.Equal(want) {
			t.Errorf("a memory is of %v, want %v", got, want)
		}
		if got := (lukasa.Hit{Memory: &m, CreatedAt: recorded}).When(); !got.Equal(want) {
			t.Errorf("a hit of it is of %v, want %v", got, want)
		}
	}
	if got := (lukasa.Hit{Message: &lukasa.HitMessage{Time: &said}, CreatedAt: recorded}).When(); !got.Equal(said) {
		t.Errorf("a message is of %v", got)
	}
	m = lukasa.Memory{RecordedAt: recorded, Metadata: map[string]any{"said_at": "soon"}}
	if got := m.When(); !got.Equal(recorded) {
		t.Errorf("one that does not tell is of %v", got)
	}
}
