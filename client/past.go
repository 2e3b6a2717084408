package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Difference is one field that differs. Before or After is nil where the field, or the record, was not there.
type Difference struct {
	Name   string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Diff says how a record differs between two moments, or a document from another.
type Diff struct {
	Record lukasa.ID    `json:"record_id"`
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"`
	Fields []Difference `json:"fields"`
	Text   string       `json:"text,omitempty"` // unified, of two documents
}

func record(id lukasa.ID, what string) string { return at("/v1/records/", string(id)) + what }

// History lists the changes of a memory, document or container, newest first, each with the record before and after it.
func (c *Client) History(ctx context.Context, id lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Delta], error) {
	return c.HistoryAt(ctx, id, p, time.Time{})
}

// HistoryAt is History until a moment.
func (c *Client) HistoryAt(ctx context.Context, id lukasa.ID, p lukasa.Page, as time.Time) (lukasa.Listing[lukasa.Delta], error) {
	return ask[lukasa.Listing[lukasa.Delta]](ctx, c, call{method: http.MethodGet, path: record(id, "/history"), query: moment(query(nil, p), as)})
}

// Diff returns the fields of a memory, document or container that differ between two moments; a zero to is now.
func (c *Client) Diff(ctx context.Context, id lukasa.ID, from, to time.Time) (Diff, error) {
	q := url.Values{}
	for name, t := range map[string]time.Time{"from": from, "to": to} {
		if !t.IsZero() {
			q.Set(name, t.UTC().Format(time.RFC3339Nano))
		}
	}
	return ask[Diff](ctx, c, call{method: http.MethodGet, path: record(id, "/diff"), query: q})
}

// DiffVersions returns how a document differs from another, such as an earlier version of it: fields and text.
func (c *Client) DiffVersions(ctx context.Context, from, to lukasa.ID) (Diff, error) {
	return ask[Diff](ctx, c, call{method: http.MethodGet, path: record(to, "/diff"), query: params("with", string(from))})
}

// Undo turns one change back and returns it. A record that has changed again since is [lukasa.CodeConflict].
func (c *Client) Undo(ctx context.Context, delta lukasa.ID) (lukasa.Delta, error) {
	return ask[lukasa.Delta](ctx, c, call{method: http.MethodPost, path: at("/v1/deltas/", string(delta)) + "/undo"})
}

// RestoreTo makes the state that a memory, document or container had at a moment current again. [Client.Restore] takes records
// out of the trash.
func (c *Client) RestoreTo(ctx context.Context, id lukasa.ID, moment time.Time, reason string) error {
	body := map[string]any{"at": moment.UTC().Format(time.RFC3339Nano), "reason": reason}
	_, err := ask[map[string]any](ctx, c, call{method: http.MethodPost, path: record(id, "/restore"), body: body})
	return err
}

// RestoreVersion saves the content of an earlier version of a document as the newest one.
func (c *Client) RestoreVersion(ctx context.Context, id lukasa.ID) (lukasa.Receipt, error) {
	r, err := ask[receipt](ctx, c, call{method: http.MethodPost, path: at("/v1/documents/", string(id)) + "/restore"})
	return r.words(), err
}

// Correct keeps a statement in the place of one that it corrects: that one stays, no longer latest, with the reason.
func (c *Client) Correct(ctx context.Context, id lukasa.ID, content, reason string) (lukasa.Memory, error) {
	return c.AddMemory(ctx, lukasa.NewMemory{Content: content, Updates: id, Reason: reason})
}

// At returns the client's view of what was known at a moment. What was deleted for good since is not in it, and rights are today's.
func (c *Client) At(moment time.Time) Past { return Past{c, moment} }

// Past reads as [Client] does, but what was known at a moment: documents with their chunks and versions, memories, conversations,
// recall files, containers, history, counts, searches, briefs and profiles. What takes a moment of its own, like [Client.Shell], keeps to
// that; accounts, jobs, files and the trash are today's, and so are writes.
type Past struct {
	*Client
	Moment time.Time
}

// Memory returns a memory as it was.
func (p Past) Memory(ctx context.Context, id lukasa.ID) (lukasa.Memory, error) {
	return ask[lukasa.Memory](ctx, p.Client, call{method: http.MethodGet, path: at("/v1/memories/", string(id)), query: moment(url.Values{}, p.Moment)})
}

// Memories lists memories as they were; see [Client.Memories].
func (p Past) Memories(ctx context.Context, f lukasa.MemoryFilter, page lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
	return p.memories(ctx, moment(memoryQuery(f, page), p.Moment))
}

// Document returns a document as it was, with its text.
func (p Past) Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error) {
	return ask[lukasa.Document](ctx, p.Client, call{method: http.MethodGet, path: at("/v1/documents/", string(id)), query: moment(url.Values{}, p.Moment)})
}

// Documents lists documents as they were; see [Client.Documents].
func (p Past) Documents(ctx context.Context, f lukasa.DocumentFilter, page lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	b := listBody(f, page)
	if !p.Moment.IsZero() {
		b.AsOf = &p.Moment
	}
	return p.documents(ctx, b)
}

// Nodes lists the containers that there were; see [Client.Nodes].
func (p Past) Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return items[lukasa.Node](ctx, p.Client, "/v1/nodes", moment(query(in, lukasa.Page{}), p.Moment))
}

// Node returns a container as it was; see [Client.Shell] for all of it.
func (p Past) Node(ctx context.Context, idOrPath string) (lukasa.Node, error) {
	s, err := p.Shell(ctx, idOrPath, p.Moment)
	return s.Node, err
}

