package storetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Gone holds a store to it that nothing of a user stays who is deleted while writes of theirs are under way, in whatever table.
func Gone(t *testing.T, open Opener) {
	t.Parallel()
	w := newCopyWorld(t, open)
	fillSome(w)
	org, friend := w.id(store.PrefixOrganisation), w.id(lukasa.PrefixUser)
	for _, id := range []lukasa.ID{org, friend} {
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: id, Name: "stays", CreatedAt: w.tick()}, []byte("wrapped")))
	}
	w.ok(w.PutMember(w.ctx(), store.Member{Org: org, User: friend, Role: store.MemberOwner, AddedAt: w.tick()}))
	mint := lukasa.Minter{Now: time.Now, Rand: rand.Reader}
	for round := range 6 {
		who := mint.ID(lukasa.PrefixUser)
		sc := lukasa.Scope{Owner: who, Principal: who}
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: who, Name: "goes", CreatedAt: w.tick()}, []byte("wrapped")))
		writes := map[string]func() error{
			"place": func() error {
				return w.Update(w.ctx(), sc, func(tx store.Tx) error {
					n, _, err := store.EnsureNode(tx, mint, lukasa.NewNode{Path: "work"})
					d := lukasa.Document{ID: mint.ID(lukasa.PrefixDocument), Node: n.ID, Content: "text", Status: lukasa.StatusDone, Version: 1, IsLatest: true}
					if err != nil {
						return err
					}
					return errors.Join(tx.PutDocument(d), tx.Enqueue(lukasa.Job{ID: mint.ID(lukasa.PrefixJob), Kind: lukasa.JobEmbed, Record: d.ID}))
				})
			},
			"entity": func() error {
				return w.Update(w.ctx(), sc, func(tx store.Tx) error {
					id := mint.ID(lukasa.PrefixEntity)
					return tx.PutEntity(lukasa.Entity{ID: id, Kind: "person", Name: string(id)})
				})
			},
			"job": func() error {
				return w.Update(w.ctx(), sc, func(tx store.Tx) error {
					return tx.Enqueue(lukasa.Job{ID: mint.ID(lukasa.PrefixJob), Kind: lukasa.JobDistil, Record: mint.ID(lukasa.PrefixDocument)})
				})
			},
			"audit": func() error { return w.Audit(w.ctx(), store.Audit{Owner: who, Actor: who, Action: "test"}) },
			"member": func() error {
				return w.PutMember(w.ctx(), store.Member{Org: org, User: who, Role: store.MemberViewer, AddedAt: start})
			},
			"key": func() error {
				id := mint.ID(lukasa.PrefixKey)
				return w.PutKey(w.ctx(), lukasa.Key{ID: id, User: who, Name: "k", Role: lukasa.RoleUser, CreatedAt: start}, []byte(id))
			},
		}
		var all sync.WaitGroup
		began, deleted := make(chan struct{}, len(writes)), make(chan struct{})
		for name, write := range writes {
			all.Go(func() {
				for i, after := 0, 0; after < 5; i++ {
					select {
					case <-deleted:
						after++
					default:
					}
					err := write()
					if i == round {
						began <- struct{}{}
					}
					if code := lukasa.CodeOf(err); code == lukasa.CodeUnauthenticated && errors.Is(err, store.ErrGone) || code == lukasa.CodeNotFound {
						return
					} else if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			})
		}
		for range writes {
			<-began
		}
		if _, _, err := w.DeleteUser(w.ctx(), who); err != nil {
			t.Fatal(err)
		}
		close(deleted)
		all.Wait()
		for _, left := range ofOwner(t, w.whole(), who) {
			t.Errorf("round %d: after the deletion there are %s", round, left)
		}
	}
}

// ofOwner counts the rows that name an owner or member, in each table that has any.
func ofOwner(t *testing.T, s Whole, who lukasa.ID) (list []string) {
	t.Helper()
	for _, c := range must[[]store.Copied](t)(s.All.Count(t.Context())) {
		if c.Table == "changes" || c.Table == "log" {
			continue // ids alone, which readers of the log need
		}
		err := s.All.Read(t.Context(), "", func(st store.Statements) error {
			columns, err := s.All.Columns(st, c.Table)
			for _, column := range columns {
				if column != "owner_id" && column != "user_id" && column != "member_id" {
					continue
				}
				n := 0
				if err == nil {
					err = st.Query(func(r store.Row) { n = int(r.Int64(0)) }, "SELECT count(*) FROM "+c.Table+" WHERE "+column+" = ?5", who)
				}
				if n > 0 {
					list = append(list, fmt.Sprintf("%d rows of %s by %s", n, c.Table, column))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}
