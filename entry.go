package lukasa

import (
	"strings"
	"time"
)

// EntryType says which record a searchable entry, and so a hit, stands for.
type EntryType string

// The entry types.
const (
	EntryChunk    EntryType = "chunk"    // a stretch of a note or file
	EntryMessage  EntryType = "message"  // a stretch of a message
	EntryMemory   EntryType = "memory"   // a distilled statement
	EntryDocument EntryType = "document" // a document's title and summary
)

// Entry is one searchable thing as the index sees it. It is derived from rows and can be read again at any time.
type Entry struct {
	ID           ID
	Type         EntryType
	Owner        ID
	Node         ID
	Document     ID // the document (or conversation segment) it belongs to; "" for a memory
	Message      ID
	Conversation ID
	Seq          int64 // order within the document or conversation
	Text         string
	Title        string
	Speaker      string
	Role         string
	Session      string
	ContentType  string
	Language     string // of the document that it is a part of, ISO 639-1; "" where that is not known, or is no more than the entry
	Kind         MemoryKind
	Subject      string // of a memory, and
	Slot         string // which value of the subject it tells
	Status       Status
	Origin       Origin
	Confidence   float64
	Latest       bool
	Tags         []string
	Metadata     map[string]any
	OccurredAt   time.Time // zero when unknown
	CreatedAt    time.Time
	Vector       []float32 // nil until it is embedded in the index's space
}

// When returns OccurredAt, or CreatedAt where that is unknown.
func (e *Entry) When() time.Time {
	if e.OccurredAt.IsZero() {
		return e.CreatedAt
	}
	return e.OccurredAt
}

// EntryTitle is what leads to a chunk: its document's title and the path of headings above it, each step once.
func EntryTitle(title string, heading []string) string {
	parts := make([]string, 0, 1+len(heading))
	for _, p := range append([]string{title}, heading...) {
		if p != "" && (len(parts) == 0 || parts[len(parts)-1] != p) {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " > ")
}

// Change is one line of the change log: the entry was written (or written again), or removed. Seq grows without bound and
// never repeats; a change is committed together with the rows that it speaks of.
type Change struct {
	Seq     int64
	Owner   ID
	Node    ID
	Entry   ID
	Type    EntryType
	Removed bool
}

// Candidate is an entry that the index found, with its raw scores. Similarity is the cosine to the query vector, Text the
// BM25 score; each is meaningful only where its flag is set.
type Candidate struct {
	Entry      ID
	Type       EntryType
	Node       ID
	Document   ID
	Seq        int64
	When       time.Time
	CreatedAt  time.Time
	Similarity float64
	Text       float64
	HasVector  bool
	HasText    bool
}
