// Package store keeps the truth in rows, scoped and transactional.
//
// It declares the port, with what drivers over SQL share: the columns of records and what reads them, the shape and the chain of
// deltas, and the statements of the ledger. The drivers stand in folders of their own and run the suite of storetest. A
// driver fills in created_at and the like only where a caller left them zero, never mints ids, and writes one line of the
// change log for every searchable entry that a transaction writes or removes, in that same transaction.
//
// Who may import this: paths and the engine. Drivers are named by the engine alone.
package store

import (
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Store is a driver. All methods are safe for concurrent use, and several processes may open the same store.
type Store interface {
	// View runs fn over one consistent snapshot of the rows that sc may read. It never waits for a writer. What fn is
	// handed is valid until fn returns.
	View(ctx context.Context, sc lukasa.Scope, fn func(Reader) error) error
	// ViewAt is View over the rows as they were at a moment: the same methods answer with the records, fields and counts of
	// that moment, less what has been purged since. What the scope may see is decided by today's tree, and so where a record
	// stands (its node, a message's segment) is today's. So are the progress of a document (whether its summary is an entry: from the
	// first time on), the names of an entity, and what a purge has taken out of the log: a memory that lost a source is shown as
	// it is told next.
	ViewAt(ctx context.Context, sc lukasa.Scope, at time.Time, fn func(Reader) error) error
	// Update runs fn in a transaction of its own and returns once its effect is durable. If fn returns an error, nothing of
	// it stays and that error is returned. fn must do nothing slow: other writers wait for it; it may be run again from the
	// start, so it must not have effects of its own. A full disk is [lukasa.CodeStorage].
	Update(ctx context.Context, sc lukasa.Scope, fn func(Tx) error) error
	Feed
	Jobs
	Accounts
	Members
	Grants
	Upkeep
	Tombstones
	Settings
	Files
	Audits
	Close() error
}

// Reader reads what one scope may see: rows of its owner that stand in its subtree. What it may not see is
// [lukasa.CodeNotFound], the same as what is absent.
type Reader interface {
	NodeReader
	DocumentReader
	FileReader
	ChunkReader
	MemoryReader
	MessageReader
	SegmentReader
	GraphReader
	HistoryReader
}

// Tx is a Reader that also writes. It sees its own writes. Writing into a node outside the scope's subtree is
// [lukasa.CodeNotFound].
type Tx interface {
	Reader
	NodeWriter
	DocumentWriter
	ChunkWriter
	MemoryWriter
	MessageWriter
	SegmentWriter
	GraphWriter
	HistoryWriter
	// Enqueue adds a job; one with the same kind and record that still waits is kept instead. A dead one is a dead letter from the beginning.
	Enqueue(j lukasa.Job) error
	// DropDead removes the dead letters of a record.
	DropDead(record lukasa.ID) error
}

// NodeReader reads the tree.
type NodeReader interface {
	Node(id lukasa.ID) (lukasa.Node, error)
	NodeAt(p lukasa.Path) (lukasa.Node, error)
	// Nodes returns the nodes that one of the patterns names, all for none, ordered by path, with their counts if asked.
	// The root is left out.
	Nodes(patterns []lukasa.Pattern, counts bool) ([]lukasa.Node, error)
	// Paths is Nodes with ids and paths, and no more.
	Paths(patterns []lukasa.Pattern) ([]lukasa.Node, error)
}

// NodeWriter changes the tree.
type NodeWriter interface {
	// PutNode inserts or updates a node by id. Its parent must be there; a depth over 5 or a second node at a path is
	// [lukasa.CodeConflict].
	PutNode(n lukasa.Node) error
	// DeleteNode removes a node, its subtree and everything in it, for good, and returns what went and the blob keys that
	// may now be deleted.
	DeleteNode(id lukasa.ID) (lukasa.Removal, []string, error)
	// ClearNode removes limit of the documents in a node and its subtree, with all that hangs on them, where there are more; otherwise limit of
	// the memories, where there are more. It reports whether it did, what went and the blob keys that may now be deleted. What is about to go is
	// handed to first. A node that holds much is cleared before it is deleted, so that no transaction takes long.
	ClearNode(id lukasa.ID, limit int, first func(ids []lukasa.ID) error) (did bool, gone lukasa.Removal, blobs []string, err error)
}

// DocumentReader reads documents.
type DocumentReader interface {
	Document(id lukasa.ID) (lukasa.Document, error)
	// DocumentsByID returns those of the ids that are there, in the order asked for, without content.
	DocumentsByID(ids []lukasa.ID) ([]lukasa.Document, error)
	// Heads is DocumentsByID with what an answer shows of a document, and no more: id, title, content type, source URL, summary, version,
	// tags and metadata, and its status, origin and whether it is the latest.
	Heads(ids []lukasa.ID) ([]lukasa.Document, error)
	// Documents lists newest first (unless the filter says otherwise), without content.
	Documents(f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error)
	// LatestByHash returns the latest version with this content hash in the node.
	LatestByHash(node lukasa.ID, hash string) (lukasa.Document, error)
	// LatestBy returns the latest version in the node whose custom_id, source_url or title (key) equals value. A document
	// without a content hash is still waiting for its text: neither it nor LatestByHash finds those.
	LatestBy(node lukasa.ID, key, value string) (lukasa.Document, error)
	// Versions returns the whole chain that the document belongs to, newest first, without content.
	Versions(id lukasa.ID) ([]lukasa.Document, error)
}

// FileReader reads which files are kept behind documents. A file is seen where its document is.
type FileReader interface {
	// Files returns the files of a document, oldest first, or only the one with the role if it is not "".
	Files(document lukasa.ID, role string) ([]lukasa.File, error)
	// FileList lists files newest first, without the bytes that are kept inline.
	FileList(f FileFilter, p lukasa.Page) (lukasa.Listing[lukasa.File], error)
}

// FileFilter narrows a listing of files. Zero fields do not narrow.
type FileFilter struct {
	Document   lukasa.ID        // one that is not there is [lukasa.CodeNotFound]
	Containers []lukasa.Pattern // of their documents
	Except     string           // files with this role are left out
}

// DocumentWriter changes documents.
type DocumentWriter interface {
	// PutDocument inserts or updates a document by id. Writing one that is the latest and has a Previous takes is_latest
	// from that one.
	// Changing title, tags, metadata, is_latest or occurred_at also writes a change for each entry of the document.
	PutDocument(d lukasa.Document) error
	// AddDocument inserts a document that is not there yet, with all that is made of it: what PutDocument, ReplaceChunks, SummaryEntry and
	// PutVectors would do one after another, in half the statements. One that is there is [lukasa.CodeConflict]. It is no segment of a conversation.
	AddDocument(w Whole) error
	// Foresee looks up at once which of the values of a key (content_hash, custom_id, source_url or title) no document in the node has. In this
	// transaction neither LatestByHash nor LatestBy, nor Documents by a custom id, asks for those again before one is written. It changes no
	// answer: it makes many documents cheaper to write than one by one.
	Foresee(node lukasa.ID, key string, values []string) error
	// DeleteDocument removes the document with chunks, vectors, files and messages, and the memories that have no other
	// source; if it was the latest version, the one before it becomes the latest again. It returns what went and the blob
	// keys that may now be deleted.
	DeleteDocument(id lukasa.ID) (lukasa.Removal, []string, error)
	// Touch notes that documents were recalled, and returns the node that each stands in. It writes no change. Unknown ids are passed over.
	Touch(ids []lukasa.ID, at time.Time) (nodes []lukasa.ID, err error)
	PutFile(f lukasa.File) error
}

// Moment is a record with the time at which it stands in a timeline.
type Moment struct {
	ID lukasa.ID
	At time.Time
}

// ChunkReader reads chunks and the entries that the index is made of.
type ChunkReader interface {
	// Chunks returns a document's chunks in order.
	Chunks(document lukasa.ID) ([]lukasa.Chunk, error)
	// ChunksByID returns those of the ids that are there, in the order asked for.
	ChunksByID(ids []lukasa.ID) ([]lukasa.Chunk, error)
	// Pending returns up to limit entries of a record that lack a vector in the space: of a document its chunks, and itself
	// where it has a summary entry; of a memory itself.
	Pending(record lukasa.ID, space string, limit int) ([]lukasa.Entry, error)
	// Newest returns the newest entries first, for a query without words: by when they occurred, else were created. Only
	// entries of latest versions, of the given types (none: all), in the nodes (none: all), that the filter keeps. Where it has a
	// condition on "latest", memories that have been replaced are among them.
	Newest(nodes []lukasa.ID, types []lukasa.EntryType, f *lukasa.Filter, limit int) ([]lukasa.Entry, error)
	// Timeline lists latest documents but conversations, messages that have a text, and memories that are active, superseded ones too, oldest
	// first, by the times that [lukasa.TimelineLine] tells, then by id.
	Timeline(f lukasa.TimelineFilter, p lukasa.Page) (lukasa.Listing[Moment], error)
	// Since yields, in a view of a moment, the entries in the nodes that have changed or gone since, or were none yet: each id
	// with what it was, or nil. The vector in the space is there where it is that of the text then. In a view of today it yields nothing.
	// What an import has brought since under an earlier date is not told.
	Since(nodes []lukasa.ID, space string, yield func(id lukasa.ID, was *lukasa.Entry) bool) error
	Stats() (lukasa.Stats, error)
}

// Vector is an embedding of one entry. An empty one says that the entry has none and needs none, as it says nothing that could be embedded;
// it is read as none.
type Vector struct {
	Entry  lukasa.ID
	Type   lukasa.EntryType
	Vector []float32
}

// ChunkWriter changes chunks and vectors.
type ChunkWriter interface {
	// ReplaceChunks makes these the document's chunks; chunks that are no longer there go, with their vectors.
	ReplaceChunks(document lukasa.ID, chunks []lukasa.Chunk) error
	// PutVectors stores embeddings in one space. A vector whose entry is gone is passed over.
	PutVectors(space string, vs []Vector) error
	// SummaryEntry says whether the document itself, by title and summary, is an entry of its own.
	SummaryEntry(document lukasa.ID, on bool) error
}

// MemoryReader reads memories.
type MemoryReader interface {
	Memory(id lukasa.ID) (lukasa.Memory, error)
	MemoriesByID(ids []lukasa.ID) ([]lukasa.Memory, error)
	// Memories lists newest first.
	Memories(f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error)
	// Rivals returns the newest hundred memories that a new one has to be weighed against, in a time that does not hang on how
	// many others there are. Those in quarantine are none.
	Rivals(c Claim) ([]lukasa.Memory, error)
	// Superseded returns the memories that were drawn from some of these bytes of documents and messages and that something newer took
	// the place of, in the order in which they were made, each with what holds now. Those that are archived or in quarantine are not told.
	Superseded(sources []lukasa.Source) ([]Superseded, error)
}

// MemoryWriter changes memories.
type MemoryWriter interface {
	PutMemory(m lukasa.Memory) error
	DeleteMemory(id lukasa.ID) error
}

// MessageReader reads conversations.
type MessageReader interface {
	Conversation(id lukasa.ID) (lukasa.Conversation, error)
	// ConversationAt finds a conversation by the caller's name for it: one that stands in the node or, with begun, one that was begun
	// there without naming a container, wherever it stands by now.
	ConversationAt(node lukasa.ID, external string, begun bool) (lukasa.Conversation, error)
	Conversations(patterns []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error)
	// Messages lists a conversation's messages in order.
	Messages(conversation lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Message], error)
	MessagesByID(ids []lukasa.ID) ([]lukasa.Message, error)
	// MessagesIn yields the messages of a segment in order, from the position on.
	MessagesIn(document lukasa.ID, from int64, yield func(lukasa.Message) bool) error
	// MessagesByExternal returns those of the caller's ids that are there.
	MessagesByExternal(conversation lukasa.ID, external []string) ([]lukasa.Message, error)
}

