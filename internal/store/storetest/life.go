package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// life is a random history of one owner, with what a reader saw at some of its moments.
type life struct {
	w    *world
	t    *testing.T
	sc   lukasa.Scope
	rng  *rand.Rand
	step int

	nodes    []lukasa.ID
	docs     []lukasa.ID // in use, and not buried
	memories []lukasa.ID
	talks    []lukasa.Conversation
	messages []lukasa.Message
	entities []lukasa.ID
	buried   []lukasa.ID
	purged   map[lukasa.ID]bool
	scarred  map[lukasa.ID]bool // memories that have lost a source, conversations a segment, segments a message
	talkOf   map[lukasa.ID]lukasa.ID
	seen     []Sight
}

// Sight is everything that a reader sees.
type Sight struct {
	At            time.Time
	Nodes         []lukasa.Node
	Documents     []lukasa.Document
	Memories      []lukasa.Memory
	Conversations []lukasa.Conversation
	Messages      []lukasa.Message
	Segments      []lukasa.Segment
	Edges         []lukasa.Edge
	Entities      []lukasa.Entity
	Chunks        []lukasa.Chunk
	Entries       []lukasa.Entry // the newest, which are all
	Indexed       map[lukasa.ID]lukasa.Entry
	Deltas        int
}

// Look reads all that a reader of a small store shows. Edges and entities are asked for by the ids of nodes and entities.
func Look(t *testing.T, r store.Reader, nodes, entities []lukasa.ID, at time.Time) Sight {
	r = Lean(t, r)
	s := Sight{At: at, Nodes: must[[]lukasa.Node](t)(r.Nodes(nil, true))}
	p := lukasa.Page{Limit: 100}
	for _, d := range must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{AllVersions: true, Conversation: true}, p)).Items {
		whole := must[lukasa.Document](t)(r.Document(d.ID))
		d.Content = whole.Content
		same(t, d, whole)
		s.Documents = append(s.Documents, whole)
		s.Chunks = append(s.Chunks, must[[]lukasa.Chunk](t)(r.Chunks(d.ID))...)
	}
	same(t, s.Chunks, must[[]lukasa.Chunk](t)(r.ChunksByID(idsOf(s.Chunks, chunkID))))
	same(t, len(s.Documents), len(must[[]lukasa.Document](t)(r.DocumentsByID(idsOf(s.Documents, docID)))))
	s.Entries = must[[]lukasa.Entry](t)(r.Newest(nil, nil, nil, 1000))
	s.Memories = must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{}, p)).Items
	for _, state := range []string{lukasa.MemoryQuarantined} {
		s.Memories = append(s.Memories, must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{State: &state}, p)).Items...)
	}
	s.Conversations = must[lukasa.Listing[lukasa.Conversation]](t)(r.Conversations(nil, p)).Items
	for _, n := range s.Nodes {
		documents, memories := 0, 0
		for _, d := range s.Documents {
			if d.Node == n.ID && d.IsLatest && d.ContentType != "conversation" {
				documents++
			}
		}
		for _, m := range s.Memories {
			if m.Node == n.ID && m.IsLatest && m.State != lukasa.MemoryQuarantined {
				memories++
			}
		}
		same(t, [2]int{documents, memories}, [2]int{n.Documents, n.Memories})
	}
	for _, c := range s.Conversations {
		s.Messages = append(s.Messages, must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, p)).Items...)
	}
	for _, sort := range []string{"created", "updated", "topic", "tokens"} {
		s.Segments = must[lukasa.Listing[lukasa.Segment]](t)(r.Segments(store.SegmentFilter{Sort: sort}, p)).Items
	}
	slices.SortFunc(s.Segments, func(a, b lukasa.Segment) int { return strings.Compare(string(a.Document), string(b.Document)) })
	all := slices.Concat(nodes, idsOf(s.Documents, docID), idsOf(s.Memories, memID), idsOf(s.Messages, msgID), idsOf(s.Conversations, convID), entities)
	s.Edges = must[[]lukasa.Edge](t)(r.Edges(all, nil, 1000))
	s.Entities = must[[]lukasa.Entity](t)(r.EntitiesByID(entities))
	checkLight(t, r, s, all, entities)
	s.Deltas = must[lukasa.Listing[lukasa.Delta]](t)(r.History("", p)).Total
	checkSuperseded(t, r, s)
	return s
}

