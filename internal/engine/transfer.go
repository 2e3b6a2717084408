package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// exportFormat names the format of an export: JSON lines, the first of which is a header.
const exportFormat = "lukasa.export/1"

// exportLine is one line of an export; exactly one of its parts is set. docs/format/export.md describes it.
type exportLine struct {
	Header   *exportHeader    `json:"header,omitempty"`
	Node     *lukasa.Node     `json:"node,omitempty"`
	Document *lukasa.Document `json:"document,omitempty"`
	Memory   *lukasa.Memory   `json:"memory,omitempty"`
	Messages *exportMessages  `json:"messages,omitempty"`
}

type exportHeader struct {
	Format string    `json:"format"`
	At     time.Time `json:"at"`
	User   string    `json:"user"`
}

type exportMessages struct {
	Container    lukasa.Path      `json:"container"`
	Conversation string           `json:"conversation"`
	Items        []lukasa.Message `json:"items"`
}

// Progress counts what has been carried.
type Progress struct {
	Nodes     int `json:"nodes"`
	Documents int `json:"documents"`
	Memories  int `json:"memories"`
	Messages  int `json:"messages"`
	Skipped   int `json:"skipped"` // was there already
}

// Export writes everything that the scope sees in the containers as JSON lines: nodes, every version of every document with
// its text, memories and conversations. Vectors and chunks are derived and made again on import.
func (e *Engine) Export(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, w io.Writer, tick func(Progress)) (Progress, error) {
	var p Progress
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	user, _, err := e.WhoAmI(ctx, sc)
	if err != nil {
		return p, err
	}
	e.life.Note(ctx, sc, "export", "", nil)
	if err := enc.Encode(exportLine{Header: &exportHeader{Format: exportFormat, At: e.now().UTC(), User: user.Name}}); err != nil {
		return p, err
	}
	x := exporter{e: e, sc: sc, in: in, enc: enc, p: &p, tick: tick}
	for _, part := range []func(context.Context) error{x.nodes, x.memories, x.documents, x.conversations} {
		if err := part(ctx); err != nil {
			return p, err
		}
	}
	return p, buf.Flush()
}

type exporter struct {
	e    *Engine
	sc   lukasa.Scope
	in   []lukasa.Pattern
	enc  *json.Encoder
	p    *Progress
	tick func(Progress)
}

func (x exporter) put(line exportLine, count *int) error {
	*count++
	if x.tick != nil {
		x.tick(*x.p)
	}
	return x.enc.Encode(line)
}

func (x exporter) nodes(ctx context.Context) error {
	nodes, err := x.e.Nodes(ctx, x.sc, x.in)
	for i := range nodes {
		if err := x.put(exportLine{Node: &nodes[i]}, &x.p.Nodes); err != nil {
			return err
		}
	}
	return err
}

