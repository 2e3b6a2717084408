package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// What the metadata of an imported record says of the export that it came from. The mark is a hash of the item as it stood in
// the export: an item with the mark that is kept already is passed over before anything is read out of it, so that importing
// again is cheap, and so is going on after an import was cut off.
const (
	exportID   = "export_id"
	exportMark = "export_hash"
)

// maxImport is how many items one call takes.
const maxImport = 200

// Doors are the ways that everything goes which a user adds.
type Doors struct {
	Remember func(ctx context.Context, sc lukasa.Scope, ins []lukasa.NewDocument) ([]lukasa.Receipt, []error)
	Room     func(ctx context.Context, sc lukasa.Scope, bytes int64) error // an error where the user has no room for as much
}

// ImportItems keeps items of an export. One that is there as it is in the export changes nothing, so that an import that was cut
// off, or is made again, adds only what is missing. Each item has a result; an error means that the rest was not looked at.
func (p *Path) ImportItems(ctx context.Context, sc lukasa.Scope, items []exports.Item, d Doors) ([]exports.Result, error) {
	if err := sc.CanWrite(); err != nil {
		return nil, err
	}
	if len(items) > maxImport {
		return nil, lukasa.Invalid("items", "has %d entries, at most %d are allowed", len(items), maxImport)
	}
	out := make([]exports.Result, len(items))
	var docs []lukasa.NewDocument
	var at []int
	for i, it := range items {
		var err error
		switch {
		case it.Document != nil && it.Append == nil && it.Memory == nil:
			docs, at = append(docs, *it.Document), append(at, i)
		case it.Append != nil && it.Document == nil && it.Memory == nil:
			out[i], err = p.importMessages(ctx, sc, d, *it.Append, it.Title)
		case it.Memory != nil && it.Append == nil && it.Document == nil && it.Key != "":
			out[i], err = p.importMemory(ctx, sc, d, it.Key, *it.Memory)
		default:
			out[i].Failed = "it is not exactly one of append, document and memory, or a memory without a key"
		}
		if err != nil {
			return nil, err
		}
	}
	if len(docs) == 0 {
		return out, nil
	}
	got, err := p.importDocuments(ctx, sc, d, docs)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		out[i] = got[k]
	}
	return out, nil
}

// mark hashes what an export says of a record. The container is no part of it, and neither is a mark that is there already.
func mark(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // values that JSON has no form for: never the same twice, which costs time and nothing else
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// utc is the same moment wherever it was read.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

func marked(meta map[string]any, m string) map[string]any {
	return store.MergeMetadata(maps.Clone(meta), map[string]any{exportMark: m})
}

// importDocuments keeps documents of an export: each is known by its custom id, and one that is there as it is in the export
// is passed over. What was renamed in its source is renamed here.
func (p *Path) importDocuments(ctx context.Context, sc lukasa.Scope, doors Doors, ins []lukasa.NewDocument) ([]exports.Result, error) {
	out := make([]exports.Result, len(ins))
	var todo []lukasa.NewDocument
	var at []int
	for i, in := range ins {
		if in.CustomID == "" {
			out[i].Failed = "it has no id"
			continue
		}
		in.Origin = lukasa.OriginImport
		bare := in
		bare.Container, bare.OccurredAt, bare.CreatedAt = "", utc(in.OccurredAt), utc(in.CreatedAt)
		in.Metadata = marked(in.Metadata, mark(bare))
		if in.SourceURL == "" {
			if u, _ := in.Metadata["url"].(string); checkURL("url", u) == nil {
				in.SourceURL = u
			}
		}
		path, err := store.Target(sc, in.Container)
		if err != nil {
			return out, err
		}
		in.Container = string(path)
		there, err := p.imported(ctx, sc, path, in)
		if err != nil {
			return out, err
		}
		if there.ID != "" && there.Metadata[exportMark] == in.Metadata[exportMark] {
			out[i] = exports.Result{ID: there.ID, Unchanged: 1, Waiting: there.Status != lukasa.StatusDone && there.Status != lukasa.StatusFailed}
			if there.Status == lukasa.StatusFailed {
				out[i] = exports.Result{ID: there.ID, Failed: there.Reason}
			}
			continue
		}
		todo, at = append(todo, in), append(at, i)
	}
	if len(todo) == 0 {
		return out, nil
	}
	receipts, errs := doors.Remember(ctx, sc, todo)
	for k, i := range at {
		var err error
		if out[i], err = p.settled(ctx, sc, todo[k], receipts[k], errs[k]); err != nil {
			return out, err
		}
	}
	return out, nil
}

// imported finds what an item was kept as; the zero document when it is new. A document that still waits for its text, or
// whose text was there already, is known by its custom id alone.
func (p *Path) imported(ctx context.Context, sc lukasa.Scope, path lukasa.Path, in lukasa.NewDocument) (d lukasa.Document, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		node, err := r.NodeAt(path)
		if err == nil {
			d, err = r.LatestBy(node.ID, "custom_id", in.CustomID)
		}
		if lukasa.CodeOf(err) != lukasa.CodeNotFound || len(in.Data) == 0 {
			return err
		}
		l, err := r.Documents(lukasa.DocumentFilter{
			Containers: []lukasa.Pattern{{Path: path, Mode: '!'}}, CustomID: in.CustomID, AllVersions: true,
		}, lukasa.Page{Limit: 100})
		for _, x := range l.Items {
			if d.ID == "" || x.UpdatedAt.After(d.UpdatedAt) {
				d = x
			}
		}
		return err
	})
	return d, unlessGone(err)
}