// less takes what has been purged since, and what is always today's, out of a Sight.
func (l *life) less(s Sight) Sight {
	s.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n lukasa.Node) bool { return l.purged[n.ID] })
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Documents, n.Memories, n.Version = 0, 0, 0
		for _, d := range s.Documents {
			if d.Node == n.ID && d.IsLatest && !l.purged[d.ID] {
				n.Documents++
			}
		}
	}
	gone := func(ids ...lukasa.ID) bool {
		return slices.ContainsFunc(ids, func(id lukasa.ID) bool { return l.purged[id] })
	}
	s.Documents = slices.DeleteFunc(slices.Clone(s.Documents), func(d lukasa.Document) bool { return gone(d.ID) })
	for i := range s.Documents {
		d := &s.Documents[i]
		d.Status, d.Reason, d.Chunks, d.Embedded, d.LastAccessedAt, d.Accesses = "", "", 0, 0, nil, 0
	}
	s.Memories = slices.DeleteFunc(slices.Clone(s.Memories), func(m lukasa.Memory) bool { return gone(m.ID) || l.scarred[m.ID] })
	s.Messages = slices.DeleteFunc(slices.Clone(s.Messages), func(m lukasa.Message) bool { return gone(m.ID, m.Document) })
	s.Edges = slices.DeleteFunc(slices.Clone(s.Edges), func(e lukasa.Edge) bool { return gone(lukasa.ID(e.From), lukasa.ID(e.To)) })
	s.Segments = slices.DeleteFunc(slices.Clone(s.Segments), func(g lukasa.Segment) bool { return gone(g.Document) })
	for i := range s.Segments {
		if g := &s.Segments[i]; l.scarred[g.Document] {
			g.Tokens, g.Messages, g.First, g.Last = 0, 0, 0, 0
		}
	}
	s.Conversations = slices.Clone(s.Conversations)
	for i := range s.Conversations {
		c := &s.Conversations[i]
		c.UpdatedAt, c.Messages, c.Tokens = time.Time{}, 0, 0
		if l.scarred[c.ID] {
			c.Document = ""
		}
		for _, m := range s.Messages {
			if m.Conversation == c.ID {
				c.Messages++
			}
		}
	}
	s.Entities = slices.Clone(s.Entities)
	for i := range s.Entities {
		e := &s.Entities[i]
		e.Mentions = 0
		for _, x := range s.Edges {
			if x.Type == lukasa.EdgeMentions && x.To == string(e.ID) {
				e.Mentions++
			}
		}
	}
	s.Entities = slices.DeleteFunc(s.Entities, func(e lukasa.Entity) bool { return e.Mentions == 0 })
	s.Edges = slices.DeleteFunc(s.Edges, func(e lukasa.Edge) bool { // between entities of which only purged records spoke
		return slices.ContainsFunc([]string{e.From, e.To}, func(end string) bool {
			return lukasa.ID(end).Prefix() == lukasa.PrefixEntity && !slices.ContainsFunc(s.Entities, func(x lukasa.Entity) bool { return string(x.ID) == end })
		})
	})
	s.Chunks = slices.DeleteFunc(slices.Clone(s.Chunks), func(c lukasa.Chunk) bool { return gone(c.Document, c.Message) })
	s.Entries = slices.DeleteFunc(slices.Clone(s.Entries), func(e lukasa.Entry) bool { return gone(e.ID, e.Document, e.Message) || l.scarred[e.ID] })
	for i := range s.Entries {
		s.Entries[i].Status = ""
	}
	s.Deltas, s.Indexed = 0, nil
	return s
}

