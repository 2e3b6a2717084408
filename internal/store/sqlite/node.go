package sqlite

import "github.com/lukasa-memory/lukasa"

const nodeColumns = "n.id, coalesce(n.parent_id, ''), n.path, n.name, n.type, n.depth, n.description, n.version, n.created_at, n.updated_at"

func scanNode(r row) lukasa.Node {
	return lukasa.Node{
		ID: lukasa.ID(r.text(0)), Parent: lukasa.ID(r.text(1)), Path: lukasa.Path(r.text(2)), Name: r.text(3),
		Type: lukasa.NodeType(r.text(4)), Depth: r.int(5), Description: r.text(6), Version: r.int64(7), CreatedAt: r.time(8), UpdatedAt: r.time(9),
	}
}

// Node implements [store.NodeReader].
func (s *session) Node(id lukasa.ID) (lukasa.Node, error) {
	return found(s, "node", id, scanNode, "SELECT "+nodeColumns+" FROM nodes n WHERE n.id = ?5 AND "+s.visible("n", "id"), id)
}

// NodeAt implements [store.NodeReader].
func (s *session) NodeAt(p lukasa.Path) (lukasa.Node, error) {
	return found(s, "container", p, scanNode, "SELECT "+nodeColumns+" FROM nodes n WHERE n.path = ?5 AND "+s.visible("n", "id"), p)
}

// Nodes implements [store.NodeReader].
func (s *session) Nodes(patterns []lukasa.Pattern, counts bool) ([]lukasa.Node, error) {
	nodes := []lukasa.Node{}
	err := s.each(func(r row) error {
		if n := scanNode(r); matchAny(patterns, n.Path) {
			nodes = append(nodes, n)
		}
		return nil
	}, "SELECT "+nodeColumns+" FROM nodes n WHERE n.depth > 0 AND "+s.visible("n", "id")+" ORDER BY n.path")
	if err != nil || !counts || len(nodes) == 0 {
		return nodes, err
	}
	at := make(map[string]int, len(nodes))
	for i := range nodes {
		at[string(nodes[i].ID)] = i
	}
	err = s.each(func(r row) error {
		if i, ok := at[r.text(0)]; ok {
			nodes[i].Documents = r.int(1)
		}
		return nil
	}, "SELECT d.node_id, count(*) FROM documents d WHERE d.is_latest = 1 AND d.segment_of = '' AND "+s.visible("d", "node_id")+" GROUP BY d.node_id")
	if err != nil {
		return nil, err
	}
	err = s.each(func(r row) error {
		if i, ok := at[r.text(0)]; ok {
			nodes[i].Memories = r.int(1)
		}
		return nil
	}, "SELECT m.node_id, count(*) FROM memories m WHERE m.is_latest = 1 AND "+s.visible("m", "node_id")+" GROUP BY m.node_id")
	return nodes, err
}

func matchAny(patterns []lukasa.Pattern, p lukasa.Path) bool {
	for _, q := range patterns {
		if q.Match(p) {
			return true
		}
	}
	return len(patterns) == 0
}

// patternNodes returns the ids of the nodes that the patterns name, the root among them where one does.
func (s *session) patternNodes(patterns []lukasa.Pattern) ([]lukasa.ID, error) {
	ids := []lukasa.ID{}
	err := s.each(func(r row) error {
		if matchAny(patterns, lukasa.Path(r.text(1))) {
			ids = append(ids, lukasa.ID(r.text(0)))
		}
		return nil
	}, "SELECT n.id, n.path FROM nodes n WHERE "+s.visible("n", "id"))
	return ids, err
}

// PutNode implements [store.NodeWriter]. Parent, Depth and, if it is empty, Name follow from Path; Version and the counts
// are the driver's own. A node that changes its path takes its subtree along.
func (t *tx) PutNode(n lukasa.Node) error {
	if !t.sc.Sees(n.Path) {
		return lukasa.NotFound("container", n.Path)
	}
	if n.Path.Depth() > lukasa.MaxDepth {
		return lukasa.Errorf(lukasa.CodeConflict, "container %s would be deeper than %d levels", n.Path, lukasa.MaxDepth)
	}
	t.open = nil
	var old *lukasa.Path
	if _, err := t.one(func(r row) { p := lukasa.Path(r.text(0)); old = &p },
		"SELECT path FROM nodes WHERE owner_id = ?1 AND id = ?5", n.ID); err != nil {
		return err
	}
	if old != nil && !t.sc.Sees(*old) {
		return lukasa.NotFound("node", n.ID)
	}
	taken, err := t.one(func(row) {}, "SELECT 1 FROM nodes WHERE owner_id = ?1 AND path = ?5 AND id <> ?6", n.Path, n.ID)
	if err != nil {
		return err
	}
	if taken {
		return lukasa.Errorf(lukasa.CodeConflict, "container %s is there already", n.Path)
	}
	var parent any
	if n.Path != "" {
		ok, err := t.one(func(r row) { parent = r.text(0) }, "SELECT id FROM nodes WHERE owner_id = ?1 AND path = ?5", n.Path.Parent())
		if err != nil {
			return err
		}
		if !ok {
			return lukasa.NotFound("container", n.Path.Parent())
		}
	}
	if old != nil && *old != n.Path {
		if err := t.moveSubtree(*old, n.Path); err != nil {
			return err
		}
	}
	if n.Name == "" {
		n.Name = n.Path.Name()
	}
	return t.do(`INSERT INTO nodes (owner_id, id, parent_id, path, name, type, depth, description, created_at, updated_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT (owner_id, id) DO UPDATE SET parent_id = excluded.parent_id, path = excluded.path, name = excluded.name,
  type = excluded.type, depth = excluded.depth, description = excluded.description, created_at = excluded.created_at,
  updated_at = excluded.updated_at`,
		n.ID, parent, n.Path, n.Name, n.Type, n.Path.Depth(), n.Description, t.orNow(n.CreatedAt), t.orNow(n.UpdatedAt))
}

// moveSubtree gives the nodes below a path that moves their new paths.
func (t *tx) moveSubtree(from, to lukasa.Path) error {
	if from == "" || to == "" {
		return lukasa.Errorf(lukasa.CodeConflict, "the root stays where it is")
	}
	if from.Covers(to) {
		return lukasa.Errorf(lukasa.CodeConflict, "container %s cannot move below itself", from)
	}
	deepest := 0
	if _, err := t.one(func(r row) { deepest = r.int(0) },
		"SELECT max(depth) FROM nodes WHERE owner_id = ?1 AND path > ?5 AND path < ?6", from+".", from+"/"); err != nil {
		return err
	}
	if deepest-from.Depth()+to.Depth() > lukasa.MaxDepth {
		return lukasa.Errorf(lukasa.CodeConflict, "what is below %s would be deeper than %d levels", from, lukasa.MaxDepth)
	}
	return t.do(`UPDATE nodes SET path = ?7 || substr(path, ?8), depth = depth + ?9
WHERE owner_id = ?1 AND path > ?5 AND path < ?6`, from+".", from+"/", to, len(from)+1, to.Depth()-from.Depth())
}

// writable returns an error unless the scope may write into the node.
func (t *tx) writable(node lukasa.ID) error {
	if t.open[node] {
		return nil
	}
	if _, err := found(&t.session, "node", node, scanInt, "SELECT 1 FROM nodes n WHERE n.id = ?5 AND "+t.visible("n", "id"), node); err != nil {
		return err
	}
	if t.open == nil {
		t.open = make(map[lukasa.ID]bool)
	}
	t.open[node] = true
	return nil
}
