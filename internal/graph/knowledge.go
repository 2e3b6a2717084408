package graph

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Concept is a node of the knowledge graph: a container (project, topic, concept, persona), or an entity. It is a view over both.
type Concept struct {
	ID          lukasa.ID     `json:"id"`
	Name        string        `json:"name"`
	Type        string        `json:"type"` // project, topic, concept, persona, entity
	Kind        string        `json:"kind,omitempty"`
	Aliases     []string      `json:"aliases,omitempty"`
	Description string        `json:"description,omitempty"`
	Path        lukasa.Path   `json:"container,omitempty"`
	RecallFiles int           `json:"recall_file_count"`
	Mentions    int           `json:"mentions,omitempty"`
	Related     []RelatedNode `json:"related_nodes"`
	Dormant     bool          `json:"dormant,omitempty"`
	Score       float64       `json:"score,omitempty"`    // how alike the name is that was asked for
	Distance    int           `json:"distance,omitempty"` // from the node that was asked for
	CreatedAt   time.Time     `json:"created_at"`
}

// RelatedNode is a neighbour of a [Concept]. The relationship is a type of edge; belongs_to is contains, and mentioned_in is
// mentions, read backwards.
type RelatedNode struct {
	ID           lukasa.ID `json:"id"`
	Name         string    `json:"name"`
	Type         string    `json:"type"`
	Relationship string    `json:"relationship"`
	Weight       float64   `json:"weight"`
	Dormant      bool      `json:"dormant,omitempty"`
}

// ConceptQuery asks for nodes of the knowledge graph. Zero fields do not narrow.
type ConceptQuery struct {
	Type          string // project, topic, concept, persona, entity, or the kind of an entity
	Name          string // a little differently written too
	RelatedTo     string // the id of a node, the path of a container or the name of an entity
	Depth         int    // for RelatedTo; 0 means 1
	Limit, Offset int
	At            time.Time
}

const showRelated = 10

// Concepts lists the nodes of the knowledge graph: containers by path, then entities, most mentioned first; with a name the most
// alike first, with RelatedTo the nearest first. The total counts all that match.
func (p *Path) Concepts(ctx context.Context, sc lukasa.Scope, q ConceptQuery) (out lukasa.Listing[Concept], err error) {
	if q.Limit == 0 {
		q.Limit = 20
	}
	switch {
	case q.Limit < 1 || q.Limit > 100:
		return out, lukasa.Invalid("limit", "is not between 1 and 100")
	case q.Offset < 0:
		return out, lukasa.Invalid("offset", "is negative")
	case len(q.Name) > maxNodeName:
		return out, lukasa.Invalid("name", "is over %d bytes", maxNodeName)
	case q.Depth < 0 || q.Depth > maxHoodDepth:
		return out, lukasa.Invalid("depth", "is not between 1 and %d", maxHoodDepth)
	}
	out.Items = []Concept{}
	err = p.view(ctx, sc, q.At, func(r store.Reader) error {
		found, total, err := p.concepts(ctx, r, sc, q)
		if err != nil {
			return err
		}
		out.Total = total
		for _, c := range found {
			if err := p.fill(ctx, r, sc, &c, q.At); err != nil {
				return err
			}
			out.Items = append(out.Items, c)
		}
		return nil
	})
	return out, err
}

