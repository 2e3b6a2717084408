package client

import (
	"context"
	"io"

	"github.com/lukasa-memory/lukasa"
)

// Verbs are what a [Client] can be asked to do by commands and tests. The engine, bound to a scope, has the same.
type Verbs interface {
	DocumentVerbs
	RecordVerbs
	MemoryVerbs
	TalkVerbs
	AccountVerbs
	UpkeepVerbs
}

// DocumentVerbs are those of documents.
type DocumentVerbs interface {
	RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error)
	Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error)
	Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error)
	Chunks(ctx context.Context, id lukasa.ID) ([]lukasa.Chunk, error)
	Versions(ctx context.Context, id lukasa.ID) ([]lukasa.Document, error)
	Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error)
	PatchDocument(ctx context.Context, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error)
	DeleteDocument(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

// RecordVerbs are those of what is found and where it stands.
type RecordVerbs interface {
	Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error)
	Conversations(ctx context.Context, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error)
	Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error)
	Node(ctx context.Context, idOrPath string) (lukasa.Node, error)
	DeleteNode(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

// MemoryVerbs are those of memories.
type MemoryVerbs interface {
	AddMemory(ctx context.Context, in lukasa.NewMemory) (lukasa.Memory, error)
	Memory(ctx context.Context, id lukasa.ID) (lukasa.Memory, error)
	Memories(ctx context.Context, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error)
	PatchMemory(ctx context.Context, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error)
	DeleteMemory(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

// TalkVerbs are those of dialogue.
type TalkVerbs interface {
	Brief(ctx context.Context, in BriefRequest) (Brief, error)
	Profile(ctx context.Context, in ProfileRequest) (Profile, error)
	Chat(ctx context.Context, in ChatRequest, delta func(string) error) (ChatReply, error)
	RecallFiles(ctx context.Context, f RecallFileQuery, p lukasa.Page) (lukasa.Listing[RecallFile], error)
	RecallFile(ctx context.Context, id lukasa.ID, include ...string) (RecallFile, error)
	EndConversation(ctx context.Context, idOrName, container string) (RecallFile, error)
	PatchConversation(ctx context.Context, idOrName, container string, in lukasa.DocumentPatch, to string) (lukasa.Conversation, error)
}

// AccountVerbs are those of users and keys.
type AccountVerbs interface {
	WhoAmI(ctx context.Context) (lukasa.User, lukasa.Key, error)
	CreateKey(ctx context.Context, k lukasa.Key) (lukasa.Key, string, error)
	Keys(ctx context.Context, all bool) ([]lukasa.Key, error)
	RevokeKey(ctx context.Context, id lukasa.ID) (lukasa.Key, error)
	CreateUser(ctx context.Context, u lukasa.User) (lukasa.User, error)
	Users(ctx context.Context) ([]lukasa.User, error)
	DeleteUser(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

// UpkeepVerbs are those of the whole.
type UpkeepVerbs interface {
	Stats(ctx context.Context) (lukasa.Stats, error)
	Health(ctx context.Context) (Health, error)
	Doctor(ctx context.Context, repair bool) ([]string, error)
	Export(ctx context.Context, in []lukasa.Pattern, w io.Writer) error
	Import(ctx context.Context, r io.Reader) (Imported, error)
	Retry(ctx context.Context, ids ...lukasa.ID) (int, error)
}

// ImportVerbs are those that an export of another tool is carried with.
type ImportVerbs interface {
	ImportItems(ctx context.Context, in []ImportItem) ([]ImportResult, error)
	ImportLinks(ctx context.Context, container string, links []ImportLink) (int, error)
}

var (
	_ Verbs       = (*Client)(nil)
	_ ImportVerbs = (*Client)(nil)
)
