package postgres_test

import (
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/postgres"
)

// H-28: a job that waits already is not begun before the write that leaves more to it is committed: it would not see that, and be done with it.
func TestWaitingJobIsHeld(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Options{})
	mint := lukasa.Minter{Now: time.Now, Rand: rand.Reader}
	owner := mint.ID(lukasa.PrefixUser)
	if err := db.PutUser(t.Context(), lukasa.User{ID: owner, Name: "Ada", Role: lukasa.RoleUser}, []byte("wrapped")); err != nil {
		t.Fatal(err)
	}
	enqueue := func(tx store.Tx) error {
		return tx.Enqueue(lukasa.Job{ID: mint.ID(lukasa.PrefixJob), Kind: lukasa.JobEmbed, Record: "doc_1", MaxTries: 8})
	}
	sc := lukasa.Scope{Owner: owner, Principal: owner, Role: lukasa.RoleUser}
	if err := db.Update(t.Context(), sc, enqueue); err != nil {
		t.Fatal(err)
	}
	found, more := make(chan struct{}), make(chan struct{})
	tell := sync.OnceFunc(func() { close(found) })
	var work sync.WaitGroup
	work.Go(func() {
		if err := db.Update(t.Context(), sc, func(tx store.Tx) error {
			if err := enqueue(tx); err != nil {
				return err
			}
			if _, err := tx.Nodes(nil, false); err != nil { // what was queued is sent by now
				return err
			}
			tell()
			<-more
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-found
	begun := make(chan int)
	work.Go(func() {
		jobs, err := db.Claim(t.Context(), time.Now().Add(time.Minute), time.Minute, 10)
		if err != nil {
			t.Error(err)
		}
		begun <- len(jobs)
	})
	select {
	case n := <-begun:
		t.Errorf("%d jobs were begun before the write was committed", n)
		close(more)
	case <-time.After(500 * time.Millisecond):
		close(more)
		if n := <-begun; n != 1 {
			t.Errorf("%d jobs were begun after it", n)
		}
	}
	work.Wait()
}
