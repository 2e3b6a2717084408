package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil"
	"github.com/lukasa-memory/lukasa/internal/segment"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// openSegment makes the document that the next messages of a conversation belong to. It has the conversation's title and labels.
func (p *Path) openSegment(tx store.Tx, conv lukasa.Conversation) (lukasa.ID, error) {
	now := p.now()
	d := lukasa.Document{
		ID: p.Mint.ID(lukasa.PrefixDocument), Node: conv.Node, Path: conv.Path, Title: cmp.Or(conv.Title, conv.ExternalID), ContentType: "conversation",
		Category: "conversation", Tags: append([]string{}, conv.Tags...), Metadata: map[string]any{}, Origin: lukasa.OriginUser, Status: lukasa.StatusDone, Version: 1,
		IsLatest: true, CreatedAt: now, UpdatedAt: now,
	}
	if err := tx.PutDocument(d); err != nil {
		return "", err
	}
	return d.ID, tx.PutSegment(lukasa.Segment{Document: d.ID, Conversation: conv.ID, Previous: conv.Document, State: lukasa.SegmentOpen, StartedAt: &now})
}

// goOn opens a segment behind the last one of a conversation that was ended.
func (p *Path) goOn(tx store.Tx, conv *lukasa.Conversation) error {
	last := *conv
	l, err := tx.Segments(store.SegmentFilter{Conversation: conv.ID}, lukasa.Page{Limit: 1, Uncounted: true})
	if err != nil {
		return err
	}
	if len(l.Items) > 0 {
		last.Document = l.Items[0].Document
	}
	if conv.Document, err = p.openSegment(tx, last); err != nil {
		return err
	}
	return tx.PutConversation(*conv)
}

// closer reads what decides when the conversation's open segment closes.
func (p *Path) closer(conv *lukasa.Conversation) (*segment.Closer, error) {
	var st segment.State
	if conv.Closer != "" {
		if err := json.Unmarshal([]byte(conv.Closer), &st); err != nil {
			return nil, fmt.Errorf("read the state of conversation %s: %w", conv.ID, err)
		}
	}
	return segment.NewCloser(p.opt.Segments, st), nil
}

// keepCloser notes its state in the conversation.
func keepCloser(conv *lukasa.Conversation, c *segment.Closer) error {
	b, err := json.Marshal(c.State())
	if err != nil {
		return fmt.Errorf("write the state of conversation %s: %w", conv.ID, err)
	}
	conv.Closer = string(b)
	_, conv.Tokens = c.Open()
	return nil
}

// book writes the messages of one append, and turns to a new segment where the closer says so.
type book struct {
	p       *Path
	tx      store.Tx
	sc      lukasa.Scope
	conv    *lukasa.Conversation
	closer  *segment.Closer
	next    int64 // place of the next message
	touched bool
	msgs    []lukasa.Message
	chunks  []lukasa.Chunk
	vectors []store.Vector
	stale   []lukasa.ID // closed segments that a message was replaced in
}

// openBook begins to write behind what is there. The state of a thread that fits need not be read again.
func (p *Path) openBook(tx store.Tx, sc lukasa.Scope, conv *lukasa.Conversation, th *thread) (*book, error) {
	b := &book{p: p, tx: tx, sc: sc, conv: conv}
	var err error
	if th != nil {
		b.closer = segment.NewCloser(p.opt.Segments, th.state)
	} else if b.closer, err = p.closer(conv); err != nil {
		return nil, err
	}
	if st := b.closer.State(); st.Count > 0 {
		b.next = st.Last + 1
		return b, nil
	}
	err = tx.MessagesIn(conv.Document, 0, func(m lukasa.Message) bool { // of the time before segments
		b.next = m.Seq + 1
		return true
	})
	return b, err
}

// write adds a message whose place and segment are known.
func (b *book) write(m lukasa.Message, d draftMessage) {
	for _, c := range d.chunks {
		c.Message, c.Document, c.Node = m.ID, m.Document, m.Node
		b.chunks = append(b.chunks, c)
	}
	b.msgs, b.vectors = append(b.msgs, m), append(b.vectors, d.vectors...)
}

