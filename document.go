package lukasa

import "time"

// Status is how far a document has come.
type Status string

// The statuses, in the order in which a document passes them.
const (
	StatusQueued     Status = "queued"
	StatusExtracting Status = "extracting"
	StatusChunking   Status = "chunking"
	StatusEmbedding  Status = "embedding"
	StatusDistilling Status = "distilling"
	StatusIndexing   Status = "indexing"
	StatusDone       Status = "done"
	StatusFailed     Status = "failed"
)

// Origin says where content came from, and so how far it is trusted.
type Origin string

// The origins, most trusted first.
const (
	OriginUser   Origin = "user"
	OriginAgent  Origin = "agent"
	OriginTool   Origin = "tool"
	OriginWeb    Origin = "web"
	OriginFile   Origin = "file"
	OriginImport Origin = "import"
)

// Said reports whether the text of a document of this origin was said by its owner, or by an agent for its owner: a note. Any
// other document was only read, and states nothing about its owner.
func (o Origin) Said() bool { return o == "" || o == OriginUser || o == OriginAgent }

// Document is one saved piece of source content. Content is the cleaned text; it is empty while the document is being
// extracted and in listings.
type Document struct {
	ID             ID             `json:"id"`
	Node           ID             `json:"node_id"`
	Path           Path           `json:"container"`
	Title          string         `json:"title"`
	Content        string         `json:"content,omitempty"`
	ContentType    string         `json:"content_type"`
	Language       string         `json:"language,omitempty"`
	Category       string         `json:"category,omitempty"`
	Summary        string         `json:"summary,omitempty"`
	Keywords       Keywords       `json:"keywords"`
	Tags           []string       `json:"tags"`
	Metadata       map[string]any `json:"metadata"`
	SourceURL      string         `json:"source_url,omitempty"`
	CustomID       string         `json:"custom_id,omitempty"`
	Origin         Origin         `json:"origin,omitempty"`
	ContentHash    string         `json:"content_hash,omitempty"` // SHA-256 of the cleaned text, hex
	Size           int64          `json:"size"`                   // bytes of the cleaned text
	Status         Status         `json:"status"`
	Reason         string         `json:"reason,omitempty"` // why it failed, or what is still missing
	Version        int            `json:"version"`
	Previous       ID             `json:"previous_id,omitempty"`
	IsLatest       bool           `json:"is_latest"`
	Chunks         int            `json:"chunk_count"`
	Embedded       int            `json:"embedded_count"`
	OccurredAt     *time.Time     `json:"occurred_at,omitempty"`
	CreatedAt      time.Time      `json:"created_at"`
	UpdatedAt      time.Time      `json:"updated_at"`
	ForgetAfter    *time.Time     `json:"forget_after,omitempty"`
	LastAccessedAt *time.Time     `json:"last_accessed_at,omitempty"`
	Accesses       int64          `json:"access_count"`
}

// Keywords are a document's descriptors, in fields that can each be queried.
type Keywords struct {
	Entities      []string `json:"entities,omitempty"`
	Topics        []string `json:"topics,omitempty"`
	Dates         []string `json:"dates,omitempty"`
	Relationships []string `json:"relationships,omitempty"`
}

// Chunk is a searchable stretch of a document: the bytes [Start, End) of its cleaned text.
type Chunk struct {
	ID       ID       `json:"id"`
	Document ID       `json:"document_id"`
	Message  ID       `json:"message_id,omitempty"`
	Node     ID       `json:"node_id"`
	Seq      int      `json:"seq"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Lines    [2]int   `json:"lines"` // first and last line, counted from 1
	Page     int      `json:"page,omitempty"`
	Place    string   `json:"place,omitempty"` // where to look it up, when a page does not say it: "Sheet1!A2:D40", "00:03:12"
	Kind     string   `json:"kind,omitempty"`
	Symbol   string   `json:"symbol,omitempty"`
	Heading  []string `json:"heading,omitempty"`
	Content  string   `json:"content"`
}

// File is the bytes behind a document.
type File struct {
	ID         ID        `json:"id"`
	Document   ID        `json:"document_id"`
	Role       string    `json:"role"` // raw: as it came in; text: the cleaned text
	Name       string    `json:"name,omitempty"`
	Type       string    `json:"type,omitempty"`
	Size       int64     `json:"size"`
	SealedSize int64     `json:"sealed_size"`
	Blob       string    `json:"-"` // key in the blob store; "" when Inline holds the sealed bytes
	Inline     []byte    `json:"-"`
	SHA256     string    `json:"sha256"`
	State      string    `json:"state"` // active, dormant or rehydrating
	UsedAt     time.Time `json:"last_used_at"`
	CreatedAt  time.Time `json:"created_at"`
}

// NewDocument is a request to remember something. Exactly one of Content, URL and Data is given.
type NewDocument struct {
	Content     string
	URL         string
	Data        []byte
	Name        string // file name of Data
	Container   string
	Title       string
	ContentType string
	SourceURL   string
	CustomID    string // with one, only a document with the same one is this one, whatever others have the same text
	Updates     ID     // an explicit predecessor
	Metadata    map[string]any
	Tags        []string
	Origin      Origin
	OccurredAt  *time.Time
	ForgetAfter *time.Time
	CreatedAt   *time.Time // imports only
}

// Receipt answers a write: the document as it stands, and whether anything was new.
type Receipt struct {
	Document     Document
	Deduplicated bool // the same text was there already
	Changed      bool // deduplicated, but tags or metadata were added
}

// DocumentPatch changes what is not content, of a document or conversation. Nil fields stay as they are; ClearForget removes forget_after.
type DocumentPatch struct {
	Title       *string
	Tags        *[]string
	Metadata    map[string]any // merged; a nil value removes its key
	ForgetAfter *time.Time
	ClearForget bool
}

// Removal lists what a deletion took away.
type Removal struct {
	Documents int   `json:"documents"`
	Chunks    int   `json:"chunks"`
	Vectors   int   `json:"vectors"`
	Memories  int   `json:"memories"`
	Messages  int   `json:"messages"`
	Files     int   `json:"files"`
	Nodes     int   `json:"nodes"`
	Edges     int   `json:"edges"`
	Entities  int   `json:"entities"`
	Jobs      int   `json:"jobs"`
	Bytes     int64 `json:"bytes"`
	IDs       []ID  `json:"ids"` // the documents, memories and nodes removed
}

// Count adds what another removal took away, but for its ids.
func (r *Removal) Count(o Removal) {
	r.Documents, r.Chunks, r.Vectors, r.Memories = r.Documents+o.Documents, r.Chunks+o.Chunks, r.Vectors+o.Vectors, r.Memories+o.Memories
	r.Messages, r.Files, r.Nodes, r.Edges = r.Messages+o.Messages, r.Files+o.Files, r.Nodes+o.Nodes, r.Edges+o.Edges
	r.Entities, r.Jobs, r.Bytes = r.Entities+o.Entities, r.Jobs+o.Jobs, r.Bytes+o.Bytes
}