// concepts finds the stretch of the list that is asked for, and how long the list is.
func (p *Path) concepts(ctx context.Context, r store.Reader, sc lukasa.Scope, q ConceptQuery) ([]Concept, int, error) {
	var near map[lukasa.ID]int
	if q.RelatedTo != "" {
		var err error
		if near, err = p.nearTo(ctx, r, sc, q); err != nil {
			return nil, 0, err
		}
	}
	nodes, err := r.Nodes(nil, false)
	if err != nil {
		return nil, 0, err
	}
	var list []Concept
	for _, n := range nodes {
		c := p.fromNode(n)
		if q.Name != "" {
			c.Score = roundScore(max(Likeness(q.Name, n.Name), Likeness(q.Name, n.Path.Name())))
		}
		list = append(list, c)
	}
	list = q.keep(list, near)
	kind := q.Type
	if kind == "entity" {
		kind = ""
	}
	var found []Match
	switch {
	case isNodeType(q.Type):
	case q.Name != "":
		found, err = alike(r, sc, nil, "", q.Name)
	case near != nil:
		var all []lukasa.Entity
		if all, err = r.EntitiesByID(slices.Sorted(maps.Keys(near))); err == nil {
			all, err = Seen(r, sc, all)
		}
		found = matches(all)
	case sc.Root != "":
		var all []lukasa.Entity
		all, _, err = gather(maxConcepts, func(pg lukasa.Page) (lukasa.Listing[lukasa.Entity], error) { return r.Entities(nil, kind, "", pg) })
		if err == nil {
			all, err = Seen(r, sc, all)
		}
		found = matches(all)
	default:
		return stretch(r, list, kind, q)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, m := range found {
		list = append(list, fromEntity(m))
	}
	list = q.keep(list, near)
	for i := range list {
		list[i].Distance = near[list[i].ID]
	}
	slices.SortStableFunc(list, func(a, b Concept) int {
		if near != nil && a.Distance != b.Distance {
			return a.Distance - b.Distance
		}
		return compareDown(a.Score, b.Score)
	})
	from := min(q.Offset, len(list))
	return list[from:min(from+q.Limit, len(list))], len(list), nil
}

// keep drops what the query does not ask for: by type, likeness and distance.
func (q ConceptQuery) keep(list []Concept, near map[lukasa.ID]int) []Concept {
	return slices.DeleteFunc(list, func(c Concept) bool {
		d, ok := near[c.ID]
		far := near != nil && (!ok || d == 0)
		other := q.Type != "" && c.Type != q.Type && (c.Type != "entity" || c.Kind != q.Type)
		return far || other || q.Name != "" && c.Score < Alike
	})
}

// stretch is a page of the list of all containers, then all entities, most mentioned first.
func stretch(r store.Reader, nodes []Concept, kind string, q ConceptQuery) ([]Concept, int, error) {
	from := min(q.Offset, len(nodes))
	out := slices.Clone(nodes[from:min(from+q.Limit, len(nodes))])
	l, err := r.Entities(nil, kind, "", lukasa.Page{Limit: max(1, q.Limit-len(out)), Offset: max(0, q.Offset-len(nodes))})
	for _, e := range l.Items {
		if len(out) < q.Limit {
			out = append(out, fromEntity(Match{Entity: e}))
		}
	}
	return out, len(nodes) + l.Total, err
}

// maxConcepts bounds the entities that a listing for a scope that is bound to a subtree looks at.
const maxConcepts = 2000

func compareDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// nearTo walks from one concept, and says how far others are. Two steps through a record that mentions both count as one: what stands
// between concepts is not counted. The concept itself is at distance 0.
func (p *Path) nearTo(ctx context.Context, r store.Reader, sc lukasa.Scope, q ConceptQuery) (map[lukasa.ID]int, error) {
	start, err := resolve(r, sc, q.RelatedTo)
	if err != nil {
		return nil, err
	}
	h := &hood{ctx: ctx, p: p, r: r, sc: sc, width: hoodEdges, at: q.At}
	reach, err := Walk([]lukasa.ID{start}, 2*max(q.Depth, 1), maxHoodWidth, h.next)
	if err != nil {
		return nil, err
	}
	near := map[lukasa.ID]int{}
	for id, d := range reach.Distance {
		if id.Prefix() == lukasa.PrefixNode || id.Prefix() == lukasa.PrefixEntity {
			near[id] = (d + 1) / 2
		}
	}
	return near, nil
}

func isNodeType(t string) bool {
	switch lukasa.NodeType(t) {
	case lukasa.NodeProject, lukasa.NodeTopic, lukasa.NodeConcept, lukasa.NodePersona:
		return true
	}
	return false
}

func (p *Path) fromNode(n lukasa.Node) Concept {
	return Concept{
		ID: n.ID, Name: n.Name, Type: string(n.Type), Description: n.Description, Path: n.Path, Dormant: p.dormant(n), CreatedAt: n.CreatedAt,
		Related: []RelatedNode{},
	}
}

func fromEntity(m Match) Concept {
	return Concept{
		ID: m.ID, Name: m.Name, Type: "entity", Kind: m.Kind, Aliases: m.Aliases, Mentions: m.Mentions, Score: m.Score, CreatedAt: m.CreatedAt,
		Related: []RelatedNode{},
	}
}

// fill adds what takes a look around to a concept.
func (p *Path) fill(ctx context.Context, r store.Reader, sc lukasa.Scope, c *Concept, at time.Time) error {
	if c.Type != "entity" {
		n, err := r.Node(c.ID)
		if err != nil {
			return err
		}
		s, err := p.shell(ctx, r, sc, n, at)
		if err != nil {
			return err
		}
		c.RecallFiles = s.Manifest.RecallFiles
		if c.Description == "" {
			c.Description = s.Summary
		}
		if parent := n.Path.Parent(); parent != "" && sc.Sees(parent) {
			if up, err := r.NodeAt(parent); err == nil {
				c.Related = append(c.Related, RelatedNode{up.ID, up.Name, string(up.Type), "belongs_to", 1, p.dormant(up)})
			}
		}
		for _, x := range s.Children {
			c.Related = append(c.Related, RelatedNode{x.ID, x.Name, string(x.Type), string(lukasa.EdgeContains), 1, x.Dormant})
		}
		for _, x := range s.Manifest.Entities {
			c.Related = append(c.Related, RelatedNode{x.ID, x.Name, "entity", string(lukasa.EdgeMentions), float64(x.Mentions), false})
		}
		c.Related = c.Related[:min(len(c.Related), showRelated)]
		return nil
	}
	list, err := entities(r, sc, []lukasa.ID{c.ID})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return lukasa.NotFound("entity", c.ID)
	}
	list[0].Mentions = c.Mentions
	a, err := p.keptAbout(ctx, r, sc, list[0], at, "outline", p.outline)
	if err != nil {
		return err
	}
	c.RecallFiles = a.Counts.RecallFiles
	for _, w := range a.Where[:min(len(a.Where), showRelated/2)] {
		if n, err := r.Node(w.ID); err == nil {
			c.Related = append(c.Related, RelatedNode{w.ID, n.Name, string(n.Type), "mentioned_in", float64(w.Mentions), w.Dormant})
		}
	}
	for _, x := range a.Related {
		c.Related = append(c.Related, RelatedNode{x.ID, x.Name, "entity", string(lukasa.EdgeRelatesTo), float64(x.Mentions), false})
	}
	c.Related = c.Related[:min(len(c.Related), showRelated)]
	return nil
}

