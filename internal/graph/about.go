package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// showAbout bounds each list of [About].
const showAbout = 50

// Entity returns everything about an entity, named by its id or by a name (the best match), as it was at a moment.
func (p *Path) Entity(ctx context.Context, sc lukasa.Scope, idOrName string, at time.Time) (out About, err error) {
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		e, err := findEntity(r, sc, idOrName)
		if err != nil {
			return err
		}
		out, err = p.about(ctx, r, sc, e, at)
		return err
	})
	return out, err
}

// about works out what is known of an entity, or takes it from the cache. What was kept holds while the containers are in the
// state that they had then.
func (p *Path) about(ctx context.Context, r store.Reader, sc lukasa.Scope, e lukasa.Entity, at time.Time) (About, error) {
	return p.keptAbout(ctx, r, sc, e, at, "entity", p.gatherAbout)
}

// keptAbout is what gather works out of an entity. That of today is kept, by a name for what it is.
func (p *Path) keptAbout(ctx context.Context, r store.Reader, sc lukasa.Scope, e lukasa.Entity, at time.Time, name string,
	gather func(store.Reader, lukasa.Scope, lukasa.Entity) (About, map[lukasa.ID]string, error),
) (About, error) {
	if !at.IsZero() {
		out, _, err := gather(r, sc, e)
		return out, err
	}
	type kept struct {
		About  About
		States map[lukasa.ID]string
	}
	key := []string{name, who(sc), string(e.ID), strconv.Itoa(e.Mentions), strconv.FormatInt(e.UpdatedAt.UnixMicro(), 36)}
	work := func() (kept, error) {
		out, states, err := gather(r, sc, e)
		return kept{out, states}, err
	}
	k, err := cached(ctx, p, key, work)
	if err != nil {
		return About{}, err
	}
	for id, state := range k.States {
		n, err := r.Node(id)
		if err != nil || stamp(n) != state { // something was written there since: work it out again
			out, _, err := gather(r, sc, e)
			return out, err
		}
	}
	k.About.Entity = e
	for i := range k.About.Where { // time passes without a write
		if n, err := r.Node(k.About.Where[i].ID); err == nil {
			k.About.Where[i].Dormant = p.dormant(n)
		}
	}
	return k.About, nil
}

// gatherAbout works out what is known of one entity, and the state of the containers that it was worked out from.
func (p *Path) gatherAbout(r store.Reader, sc lukasa.Scope, e lukasa.Entity) (About, map[lukasa.ID]string, error) {
	out := About{Entity: e, Where: []Where{}, Memories: []Statement{}, Messages: []Statement{}, Documents: []Statement{}, RecallFiles: []Item{}, Related: []Named{}}
	weight, err := weights(r, e.ID)
	if err != nil {
		return out, nil, err
	}
	list, err := statements(r, weight)
	if err != nil {
		return out, nil, err
	}
	counts := map[lukasa.ID]int{}
	files := map[lukasa.ID]int{}
	for _, s := range list {
		counts[s.Node]++
		seen(&out.FirstSeen, &out.LastSeen, s.At)
		var into *[]Statement
		switch s.ID.Prefix() {
		case lukasa.PrefixMemory:
			out.Counts.Memories++
			into = &out.Memories
		case lukasa.PrefixMessage:
			out.Counts.Messages++
			files[s.Document] += max(1, int(s.Weight))
			into = &out.Messages
		default:
			out.Counts.Documents++
			into = &out.Documents
		}
		if len(*into) < showAbout {
			*into = append(*into, s)
		} else {
			out.Truncated = true
		}
	}
	for id := range weight {
		if id.Prefix() == lukasa.PrefixNode {
			counts[id]++
		}
	}
	states, err := p.where(r, &out, counts)
	if err != nil {
		return out, nil, err
	}
	if err := recalled(r, &out, files); err != nil {
		return out, nil, err
	}
	out.Related, err = together(r, sc, e.ID, weight)
	return out, states, err
}

// weights are the records that mention an entity, each with how much.
func weights(r store.Reader, id lukasa.ID) (map[lukasa.ID]float64, error) {
	edges, err := r.Edges([]lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeMentions}, maxEdges)
	weight := map[lukasa.ID]float64{}
	for _, x := range edges {
		if x.To == string(id) {
			weight[lukasa.ID(x.From)] = x.Weight
		}
	}
	return weight, err
}

// outline is what is known of an entity but for what mentions it: in how many recall files, in which containers, and beside whom.
func (p *Path) outline(r store.Reader, sc lukasa.Scope, e lukasa.Entity) (out About, states map[lukasa.ID]string, err error) {
	weight, err := weights(r, e.ID)
	if err != nil {
		return out, nil, err
	}
	list, err := r.Stands(slices.Collect(maps.Keys(weight)))
	if err != nil {
		return out, nil, err
	}
	counts, files := map[lukasa.ID]int{}, map[lukasa.ID]bool{}
	for _, s := range list {
		counts[s.Node]++
		if s.ID.Prefix() == lukasa.PrefixMessage {
			files[s.Document] = true
		}
	}
	for id := range weight {
		if id.Prefix() == lukasa.PrefixNode {
			counts[id]++
		}
	}
	if states, err = p.where(r, &out, counts); err != nil {
		return out, nil, err
	}
	out.Counts.RecallFiles = len(files)
	out.Related, err = together(r, sc, e.ID, weight)
	return out, states, err
}

