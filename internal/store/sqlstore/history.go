package sqlstore

import (
	"cmp"
	"encoding/json"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

func (t *Tx) chainHead() (*store.ChainEnd, error) {
	if t.head != nil {
		return t.head, nil
	}
	h := &store.ChainEnd{}
	_, err := t.One(func(r sqlrows.Row) { h.Seq, h.Hash, h.At = r.Int64(0), r.Bytes(1), r.Time(2) },
		"SELECT seq, hash, at FROM deltas WHERE owner_id = ?1 ORDER BY seq DESC LIMIT 1")
	if err == nil {
		t.head = h
	}
	return h, err
}

// Because implements [store.HistoryWriter].
func (t *Tx) Because(author, reason string) { t.author, t.reason = author, reason }

// record appends a delta of a row of the table (documents, memories, nodes, messages or conversations). Nil stands for no
// before or after.
func (t *Tx) record(table, op string, id, node lukasa.ID, before, after any) error {
	if t.silent {
		return nil
	}
	h, err := t.chainHead()
	if err != nil {
		return err
	}
	d := lukasa.Delta{Record: id, Node: node, Op: op, Author: cmp.Or(t.author, string(cmp.Or(t.sc.Grantee, t.sc.Principal))), Reason: t.reason}
	if op == store.OpPurge {
		d.Reason = ""
	}
	end, digests, err := h.Link(&d, before, after, t.now())
	if err != nil {
		return err
	}
	if err := t.Later(sqlrows.Next, `INSERT INTO deltas (owner_id, seq, id, record_id, node_id, op, before, after, author, reason, at, digests, hash)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`, d.Seq, d.ID, d.Record, d.Node, d.Op, sqlrows.Raw(d.Before), sqlrows.Raw(d.After),
		d.Author, d.Reason, d.At, digests, end.Hash); err != nil {
		return err
	}
	t.head = &end
	t.Note(node, "", "", false)
	if table == "" {
		return nil
	}
	return t.Do("UPDATE "+table+" SET changed_at = ?6 WHERE owner_id = ?1 AND id = ?5", id, d.At)
}

// blank takes the content out of all deltas of records that are purged.
func (t *Tx) blank(set string) error {
	return t.Do(`UPDATE deltas SET before = NULL, after = NULL, reason = '' WHERE `+t.dialect.RowsOf("deltas", "record_id")+
		" AND (before IS NOT NULL OR after IS NOT NULL OR reason <> '')", set)
}

// purged blanks the deltas of records that are gone and leaves a line for each.
func (t *Tx) purged(ids []lukasa.ID, node func(lukasa.ID) lukasa.ID) error {
	if t.silent || len(ids) == 0 {
		return nil
	}
	if err := t.blank(sqlrows.Set(ids)); err != nil {
		return err
	}
	for _, id := range ids {
		if err := t.record("", store.OpPurge, id, node(id), nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// told is the condition for deltas that the scope may read: those made in its subtree, of records that have not left it.
func (s *Session) told() string {
	cond := s.within("h", "deltas")
	if s.sc.Root == "" {
		return cond
	}
	for _, table := range []string{"documents", "memories", "messages", "conversations", "nodes"} {
		cond += " AND NOT EXISTS (SELECT 1 FROM " + table + " o WHERE o.owner_id = ?1 AND o.id = h.record_id AND NOT (" + s.within("o", table) + "))"
	}
	// Where it came from, a record that was moved says too.
	cond += " AND (coalesce(h.before ->> '$.node_id', h.node_id) = h.node_id OR EXISTS (SELECT 1 FROM nodes b WHERE b.id = h.before ->> '$.node_id' AND " + s.within("b", "nodes") + "))"
	// So does a container that was moved, by its path.
	cond += " AND (substr(h.record_id, 1, 5) <> 'node_' OR h.before IS NULL OR h.before ->> '$.path' = coalesce(h.after ->> '$.path', h.before ->> '$.path')" +
		" OR h.before ->> '$.path' = ?2 OR (h.before ->> '$.path' > ?2 || '.' AND h.before ->> '$.path' < ?2 || '/'))"
	return cond
}

// deltaSeen is a delta as the scope may read it: of a container, without what it hangs on, which need not be seen.
func (s *Session) deltaSeen(r sqlrows.Row) lukasa.Delta {
	d := store.ScanDelta(r)
	if s.sc.Root == "" || d.Record.Prefix() != lukasa.PrefixNode {
		return d
	}
	for _, part := range []*json.RawMessage{&d.Before, &d.After} {
		var state map[string]json.RawMessage
		if json.Unmarshal(*part, &state) != nil || state["parent_id"] == nil {
			continue
		}
		delete(state, "parent_id")
		if b, err := json.Marshal(state); err == nil {
			*part = b
		}
	}
	return d
}

// History implements [store.HistoryReader].
func (s *Session) History(record lukasa.ID, p lukasa.Page) (list lukasa.Listing[lukasa.Delta], err error) {
	c := where(s.told())
	if record != "" {
		c.Add("h.record_id = ??", record)
	}
	ids, next, total, err := s.page('h', "deltas h", "h.seq", "h.id", c, true, p)
	if err != nil {
		return list, err
	}
	list = lukasa.Listing[lukasa.Delta]{Items: make([]lukasa.Delta, 0, len(ids)), Next: next, Total: total}
	err = sqlrows.Into(&s.Session, &list.Items, s.deltaSeen, "SELECT "+store.DeltaColumns+" FROM json_each(?5) j CROSS JOIN deltas h ON h.owner_id = ?1 AND h.id = j.value ORDER BY j.key", sqlrows.Set(ids))
	return list, err
}

// Delta implements [store.HistoryReader].
func (s *Session) Delta(id lukasa.ID) (lukasa.Delta, error) {
	return found(s, "delta", id, s.deltaSeen, "SELECT "+store.DeltaColumns+" FROM deltas h WHERE h.id = ?5 AND "+s.told(), id)
}

// checkChains looks at the chains of all owners.
func (s *Session) checkChains(found *[]string) error {
	var v store.Verifier
	return s.Each(func(r sqlrows.Row) error {
		*found = append(*found, v.Next(r.Text(11), store.ScanDelta(r), r.Bytes(12))...)
		return nil
	}, "SELECT "+store.DeltaColumns+", h.owner_id, h.digests FROM deltas h ORDER BY h.owner_id, h.seq")
}
