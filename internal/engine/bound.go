package engine

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Bound is the engine for one scope: its verbs have the shape that the SDK's have.
type Bound struct {
	Engine *Engine
	Scope  lukasa.Scope
}

// As binds the engine to a scope.
func (e *Engine) As(sc lukasa.Scope) Bound { return Bound{e, sc} }

// Brief is [Engine.Brief].
func (b Bound) Brief(ctx context.Context, in BriefRequest) (Brief, error) {
	return b.Engine.Brief(ctx, b.Scope, in)
}

// Profile is [Engine.Profile].
func (b Bound) Profile(ctx context.Context, in ProfileRequest) (Profile, error) {
	return b.Engine.Profile(ctx, b.Scope, in)
}

// Chat is [Engine.Chat].
func (b Bound) Chat(ctx context.Context, in ChatRequest, delta func(string) error) (ChatReply, error) {
	return b.Engine.Chat(ctx, b.Scope, in, delta)
}

// RecallFiles is [Engine.RecallPages].
func (b Bound) RecallFiles(ctx context.Context, f RecallQuery, p lukasa.Page) (lukasa.Listing[RecallPage], error) {
	return b.Engine.RecallPages(ctx, b.Scope, f, p)
}

// RecallFile is [Engine.RecallFilePage].
func (b Bound) RecallFile(ctx context.Context, id lukasa.ID, include ...string) (RecallPage, error) {
	return b.Engine.RecallFilePage(ctx, b.Scope, id, time.Time{}, include...)
}

// EndConversation is [Engine.FinishConversation].
func (b Bound) EndConversation(ctx context.Context, idOrName, container string) (RecallPage, error) {
	return b.Engine.FinishConversation(ctx, b.Scope, idOrName, container)
}

// PatchConversation is [Engine.PatchConversation].
func (b Bound) PatchConversation(ctx context.Context, idOrName, container string, in lukasa.DocumentPatch, to string) (lukasa.Conversation, error) {
	return b.Engine.PatchConversation(ctx, b.Scope, idOrName, container, in, to)
}

// RememberAll is [Engine.RememberAll].
func (b Bound) RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	return b.Engine.RememberAll(ctx, b.Scope, in)
}

// Document is [Engine.Document].
func (b Bound) Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error) {
	return b.Engine.Document(ctx, b.Scope, id)
}

// Documents is [Engine.Documents].
func (b Bound) Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	return b.Engine.Documents(ctx, b.Scope, f, p)
}

// Chunks is [Engine.Chunks].
func (b Bound) Chunks(ctx context.Context, id lukasa.ID) ([]lukasa.Chunk, error) {
	return b.Engine.Chunks(ctx, b.Scope, id, time.Time{})
}

// Versions is [Engine.Versions].
func (b Bound) Versions(ctx context.Context, id lukasa.ID) ([]lukasa.Document, error) {
	return b.Engine.Versions(ctx, b.Scope, id, time.Time{})
}

// PatchDocument is [Engine.PatchDocument].
func (b Bound) PatchDocument(ctx context.Context, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error) {
	return b.Engine.PatchDocument(ctx, b.Scope, id, in)
}

// DeleteDocument is [Engine.DeleteDocument].
func (b Bound) DeleteDocument(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return b.Engine.DeleteDocument(ctx, b.Scope, id)
}

// AddMemory is [Engine.AddMemory].
func (b Bound) AddMemory(ctx context.Context, in lukasa.NewMemory) (lukasa.Memory, error) {
	return b.Engine.AddMemory(ctx, b.Scope, in)
}

// Memory is [Engine.Memory].
func (b Bound) Memory(ctx context.Context, id lukasa.ID) (lukasa.Memory, error) {
	return b.Engine.Memory(ctx, b.Scope, id)
}

// Memories is [Engine.Memories].
func (b Bound) Memories(ctx context.Context, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
	return b.Engine.Memories(ctx, b.Scope, f, p)
}

// PatchMemory is [Engine.PatchMemory].
func (b Bound) PatchMemory(ctx context.Context, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error) {
	return b.Engine.PatchMemory(ctx, b.Scope, id, in)
}

// DeleteMemory is [Engine.DeleteMemory].
func (b Bound) DeleteMemory(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return b.Engine.DeleteMemory(ctx, b.Scope, id)
}

// Search is [Engine.Search].
func (b Bound) Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error) {
	return b.Engine.Search(ctx, b.Scope, q)
}

// Conversations is [Engine.Conversations].
func (b Bound) Conversations(ctx context.Context, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) {
	return b.Engine.Conversations(ctx, b.Scope, in, p, time.Time{})
}

// Nodes is [Engine.Nodes].
func (b Bound) Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return b.Engine.Nodes(ctx, b.Scope, in)
}

// Node is [Engine.Node].
func (b Bound) Node(ctx context.Context, idOrPath string) (lukasa.Node, error) {
	return b.Engine.Node(ctx, b.Scope, idOrPath)
}

// DeleteNode is [Engine.DeleteNode].
func (b Bound) DeleteNode(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return b.Engine.DeleteNode(ctx, b.Scope, id)
}

// WhoAmI is [Engine.WhoAmI].
func (b Bound) WhoAmI(ctx context.Context) (lukasa.User, lukasa.Key, error) {
	return b.Engine.WhoAmI(ctx, b.Scope)
}

// CreateKey is [Engine.CreateKey].
func (b Bound) CreateKey(ctx context.Context, k lukasa.Key) (lukasa.Key, string, error) {
	return b.Engine.CreateKey(ctx, b.Scope, k)
}

// Keys is [Engine.Keys].
func (b Bound) Keys(ctx context.Context, all bool) ([]lukasa.Key, error) {
	return b.Engine.Keys(ctx, b.Scope, all)
}

// RevokeKey is [Engine.RevokeKey].
func (b Bound) RevokeKey(ctx context.Context, id lukasa.ID) (lukasa.Key, error) {
	return b.Engine.RevokeKey(ctx, b.Scope, id)
}

// CreateUser is [Engine.CreateUser].
func (b Bound) CreateUser(ctx context.Context, u lukasa.User) (lukasa.User, error) {
	return b.Engine.CreateUser(ctx, b.Scope, u)
}

// Users is [Engine.Users].
func (b Bound) Users(ctx context.Context) ([]lukasa.User, error) {
	return b.Engine.Users(ctx, b.Scope)
}

// DeleteUser is [Engine.DeleteUser].
func (b Bound) DeleteUser(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return b.Engine.DeleteUser(ctx, b.Scope, id)
}

// Stats is [Engine.Stats].
func (b Bound) Stats(ctx context.Context) (lukasa.Stats, error) {
	return b.Engine.Stats(ctx, b.Scope, time.Time{})
}

// Doctor is [Engine.Doctor].
func (b Bound) Doctor(ctx context.Context, repair bool) ([]string, error) {
	return b.Engine.Doctor(ctx, b.Scope, repair)
}
