package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/graph"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// What the tree and the graph answer to the doors.

// Shell is [graph.Shell].
type Shell = graph.Shell

// Branch is [graph.Branch].
type Branch = graph.Branch

// Forest is [graph.Forest].
type Forest = graph.Forest

// Provisioned is [graph.Provisioned].
type Provisioned = graph.Provisioned

// Child is [graph.Child].
type Child = graph.Child

// NewNode is [graph.NewNode].
type NewNode = graph.NewNode

// NodePatch is [graph.NodePatch].
type NodePatch = graph.NodePatch

// Archived is [graph.Archived].
type Archived = graph.Archived

// Suggestion is [graph.Suggestion].
type Suggestion = graph.Suggestion

// Match is [graph.Match].
type Match = graph.Match

// About is [graph.About].
type About = graph.About

// Named is [graph.Named].
type Named = graph.Named

// RelatedNode is [graph.RelatedNode].
type RelatedNode = graph.RelatedNode

// EntityPatch is [graph.EntityPatch].
type EntityPatch = graph.EntityPatch

// Hood is [graph.Hood].
type Hood = graph.Hood

// RelatedMemory is [graph.RelatedMemory].
type RelatedMemory = graph.RelatedMemory

// Concept is [graph.Concept].
type Concept = graph.Concept

// NewConcept is [graph.NewConcept].
type NewConcept = graph.NewConcept

// ConceptQuery is [graph.ConceptQuery].
type ConceptQuery = graph.ConceptQuery

// Picture is [graph.Picture].
type Picture = graph.Picture

// Drawing is [graph.Drawing].
type Drawing = graph.Drawing

// Shell returns a node with its manifest, as it was at a moment; see [graph.Path.Shell].
func (e *Engine) Shell(ctx context.Context, sc lukasa.Scope, idOrPath string, at time.Time) (Shell, error) {
	return e.places.Shell(ctx, sc, idOrPath, at)
}

// Tree lists nodes as branches, as they were at a moment.
func (e *Engine) Tree(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, at time.Time) (Forest, error) {
	return e.places.Tree(ctx, sc, in, at)
}

// Provision makes nodes, all or none; see [graph.Path.Provision].
func (e *Engine) Provision(ctx context.Context, sc lukasa.Scope, in []NewNode) (Provisioned, error) {
	return e.places.Provision(ctx, sc, in)
}

// PatchNode changes what a node says of itself.
func (e *Engine) PatchNode(ctx context.Context, sc lukasa.Scope, idOrPath string, in NodePatch) (Shell, error) {
	return e.places.Patch(ctx, sc, idOrPath, in)
}

// MoveNode gives a node and what is below it another path.
func (e *Engine) MoveNode(ctx context.Context, sc lukasa.Scope, idOrPath string, to lukasa.Path) (lukasa.Node, error) {
	return e.places.Move(ctx, sc, idOrPath, to)
}

// ArchiveNode moves everything of a node into its parent, or another, and removes it; see [graph.Path.Archive].
func (e *Engine) ArchiveNode(ctx context.Context, sc lukasa.Scope, idOrPath string, into lukasa.Path) (Archived, error) {
	a, err := e.places.Archive(ctx, sc, idOrPath, into)
	if err == nil && a.State == graph.Archiving {
		e.nudge()
	}
	return a, err
}

// Suggest says in which node content belongs.
func (e *Engine) Suggest(ctx context.Context, sc lukasa.Scope, title, content string) (Suggestion, error) {
	return e.places.Suggest(ctx, sc, title, content)
}

// Entities lists who and what is named; see [graph.Path.Entities].
func (e *Engine) Entities(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, kind, name string, p lukasa.Page, at time.Time) (lukasa.Listing[Match], error) {
	return e.places.Entities(ctx, sc, in, kind, name, p, at)
}

// Entity returns everything about an entity, by id or name, as it was at a moment.
func (e *Engine) Entity(ctx context.Context, sc lukasa.Scope, idOrName string, at time.Time) (About, error) {
	return e.places.Entity(ctx, sc, idOrName, at)
}

// PatchEntity changes name, kind or aliases of an entity.
func (e *Engine) PatchEntity(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in EntityPatch) (lukasa.Entity, error) {
	return e.places.PatchEntity(ctx, sc, id, in)
}