func (l *life) pick(from []lukasa.ID) lukasa.ID {
	if len(from) == 0 {
		return ""
	}
	return from[l.rng.IntN(len(from))]
}

func (l *life) forget(id lukasa.ID) {
	drop := func(x lukasa.ID) bool { return x == id }
	l.docs, l.memories, l.buried = slices.DeleteFunc(l.docs, drop), slices.DeleteFunc(l.memories, drop), slices.DeleteFunc(l.buried, drop)
}

// live does one thing at random.
func (l *life) live(tx store.Tx) error {
	l.step++
	at := l.w.tick()
	word := fmt.Sprintf("word%d", l.step)
	k := l.rng.IntN(22)
	if len(l.nodes) > 0 && len(l.docs) > 0 && k >= 13 {
		return l.change(tx, k, word)
	}
	switch {
	case k == 0 || len(l.nodes) == 0:
		n := lukasa.Node{ID: l.w.id(lukasa.PrefixNode), Path: lukasa.Path(fmt.Sprintf("place%d", l.step)), Type: lukasa.NodeTopic, Description: word, CreatedAt: at, UpdatedAt: at}
		if len(l.nodes) == 0 {
			n.Path = ""
		}
		l.nodes = append(l.nodes, n.ID)
		return tx.PutNode(n)
	case k == 1:
		n, err := tx.Node(l.pick(l.nodes))
		if err != nil {
			return err
		}
		n.Summary, n.Keywords.Topics, n.UpdatedAt = word, []string{word, "Ünïcode"}, at
		return tx.PutNode(n)
	case k <= 4 || len(l.docs) == 0:
		d := l.w.doc(l.pick(l.nodes), word)
		d.CreatedAt = at.Add(-time.Duration(l.rng.IntN(3)) * time.Hour) // an import may be older than the store
		d.OccurredAt, d.Keywords.Entities = new(at.Add(-time.Minute)), []string{word}
		if prev, err := tx.Document(l.pick(l.docs)); err == nil && prev.IsLatest && k == 4 {
			d.Previous, d.Version = prev.ID, prev.Version+1
		}
		l.docs = append(l.docs, d.ID)
		if l.rng.IntN(2) == 0 {
			return tx.AddDocument(store.Whole{Document: d, Chunks: l.w.chunks(d, 2), Summary: k == 3})
		}
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		return tx.ReplaceChunks(d.ID, l.w.chunks(d, 2))
	case k <= 6:
		d, err := tx.Document(l.pick(l.docs))
		if err != nil {
			return ignoreAbsent(err)
		}
		d.Title, d.Tags, d.Metadata, d.UpdatedAt = "TITLE "+word, []string{word}, map[string]any{"n": float64(l.step), "s": "é\"'"}, at
		if k == 5 {
			d.ForgetAfter, d.OccurredAt, d.Summary = new(at.Add(time.Hour).Add(1500*time.Microsecond)), nil, word
		}
		if l.rng.IntN(4) > 0 || d.ContentType == "conversation" {
			return tx.PutDocument(d)
		}
		return l.rewrite(tx, d, word)
	case k <= 8:
		m := l.w.memory(l.pick(l.nodes), word)
		for range l.rng.IntN(3) {
			if len(l.messages) > 0 && l.rng.IntN(3) == 0 {
				m.Sources = append(m.Sources, lukasa.Source{Message: l.messages[l.rng.IntN(len(l.messages))].ID, Quote: word})
				continue
			}
			m.Sources = append(m.Sources, lukasa.Source{Document: l.pick(l.docs), Start: 1, End: 2 + l.step, Quote: word})
		}
		m.Key, m.Slot = "key"+word, "lives_in"
		if l.rng.IntN(5) == 0 {
			m.State = lukasa.MemoryQuarantined
		}
		l.memories = append(l.memories, m.ID)
		return tx.PutMemory(m)
	case k <= 10 && len(l.memories) > 0:
		m, err := tx.Memory(l.pick(l.memories))
		if err != nil {
			return ignoreAbsent(err)
		}
		m.Content, m.Confidence, m.Tags, m.UpdatedAt = word, float64(l.step)/1000, []string{word}, at
		m.ValidFrom = new(at)
		if k == 10 {
			m.IsLatest, m.RetiredAt, m.RetiredBy, m.Reason, m.ValidTo = false, new(at), l.pick(l.memories), word, new(at.Add(777*time.Microsecond))
			if m.RetiredBy == m.ID {
				m.RetiredBy = ""
			}
		}
		if len(m.Sources) > 0 && l.rng.IntN(2) == 0 {
			m.Sources = append(m.Sources, lukasa.Source{Document: l.pick(l.docs), Quote: "more"})
		}
		return tx.PutMemory(m)
	case k <= 12:
		return l.talk(tx, at)
	}
	return nil
}

