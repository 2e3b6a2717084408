package lukasa

import (
	"slices"
	"time"
)

// TimelineFilter says which part of a timeline is listed. Zero fields do not narrow.
type TimelineFilter struct {
	Containers []Pattern
	From, To   *time.Time   // at or after From, strictly before To
	Types      []EntryType  // memory, message, document; chunks stand in documents
	Kinds      []MemoryKind // of the memories
}

// TimelineLine is a record at the time at which it stands in a timeline: a memory when it happened, else from when on it has been true, else
// when it was said; a message when it was sent; a document at its own date; each of them when it was saved, where that is not known.
type TimelineLine struct {
	Date       time.Time `json:"date"`
	Kind       string    `json:"kind"` // of a memory its kind; message, document
	Text       string    `json:"text"` // of a document its title
	ID         ID        `json:"id"`
	Source     ID        `json:"source,omitempty"` // the message or document that a memory was drawn from first
	Container  Path      `json:"container"`
	Speaker    string    `json:"speaker,omitempty"`    // of a message; its role where it has none
	Superseded bool      `json:"superseded,omitempty"` // a memory that something newer took the place of
}

// Narrow narrows to records by the words that a line's kind may be: memory, message, document, or a kind of memories, also defining and regular,
// which stand for several. Others are [CodeInvalid].
func (f *TimelineFilter) Narrow(words []string) error {
	whole := false
	for _, w := range words {
		switch t := EntryType(w); t {
		case EntryMemory, EntryMessage, EntryDocument:
			f.Types, whole = append(f.Types, t), whole || t == EntryMemory
			continue
		}
		kinds, err := Kinds("kind", []MemoryKind{MemoryKind(w)})
		if err != nil {
			return Invalid("kind", "%.40q is not memory, message, document or a kind of memories", w)
		}
		f.Kinds = append(f.Kinds, kinds...)
	}
	if len(f.Kinds) > 0 && !whole {
		f.Types = append(f.Types, EntryMemory)
	}
	if whole {
		f.Kinds = nil
	}
	slices.Sort(f.Types)
	f.Types = slices.Compact(f.Types)
	return nil
}
