package client

import (
	"context"
	"time"

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

// Timeline is [Client.Timeline].
func (s Scoped) Timeline(ctx context.Context, _ lukasa.Scope, f lukasa.TimelineFilter, p lukasa.Page) (lukasa.Listing[lukasa.TimelineLine], error) {
	return s.Client.Timeline(ctx, f, p)
}

// RecallFilePage is [Client.RecallFileAt].
func (s Scoped) RecallFilePage(ctx context.Context, _ lukasa.Scope, id lukasa.ID, as time.Time, include ...string) (RecallFile, error) {
	return s.Client.RecallFileAt(ctx, id, as, include...)
}

// AddMemory is [Client.AddMemory].
func (s Scoped) AddMemory(ctx context.Context, _ lukasa.Scope, in lukasa.NewMemory) (lukasa.Memory, error) {
	return s.Client.AddMemory(ctx, in)
}

// History is [Client.HistoryAt].
func (s Scoped) History(ctx context.Context, _ lukasa.Scope, record lukasa.ID, p lukasa.Page, as time.Time) (lukasa.Listing[lukasa.Delta], error) {
	return s.Client.HistoryAt(ctx, record, p, as)
}

// Diff is [Client.Diff].
func (s Scoped) Diff(ctx context.Context, _ lukasa.Scope, record lukasa.ID, from, to time.Time) (Diff, error) {
	return s.Client.Diff(ctx, record, from, to)
}

// DiffVersions is [Client.DiffVersions].
func (s Scoped) DiffVersions(ctx context.Context, _ lukasa.Scope, from, to lukasa.ID) (Diff, error) {
	return s.Client.DiffVersions(ctx, from, to)
}

// Undo is [Client.Undo].
func (s Scoped) Undo(ctx context.Context, _ lukasa.Scope, delta lukasa.ID) (lukasa.Delta, error) {
	return s.Client.Undo(ctx, delta)
}

// Restore is [Client.RestoreTo].
func (s Scoped) Restore(ctx context.Context, _ lukasa.Scope, record lukasa.ID, at time.Time, reason string) error {
	return s.Client.RestoreTo(ctx, record, at, reason)
}

// Memory is [Client.Memory].
func (s Scoped) Memory(ctx context.Context, _ lukasa.Scope, id lukasa.ID) (lukasa.Memory, error) {
	return s.Client.Memory(ctx, id)
}

// Bury is [Client.Delete] into the trash.
func (s Scoped) Bury(ctx context.Context, _ lukasa.Scope, id lukasa.ID) (Buried, error) {
	d, err := s.Client.Delete(ctx, id, true, false)
	if err != nil || d.Trash == nil {
		return Buried{ID: id}, err
	}
	return *d.Trash, nil
}

// Unbury is [Client.Restore].
func (s Scoped) Unbury(ctx context.Context, _ lukasa.Scope, id lukasa.ID) error {
	return s.Client.Restore(ctx, id)
}
