package graph

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of a walk.
const (
	maxHoodDepth = 6
	maxHoodWidth = 500
	hoodEdges    = 1000 // of a layer
)

// Around walks from records, named by id or (containers) by path, along stored and derived edges, as they were at a moment.
func (p *Path) Around(ctx context.Context, sc lukasa.Scope, of []string, depth, limit int, types []lukasa.EdgeType, at time.Time) (out Hood, err error) {
	if depth == 0 {
		depth = 1
	}
	if limit == 0 {
		limit = 100
	}
	switch {
	case len(of) == 0 || len(of) > 20:
		return out, lukasa.Invalid("of", "takes 1 to 20 ids, paths of containers or names of entities")
	case depth < 1 || depth > maxHoodDepth:
		return out, lukasa.Invalid("depth", "is not between 1 and %d", maxHoodDepth)
	case limit < 1 || limit > maxHoodWidth:
		return out, lukasa.Invalid("limit", "is not between 1 and %d", maxHoodWidth)
	}
	if err := CheckEdgeTypes(types); err != nil {
		return out, err
	}
	out = Hood{Depth: depth, Records: []Near{}, Edges: []lukasa.Edge{}}
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		for _, o := range of {
			id, err := resolve(r, sc, o)
			if err != nil {
				return err
			}
			out.Of = append(out.Of, id)
		}
		h := &hood{ctx: ctx, p: p, r: r, sc: sc, types: types, width: hoodEdges, room: limit, at: at}
		if depth > 1 {
			h.room = limit / 2 // the rest is for what stands around that
		}
		reach, err := Walk(out.Of, depth, limit, h.next)
		if err != nil {
			return err
		}
		out.Edges, out.Truncated = reach.Edges, reach.Truncated
		out.Records, err = h.describe(reach.Order, reach.Distance)
		return err
	})
	return out, err
}

// resolve finds the record that an id, the path of a container, or the name of an entity means.
func resolve(r store.Reader, sc lukasa.Scope, s string) (lukasa.ID, error) {
	id := lukasa.ID(s)
	switch p := id.Prefix(); p {
	case lukasa.PrefixNode, lukasa.PrefixDocument, lukasa.PrefixMessage, lukasa.PrefixMemory, lukasa.PrefixConversation:
		if _, err := lukasa.ParseID(p, s); err != nil {
			break
		}
		found, err := standing(r, map[lukasa.ID]bool{id: true})
		if err == nil && len(found) == 0 {
			err = lukasa.NotFound("record", id)
		}
		return id, err
	}
	if n, err := find(r, s); err == nil {
		return n.ID, nil
	}
	e, err := findEntity(r, sc, s)
	return e.ID, err
}

// place is where a record stands, and what it is.
type place struct {
	Near
	node     lukasa.ID
	document lukasa.ID // of a message
}

// standing finds the records among ids, other than entities, that can be read.
func standing(r store.Reader, ids map[lukasa.ID]bool) (map[lukasa.ID]place, error) {
	by := map[lukasa.Prefix][]lukasa.ID{}
	for id := range ids {
		by[id.Prefix()] = append(by[id.Prefix()], id)
	}
	out := map[lukasa.ID]place{}
	add := func(id lukasa.ID, typ, kind, label string, path lukasa.Path, node, document lukasa.ID) {
		out[id] = place{Near{ID: id, Type: typ, Kind: kind, Label: label, Path: path}, node, document}
	}
	for _, id := range by[lukasa.PrefixNode] {
		n, err := r.Node(id)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		add(id, "container", string(n.Type), n.Name, n.Path, id, "")
	}
	memories, err := r.MemoriesByID(by[lukasa.PrefixMemory])
	if err != nil {
		return nil, err
	}
	for _, m := range memories {
		add(m.ID, "memory", string(m.Kind), m.Content, m.Path, m.Node, "")
	}
	documents, err := r.DocumentsByID(by[lukasa.PrefixDocument])
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		typ := "document"
		if _, err := r.Segment(d.ID); err == nil {
			typ = "recall_file"
		}
		add(d.ID, typ, "", d.Title, d.Path, d.Node, "")
	}
	messages, err := r.MessagesByID(by[lukasa.PrefixMessage])
	if err != nil {
		return nil, err
	}
	paths := map[lukasa.ID]lukasa.Path{}
	for _, m := range messages {
		if _, ok := paths[m.Node]; !ok {
			if n, err := r.Node(m.Node); err == nil {
				paths[m.Node] = n.Path
			}
		}
		add(m.ID, "message", m.Speaker, Snippet(m.Content, 160), paths[m.Node], m.Node, m.Document)
	}
	for _, id := range by[lukasa.PrefixConversation] {
		c, err := r.Conversation(id)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		add(id, "conversation", "", c.ExternalID, c.Path, c.Node, "")
	}
	return out, nil
}

