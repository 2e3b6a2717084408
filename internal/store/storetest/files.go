package storetest

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var fileCases = []testCase{
	{"StatesMoveOnceAndLeaveALine", func(t *testing.T, w *world) { // N-9
		d, _ := w.saved(w.node("work"), "text", 1)
		f := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "raw", Size: 100, SealedSize: 60, Blob: "loose", State: store.FileActive, UsedAt: start, CreatedAt: start}
		other := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "text", Inline: []byte("x"), CreatedAt: start}
		w.update(func(tx store.Tx) error {
			if err := tx.PutFile(f); err != nil {
				return err
			}
			return tx.PutFile(other)
		})
		dense := f
		dense.Blob, dense.SealedSize = "dense", 20
		e := store.FileEvent{File: f.ID, From: store.FileActive, To: store.FileDormant, Trigger: "scheduler", Before: 60, After: 20, At: w.tick()}
		same(t, true, must[bool](t)(w.MoveFile(w.ctx(), w.owner, dense, e)))
		same(t, false, must[bool](t)(w.MoveFile(w.ctx(), w.owner, dense, e))) // another was first
		same(t, false, must[bool](t)(w.MoveFile(w.ctx(), w.id(lukasa.PrefixUser), dense, e)))
		failed := store.FileEvent{File: f.ID, From: store.FileDormant, To: store.FileDormant, Trigger: "retrieval", Before: 20, After: 20, Error: "the blob is missing", At: w.tick()}
		same(t, false, must[bool](t)(w.MoveFile(w.ctx(), w.owner, lukasa.File{ID: f.ID, SHA256: "of what it was"}, failed)))
		same(t, true, must[bool](t)(w.MoveFile(w.ctx(), w.owner, dense, failed)))
		third := store.FileEvent{File: other.ID, From: store.FileActive, To: store.FileRehydrating, Trigger: "manual", At: w.tick()}
		same(t, true, must[bool](t)(w.MoveFile(w.ctx(), w.owner, other, third)))
		_, err := w.MoveFile(w.ctx(), w.owner, f, store.FileEvent{From: store.FileDormant, To: "gone"})
		w.fails(lukasa.CodeInvalid, err)
		dense.State = store.FileDormant
		w.view(func(r store.Reader) { same(t, []lukasa.File{dense}, must[[]lukasa.File](t)(r.Files(d.ID, "raw"))) })
		log := func(file lukasa.ID, p lukasa.Page) lukasa.Listing[store.FileEvent] {
			return must[lukasa.Listing[store.FileEvent]](t)(w.FileEvents(w.ctx(), w.owner, file, p))
		}
		same(t, []store.FileEvent{failed, e}, log(f.ID, lukasa.Page{}).Items)
		page := log("", lukasa.Page{Limit: 2})
		same(t, []store.FileEvent{third, failed}, page.Items)
		same(t, 3, page.Total)
		page = log("", lukasa.Page{Limit: 2, Cursor: page.Next})
		same(t, []store.FileEvent{e}, page.Items)
		same(t, "", page.Next)
		same(t, 0, must[lukasa.Listing[store.FileEvent]](t)(w.FileEvents(w.ctx(), w.id(lukasa.PrefixUser), "", lukasa.Page{})).Total)
		keys := []string{}
		w.ok(w.BlobKeys(w.ctx(), func(k string) bool { keys = append(keys, k); return true }))
		same(t, []string{"dense"}, keys)
		w.healthy()
	}},
}

var auditCases = []testCase{
	{"NothingIsLeftOfAUser", func(t *testing.T, w *world) { // T-15
		s := w.secrets("work")
		w.view(func(r store.Reader) {
			f := must[[]lukasa.File](t)(r.Files(s.doc.ID, ""))[0]
			same(t, true, must[bool](t)(w.MoveFile(w.ctx(), w.owner, f, store.FileEvent{From: store.FileActive, To: store.FileDormant})))
		})
		dave, lone := w.entity("person", "Dave"), w.entity("person", "Lone")
		w.update(func(tx store.Tx) error {
			for _, e := range []lukasa.Entity{dave, lone} {
				if err := tx.PutEntity(e); err != nil {
					return err
				}
			}
			if err := tx.PutEdges([]lukasa.Edge{mention(s.doc.ID, dave.ID)}); err != nil {
				return err
			}
			if err := tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobDistil, Record: s.doc.ID}); err != nil {
				return err
			}
			return tx.Bury(s.mem.ID)
		})
		w.ok(w.Audit(w.ctx(), store.Audit{Owner: w.owner, Action: "key.create"}))
		gone, _, err := w.DeleteUser(w.ctx(), w.owner)
		w.ok(err)
		same(t, [4]int{3, 3, 1, 2}, [4]int{gone.Edges, gone.Entities, gone.Jobs, gone.Memories})
		same(t, 0, must[lukasa.Listing[store.Audit]](t)(w.AuditLog(w.ctx(), w.owner, "", lukasa.Page{})).Total)
		same(t, 0, len(w.history("")))
		same(t, 0, must[lukasa.Listing[store.FileEvent]](t)(w.FileEvents(w.ctx(), w.owner, "", lukasa.Page{})).Total)
		w.ok(w.Audit(w.ctx(), store.Audit{Owner: w.owner, Action: "user.delete", At: start})) // the receipt comes after
		w.ok(w.Scrub(w.ctx()))
		same(t, 1, must[lukasa.Listing[store.Audit]](t)(w.AuditLog(w.ctx(), w.owner, "", lukasa.Page{})).Total)
		w.healthy()
	}},
}
