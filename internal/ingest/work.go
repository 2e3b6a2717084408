package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/fetch"
	"github.com/lukasa-memory/lukasa/internal/hear"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Work does one job. An error that may pass is worth another try; one that wraps [ErrFinal] is not.
func (p *Path) Work(ctx context.Context, j lukasa.Job) error {
	sc := lukasa.Scope{Owner: j.Owner, Principal: j.Owner, Role: lukasa.RoleUser}
	switch j.Kind {
	case lukasa.JobProcess:
		return p.process(ctx, sc, j)
	case lukasa.JobEmbed:
		return p.fill(ctx, sc, j.Record)
	case lukasa.JobClose:
		return p.finalize(ctx, sc, j.Record)
	case lukasa.JobRewrite:
		_, err := p.Recover(ctx, sc, j.Record)
		return err
	}
	return fmt.Errorf("job of kind %q: %w", j.Kind, ErrFinal)
}

// ErrFinal marks an error that trying again cannot mend.
var ErrFinal = errors.New("cannot succeed")

func final(err error) error { return fmt.Errorf("%w: %w", ErrFinal, err) }

// process extracts a queued document and gives it its text, chunks and vectors.
func (p *Path) process(ctx context.Context, sc lukasa.Scope, j lukasa.Job) error {
	d, err := p.document(ctx, sc, j.Record)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	if d.ContentHash != "" {
		return p.fill(ctx, sc, d.ID) // an earlier attempt came this far
	}
	was := d
	was.Metadata = maps.Clone(d.Metadata)
	if err := p.status(ctx, sc, d.ID, lukasa.StatusExtracting, ""); err != nil {
		return err
	}
	src, err := p.fetchRaw(ctx, sc, d)
	if err != nil {
		return p.giveUp(ctx, sc, j, err)
	}
	if d.ContentType == "unknown" {
		d.ContentType = ""
	}
	if d.Title == d.SourceURL || d.Title == src.name || d.Title == standIn {
		d.Title = "" // the text has a better one
	}
	pre, err := p.prepare(ctx, d, src)
	if away(err) {
		return cmp.Or(p.status(ctx, sc, d.ID, lukasa.StatusQueued, "waiting for a model that reads it: "+reason(err)), err)
	}
	if err != nil {
		return p.giveUp(ctx, sc, j, final(err))
	}
	if src.url == "" {
		pre.raw = nil // kept since it was queued
	}
	if err := p.status(ctx, sc, d.ID, lukasa.StatusChunking, ""); err != nil {
		return err
	}
	if err := p.keepParts(ctx, sc, pre); err != nil {
		return err
	}
	files, err := p.keepFiles(ctx, sc.Owner, src.name, pre)
	if errors.Is(err, blob.ErrTooLarge) { // a file that is far longer as text than it is itself
		return p.giveUp(ctx, sc, j, final(&lukasa.Error{Code: lukasa.CodeTooLarge, Field: "content", Msg: "its text is over the limit of a file", Hint: "split it"}))
	}
	if err != nil {
		return err
	}
	return p.settle(ctx, sc, was, pre, src.data, files)
}