// settled words what became of a document. An error is one that ends the import.
func (p *Path) settled(ctx context.Context, sc lukasa.Scope, in lukasa.NewDocument, r lukasa.Receipt, err error) (exports.Result, error) {
	switch {
	case err != nil && passing(err):
		return exports.Result{}, err
	case err != nil:
		return exports.Result{Failed: reason(err)}, nil
	}
	d := r.Document
	got := exports.Result{ID: d.ID, Waiting: d.Status != lukasa.StatusDone && d.Status != lukasa.StatusFailed}
	switch {
	case d.Status == lukasa.StatusFailed:
		got.Failed = d.Reason
	case r.Deduplicated && d.CustomID == in.CustomID && in.Title != "" && d.Title != in.Title:
		if _, err := p.PatchDocument(ctx, sc, d.ID, lukasa.DocumentPatch{Title: &in.Title}); err != nil {
			return got, err
		}
		got.Replaced = 1
	case r.Deduplicated && !r.Changed:
		got.Unchanged = 1
	case r.Deduplicated || d.Version > 1:
		got.Replaced = 1
	default:
		got.New = 1
	}
	return got, nil
}

// passing reports whether an error is no fault of the item: the next one would meet it too.
func passing(err error) bool {
	switch lukasa.CodeOf(err) {
	case lukasa.CodeInvalid, lukasa.CodeUnknownField, lukasa.CodeNotFound, lukasa.CodeConflict, lukasa.CodeTooLarge, lukasa.CodeUnsupported:
		return false
	}
	return true
}

// importMessages appends messages of an exported conversation. Those that are there as they are in the export are passed
// over, others take the place of what is there under their id. The conversation and its documents take the title of the export,
// and the documents say that they were imported.
func (p *Path) importMessages(ctx context.Context, sc lukasa.Scope, doors Doors, in lukasa.Append, title string) (exports.Result, error) {
	var got exports.Result
	conv, rest, err := p.fresh(ctx, sc, in)
	if err != nil {
		return got, err
	}
	got.ID, got.Unchanged = conv, len(in.Messages)-len(rest)
	if len(rest) > 0 {
		in.Messages, in.Replace = rest, true
		var c lukasa.Conversation
		var results []lukasa.AppendResult
		var size int64
		for _, m := range rest {
			size += int64(len(m.Content))
		}
		if err = doors.Room(ctx, sc, size); err == nil {
			c, results, err = p.Append(ctx, sc, in)
		}
		switch {
		case err != nil && passing(err):
			return got, err
		case err != nil:
			got.Failed = reason(err)
			return got, nil
		}
		got.ID = c.ID
		for _, r := range results {
			switch r.Status {
			case "logged":
				got.New++
			case "unchanged":
				got.Unchanged++
			default:
				got.Replaced++
			}
		}
	}
	return got, p.label(ctx, sc, got.ID, title)
}

