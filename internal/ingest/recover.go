package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil"
	"github.com/lukasa-memory/lukasa/internal/segment"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Recovery says what of a record was made again from what it was derived from, and what could not be.
type Recovery struct {
	Document    lukasa.ID `json:"document_id"`
	From        string    `json:"from,omitempty"` // messages, transcript or text
	Regenerated []string  `json:"regenerated"`    // summary, keywords, transcript, artifacts, embedding
	Missing     []string  `json:"missing,omitempty"`
	Detail      string    `json:"detail,omitempty"`
}

// RoleRemoved is that of a file whose bytes went because what it was made from is gone.
const RoleRemoved = "removed"

// Recover makes summary, keywords and embedding of a document or recall file again: of a recall file from its messages, or, where
// their rows are lost, from its transcript. What the transcript alone holds does not become messages again.
func (p *Path) Recover(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Recovery, error) {
	out := Recovery{Document: id, Regenerated: []string{}}
	if err := sc.CanWrite(); err != nil {
		return out, err
	}
	seg, doc, msgs, err := p.segment(ctx, sc, id)
	switch {
	case lukasa.CodeOf(err) == lukasa.CodeNotFound:
		return out, p.recoverDocument(ctx, sc, &out)
	case err != nil:
		return out, err
	case seg.State == lukasa.SegmentOpen && seg.Trigger == "":
		out.Detail = "the conversation goes on: it has no recall file yet"
		return out, p.reembed(ctx, sc, doc, &out)
	case seg.State == lukasa.SegmentOpen:
		if err := p.finalize(ctx, sc, id); err != nil {
			return out, err
		}
		out.From, out.Regenerated = "messages", append(out.Regenerated, "summary", "keywords", "transcript")
		return out, p.reembed(ctx, sc, doc, &out)
	}
	return out, p.recoverSegment(ctx, sc, seg, doc, msgs, &out)
}

// recoverSegment writes the files of a recall file anew, each under its own id.
func (p *Path) recoverSegment(ctx context.Context, sc lukasa.Scope, seg lukasa.Segment, doc lukasa.Document, msgs []lukasa.Message, out *Recovery) error {
	var there []lukasa.File
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		there, err = r.Files(doc.ID, "")
		return err
	})
	if err != nil {
		return err
	}
	out.From = "messages"
	if len(msgs) == 0 {
		out.From = "transcript"
		if msgs, err = p.readTranscript(ctx, sc.Owner, there); err != nil || len(msgs) == 0 {
			out.From, out.Missing = "", []string{"messages", "transcript"}
			out.Detail = "neither the messages nor the transcript can be read: there is nothing to derive it from"
			if err != nil {
				p.Log.WarnContext(ctx, "read transcript", "document", doc.ID, "err", err)
			}
			return nil
		}
	}
	about := segment.Describe(msgs, segment.Options{Describe: keywords, Plain: p.plain(sc)})
	finalized := p.now()
	if seg.FinalizedAt != nil {
		finalized = *seg.FinalizedAt
	}
	folder, tokens := seg.Folder, seg.Tokens
	if out.From == "messages" {
		tokens = 0
		for _, m := range msgs {
			tokens += m.Tokens
		}
		if about.Topic != seg.Topic { // the name says the topic
			began, _ := segment.Dates(msgs)
			if folder, err = p.folder(ctx, sc, about.Topic, began); err != nil {
				return err
			}
		}
	}
	file, err := segment.Render(segment.Source{Folder: folder, Messages: msgs, Tokens: tokens, Finalized: finalized}, about)
	if err != nil {
		return fmt.Errorf("write recall file anew: %w", err)
	}
	files, drop, err := p.refile(ctx, sc.Owner, doc.ID, there, file, out.From == "messages")
	if err != nil {
		return p.dropFiles(ctx, files, err)
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		d, err := tx.Document(doc.ID)
		if err != nil {
			return err
		}
		s, err := tx.Segment(doc.ID)
		if err != nil {
			return err
		}
		tx.Because("pipeline", "recall file written anew")
		d.Summary, d.Keywords, d.UpdatedAt = about.Summary(), about.Keywords, p.now()
		if out.From == "messages" {
			s.Topic, s.Folder, s.Tokens, s.Messages = about.Topic, folder, tokens, len(msgs)
		}
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
		if err := tx.SummaryEntry(d.ID, false); err != nil {
			return err
		}
		return tx.SummaryEntry(d.ID, true)
	})
	if err != nil {
		return p.dropFiles(ctx, files, err)
	}
	p.DropBlobs(ctx, drop)
	out.Regenerated = append(out.Regenerated, "summary", "keywords")
	if out.From == "messages" {
		out.Regenerated = append(out.Regenerated, "transcript")
	} else {
		out.Missing = []string{"messages"}
		out.Detail = "the rows of the messages are lost; the transcript still says them"
	}
	return p.reembed(ctx, sc, doc, out)
}