// rewrite replaces the text of a document and its chunks; one of them may stay as it is, and one may say something else under its id.
func (l *life) rewrite(tx store.Tx, d lukasa.Document, word string) error {
	d.Content, d.ContentHash = "other text "+word, word
	if err := tx.PutDocument(d); err != nil {
		return err
	}
	there, err := tx.Chunks(d.ID)
	if err != nil {
		return err
	}
	chunks := append(l.w.chunks(d, 1), there[:min(len(there), l.rng.IntN(3))]...)
	if n := len(chunks); n > 2 {
		chunks[n-1].Content = word
	}
	if err := tx.ReplaceChunks(d.ID, chunks); err != nil {
		return err
	}
	return tx.SummaryEntry(d.ID, true)
}

// change changes, links, buries or purges something that is there.
func (l *life) change(tx store.Tx, k int, word string) error {
	switch {
	case k == 13 && len(l.messages) > 0:
		m := l.messages[l.rng.IntN(len(l.messages))]
		if there, err := tx.MessagesByID([]lukasa.ID{m.ID}); err != nil || len(there) == 0 {
			return err
		}
		m.Content, m.Speaker, m.Metadata = "instead "+word, word, map[string]any{"x": word}
		return tx.PutMessages([]lukasa.Message{m}, []lukasa.Chunk{{ID: l.w.id(lukasa.PrefixChunk), Message: m.ID, End: len(m.Content), Content: m.Content}})
	case k <= 15:
		return l.link(tx, word)
	case k == 16 && len(l.docs) > 0:
		return ignoreAbsent(tx.DeleteEdges(l.pick(l.docs)))
	case k == 17:
		id := l.pick(slices.Concat(l.docs, l.memories, idsOf(l.talks, convID)))
		err := tx.Bury(id)
		if err == nil {
			l.buried = append(l.buried, id)
		}
		return ignoreAbsent(err)
	case k == 18 && len(l.buried) > 0:
		id := l.pick(l.buried)
		l.buried = slices.DeleteFunc(l.buried, func(x lukasa.ID) bool { return x == id })
		if err := tx.Unbury(id); lukasa.CodeOf(err) != lukasa.CodeConflict {
			return ignoreAbsent(err)
		}
		return nil
	case k == 19 && len(l.memories)+len(l.docs) > 4:
		return l.purge(tx, l.pick(slices.Concat(l.docs, l.memories)))
	case k == 20 && len(l.messages) > 0:
		return l.purge(tx, l.messages[l.rng.IntN(len(l.messages))].ID)
	case k == 21 && len(l.nodes) > 3:
		return l.purge(tx, l.nodes[1+l.rng.IntN(len(l.nodes)-1)])
	}
	return nil
}

func ignoreAbsent(err error) error {
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil
	}
	return err
}