// MergeEntities makes one entity of two.
func (e *Engine) MergeEntities(ctx context.Context, sc lukasa.Scope, into, other lukasa.ID) (lukasa.Entity, error) {
	return e.places.Merge(ctx, sc, into, other)
}

// Link puts an edge between two records.
func (e *Engine) Link(ctx context.Context, sc lukasa.Scope, in lukasa.Edge) (lukasa.Edge, error) {
	return e.places.Link(ctx, sc, in)
}

// Unlink removes the edge with this source, target and type.
func (e *Engine) Unlink(ctx context.Context, sc lukasa.Scope, in lukasa.Edge) error {
	return e.places.Unlink(ctx, sc, in)
}

// Edges lists the edges at records, as they were at a moment.
func (e *Engine) Edges(ctx context.Context, sc lukasa.Scope, of []lukasa.ID, types []lukasa.EdgeType, limit int, at time.Time) ([]lukasa.Edge, error) {
	return e.places.Edges(ctx, sc, of, types, limit, at)
}

// Around walks from records along edges; see [graph.Path.Around].
func (e *Engine) Around(ctx context.Context, sc lukasa.Scope, of []string, depth, limit int, types []lukasa.EdgeType, at time.Time) (Hood, error) {
	return e.places.Around(ctx, sc, of, depth, limit, types, at)
}

// RelatedMemories returns the memories that edges lead to from one.
func (e *Engine) RelatedMemories(ctx context.Context, sc lukasa.Scope, id lukasa.ID, depth int, types []lukasa.EdgeType, at time.Time, validAt *time.Time) ([]RelatedMemory, error) {
	return e.places.Related(ctx, sc, id, depth, types, at, validAt)
}

// Concepts lists the nodes of the knowledge graph.
func (e *Engine) Concepts(ctx context.Context, sc lukasa.Scope, q ConceptQuery) (lukasa.Listing[Concept], error) {
	return e.places.Concepts(ctx, sc, q)
}

// PutConcept makes or changes a node of the knowledge graph, and says whether it is new.
func (e *Engine) PutConcept(ctx context.Context, sc lukasa.Scope, in NewConcept) (Concept, bool, error) {
	return e.places.PutConcept(ctx, sc, in)
}

// Graph draws the newest records of the containers, at most limit documents and memories each, with a place for each.
func (e *Engine) Graph(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, limit int, solo bool) (Picture, error) {
	return e.GraphAt(ctx, sc, in, limit, solo, time.Time{})
}

// GraphAt is Graph of a moment.
func (e *Engine) GraphAt(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, limit int, solo bool, at time.Time) (Picture, error) {
	return e.places.Draw(ctx, sc, in, limit, solo, at)
}

// choose gives documents that name no container the one that they belong in, where the settings ask for that. The result says
// which, in the order of the documents.
func (e *Engine) choose(ctx context.Context, sc lukasa.Scope, in []lukasa.NewDocument) ([]lukasa.NewDocument, []Suggestion) {
	if !e.cfg.NodesAuto || sc.CanWrite() != nil {
		return in, nil
	}
	out, chosen := make([]lukasa.NewDocument, len(in)), make([]Suggestion, len(in))
	copy(out, in)
	for i := range out {
		if out[i].Container != "" || out[i].Content == "" {
			continue
		}
		path, s, err := e.places.Choose(ctx, sc, out[i].Title, out[i].Content)
		if err != nil { // the content goes where it always goes
			e.log.WarnContext(ctx, "choose a container", "err", err)
			continue
		}
		if path != "" {
			out[i].Container, chosen[i] = string(path), s
		}
	}
	return out, chosen
}

// chosen tells of the choices that were followed.
func (e *Engine) chosen(sc lukasa.Scope, chosen []Suggestion, receipts []lukasa.Receipt, errs []error) {
	for i, s := range chosen {
		if s.Path != "" && errs[i] == nil {
			e.places.Chosen(sc, s, receipts[i].Document.Node, receipts[i].Document.ID)
		}
	}
}