// MessageWriter changes conversations.
type MessageWriter interface {
	PutConversation(c lukasa.Conversation) error
	// PutMessages inserts or updates messages by id; a new one with Seq -1 gets the conversation's next position. Their
	// chunks are given beside them (a message has one or more, a blank one none) and belong to the conversation's document.
	PutMessages(ms []lukasa.Message, chunks []lukasa.Chunk) error
	DeleteMessage(id lukasa.ID) error
}

// SegmentReader reads the stretches of conversations.
type SegmentReader interface {
	// Segment returns the segment whose document this is.
	Segment(document lukasa.ID) (lukasa.Segment, error)
	// Segments lists newest first (by when they began), with their documents' summary and keywords left to DocumentsByID.
	Segments(f SegmentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Segment], error)
	// FolderTaken reports whether a segment of the owner has the folder name.
	FolderTaken(name string) (bool, error)
}

// SegmentFilter narrows a listing of segments. Zero fields do not narrow.
type SegmentFilter struct {
	Containers   []lukasa.Pattern
	Conversation lukasa.ID
	States       []string
	Topic        string // substring of the topic or folder name, ignoring case
	Sort         string // created (the default), updated, topic, tokens
	Oldest       bool   // ascending
}

// SegmentWriter changes segments.
type SegmentWriter interface {
	// PutSegment inserts or updates a segment by its document, which must be there. A folder name that is taken is
	// [lukasa.CodeConflict].
	PutSegment(s lukasa.Segment) error
}

