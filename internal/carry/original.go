package carry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lukasa-memory/lukasa"
)

// Original is the file, or the address of the page, of a document whose text is not read yet or could not be read.
type Original struct {
	Name string `json:"name,omitempty"` // of the file
	Type string `json:"type,omitempty"` // as it was declared
	Data []byte `json:"data,omitempty"` // base64 in JSON
	URL  string `json:"url,omitempty"`
}

// awaits reports whether a document has no text because it waits to be read, or could not be read.
func awaits(d lukasa.Document) bool {
	return d.Content == "" && d.ContentHash == "" && d.Status != lukasa.StatusDone
}

// exportLine returns the line of a document. A document without text has its original in the line. The line has no document where the
// document was deleted meanwhile.
func (x exporter) exportLine(ctx context.Context, d lukasa.Document) (ownLine, error) {
	full, err := x.e.Document(ctx, d.ID)
	if why := lost(err); why != "" {
		return ownLine{Missing: why, Document: &d}, nil
	}
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return ownLine{}, nil
	}
	line := ownLine{Document: &full}
	if err != nil || !awaits(full) {
		return line, err
	}
	o, err := x.e.Original(ctx, full)
	if why := lost(err); why != "" {
		line.Missing = why
		return line, nil
	}
	switch {
	case lukasa.CodeOf(err) == lukasa.CodeNotFound:
		return ownLine{}, nil
	case o.URL == "" && len(o.Data) == 0:
		line.Missing = "there is neither its text nor what it came in as"
	default:
		line.Original = &o
	}
	return line, err
}

// lost says why the bytes behind a record cannot be had any more; "" for any other error. A record that is gone itself has no cause.
func lost(err error) string {
	if e, ok := errors.AsType[*lukasa.Error](err); ok && e.Code == lukasa.CodeNotFound && e.Err != nil {
		return e.Msg
	}
	return ""
}

// restoreOriginal keeps a document that comes as its original. A document whose original is missing, or is refused here, is named in the
// report and not kept.
func (im importer) restoreOriginal(ctx context.Context, in lukasa.NewDocument, line ownLine) (r lukasa.Receipt, kept bool, err error) {
	why := line.Missing
	if o := line.Original; o != nil && (len(o.Data) > 0 || o.URL != "") {
		in.ContentType, in.Data, in.Name = o.Type, o.Data, o.Name
		if len(o.Data) == 0 {
			in.URL, in.SourceURL = o.URL, ""
		}
		if in.Title == cmp.Or(o.Name, o.URL) {
			in.Title = "" // its text has a better one
		}
		r, errs := im.e.RememberAll(ctx, []lukasa.NewDocument{in})
		switch lukasa.CodeOf(errs[0]) {
		case lukasa.CodeInvalid, lukasa.CodeTooLarge, lukasa.CodeUnsupported:
			why = errs[0].Error()
		default:
			return r[0], true, errs[0]
		}
	}
	if len(im.p.NoContent) < maxProblems {
		d := line.Document
		im.p.NoContent = append(im.p.NoContent, fmt.Sprintf("%s %s: %s", d.ID, shown(d.Title, 80), cmp.Or(why, "it was not read yet when it was exported")))
	}
	return r, false, nil
}

// Gaps hands on an export of our own that is written to it, and notes the documents in it that have no content.
type Gaps struct {
	To    io.Writer
	Found []string // ids and titles with the reason, in the order of the export

	line []byte // the beginning of the present line; all of it where it is one that is noted
}

const gapMark = `{"missing":`

func (g *Gaps) Write(b []byte) (int, error) {
	for part := range bytes.SplitAfterSeq(b, []byte("\n")) {
		if len(g.line) < len(gapMark) || bytes.HasPrefix(g.line, []byte(gapMark)) {
			g.line = append(g.line, part...)
		}
		if bytes.HasSuffix(part, []byte("\n")) {
			g.describe()
			g.line = g.line[:0]
		}
	}
	return g.To.Write(b)
}

// describe adds the document of the current line, with what it lacks, to what was found.
func (g *Gaps) describe() {
	var l ownLine
	if bytes.HasPrefix(g.line, []byte(gapMark)) && json.Unmarshal(g.line, &l) == nil && l.Document != nil {
		g.Found = append(g.Found, fmt.Sprintf("%s %s: %s", l.Document.ID, shown(l.Document.Title, 80), l.Missing))
	}
}
