package ingest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/chunk"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/distil"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// source is what came in, before anything is known about it.
type source struct {
	data     []byte
	name     string
	declared string
	url      string
	kept     bool // it is the text of a document, of the type declared
}

// prepared is a document worked off as far as it can be without a transaction.
type prepared struct {
	doc     lukasa.Document
	raw     []byte // what came in, nil when it is the same as the text
	rawType string
	chunks  []lukasa.Chunk
	vectors []store.Vector
	parts   []extract.Part // what becomes a document of its own
	lesson  Lesson
}

// prepare extracts, cleans, hashes, describes and chunks. It does no I/O.
func (p *Path) prepare(ctx context.Context, d lukasa.Document, src source) (*prepared, error) {
	out, err := p.Kinds.Extract(ctx, extract.Input{
		Data: src.data, Name: src.name, DeclaredType: src.declared, URL: src.url, Kept: src.kept,
		Limits: extract.Limits{MaxBytes: int(p.opt.Limits.Bytes), MaxChars: p.opt.Limits.HTML}, Help: p.Help,
	})
	if err != nil && worthKeeping(src.data, err) {
		return nil, &unread{extractError(err)}
	} else if err != nil {
		return nil, extractError(err)
	}
	if text.Blank(out.Text) {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "content", Msg: "holds no text once it is cleaned"}
	}
	sum := sha256.Sum256([]byte(out.Text))
	d.Content, d.ContentType, d.Size = out.Text, out.Type, int64(len(out.Text))
	d.ContentHash = hex.EncodeToString(sum[:])
	p.describe(&d, out, src.name)
	pre := &prepared{doc: d, rawType: src.declared, parts: out.Parts}
	if !bytes.Equal(src.data, []byte(out.Text)) {
		pre.raw = src.data
	}
	for _, c := range chunk.Split(chunk.Document{Text: out.Text, Type: out.Type, Language: out.Language, Marks: marks(out)}, p.chunking()) {
		pre.chunks = append(pre.chunks, lukasa.Chunk{
			ID: p.Mint.ID(lukasa.PrefixChunk), Document: d.ID, Seq: c.Seq, Start: c.Start, End: c.End,
			Lines: c.Lines, Page: c.Page, Place: c.Place, Kind: c.Kind, Symbol: c.Symbol, Heading: c.Enclosing(), Content: out.Text[c.Start:c.End],
		})
	}
	pre.doc.Chunks = len(pre.chunks)
	pre.doc.Status = lukasa.StatusEmbedding
	return pre, nil
}

// marks hands the places to cite on to the next stage.
func marks(out extract.Output) []chunk.Mark {
	list := make([]chunk.Mark, len(out.Marks))
	for i, m := range out.Marks {
		list[i] = chunk.Mark(m)
	}
	return list
}

// chunking are the limits of a chunk, counted as the embedder counts and never over what it reads.
func (p *Path) chunking() chunk.Options {
	o := chunk.Options{MaxTokens: p.opt.ChunkTokens, Overlap: p.opt.Overlap, Count: p.Embed.CountTokens}
	if limit := p.Embed.Space().Profile.MaxTokens; limit > 0 {
		o.MaxTokens = min(o.MaxTokens, limit)
	}
	return o
}

// fileError gives the faults of the file layer their codes.
func fileError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, blob.ErrFull):
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "no space left for files", Hint: "free some disk space; reading goes on meanwhile", RetryAfter: 5 * time.Second, Err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the folder of files refuses", Hint: "give the user of this process the right to read and write blobs in the data directory, and all below it", Err: err}
	case errors.Is(err, blob.ErrKeyDestroyed), errors.Is(err, blob.ErrNotFound):
		return &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "the file's bytes are gone", Hint: hintLost, Err: err}
	case errors.Is(err, crypt.ErrTruncated), errors.Is(err, crypt.ErrCorrupt), errors.Is(err, crypt.ErrFormat):
		return &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "the file's bytes are damaged", Hint: hintLost, Err: err}
	}
	return err
}

const hintLost = "put it back out of a backup, or add the same file again, which mends it; `lukasa doctor` names all that is lost"

// describe fills in what the text says about itself. What the caller said stands; name is that of the file, if it is one.
func (p *Path) describe(d *lukasa.Document, out extract.Output, name string) {
	at := d.CreatedAt
	if d.OccurredAt != nil {
		at = *d.OccurredAt
	} else if !out.Published.IsZero() {
		t := out.Published.UTC()
		d.OccurredAt = &t
	}
	about := distil.Describe(out.Text, cmp.Or(d.Title, out.Title), out.Type, at)
	if name != "" && text.Unbroken(cmp.Or(out.Title, about.Title)) {
		out.Title = name
	}
	d.Title = cmp.Or(d.Title, out.Title, about.Title, standIn)
	d.Summary, d.Keywords, d.Category = about.Summary, about.Keywords, about.Category
	d.Language = out.Language
	d.Tags, _ = store.MergeTags(d.Tags, about.Tags)
	if d.SourceURL == "" && out.Canonical != "" {
		if d.SourceURL = out.Canonical; d.Origin == lukasa.OriginUser { // a page that was saved
			d.Origin = lukasa.OriginWeb
		}
	}
	for k, v := range out.Metadata {
		if _, ok := d.Metadata[k]; !ok {
			d.Metadata[k] = v
		}
	}
	if out.Author != "" {
		if _, ok := d.Metadata["author"]; !ok {
			d.Metadata["author"] = out.Author
		}
	}
}