// settle writes a queued document that now has its text, and fills in its vectors. If the text is there already, the queued
// document goes and its tags and metadata move over. was is the document as it stood when the work on it began, raw what
// came in.
func (p *Path) settle(ctx context.Context, sc lukasa.Scope, was lukasa.Document, pre *prepared, raw []byte, files []lukasa.File) error {
	pre.doc.Status = lukasa.StatusEmbedding
	merged := false
	var there lukasa.ID // whose text it is
	var after func()
	p.learn(ctx, sc, pre)
	err := p.keepAnyway(ctx, sc, func(tx store.Tx, learn bool) error {
		if !learn {
			pre.lesson = nil
		}
		merged, after, there = true, nil, ""
		now, err := tx.Document(was.ID)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound || err == nil && now.ContentHash != "" {
			return nil // deleted meanwhile, or written by one who took the job over
		}
		if err != nil {
			return err
		}
		merged = false
		d := store.Since(pre.doc, was, now)
		d.UpdatedAt = p.now()
		updates, err := named(tx, d.ID)
		if err != nil {
			return err
		}
		err = p.place(tx, updates, false, &d)
		if code := lukasa.CodeOf(err); updates != "" && (code == lukasa.CodeNotFound || code == lukasa.CodeConflict) {
			err = p.place(tx, "", false, &d) // what it was to follow was deleted or moved meanwhile
		}
		if err == nil {
			err = overtaken(tx, &d)
		}
		if dup, ok := errors.AsType[*duplicate](err); ok {
			merged, there = true, dup.of.ID
			if _, err := p.absorb(tx, dup.of, d); err != nil {
				return err
			}
			d.IsLatest, d.Status, d.Reason, d.Content = false, lukasa.StatusDone, "same text as "+string(dup.of.ID), ""
			return errors.Join(p.mended(tx, d), tx.PutDocument(d))
		}
		if err != nil {
			return err
		}
		if err := p.write(tx, sc, d, false, pre, files); err != nil {
			return err
		}
		after, err = pre.teach(tx, lukasa.Node{ID: d.Node, Path: d.Path})
		return err
	})
	if err == nil && after != nil {
		after()
	}
	if err == nil && there != "" {
		err = p.heal(ctx, sc, there, raw, func() string { return pre.doc.Content })
	}
	if err != nil || merged {
		return p.dropFiles(ctx, files, err)
	}
	return p.fill(ctx, sc, pre.doc.ID)
}

// overtaken puts a document that took longer than versions which came after it behind these. Ids are minted in the order of time.
func overtaken(tx store.Tx, d *lukasa.Document) error {
	if d.Previous == "" {
		return nil
	}
	chain, err := tx.Versions(d.Previous)
	if err != nil {
		return err
	}
	newer := chain
	if i := slices.IndexFunc(chain, func(x lukasa.Document) bool { return x.ID < d.ID }); i >= 0 {
		newer = chain[:i]
	}
	for i, x := range newer {
		x.Version++
		if i == len(newer)-1 {
			d.IsLatest, d.Previous, d.Version, x.Previous = false, x.Previous, x.Version-1, d.ID
		}
		if err := tx.PutDocument(x); err != nil {
			return err
		}
	}
	return nil
}

// named finds the document that a queued one was said to take the place of, if there is one, and takes note that it is found.
func named(tx store.Tx, id lukasa.ID) (lukasa.ID, error) {
	edges, err := tx.Edges([]lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeUpdates}, 100)
	for _, e := range edges {
		if e.From == string(id) {
			return lukasa.ID(e.To), tx.DeleteEdges(id, lukasa.EdgeUpdates)
		}
	}
	return "", err
}

// keepParts saves what was found inside a document as documents of their own, under ids that a second try finds again. One
// that cannot be read is named in the document's metadata, and its bytes are still there in the whole.
func (p *Path) keepParts(ctx context.Context, sc lukasa.Scope, pre *prepared) error {
	const batch = 50
	d := &pre.doc
	var refused []any
	for first := 0; first < len(pre.parts); first += batch {
		var list []lukasa.NewDocument
		for i, part := range pre.parts[first:min(first+batch, len(pre.parts))] {
			in := lukasa.NewDocument{
				Data: part.Data, Name: part.Name, ContentType: part.Type, Title: part.Title, Container: string(d.Path), Origin: d.Origin,
				CustomID: fmt.Sprintf("%s#%d", d.ID, first+i), Metadata: map[string]any{"part_of": string(d.ID)}, ForgetAfter: d.ForgetAfter,
			}
			for k, v := range part.Metadata {
				in.Metadata[k] = v
			}
			if !part.Published.IsZero() {
				t := part.Published.UTC()
				in.OccurredAt = &t
			}
			list = append(list, in)
		}
		_, errs := p.RememberAll(ctx, sc, list)
		for i, err := range errs {
			switch lukasa.CodeOf(err) {
			case "":
			case lukasa.CodeInvalid, lukasa.CodeUnsupported, lukasa.CodeTooLarge, lukasa.CodeConflict:
				refused = append(refused, cmp.Or(list[i].Name, list[i].Title, list[i].CustomID)+": "+reason(err))
			default:
				return err
			}
		}
	}
	if len(refused) > 0 {
		d.Metadata["parts_refused"] = refused[:min(20, len(refused))]
	}
	if len(pre.parts) > 0 {
		d.Metadata["parts"] = len(pre.parts)
	}
	return nil
}

