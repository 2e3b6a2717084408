package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// again reports whether an item is the same file as what was kept last under its custom id, and takes it as that: nothing is
// read anew. Its tags and metadata are added, and one that had failed is tried again. So a folder that was cut off is added again
// at little cost, and what cannot be read is there once. A file of which a part could not be read is no such one.
func (p *Path) again(ctx context.Context, sc lukasa.Scope, it *item, d lukasa.Document) (bool, error) {
	if len(it.in.Data) == 0 || it.in.CustomID == "" || it.in.Updates != "" {
		return false, nil
	}
	sum := sha256.Sum256(it.in.Data)
	var there lukasa.Document
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		there, err = lastKept(r, it, hex.EncodeToString(sum[:]))
		return err
	})
	if err != nil || there.ID == "" {
		return false, err
	}
	it.out = lukasa.Receipt{Document: there, Deduplicated: true}
	if _, changed := store.Absorbed(there, d); changed {
		err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
			now, err := tx.Document(there.ID)
			if err == nil {
				it.out, err = p.absorb(tx, now, d)
			}
			return err
		})
		if err == nil && it.out.Changed {
			p.tell(sc, lukasa.Node{}, false, it.out.Document, lukasa.EventDocumentUpdated)
		}
	}
	if err == nil && there.Status == lukasa.StatusFailed {
		it.out.Document, _, err = p.retry(ctx, sc, there.ID)
	} else if err == nil {
		err = p.heal(ctx, sc, there.ID, it.in.Data, func() string {
			pre, err := p.prepare(ctx, d, source{data: it.in.Data, name: it.in.Name, declared: it.in.ContentType})
			if err != nil {
				return ""
			}
			return pre.doc.Content
		})
	}
	if lukasa.CodeOf(err) == lukasa.CodeNotFound { // deleted meanwhile
		it.out = lukasa.Receipt{}
		return false, nil
	}
	return true, err
}

// heal keeps the bytes of a document once more, now that they came in again, where the medium of files has lost or damaged them: what
// came in, nil for the text itself, and the text that was made of it. Bytes that are others than those that were kept change nothing.
func (p *Path) heal(ctx context.Context, sc lukasa.Scope, id lukasa.ID, raw []byte, text func() string) error {
	var files []lukasa.File
	if err := p.Store.View(ctx, sc, func(r store.Reader) (err error) { files, err = r.Files(id, ""); return err }); err != nil {
		return unlessGone(err)
	}
	for _, f := range files {
		if f.Blob == "" {
			continue
		}
		how, err := p.Vault.Lost(ctx, f.Blob)
		if err != nil || how == "" { // what cannot be read for another reason is not lost
			continue
		}
		data := raw
		if f.Role == "text" || raw == nil {
			data = []byte(text())
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
			continue
		}
		lost, fresh := f.Blob, p.Mint.ID(lukasa.PrefixFile) // a blob is never written over
		key := string(f.ID) + "." + strings.TrimPrefix(string(fresh), string(lukasa.PrefixFile)+"_")
		s, err := p.Vault.Write(ctx, string(sc.Owner), key, bytes.NewReader(data))
		if err != nil {
			return fileError(err)
		}
		f.Blob, f.SealedSize = string(sc.Owner)+"/"+key, s.SealedSize
		if err := p.Store.Update(ctx, sc, func(tx store.Tx) error { return tx.PutFile(f) }); err != nil {
			return p.dropFiles(ctx, []lukasa.File{f}, unlessGone(err))
		}
		p.DropBlobs(ctx, []string{lost})
		p.Log.InfoContext(ctx, "kept once more what was "+how, "file", f.ID, "document", id)
	}
	return nil
}

// lastKept finds what was kept last under the custom id of an item, if its bytes have the hash given; otherwise the zero document.
// Where their text was there already under that id, it is the document that has it.
func lastKept(r store.Reader, it *item, hash string) (none lukasa.Document, err error) {
	l, err := r.Documents(lukasa.DocumentFilter{
		Containers: []lukasa.Pattern{{Path: it.path, Mode: '!'}}, CustomID: it.in.CustomID, AllVersions: true,
	}, lukasa.Page{Limit: 100})
	var last lukasa.Document
	for _, x := range l.Items {
		if x.ID > last.ID { // ids are minted in the order of time
			last = x
		}
	}
	if err != nil || last.ID == "" || last.Metadata["warning"] != nil {
		return none, err
	}
	files, err := r.Files(last.ID, "raw")
	switch {
	case err != nil:
		return none, err
	case len(files) > 0 && (files[0].SHA256 != hash || files[0].Type != it.in.ContentType):
		return none, nil
	case len(files) == 0 && (last.ContentHash != hash || it.in.ContentType != ""): // kept as its text alone
		return none, nil
	case last.IsLatest || last.Status != lukasa.StatusDone:
		return last, nil
	}
	same, err := r.LatestBy(last.Node, "custom_id", last.CustomID)
	if err != nil || same.ContentHash != last.ContentHash {
		return none, unlessGone(err)
	}
	return same, nil
}

// absorb adds the tags and metadata of a second save to the document that is there.
func (p *Path) absorb(tx store.Tx, there, again lukasa.Document) (lukasa.Receipt, error) {
	there, changed := store.Absorbed(there, again)
	if changed {
		there.UpdatedAt = p.now()
		if err := tx.PutDocument(there); err != nil {
			return lukasa.Receipt{Deduplicated: true, Changed: true}, err
		}
	}
	return lukasa.Receipt{Document: there, Deduplicated: true, Changed: changed}, nil
}

// mended puts a document in the place of those that could not be read and stand under its custom id: a file that was locked was
// saved without its password, say. They stay as they came in, and are no longer what failed.
func (p *Path) mended(tx store.Tx, d lukasa.Document) error {
	if d.CustomID == "" {
		return nil
	}
	l, err := tx.Documents(lukasa.DocumentFilter{
		Containers: []lukasa.Pattern{{Path: d.Path, Mode: '!'}}, CustomID: d.CustomID, Status: []lukasa.Status{lukasa.StatusFailed}, AllVersions: true,
	}, lukasa.Page{Limit: 100})
	if err != nil {
		return err
	}
	for _, x := range l.Items {
		if x.ID == d.ID || x.ContentHash != "" {
			continue
		}
		x.IsLatest, x.Status, x.Reason, x.UpdatedAt = false, lukasa.StatusDone, "read since as "+string(d.ID), p.now()
		if err := tx.PutDocument(x); err != nil {
			return err
		}
		if err := tx.DropDead(x.ID); err != nil {
			return err
		}
	}
	return nil
}
