package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Remember keeps a document. When it returns without an error, what came in is durable and can be found: by keyword at
// once, by meaning at once with a local embedder, otherwise when its job has run. The receipt's status says which.
func (p *Path) Remember(ctx context.Context, sc lukasa.Scope, in lukasa.NewDocument) (lukasa.Receipt, error) {
	r, errs := p.RememberAll(ctx, sc, []lukasa.NewDocument{in})
	return r[0], errs[0]
}

// RememberAll keeps several documents in their order, those that are worked off at once in one transaction. Each has its own
// receipt or error: one that is refused does not hold up the others.
func (p *Path) RememberAll(ctx context.Context, sc lukasa.Scope, ins []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	items := make([]item, len(ins))
	allowance := embed.NewAllowance(p.Embed)
	spread(len(ins), func(i int) {
		items[i].in, items[i].allowance = ins[i], allowance
		items[i].err = p.ready(ctx, sc, &items[i])
	})
	p.commit(ctx, sc, items)
	receipts, errs := make([]lukasa.Receipt, len(ins)), make([]error, len(ins))
	for i := range items {
		receipts[i], errs[i] = items[i].out, items[i].err
	}
	return receipts, errs
}

// RestoreDocument keeps a document that an export carried. Its text is clean, of the type that it says, and may be as long as a file.
func (p *Path) RestoreDocument(ctx context.Context, sc lukasa.Scope, in lukasa.NewDocument) (lukasa.Receipt, error) {
	list := []item{{in: in, kept: true, allowance: embed.NewAllowance(p.Embed)}}
	list[0].err = p.ready(ctx, sc, &list[0])
	p.commit(ctx, sc, list)
	return list[0].out, list[0].err
}

// item is one document on its way in.
type item struct {
	in        lukasa.NewDocument
	path      lukasa.Path
	pre       *prepared // nil once it is queued, or has failed
	files     []lukasa.File
	node      lukasa.Node
	made      bool             // the node is new
	begun     bool             // rows of it were written
	kept      bool             // it was read once before: an export carries it
	allowance *embed.Allowance // of the request that it came with
	after     func()
	out       lukasa.Receipt
	err       error
}

// ready does everything for an item that needs no transaction. What is left to a job is durable when it returns.
func (p *Path) ready(ctx context.Context, sc lukasa.Scope, it *item) (err error) {
	if err := sc.CanWrite(); err != nil {
		return err
	}
	now := p.now()
	if err := p.validate(&it.in, now, it.kept); err != nil {
		return err
	}
	if it.path, err = store.Target(sc, it.in.Container); err != nil {
		return err
	}
	d := p.draft(it.in, now)
	if known, err := p.again(ctx, sc, it, d); known || err != nil {
		return err
	}
	switch {
	case it.in.URL != "":
		d.SourceURL = it.in.URL
		it.out, err = p.queue(ctx, sc, it.path, it.in, d, nil)
		return err
	case len(it.in.Data) > p.opt.Limits.Inline:
		it.out, err = p.queue(ctx, sc, it.path, it.in, d, it.in.Data)
		return err
	}
	raw := it.in.Data
	if it.in.Content != "" {
		raw = []byte(it.in.Content)
	}
	if it.pre, err = p.prepare(ctx, d, source{data: raw, name: it.in.Name, declared: it.in.ContentType, kept: it.kept}); err != nil {
		if _, ok := errors.AsType[*unread](err); !ok || len(it.in.Data) == 0 {
			return err
		}
		if !away(err) {
			d.Status, d.Reason = lukasa.StatusFailed, reason(err)
		}
		it.out, err = p.queue(ctx, sc, it.path, it.in, d, raw)
		return err
	}
	if len(it.pre.parts) > 0 { // each becomes a document: that is a job's work
		it.pre = nil
		it.out, err = p.queue(ctx, sc, it.path, it.in, d, raw)
		return err
	}
	if len(it.pre.doc.Content) <= p.opt.Limits.Inline {
		if err := p.embedAll(ctx, it.pre, it.allowance); err != nil {
			p.Log.WarnContext(ctx, "embed inline", "err", err)
		}
	}
	p.learn(ctx, sc, it.pre)
	if it.files, err = p.keepFiles(ctx, sc.Owner, it.in.Name, it.pre); err != nil {
		it.pre = nil
	}
	return err
}