// settle gives a conversation that was begun without naming a container the one that it belongs in, where the settings ask for that:
// it is looked at when it has 2, 4, 8 and so on messages, and when a recall file of it is written.
func (e *Engine) settle(ctx context.Context, sc lukasa.Scope, c lukasa.Conversation) lukasa.Conversation {
	if !e.cfg.NodesAuto || c.Home != c.Node {
		return c
	}
	now, said, err := e.dialogue.Unplaced(ctx, sc, c.ID, graph.SuggestText)
	if said == "" && err == nil {
		return c
	}
	if err == nil && now.Path != lukasa.DefaultPath { // it was begun with a key that is bound to this container, and sees nothing outside
		sc.Root = now.Path
	}
	var path lukasa.Path
	var s Suggestion
	if err == nil {
		path, s, err = e.places.Choose(ctx, sc, "", said)
	}
	if err == nil && path != "" && path != now.Path {
		if now, err = e.dialogue.Place(ctx, sc, c.ID, path, fmt.Sprintf("the conversation was placed in %s: %s", path, s.Why)); err == nil && now.Path == path {
			e.places.Chosen(sc, s, now.Node, now.ID)
			c.Node, c.Path = now.Node, now.Path
		}
	}
	if err != nil { // it stays where it is
		e.log.WarnContext(ctx, "place a conversation", "err", err)
	}
	return c
}

// closed hears of each recall file that is written.
func (e *Engine) closed(ctx context.Context, sc lukasa.Scope, conversation lukasa.ID) {
	e.settle(ctx, sc, lukasa.Conversation{ID: conversation})
}

// write notes that a node was written to.
func (t *touches) write(ev lukasa.Event) {
	if t == nil || ev.Node == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.nodes[ev.Owner] == nil {
		t.nodes[ev.Owner] = map[lukasa.ID]time.Time{}
	}
	t.nodes[ev.Owner][ev.Node] = ev.At
}

// flushNodes notes when nodes were last written to.
func (t *touches) flushNodes(ctx context.Context, nodes map[lukasa.ID]map[lukasa.ID]time.Time) error {
	for owner, m := range nodes {
		ids := make([]lukasa.ID, 0, len(m))
		var at time.Time
		for id, when := range m {
			ids = append(ids, id)
			if when.After(at) {
				at = when
			}
		}
		sc := lukasa.Scope{Owner: owner, Principal: owner, Role: lukasa.RoleUser}
		if err := t.store.Update(ctx, sc, func(tx store.Tx) error { return graph.Touch(tx, ids, at.UTC()) }); err != nil {
			return err
		}
	}
	return nil
}

// touchDocuments notes that documents were recalled, and with them the nodes in which they stand.
func touchDocuments(tx store.Tx, ids []lukasa.ID, at time.Time) error {
	nodes, err := tx.Touch(ids, at)
	if err != nil {
		return err
	}
	slices.Sort(nodes)
	return graph.Touch(tx, slices.Compact(nodes), at)
}

// ahead works out, after a search, what the next question may ask for. Only the newest search waits: a prediction that comes too
// late is worth nothing.
type ahead struct {
	mu    sync.Mutex
	sc    lukasa.Scope
	found []lukasa.ID
	wake  chan struct{}
}

// aheadCalm is for how long nobody may have searched before that is done: a server that is busy has nothing to spare for what may be
// asked, and what it spends on a search must not depend on how many share the searches.
const aheadCalm = 500 * time.Millisecond

func newAhead() *ahead { return &ahead{wake: make(chan struct{}, 1)} }

// note says what a search has found.
func (a *ahead) note(sc lukasa.Scope, r lukasa.Result) {
	if len(r.Hits) == 0 || r.Stats.Cached {
		return
	}
	var found []lukasa.ID
	for _, h := range r.Hits[:min(len(r.Hits), 10)] {
		switch {
		case h.Memory != nil:
			found = append(found, h.Memory.ID)
		case h.Message != nil:
			found = append(found, h.Message.Record)
		case h.Document != nil:
			found = append(found, h.Document.ID)
		}
	}
	a.mu.Lock()
	a.sc, a.found = sc, found
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *ahead) take() (lukasa.Scope, []lukasa.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.found
	a.found = nil
	return a.sc, found
}

func (e *Engine) runAhead(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.ahead.wake:
		}
		for calm := false; !calm; {
			select {
			case <-ctx.Done():
				return
			case <-e.ahead.wake:
			case <-time.After(aheadCalm):
				calm = true
			}
		}
		if _, err := e.WarmOnce(ctx); err != nil && ctx.Err() == nil {
			e.log.Debug("work ahead", "err", err)
		}
	}
}

// WarmOnce works out ahead what lies around the hits of the newest search, and returns for how many containers and entities.
func (e *Engine) WarmOnce(ctx context.Context) (int, error) {
	sc, found := e.ahead.take()
	return e.places.Warm(ctx, sc, found)
}
