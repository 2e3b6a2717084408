package sqlstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// nodeColumns are those of a node as the scope sees it: without its parent, where that is not seen.
func (s *Session) nodeColumns() string {
	if s.sc.Root == "" {
		return store.NodeColumns
	}
	parent := "coalesce((SELECT vp.id FROM nodes vp WHERE vp.id = n.parent_id AND " + s.within("vp", "nodes") + "), '')"
	return strings.Replace(store.NodeColumns, store.ParentColumn, parent, 1)
}

// Node implements [store.NodeReader].
func (s *Session) Node(id lukasa.ID) (lukasa.Node, error) {
	return found(s, "node", id, store.ScanNode[sqlrows.Row], "SELECT "+s.nodeColumns()+" FROM nodes n WHERE n.id = ?5 AND "+s.visible("n", "nodes"), id)
}

// NodeAt implements [store.NodeReader].
func (s *Session) NodeAt(p lukasa.Path) (lukasa.Node, error) {
	return found(s, "container", p, store.ScanNode[sqlrows.Row], "SELECT "+s.nodeColumns()+" FROM nodes n WHERE n.path = ?5 AND "+s.visible("n", "nodes"), p)
}

// Nodes implements [store.NodeReader].
func (s *Session) Nodes(patterns []lukasa.Pattern, counts bool) ([]lukasa.Node, error) {
	nodes := []lukasa.Node{}
	err := s.Each(func(r sqlrows.Row) error {
		if n := store.ScanNode(r); matchAny(patterns, n.Path) {
			nodes = append(nodes, n)
		}
		return nil
	}, "SELECT "+s.nodeColumns()+" FROM nodes n WHERE n.depth > 0 AND "+s.visible("n", "nodes")+" ORDER BY n.path")
	if err != nil || !counts || len(nodes) == 0 {
		return nodes, err
	}
	at := make(map[string]int, len(nodes))
	for i := range nodes {
		at[string(nodes[i].ID)] = i
	}
	count := func(set func(*lukasa.Node, int), sql string) error {
		return s.Each(func(r sqlrows.Row) error {
			if i, ok := at[r.Text(0)]; ok {
				set(&nodes[i], r.Int(1))
			}
			return nil
		}, sql)
	}
	err = count(func(n *lukasa.Node, of int) { n.Documents = of }, "SELECT d.node_id, count(*) FROM documents d WHERE d.is_latest = 1 AND d.segment_of = '' AND "+s.visible("d", "documents")+" GROUP BY d.node_id")
	if err != nil {
		return nil, err
	}
	err = count(func(n *lukasa.Node, of int) { n.Memories = of }, "SELECT y.node_id, count(*) FROM memories y WHERE y.is_latest = 1 AND "+recalled+" AND "+s.visible("y", "memories")+" GROUP BY y.node_id")
	return nodes, err
}

func matchAny(patterns []lukasa.Pattern, p lukasa.Path) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(q lukasa.Pattern) bool { return q.Match(p) })
}

// patternNodes returns the ids of the nodes that the patterns name, the root among them where one does.
func (s *Session) patternNodes(patterns []lukasa.Pattern) ([]lukasa.ID, error) {
	ids := []lukasa.ID{}
	err := s.paths(patterns, s.within("n", "nodes"), func(id lukasa.ID, _ lukasa.Path) { ids = append(ids, id) })
	return ids, err
}

// Paths implements [store.NodeReader].
func (s *Session) Paths(patterns []lukasa.Pattern) (nodes []lukasa.Node, err error) {
	err = s.paths(patterns, "n.depth > 0 AND "+s.visible("n", "nodes")+" ORDER BY n.path", func(id lukasa.ID, p lukasa.Path) {
		nodes = append(nodes, lukasa.Node{ID: id, Path: p})
	})
	return nodes, err
}

// paths hands the nodes that meet a condition and that the patterns name to fn.
func (s *Session) paths(patterns []lukasa.Pattern, cond string, fn func(lukasa.ID, lukasa.Path)) error {
	var args []any
	if len(patterns) == 1 && patterns[0].Mode == '!' && !patterns[0].Inherit { // mostly one is meant, and there may be many
		cond, args = "n.path = ?5 AND "+cond, append(args, patterns[0].Path)
	}
	return s.Each(func(r sqlrows.Row) error {
		if p := lukasa.Path(r.Text(1)); matchAny(patterns, p) {
			fn(lukasa.ID(r.Text(0)), p)
		}
		return nil
	}, "SELECT n.id, n.path FROM nodes n WHERE "+cond, args...)
}

// putNode writes a node.
var putNode = sqlrows.Upsert("nodes", 5, `parent_id path name type depth description created_at updated_at summary kw_entities kw_topics kw_dates
 kw_relationships`, "known_at")

