package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var errOops = errors.New("oops")

var transactionCases = []testCase{
	{"AnErrorUndoesAll", func(t *testing.T, w *world) { // N-6
		node := w.node("work")
		d := w.doc(node, "text")
		head := must[int64](t)(w.Head(w.ctx()))
		err := w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			if err := put(tx, d, w.chunks(d, 2)); err != nil {
				return err
			}
			if err := tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobEmbed, Record: d.ID}); err != nil {
				return err
			}
			must[lukasa.Document](t)(tx.Document(d.ID)) // it sees its own writes
			return errOops
		})
		if !errors.Is(err, errOops) {
			t.Fatalf("got %v, want the function's own error", err)
		}
		w.view(func(r store.Reader) {
			_, err := r.Document(d.ID)
			w.fails(lukasa.CodeNotFound, err)
		})
		same(t, head, must[int64](t)(w.Head(w.ctx())))
		waiting, _, _, err := w.Counts(w.ctx(), start)
		w.ok(err)
		same(t, 0, waiting)
		w.healthy()
	}},
	{"AFailedStatementLeavesTheRestUsable", func(t *testing.T, w *world) {
		node := w.node("work")
		d := w.doc(node, "text")
		w.update(func(tx store.Tx) error {
			if err := tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "work"}); lukasa.CodeOf(err) != lukasa.CodeConflict {
				t.Errorf("got %v, want a conflict", err)
			}
			return put(tx, d, w.chunks(d, 1))
		})
		w.view(func(r store.Reader) { must[lukasa.Document](t)(r.Document(d.ID)) })
	}},
	{"APanicIsTheCallersOwn", func(t *testing.T, w *world) {
		node := w.node("work")
		d := w.doc(node, "text")
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
				if err := tx.PutDocument(d); err != nil {
					return err
				}
				panic("oops")
			})
		}()
		done := make(chan struct{})
		go func() { // as t.FailNow in a function would
			defer close(done)
			_ = w.Update(context.Background(), w.scope(), func(store.Tx) error { runtime.Goexit(); return nil })
		}()
		<-done
		func() {
			defer func() { _ = recover() }()
			_ = w.View(w.ctx(), w.scope(), func(store.Reader) error { panic("oops") })
		}()
		w.saved(node, "after", 1)
		w.view(func(r store.Reader) {
			_, err := r.Document(d.ID)
			w.fails(lukasa.CodeNotFound, err)
		})
	}},
	{"AViewIsASnapshot", func(t *testing.T, w *world) {
		node := w.node("work")
		d, _ := w.saved(node, "text", 1)
		w.view(func(r store.Reader) {
			must[lukasa.Document](t)(r.Document(d.ID))
			w.update(func(tx store.Tx) error { // a view does not hold a writer up
				_, _, err := tx.DeleteDocument(d.ID)
				return err
			})
			same(t, 1, len(must[[]lukasa.Chunk](t)(r.Chunks(d.ID))))
			w.view(func(r store.Reader) {
				_, err := r.Document(d.ID)
				w.fails(lukasa.CodeNotFound, err)
			})
		})
	}},
	{"AReaderEndsWithItsFunction", func(t *testing.T, w *world) {
		var kept store.Reader
		var tx store.Tx
		w.view(func(r store.Reader) { kept = r })
		w.update(func(x store.Tx) error { tx = x; return nil })
		_, err := kept.Nodes(nil, false)
		w.fails(lukasa.CodeInternal, err)
		w.fails(lukasa.CodeInternal, tx.PutNode(lukasa.Node{ID: "node_x"}))
	}},
	{"ACancelledCallDoesNothing", func(t *testing.T, w *world) {
		node := w.node("work")
		ctx, cancel := context.WithCancel(w.ctx())
		cancel()
		ran := false
		w.fails(lukasa.CodeTimeout, w.Update(ctx, w.scope(), func(store.Tx) error { ran = true; return nil }))
		err := w.View(ctx, w.scope(), func(store.Reader) error { ran = true; return nil })
		w.fails(lukasa.CodeTimeout, err)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%v does not say why", err)
		}
		_, err = w.Head(ctx)
		w.fails(lukasa.CodeTimeout, err)
		if ran {
			t.Fatal("a function ran after its context had ended")
		}
		d := w.doc(node, "text")
		ctx, cancel = context.WithCancel(w.ctx())
		w.fails(lukasa.CodeTimeout, w.Update(ctx, w.scope(), func(tx store.Tx) error { // on the way
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			cancel()
			return tx.ReplaceChunks(d.ID, w.chunks(d, 1))
		}))
		w.view(func(r store.Reader) {
			_, err := r.Document(d.ID)
			w.fails(lukasa.CodeNotFound, err)
		})
	}},
	{"ManyWritersAtOnce", func(t *testing.T, w *world) {
		node := w.node("work")
		c, _, _ := w.dialogue(node, "talk", 1)
		const writers, each = 16, 20
		var wg sync.WaitGroup
		errs := make(chan error, writers*each)
		for k := range writers {
			wg.Go(func() {
				for i := range each {
					bad := (k+i)%5 == 0 // one in five changes its mind
					d := w.doc(node, fmt.Sprint(k, i))
					cs := w.chunks(d, 1)
					ms, mc := w.turns(c, 1)
					err := w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
						if err := put(tx, d, cs); err != nil {
							return err
						}
						if err := tx.PutMessages(ms, mc); err != nil {
							return err
						}
						if bad {
							return errOops
						}
						return nil
					})
					if bad != errors.Is(err, errOops) || (!bad && err != nil) {
						errs <- fmt.Errorf("writer %d, item %d: %w", k, i, err)
					}
					err = w.View(w.ctx(), w.scope(), func(r store.Reader) error {
						_, err := r.Document(d.ID)
						if bad != (lukasa.CodeOf(err) == lukasa.CodeNotFound) {
							return fmt.Errorf("after its commit: %w", err)
						}
						return nil
					})
					if err != nil {
						errs <- err
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			t.Error(err)
		}
		const kept = writers * each * 4 / 5
		w.view(func(r store.Reader) {
			same(t, kept, must[lukasa.Stats](t)(r.Stats()).Documents)
			same(t, kept+1, must[lukasa.Conversation](t)(r.Conversation(c.ID)).Messages)
			l := must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, lukasa.Page{Limit: 100, Offset: kept - 50}))
			for i, m := range l.Items {
				same(t, int64(kept-50+i), m.Seq) // no position twice, none left out
			}
		})
		w.healthy()
	}},
}
