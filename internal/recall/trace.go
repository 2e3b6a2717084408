package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// trace follows one record through a search, to say at which stage it was dropped. A nil trace follows nothing.
type trace struct {
	record  lukasa.ID
	entries []lukasa.Entry
	chunks  []lukasa.ID // of a message
	node    lukasa.ID
	why     string // it could not be found at all
	stage   string // what dropped it on the way to the hits, where a stage knows
	found   int    // candidates that there were
	is      int    // how many candidates are the record's own
	rank    int    // place of its best group, from 1; 0: it has none
	best    rank.Scored
}

// drop notes which stage passed over a candidate, where that is the record's best. What is said first stays.
func (t *trace) drop(entry lukasa.ID, format string, args ...any) {
	if t != nil && t.stage == "" && t.rank > 0 && t.best.Entry == entry {
		t.stage = fmt.Sprintf(format, args...)
	}
}

// place is where the record's best candidate stands, from 1; 0: nowhere.
func (t *trace) place() int {
	if t == nil {
		return 0
	}
	return t.rank
}

// narrowed notes that a stage of the cascade left the record's document out.
func (t *trace) narrowed(stage, why string, from, to []lukasa.ID) {
	if t == nil || t.stage != "" || len(to) == 0 || len(t.entries) == 0 {
		return
	}
	doc := t.entries[0].Document
	if doc != "" && (from == nil || slices.Contains(from, doc)) && !slices.Contains(to, doc) {
		t.stage = stage + ": " + why
	}
}

// mine reports whether a candidate is the record's: the record itself, a chunk of the document, or of the message.
func (t *trace) mine(entry, document lukasa.ID) bool {
	return entry == t.record || document == t.record || slices.Contains(t.chunks, entry)
}

// candidates notes where the record's entries stand among the candidates and groups.
func (t *trace) candidates(ans index.Answer, groups []rank.Group) {
	if t == nil {
		return
	}
	t.found, t.rank, t.is = len(ans.Candidates), 0, 0
	for i, g := range groups {
		if t.mine(g.Best.Entry, g.Best.Document) {
			t.rank, t.best = i+1, *g.Best
			return
		}
	}
	for _, c := range ans.Candidates {
		if t.mine(c.Entry, c.Document) {
			t.is++
		}
	}
}

// explain says why the expected record is not among the hits.
func (p *Path) explain(s *search) string {
	t := s.trace
	for i, h := range s.result.Hits {
		if shows(h, t.record) {
			return fmt.Sprintf("it is result %d", i+1)
		}
	}
	for i, h := range s.result.Hits {
		if h.Message != nil && h.Document.ID == t.record {
			return fmt.Sprintf("grouping: its messages stand for it, the first of them as result %d", i+1)
		}
	}
	entries, node, why := t.entries, t.node, t.why
	if why != "" {
		return why
	}
	if !slices.Contains(s.nodes, node) {
		return "scope: it stands in a container that this search does not cover"
	}
	if len(s.q.Types) > 0 && !slices.ContainsFunc(entries, func(e lukasa.Entry) bool { return slices.Contains(s.q.Types, e.Type) }) {
		return "types: the search asks for other types than " + string(entries[0].Type)
	}
	if !slices.ContainsFunc(entries, func(e lukasa.Entry) bool { return s.q.Filter.Match(&e) }) {
		return "filters: none of its entries meets them"
	}
	if !s.past && !names(s.q.Filter, "latest") && !slices.ContainsFunc(entries, func(e lukasa.Entry) bool { return e.Latest }) {
		return "latest: a newer version or statement has taken its place; ask with as_of, or with the filter latest"
	}
	switch {
	case t.stage != "":
		return t.stage
	case t.rank > 0:
		return fmt.Sprintf("rank: it stands in place %d with score %.3f, the limit is %d", t.rank, t.best.Score, s.q.Limit)
	case t.is > 0 && s.q.Threshold == 0 && s.q.MinScore == 0:
		return fmt.Sprintf("ranker: it was a candidate, and the ranker %s leaves it out", s.q.Ranker)
	case t.is > 0:
		return fmt.Sprintf("threshold: it was a candidate, and its score or relevance is under what was asked for (threshold %.2f, min_score %.2f)", s.q.Threshold, s.q.MinScore)
	}
	if strings.TrimSpace(s.q.Text) == "" {
		return fmt.Sprintf("rank: at least %d entries are newer, the limit is %d", t.found, s.q.Limit)
	}
	return fmt.Sprintf("candidates: neither its words nor its meaning bring it among the %d entries that were looked at; other words, a container or a filter may", t.found)
}

// shows reports whether a hit is the record, stands for it, or carries it.
func shows(h lukasa.Hit, id lukasa.ID) bool {
	return h.ID == id || h.Document != nil && h.Message == nil && h.Document.ID == id || h.Message != nil && h.Message.Record == id ||
		slices.ContainsFunc(h.Memories, func(m lukasa.Memory) bool { return m.ID == id })
}