func (p *Path) readTranscript(ctx context.Context, owner lukasa.ID, files []lukasa.File) ([]lukasa.Message, error) {
	for _, f := range files {
		if f.Role != RoleTranscript {
			continue
		}
		rc, err := p.Open(ctx, owner, f)
		if err != nil {
			return nil, err
		}
		defer rc.Close()
		b, err := io.ReadAll(rc)
		if err != nil {
			return nil, err
		}
		t, err := segment.ParseTranscript(string(b))
		return t.Messages, err
	}
	return nil, nil
}

// refile seals the files of a recall file: one that was there keeps its id, and one that is not made any more keeps nothing else.
// It returns the rows to write and the blobs that nothing refers to once they are written.
func (p *Path) refile(ctx context.Context, owner, document lukasa.ID, there []lukasa.File, r segment.RecallFile, whole bool) (files []lukasa.File, drop []string, err error) {
	left := map[string]lukasa.File{}
	for _, f := range there {
		left[f.Role+"/"+f.Name] = f
	}
	put := func(role, name, typ string, data []byte) error {
		old, was := left[role+"/"+name]
		delete(left, role+"/"+name)
		f, err := p.keep(ctx, owner, document, role, name, typ, data)
		if err != nil {
			return err
		}
		if was {
			if f, err = p.under(ctx, owner, f, old, data); err != nil {
				return err
			}
			if old.Blob != "" {
				drop = append(drop, old.Blob)
			}
		}
		files = append(files, f)
		return nil
	}
	if err := put(RoleSummary, segment.SummaryFile, "text/markdown; charset=utf-8", []byte(r.Summary)); err != nil {
		return files, nil, err
	}
	if err := put(RoleKeywords, segment.KeywordsFile, "text/plain; charset=utf-8", []byte(r.Keywords)); err != nil {
		return files, nil, err
	}
	if !whole { // made from the transcript: that and what it names stay as they are
		return files, drop, nil
	}
	if err := put(RoleTranscript, segment.TranscriptFile, "text/markdown; charset=utf-8", []byte(r.Transcript)); err != nil {
		return files, nil, err
	}
	for _, a := range r.Artifacts {
		if a.Data == nil {
			continue
		}
		if err := put(RoleArtifact, a.Name, a.Type, a.Data); err != nil {
			return files, nil, err
		}
	}
	for _, old := range left {
		if old.Role != RoleArtifact {
			continue
		}
		if old.Blob != "" {
			drop = append(drop, old.Blob)
		}
		old.Role, old.Name, old.Blob, old.Size, old.SHA256 = RoleRemoved, "", "", 0, ""
		if old.Inline, err = p.Vault.SealBytes(ctx, string(owner), string(old.ID), nil); err != nil {
			return files, nil, err
		}
		old.SealedSize = int64(len(old.Inline))
		files = append(files, old)
	}
	return files, drop, nil
}

// under gives fresh bytes the id of the file whose place they take.
func (p *Path) under(ctx context.Context, owner lukasa.ID, f, old lukasa.File, data []byte) (lukasa.File, error) {
	fresh := f.ID
	f.ID, f.CreatedAt, f.UsedAt = old.ID, old.CreatedAt, p.now()
	if f.Blob != "" {
		p.DropBlobs(ctx, []string{f.Blob})
		key := string(f.ID) + "." + strings.TrimPrefix(string(fresh), string(lukasa.PrefixFile)+"_")
		s, err := p.Vault.Write(ctx, string(owner), key, bytes.NewReader(data))
		if err != nil {
			return f, fileError(err)
		}
		f.Blob, f.SealedSize = string(owner)+"/"+key, s.SealedSize
		return f, nil
	}
	sealed, err := p.Vault.SealBytes(ctx, string(owner), string(f.ID), data)
	f.Inline, f.SealedSize = sealed, int64(len(sealed))
	return f, err
}

