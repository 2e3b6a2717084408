package lukasa

import "time"

// MemoryKind classifies a memory.
type MemoryKind string

// The kinds; the last four are the defining ones.
const (
	KindFact         MemoryKind = "fact"
	KindPreference   MemoryKind = "preference"
	KindEpisode      MemoryKind = "episode"
	KindInsight      MemoryKind = "insight"
	KindTask         MemoryKind = "task"
	KindDecision     MemoryKind = "decision"
	KindMilestone    MemoryKind = "milestone"
	KindEvent        MemoryKind = "event"
	KindTurningPoint MemoryKind = "turning_point"
)

// Valid reports whether k is one of the kinds.
func (k MemoryKind) Valid() bool {
	return k.Defining() || k == KindFact || k == KindPreference || k == KindEpisode || k == KindInsight || k == KindTask
}

// Defining reports whether memories of this kind shape what comes after them.
func (k MemoryKind) Defining() bool {
	return k == KindDecision || k == KindMilestone || k == KindEvent || k == KindTurningPoint
}

// Kinds puts kinds in the place of the two words that sum several up, defining and regular. Anything else that is none is
// [CodeInvalid] of the field.
func Kinds(field string, list []MemoryKind) ([]MemoryKind, error) {
	var out []MemoryKind
	for _, k := range list {
		switch {
		case k.Valid():
			out = append(out, k)
		case k == "defining":
			out = append(out, KindDecision, KindMilestone, KindEvent, KindTurningPoint)
		case k == "regular":
			out = append(out, KindFact, KindPreference, KindEpisode, KindInsight, KindTask)
		default:
			return nil, Invalid(field, "%.40q is not one of fact, preference, episode, insight, task, decision, milestone, event, turning_point, defining, regular", k)
		}
	}
	return out, nil
}

// The states of a memory beside active, which is "".
const (
	MemoryArchived    = "archived"
	MemoryQuarantined = "quarantined" // it tries to give orders and came from the web or a tool: kept, never recalled
	MemoryCandidate   = "candidate"   // it is not sure to be worth keeping: kept for a review, never recalled
)

// HeldStates are the states of memories that are kept for a review and never recalled. [MemoryFilter] leaves them out, unless it names one.
var HeldStates = []string{MemoryQuarantined, MemoryCandidate}

// Held reports whether the memory waits for a review and is not recalled.
func (m *Memory) Held() bool { return m.State == MemoryQuarantined || m.State == MemoryCandidate }

// Source is the evidence of a memory: the bytes [Start, End) of a document's cleaned text or of a message.
type Source struct {
	Document ID     `json:"document_id,omitempty"`
	Message  ID     `json:"message_id,omitempty"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Quote    string `json:"quote,omitempty"`
}

// Memory is one distilled statement. A memory that is superseded stays, no longer latest, with when and why.
type Memory struct {
	ID          ID             `json:"id"`
	Node        ID             `json:"node_id"`
	Path        Path           `json:"container"`
	Kind        MemoryKind     `json:"kind"`
	Content     string         `json:"content"`
	Slot        string         `json:"slot,omitempty"`
	Value       string         `json:"value,omitempty"`
	Subject     string         `json:"subject,omitempty"`
	Confidence  float64        `json:"confidence"`
	Tags        []string       `json:"tags"`
	Metadata    map[string]any `json:"metadata"`
	Entities    []string       `json:"entities,omitempty"`
	Sources     []Source       `json:"sources"`
	Origin      Origin         `json:"origin,omitempty"`
	Extractor   string         `json:"extractor,omitempty"` // who derived it, with version; "" when added by hand
	State       string         `json:"state,omitempty"`
	Key         string         `json:"-"` // equal for near-duplicates of one node
	IsLatest    bool           `json:"is_latest"`
	RetiredBy   ID             `json:"retired_by,omitempty"`
	Reason      string         `json:"reason,omitempty"`
	OccurredAt  *time.Time     `json:"occurred_at,omitempty"`
	ValidFrom   *time.Time     `json:"valid_from,omitempty"`
	ValidTo     *time.Time     `json:"valid_to,omitempty"`
	RecordedAt  time.Time      `json:"recorded_at"`
	RetiredAt   *time.Time     `json:"retired_at,omitempty"`
	UpdatedAt   time.Time      `json:"updated_at"`
	ForgetAfter *time.Time     `json:"forget_after,omitempty"`
	// Deduplicated says, in the answer to an addition, that the statement was there before.
	Deduplicated bool `json:"deduplicated,omitempty"`
}

// When is when what a memory says happened, else when it was said, else when it was recorded.
func (m Memory) When() time.Time {
	if m.OccurredAt != nil {
		return *m.OccurredAt
	}
	if s, ok := m.Metadata["said_at"].(string); ok {
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return at
		}
	}
	return m.RecordedAt
}

// NewMemory is a request to add a memory directly.
type NewMemory struct {
	Content     string         `json:"content"`
	Kind        MemoryKind     `json:"kind,omitempty"`
	Container   string         `json:"container,omitempty"`
	Confidence  *float64       `json:"confidence,omitempty"`
	Tags        []string       `json:"tags,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	OccurredAt  *time.Time     `json:"occurred_at,omitempty"`
	ForgetAfter *time.Time     `json:"forget_after,omitempty"`
	Updates     ID             `json:"updates,omitempty"` // the memory that this one takes the place of
	Reason      string         `json:"reason,omitempty"`
}

// MemoryPatch changes a memory's descriptors. Nil fields stay as they are.
type MemoryPatch struct {
	Kind        *MemoryKind
	Confidence  *float64
	Tags        *[]string
	Metadata    map[string]any // merged; a nil value removes its key
	ForgetAfter *time.Time
	ClearForget bool
	State       *string // archived: out of searches, or active
}
