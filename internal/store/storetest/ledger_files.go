package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var ledgerFileCases = []testCase{
	{"IdleOnesComeFirst", func(t *testing.T, w *world) { // N-9
		d := lukasa.Document{ID: w.id(lukasa.PrefixDocument), Node: w.node("work"), Content: "text", Status: lukasa.StatusDone, Version: 1, IsLatest: true}
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		var files []lukasa.File
		for i := range 4 {
			f := lukasa.File{
				ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "raw", Size: 100, SealedSize: 60, Blob: "b", SHA256: "00",
				State: store.FileActive, UsedAt: start.Add(-time.Duration(i) * time.Hour), CreatedAt: start,
			}
			files = append(files, f)
			w.update(func(tx store.Tx) error { return tx.PutFile(f) })
		}
		idle := func(state string, before time.Time, limit int) (list []lukasa.File) {
			for _, f := range must[[]store.OwnedFile](t)(w.IdleFiles(w.ctx(), state, before, limit)) {
				same(t, w.owner, f.Owner)
				list = append(list, f.File)
			}
			return list
		}
		same(t, []lukasa.File{files[3], files[2], files[1]}, idle(store.FileActive, start, 10))
		same(t, files[3:], idle(store.FileActive, start, 1))
		same(t, 0, len(idle(store.FileDormant, start.Add(time.Hour), 10)))
		w.ok(w.TouchFiles(w.ctx(), w.owner, []lukasa.ID{files[3].ID, "file_none"}, start.Add(time.Hour)))
		w.ok(w.TouchFiles(w.ctx(), w.owner, []lukasa.ID{files[2].ID}, start.Add(-99*time.Hour))) // it does not go back
		w.ok(w.TouchFiles(w.ctx(), w.id(lukasa.PrefixUser), []lukasa.ID{files[1].ID}, start.Add(time.Hour)))
		same(t, []lukasa.File{files[2], files[1]}, idle(store.FileActive, start, 10))
	}},
}