// spread runs fn for 0..n-1 on all processors.
func spread(n int, fn func(int)) {
	if n == 1 {
		fn(0)
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}

// draft fills in what the request says; the rest comes from the content.
func (p *Path) draft(in lukasa.NewDocument, now time.Time) lukasa.Document {
	origin := cmp.Or(in.Origin, lukasa.OriginUser)
	if in.Origin == "" && len(in.Data) > 0 { // a file speaks for its author
		origin = lukasa.OriginFile
	}
	if in.Origin == "" && (in.URL != "" || strings.Contains(in.SourceURL, "://")) { // a page speaks for itself, not for who saved it
		origin = lukasa.OriginWeb
	}
	tags, _ := store.MergeTags(nil, in.Tags)
	return lukasa.Document{
		ID: p.Mint.ID(lukasa.PrefixDocument), Title: in.Title, ContentType: in.ContentType, Tags: tags, Metadata: store.MergeMetadata(in.Metadata, nil),
		SourceURL: in.SourceURL, CustomID: in.CustomID, Origin: origin, Status: lukasa.StatusQueued, Version: 1, IsLatest: true,
		OccurredAt: in.OccurredAt, ForgetAfter: in.ForgetAfter, CreatedAt: *cmp.Or(utc(in.CreatedAt), &now), UpdatedAt: now,
	}
}

// standIn is the title of what has none.
const standIn = "untitled"

// queue keeps the raw bytes and leaves the work to a job.
func (p *Path) queue(ctx context.Context, sc lukasa.Scope, path lukasa.Path, in lukasa.NewDocument, d lukasa.Document, raw []byte) (lukasa.Receipt, error) {
	var files []lukasa.File
	if raw != nil {
		f, err := p.keep(ctx, sc.Owner, d.ID, "raw", in.Name, in.ContentType, raw)
		if err != nil {
			return lukasa.Receipt{}, err
		}
		files = append(files, f)
		d.Size = int64(len(raw))
	}
	if d.Title == "" {
		d.Title = cmp.Or(in.Name, in.URL, standIn)
	}
	if d.ContentType == "" {
		d.ContentType = "unknown"
	}
	var node lukasa.Node
	var made bool
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if node, made, err = store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path}); err != nil {
			return err
		}
		d.Node, d.Path = node.ID, node.Path
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		if in.Updates != "" { // the job reads it where it is written
			e := lukasa.Edge{From: string(d.ID), To: string(in.Updates), Type: lukasa.EdgeUpdates, Weight: 1, Confidence: 1}
			if err := succeeds(tx, in.Updates, path); err != nil {
				return err
			}
			if err := tx.PutEdges([]lukasa.Edge{e}); err != nil {
				return err
			}
		}
		for _, f := range files {
			if err := tx.PutFile(f); err != nil {
				return err
			}
		}
		j := p.job(sc.Owner, lukasa.JobProcess, d.ID)
		if d.Status == lukasa.StatusFailed { // it was tried; Retry tries it again
			j.Dead, j.Reason, j.Attempt = true, d.Reason, 1
		}
		return tx.Enqueue(j)
	})
	if err != nil {
		return lukasa.Receipt{}, p.dropFiles(ctx, files, err)
	}
	p.tell(sc, node, made, d, lukasa.EventDocumentCreated)
	return lukasa.Receipt{Document: d}, nil
}

// commit writes what is prepared in one transaction. Where an item turns out to be at fault when rows of it are written already, the others
// are written without it.
func (p *Path) commit(ctx context.Context, sc lukasa.Scope, items []item) {
	if !slices.ContainsFunc(items, func(it item) bool { return it.pre != nil }) {
		return
	}
	var failed *item
	err := p.keepAnyway(ctx, sc, func(tx store.Tx, learn bool) error {
		nodes := map[lukasa.Path]lukasa.Node{}
		failed = nil
		for i := range items {
			it := &items[i]
			if it.pre == nil {
				continue
			}
			if !learn {
				it.pre.lesson = nil
			}
			if it.err = p.put(tx, sc, it, nodes, items); it.err != nil && (it.begun || !refused(it.err)) {
				failed = it
				return it.err
			}
		}
		for i := range items { // behind all documents, whose rows are written many at a time as long as nothing hangs on them
			it := &items[i]
			if it.pre == nil || it.err != nil || it.out.Deduplicated {
				continue
			}
			if it.after, it.err = it.pre.teach(tx, it.node); it.err != nil {
				failed = it
				return it.err
			}
		}
		return nil
	})
	if failed != nil && refused(err) {
		failed.pre, failed.out, failed.err = nil, lukasa.Receipt{}, p.dropFiles(ctx, failed.files, err)
		p.commit(ctx, sc, items)
		return
	}
	for i := range items {
		it := &items[i]
		if it.pre == nil {
			continue
		}
		if err != nil && (it.err == nil || !refused(it.err)) {
			it.err, it.out = err, lukasa.Receipt{}
		}
		if it.err == nil && it.out.Deduplicated {
			it.err = p.heal(ctx, sc, it.out.Document.ID, it.pre.raw, func() string { return it.pre.doc.Content })
		}
		if it.err != nil || it.out.Deduplicated {
			it.err = p.dropFiles(ctx, it.files, it.err)
		}
		switch {
		case it.err != nil:
		case !it.out.Deduplicated:
			if it.after != nil {
				it.after()
			}
			p.tell(sc, it.node, it.made, it.out.Document, lukasa.EventDocumentCreated)
		case it.out.Changed:
			p.tell(sc, it.node, false, it.out.Document, lukasa.EventDocumentUpdated)
		}
	}
}