// fresh returns the messages that are not there as they are, and the conversation if it is there.
func (p *Path) fresh(ctx context.Context, sc lukasa.Scope, in lukasa.Append) (conv lukasa.ID, rest []lukasa.NewMessage, err error) {
	path, err := store.Target(sc, in.Container)
	if err != nil {
		return "", nil, err
	}
	there := map[string]lukasa.Message{}
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		node, err := r.NodeAt(path)
		if err != nil {
			return err
		}
		c, err := meant(r, node.ID, in)
		if err != nil {
			return err
		}
		conv = c.ID
		ids := make([]string, len(in.Messages))
		for i, m := range in.Messages {
			ids[i] = m.ExternalID
		}
		known, err := r.MessagesByExternal(c.ID, ids)
		for _, m := range known {
			there[m.ExternalID] = m
		}
		return err
	})
	if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return "", nil, err
	}
	for _, m := range in.Messages {
		old, ok := there[m.ExternalID]
		if !ok || m.ExternalID == "" || !sameMessage(old, lukasa.Message{
			Content: m.Content, Role: m.Role, Speaker: m.Speaker, Session: m.Session, Time: m.Time, Metadata: m.Metadata,
		}) {
			rest = append(rest, m)
		}
	}
	return conv, rest, nil
}

// label gives a conversation that has no title one, and its documents that bear its name as theirs. One that somebody gave stays.
func (p *Path) label(ctx context.Context, sc lukasa.Scope, id lukasa.ID, title string) error {
	title = clipTitle(title)
	var conv lukasa.Conversation
	var bare []lukasa.ID
	look := func(r store.Reader) (err error) {
		bare = bare[:0]
		if conv, err = r.Conversation(id); err != nil {
			return err
		}
		for page := (lukasa.Page{Limit: 100}); ; {
			l, err := r.Segments(store.SegmentFilter{Conversation: id}, page)
			if err != nil {
				return err
			}
			ids := make([]lukasa.ID, len(l.Items))
			for i, s := range l.Items {
				ids[i] = s.Document
			}
			docs, err := r.DocumentsByID(ids)
			if err != nil {
				return err
			}
			for _, d := range docs {
				if d.Origin != lukasa.OriginImport || d.Title == conv.ExternalID && d.Title != cmp.Or(conv.Title, title, d.Title) {
					bare = append(bare, d.ID)
				}
			}
			if page.Cursor = l.Next; l.Next == "" {
				return nil
			}
		}
	}
	untitled := func() bool { return conv.Title == "" && title != "" && title != conv.ExternalID }
	if err := p.Store.View(ctx, sc, look); err != nil || len(bare) == 0 && !untitled() {
		return err
	}
	return p.Store.Update(ctx, sc, func(tx store.Tx) error {
		if err := look(tx); err != nil {
			return err
		}
		tx.Because("import", "named as in the export")
		if untitled() {
			conv.Title = title
			if err := tx.PutConversation(conv); err != nil {
				return err
			}
		}
		for _, id := range bare {
			d, err := tx.Document(id)
			if err != nil {
				return err
			}
			if d.Origin = lukasa.OriginImport; d.Title == conv.ExternalID {
				d.Title = cmp.Or(conv.Title, d.Title)
			}
			if err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return nil
	})
}

func clipTitle(s string) string {
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	return string([]rune(s)[:maxTitle-1]) + "…"
}

// importMemory keeps a memory of an export. Its id is made of the key, so that it is found again; what has changed in the
// export takes the place of what is there, which stays as history. A statement that is too long for one becomes a document.
func (p *Path) importMemory(ctx context.Context, sc lukasa.Scope, doors Doors, key string, in lukasa.NewMemory) (exports.Result, error) {
	if utf8.RuneCountInString(in.Content) > store.MaxStatement && len(key) <= maxCustomID {
		docs, err := p.importDocuments(ctx, sc, doors, []lukasa.NewDocument{{
			Content: in.Content, Container: in.Container, CustomID: key, Tags: in.Tags, Metadata: in.Metadata, OccurredAt: in.OccurredAt, ForgetAfter: in.ForgetAfter,
		}})
		return docs[0], err
	}
	path, err := store.Target(sc, in.Container)
	if err != nil {
		return exports.Result{}, err
	}
	bare := in
	bare.Container, bare.OccurredAt = "", utc(in.OccurredAt)
	in.Metadata = marked(in.Metadata, mark(bare))
	in.Metadata[exportID] = key
	last, mine, err := p.lineage(ctx, sc, path, key)
	switch {
	case err != nil:
		return exports.Result{}, err
	case mine.ID != "" && mine.Metadata[exportMark] == in.Metadata[exportMark]:
		return exports.Result{ID: last.ID, Unchanged: 1}, nil
	case mine.ID != "" && mine.ID == last.ID && mine.Content == in.Content:
		_, err := p.Told.PatchMemory(ctx, sc, mine.ID, lukasa.MemoryPatch{Tags: &in.Tags, Metadata: in.Metadata})
		return importedMemory(exports.Result{ID: mine.ID, Replaced: 1}, err)
	}
	if gone, err := p.deleted(ctx, sc, path, key, last); gone || err != nil {
		return importedMemory(exports.Result{Deleted: 1}, err)
	}
	if err := doors.Room(ctx, sc, int64(len(in.Content))); err != nil {
		return importedMemory(exports.Result{}, err)
	}
	if mine.ID != "" {
		in.Updates, in.Reason, in.Container = last.ID, "changed in the export", ""
		m, err := p.Told.KeepMemory(ctx, sc, p.Mint.ID(lukasa.PrefixMemory), lukasa.OriginImport, path, in)
		return importedMemory(exports.Result{ID: m.ID, Replaced: 1}, err)
	}
	var m lukasa.Memory
	for n := range memoryIDs { // one whose place is taken, and that is not to be seen, lies in the trash
		m, err = p.Told.KeepMemory(ctx, sc, memoryID(path, key, n), lukasa.OriginImport, path, in)
		if lukasa.CodeOf(err) != lukasa.CodeNotFound {
			break
		}
	}
	return importedMemory(exports.Result{ID: m.ID, New: 1}, err)
}

// deleted reports whether the memory of a key, which is not there as the export has it, was deleted by hand. last is the newest that is there in its
// line, whose place it took.
func (p *Path) deleted(ctx context.Context, sc lukasa.Scope, path lukasa.Path, key string, last lukasa.Memory) (bool, error) {
	var ids []lukasa.ID
	switch {
	case last.ID == "":
		for n := range memoryIDs {
			ids = append(ids, memoryID(path, key, n))
		}
	case last.RetiredBy != "":
		ids = append(ids, last.RetiredBy)
	}
	for _, id := range ids {
		if gone, err := store.ForgottenOf(ctx, p.Store, store.OfMemory(sc.Owner, id).Document); len(gone) > 0 || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

func importedMemory(got exports.Result, err error) (exports.Result, error) {
	if err == nil || passing(err) {
		return got, err
	}
	return exports.Result{Failed: reason(err)}, nil
}

// memoryIDs is how many ids an imported memory can have: more than one, as it may come again while it lies in the trash.
const memoryIDs = 4

// memoryID makes the nth id of an imported memory out of its key. Its time is the beginning of the epoch, so that none that is
// minted is like it.
func memoryID(path lukasa.Path, key string, n int) lukasa.ID {
	sum := sha256.Sum256(fmt.Appendf(nil, "import\x00%s\x00%s\x00%d", path, key, n))
	return lukasa.MakeID(lukasa.PrefixMemory, time.UnixMilli(0), [10]byte(sum[:10]))
}

// lineage follows an imported memory to the one that stands in its place today. mine is the newest of them that an import
// made; both are zero where there is none.
func (p *Path) lineage(ctx context.Context, sc lukasa.Scope, path lukasa.Path, key string) (last, mine lukasa.Memory, err error) {
	const most = 1000
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		m, err := importedAs(r, path, key)
		for range most {
			if err != nil {
				break
			}
			last = m
			if m.Origin == lukasa.OriginImport && m.Metadata[exportMark] != nil {
				mine = m
			}
			if m.IsLatest || m.RetiredBy == "" {
				return nil
			}
			m, err = r.Memory(m.RetiredBy)
		}
		return unlessGone(err)
	})
	return last, mine, err
}

// importedAs finds the memory that an import made of a key.
func importedAs(r store.Reader, path lukasa.Path, key string) (m lukasa.Memory, err error) {
	for n := range memoryIDs {
		if m, err = r.Memory(memoryID(path, key, n)); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			break
		}
	}
	return m, err
}