// log adds a new message behind the others. A boundary before it opens the segment that it stands in; one behind it the next.
func (b *book) log(m lukasa.Message, d draftMessage) (lukasa.Message, error) {
	if b.conv.Document == "" {
		if err := b.p.goOn(b.tx, b.conv); err != nil {
			return m, err
		}
	}
	m.Seq = b.next
	b.next++
	written := false
	put := func() {
		m.Document = b.conv.Document
		b.write(m, d)
		written = true
	}
	for _, at := range b.closer.Add(m) {
		if at.Next > m.Seq {
			put()
		}
		if err := b.flush(); err != nil {
			return m, err
		}
		if err := b.p.cutSegment(b.tx, b.sc, b.conv, at); err != nil {
			return m, err
		}
	}
	if !written {
		put()
	}
	return m, nil
}

// flush writes what was added since the last time.
func (b *book) flush() error {
	if len(b.msgs) == 0 {
		return nil
	}
	b.touched = true
	if err := b.tx.PutMessages(b.msgs, b.chunks); err != nil {
		return err
	}
	if err := b.tx.PutVectors(b.p.Embed.Space().ID, b.vectors); err != nil {
		return err
	}
	var last lukasa.ID
	for _, m := range b.msgs { // one that was replaced may stand in an earlier segment
		if len(b.vectors) == len(b.chunks) || m.Document == last {
			continue
		}
		last = m.Document
		if err := b.tx.Enqueue(b.p.job(b.sc.Owner, lukasa.JobEmbed, last)); err != nil {
			return err
		}
	}
	b.msgs, b.chunks, b.vectors = nil, nil, nil
	return nil
}

// close writes the rest, and the state of the conversation.
func (b *book) close() error {
	if err := b.flush(); err != nil || !b.touched {
		return err
	}
	for _, id := range b.stale {
		if err := b.tx.Enqueue(b.p.job(b.sc.Owner, lukasa.JobRewrite, id)); err != nil {
			return err
		}
	}
	b.conv.UpdatedAt = b.p.now()
	if err := keepCloser(b.conv, b.closer); err != nil {
		return err
	}
	return b.tx.PutConversation(*b.conv)
}

// cutSegment ends the open segment at a boundary and opens the next one, which takes the messages behind it.
func (p *Path) cutSegment(tx store.Tx, sc lukasa.Scope, conv *lukasa.Conversation, b segment.Boundary) error {
	old := conv.Document
	if err := p.endSegment(tx, sc, *conv, b); err != nil {
		return err
	}
	next, err := p.openSegment(tx, *conv)
	if err != nil {
		return err
	}
	conv.Document = next
	return p.moveMessages(tx, sc, old, next, b.Next)
}

// endSegment notes why the open segment ends and leaves its recall file to a job.
func (p *Path) endSegment(tx store.Tx, sc lukasa.Scope, conv lukasa.Conversation, b segment.Boundary) error {
	s, err := tx.Segment(conv.Document)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound { // of the time before segments
		s, err = lukasa.Segment{Document: conv.Document, Conversation: conv.ID, State: lukasa.SegmentOpen}, nil
	}
	if err != nil {
		return err
	}
	s.Trigger, s.Detail, s.Messages, s.Tokens, s.First, s.Last = string(b.Trigger), b.Detail, b.Messages, b.Tokens, b.First, b.Next-1
	if err := tx.PutSegment(s); err != nil {
		return err
	}
	if s.Previous != "" {
		e := lukasa.Edge{From: string(s.Previous), To: string(s.Document), Type: lukasa.EdgePrecedes, Weight: 1}
		if err := tx.PutEdges([]lukasa.Edge{e}); err != nil {
			return err
		}
	}
	return tx.Enqueue(p.job(sc.Owner, lukasa.JobClose, conv.Document))
}

