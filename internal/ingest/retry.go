package ingest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// unread is an error of a file that yielded nothing and is kept all the same, to be tried again.
type unread struct{ error }

func (u *unread) Unwrap() error { return u.error }

// worthKeeping reports whether a file could be read another time: one of a kind that is read here, which is locked, damaged or
// empty, or wants a program that is missing. What nobody reads here is refused, and so is a text without any words.
func worthKeeping(data []byte, err error) bool {
	if _, ok := errors.AsType[*extract.Error](err); ok {
		return true
	}
	return errors.Is(err, extract.ErrEmpty) && (!utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0)
}

// retry puts a document that failed, or whose vectors could not be made, back into the queue. It reports false for one that
// has nothing left to do.
func (p *Path) retry(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (d lukasa.Document, again bool, err error) {
	if err := sc.CanWrite(); err != nil {
		return d, false, err
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		if d, err = tx.Document(id); err != nil {
			return err
		}
		if again = d.Status != lukasa.StatusDone; !again {
			return nil
		}
		kind := lukasa.JobProcess
		if d.ContentHash != "" {
			kind = lukasa.JobEmbed
		}
		d.Status, d.Reason, d.UpdatedAt = lukasa.StatusQueued, "", p.now()
		if err := tx.PutDocument(d); err != nil {
			return err
		}
		if err := tx.DropDead(id); err != nil { // the new job stands for it
			return err
		}
		return tx.Enqueue(p.job(sc.Owner, kind, id))
	})
	if err == nil && again {
		p.notify(sc, lukasa.EventDocumentStatus, d.Node, d.Path, id, map[string]any{"status": d.Status, "reason": ""})
	}
	return d, again, err
}

// Task is a document that is not done: it waits, is worked on, or has failed.
type Task struct {
	Document  lukasa.ID     `json:"document_id"`
	Title     string        `json:"title"`
	Path      lukasa.Path   `json:"container"`
	State     string        `json:"state"` // waiting, running or failed
	Status    lukasa.Status `json:"status"`
	Reason    string        `json:"reason,omitempty"`
	UpdatedAt time.Time     `json:"updated_at"`
}

// taskStates says which statuses a state stands for.
func taskStates() map[string][]lukasa.Status {
	return map[string][]lukasa.Status{
		"waiting": {lukasa.StatusQueued, lukasa.StatusEmbedding},
		"running": {lukasa.StatusExtracting, lukasa.StatusChunking, lukasa.StatusDistilling, lukasa.StatusIndexing},
		"failed":  {lukasa.StatusFailed},
	}
}

// Tasks lists documents that are not done, newest first: in one state, or in any for "".
func (p *Path) Tasks(ctx context.Context, sc lukasa.Scope, state string, page lukasa.Page) (lukasa.Listing[Task], error) {
	out := lukasa.Listing[Task]{Items: []Task{}}
	if sc.Owner == "" {
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	f := lukasa.DocumentFilter{AllVersions: true}
	all := taskStates()
	if state != "" && all[state] == nil {
		return out, lukasa.Invalid("state", "is not one of waiting, running, failed")
	}
	is := map[lukasa.Status]string{}
	for name, list := range all {
		for _, s := range list {
			is[s] = name
		}
		if state == "" || name == state {
			f.Status = append(f.Status, list...)
		}
	}
	err := p.Store.View(ctx, sc, func(r store.Reader) error {
		l, err := r.Documents(f, page)
		out.Items, out.Next, out.Total = out.Items[:0], l.Next, l.Total
		for _, d := range l.Items {
			out.Items = append(out.Items, Task{d.ID, d.Title, d.Path, is[d.Status], d.Status, d.Reason, d.UpdatedAt})
		}
		return err
	})
	return out, err
}

// Unread returns why those of the documents that failed did.
func (p *Path) Unread(ctx context.Context, sc lukasa.Scope, ids []lukasa.ID) (map[lukasa.ID]string, error) {
	const batch = 100
	failed := map[lukasa.ID]string{}
	for some := range slices.Chunk(ids, batch) {
		err := p.Store.View(ctx, sc, func(r store.Reader) error {
			docs, err := r.DocumentsByID(some)
			for _, d := range docs {
				if d.Status == lukasa.StatusFailed {
					failed[d.ID] = d.Reason
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return failed, nil
}

// Retry puts documents that are not done back into the queue, or all that failed for none, and returns how many that are. For
// an admin, all includes dead jobs of other records: memories without vectors, recall files, distilling.
func (p *Path) Retry(ctx context.Context, sc lukasa.Scope, ids ...lukasa.ID) (int, error) {
	if err := sc.CanWrite(); err != nil {
		return 0, err
	}
	all := len(ids) == 0
	for page := (lukasa.Page{Limit: 100}); all; { // first, as what is tried again may fail again at once
		l, err := p.Tasks(ctx, sc, "failed", page)
		if err != nil {
			return 0, err
		}
		for _, t := range l.Items {
			ids = append(ids, t.Document)
		}
		if page.Cursor = l.Next; l.Next == "" {
			break
		}
	}
	n := 0
	for _, id := range ids {
		_, again, err := p.retry(ctx, sc, id)
		if all && lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue // deleted meanwhile
		}
		if err == nil && again {
			n++
			_, err = p.Store.Revive(ctx, id, p.now())
		}
		if err != nil {
			return n, err
		}
	}
	if all && sc.CanAdmin() == nil && sc.Root == "" {
		more, err := p.Store.Revive(ctx, "", p.now())
		return n + more, err
	}
	return n, nil
}
