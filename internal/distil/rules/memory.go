package rules

import (
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
)

// Memory is the statement as a memory, without an id, place or sources; said is when its message was written. Predicate, ending, correction and the time of
// the evidence stand in the metadata under the keys that package merge reads.
func (st *Statement) Memory(said time.Time) lukasa.Memory {
	m := lukasa.Memory{
		Kind: st.Kind, Content: st.Content, Slot: st.Slot, Value: st.Value, Subject: st.Subject, Confidence: st.Confidence, Tags: slices.Clone(st.Tags),
		Entities: slices.Clone(st.Entities), Extractor: Version, IsLatest: true, OccurredAt: known(st.OccurredAt), ValidFrom: known(st.ValidFrom), ValidTo: known(st.ValidTo),
		Metadata: map[string]any{},
	}
	if !said.IsZero() {
		m.Metadata[merge.KeySaidAt] = said.UTC().Format(time.RFC3339Nano)
	}
	if st.Predicate != "" {
		m.Metadata[merge.KeyPredicate] = st.Predicate
	}
	if st.Ended {
		m.Metadata[merge.KeyEnded] = true
	}
	if st.Corrects != "" {
		m.Metadata[merge.KeyCorrects] = st.Corrects
	}
	if st.Amends != "" {
		m.Metadata[merge.KeyAmends] = st.Amends
	}
	if st.Ends != "" {
		m.Metadata[merge.KeyEnds] = st.Ends
	}
	if st.Shared {
		m.Metadata[merge.KeyShared] = true
	}
	if st.Quarantined {
		m.State = lukasa.MemoryQuarantined
	}
	return m
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