// hood gives a walk its edges.
type hood struct {
	ctx   context.Context // of the walk
	p     *Path
	r     store.Reader
	sc    lukasa.Scope
	types []lukasa.EdgeType // none: all
	width int               // edges of a layer
	room  int               // how many records of containers may still be shown; each shows what its manifest does in any case
	left  bool              // something that stands in a container was left out
	at    time.Time
	below map[lukasa.ID][]lukasa.ID // children of each container, once they have been asked for
}

// children returns the containers right below one.
func (h *hood) children(id lukasa.ID) ([]lukasa.ID, error) {
	if h.below == nil {
		nodes, err := h.r.Nodes(nil, false)
		if err != nil {
			return nil, err
		}
		h.below = map[lukasa.ID][]lukasa.ID{}
		for _, n := range nodes {
			h.below[n.Parent] = append(h.below[n.Parent], n.ID)
		}
	}
	return h.below[id], nil
}

func (h *hood) wants(t lukasa.EdgeType) bool { return len(h.types) == 0 || slices.Contains(h.types, t) }

// next returns the edges at records: those that are stored, then those that follow from where records stand. They come heaviest
// first, and whether there are more is said too.
func (h *hood) next(of []lukasa.ID) ([]lukasa.Edge, bool, error) {
	edges, err := h.r.Edges(of, h.types, h.width+1)
	if err != nil {
		return nil, false, err
	}
	more := len(edges) > h.width
	if edges, err = known(h.r, h.sc, edges[:min(len(edges), h.width)]); err != nil {
		return nil, false, err
	}
	derived, err := h.derived(of)
	if err != nil {
		return nil, false, err
	}
	seen := map[edgeKey]bool{}
	edges = slices.DeleteFunc(append(edges, derived...), func(e lukasa.Edge) bool {
		was := seen[keyOf(e)]
		seen[keyOf(e)] = true
		return was
	})
	return edges, more || h.left, nil
}

// derived are the edges that are not stored as such: a container contains what stands in it, a recall file its messages, an
// entity is discussed in the recall files whose messages mention it, a memory derives from its sources, a newer memory or version
// updates the older.
func (h *hood) derived(of []lukasa.ID) ([]lukasa.Edge, error) {
	ids := map[lukasa.ID]bool{}
	for _, id := range of {
		ids[id] = true
	}
	found, err := standing(h.r, ids)
	if err != nil {
		return nil, err
	}
	var out []lukasa.Edge
	add := func(from, to lukasa.ID, t lukasa.EdgeType, weight float64) {
		if from != "" && to != "" && from != to && h.wants(t) {
			out = append(out, lukasa.Edge{From: string(from), To: string(to), Type: t, Weight: weight})
		}
	}
	for _, id := range of {
		x, ok := found[id]
		switch {
		case id.Prefix() == lukasa.PrefixEntity:
			if h.wants(lukasa.EdgeDiscussedIn) {
				files, err := h.discussed(id)
				if err != nil {
					return nil, err
				}
				out = append(out, files...)
			}
			continue
		case !ok:
			continue
		}
		switch x.Type {
		case "container":
			err = h.family(x, add)
		case "memory":
			add(x.node, id, lukasa.EdgeContains, 1)
			err = h.sources(id, add)
		case "message":
			add(x.document, id, lukasa.EdgeContains, 1)
		default:
			add(x.node, id, lukasa.EdgeContains, 1)
		}
		if err != nil {
			return nil, err
		}
	}
	return h.readable(out, found)
}