// GraphReader reads entities and edges. An edge is seen where both its ends are; an entity where a mention of it is.
type GraphReader interface {
	EntitiesByID(ids []lukasa.ID) ([]lukasa.Entity, error)
	// EntitiesNamed returns the entities that have one of the names, or an alias that is one of them, ignoring case.
	EntitiesNamed(names []string) ([]lukasa.Entity, error)
	// Known is EntitiesNamed without the counts of mentions, which take the longer the more often somebody is mentioned.
	Known(names []string) ([]lukasa.Entity, error)
	// KnownByID is EntitiesByID without those counts.
	KnownByID(ids []lukasa.ID) ([]lukasa.Entity, error)
	// Entities lists those of the kind (all for "") whose name or alias holds the text, ignoring case; most mentioned first. With patterns
	// nothing is counted but what mentions them in the nodes that these name.
	Entities(in []lukasa.Pattern, kind, text string, p lukasa.Page) (lukasa.Listing[lukasa.Entity], error)
	// Edges returns up to limit edges of the types (none: all) that begin or end at one of the records, heaviest first.
	Edges(of []lukasa.ID, types []lukasa.EdgeType, limit int) ([]lukasa.Edge, error)
	// Stands returns where those of the memories, messages and documents stand that are there, in any order.
	Stands(ids []lukasa.ID) ([]Stand, error)
	// Marked returns up to limit ids of what has a mark in the nodes, the newest first: of memories, of chunks of messages, and of documents
	// all of whose entries have it.
	Marked(nodes []lukasa.ID, m Mark, limit int) ([]lukasa.ID, error)
}