// NewConcept is a request to make or change a node of the knowledge graph.
type NewConcept struct {
	Name        string
	Type        string // project, topic, concept, persona; entity or the kind of one
	Kind        string // of an entity; "" is person for type entity
	Description string
	// Parent is the id or path of the container that it stands in, or that mentions it, for an entity; "" is the top, for an entity the
	// container for content that names none.
	Parent  string
	Aliases []string
}

// PutConcept makes a node of the knowledge graph, or changes the one of that name, type and parent; it says whether it is new.
func (p *Path) PutConcept(ctx context.Context, sc lukasa.Scope, in NewConcept) (Concept, bool, error) {
	in.Name = strings.TrimSpace(in.Name)
	if in.Name == "" || len(in.Name) > maxNodeName {
		return Concept{}, false, lukasa.Invalid("name", "is empty or over %d bytes", maxNodeName)
	}
	if in.Type == "" {
		return Concept{}, false, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "type", Msg: "is missing", Hint: "project, topic, concept, persona or entity"}
	}
	if isNodeType(in.Type) {
		return p.putNode(ctx, sc, in)
	}
	return p.putEntity(ctx, sc, in)
}

func (p *Path) putNode(ctx context.Context, sc lukasa.Scope, in NewConcept) (c Concept, fresh bool, err error) {
	if err := checkWords(in.Name, in.Description, "", lukasa.Keywords{}); err != nil {
		return c, false, err
	}
	var made []lukasa.Node
	err = p.change(ctx, sc, func(tx store.Tx) error {
		fresh, made = false, nil
		parent := lukasa.Node{Path: sc.Root}
		if in.Parent != "" {
			if parent, err = find(tx, in.Parent); err != nil {
				return err
			}
		}
		path := lukasa.Path(lukasa.EscapeSegment(in.Name))
		if parent.Path != "" {
			path = parent.Path + "." + path
		}
		if err := check(sc, NewNode{Path: path}); err != nil {
			return err
		}
		n, err := tx.NodeAt(path)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			fresh = true
			n, made, err = p.make(tx, NewNode{Path: path, Name: in.Name, Type: lukasa.NodeType(in.Type), Description: in.Description})
		} else if err == nil {
			n.Type, n.UpdatedAt = lukasa.NodeType(in.Type), p.now()
			if in.Description != "" {
				n.Description = in.Description
			}
			err = tx.PutNode(n)
		}
		if err != nil {
			return err
		}
		c = p.fromNode(n)
		return p.fill(ctx, tx, sc, &c, p.now()) // of this moment: nothing of an unfinished transaction is kept
	})
	for _, n := range made {
		if err == nil {
			p.tell(sc, lukasa.EventNodeCreated, n, n.ID, nil)
		}
	}
	return c, fresh, err
}

