package graph

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Shell returns a node by id or path with its manifest, as it was at a moment (the zero time is now). No file is opened.
func (p *Path) Shell(ctx context.Context, sc lukasa.Scope, idOrPath string, at time.Time) (out Shell, err error) {
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		n, err := find(r, idOrPath)
		if err != nil {
			return err
		}
		out, err = p.shell(ctx, r, sc, n, at)
		return err
	})
	return out, err
}

// shell works a shell out, or takes it from the cache; what may change without a write into the node is always read.
func (p *Path) shell(ctx context.Context, r store.Reader, sc lukasa.Scope, n lukasa.Node, at time.Time) (Shell, error) {
	in, err := p.inside(ctx, r, sc, n, at)
	if err != nil {
		return Shell{}, err
	}
	out := Shell{Node: n, Manifest: in.Manifest, Dormant: p.dormant(n), Children: []Child{}}
	out.Documents, out.Memories = in.Manifest.Documents, in.Manifest.Memories
	if n.Summary == "" {
		out.Summary = in.Summary
	}
	if len(n.Keywords.Entities) == 0 {
		out.Keywords.Entities = in.Keywords.Entities
	}
	if len(n.Keywords.Topics) == 0 {
		out.Keywords.Topics = in.Keywords.Topics
	}
	nodes, err := r.Nodes([]lukasa.Pattern{{Path: n.Path, Mode: '*'}}, false)
	for _, c := range nodes {
		out.Children = append(out.Children, p.child(c))
	}
	return out, err
}

func (p *Path) child(n lukasa.Node) Child {
	return Child{ID: n.ID, Path: n.Path, Name: n.Name, Type: n.Type, Description: n.Description, Dormant: p.dormant(n)}
}

// inside is what is worked out from the content of a node.
type inside struct {
	Manifest Manifest
	Summary  string
	Keywords lukasa.Keywords
}

func (p *Path) inside(ctx context.Context, r store.Reader, sc lukasa.Scope, n lukasa.Node, at time.Time) (inside, error) {
	if !at.IsZero() {
		return look(r, sc, n)
	}
	return cached(ctx, p, []string{"node", who(sc), stamp(n), n.Description}, func() (inside, error) { return look(r, sc, n) })
}

// What a summary and a manifest are worked out from, at most.
const (
	lookDocuments = 60
	lookMemories  = 120
	lookMessages  = 200
	lookMentions  = 2000
	showNewest    = 5
	showEntities  = 20
)

// look reads the newest records of a node.
func look(r store.Reader, sc lukasa.Scope, n lukasa.Node) (inside, error) {
	s, m, err := standsIn(r, n, lookDocuments, lookMemories, showNewest)
	if err != nil {
		return inside{}, err
	}
	talks, total, err := gather(0, func(pg lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) { return r.Conversations(only(n), pg) })
	if err != nil {
		return inside{}, err
	}
	m.Conversations = total
	for _, c := range talks {
		m.Messages += c.Messages
	}
	if s.messages, err = spoken(r, n, m.Messages); err != nil {
		return inside{}, err
	}
	if s.entities, err = s.named(r, sc); err != nil {
		return inside{}, err
	}
	m.Newest, m.Entities = s.newest(showNewest), s.entities[:min(len(s.entities), showEntities)]
	out := inside{Manifest: m, Keywords: s.keywords()}
	out.Summary = s.summary(m, out.Keywords)
	return out, nil
}

// standsIn reads the newest documents, memories and recall files of a node, so many at most, and counts them all.
func standsIn(r store.Reader, n lukasa.Node, documents, memories, files int) (s sample, m Manifest, err error) {
	s.node = n
	if s.documents, m.Documents, err = gather(documents, func(pg lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
		return r.Documents(lukasa.DocumentFilter{Containers: only(n)}, pg)
	}); err != nil {
		return s, m, err
	}
	yes := true
	if s.memories, m.Memories, err = gather(memories, func(pg lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
		return r.Memories(lukasa.MemoryFilter{Containers: only(n), Latest: &yes}, pg)
	}); err != nil {
		return s, m, err
	}
	s.files, m.RecallFiles, err = gather(files, func(pg lukasa.Page) (lukasa.Listing[lukasa.Segment], error) {
		return r.Segments(store.SegmentFilter{Containers: only(n)}, pg)
	})
	return s, m, err
}

// spoken returns the ids of the newest messages of a node.
func spoken(r store.Reader, n lukasa.Node, messages int) ([]lukasa.ID, error) {
	if messages == 0 {
		return nil, nil
	}
	entries, err := r.Newest([]lukasa.ID{n.ID}, []lukasa.EntryType{lukasa.EntryMessage}, nil, lookMessages)
	var ids []lukasa.ID
	for _, e := range entries {
		if e.Message != "" && !slices.Contains(ids, e.Message) {
			ids = append(ids, e.Message)
		}
	}
	return ids, err
}

// sample are the newest records of a node.
type sample struct {
	node      lukasa.Node
	documents []lukasa.Document
	memories  []lukasa.Memory
	messages  []lukasa.ID
	files     []lukasa.Segment
	entities  []Named
}

// named counts who is named in the sample, most often first. It never is nil.
func (s *sample) named(r store.Reader, sc lukasa.Scope) ([]Named, error) {
	ids := slices.Clone(s.messages)
	for _, d := range s.documents {
		ids = append(ids, d.ID)
	}
	for _, m := range s.memories {
		ids = append(ids, m.ID)
	}
	ids = append(ids, s.node.ID)
	edges, err := r.Edges(ids, []lukasa.EdgeType{lukasa.EdgeMentions}, lookMentions)
	if err != nil {
		return nil, err
	}
	counts := map[lukasa.ID]int{}
	for _, e := range edges {
		if lukasa.ID(e.To).Prefix() == lukasa.PrefixEntity {
			counts[lukasa.ID(e.To)]++
		}
	}
	list, err := entities(r, sc, topOf(counts, 2*showEntities))
	if err != nil {
		return nil, err
	}
	out := make([]Named, 0, len(list))
	for _, e := range list {
		out = append(out, Named{ID: e.ID, Kind: e.Kind, Name: e.Name, Mentions: counts[e.ID]})
	}
	slices.SortFunc(out, func(a, b Named) int {
		return cmp.Or(cmp.Compare(b.Mentions, a.Mentions), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// topOf returns the ids with the highest counts.
func topOf(counts map[lukasa.ID]int, n int) []lukasa.ID {
	ids := make([]lukasa.ID, 0, len(counts))
	for id := range counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b lukasa.ID) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return ids[:min(n, len(ids))]
}

// newest lists so many records of the sample at most, newest first. It never is nil.
func (s *sample) newest(most int) []Item {
	var out []Item
	for _, d := range s.documents[:min(len(s.documents), most)] {
		out = append(out, Item{ID: d.ID, Type: "document", Label: d.Title, At: d.CreatedAt})
	}
	for _, f := range s.files {
		x := Item{ID: f.Document, Type: "recall_file", Label: f.Topic}
		if f.FinalizedAt != nil {
			x.At = *f.FinalizedAt
		} else if f.StartedAt != nil {
			x.At = *f.StartedAt
		}
		out = append(out, x)
	}
	for _, m := range s.memories[:min(len(s.memories), most)] {
		out = append(out, Item{ID: m.ID, Type: "memory", Label: m.Content, At: m.RecordedAt})
	}
	slices.SortStableFunc(out, func(a, b Item) int { return b.At.Compare(a.At) })
	if out == nil {
		out = []Item{}
	}
	return out[:min(len(out), most)]
}
