package carry

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/exports"
)

// ownFormat names the format of an export: JSON lines, the first of which is a header.
const ownFormat = "lukasa.export/1"

// ownLine is one line of an export. Exactly one of its parts is set; Missing and Original stand beside a document.
// docs/format/export.md describes it.
type ownLine struct {
	Missing  string           `json:"missing,omitempty"` // why the document has no content; it is the first member, see Gaps
	Header   *ownHeader       `json:"header,omitempty"`
	Node     *lukasa.Node     `json:"node,omitempty"`
	Document *lukasa.Document `json:"document,omitempty"`
	Memory   *lukasa.Memory   `json:"memory,omitempty"`
	Messages *ownMessages     `json:"messages,omitempty"`
	Edge     *lukasa.Edge     `json:"edge,omitempty"`
	Original *Original        `json:"original,omitempty"`
}

type ownHeader struct {
	Format string    `json:"format"`
	At     time.Time `json:"at"`
	User   string    `json:"user"`
}

type ownMessages struct {
	Container    lukasa.Path      `json:"container"`
	Conversation string           `json:"conversation"`
	Title        string           `json:"title,omitempty"`
	Tags         []string         `json:"tags,omitempty"`
	Metadata     map[string]any   `json:"metadata,omitempty"`
	Items        []lukasa.Message `json:"items"`
}

// OwnReport counts what has been carried.
type OwnReport struct {
	Nodes     int  `json:"nodes"`
	Documents int  `json:"documents"`
	Memories  int  `json:"memories"`
	Messages  int  `json:"messages"`
	Edges     int  `json:"edges"`
	Skipped   int  `json:"skipped"`           // was there already
	Deleted   int  `json:"deleted,omitempty"` // memories that were deleted here, and stay so
	DryRun    bool `json:"dry_run,omitempty"` // it was only counted
	// NoContent names documents that came without content, or with one that could not be kept, and why.
	NoContent []string `json:"no_content,omitempty"`
}

// Readable is what an export of our own is written from: an engine that is bound to a scope.
type Readable interface {
	Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error)
	Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error)
	// Original returns what a document without text was made of; the zero value where there is nothing.
	Original(ctx context.Context, d lukasa.Document) (Original, error)
	Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error)
	Memories(ctx context.Context, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error)
	Conversations(ctx context.Context, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error)
	Messages(ctx context.Context, id lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Message], error)
}

// Writable is what an export of our own is read into.
type Writable interface {
	Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error)
	RestoreNode(ctx context.Context, n lukasa.Node) error
	// RestoreDocument keeps a document whose text was read once.
	RestoreDocument(ctx context.Context, in lukasa.NewDocument) (lukasa.Receipt, error)
	// RememberAll keeps documents whose text is still to be read.
	RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error)
	// RestoreMemory puts a memory back under its own id and says whether it was new.
	RestoreMemory(ctx context.Context, m lukasa.Memory) (bool, error)
	Append(ctx context.Context, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error)
	PatchConversation(ctx context.Context, idOrName, container string, in lukasa.DocumentPatch, to string) (lukasa.Conversation, error)
}

// WriteOwn writes everything that is seen in the containers as JSON lines: nodes, every version of every document with its text,
// memories, conversations, and the edges between them. Vectors and chunks are derived and made again on import.
func WriteOwn(ctx context.Context, e Readable, links Links, in []lukasa.Pattern, w io.Writer, user string, at time.Time, tick func(OwnReport)) (OwnReport, error) {
	var p OwnReport
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(ownLine{Header: &ownHeader{Format: ownFormat, At: at.UTC(), User: user}}); err != nil {
		return p, err
	}
	x := exporter{e: e, links: links, in: in, enc: enc, p: &p, tick: tick}
	for _, part := range []func(context.Context) error{x.nodes, x.memories, x.documents, x.conversations, x.edges} {
		if err := part(ctx); err != nil {
			return p, err
		}
	}
	return p, buf.Flush()
}

type exporter struct {
	e     Readable
	links Links
	in    []lukasa.Pattern
	enc   *json.Encoder
	p     *OwnReport
	tick  func(OwnReport)
}

func (x exporter) put(line ownLine, count *int) error {
	*count++
	if x.tick != nil {
		x.tick(*x.p)
	}
	return x.enc.Encode(line)
}

func (x exporter) nodes(ctx context.Context) error {
	nodes, err := x.e.Nodes(ctx, x.in)
	for i := range nodes {
		if err := x.put(ownLine{Node: &nodes[i]}, &x.p.Nodes); err != nil {
			return err
		}
	}
	return err
}