// fetchRaw returns what a queued document came in as.
func (p *Path) fetchRaw(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (source, error) {
	var files []lukasa.File
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		files, err = r.Files(d.ID, "raw")
		return err
	})
	if err != nil {
		return source{}, err
	}
	if len(files) == 0 {
		page, err := p.Fetch(ctx, d.SourceURL)
		if err != nil {
			return source{}, fetchError(err)
		}
		return source{data: page.Data, declared: page.ContentType, url: page.FinalURL}, nil
	}
	rc, err := p.Open(ctx, sc.Owner, files[0])
	if err != nil {
		return source{}, err
	}
	defer rc.Close()
	data, err := io.ReadAll(rc)
	return source{data: data, name: files[0].Name, declared: files[0].Type}, err
}

// away reports whether a server that was to read something, such as one that hears speech, is not to be had now: what it was to read is not at fault.
func away(err error) bool {
	e, is := errors.AsType[*lukasa.Error](err)
	if !is {
		return false
	}
	switch e.Code {
	case lukasa.CodeUnavailable, lukasa.CodeLimited, lukasa.CodeTimeout:
		return true
	}
	return errors.Is(err, hear.ErrRefused) || errors.Is(err, llm.ErrRefused)
}

// PutAside ends the tries of a job for a reason, which its document shows as failed, and returns an error that wraps [ErrFinal]. Retry takes it up again.
func (p *Path) PutAside(ctx context.Context, j lukasa.Job, why error) error {
	if j.Record.Prefix() == lukasa.PrefixDocument && j.Kind != lukasa.JobDistil {
		sc := lukasa.Scope{Owner: j.Owner, Principal: j.Owner, Role: lukasa.RoleUser}
		if err := p.status(ctx, sc, j.Record, lukasa.StatusFailed, reason(why)); err != nil {
			p.Log.ErrorContext(ctx, "note document status", "document", j.Record, "err", err)
		}
	}
	return final(why)
}

// giveUp marks a document failed when its job cannot succeed or has had its tries, with a reason that a person can act on.
func (p *Path) giveUp(ctx context.Context, sc lukasa.Scope, j lukasa.Job, err error) error {
	status := lukasa.StatusQueued
	if errors.Is(err, ErrFinal) || j.Attempt >= j.MaxTries {
		status = lukasa.StatusFailed
	}
	if serr := p.status(ctx, sc, j.Record, status, reason(err)); serr != nil {
		p.Log.ErrorContext(ctx, "note document status", "document", j.Record, "err", serr)
	}
	return err
}

// reason is the part of an error that is meant for people.
func reason(err error) string {
	if e, ok := errors.AsType[*lukasa.Error](err); ok {
		if e.Hint != "" {
			return e.Msg + "; " + e.Hint
		}
		return e.Msg
	}
	return err.Error()
}

// fill embeds what a document still lacks, and notes how far that came.
func (p *Path) fill(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	_, away, err := p.complete(ctx, sc, id)
	switch {
	case lukasa.CodeOf(err) == lukasa.CodeNotFound:
		return nil // deleted meanwhile; one that comes back from the trash gets a job of its own
	case err != nil:
		return err
	case away != nil:
		return cmp.Or(p.status(ctx, sc, id, lukasa.StatusEmbedding, "waiting for the embedder: "+reason(away)), away)
	}
	return p.status(ctx, sc, id, lukasa.StatusDone, "")
}

// Fill makes the vectors that a document lacks, and returns how many.
func (p *Path) Fill(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (int, error) {
	n, away, err := p.complete(ctx, sc, id)
	return n, cmp.Or(err, away)
}

// complete makes the vectors that a document lacks, batch by batch: each batch is kept, so that a failure costs no vector that
// was made (H-28). away is what the embedder failed with.
func (p *Path) complete(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (n int, away, err error) {
	const batch = 64
	space := p.Embed.Space().ID
	for {
		var todo []lukasa.Entry
		err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
			todo, err = r.Pending(id, space, batch)
			return err
		})
		if err != nil || len(todo) == 0 {
			return n, nil, err
		}
		vs, away := p.vectors(ctx, todo)
		if len(vs) > 0 {
			if err := p.Store.Update(ctx, sc, func(tx store.Tx) error { return tx.PutVectors(space, vs) }); err != nil {
				return n, nil, err
			}
		} else if away == nil {
			away = errors.New("it gave no vectors")
		}
		if n += len(vs); away != nil {
			return n, away, nil
		}
	}
}