// moveMessages puts the messages from a place on, with their chunks, into another segment. A job makes the vectors again, which go with that.
func (p *Path) moveMessages(tx store.Tx, sc lukasa.Scope, from, to lukasa.ID, place int64) error {
	var msgs []lukasa.Message
	moved := map[lukasa.ID]bool{}
	err := tx.MessagesIn(from, place, func(m lukasa.Message) bool {
		m.Document = to
		moved[m.ID] = true
		msgs = append(msgs, m)
		return true
	})
	if err != nil || len(msgs) == 0 {
		return err
	}
	all, err := tx.Chunks(from)
	if err != nil {
		return err
	}
	var chunks []lukasa.Chunk
	for _, c := range all {
		if moved[c.Message] {
			c.Document = to
			chunks = append(chunks, c)
		}
	}
	if err := tx.PutMessages(msgs, chunks); err != nil {
		return err
	}
	return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, to))
}

// End closes a conversation's open segment and returns its recall file; the zero Segment when nothing was open. More messages
// may follow later: they begin a new segment.
func (p *Path) End(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (s lukasa.Segment, err error) {
	last, err := p.endOpen(ctx, sc, id, func(c *segment.Closer, _ time.Duration) (segment.Boundary, bool) { return c.End() })
	if err != nil || last == "" {
		return s, err
	}
	if err := p.finalize(ctx, sc, last); err != nil { // the job will try again
		p.Log.WarnContext(ctx, "write recall file", "document", last, "err", err)
	}
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		s, err = r.Segment(last)
		return err
	})
	return s, err
}

// Rest closes a conversation's open segment if nothing has come for as long as ends an event, and reports whether it did.
func (p *Path) Rest(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (bool, error) {
	last, err := p.endOpen(ctx, sc, id, (*segment.Closer).Rest)
	return last != "", err
}

// endOpen ends the open segment where end finds a boundary, and returns it. End is told how long nothing has come.
func (p *Path) endOpen(ctx context.Context, sc lukasa.Scope, id lukasa.ID, end func(*segment.Closer, time.Duration) (segment.Boundary, bool)) (last lukasa.ID, err error) {
	if err := sc.CanWrite(); err != nil {
		return "", err
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		last = ""
		conv, err := tx.Conversation(id)
		if err != nil {
			return err
		}
		c, err := p.closer(&conv)
		if err != nil {
			return err
		}
		b, ok := end(c, p.now().Sub(conv.UpdatedAt))
		if !ok || conv.Document == "" {
			return nil
		}
		last = conv.Document
		if err := p.endSegment(tx, sc, conv, b); err != nil {
			return err
		}
		conv.Document, conv.UpdatedAt = "", p.now()
		if err := keepCloser(&conv, c); err != nil {
			return err
		}
		return tx.PutConversation(conv)
	})
	return last, err
}

// The roles of a recall file's files; an artifact's role is artifactRole and its name.
const (
	RoleSummary    = "summary"
	RoleKeywords   = "keywords"
	RoleTranscript = "transcript"
	RoleArtifact   = "artifact"
)