// Stand is where a record stands: its node and, of a message, the document that it is part of.
type Stand struct{ ID, Node, Document lukasa.ID }

// GraphWriter changes entities and edges. An edge goes with either of its ends, an entity with its last mention.
type GraphWriter interface {
	// PutEntity inserts or updates an entity by id. A second one of the same kind and name is [lukasa.CodeConflict].
	PutEntity(e lukasa.Entity) error
	// PutEdges inserts or updates edges by source, target and type. Both ends must be there: nodes, documents, messages,
	// memories, entities, conversations.
	PutEdges(edges []lukasa.Edge) error
	// DeleteEdges removes those that begin at the record and are of the types (none: all).
	DeleteEdges(from lukasa.ID, types ...lukasa.EdgeType) error
}

// HistoryReader reads the log of changes of records.
type HistoryReader interface {
	// History lists the deltas of a record (of all for ""), newest first.
	History(record lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Delta], error)
	Delta(id lukasa.ID) (lukasa.Delta, error)
	// Buried lists what lies in the trash, newest first.
	Buried(p lukasa.Page) (lukasa.Listing[Buried], error)
}

// HistoryWriter says why records change. The driver writes one delta, in the same transaction, for each memory, node and
// document whose content or descriptors a write changes, and for each memory that is made; progress of a document (status,
// reason, counts, access) is no change. Messages, made documents and edges have their creation time and no delta; a message
// that is replaced has one, and so has each deletion of a record that was not purged.
type HistoryWriter interface {
	// Because names who writes and why, for the deltas of this transaction from here on. Until then it is the principal.
	Because(author, reason string)
	// Bury hides a document, memory or conversation (with all that hangs on it) until Unbury or Purge. The index drops it. With
	// a document go the memories that have no other source outside the trash; if it was the latest version, the one before it
	// becomes the latest. What a memory had retired stays so until it is purged.
	Bury(id lukasa.ID) error
	// Unbury takes out of the trash what [HistoryReader.Buried] lists, with what went along, and back to its place among the
	// versions. Another conversation that has its name by now is [lukasa.CodeConflict].
	Unbury(id lukasa.ID) error
	// Purge removes a document, memory or conversation for good, buried or not, and returns what went and the blob keys that may
	// now be deleted. So do the deletions of the other roles, which find what is buried too.
	Purge(id lukasa.ID) (lukasa.Removal, []string, error)
}