// PutNode implements [store.NodeWriter]. Parent, Depth and, if it is empty, Name follow from Path; Version and the counts
// are the driver's own. A node that changes its path takes its subtree along.
func (t *Tx) PutNode(n lukasa.Node) error {
	if !t.reaches(n.Path) {
		return lukasa.NotFound("container", n.Path)
	}
	if n.Path.Depth() > lukasa.MaxDepth {
		return lukasa.Errorf(lukasa.CodeConflict, "container %s would be deeper than %d levels", n.Path, lukasa.MaxDepth)
	}
	clear(t.open)
	old, err := t.nodeState(n.ID)
	if err != nil {
		return err
	}
	if old != nil && !t.reaches(old.Path) {
		return lukasa.NotFound("node", n.ID)
	}
	if old == nil && n.Path == "" { // what all the rest hangs on
		if err := t.owned(); err != nil {
			return err
		}
	}
	if old == nil || old.Path != n.Path { // what was granted stays where it is
		if err := store.MayShape(t.sc, n.Path); err != nil {
			return err
		}
		if old != nil {
			if err := store.MayShape(t.sc, old.Path); err != nil {
				return err
			}
		}
	}
	taken, err := t.Has("SELECT 1 FROM nodes WHERE owner_id = ?1 AND path = ?5 AND id <> ?6", n.Path, n.ID)
	if err != nil {
		return err
	}
	if taken {
		return lukasa.Errorf(lukasa.CodeConflict, "container %s is there already", n.Path)
	}
	var parent any
	if old != nil && old.Path == n.Path && old.Parent != "" { // which the scope need not see
		parent = old.Parent
	} else if n.Path != "" {
		ok, err := t.One(func(r sqlrows.Row) { parent = r.Text(0) }, "SELECT id FROM nodes WHERE owner_id = ?1 AND path = ?5", n.Path.Parent())
		if err != nil {
			return err
		}
		if !ok {
			return lukasa.NotFound("container", n.Path.Parent())
		}
	}
	if old != nil && old.Path != n.Path {
		if err := t.moveSubtree(old.Path, n.Path); err != nil {
			return err
		}
	}
	n.Name = cmp.Or(n.Name, n.Path.Name())
	args := []any{n.ID, parent, n.Path, n.Name, n.Type, n.Path.Depth(), n.Description, t.orNow(n.CreatedAt), t.orNow(n.UpdatedAt), n.Summary}
	for _, l := range [][]string{n.Keywords.Entities, n.Keywords.Topics, n.Keywords.Dates, n.Keywords.Relationships} {
		v, err := sqlrows.List(l)
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	err = t.Do(putNode, append(args, t.now())...)
	if err != nil || old == nil {
		return err
	}
	now, err := t.nodeState(n.ID)
	if err != nil || store.SameNode(*old, *now) {
		return err
	}
	return t.record("nodes", store.OpUpdate, n.ID, n.ID, old, now)
}

// owned is [store.Owned], asked once.
func (t *Tx) owned() error {
	if t.there {
		return nil
	}
	err := store.Owned(statements{t.Session}, t.sc.Owner)
	t.there = err == nil
	return err
}

// nodeState returns a node, nil if there is none.
func (t *Tx) nodeState(id lukasa.ID) (n *lukasa.Node, err error) {
	_, err = t.One(func(r sqlrows.Row) { n = new(store.ScanNode(r)) }, "SELECT "+store.NodeColumns+" FROM nodes n WHERE n.owner_id = ?1 AND n.id = ?5", id)
	return n, err
}

// moveSubtree gives the nodes below a path that moves their new paths. Keys that are bound to one of them, or to the one that moves, follow.
func (t *Tx) moveSubtree(from, to lukasa.Path) error {
	if from == "" || to == "" {
		return lukasa.Errorf(lukasa.CodeConflict, "the root stays where it is")
	}
	if from.Covers(to) {
		return lukasa.Errorf(lukasa.CodeConflict, "container %s cannot move below itself", from)
	}
	deepest := 0
	if _, err := t.One(func(r sqlrows.Row) { deepest = r.Int(0) },
		"SELECT max(depth) FROM nodes WHERE owner_id = ?1 AND path > ?5 AND path < ?6", from+".", from+"/"); err != nil {
		return err
	}
	if deepest-from.Depth()+to.Depth() > lukasa.MaxDepth {
		return lukasa.Errorf(lukasa.CodeConflict, "what is below %s would be deeper than %d levels", from, lukasa.MaxDepth)
	}
	if err := t.Do(`UPDATE nodes SET path = ?7 || substr(path, ?8), depth = depth + ?9
WHERE owner_id = ?1 AND path > ?5 AND path < ?6`, from+".", from+"/", to, len(from)+1, to.Depth()-from.Depth()); err != nil {
		return err
	}
	return store.MoveKeys(statements{t.Session}, from, to)
}

// writable returns an error unless the scope may write into the node.
func (t *Tx) writable(node lukasa.ID) error {
	if _, ok := t.open[node]; ok {
		return nil
	}
	path, err := found(t.Session, "node", node, scanText, "SELECT n.path FROM nodes n WHERE n.id = ?5 AND "+t.visible("n", "nodes"), node)
	if err == nil {
		t.open[node] = lukasa.Path(path)
		t.Note(node, "", "", false)
	}
	return err
}