func (x exporter) documents(ctx context.Context) error {
	page := lukasa.Page{Limit: 100}
	for {
		l, err := x.e.Documents(ctx, x.sc, lukasa.DocumentFilter{Containers: x.in, AllVersions: true, OldestFirst: true}, page)
		if err != nil {
			return err
		}
		for _, d := range l.Items {
			full, err := x.e.Document(ctx, x.sc, d.ID)
			if lukasa.CodeOf(err) == lukasa.CodeNotFound {
				continue // deleted meanwhile
			}
			if err != nil {
				return err
			}
			if err := x.put(exportLine{Document: &full}, &x.p.Documents); err != nil {
				return err
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

func (x exporter) memories(ctx context.Context) error {
	page := lukasa.Page{Limit: 100}
	for {
		l, err := x.e.Memories(ctx, x.sc, lukasa.MemoryFilter{Containers: x.in}, page)
		if err != nil {
			return err
		}
		for i := range l.Items {
			if err := x.put(exportLine{Memory: &l.Items[i]}, &x.p.Memories); err != nil {
				return err
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

func (x exporter) conversations(ctx context.Context) error {
	page := lukasa.Page{Limit: 100}
	for {
		l, err := x.e.Conversations(ctx, x.sc, x.in, page)
		if err != nil {
			return err
		}
		for _, c := range l.Items {
			inner := lukasa.Page{Limit: 100}
			for {
				m, err := x.e.Messages(ctx, x.sc, c.ID, inner)
				if err != nil {
					return err
				}
				x.p.Messages += len(m.Items) - 1
				line := exportLine{Messages: &exportMessages{Container: c.Path, Conversation: c.ExternalID, Items: m.Items}}
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

// Import takes in an export through the same doors as everything else. What is there already is skipped, so that an import
// that was cut off can be run again.
func (e *Engine) Import(ctx context.Context, sc lukasa.Scope, r io.Reader, tick func(Progress)) (Progress, error) {
	var p Progress
	if err := sc.CanWrite(); err != nil {
		return p, err
	}
	e.life.Note(ctx, sc, "import", "", nil)
	dec := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	im := importer{e: e, sc: sc, p: &p, ids: map[lukasa.ID]lukasa.ID{}}
	for n := 1; ; n++ {
		var line exportLine
		err := dec.Decode(&line)
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return p, &lukasa.Error{Code: lukasa.CodeInvalid, Field: fmt.Sprintf("record %d", n), Msg: "is not a line of an export", Err: err}
		}
		if n == 1 && (line.Header == nil || line.Header.Format != exportFormat) {
			return p, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "header", Msg: "this is not a lukasa export", Hint: "the first line must name the format " + exportFormat}
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
	e   *Engine
	sc  lukasa.Scope
	p   *Progress
	ids map[lukasa.ID]lukasa.ID // a document's id in the export → here
}

func (im importer) take(ctx context.Context, line exportLine) error {
	switch {
	case line.Node != nil:
		_, err := im.e.CreateNode(ctx, im.sc, lukasa.NewNode{Path: line.Node.Path, Type: line.Node.Type, Description: line.Node.Description})
		return im.count(&im.p.Nodes, err)
	case line.Document != nil:
		return im.document(ctx, *line.Document)
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

func (im importer) document(ctx context.Context, d lukasa.Document) error {
	in := lukasa.NewDocument{
		Content: d.Content, Container: string(d.Path), Title: d.Title, ContentType: d.ContentType, SourceURL: d.SourceURL,
		CustomID: d.CustomID, Metadata: d.Metadata, Tags: d.Tags, Origin: d.Origin, OccurredAt: d.OccurredAt, CreatedAt: &d.CreatedAt,
	}
	if d.ForgetAfter != nil && d.ForgetAfter.After(im.e.now()) {
		in.ForgetAfter = d.ForgetAfter
	} else if d.ForgetAfter != nil || d.Content == "" {
		im.p.Skipped++ // its time is up, or it never had text
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
	r, err := im.e.Remember(ctx, im.sc, in)
	if err != nil {
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

// known returns the document here that is this one: the same id, or the same text and time in the same container.
func (im importer) known(ctx context.Context, d lukasa.Document) (lukasa.ID, error) {
	before := d.CreatedAt.Add(time.Millisecond)
	l, err := im.e.Documents(ctx, im.sc, lukasa.DocumentFilter{
		Containers: []lukasa.Pattern{{Path: d.Path, Mode: '!'}}, AllVersions: true,
		CreatedFrom: &d.CreatedAt, CreatedUntil: &before,
	}, lukasa.Page{Limit: 100})
	for _, x := range l.Items {
		if x.ID == d.ID || x.ContentHash == d.ContentHash {
			return x.ID, nil
		}
	}
	return "", err
}

func (im importer) memory(ctx context.Context, m lukasa.Memory) error {
	if m.ForgetAfter != nil && !m.ForgetAfter.After(im.e.now()) {
		im.p.Skipped++
		return nil
	}
	for i := range m.Sources {
		if id, ok := im.ids[m.Sources[i].Document]; ok {
			m.Sources[i].Document = id
		}
	}
	fresh, err := im.e.ingest.RestoreMemory(ctx, im.sc, m)
	if err == nil && !fresh {
		im.p.Skipped++
		return nil
	}
	return im.count(&im.p.Memories, err)
}

func (im importer) messages(ctx context.Context, x exportMessages) error {
	in := lukasa.Append{Container: string(x.Container), Conversation: x.Conversation}
	for _, m := range x.Items {
		id := m.ExternalID
		if id == "" {
			id = string(m.ID)
		}
		in.Messages = append(in.Messages, lukasa.NewMessage{
			ExternalID: id, Role: m.Role, Speaker: m.Speaker, Content: m.Content, Time: m.Time,
			Session: m.Session, Metadata: m.Metadata,
		})
	}
	_, results, err := im.e.Append(ctx, im.sc, in)
	for _, r := range results {
		if r.Status == "logged" {
			im.p.Messages++
		} else {
			im.p.Skipped++
		}
	}
	return err
}