// refused reports that what was asked for is at fault, so that no row of it was written.
func refused(err error) bool {
	c := lukasa.CodeOf(err)
	return c == lukasa.CodeInvalid || c == lukasa.CodeNotFound || c == lukasa.CodeConflict || errors.Is(err, store.ErrGone)
}

// put places one prepared document of all and writes its rows. The nodes are those that earlier ones of the transaction went into.
func (p *Path) put(tx store.Tx, sc lukasa.Scope, it *item, nodes map[lukasa.Path]lukasa.Node, all []item) (err error) {
	it.out, it.made, it.begun, it.after = lukasa.Receipt{}, false, false, nil
	if it.in.Updates != "" { // asked before its container is made: what is refused leaves none behind, as the others are kept
		if err := succeeds(tx, it.in.Updates, it.path); err != nil {
			return err
		}
	}
	var known bool
	if it.node, known = nodes[it.path]; !known {
		if it.node, it.made, err = store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: it.path}); err != nil {
			return err
		}
		nodes[it.path] = it.node
		if err := foresee(tx, it.node.ID, it.path, all); err != nil {
			return err
		}
	}
	d := it.pre.doc
	d.Node, d.Path = it.node.ID, it.node.Path
	err = p.place(tx, it.in.Updates, it.titled(), &d)
	if dup, ok := errors.AsType[*duplicate](err); ok {
		it.begun = true
		if it.out, err = p.absorb(tx, dup.of, d); err != nil {
			return err
		}
		return p.mended(tx, d)
	}
	if err != nil {
		return err
	}
	it.out.Document, it.begun = d, true
	return p.write(tx, sc, d, true, it.pre, it.files)
}

