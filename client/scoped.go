package client

import (
	"context"

	"github.com/lukasa-memory/lukasa"
)

// Scoped gives a client the shape of the engine's verbs, for who speaks to either. The scope is that of the client's key;
// the one that is passed says nothing.
type Scoped struct{ *Client }

// Remember is [Client.Remember].
func (s Scoped) Remember(ctx context.Context, _ lukasa.Scope, in lukasa.NewDocument) (lukasa.Receipt, error) {
	return s.Client.Remember(ctx, in)
}

// Search is [Client.Search].
func (s Scoped) Search(ctx context.Context, _ lukasa.Scope, q lukasa.Query) (lukasa.Result, error) {
	return s.Client.Search(ctx, q)
}

// Nodes is [Client.Nodes].
func (s Scoped) Nodes(ctx context.Context, _ lukasa.Scope, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return s.Client.Nodes(ctx, in)
}

// Node is [Client.Node].
func (s Scoped) Node(ctx context.Context, _ lukasa.Scope, idOrPath string) (lukasa.Node, error) {
	return s.Client.Node(ctx, idOrPath)
}

// WhoAmI is [Client.WhoAmI].
func (s Scoped) WhoAmI(ctx context.Context, _ lukasa.Scope) (lukasa.User, lukasa.Key, error) {
	return s.Client.WhoAmI(ctx)
}

// Brief is [Client.Brief].
func (s Scoped) Brief(ctx context.Context, _ lukasa.Scope, in BriefRequest) (Brief, error) {
	return s.Client.Brief(ctx, in)
}

// Profile is [Client.Profile].
func (s Scoped) Profile(ctx context.Context, _ lukasa.Scope, in ProfileRequest) (Profile, error) {
	return s.Client.Profile(ctx, in)
}

// DefiningMemories is [Client.DefiningMemories].
func (s Scoped) DefiningMemories(ctx context.Context, _ lukasa.Scope, f DefiningQuery, p lukasa.Page) (lukasa.Listing[DefiningMemory], error) {
	return s.Client.DefiningMemories(ctx, f, p)
}

// RecallFilePage is [Client.RecallFile].
func (s Scoped) RecallFilePage(ctx context.Context, _ lukasa.Scope, id lukasa.ID, include ...string) (RecallFile, error) {
	return s.Client.RecallFile(ctx, id, include...)
}