// readable drops the edges of which an end cannot be read. What is known to be readable is given.
func (h *hood) readable(edges []lukasa.Edge, found map[lukasa.ID]place) ([]lukasa.Edge, error) {
	ids := map[lukasa.ID]bool{}
	for _, e := range edges {
		for _, end := range []string{e.From, e.To} {
			if id := lukasa.ID(end); id.Prefix() != lukasa.PrefixEntity && found[id].ID == "" {
				ids[id] = true
			}
		}
	}
	more, err := standing(h.r, ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(edges, func(e lukasa.Edge) bool {
		for _, end := range []string{e.From, e.To} {
			if id := lukasa.ID(end); ids[id] && more[id].ID == "" {
				return true
			}
		}
		return false
	}), nil
}

// family links a container with its parent and children, with the newest of what stands in it and whom that mentions, and with its
// recall files.
func (h *hood) family(x place, add func(from, to lukasa.ID, t lukasa.EdgeType, weight float64)) error {
	n, err := h.r.Node(x.ID)
	if err != nil {
		return err
	}
	if n.Depth > 1 && n.Parent != "" && h.sc.Sees(n.Path.Parent()) {
		add(n.Parent, n.ID, lukasa.EdgeContains, 1)
	}
	if h.wants(lukasa.EdgeContains) {
		below, err := h.children(n.ID)
		if err != nil {
			return err
		}
		for _, c := range below {
			add(n.ID, c, lukasa.EdgeContains, 1)
		}
	}
	if n.Depth == 0 {
		return nil
	}
	if h.wants(lukasa.EdgeMentions) || h.wants(lukasa.EdgeContains) {
		in, err := h.p.inside(h.ctx, h.r, h.sc, n, h.at)
		if err != nil {
			return err
		}
		for _, e := range in.Manifest.Entities {
			add(n.ID, e.ID, lukasa.EdgeMentions, float64(e.Mentions))
		}
		newest, all := in.Manifest.Newest, in.Manifest.Documents+in.Manifest.Memories+in.Manifest.RecallFiles
		if len(newest) < min(all, h.room) && h.wants(lukasa.EdgeContains) {
			s, _, err := standsIn(h.r, n, h.room, h.room, h.room)
			if err != nil {
				return err
			}
			newest = s.newest(h.room)
		}
		h.room -= len(newest)
		h.left = h.left || len(newest) < all
		for _, x := range newest {
			add(n.ID, x.ID, lukasa.EdgeContains, 1)
		}
	}
	if !h.wants(lukasa.EdgeDiscussedIn) {
		return nil
	}
	l, err := h.r.Segments(store.SegmentFilter{Containers: only(n)}, lukasa.Page{Limit: 20, Uncounted: true})
	for _, s := range l.Items {
		add(n.ID, s.Document, lukasa.EdgeDiscussedIn, 1)
	}
	return err
}

func (h *hood) sources(id lukasa.ID, add func(from, to lukasa.ID, t lukasa.EdgeType, weight float64)) error {
	m, err := h.r.Memory(id)
	if err != nil {
		return err
	}
	for _, s := range m.Sources {
		if s.Message != "" {
			add(id, s.Message, lukasa.EdgeDerives, 1)
		} else {
			add(id, s.Document, lukasa.EdgeDerives, 1)
		}
	}
	add(m.RetiredBy, id, lukasa.EdgeUpdates, 1)
	return nil
}

// discussed links an entity with the recall files whose messages mention it; the weight says how often.
func (h *hood) discussed(id lukasa.ID) ([]lukasa.Edge, error) {
	files, err := recallFiles(h.r, id)
	if err != nil {
		return nil, err
	}
	var out []lukasa.Edge
	for doc, n := range files {
		out = append(out, lukasa.Edge{From: string(id), To: string(doc), Type: lukasa.EdgeDiscussedIn, Weight: float64(n)})
	}
	slices.SortFunc(out, func(a, b lukasa.Edge) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.To, b.To)) })
	return out, nil
}

// recallFiles counts the mentions of an entity in the messages of each stretch of a conversation.
func recallFiles(r store.Reader, id lukasa.ID) (map[lukasa.ID]int, error) {
	edges, err := r.Edges([]lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeMentions}, lookMentions)
	if err != nil {
		return nil, err
	}
	weight := map[lukasa.ID]float64{}
	var ids []lukasa.ID
	for _, e := range edges {
		if from := lukasa.ID(e.From); from.Prefix() == lukasa.PrefixMessage {
			ids = append(ids, from)
			weight[from] = e.Weight
		}
	}
	messages, err := r.MessagesByID(ids)
	out := map[lukasa.ID]int{}
	for _, m := range messages {
		out[m.Document] += max(1, int(weight[m.ID]))
	}
	return out, err
}