// foresee has it asked at once what of several documents for a node is there already: see [store.DocumentWriter].
func foresee(tx store.Tx, node lukasa.ID, path lukasa.Path, items []item) error {
	n := 0
	keys := map[string][]string{}
	add := func(key, value string) {
		if value != "" {
			keys[key] = append(keys[key], value)
		}
	}
	for i := range items {
		if it := &items[i]; it.pre != nil && it.path == path {
			n++
			d := &it.pre.doc
			add("content_hash", d.ContentHash)
			add("custom_id", d.CustomID)
			add("source_url", d.SourceURL)
			if it.titled() {
				add("title", d.Title)
			}
		}
	}
	for key, values := range keys {
		if n > 1 {
			if err := tx.Foresee(node, key, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// titled reports whether a document has a title that somebody gave it now.
func (it *item) titled() bool { return it.in.Title != "" && !it.kept }

// teach writes what was learned from the document beside it.
func (pre *prepared) teach(tx store.Tx, node lukasa.Node) (after func(), err error) {
	return teach(pre.lesson, tx, node, func(id lukasa.ID) lukasa.ID { return id })
}

// write puts the rows of a placed document; fresh says that it is not there yet.
func (p *Path) write(tx store.Tx, sc lukasa.Scope, d lukasa.Document, fresh bool, pre *prepared, files []lukasa.File) error {
	if len(files) > 0 && len(d.Content) > RowLimit {
		d.Content = "" // it is in the file of role text
	}
	for i := range pre.chunks {
		pre.chunks[i].Node = d.Node
	}
	w := store.Whole{Document: d, Chunks: pre.chunks, Summary: len(pre.chunks) > 1, Space: p.Embed.Space().ID, Vectors: pre.vectors}
	if fresh {
		if err := tx.AddDocument(w); err != nil {
			return err
		}
	} else if err := rewrite(tx, w); err != nil {
		return err
	}
	if err := p.mended(tx, d); err != nil {
		return err
	}
	for _, f := range files {
		if err := tx.PutFile(f); err != nil {
			return err
		}
	}
	switch d.ContentType {
	case extract.TypeText, extract.TypeMarkdown, extract.TypeHTML:
		if err := p.enqueueDistil(tx, sc, d.ID); err != nil {
			return err
		}
	}
	if d.Status != lukasa.StatusDone {
		return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, d.ID))
	}
	return nil
}

// rewrite puts the rows of a document that is there already.
func rewrite(tx store.Tx, w store.Whole) error {
	if err := tx.PutDocument(w.Document); err != nil {
		return err
	}
	if err := tx.ReplaceChunks(w.ID, w.Chunks); err != nil {
		return err
	}
	if err := tx.SummaryEntry(w.ID, w.Summary); err != nil {
		return err
	}
	return tx.PutVectors(w.Space, w.Vectors)
}

// duplicate says that the latest version of another document has the same text.
type duplicate struct{ of lukasa.Document }

func (d *duplicate) Error() string { return "same text as " + string(d.of.ID) }

// place finds the document's predecessor, if it has one, and sets version and previous. The same text as the latest version
// of a document in the node is a [duplicate], unless an explicit predecessor is named, or the document has a custom id and the
// other one has not the same.
func (p *Path) place(tx store.Tx, updates lukasa.ID, titled bool, d *lukasa.Document) error {
	if updates != "" {
		prev, err := tx.Document(updates)
		if err != nil {
			return fmt.Errorf("find the document to update: %w", err)
		}
		chain, err := tx.Versions(prev.ID)
		if err != nil {
			return err
		}
		if len(chain) > 0 {
			prev = chain[0]
		}
		if prev.Node != d.Node {
			return lukasa.Errorf(lukasa.CodeConflict, "a new version must stay in the container of %s", updates)
		}
		return succeed(d, prev)
	}
	same, err := sameText(tx, *d)
	switch {
	case err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound:
		return err
	case err == nil && same.ID != d.ID:
		return &duplicate{of: same}
	}
	keys := [][2]string{{"custom_id", d.CustomID}, {"source_url", d.SourceURL}}
	if titled {
		keys = append(keys, [2]string{"title", d.Title})
	}
	for _, k := range keys {
		if k[1] == "" {
			continue
		}
		prev, err := tx.LatestBy(d.Node, k[0], k[1])
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		if k[0] == "source_url" && prev.CustomID != d.CustomID { // a bookmark is no version of the page that it points to
			if prev, err = p.page(tx, *d); err != nil {
				return err
			}
		}
		if prev.ID == "" || prev.ID == d.ID || k[0] == "title" && (prev.SourceURL != d.SourceURL || prev.CustomID != d.CustomID || !text.Alike(prev.Content, d.Content)) {
			continue
		}
		return succeed(d, prev)
	}
	return nil
}

// succeeds returns an error where a document in a container cannot be a version of the one that it names.
func succeeds(r store.Reader, updates lukasa.ID, path lukasa.Path) error {
	prev, err := r.Document(updates)
	switch {
	case err != nil:
		return fmt.Errorf("find the document to update: %w", err)
	case prev.Path != path:
		return lukasa.Errorf(lukasa.CodeConflict, "a new version must stay in the container of %s", updates)
	}
	return nil
}

// page finds the newest document with the address and the custom id of another one; the zero document if there is none.
func (p *Path) page(tx store.Tx, d lukasa.Document) (lukasa.Document, error) {
	l, err := tx.Documents(lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: d.Path, Mode: '!'}}, SourceURL: d.SourceURL}, lukasa.Page{Limit: 100})
	for _, x := range l.Items {
		if x.CustomID == d.CustomID && x.ContentHash != "" {
			return x, err
		}
	}
	return lukasa.Document{}, err
}

// sameText finds the latest version in the node that has the text of a document: under its custom id, or under any where it has none.
func sameText(tx store.Tx, d lukasa.Document) (lukasa.Document, error) {
	if d.CustomID == "" {
		return tx.LatestByHash(d.Node, d.ContentHash)
	}
	x, err := tx.LatestBy(d.Node, "custom_id", d.CustomID)
	if err == nil && x.ContentHash != d.ContentHash {
		return lukasa.Document{}, lukasa.NotFound("document with custom_id and this text", d.CustomID)
	}
	return x, err
}

func succeed(d *lukasa.Document, prev lukasa.Document) error {
	d.Previous, d.Version, d.IsLatest = prev.ID, prev.Version+1, true
	if d.CustomID == "" {
		d.CustomID = prev.CustomID
	}
	if d.SourceURL == "" {
		d.SourceURL = prev.SourceURL
	}
	return nil
}

func (p *Path) job(owner lukasa.ID, kind lukasa.JobKind, record lukasa.ID) lukasa.Job {
	now := p.now()
	return lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: owner, Kind: kind, Record: record, MaxTries: p.opt.MaxTries, RunAt: now, Created: now}
}

func (p *Path) tell(sc lukasa.Scope, n lukasa.Node, made bool, d lukasa.Document, t lukasa.EventType) {
	if made {
		p.notify(sc, lukasa.EventNodeCreated, n.ID, n.Path, n.ID, nil)
	}
	p.notify(sc, t, d.Node, d.Path, d.ID, map[string]any{"title": d.Title, "status": d.Status, "version": d.Version})
}