// expect reads the entries of the record that the caller misses, or notes that there is none.
func (p *Path) expect(ctx context.Context, s *search) error {
	if s.q.Expect == "" {
		return nil
	}
	t := &trace{record: s.q.Expect}
	s.trace = t
	id := t.record
	err := p.view(ctx, s, func(r store.Reader) error {
		switch id.Prefix() {
		case lukasa.PrefixMemory:
			m, err := r.Memory(id)
			if err != nil {
				return err
			}
			if m.State == lukasa.MemoryQuarantined {
				t.why = "quarantine: " + m.Reason
			}
			if m.State == lukasa.MemoryCandidate {
				t.why = "candidate: " + m.Reason
			}
			if m.State == lukasa.MemoryArchived {
				t.why = "archived: only a filter on status finds it"
			}
			t.node = m.Node
			t.entries = []lukasa.Entry{{
				ID: id, Type: lukasa.EntryMemory, Node: m.Node, Kind: m.Kind, Origin: m.Origin, Confidence: m.Confidence, Latest: m.IsLatest,
				Status: lukasa.StatusDone, Tags: m.Tags, Metadata: m.Metadata, CreatedAt: m.RecordedAt,
			}}
			return nil
		case lukasa.PrefixMessage:
			msgs, err := r.MessagesByID([]lukasa.ID{id})
			if err != nil || len(msgs) == 0 {
				return lukasa.NotFound("message", id)
			}
			return t.read(r, msgs[0].Document, &msgs[0])
		case lukasa.PrefixDocument:
			return t.read(r, id, nil)
		}
		return lukasa.Invalid("expect", "takes the id of a document, message or memory")
	})
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		t.why = "absent: there is no such record in what you may read"
		return nil
	}
	if err == nil && t.why == "" && len(t.entries) == 0 {
		t.why = "indexing: it has no searchable text"
	}
	return err
}

// read lists the entries of a document, or of one of its messages.
func (t *trace) read(r store.Reader, document lukasa.ID, msg *lukasa.Message) error {
	docs, err := r.DocumentsByID([]lukasa.ID{document})
	if err != nil {
		return err
	}
	if len(docs) == 0 {
		return lukasa.NotFound("document", document)
	}
	d := docs[0]
	t.node = d.Node
	chunks, err := r.Chunks(document)
	for _, c := range chunks {
		e := lukasa.Entry{
			ID: c.ID, Type: lukasa.EntryChunk, Node: d.Node, Document: d.ID, ContentType: d.ContentType, Status: d.Status, Origin: d.Origin,
			Latest: d.IsLatest, Tags: d.Tags, Metadata: d.Metadata, CreatedAt: d.CreatedAt,
		}
		if msg != nil {
			if c.Message != msg.ID {
				continue
			}
			e.Type, e.Message, e.Conversation, e.Speaker, e.Role, e.Session = lukasa.EntryMessage, msg.ID, msg.Conversation, msg.Speaker, msg.Role, msg.Session
			e.Metadata, e.CreatedAt = msg.Metadata, msg.CreatedAt
		}
		t.entries = append(t.entries, e)
		if msg != nil {
			t.chunks = append(t.chunks, c.ID)
		}
	}
	return err
}

// maxRelated bounds what hangs on one hit.
const maxRelated = 8

// relate adds to each hit what is one edge away from it.
func (p *Path) relate(ctx context.Context, s *search) error {
	at := p.Now()
	defer func() { s.lap("related", at, p.Now) }()
	return p.view(ctx, s, func(r store.Reader) error {
		for i := range s.result.Hits {
			h := &s.result.Hits[i]
			of := recordsOf(h)
			edges, err := r.Edges(of, nil, maxRelated)
			if err != nil {
				return err
			}
			for _, e := range edges {
				other := lukasa.ID(e.To)
				if slices.Contains(of, other) {
					other = lukasa.ID(e.From)
				}
				if label, ok := p.label(r, s.sc, other); ok {
					h.Related = append(h.Related, lukasa.Related{ID: other, Edge: e.Type, Weight: e.Weight, Label: label})
				}
			}
		}
		return nil
	})
}

// recordsOf are the records that a hit shows.
func recordsOf(h *lukasa.Hit) []lukasa.ID {
	switch {
	case h.Memory != nil:
		return []lukasa.ID{h.Memory.ID}
	case h.Message != nil:
		return []lukasa.ID{h.Message.Record}
	}
	return []lukasa.ID{h.Document.ID}
}

// label names a record for people; what cannot be read has none.
func (p *Path) label(r store.Reader, sc lukasa.Scope, id lukasa.ID) (string, bool) {
	switch id.Prefix() {
	case lukasa.PrefixEntity:
		l, err := r.EntitiesByID([]lukasa.ID{id})
		if err == nil {
			l, err = p.known(r, sc, l)
		}
		if err == nil && len(l) == 1 {
			return l[0].Name, true
		}
	case lukasa.PrefixMemory:
		if m, err := r.Memory(id); err == nil {
			return m.Content, true
		}
	case lukasa.PrefixDocument:
		if l, err := r.DocumentsByID([]lukasa.ID{id}); err == nil && len(l) == 1 {
			return l[0].Title, true
		}
	case lukasa.PrefixMessage:
		if l, err := r.MessagesByID([]lukasa.ID{id}); err == nil && len(l) == 1 {
			return clip(l[0].Content, 120), true
		}
	case lukasa.PrefixNode:
		if n, err := r.Node(id); err == nil {
			return string(n.Path), true
		}
	}
	return "", false
}

// clip shortens s to at most n runes.
func clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