// putEntity makes an entity that a container mentions, or changes its names. An entity is seen where something mentions it: the
// container does.
func (p *Path) putEntity(ctx context.Context, sc lukasa.Scope, in NewConcept) (c Concept, fresh bool, err error) {
	kind := strings.ToLower(strings.TrimSpace(in.Kind))
	if kind == "" {
		if kind = strings.ToLower(in.Type); kind == "entity" {
			kind = "person"
		}
	}
	e := lukasa.Entity{Kind: kind, Name: in.Name, Aliases: in.Aliases}
	if err := checkEntity(&e); err != nil {
		return c, false, err
	}
	if err := sc.CanWrite(); err != nil {
		return c, false, err
	}
	err = p.view(ctx, sc, time.Time{}, func(r store.Reader) error {
		there, err := named(r, sc, e)
		fresh = len(there) == 0
		return err
	})
	if err != nil {
		return c, false, err
	}
	var at lukasa.Node
	err = p.change(ctx, wide(sc), func(tx store.Tx) error {
		if at, err = p.mentionedBy(tx, sc, in.Parent); err != nil {
			return err
		}
		there, err := named(tx, wide(sc), e)
		switch {
		case err != nil:
			return err
		case len(there) == 0:
			e.ID, e.CreatedAt, e.UpdatedAt = p.Mint.ID(lukasa.PrefixEntity), p.now(), p.now()
			err = p.know(tx, sc.Owner, e)
		case len(in.Aliases) > 0 && sc.Root == "":
			e = there[0]
			e.Aliases = append(e.Aliases, in.Aliases...)
			if err = checkEntity(&e); err == nil {
				err = p.rename(tx, sc.Owner, e)
			}
		default:
			e.ID = there[0].ID
		}
		if err != nil {
			return err
		}
		link := lukasa.Edge{From: string(at.ID), To: string(e.ID), Type: lukasa.EdgeMentions, Weight: 1, Confidence: 1, Metadata: map[string]any{namedAs: in.Name}}
		if in.Description != "" {
			link.Metadata["description"] = in.Description
		}
		if err := tx.PutEdges([]lukasa.Edge{link}); err != nil {
			return err
		}
		return poke(tx, []lukasa.ID{at.ID}, p.now())
	})
	if err != nil {
		return c, false, err
	}
	err = p.view(ctx, sc, time.Time{}, func(r store.Reader) error { // as the scope sees it, and no more
		seen, err := entity(r, sc, e.ID)
		if err != nil {
			return err
		}
		c = fromEntity(Match{Entity: seen})
		c.Description = in.Description
		return p.fill(ctx, r, sc, &c, time.Time{})
	})
	return c, fresh, err
}

// named returns the entities of a kind and name that a scope knows.
func named(r store.Reader, sc lukasa.Scope, e lukasa.Entity) ([]lukasa.Entity, error) {
	list, err := r.EntitiesNamed([]string{e.Name})
	if err == nil {
		list, err = Seen(r, sc, list)
	}
	return slices.DeleteFunc(list, func(x lukasa.Entity) bool { return x.Kind != e.Kind || !strings.EqualFold(x.Name, e.Name) }), err
}

// mentionedBy returns the container that is to mention an entity.
func (p *Path) mentionedBy(tx store.Tx, sc lukasa.Scope, parent string) (lukasa.Node, error) {
	if parent != "" {
		n, err := find(tx, parent)
		if err == nil && store.MayWrite(sc, n.Path) != nil {
			if err = lukasa.NotFound("container", parent); sc.Sees(n.Path) {
				err = store.ReadOnly()
			} else if lukasa.ID(parent).Prefix() == lukasa.PrefixNode { // as find says it
				err = lukasa.NotFound("node", parent)
			}
		}
		return n, err
	}
	path := lukasa.DefaultPath
	if sc.Root != "" {
		path = sc.Root
	}
	n, _, err := p.ensure(tx, path)
	return n, err
}