// embedAll makes the vectors of a prepared document, as far as the allowance of its request goes. The rest is left to a job; the
// status says so.
func (p *Path) embedAll(ctx context.Context, pre *prepared, allowance *embed.Allowance) error {
	texts := make([]string, 0, len(pre.chunks)+1)
	for _, c := range pre.chunks {
		title := lukasa.EntryTitle(pre.doc.Title, c.Heading)
		texts = append(texts, embed.EntryText(&lukasa.Entry{Type: lukasa.EntryChunk, Title: title, Text: c.Content}))
	}
	if len(pre.chunks) > 1 {
		texts = append(texts, embed.EntryText(&lukasa.Entry{Type: lukasa.EntryDocument, Title: pre.doc.Title, Text: pre.doc.Summary}))
	}
	vecs, err := allowance.Embed(ctx, texts)
	for i, v := range vecs {
		if v == nil {
			continue
		}
		ref := store.Vector{Entry: pre.doc.ID, Type: lukasa.EntryDocument, Vector: v}
		if i < len(pre.chunks) {
			ref = store.Vector{Entry: pre.chunks[i].ID, Type: lukasa.EntryChunk, Vector: v}
			pre.doc.Embedded++
		}
		pre.vectors = append(pre.vectors, ref)
	}
	if err == nil && len(pre.vectors) == len(texts) {
		pre.doc.Status = lukasa.StatusDone
	}
	return err
}

// keep seals bytes and returns their file row. Small ones go into the row, larger ones are durable in the blob store when
// keep returns.
func (p *Path) keep(ctx context.Context, owner, document lukasa.ID, role, name, typ string, data []byte) (lukasa.File, error) {
	sum := sha256.Sum256(data)
	f := lukasa.File{
		ID: p.Mint.ID(lukasa.PrefixFile), Document: document, Role: role, Name: name, Type: typ, Size: int64(len(data)),
		SHA256: hex.EncodeToString(sum[:]), CreatedAt: p.now(),
	}
	if len(data) <= RowLimit {
		sealed, err := p.Vault.SealBytes(ctx, string(owner), string(f.ID), data)
		if err != nil {
			return f, err
		}
		f.Inline, f.SealedSize = sealed, int64(len(sealed))
		return f, nil
	}
	f.Blob = string(owner) + "/" + string(f.ID)
	s, err := p.Vault.Write(ctx, string(owner), string(f.ID), bytes.NewReader(data))
	if err != nil {
		return f, fileError(err)
	}
	f.SealedSize = s.SealedSize
	return f, nil
}

// keepFiles keeps the raw bytes where they differ from the text, and text that is too long for its row.
func (p *Path) keepFiles(ctx context.Context, owner lukasa.ID, name string, pre *prepared) ([]lukasa.File, error) {
	var files []lukasa.File
	add := func(role, typ string, data []byte) error {
		f, err := p.keep(ctx, owner, pre.doc.ID, role, name, typ, data)
		if err != nil { // no row will refer to those before it
			return errors.Join(p.dropFiles(ctx, files, nil), err)
		}
		files = append(files, f)
		return nil
	}
	if pre.raw != nil {
		if err := add("raw", pre.rawType, pre.raw); err != nil {
			return nil, err
		}
	}
	if len(pre.doc.Content) > RowLimit {
		if err := add("text", "text/plain; charset=utf-8", []byte(pre.doc.Content)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// dropFiles deletes the blobs of files that no row came to refer to, and returns err. After any error but a refusal nobody knows that (the
// connection may have broken during the commit, or behind it): the blobs stay, and are swept later if they are orphans.
func (p *Path) dropFiles(ctx context.Context, files []lukasa.File, err error) error {
	for _, f := range files {
		if f.Blob != "" && (err == nil || refused(err)) {
			p.DropBlobs(ctx, []string{f.Blob})
		}
	}
	return err
}

// Open returns the bytes of a file.
func (p *Path) Open(ctx context.Context, owner lukasa.ID, f lukasa.File) (io.ReadCloser, error) {
	if f.Blob != "" {
		rc, err := p.Vault.Read(ctx, string(owner), strings.TrimPrefix(f.Blob, string(owner)+"/"))
		if errors.Is(err, blob.ErrNotFound) { // it may have been packed anew since its row was read
			if now, e := p.Store.File(ctx, owner, f.ID); e == nil && now.Blob != f.Blob {
				return p.Open(ctx, owner, now)
			}
		}
		return rc, fileError(err)
	}
	data, err := p.Vault.OpenBytes(ctx, string(owner), string(f.ID), f.Inline)
	if err != nil {
		return nil, fileError(err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Text returns the cleaned text of a document, from its row or from its file.
func (p *Path) Text(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (string, error) {
	if d.Content != "" || d.Size == 0 || d.ContentHash == "" {
		return d.Content, nil
	}
	var files []lukasa.File
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		files, err = r.Files(d.ID, "text")
		return err
	})
	if err != nil || len(files) == 0 {
		return "", err
	}
	rc, err := p.Open(ctx, sc.Owner, files[0])
	if err != nil {
		return "", err
	}
	defer rc.Close()
	b, err := io.ReadAll(rc)
	return string(b), fileError(err)
}

// learn reads what a document says, for its transaction, or has a job read it where it is long.
func (p *Path) learn(ctx context.Context, sc lukasa.Scope, pre *prepared) {
	d := pre.doc
	if p.Learn != nil {
		said := Said{
			Body: d.Content, Document: d.ID, At: *cmp.Or(d.OccurredAt, &d.CreatedAt), Origin: d.Origin, Type: d.ContentType, Later: len(d.Content) > p.opt.Limits.Inline,
			Title: d.Title, Name: cmp.Or(d.CustomID, d.SourceURL),
		}
		pre.lesson, _ = p.Learn(ctx, sc, nil, []Said{said})
	}
}
