package lukasa

import (
	"strings"
	"time"
)

// The rankers that a query may name.
const (
	RankerLukasa   = "lukasa"   // the default
	RankerWeighted = "weighted" // 0.6·vector + 0.4·text + 0.1·e^(−age/30 d)
	RankerVector   = "vector"   // cosine alone
	RankerText     = "text"     // BM25 alone
	RankerCascade  = "cascade"  // defining memories, graph, keywords, vectors of summaries, content: stage by stage
	RankerRRF      = "rrf"      // reciprocal rank fusion, k = 60
)

// MaxQuery is the longest query text, in bytes.
const MaxQuery = 10_000

// Query is a search request. An empty Text lists the newest entries.
type Query struct {
	Text         string
	Containers   []Pattern // none: everything that the scope may read
	Limit        int       // results, 1-200; 0 means 10
	Ranker       string    // "" means the default
	Types        []EntryType
	Filter       *Filter
	Threshold    float64    // on relevance, 0..1
	MinScore     float64    // on the ranker's own score
	Content      bool       // carry the whole document text in document hits
	AsOf         *time.Time // what was known then
	ValidAt      *time.Time // memories that were true then; messages and documents that Types names, if their date is not later
	ValidFrom    *time.Time // memories that were true then or later, and
	ValidTo      *time.Time // that were true before then: with both, at some time between them; messages and documents by their dates
	Related      bool       // carry what hangs on each hit
	Expect       ID         // say at which stage this record was dropped
	Conversation ID         // messages of this one only
}

// Hit is one search result. The best chunk of a document stands for it; Chunks counts all of its chunks that matched.
type Hit struct {
	ID          ID                 `json:"id"`
	Type        EntryType          `json:"type"`
	Content     string             `json:"content"`
	Score       float64            `json:"score"`
	Relevance   float64            `json:"relevance"` // the probability that it answers, 0..1
	Relevant    bool               `json:"relevant"`  // the relevance reaches the level of its kind
	Similarity  float64            `json:"similarity"`
	Parts       map[string]float64 `json:"parts"`
	Path        Path               `json:"container"`
	Document    *HitDocument       `json:"document,omitempty"`
	Message     *HitMessage        `json:"message,omitempty"`
	Memory      *Memory            `json:"memory,omitempty"`
	Chunk       *HitChunk          `json:"chunk,omitempty"`
	Chunks      int                `json:"matching_chunks,omitempty"`
	Tags        []string           `json:"tags"`
	Metadata    map[string]any     `json:"metadata"`
	OccurredAt  *time.Time         `json:"occurred_at,omitempty"`
	CreatedAt   time.Time          `json:"created_at"`
	ContentFull string             `json:"document_content,omitempty"`
	Memories    []Memory           `json:"memories,omitempty"` // distilled from this hit
	Related     []Related          `json:"related,omitempty"`
	// Superseded says what of a hit is no longer so: it was replaced, or its time is over. A message or a stretch of a document shows what was
	// said, as it was said. What holds now stands before such a hit, where it is a hit too.
	Superseded []Superseded `json:"superseded,omitempty"`
}

// When is when what a hit says happened or was said, as far as that is known, else when it was kept.
func (h Hit) When() time.Time {
	switch {
	case h.OccurredAt != nil:
		return *h.OccurredAt
	case h.Message != nil && h.Message.Time != nil:
		return *h.Message.Time
	case h.Memory != nil && !h.Memory.When().IsZero():
		return h.Memory.When()
	}
	return h.CreatedAt
}

// Superseded is a memory that is a hit, or was drawn from the words of one, and that does not hold any more.
type Superseded struct {
	ID        ID            `json:"id"`
	Content   string        `json:"content"`
	Reason    string        `json:"reason,omitempty"`
	ValidTo   *time.Time    `json:"valid_to,omitempty"`   // until when it was true, as far as that is known
	RetiredAt *time.Time    `json:"retired_at,omitempty"` // when that was noticed
	By        *SupersededBy `json:"by,omitempty"`         // what holds now; nothing where that is not there, or not for the caller to see
}

// String says it in a sentence: "No longer so: Ana lives in Paris. Now, since 2026-04-02: Ana lives in Lyon."
func (s Superseded) String() string {
	out := "No longer so: " + strings.TrimSpace(s.Content)
	if s.By != nil {
		out += " " + s.By.String()
	}
	return out
}

// SupersededBy is the memory that holds now, whatever came between.
type SupersededBy struct {
	ID      ID         `json:"id"`
	Content string     `json:"content"`
	Since   *time.Time `json:"since,omitempty"` // from when on it has been true, as far as that is known; else when it was said or recorded
}

// String says it in a sentence: "Now, since 2026-04-02: Ana lives in Lyon."
func (b SupersededBy) String() string {
	since := ""
	if b.Since != nil {
		since = ", since " + b.Since.UTC().Format(time.DateOnly)
	}
	return "Now" + since + ": " + strings.TrimSpace(b.Content)
}

// Related is a record one edge away from a hit.
type Related struct {
	ID     ID       `json:"id"`
	Edge   EdgeType `json:"edge"`
	Weight float64  `json:"weight"`
	Label  string   `json:"label"`
}

