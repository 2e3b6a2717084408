package store

import (
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// TrueAt is the rule of valid_at, for single memories; listings have it as SQL. It reports whether what a memory says was true at a
// moment, as far as it is known: from valid_from on, else from when it was said (its metadata's said_at), else from when it was
// recorded, until just before valid_to. Moments are told apart to the microsecond.
func TrueAt(m *lukasa.Memory, at time.Time) bool {
	at = at.Truncate(time.Microsecond)
	return !at.Before(HeldFrom(m)) && (m.ValidTo == nil || at.Before(m.ValidTo.Truncate(time.Microsecond)))
}

// TrueBetween is the rule of valid_from and valid_to: it reports whether what a memory says was true at some time from one moment on and
// before the other. Nil is no bound.
func TrueBetween(m *lukasa.Memory, from, to *time.Time) bool {
	return (from == nil || m.ValidTo == nil || from.Truncate(time.Microsecond).Before(m.ValidTo.Truncate(time.Microsecond))) &&
		(to == nil || HeldFrom(m).Before(to.Truncate(time.Microsecond)))
}

// HeldFrom is from when on a memory was true: its valid_from, else when it was said, else when it was recorded.
func HeldFrom(m *lukasa.Memory) time.Time {
	from := &m.RecordedAt
	if said := SaidAt(m); said != nil {
		from = said
	}
	if m.ValidFrom != nil {
		from = m.ValidFrom
	}
	return from.Truncate(time.Microsecond)
}

// SaidAt is when the evidence of a memory was written: nil where its metadata say nothing of that, and when it was recorded where what
// they say is no time.
func SaidAt(m *lukasa.Memory) *time.Time {
	t, ok := lexis.SaidAt(m.Metadata)
	if !ok {
		if m.Metadata[lexis.KeySaidAt] == nil {
			return nil
		}
		t = m.RecordedAt
	}
	return new(t.UTC().Truncate(time.Microsecond))
}