// vectors embeds entries. Where a batch fails as a whole but not for good, its halves are tried, so that one bad text does
// not hold up the others.
func (p *Path) vectors(ctx context.Context, todo []lukasa.Entry) ([]store.Vector, error) {
	var out []store.Vector
	texts := make([]string, 0, len(todo))
	todo = slices.DeleteFunc(slices.Clone(todo), func(e lukasa.Entry) bool {
		said := embed.EntryText(&e)
		if said == "" {
			out = append(out, store.Vector{Entry: e.ID, Type: e.Type, Vector: []float32{}})
			return true
		}
		texts = append(texts, said)
		return false
	})
	none := len(out)
	if len(todo) == 0 {
		return out, nil
	}
	vecs, err := p.Embed.Embed(ctx, texts)
	for i, v := range vecs {
		if v != nil {
			out = append(out, store.Vector{Entry: todo[i].ID, Type: todo[i].Type, Vector: v})
		}
	}
	if err == nil || len(out) > none || len(todo) == 1 || embed.Retryable(err) || ctx.Err() != nil {
		return out, err
	}
	half := len(todo) / 2
	a, errA := p.vectors(ctx, todo[:half])
	b, errB := p.vectors(ctx, todo[half:])
	return slices.Concat(out, a, b), errors.Join(errA, errB)
}

func (p *Path) document(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (d lukasa.Document, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		d, err = r.Document(id)
		return err
	})
	return d, err
}

// status notes how far a document has come. A document that was deleted meanwhile is passed over.
func (p *Path) status(ctx context.Context, sc lukasa.Scope, id lukasa.ID, s lukasa.Status, why string) error {
	var d lukasa.Document
	changed := false
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		changed = false
		if d, err = tx.Document(id); err != nil || d.Status == s && d.Reason == why {
			return err
		}
		d.Status, d.Reason, d.UpdatedAt, changed = s, why, p.now(), true
		return tx.PutDocument(d)
	})
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil
	}
	if err == nil && changed {
		p.notify(sc, lukasa.EventDocumentStatus, d.Node, d.Path, id, map[string]any{"status": s, "reason": why})
	}
	return err
}

func extractError(err error) error {
	if _, ok := errors.AsType[*lukasa.Error](err); ok {
		return err
	}
	if e, ok := errors.AsType[*extract.Error](err); ok {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "content", Msg: e.Error(), Hint: e.Hint}
	}
	switch {
	case errors.Is(err, extract.ErrUnsupported):
		return &lukasa.Error{Code: lukasa.CodeUnsupported, Field: "content_type", Msg: err.Error(), Hint: "docs/content-types.md lists what is read"}
	case errors.Is(err, extract.ErrTooLarge):
		return &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "content", Msg: err.Error()}
	case errors.Is(err, extract.ErrEmpty):
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "content", Msg: "holds no text once it is cleaned"}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "content", Msg: err.Error()}
}

func fetchError(err error) error {
	switch {
	case errors.Is(err, fetch.ErrBlocked):
		return final(&lukasa.Error{Code: lukasa.CodeInvalid, Field: "url", Msg: err.Error(), Hint: "allow private addresses with LUKASA_FETCH_PRIVATE=true"})
	case errors.Is(err, fetch.ErrRobots):
		return final(&lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "url", Msg: "robots.txt of the site asks programs to leave this page alone", Hint: "save it in a browser and add the file",
		})
	case errors.Is(err, fetch.ErrTooLarge):
		return final(&lukasa.Error{Code: lukasa.CodeTooLarge, Field: "url", Msg: err.Error()})
	}
	return &lukasa.Error{Code: lukasa.CodeExternal, Field: "url", Msg: err.Error()}
}