// HitDocument names the document of a hit.
type HitDocument struct {
	ID          ID     `json:"id"`
	Title       string `json:"title"`
	ContentType string `json:"content_type"`
	SourceURL   string `json:"source_url,omitempty"`
	Summary     string `json:"summary,omitempty"`
	Version     int    `json:"version"`
}

// HitMessage names the message of a hit; ID is the caller's own id when it gave one.
type HitMessage struct {
	ID           string     `json:"id"`
	Record       ID         `json:"record_id"`
	Conversation string     `json:"conversation"`
	Title        string     `json:"conversation_title,omitempty"` // what people are shown instead, where it is called something
	Speaker      string     `json:"speaker,omitempty"`
	Role         string     `json:"role,omitempty"`
	Session      string     `json:"session,omitempty"`
	Time         *time.Time `json:"time,omitempty"`
	Span         [2]int     `json:"span"` // bytes of the message that matched
}

// HitChunk says where in its document a hit stands.
type HitChunk struct {
	ID      ID       `json:"id"`
	Seq     int      `json:"seq"`
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Lines   [2]int   `json:"lines"`
	Page    int      `json:"page,omitempty"`
	Place   string   `json:"place,omitempty"`
	Heading []string `json:"heading,omitempty"`
	Symbol  string   `json:"symbol,omitempty"`
}

// Meant is somebody whom a query names by a role, and who that is by what a memory says.
type Meant struct {
	Words  string `json:"words"` // of the query: our daughter
	Name   string `json:"name"`
	Memory ID     `json:"memory"`
}

// Result answers a query. Message and Suggestion are set when there is nothing to show.
type Result struct {
	Query      string      `json:"query"`
	Hits       []Hit       `json:"results"`
	Nothing    bool        `json:"nothing_relevant"` // no result reaches the level of its kind
	Meant      []Meant     `json:"meant,omitempty"`  // whom the query names by a role, where that is known: the search looked for their names too
	Total      int         `json:"total"`
	Message    string      `json:"message,omitempty"`
	Suggestion string      `json:"suggestion,omitempty"`
	Stats      SearchStats `json:"stats"`
}

// SearchStats says how a result came about. Times are in milliseconds.
type SearchStats struct {
	Ranker     string             `json:"ranker"`
	Cached     bool               `json:"cached"`
	Nodes      int                `json:"nodes"`
	Candidates int                `json:"candidates"`
	TookMS     float64            `json:"took_ms"`
	StageMS    map[string]float64 `json:"stage_ms"`
	Degraded   string             `json:"degraded,omitempty"` // what was not used, and why
	WhyNot     string             `json:"why_not,omitempty"`  // of the expected record
	// Instead has, for each word of the query that is nowhere and may be misspelt, the terms that stood in for it, as they are indexed.
	Instead map[string][]string `json:"instead,omitempty"`
}

// Page asks for a stretch of a list: Limit 1-100 (0 means 20), from Cursor on.
type Page struct {
	Cursor        string
	Limit, Offset int  // Offset is accepted beside Cursor, for doors that count
	Uncounted     bool // Listing.Total is not asked for, and may be 0
}

// Listing is a stretch of a list. Next is "" at the end; Total counts all that match, as they were when the first stretch was read.
type Listing[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_cursor"`
	Total int    `json:"total"`
}

// DocumentFilter narrows a listing of documents. Zero fields do not narrow.
type DocumentFilter struct {
	Containers   []Pattern
	ContentType  []string
	Status       []Status
	Tags         []string
	SourceURL    string
	CustomID     string
	Title        string     // substring, ignoring case
	After        *time.Time // by when they occurred, else were created
	Before       *time.Time
	CreatedFrom  *time.Time
	CreatedUntil *time.Time
	AllVersions  bool
	OldestFirst  bool
	Conversation bool // conversation segments too
}

// MemoryFilter narrows a listing of memories. Zero fields do not narrow; several values of one field mean any of them. A bound called
// After or From is at or after that time, one called Before, Until or To strictly before it.
type MemoryFilter struct {
	Containers         []Pattern
	Kinds              []MemoryKind
	Tags               []string
	Topics             []string // its tags, or those and the topics of the documents and recall files that it comes from
	Entities           []string // whom or what it mentions or is linked with: names, aliases or ids
	Relations          []string // types of edges that it stands at, to one of Entities if there are any, or what it says of its subject: works_at
	Latest             *bool
	Document           ID
	After              *time.Time // by when it occurred, else was recorded
	Before             *time.Time
	CreatedFrom        *time.Time // by when it was recorded
	CreatedUntil       *time.Time
	ValidAt            *time.Time
	ValidFrom          *time.Time // it was true then or later
	ValidTo            *time.Time // it was true before then
	Slot, Subject, Key string
	State              *string // nil: all but those of [HeldStates]
}

// Stats counts what a scope can see.
type Stats struct {
	Documents     int            `json:"documents"`
	ThisWeek      int            `json:"documents_this_week"`
	Chunks        int            `json:"chunks"`
	Memories      int            `json:"memories"`
	Messages      int            `json:"messages"`
	Conversations int            `json:"conversations"`
	Nodes         int            `json:"nodes"`
	Embedded      int            `json:"chunks_embedded"`
	Coverage      float64        `json:"embedding_coverage"` // share of chunks with a vector, 0..1
	Bytes         int64          `json:"storage_bytes"`
	ByStatus      map[string]int `json:"documents_by_status"`
	ByType        map[string]int `json:"documents_by_type"`
}
