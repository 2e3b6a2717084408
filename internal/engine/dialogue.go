package engine

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// rest ends the stretches behind which it has been quiet for long enough, and returns how many.
func (e *Engine) rest(ctx context.Context) (n int, err error) {
	silence, tokens := segments(e.cfg).Rests()
	if silence == 0 {
		return 0, nil
	}
	due, err := e.store.Quiet(ctx, e.now().Add(-silence), tokens, 1000)
	for _, x := range due {
		ended, failed := e.ingest.Rest(ctx, lukasa.Scope{Owner: x.Owner, Principal: x.Owner, Role: lukasa.RoleUser}, x.Record)
		if err = cmp.Or(err, failed); ended {
			n++
		}
	}
	return n, err
}

// EndConversation closes what is open of a conversation and returns its recall file; see [ingest.Path.End].
func (e *Engine) EndConversation(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Segment, error) {
	s, err := e.ingest.End(ctx, sc, id)
	if err == nil {
		e.nudge()
	}
	return s, err
}

// SegmentFilter narrows a listing of segments.
type SegmentFilter = store.SegmentFilter

// RecallFile is a segment with its document, and on demand with its files.
type RecallFile struct {
	lukasa.Segment
	Path       lukasa.Path
	External   string // the caller's name for the conversation
	Text       string // its summary
	Words      lukasa.Keywords
	Files      []lukasa.File
	Summary    string // summary.md
	Keywords   string // keywords.txt
	Transcript string // transcript.md
}

// PatchConversation changes what a conversation is called, named as [Engine.ConversationNamed] takes it, and moves it into the container to,
// unless that is ""; see [dialogue.Path.Patch].
func (e *Engine) PatchConversation(ctx context.Context, sc lukasa.Scope, idOrName, container string, in lukasa.DocumentPatch, to string) (lukasa.Conversation, error) {
	c, err := e.ConversationNamed(ctx, sc, idOrName, container, time.Time{})
	if err != nil {
		return c, err
	}
	return e.dialogue.Patch(ctx, sc, c.ID, in, to)
}

// RecallFiles lists segments, newest first, without their files.
func (e *Engine) RecallFiles(ctx context.Context, sc lukasa.Scope, f SegmentFilter, p lukasa.Page) (lukasa.Listing[RecallFile], error) {
	return view(ctx, e, sc, func(r store.Reader) (lukasa.Listing[RecallFile], error) {
		l, err := r.Segments(f, p)
		out := lukasa.Listing[RecallFile]{Items: []RecallFile{}, Next: l.Next, Total: l.Total}
		if err != nil {
			return out, err
		}
		for _, s := range l.Items {
			x, err := recallFile(r, s)
			if err != nil {
				return out, err
			}
			out.Items = append(out.Items, x)
		}
		return out, nil
	})
}

func recallFile(r store.Reader, s lukasa.Segment) (RecallFile, error) {
	x := RecallFile{Segment: s}
	docs, err := r.DocumentsByID([]lukasa.ID{s.Document})
	if err != nil {
		return x, err
	}
	if len(docs) == 0 {
		return x, lukasa.NotFound("recall file", s.Document)
	}
	x.Path, x.Text, x.Words = docs[0].Path, docs[0].Summary, docs[0].Keywords
	c, err := r.Conversation(s.Conversation)
	x.External = c.ExternalID
	return x, err
}

// RecallFile returns one segment with those of its files whose roles are asked for: summary, keywords, transcript. The names of
// all its files are always there.
func (e *Engine) RecallFile(ctx context.Context, sc lukasa.Scope, id lukasa.ID, roles ...string) (RecallFile, error) {
	return e.recallFileAt(ctx, sc, id, time.Time{}, roles...)
}

func (e *Engine) recallFileAt(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time, roles ...string) (RecallFile, error) {
	x, err := viewAt(ctx, e, sc, at, func(r store.Reader) (RecallFile, error) {
		s, err := r.Segment(id)
		if err != nil {
			return RecallFile{}, err
		}
		x, err := recallFile(r, s)
		if err != nil {
			return x, err
		}
		x.Files, err = r.Files(id, "")
		return x, err
	})
	if err != nil {
		return x, err
	}
	for _, role := range roles {
		text, err := e.recallText(ctx, sc, x.Files, role)
		if err != nil {
			return x, err
		}
		switch role {
		case ingest.RoleSummary:
			x.Summary = text
		case ingest.RoleKeywords:
			x.Keywords = text
		case ingest.RoleTranscript:
			x.Transcript = text
		}
	}
	return x, nil
}

// recallText reads the file with a role; "" where there is none yet.
func (e *Engine) recallText(ctx context.Context, sc lukasa.Scope, files []lukasa.File, role string) (string, error) {
	for _, f := range files {
		if f.Role != role {
			continue
		}
		rc, _, err := e.openFile(ctx, sc.Owner, f)
		if err != nil {
			return "", err
		}
		defer rc.Close()
		b, err := io.ReadAll(rc)
		return string(b), err
	}
	return "", nil
}

// Artifact opens an artifact that a recall file had at a moment, by its name.
func (e *Engine) Artifact(ctx context.Context, sc lukasa.Scope, id lukasa.ID, name string, at time.Time) (io.ReadCloser, lukasa.File, error) {
	files, err := e.Files(ctx, sc, id, at)
	if err != nil {
		return nil, lukasa.File{}, err
	}
	for _, f := range files {
		if f.Role == ingest.RoleArtifact && f.Name == name {
			return e.openFile(ctx, sc.Owner, f)
		}
	}
	page, err := e.RecallFilePage(ctx, sc, id, at, PartArtifacts)
	for _, a := range page.Artifacts {
		if err == nil && a.Name == name && a.URL != "" {
			return nil, lukasa.File{}, &lukasa.Error{Code: lukasa.CodeNotFound, Field: "name", Msg: "the bytes of artifact " + name + " are not kept here", Hint: "they are at " + a.URL}
		}
	}
	return nil, lukasa.File{}, lukasa.NotFound("artifact", name)
}
