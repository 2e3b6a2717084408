package ingest

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// PatchDocument changes what is not content.
func (p *Path) PatchDocument(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error) {
	var d lukasa.Document
	if err := sc.CanWrite(); err != nil {
		return d, err
	}
	now := p.now()
	switch {
	case in.Title != nil && (text.Blank(*in.Title) || utf8.RuneCountInString(*in.Title) > maxTitle):
		return d, lukasa.Invalid("title", "is empty or over %d characters", maxTitle)
	case in.ForgetAfter != nil && !in.ForgetAfter.After(now):
		return d, lukasa.Invalid("forget_after", "lies in the past")
	case in.Tags != nil:
		if err := store.CheckTags(*in.Tags); err != nil {
			return d, err
		}
	}
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if d, err = tx.Document(id); err != nil {
			return err
		}
		if in.Title != nil {
			d.Title = *in.Title
		}
		if in.Tags != nil {
			d.Tags, _ = store.MergeTags(nil, *in.Tags)
		}
		if in.ForgetAfter != nil || in.ClearForget {
			d.ForgetAfter = in.ForgetAfter
		}
		d.Metadata = store.MergeMetadata(d.Metadata, in.Metadata)
		d.UpdatedAt = now
		if err := tx.PutDocument(d); err != nil || in.Title == nil || d.Status != lukasa.StatusDone {
			return err
		}
		return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, id)) // title and summary have one vector
	})
	if err == nil {
		p.notify(sc, lukasa.EventDocumentUpdated, d.Node, d.Path, id, nil)
	}
	return d, err
}

// DropBlobs deletes blobs that no row refers to any more. What cannot be deleted now is an orphan, swept later.
func (p *Path) DropBlobs(ctx context.Context, keys []string) {
	for _, k := range keys {
		owner, key, _ := strings.Cut(k, "/")
		if err := p.Vault.Delete(context.WithoutCancel(ctx), owner, key); err != nil {
			p.Log.WarnContext(ctx, "delete blob", "key", k, "err", err)
		}
	}
}