// maxLinks is how many links of one record are kept.
const maxLinks = 1000

// ImportLinks makes `references` edges of the links of records, which must come together, and returns how many are new. What
// a record pointed to at the last import and points to no longer goes. Ends that are not there are passed over.
func (p *Path) ImportLinks(ctx context.Context, sc lukasa.Scope, container string, links []exports.Link) (int, error) {
	made := 0
	if err := sc.CanWrite(); err != nil {
		return 0, err
	}
	path, err := store.Target(sc, container)
	if err != nil {
		return 0, err
	}
	to := map[lukasa.ID][]string{}
	var from []lukasa.ID
	for _, l := range links {
		if _, ok := to[l.From]; !ok {
			from = append(from, l.From)
		}
		to[l.From] = append(to[l.From], l.To)
	}
	var plans []pointing
	plan := func(r store.Reader) error {
		plans, made = plans[:0], 0
		node, err := r.NodeAt(path)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return nil
		}
		for _, id := range from {
			if err != nil {
				return err
			}
			var x pointing
			if x, err = point(r, node, id, to[id]); x.stale || len(x.put) > 0 {
				plans, made = append(plans, x), made+x.made
			}
		}
		return err
	}
	if err := p.Store.View(ctx, sc, plan); err != nil || len(plans) == 0 {
		return 0, err
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		if err := plan(tx); err != nil {
			return err
		}
		for _, x := range plans {
			if x.stale {
				if err := tx.DeleteEdges(x.from, lukasa.EdgeReferences); err != nil {
					return err
				}
			}
			if err := tx.PutEdges(x.put); err != nil {
				return err
			}
		}
		return nil
	})
	return made, err
}