func (x exporter) documents(ctx context.Context) error {
	page := lukasa.Page{Limit: 100, Uncounted: true}
	for {
		l, err := x.e.Documents(ctx, lukasa.DocumentFilter{Containers: x.in, AllVersions: true, OldestFirst: true}, page)
		if err != nil {
			return err
		}
		for _, d := range l.Items {
			line, err := x.exportLine(ctx, d)
			if err == nil && line.Document == nil {
				continue // deleted meanwhile
			}
			if err != nil {
				return err
			}
			if err := x.put(line, &x.p.Documents); err != nil {
				return err
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

func (x exporter) memories(ctx context.Context) error {
	if err := x.memoriesIn(ctx, nil); err != nil {
		return err
	}
	for _, state := range lukasa.HeldStates { // lists leave these out
		if err := x.memoriesIn(ctx, &state); err != nil {
			return err
		}
	}
	return nil
}

// memoriesIn writes the memories of a state; nil: those that can be recalled.
func (x exporter) memoriesIn(ctx context.Context, state *string) error {
	page := lukasa.Page{Limit: 100, Uncounted: true}
	for {
		l, err := x.e.Memories(ctx, lukasa.MemoryFilter{Containers: x.in, State: state}, page)
		if err != nil {
			return err
		}
		for i := range l.Items {
			if err := x.put(ownLine{Memory: &l.Items[i]}, &x.p.Memories); err != nil {
				return err
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

func (x exporter) conversations(ctx context.Context) error {
	page := lukasa.Page{Limit: 100, Uncounted: true}
	for {
		l, err := x.e.Conversations(ctx, x.in, page)
		if err != nil {
			return err
		}
		for _, c := range l.Items {
			inner := lukasa.Page{Limit: 100, Uncounted: true}
			for {
				m, err := x.e.Messages(ctx, c.ID, inner)
				if err != nil {
					return err
				}
				x.p.Messages += len(m.Items) - 1
				line := ownLine{Messages: &ownMessages{Container: c.Path, Conversation: c.ExternalID, Title: c.Title, Tags: c.Tags, Metadata: c.Metadata, Items: m.Items}}
				if err := x.put(line, &x.p.Messages); err != nil {
					return err
				}
				if inner.Cursor = m.Next; m.Next == "" {
					break
				}
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

// ReadOwn takes in an export of our own through the same doors as everything else. What is there already is skipped, so that an
// import that was cut off can be run again.
func ReadOwn(ctx context.Context, e Writable, links Links, r io.Reader, now time.Time, tick func(OwnReport)) (OwnReport, error) {
	var p OwnReport
	dec := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	im := importer{
		e: e, links: links, now: now, p: &p, ids: map[lukasa.ID]lukasa.ID{}, paths: map[lukasa.ID]lukasa.Path{}, retired: map[lukasa.ID]lukasa.ID{},
	}
	for n := 1; ; n++ {
		var line ownLine
		err := dec.Decode(&line)
		if err == io.EOF && n == 1 {
			return p, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "header", Msg: "there is nothing in it", Hint: "write it again with `lukasa export`"}
		}
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return p, &lukasa.Error{Code: lukasa.CodeInvalid, Field: fmt.Sprintf("record %d", n), Msg: "is not a line of an export", Err: err}
		}
		if n == 1 && (line.Header == nil || line.Header.Format != ownFormat) {
			return p, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "header", Msg: "this is not a lukasa export", Hint: "the first line must name the format " + ownFormat}
		}
		if err := im.take(ctx, line); err != nil {
			return p, fmt.Errorf("import record %d: %w", n, err)
		}
		if tick != nil {
			tick(p)
		}
	}
}

type importer struct {
	e       Writable
	links   Links
	now     time.Time
	p       *OwnReport
	ids     map[lukasa.ID]lukasa.ID   // a document's id in the export → here
	paths   map[lukasa.ID]lukasa.Path // of the nodes of the export
	retired map[lukasa.ID]lukasa.ID   // a memory that another took out of force → that one
}

func (im importer) take(ctx context.Context, line ownLine) error {
	switch {
	case line.Edge != nil:
		return im.edge(ctx, *line.Edge)
	case line.Node != nil:
		im.paths[line.Node.ID] = line.Node.Path
		return im.count(&im.p.Nodes, im.e.RestoreNode(ctx, *line.Node))
	case line.Document != nil:
		return im.document(ctx, line)
	case line.Memory != nil:
		return im.memory(ctx, *line.Memory)
	case line.Messages != nil:
		return im.messages(ctx, *line.Messages)
	}
	return nil
}

func (im importer) count(n *int, err error) error {
	if lukasa.CodeOf(err) == lukasa.CodeConflict {
		im.p.Skipped++
		return nil
	}
	if err == nil {
		*n++
	}
	return err
}

func (im importer) document(ctx context.Context, line ownLine) error {
	d := *line.Document
	in := lukasa.NewDocument{
		Content: d.Content, Container: string(d.Path), Title: d.Title, ContentType: d.ContentType, SourceURL: d.SourceURL,
		CustomID: d.CustomID, Metadata: d.Metadata, Tags: d.Tags, Origin: d.Origin, OccurredAt: d.OccurredAt, CreatedAt: &d.CreatedAt,
	}
	if d.ForgetAfter != nil && d.ForgetAfter.After(im.now) {
		in.ForgetAfter = d.ForgetAfter
	} else if d.ForgetAfter != nil {
		im.p.Skipped++ // its time is up
		return nil
	}
	if d.Content == "" && !awaits(d) && line.Missing == "" {
		im.p.Skipped++ // it never had text, or another document has it
		return nil
	}
	known, err := im.known(ctx, d)
	if err != nil {
		return err
	}
	if known != "" {
		im.ids[d.ID] = known
		im.p.Skipped++
		return nil
	}
	in.Updates = im.ids[d.Previous]
	var r lukasa.Receipt
	kept := true
	if d.Content == "" {
		r, kept, err = im.restoreOriginal(ctx, in, line)
	} else {
		r, err = im.e.RestoreDocument(ctx, in)
	}
	if err != nil || !kept {
		return err
	}
	im.ids[d.ID] = r.Document.ID
	if r.Deduplicated {
		im.p.Skipped++
	} else {
		im.p.Documents++
	}
	return nil
}

// known returns the document here that is this one: the same id, or the same text, time and custom id in the same container.
func (im importer) known(ctx context.Context, d lukasa.Document) (lukasa.ID, error) {
	before := d.CreatedAt.Add(time.Millisecond)
	l, err := im.e.Documents(ctx, lukasa.DocumentFilter{
		Containers: []lukasa.Pattern{{Path: d.Path, Mode: '!'}}, AllVersions: true,
		CreatedFrom: &d.CreatedAt, CreatedUntil: &before,
	}, lukasa.Page{Limit: 100, Uncounted: true})
	for _, x := range l.Items {
		same := x.ContentHash == d.ContentHash
		if awaits(d) { // its text may be read here by now; and what came in at the same moment may be another one
			same = x.CreatedAt.Equal(d.CreatedAt) && !slices.Contains(slices.Collect(maps.Values(im.ids)), x.ID)
		}
		if x.ID == d.ID || same && x.CustomID == d.CustomID {
			return x.ID, nil
		}
	}
	return "", err
}

func (im importer) memory(ctx context.Context, m lukasa.Memory) error {
	if m.RetiredBy != "" {
		im.retired[m.ID] = m.RetiredBy
	}
	if m.ForgetAfter != nil && !m.ForgetAfter.After(im.now) {
		im.p.Skipped++
		return nil
	}
	for i := range m.Sources {
		if id, ok := im.ids[m.Sources[i].Document]; ok {
			m.Sources[i].Document = id
		}
	}
	fresh, err := im.e.RestoreMemory(ctx, m)
	if errors.Is(err, exports.ErrDeleted) {
		im.p.Deleted++
		return nil
	}
	if err == nil && !fresh {
		im.p.Skipped++
		return nil
	}
	return im.count(&im.p.Memories, err)
}

func (im importer) messages(ctx context.Context, x ownMessages) error {
	in := lukasa.Append{Container: string(x.Container), Conversation: x.Conversation}
	for _, m := range x.Items {
		if m.ForgetAfter != nil && !m.ForgetAfter.After(im.now) { // its time is up
			im.p.Skipped++
			continue
		}
		in.Messages = append(in.Messages, lukasa.NewMessage{
			ExternalID: cmp.Or(m.ExternalID, string(m.ID)), Role: m.Role, Speaker: m.Speaker, Content: m.Content,
			Time: cmp.Or(m.Time, &m.CreatedAt), Session: m.Session, Metadata: m.Metadata, ForgetAfter: m.ForgetAfter,
		})
	}
	if len(in.Messages) == 0 {
		return nil
	}
	c, results, err := im.e.Append(ctx, in)
	for _, r := range results {
		if r.Status == "logged" {
			im.p.Messages++
		} else {
			im.p.Skipped++
		}
	}
	if err != nil {
		return err
	}
	return im.name(ctx, c, x)
}

// name calls a conversation as it was called where it comes from, unless it is called something here.
func (im importer) name(ctx context.Context, c lukasa.Conversation, x ownMessages) error {
	if c.Title != "" || len(c.Tags) > 0 || len(c.Metadata) > 0 || x.Title == "" && len(x.Tags) == 0 && len(x.Metadata) == 0 {
		return nil
	}
	p := lukasa.DocumentPatch{Metadata: x.Metadata}
	if x.Title != "" {
		p.Title = &x.Title
	}
	if len(x.Tags) > 0 {
		p.Tags = &x.Tags
	}
	_, err := im.e.PatchConversation(ctx, string(c.ID), "", p, "")
	return err
}