// Search answers a query by what was known then.
func (p Past) Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error) {
	if !p.Moment.IsZero() {
		q.AsOf = &p.Moment
	}
	return p.Client.Search(ctx, q)
}

func (p Past) query() url.Values { return moment(url.Values{}, p.Moment) }

// as is the moment for requests in which none is nil.
func (p Past) as(named *time.Time) *time.Time {
	if named != nil || p.Moment.IsZero() {
		return named
	}
	return &p.Moment
}

// Brief packs what was known then; see [Client.Brief].
func (p Past) Brief(ctx context.Context, in BriefRequest) (Brief, error) {
	in.AsOf = p.as(in.AsOf)
	return p.Client.Brief(ctx, in)
}

// Profile returns what was known then; see [Client.Profile].
func (p Past) Profile(ctx context.Context, in ProfileRequest) (Profile, error) {
	in.AsOf = p.as(in.AsOf)
	return p.Client.Profile(ctx, in)
}

// Chunks returns the chunks that a document had; see [Client.Chunks].
func (p Past) Chunks(ctx context.Context, id lukasa.ID) ([]lukasa.Chunk, error) {
	return items[lukasa.Chunk](ctx, p.Client, at("/v1/documents/", string(id))+"/chunks", p.query())
}

// Versions returns the versions that a document had; see [Client.Versions].
func (p Past) Versions(ctx context.Context, id lukasa.ID) ([]lukasa.Document, error) {
	return items[lukasa.Document](ctx, p.Client, at("/v1/documents/", string(id))+"/versions", p.query())
}

// Content returns what a document was then; see [Client.Content].
func (p Past) Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error) {
	return p.woken(ctx, at("/v1/documents/", string(id))+"/content", p.query())
}

// Conversations lists the conversations that there were; see [Client.Conversations].
func (p Past) Conversations(ctx context.Context, in []lukasa.Pattern, page lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) {
	return ask[lukasa.Listing[lukasa.Conversation]](ctx, p.Client, call{method: http.MethodGet, path: "/v1/conversations", query: moment(query(in, page), p.Moment)})
}

// Conversation returns a conversation as it was.
func (p Past) Conversation(ctx context.Context, id lukasa.ID) (lukasa.Conversation, error) {
	return ask[lukasa.Conversation](ctx, p.Client, call{method: http.MethodGet, path: at("/v1/conversations/", string(id)), query: p.query()})
}

// ConversationNamed returns a conversation as it was; see [Client.ConversationNamed].
func (p Past) ConversationNamed(ctx context.Context, idOrName, container string) (lukasa.Conversation, error) {
	return ask[lukasa.Conversation](ctx, p.Client, call{method: http.MethodGet, path: at("/v1/conversations/", idOrName), query: moment(params("container", container), p.Moment)})
}

// Messages lists what had been said in a conversation; see [Client.Messages].
func (p Past) Messages(ctx context.Context, id lukasa.ID, page lukasa.Page) (lukasa.Listing[lukasa.Message], error) {
	to := call{method: http.MethodGet, path: at("/v1/conversations/", string(id)) + "/messages", query: moment(query(nil, page), p.Moment)}
	return ask[lukasa.Listing[lukasa.Message]](ctx, p.Client, to)
}

// MessageContext returns what had been said around a message; see [Client.MessageContext].
func (p Past) MessageContext(ctx context.Context, id lukasa.ID, before, after int) (MessageContext, error) {
	return p.messageContext(ctx, id, before, after, p.Moment)
}

// History lists the changes of a record until then; see [Client.History].
func (p Past) History(ctx context.Context, id lukasa.ID, page lukasa.Page) (lukasa.Listing[lukasa.Delta], error) {
	return p.HistoryAt(ctx, id, page, p.Moment)
}

// RecallFiles lists the recall files that there were; see [Client.RecallFiles].
func (p Past) RecallFiles(ctx context.Context, f RecallFileQuery, page lukasa.Page) (lukasa.Listing[RecallFile], error) {
	if f.At.IsZero() {
		f.At = p.Moment
	}
	return p.Client.RecallFiles(ctx, f, page)
}

// RecallFile returns a recall file as it was; see [Client.RecallFile].
func (p Past) RecallFile(ctx context.Context, id lukasa.ID, include ...string) (RecallFile, error) {
	return p.RecallFileAt(ctx, id, p.Moment, include...)
}

// Artifact opens an artifact that a recall file had; see [Client.Artifact].
func (p Past) Artifact(ctx context.Context, id lukasa.ID, name string) (io.ReadCloser, error) {
	return p.do(ctx, call{method: http.MethodGet, path: at("/v1/recall-files/", string(id)) + at("/artifacts/", name), query: p.query()})
}

// DefiningMemories lists the defining memories that there were; see [Client.DefiningMemories].
func (p Past) DefiningMemories(ctx context.Context, f DefiningQuery, page lukasa.Page) (lukasa.Listing[DefiningMemory], error) {
	if f.At.IsZero() {
		f.At = p.Moment
	}
	return p.Client.DefiningMemories(ctx, f, page)
}

// Stats counts what there was.
func (p Past) Stats(ctx context.Context) (lukasa.Stats, error) {
	return ask[lukasa.Stats](ctx, p.Client, call{method: http.MethodGet, path: "/v1/stats", query: p.query()})
}

var _ Verbs = Past{}