// pointing is what has to be done for a record to point to what its links say.
type pointing struct {
	from  lukasa.ID
	stale bool // some of its edges have to go: all are made anew
	put   []lukasa.Edge
	made  int
}

// point compares the edges of a record with its links.
func point(r store.Reader, node lukasa.Node, from lukasa.ID, links []string) (pointing, error) {
	x := pointing{from: from}
	want := map[string]bool{}
	for _, l := range links {
		id, err := linked(r, node, l)
		if err != nil {
			return x, err
		}
		if id != "" && id != from && len(want) < maxLinks {
			want[string(id)] = true
		}
	}
	there, err := r.Edges([]lukasa.ID{from}, []lukasa.EdgeType{lukasa.EdgeReferences}, 4*maxLinks)
	if err != nil {
		return x, err
	}
	for _, e := range there {
		switch {
		case e.From != string(from):
		case want[e.To]:
			delete(want, e.To)
			x.put = append(x.put, e)
		case e.Metadata["origin"] == string(lukasa.OriginImport):
			x.stale = true
		default:
			x.put = append(x.put, e)
		}
	}
	if !x.stale {
		x.put = nil
	}
	x.made = len(want)
	for _, to := range slices.Sorted(maps.Keys(want)) {
		x.put = append(x.put, lukasa.Edge{
			From: string(from), To: to, Type: lukasa.EdgeReferences, Weight: 1, Confidence: 1, Metadata: map[string]any{"origin": string(lukasa.OriginImport)},
		})
	}
	return x, nil
}

// linked finds what a link points to, "" if it is not there.
func linked(r store.Reader, node lukasa.Node, to string) (lukasa.ID, error) {
	for _, look := range []func() (lukasa.ID, error){
		func() (lukasa.ID, error) { d, err := r.Document(known(lukasa.PrefixDocument, to)); return d.ID, err },
		func() (lukasa.ID, error) { m, err := r.Memory(known(lukasa.PrefixMemory, to)); return m.ID, err },
		func() (lukasa.ID, error) {
			c, err := r.Conversation(known(lukasa.PrefixConversation, to))
			return c.ID, err
		},
		func() (lukasa.ID, error) { d, err := r.LatestBy(node.ID, "custom_id", to); return d.ID, err },
		func() (lukasa.ID, error) { c, err := r.ConversationAt(node.ID, to, false); return c.ID, err },
		func() (lukasa.ID, error) { m, err := importedAs(r, node.Path, to); return m.ID, err },
		func() (lukasa.ID, error) { d, err := r.LatestBy(node.ID, "title", to); return d.ID, err },
	} {
		id, err := look()
		if err == nil {
			return id, nil
		}
		if lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return "", fmt.Errorf("find what a link points to: %w", err)
		}
	}
	return "", nil
}

// known returns s as an id of the kind, or an id that nothing has.
func known(p lukasa.Prefix, s string) lukasa.ID {
	id, err := lukasa.ParseID(p, s)
	if err != nil {
		return ""
	}
	return id
}