func seen(first, last **time.Time, at time.Time) {
	if at.IsZero() {
		return
	}
	if *first == nil || at.Before(**first) {
		*first = &at
	}
	if *last == nil || at.After(**last) {
		*last = &at
	}
}

// statements reads the records that mention something, the newest first.
func statements(r store.Reader, weight map[lukasa.ID]float64) ([]Statement, error) {
	by := map[lukasa.Prefix][]lukasa.ID{}
	for id := range weight {
		by[id.Prefix()] = append(by[id.Prefix()], id)
	}
	var out []Statement
	memories, err := r.MemoriesByID(by[lukasa.PrefixMemory])
	if err != nil {
		return nil, err
	}
	for _, m := range memories {
		out = append(out, Statement{ID: m.ID, Path: m.Path, Text: m.Content, Kind: string(m.Kind), At: m.When(), IsLatest: m.IsLatest, Weight: weight[m.ID], Node: m.Node})
	}
	messages, err := r.MessagesByID(by[lukasa.PrefixMessage])
	if err != nil {
		return nil, err
	}
	paths := map[lukasa.ID]lukasa.Path{}
	for _, m := range messages {
		if _, ok := paths[m.Node]; !ok {
			n, err := r.Node(m.Node)
			if err != nil {
				return nil, err
			}
			paths[m.Node] = n.Path
		}
		at := m.CreatedAt
		if m.Time != nil {
			at = *m.Time
		}
		out = append(out, Statement{
			ID: m.ID, Path: paths[m.Node], Text: Snippet(m.Content, 240), Speaker: m.Speaker, At: at, IsLatest: true, Weight: weight[m.ID],
			Node: m.Node, Document: m.Document,
		})
	}
	documents, err := r.DocumentsByID(by[lukasa.PrefixDocument])
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		at := d.CreatedAt
		if d.OccurredAt != nil {
			at = *d.OccurredAt
		}
		out = append(out, Statement{ID: d.ID, Path: d.Path, Text: d.Title, Kind: d.ContentType, At: at, IsLatest: d.IsLatest, Weight: weight[d.ID], Node: d.Node})
	}
	slices.SortFunc(out, func(a, b Statement) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// where lists the containers with their mentions, and returns the state of each.
func (p *Path) where(r store.Reader, out *About, counts map[lukasa.ID]int) (map[lukasa.ID]string, error) {
	states := map[lukasa.ID]string{}
	for id, n := range counts {
		node, err := r.Node(id)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		states[id] = stamp(node)
		out.Where = append(out.Where, Where{ID: id, Path: node.Path, Mentions: n, Dormant: p.dormant(node)})
	}
	slices.SortFunc(out.Where, func(a, b Where) int { return cmp.Or(cmp.Compare(b.Mentions, a.Mentions), cmp.Compare(a.Path, b.Path)) })
	out.Counts.Containers = len(out.Where)
	return states, nil
}

// recalled lists the stretches of conversations that mention an entity, most often first.
func recalled(r store.Reader, out *About, files map[lukasa.ID]int) error {
	out.Counts.RecallFiles = len(files)
	ids := topOf(files, showAbout)
	list, err := r.DocumentsByID(ids)
	for _, d := range list {
		x := Item{ID: d.ID, Type: "recall_file", Label: d.Title, At: d.CreatedAt}
		if s, err := r.Segment(d.ID); err == nil {
			if s.Topic != "" {
				x.Label = s.Topic
			}
			if s.StartedAt != nil {
				x.At = *s.StartedAt
			}
		}
		out.RecallFiles = append(out.RecallFiles, x)
	}
	return err
}

// together counts the entities that the same records mention.
func together(r store.Reader, sc lukasa.Scope, id lukasa.ID, weight map[lukasa.ID]float64) ([]Named, error) {
	ids := make([]lukasa.ID, 0, len(weight))
	for k := range weight {
		ids = append(ids, k)
	}
	slices.Sort(ids)
	ids = ids[:min(len(ids), lookMentions)]
	edges, err := r.Edges(ids, []lukasa.EdgeType{lukasa.EdgeMentions}, maxEdges)
	if err != nil {
		return nil, err
	}
	counts := map[lukasa.ID]int{}
	for _, e := range edges {
		if other := lukasa.ID(e.To); other != id && strings.HasPrefix(e.To, string(lukasa.PrefixEntity)) {
			counts[other]++
		}
	}
	list, err := entities(r, sc, topOf(counts, showEntities))
	out := []Named{}
	for _, e := range list {
		out = append(out, Named{ID: e.ID, Kind: e.Kind, Name: e.Name, Mentions: counts[e.ID]})
	}
	return out, err
}
