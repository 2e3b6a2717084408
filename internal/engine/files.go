package engine

import (
	"cmp"
	"context"
	"io"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// FileEvent is one line of the log of a file's states.
type FileEvent = lifecycle.FileEvent

// FileInfo is a file with what follows from its times and sizes.
type FileInfo struct {
	lukasa.File
	Tier  string  `json:"tier"`  // hot, warm or cold, by when it was last used
	Ratio float64 `json:"ratio"` // bytes that it holds, over bytes that it takes
}

// Tier says how long ago something was last used: hot, warm or cold.
func (e *Engine) Tier(d lukasa.Document) string {
	used := d.CreatedAt
	if d.LastAccessedAt != nil {
		used = *d.LastAccessedAt
	}
	return lifecycle.Tier(used, e.now())
}

func (e *Engine) fileInfo(f lukasa.File) FileInfo {
	out := FileInfo{File: f, Tier: lifecycle.Tier(f.UsedAt, e.now())}
	if f.SealedSize > 0 {
		out.Ratio = float64(f.Size*100/f.SealedSize) / 100
	}
	return out
}

// FileInfos lists files, newest first: those of a document, or all for "", in the containers that the patterns name, all for none.
func (e *Engine) FileInfos(ctx context.Context, sc lukasa.Scope, document lukasa.ID, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[FileInfo], error) {
	return view(ctx, e, sc, func(r store.Reader) (lukasa.Listing[FileInfo], error) {
		l, err := r.FileList(store.FileFilter{Document: document, Containers: in, Except: ingest.RoleRemoved}, p)
		out := lukasa.Listing[FileInfo]{Items: make([]FileInfo, len(l.Items)), Next: l.Next, Total: l.Total}
		for i, f := range l.Items {
			out.Items[i] = e.fileInfo(f)
		}
		return out, err
	})
}

// File returns one file that the scope may see.
func (e *Engine) File(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (FileInfo, error) {
	if sc.Owner == "" {
		return FileInfo{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	f, err := e.store.File(ctx, sc.Owner, id)
	if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return FileInfo{}, err
	}
	_, err = view(ctx, e, sc, func(r store.Reader) (lukasa.Document, error) { return r.Document(f.Document) })
	if lukasa.CodeOf(err) == lukasa.CodeNotFound || f.Role == ingest.RoleRemoved {
		err = lukasa.NotFound("file", id)
	}
	return e.fileInfo(f), err
}

// WakeFile makes a dormant file active; by says what for: a reader, or somebody who asked for that alone. It waits until ctx
// ends, which does not end the waking; the file is then returned as it is, with the error of ctx.
func (e *Engine) WakeFile(ctx context.Context, sc lukasa.Scope, id lukasa.ID, reading bool) (FileInfo, error) {
	if _, err := e.File(ctx, sc, id); err != nil {
		return FileInfo{}, err
	}
	by := lifecycle.ByHand
	if reading {
		by = lifecycle.ByRetrieval
	}
	f, err := e.life.Wake(ctx, sc.Owner, id, by)
	return e.fileInfo(f), err
}

// SleepFile compresses a file hard, as the scheduler would once nobody has used it for long enough.
func (e *Engine) SleepFile(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (FileInfo, error) {
	if err := sc.CanWrite(); err != nil {
		return FileInfo{}, err
	}
	in, err := e.File(ctx, sc, id)
	if err != nil {
		return FileInfo{}, err
	}
	if d, err := view(ctx, e, sc, func(r store.Reader) (lukasa.Document, error) { return r.Document(in.Document) }); err != nil || store.MayWrite(sc, d.Path) != nil {
		return FileInfo{}, cmp.Or(err, store.ReadOnly())
	}
	f, err := e.life.Sleep(ctx, sc.Owner, id, lifecycle.ByHand)
	return e.fileInfo(f), err
}

// TouchFile notes that a file was used, so that it stays as it is for longer. A dormant one is not woken.
func (e *Engine) TouchFile(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (FileInfo, error) {
	f, err := e.File(ctx, sc, id)
	if err != nil {
		return f, err
	}
	e.life.Use(sc.Owner, id)
	if err := e.life.Flush(ctx); err != nil {
		return f, err
	}
	return e.File(ctx, sc, id)
}

// FileLog lists the states that a file went through, newest first; of all the caller's files for "".
func (e *Engine) FileLog(ctx context.Context, sc lukasa.Scope, id lukasa.ID, p lukasa.Page) (lukasa.Listing[FileEvent], error) {
	if id != "" {
		if _, err := e.File(ctx, sc, id); err != nil {
			return lukasa.Listing[FileEvent]{}, err
		}
	} else if sc.Owner == "" || sc.Root != "" {
		return lukasa.Listing[FileEvent]{}, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container can read the log of one file at a time")
	}
	return e.store.FileEvents(ctx, sc.Owner, id, p)
}

// OpenFile opens the bytes of a file, and wakes it.
func (e *Engine) OpenFile(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (io.ReadCloser, lukasa.File, error) {
	f, err := e.File(ctx, sc, id)
	if err != nil {
		return nil, f.File, err
	}
	return e.openFile(ctx, sc.Owner, f.File)
}

// openFile reads a file on behalf of somebody: it wakes it, or waits in line while it is being woken. If it cannot be woken, it is
// read as it is: its bytes are whole in every state.
func (e *Engine) openFile(ctx context.Context, owner lukasa.ID, f lukasa.File) (io.ReadCloser, lukasa.File, error) {
	if f.State == lifecycle.FileActive || f.State == "" {
		e.life.Use(owner, f.ID)
		rc, err := e.ingest.Open(ctx, owner, f)
		return rc, f, err
	}
	woken, err := e.life.Wake(ctx, owner, f.ID, lifecycle.ByRetrieval)
	switch {
	case ctx.Err() != nil:
		return nil, f, ctx.Err()
	case err != nil:
		e.log.WarnContext(ctx, "wake file", "file", f.ID, "err", err)
		if woken, err = e.store.File(ctx, owner, f.ID); err != nil {
			return nil, f, err
		}
	}
	rc, err := e.ingest.Open(ctx, owner, woken)
	return rc, woken, err
}

// wholeText returns a document's text for somebody who reads it: one that is in a file wakes that.
func (e *Engine) wholeText(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (string, error) {
	if d.Content != "" || d.Size == 0 || d.ContentHash == "" {
		return d.Content, nil
	}
	files, err := view(ctx, e, sc, func(r store.Reader) ([]lukasa.File, error) { return r.Files(d.ID, "text") })
	if err != nil || len(files) == 0 {
		return "", err
	}
	rc, _, err := e.openFile(ctx, sc.Owner, files[0])
	if err != nil {
		return "", err
	}
	defer rc.Close()
	b, err := io.ReadAll(rc)
	return string(b), err
}
