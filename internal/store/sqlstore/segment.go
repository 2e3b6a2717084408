package sqlstore

import (
	"cmp"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// segmentSeen is the condition for segments g that the scope sees: those whose document it sees.
func (s *Session) segmentSeen() string {
	return "g.owner_id = ?1 AND EXISTS (SELECT 1 FROM documents d WHERE d.id = g.document_id AND " + s.visible("d", "documents") + ")"
}

// Segment implements [store.SegmentReader].
func (s *Session) Segment(document lukasa.ID) (lukasa.Segment, error) {
	return found(s, "segment", document, store.ScanSegment[sqlrows.Row], "SELECT "+store.SegmentColumns+" FROM segments g WHERE g.document_id = ?5 AND "+s.segmentSeen(), document)
}

// Segments implements [store.SegmentReader].
func (s *Session) Segments(f store.SegmentFilter, p lukasa.Page) (list lukasa.Listing[lukasa.Segment], err error) {
	key, ok := map[string]string{"": "g.begun_at", "created": "g.begun_at", "updated": "g.updated_at", "topic": "g.topic_fold", "tokens": store.SegmentTokens}[f.Sort]
	if !ok {
		return list, lukasa.Invalid("sort", "is %q, must be created, updated, topic or tokens", f.Sort)
	}
	c := where(s.segmentSeen())
	if len(f.Containers) > 0 {
		nodes, err := s.patternNodes(f.Containers)
		if err != nil {
			return list, err
		}
		c.Add("EXISTS (SELECT 1 FROM documents o WHERE o.owner_id = ?1 AND o.id = g.document_id AND o.node_id IN (SELECT value FROM json_each(??)))", sqlrows.Set(nodes))
	}
	if f.Conversation != "" {
		c.Add("g.conversation_id = ??", f.Conversation)
	}
	if len(f.States) > 0 {
		c.Add("g.state IN (SELECT value FROM json_each(??))", sqlrows.Set(f.States))
	}
	if f.Topic != "" {
		c.Add("(instr(g.topic_fold, ??) > 0 OR instr(g.folder_fold, ??) > 0)", strings.ToLower(f.Topic))
	}
	ids, next, total, err := s.page('g', "segments g", key, "g.document_id", c, !f.Oldest, p)
	if err != nil {
		return list, err
	}
	list = lukasa.Listing[lukasa.Segment]{Items: make([]lukasa.Segment, 0, len(ids)), Next: next, Total: total}
	err = sqlrows.Into(&s.Session, &list.Items, store.ScanSegment[sqlrows.Row], "SELECT "+store.SegmentColumns+" FROM json_each(?5) j CROSS JOIN segments g ON g.owner_id = ?1 AND g.document_id = j.value ORDER BY j.key", sqlrows.Set(ids))
	return list, err
}

// FolderTaken implements [store.SegmentReader]. What stands outside the scope or in the trash counts too.
func (s *Session) FolderTaken(name string) (bool, error) {
	return s.Has("SELECT 1 FROM segments WHERE owner_id = ?1 AND folder = ?5 AND folder <> ''", name)
}

// segmentOf returns the segment of a document wherever it stands, nil if there is none.
func (t *Tx) segmentOf(document lukasa.ID) (g *lukasa.Segment, err error) {
	_, err = t.One(func(r sqlrows.Row) { g = new(store.ScanSegment(r)) }, "SELECT "+store.SegmentColumns+" FROM segments g WHERE g.owner_id = ?1 AND g.document_id = ?5", document)
	return g, err
}

// PutSegment implements [store.SegmentWriter]. What changes beyond its counts is told by a delta of its document.
func (t *Tx) PutSegment(g lukasa.Segment) error {
	if err := t.present(g.Document); err != nil {
		return err
	}
	if _, err := t.Conversation(g.Conversation); err != nil {
		return err
	}
	taken, err := t.Has("SELECT 1 FROM segments WHERE owner_id = ?1 AND folder = ?5 AND folder <> '' AND document_id <> ?6", g.Folder, g.Document)
	if err != nil {
		return err
	}
	if taken {
		return lukasa.Errorf(lukasa.CodeConflict, "another segment has the folder name %q", g.Folder)
	}
	if err := t.markSegment(g.Document, g.Conversation); err != nil {
		return err
	}
	old, _, err := t.standing(g.Document)
	if err != nil {
		return err
	}
	t.Note(old.Node, "", "", false)
	g.State = cmp.Or(g.State, lukasa.SegmentOpen)
	begun := t.orNow(time.Time{})
	if g.StartedAt != nil {
		begun = *g.StartedAt
	}
	if err := t.Do(`INSERT INTO segments (owner_id, document_id, conversation_id, previous_id, state, reason, detail, topic, topic_fold, folder, folder_fold, tokens,
 message_count, first_seq, last_seq, started_at, finalized_at, begun_at, updated_at, known_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?22)
ON CONFLICT (owner_id, document_id) DO UPDATE SET conversation_id = excluded.conversation_id, previous_id = excluded.previous_id, state = excluded.state,
 reason = excluded.reason, detail = excluded.detail, topic = excluded.topic, topic_fold = excluded.topic_fold, folder = excluded.folder,
 folder_fold = excluded.folder_fold, tokens = excluded.tokens, message_count = excluded.message_count, first_seq = excluded.first_seq, last_seq = excluded.last_seq,
 started_at = excluded.started_at, finalized_at = excluded.finalized_at,
 begun_at = CASE WHEN excluded.started_at IS NULL THEN segments.begun_at ELSE excluded.begun_at END, updated_at = excluded.updated_at`,
		g.Document, g.Conversation, g.Previous, g.State, g.Trigger, g.Detail, g.Topic, strings.ToLower(g.Topic), g.Folder, strings.ToLower(g.Folder), g.Tokens,
		g.Messages, g.First, g.Last, g.StartedAt, g.FinalizedAt, begun, t.now()); err != nil || old.Segment == nil {
		return err
	}
	return t.segmentAltered(old)
}

// segmentAltered records a change of a segment.
func (t *Tx) segmentAltered(old *standing) error {
	now, _, err := t.standing(old.ID)
	if err != nil || store.SameDocument(old.DocumentState, now.DocumentState) {
		return err
	}
	if err := t.altered(old, old.ID); err != nil {
		return err
	}
	return t.Do("UPDATE segments SET changed_at = (SELECT changed_at FROM documents WHERE owner_id = ?1 AND id = ?5) WHERE owner_id = ?1 AND document_id = ?5", old.ID)
}

// unlinkSegments takes documents out of the chains of their conversations' segments.
func (t *Tx) unlinkSegments(set string) error {
	var next [][2]lukasa.ID
	previous := make(map[lukasa.ID]lukasa.ID)
	err := t.Each(func(r sqlrows.Row) error {
		previous[scanID(r)] = lukasa.ID(r.Text(1))
		if n := lukasa.ID(r.Text(2)); n != "" {
			next = append(next, [2]lukasa.ID{n, scanID(r)})
		}
		return nil
	}, `SELECT g.document_id, g.previous_id, n.document_id FROM json_each(?5) j CROSS JOIN segments g ON g.owner_id = ?1 AND g.document_id = j.value
LEFT JOIN segments n ON n.owner_id = ?1 AND n.conversation_id = g.conversation_id AND n.previous_id = g.document_id`, set)
	for _, n := range next {
		if _, goes := previous[n[0]]; goes || err != nil {
			continue
		}
		var old *standing
		if old, _, err = t.standing(n[0]); err != nil {
			return err
		}
		if err = t.Do("UPDATE segments SET previous_id = ?6 WHERE owner_id = ?1 AND document_id = ?5", n[0], chain{previous: previous}.before(n[1])); err == nil && !old.buried {
			err = t.segmentAltered(old)
		}
	}
	return err
}