// Buried is a record in the trash.
type Buried struct {
	Record lukasa.ID
	Node   lukasa.ID
	Label  string
	At     time.Time
}

// Files keeps the states of files over all owners.
type Files interface {
	// IdleFiles returns up to limit files in the state that were last used before the time, the longest idle first.
	IdleFiles(ctx context.Context, state string, before time.Time, limit int) ([]OwnedFile, error)
	// MoveFile changes a file's state and bytes, and appends the line to its log, in one transaction; it does nothing and
	// returns false where the file is no longer in the state that the event names as From, or says something else by now.
	MoveFile(ctx context.Context, owner lukasa.ID, f lukasa.File, e FileEvent) (bool, error)
	// TouchFiles notes that files were read.
	TouchFiles(ctx context.Context, owner lukasa.ID, ids []lukasa.ID, at time.Time) error
	// File returns one file; whether a scope may see it is decided by its document.
	File(ctx context.Context, owner, id lukasa.ID) (lukasa.File, error)
	// Usage counts the documents of an owner, all versions and segments, and the bytes of their texts and sealed files.
	Usage(ctx context.Context, owner lukasa.ID) (documents int, bytes int64, err error)
	// FileEvents returns the log of a file (of all of the owner's for ""), newest first.
	FileEvents(ctx context.Context, owner, file lukasa.ID, p lukasa.Page) (lukasa.Listing[FileEvent], error)
}