func (l *life) purge(tx store.Tx, id lukasa.ID) error {
	var doomed []lukasa.ID
	for _, m := range l.messages {
		if m.Document == id {
			doomed = append(doomed, m.ID)
		}
	}
	told := make(map[lukasa.ID]string) // what the deltas of memories say
	for _, m := range l.memories {
		deltas, err := tx.History(m, lukasa.Page{Limit: 100})
		if err != nil {
			return err
		}
		for _, d := range deltas.Items {
			told[m] += string(d.Before) + string(d.After)
		}
	}
	var gone lukasa.Removal
	var err error
	switch id.Prefix() {
	case lukasa.PrefixMessage:
		gone.IDs = []lukasa.ID{id}
		err = tx.DeleteMessage(id)
		for _, m := range l.messages {
			l.scarred[m.Document] = l.scarred[m.Document] || m.ID == id
		}
	case lukasa.PrefixNode:
		gone, err = l.deleteNode(tx, id)
		l.nodes = slices.DeleteFunc(l.nodes, func(x lukasa.ID) bool { return x == id })
	default:
		gone, _, err = tx.Purge(id)
	}
	if err != nil {
		return ignoreAbsent(err)
	}
	if id.Prefix() == lukasa.PrefixMessage { // memories that had no other source went with it
		for m := range told {
			if there, err := tx.MemoriesByID([]lukasa.ID{m}); err == nil && len(there) == 0 {
				if list, err := tx.History(m, lukasa.Page{Limit: 1}); err == nil && list.Total > 0 && list.Items[0].Op == store.OpPurge && !inTrash(tx, m) {
					gone.IDs = append(gone.IDs, m)
				}
			}
		}
	}
	for _, x := range append(gone.IDs, doomed...) {
		l.purged[x] = true
		l.forget(x)
		for m, text := range told { // those that had it for a source or successor
			l.scarred[m] = l.scarred[m] || strings.Contains(text, `"`+string(x)+`"`)
		}
	}
	l.messages = slices.DeleteFunc(l.messages, func(m lukasa.Message) bool { return l.purged[m.ID] })
	if id.Prefix() == lukasa.PrefixDocument {
		l.scarred[l.talkOf[id]] = true
	}
	return nil
}

// inTrash reports whether a memory lies in the trash, by itself or with others: only then it can be taken out, or says with what it went.
func inTrash(tx store.Tx, m lukasa.ID) bool {
	list, err := tx.Buried(lukasa.Page{Limit: 100})
	if err != nil || slices.ContainsFunc(list.Items, func(b store.Buried) bool { return b.Record == m }) {
		return true
	}
	return lukasa.CodeOf(tx.Unbury(m)) == lukasa.CodeConflict // it went with another
}

// talk adds messages to a conversation, which is made if need be, and closes a segment now and then.
func (l *life) talk(tx store.Tx, at time.Time) error {
	if err := l.rename(tx, at); err != nil {
		return err
	}
	var c lukasa.Conversation
	var err error
	if len(l.talks) > 0 && l.rng.IntN(4) > 0 {
		c, err = tx.Conversation(l.talks[l.rng.IntN(len(l.talks))].ID)
		if err != nil {
			return ignoreAbsent(err)
		}
	} else {
		c = lukasa.Conversation{ID: l.w.id(lukasa.PrefixConversation), Node: l.nodes[0], ExternalID: fmt.Sprint("talk", l.step), CreatedAt: at, UpdatedAt: at}
		l.talks = append(l.talks, c)
	}
	if c.Document != "" && l.rng.IntN(3) == 0 {
		g, err := tx.Segment(c.Document)
		if err != nil {
			return err
		}
		g.State, g.Trigger, g.Topic, g.Folder, g.FinalizedAt = lukasa.SegmentFinalized, "end", fmt.Sprint("Topic ", l.step), fmt.Sprint("folder", l.step), new(at)
		c.Document = ""
		if err := tx.PutSegment(g); err != nil {
			return err
		}
	}
	if c.Document == "" {
		d := l.w.doc(l.nodes[0], "")
		d.ContentType = "conversation"
		c.Document = d.ID
		l.docs, l.talkOf[d.ID] = append(l.docs, d.ID), c.ID
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		if err := tx.PutConversation(c); err != nil {
			return err
		}
		if err := tx.PutSegment(lukasa.Segment{Document: d.ID, Conversation: c.ID, State: lukasa.SegmentOpen, StartedAt: new(at)}); err != nil {
			return err
		}
	}
	ms, cs := l.w.turns(c, 1+l.rng.IntN(2))
	for i := range ms {
		ms[i].Tokens = l.step
	}
	if err := tx.PutMessages(ms, cs); err != nil {
		return err
	}
	g, err := tx.Segment(c.Document)
	if err != nil {
		return err
	}
	g.Tokens, g.Messages, g.First, g.Last = 0, 0, 0, 0
	err = tx.MessagesIn(c.Document, 0, func(m lukasa.Message) bool {
		if g.Messages == 0 {
			g.First = m.Seq
		}
		g.Tokens, g.Messages, g.Last = g.Tokens+m.Tokens, g.Messages+1, m.Seq
		return true
	})
	if err != nil {
		return err
	}
	written, err := tx.MessagesByID(idsOf(ms, msgID))
	if err != nil {
		return err
	}
	l.messages = append(l.messages, written...)
	return tx.PutSegment(g)
}