// recoverDocument describes an ordinary document again. What its owner said of it stands.
func (p *Path) recoverDocument(ctx context.Context, sc lukasa.Scope, out *Recovery) error {
	d, err := p.document(ctx, sc, out.Document)
	if err != nil {
		return err
	}
	if d.ContentHash == "" {
		out.Missing, out.Detail = []string{"text"}, "its text is not extracted yet: "+string(d.Status)
		return nil
	}
	text, err := p.Text(ctx, sc, d)
	if err != nil || text == "" {
		out.Missing, out.Detail = []string{"text"}, "its text cannot be read: there is nothing to derive it from"
		if err != nil {
			p.Log.WarnContext(ctx, "read text", "document", d.ID, "err", err)
		}
		return nil
	}
	about := distil.Describe(text, d.Title, d.ContentType, *cmp.Or(d.OccurredAt, &d.CreatedAt))
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		now, err := tx.Document(d.ID)
		if err != nil {
			return err
		}
		tx.Because("pipeline", "described again")
		now.Summary, now.Keywords, now.UpdatedAt = about.Summary, about.Keywords, p.now()
		return tx.PutDocument(now)
	})
	if err != nil {
		return err
	}
	out.From, out.Regenerated = "text", append(out.Regenerated, "summary", "keywords")
	return p.reembed(ctx, sc, d, out)
}

// reembed makes the vectors of a document's entries again. Where the embedder is away, a job does it later, for what lacks one.
func (p *Path) reembed(ctx context.Context, sc lukasa.Scope, d lukasa.Document, out *Recovery) error {
	entries, err := p.entries(ctx, sc, d.ID)
	if err != nil {
		return err
	}
	const batch = 64
	for len(entries) > 0 {
		n := min(batch, len(entries))
		vs, err := p.vectors(ctx, entries[:n])
		if err != nil {
			p.Log.WarnContext(ctx, "embed again", "document", d.ID, "err", err)
			out.Missing, out.Detail = append(out.Missing, "embedding"), "the embedder does not answer: a job tries again"
			return p.Store.Update(ctx, sc, func(tx store.Tx) error { return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, d.ID)) })
		}
		if err := p.Store.Update(ctx, sc, func(tx store.Tx) error { return tx.PutVectors(p.Embed.Space().ID, vs) }); err != nil {
			return err
		}
		entries = entries[n:]
	}
	out.Regenerated = append(out.Regenerated, "embedding")
	return nil
}

// entries lists what is embedded of a document: its chunks, and itself where it has a summary entry.
func (p *Path) entries(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (list []lukasa.Entry, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		d, err := r.Document(id)
		if err != nil {
			return err
		}
		chunks, err := r.Chunks(id)
		if err != nil {
			return err
		}
		said := map[lukasa.ID]string{}
		if err := r.MessagesIn(id, 0, func(m lukasa.Message) bool {
			said[m.ID] = cmp.Or(m.Speaker, m.Role)
			return true
		}); err != nil {
			return err
		}
		list = nil
		for _, c := range chunks {
			e := lukasa.Entry{ID: c.ID, Type: lukasa.EntryChunk, Title: lukasa.EntryTitle(d.Title, c.Heading), Text: c.Content}
			if c.Message != "" {
				e.Type, e.Title, e.Speaker = lukasa.EntryMessage, "", said[c.Message]
			}
			list = append(list, e)
		}
		_, err = r.Segment(id)
		if err == nil && d.Summary != "" || err != nil && len(chunks) > 1 {
			list = append(list, lukasa.Entry{ID: d.ID, Type: lukasa.EntryDocument, Title: d.Title, Text: d.Summary})
		}
		return unlessGone(err)
	})
	return list, err
}