// describe says what was reached, in order. What cannot be read is left out.
func (h *hood) describe(order []lukasa.ID, distance map[lukasa.ID]int) ([]Near, error) {
	ids := map[lukasa.ID]bool{}
	var named []lukasa.ID
	for _, id := range order {
		if id.Prefix() == lukasa.PrefixEntity {
			named = append(named, id)
		} else {
			ids[id] = true
		}
	}
	found, err := standing(h.r, ids)
	if err != nil {
		return nil, err
	}
	list, err := entities(h.r, h.sc, named)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		found[e.ID] = place{Near: Near{ID: e.ID, Type: "entity", Kind: e.Kind, Label: e.Name}}
	}
	asleep := map[lukasa.ID]bool{}
	out := []Near{}
	for _, id := range order {
		x, ok := found[id]
		if !ok {
			continue
		}
		x.Distance = distance[id]
		if x.node != "" {
			is, ok := asleep[x.node]
			if !ok {
				n, err := h.r.Node(x.node)
				is = err == nil && h.p.dormant(n)
				asleep[x.node] = is
			}
			x.Dormant = is
		}
		out = append(out, x.Near)
	}
	return out, nil
}

// RelatedMemory is a memory that edges lead to from another.
type RelatedMemory struct {
	lukasa.Memory
	Relationship lukasa.EdgeType `json:"relationship"` // of the last step to it
	Incoming     bool            `json:"incoming"`     // that edge ends at the memory one step nearer
	Distance     int             `json:"distance"`
	Edge         float64         `json:"edge_confidence"`
}

// Related returns the memories that edges lead to from one, nearest first. An entity that two of them mention links them too, at
// two steps.
func (p *Path) Related(ctx context.Context, sc lukasa.Scope, id lukasa.ID, depth int, types []lukasa.EdgeType, at time.Time, validAt *time.Time) (out []RelatedMemory, err error) {
	if depth == 0 {
		depth = 2
	}
	if depth < 1 || depth > maxHoodDepth {
		return nil, lukasa.Invalid("depth", "is not between 1 and %d", maxHoodDepth)
	}
	if err := CheckEdgeTypes(types); err != nil {
		return nil, err
	}
	out = []RelatedMemory{}
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		if _, err := r.Memory(id); err != nil {
			return err
		}
		h := &hood{ctx: ctx, p: p, r: r, sc: sc, types: types, width: hoodEdges, at: at}
		by := map[lukasa.ID]lukasa.Edge{}
		reach, err := Walk([]lukasa.ID{id}, depth, maxHoodWidth, func(of []lukasa.ID) ([]lukasa.Edge, bool, error) {
			edges, more, err := h.next(of)
			edges = slices.DeleteFunc(edges, func(e lukasa.Edge) bool { return !linksMemories(e) })
			return edges, more, err
		})
		if err != nil {
			return err
		}
		for _, e := range reach.Edges {
			from, to := lukasa.ID(e.From), lukasa.ID(e.To)
			far := to
			if reach.Distance[from] > reach.Distance[to] {
				far = from
			}
			if _, ok := by[far]; !ok && reach.Distance[from] != reach.Distance[to] {
				by[far] = e
			}
		}
		out, err = relatedMemories(r, sc, id, reach, by)
		out = slices.DeleteFunc(out, func(m RelatedMemory) bool { return validAt != nil && !store.TrueAt(&m.Memory, *validAt) })
		return err
	})
	return out, err
}

func linksMemories(e lukasa.Edge) bool {
	for _, end := range []string{e.From, e.To} {
		switch lukasa.ID(end).Prefix() {
		case lukasa.PrefixMemory, lukasa.PrefixEntity:
		default:
			return false
		}
	}
	return true
}

func relatedMemories(r store.Reader, sc lukasa.Scope, start lukasa.ID, reach Reach, by map[lukasa.ID]lukasa.Edge) ([]RelatedMemory, error) {
	var ids []lukasa.ID
	for _, id := range reach.Order {
		if id != start && id.Prefix() == lukasa.PrefixMemory {
			ids = append(ids, id)
		}
	}
	list, err := r.MemoriesByID(ids)
	out, over := []RelatedMemory{}, make([]*lukasa.ID, len(list))
	for i := range list {
		over[i] = &list[i].RetiredBy
	}
	if err == nil {
		err = store.Apart(r, sc, over...)
	}
	for _, m := range list {
		e := by[m.ID]
		out = append(out, RelatedMemory{Memory: m, Relationship: e.Type, Incoming: e.From == string(m.ID), Distance: reach.Distance[m.ID], Edge: e.Confidence})
	}
	return out, err
}