// finalize writes the recall file of a segment that has ended: its four files, then, in one transaction, the rows that name
// them. Doing it twice changes nothing.
func (p *Path) finalize(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	seg, doc, msgs, err := p.segment(ctx, sc, id)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil // deleted meanwhile
	}
	if err != nil || seg.State != lukasa.SegmentOpen || seg.Trigger == "" || len(msgs) == 0 {
		return err
	}
	about := segment.Describe(msgs, segment.Options{Describe: keywords, Plain: p.plain(sc)})
	began, _ := segment.Dates(msgs)
	seg.Messages, seg.Tokens = segment.Size(msgs) // some may have been deleted
	now := p.now()
	folder, err := p.folder(ctx, sc, about.Topic, began)
	if err != nil {
		return err
	}
	file, err := segment.Render(segment.Source{Folder: folder, Messages: msgs, Tokens: seg.Tokens, Finalized: now}, about)
	if err != nil {
		return fmt.Errorf("write recall file: %w", err)
	}
	files, _, err := p.refile(ctx, sc.Owner, id, nil, file, true)
	if err != nil {
		return p.dropFiles(ctx, files, err)
	}
	late := false
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		late = false
		s, err := tx.Segment(id)
		if late = err == nil && s.State != lukasa.SegmentOpen; err != nil || late {
			return err
		}
		d, err := tx.Document(id)
		if err != nil {
			return err
		}
		s.State, s.Topic, s.Folder, s.FinalizedAt = lukasa.SegmentFinalized, about.Topic, folder, &now
		s.Messages, s.Tokens = seg.Messages, seg.Tokens
		if !began.IsZero() {
			s.StartedAt = &began
		}
		d.Summary, d.Keywords, d.UpdatedAt = about.Summary(), about.Keywords, now
		if err := refer(tx, s, d.Node, msgs); err != nil {
			return err
		}
		return p.writeRecallFile(tx, sc, s, d, files)
	})
	if err != nil || late {
		return p.dropFiles(ctx, files, err)
	}
	if p.Closed != nil {
		p.Closed(ctx, sc, seg.Conversation) // which may place the conversation elsewhere
		_ = p.Store.View(ctx, sc, func(r store.Reader) error {
			now, err := r.Document(id)
			if err == nil {
				doc = now
			}
			return err
		})
	}
	p.notify(sc, lukasa.EventSegmentFinalized, doc.Node, doc.Path, id, map[string]any{"topic": about.Topic, "folder_name": folder, "trigger": seg.Trigger})
	return nil
}

func (p *Path) writeRecallFile(tx store.Tx, sc lukasa.Scope, s lukasa.Segment, d lukasa.Document, files []lukasa.File) error {
	tx.Because("pipeline", "recall file written")
	if err := tx.PutDocument(d); err != nil {
		return err
	}
	for _, f := range files {
		if err := tx.PutFile(f); err != nil {
			return err
		}
	}
	if err := tx.PutSegment(s); err != nil {
		return err
	}
	if err := tx.SummaryEntry(d.ID, true); err != nil {
		return err
	}
	if err := p.enqueueDistil(tx, sc, d.ID); err != nil {
		return err
	}
	return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, d.ID))
}

// enqueueDistil has a model read a record in the background, where one is to.
func (p *Path) enqueueDistil(tx store.Tx, sc lukasa.Scope, id lukasa.ID) error {
	if !p.opt.Distil {
		return nil
	}
	return tx.Enqueue(p.job(sc.Owner, lukasa.JobDistil, id))
}

// segment reads a segment whole.
func (p *Path) segment(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (s lukasa.Segment, d lukasa.Document, msgs []lukasa.Message, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		if s, err = r.Segment(id); err != nil {
			return err
		}
		if d, err = r.Document(id); err != nil {
			return err
		}
		return r.MessagesIn(id, 0, func(m lukasa.Message) bool {
			msgs = append(msgs, m)
			return true
		})
	})
	return s, d, msgs, err
}

// folder finds a name that no other recall file of the owner has.
func (p *Path) folder(ctx context.Context, sc lukasa.Scope, topic string, began time.Time) (name string, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		var failed error
		name, err = segment.FolderName(topic, began, func(n string) bool {
			taken, err := r.FolderTaken(n)
			failed = cmp.Or(failed, err)
			return taken
		})
		return cmp.Or(failed, err)
	})
	return name, err
}

// keywords reads entities, topics and relationships out of prose.
func keywords(prose string, at time.Time) lukasa.Keywords {
	return distil.Describe(prose, "", "text", at).Keywords
}

// plain returns what of a message is its own words, without the briefs that were pasted into it.
func (p *Path) plain(sc lukasa.Scope) func(lukasa.Message) string {
	if p.Plain == nil {
		return nil
	}
	return func(m lukasa.Message) string { return p.Plain(sc.Owner, m.Content) }
}