// FileEvent is one line of the append-only log of a file's states.
type FileEvent struct {
	File    lukasa.ID `json:"file_id"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Trigger string    `json:"trigger"` // scheduler, retrieval, ttl_expiry or manual
	Before  int64     `json:"size_before"`
	After   int64     `json:"size_after"`
	Error   string    `json:"error,omitempty"`
	At      time.Time `json:"at"`
}

// OwnedFile is a file with its owner.
type OwnedFile struct {
	Owner lukasa.ID
	File  lukasa.File
}

// Audits keeps what was done to the security of things, and the receipts of deletions. Both are append-only.
type Audits interface {
	Audit(ctx context.Context, a Audit) error
	// AuditLog lists an owner's acts (all for ""), newest first.
	AuditLog(ctx context.Context, owner lukasa.ID, action string, p lukasa.Page) (lukasa.Listing[Audit], error)
}

// Audit is a security-relevant act.
type Audit struct {
	Owner    lukasa.ID      `json:"owner_id"`
	Actor    lukasa.ID      `json:"actor_id"`
	Action   string         `json:"action"` // key.create, user.delete, document.delete, grant.revoke …
	Resource string         `json:"resource"`
	Details  map[string]any `json:"details,omitempty"`
	Address  string         `json:"address,omitempty"`
	At       time.Time      `json:"at"`
}

// Feed is what the index follows. It is not bound to a scope: only the engine may hand it to an index.
type Feed interface {
	// Head returns the seq of the last committed change. It is cheap: it runs before each search.
	Head(ctx context.Context) (int64, error)
	// Changes returns up to limit changes after the seq, in order. No change with a lower seq is committed later.
	Changes(ctx context.Context, after int64, limit int) ([]lukasa.Change, error)
	// Entries returns those of the entries that are there, in any order, with their vectors of the space.
	Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error)
	// Partition yields all entries of one node in a stable order (document or conversation, then seq).
	Partition(ctx context.Context, space string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error
	// Vectors returns the vectors of the entries, nil for those without, in the order asked for.
	Vectors(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([][]float32, error)
}

// Jobs is the queue of background work. It is not bound to a scope: only the engine works it off.
type Jobs interface {
	// Claim leases up to n jobs that are due and returns them with Attempt raised. A job whose lease ran out is due again.
	Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]lukasa.Job, error)
	// Finish removes a job that is done.
	Finish(ctx context.Context, id lukasa.ID) error
	// Extend puts off the end of the lease that Claim gave out with the job. A job that is gone, or was claimed again since, stays as it is.
	Extend(ctx context.Context, j lukasa.Job, until time.Time) error
	// Retry puts a job back to run at a later time with the reason; with dead set it stays as a dead letter.
	Retry(ctx context.Context, id lukasa.ID, at time.Time, reason string, dead bool) error
	// Postpone puts a job that Claim gave out back to run at a later time with the reason, and takes its attempt back: what it failed with is no
	// fault of its record. A job that is gone, or was claimed again since, stays as it is.
	Postpone(ctx context.Context, j lukasa.Job, at time.Time, reason string) error
	// Queue returns up to limit jobs of an owner (all for ""): the dead ones first, then those that have been there longest.
	Queue(ctx context.Context, owner lukasa.ID, limit int) ([]lukasa.Job, error)
	// Counts returns how many jobs wait, run and are dead.
	Counts(ctx context.Context, now time.Time) (waiting, running, dead int, err error)
	// Revive puts dead jobs of a record (or all, for "") back into the queue, and makes those due that wait because they failed or were
	// postponed. It returns how many they are.
	Revive(ctx context.Context, record lukasa.ID, now time.Time) (int, error)
}

// Accounts keeps owners, users and keys. Doors reach it through the auth room only.
type Accounts interface {
	// PutUser inserts or updates a user, and its owner row with the wrapped data key if that is new.
	PutUser(ctx context.Context, u lukasa.User, wrappedKey []byte) error
	// ChangeUser writes what change makes of a user as it stands, with no other write in between, and returns it. It never brings one back who
	// was deleted. An error of change leaves everything as it is; change may be run again.
	ChangeUser(ctx context.Context, id lukasa.ID, change func(*lukasa.User) error) (lukasa.User, error)
	User(ctx context.Context, id lukasa.ID) (lukasa.User, error)
	Users(ctx context.Context) ([]lukasa.User, error)
	// OwnerKey returns the owner's wrapped data key, [lukasa.CodeNotFound] once it has been destroyed.
	OwnerKey(ctx context.Context, owner lukasa.ID) ([]byte, error)
	Keyring
}

// Keyring keeps the keys that users present.
type Keyring interface {
	// PutKey inserts or updates a key by id. A nil hash leaves the one that is there.
	PutKey(ctx context.Context, k lukasa.Key, hash []byte) error
	// UseKey notes when a key was used last, and nothing else.
	UseKey(ctx context.Context, k lukasa.Key, at time.Time) error
	// KeyByHash returns the key and its user, to an organisation the member. A revoked or expired key is returned too; auth decides.
	KeyByHash(ctx context.Context, hash []byte) (lukasa.Key, lukasa.User, error)
	// Keys lists the keys to the records of a user or organisation, or all for "".
	Keys(ctx context.Context, owner lukasa.ID) ([]lukasa.Key, error)
}

// Upkeep is housekeeping over all owners.
type Upkeep interface {
	// Expired returns up to limit documents, memories, conversations and messages whose forget_after is at or before now. A message in the
	// trash waits there.
	Expired(ctx context.Context, now time.Time, limit int) ([]Expired, error)
	// Quiet returns up to limit conversations whose open segment has so many tokens and got nothing since the time.
	Quiet(ctx context.Context, since time.Time, tokens, limit int) ([]Expired, error)
	// BuriedBefore returns up to limit records that have lain in the trash since before the time.
	BuriedBefore(ctx context.Context, at time.Time, limit int) ([]Expired, error)
	// DeleteUser removes a user with keys, rows and wrapped key at once, and returns what went and the blob keys.
	DeleteUser(ctx context.Context, id lukasa.ID) (lukasa.Removal, []string, error)
	// BlobKeys yields every blob key that a row refers to.
	BlobKeys(ctx context.Context, yield func(string) bool) error
	// Check looks for damage and returns what it found, one line each.
	Check(ctx context.Context) ([]string, error)
	// Scrub makes the store's files (rows, write-ahead log, copies from before migrations) hold nothing of what was deleted, as
	// far as the driver can. A reader that stays in the way is [lukasa.CodeUnavailable].
	Scrub(ctx context.Context) error
	// Own reads one of the store's own files as it is on disk, nil for any other path; the reader is good until the store is closed. Nothing
	// else in a process may open such a file: closing it again would take away the locks that the store holds on it.
	Own(path string) (io.ReaderAt, error)
}

// Settings are small facts about the store itself.
type Settings interface {
	Setting(ctx context.Context, name string) (string, error) // "" when unset
	SetSetting(ctx context.Context, name, value string) error
	// ChangeSetting writes what change makes of a value ("" when unset), with no other write in between. An error of change leaves it as it is;
	// change may be run again.
	ChangeSetting(ctx context.Context, name string, change func(string) (string, error)) error
}

// Expired names a record whose time is up.
type Expired struct {
	Owner  lukasa.ID
	Record lukasa.ID
}