// rename calls a conversation something else, and wants it for another time.
func (l *life) rename(tx store.Tx, at time.Time) error {
	if len(l.talks) == 0 {
		return nil
	}
	c, err := tx.Conversation(l.talks[l.rng.IntN(len(l.talks))].ID)
	if err != nil {
		return ignoreAbsent(err)
	}
	c.Title, c.Tags, c.Metadata = fmt.Sprint("Title ", l.step), []string{fmt.Sprint("tag", l.step)}, map[string]any{"step": float64(l.step)}
	c.ForgetAfter = new(at.Add(time.Duration(l.step)*time.Hour + 1500*time.Microsecond))
	return tx.PutConversation(c)
}

func (l *life) link(tx store.Tx, word string) error {
	if len(l.entities) == 0 || l.rng.IntN(4) == 0 {
		e := lukasa.Entity{ID: l.w.id(lukasa.PrefixEntity), Kind: "person", Name: "Person " + word, Aliases: []string{"P" + word}}
		if err := tx.PutEntity(e); err != nil {
			return err
		}
		l.entities = append(l.entities, e.ID)
	}
	from := l.pick(slices.Concat(l.docs, l.memories, l.nodes, idsOf(l.messages, msgID)))
	edges := []lukasa.Edge{
		{From: string(from), To: string(l.pick(l.entities)), Type: lukasa.EdgeMentions, Weight: float64(l.rng.IntN(3)), Confidence: 0.5},
		{From: string(from), To: string(l.pick(l.docs)), Type: lukasa.EdgeRelatesTo, Weight: float64(l.rng.IntN(3)), Metadata: map[string]any{"w": float64(l.rng.IntN(2))}},
		{From: string(l.pick(l.entities)), To: string(l.pick(l.entities)), Type: lukasa.EdgeRelatesTo, Weight: 1},
	}
	for _, e := range edges {
		if err := ignoreAbsent(tx.PutEdges([]lukasa.Edge{e})); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) watch(at time.Time) {
	l.embed()
	l.w.ok(l.w.View(l.w.ctx(), l.sc, func(r store.Reader) error {
		l.seen = append(l.seen, Look(l.t, r, l.nodes, l.entities, at))
		return nil
	}))
	l.seen[len(l.seen)-1].Indexed = l.indexed()
}

const lifeSpace = "life"

// meaning is the vector of a text.
func meaning(e *lukasa.Entry) []float32 {
	v := []float32{1, 2, 3}
	for i, b := range []byte(e.Text) {
		v[i%3] += float32(int(b) * (i + 1))
	}
	if e.Type == lukasa.EntryDocument {
		v[0] += float32(len(e.Title))
	}
	return v
}

// embed gives all entries their vectors.
func (l *life) embed() {
	l.w.ok(l.w.Update(l.w.ctx(), l.sc, func(tx store.Tx) error {
		for _, id := range slices.Concat(l.docs, l.memories) {
			list, err := tx.Pending(id, lifeSpace, 100)
			if ignoreAbsent(err) != nil {
				return err
			}
			vectors := make([]store.Vector, len(list))
			for i := range list {
				vectors[i] = store.Vector{Entry: list[i].ID, Type: list[i].Type, Vector: meaning(&list[i])}
			}
			if err := tx.PutVectors(lifeSpace, vectors); err != nil {
				return err
			}
		}
		return nil
	}))
}

// indexed is all that an index would hold.
func (l *life) indexed() map[lukasa.ID]lukasa.Entry {
	all := map[lukasa.ID]lukasa.Entry{}
	for _, n := range l.nodes {
		l.w.ok(l.w.Partition(l.w.ctx(), lifeSpace, l.sc.Owner, n, func(e lukasa.Entry) bool {
			all[e.ID] = e
			return true
		}))
	}
	return all
}

// compareIndexed holds what an index has today, with what has changed since, against what it had then.
func (l *life) compareIndexed(r store.Reader, want Sight) {
	l.t.Helper()
	got, told := l.indexed(), map[lukasa.ID]bool{}
	l.w.ok(r.Since(l.nodes, lifeSpace, func(id lukasa.ID, was *lukasa.Entry) bool {
		if told[id] {
			l.t.Fatalf("%s is told twice", id)
		}
		told[id] = true
		if e, now := got[id]; now && was == nil && e.Type == lukasa.EntryMemory && e.CreatedAt.After(want.At) {
			l.t.Fatalf("%s is told, though its time says that it came later", id)
		}
		delete(got, id)
		if was != nil {
			got[id] = *was
		}
		return true
	}))
	there := map[lukasa.ID]bool{}
	for _, d := range want.Documents {
		there[d.ID] = true
	}
	for _, m := range want.Memories {
		there[m.ID] = true
	}
	less := func(all map[lukasa.ID]lukasa.Entry) map[lukasa.ID]lukasa.Entry {
		out := map[lukasa.ID]lukasa.Entry{}
		for id, e := range all {
			switch {
			case l.purged[id] || l.purged[e.Document] || l.purged[e.Message] || l.scarred[id]:
			case e.CreatedAt.After(want.At) || !there[cmp.Or(e.Document, id)]: // it came later, maybe under an earlier date
			default:
				if e.Vector != nil && told[id] && !slices.Equal(e.Vector, meaning(&e)) {
					l.t.Fatalf("%s has the vector of another text", id)
				}
				e.Vector, e.Status = nil, ""
				out[id] = e
			}
		}
		return out
	}
	if diff := gocmp.Diff(less(want.Indexed), less(got)); diff != "" {
		l.t.Fatalf("indexed then, at step %d (-then +now)\n%s", l.step, diff)
	}
}

func (l *life) compare(want Sight) {
	l.t.Helper()
	l.w.ok(l.w.ViewAt(l.w.ctx(), l.sc, want.At, func(r store.Reader) error {
		got := Look(l.t, r, l.nodes, l.entities, want.At)
		if got.Deltas != want.Deltas {
			l.t.Fatalf("at step %d: %d deltas, want %d", l.step, got.Deltas, want.Deltas)
		}
		if diff := gocmp.Diff(l.less(want), l.less(got), cmpopts.EquateEmpty()); diff != "" {
			l.t.Fatalf("seen from step %d (-then +now)\n%s", l.step, diff)
		}
		l.compareIndexed(r, want)
		return nil
	}))
}

// deleteNode removes a node at once, or what stands in it bit by bit before.
func (l *life) deleteNode(tx store.Tx, id lukasa.ID) (all lukasa.Removal, err error) {
	for did := l.rng.IntN(2) == 0; did && err == nil; {
		var gone lukasa.Removal
		if did, gone, _, err = tx.ClearNode(id, 1+l.rng.IntN(2), func([]lukasa.ID) error { return nil }); did {
			all.IDs = append(all.IDs, gone.IDs...)
		}
	}
	if err != nil {
		return all, err
	}
	gone, _, err := tx.DeleteNode(id)
	all.IDs = append(all.IDs, gone.IDs...)
	return all, err
}
