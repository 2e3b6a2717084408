package sqlite

import (
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

func TestALostTransactionIsRunAgainForTheOthers(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	db.SetGroupTime(time.Hour)
	errLost := errors.New("lost")
	started, release := make(chan struct{}), make(chan struct{})
	var begun sync.Once
	runs := 0
	var wg sync.WaitGroup
	set := func(name string, before func()) {
		wg.Go(func() {
			err := db.write(t.Context(), lukasa.Scope{}, func(tx *sqlstore.Tx) error {
				before()
				return tx.Do("INSERT INTO settings (name, value) VALUES (?5, 'x')", name)
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	set("first", func() {
		runs++
		begun.Do(func() { close(started) })
		<-release
	})
	<-started
	wg.Go(func() { // what SQLite does by itself on some errors of the disk
		err := db.write(t.Context(), lukasa.Scope{}, func(tx *sqlstore.Tx) error {
			_, err := tx.C.Exec(t.Context(), "ROLLBACK", nil)
			return errors.Join(errLost, err)
		})
		if !errors.Is(err, errLost) {
			t.Errorf("got %v, want the function's own error", err)
		}
	})
	for db.writer.Waiting() == 0 {
		runtime.Gosched()
	}
	set("last", func() {})
	close(release)
	wg.Wait()
	for _, name := range []string{"first", "last"} {
		if v, err := db.Setting(t.Context(), name); v != "x" || err != nil {
			t.Errorf("%s is %q, %v: it was acknowledged", name, v, err)
		}
	}
	if runs != 2 {
		t.Errorf("the first function ran %d times, want 2", runs)
	}
}
