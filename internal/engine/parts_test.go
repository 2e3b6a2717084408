package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// onTheWay is a clock that ends ctx as soon as what it looks for is so: while something is being done, and not before. It looks once begin is called.
type onTheWay struct {
	look   atomic.Pointer[func() bool]
	cancel context.CancelFunc
}

func (o *onTheWay) begin(look func() bool) { o.look.Store(&look) }

func (o *onTheWay) now() time.Time {
	if look := o.look.Swap(nil); look != nil { // who looks reads the clock as well
		if (*look)() {
			o.cancel()
		} else {
			o.look.Store(look)
		}
	}
	return time.Now()
}

// other is the i-th of two ids beside one.
func other(id lukasa.ID, i int) lukasa.ID {
	last := strings.Replace("012", string(id[len(id)-1:]), "", 1)
	return id[:len(id)-1] + lukasa.ID(last[i:i+1])
}

// A container that holds much goes in parts, each with a receipt; where that ends in between, the receipts say what is gone, and the rest is
// there and can be deleted again. T-15, N-4
func TestLargeContainerGoesInParts(t *testing.T) {
	t.Parallel()
	const n = 2300
	cfg := enginetest.Config(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := onTheWay{cancel: cancel}
	e, _, sc := enginetest.Open(t, cfg, engine.Options{Now: clock.now})
	notes := make([]lukasa.NewDocument, n)
	for i := range notes {
		notes[i] = lukasa.NewDocument{Content: fmt.Sprintf("Crate %d of quixotrops.", i), Container: "hold", Origin: lukasa.OriginImport}
	}
	var node lukasa.ID
	for part := range slices.Chunk(notes, 100) {
		rs, errs := e.RememberAll(t.Context(), sc, part)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		node = rs[0].Document.Node
	}
	left := func() int {
		l, err := e.Documents(t.Context(), sc, lukasa.DocumentFilter{}, lukasa.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return l.Total
	}
	clock.begin(func() bool { return left() < n })
	if r, err := e.Delete(ctx, sc, node); err == nil {
		t.Fatalf("not interrupted: %+v", r.Removed)
	}
	receipts := func() (list []engine.DeletionReceipt, documents int, ids map[lukasa.ID]bool) {
		l, err := e.DeletionReceipts(t.Context(), sc, lukasa.Page{})
		if err != nil {
			t.Fatal(err)
		}
		ids = map[lukasa.ID]bool{}
		for _, r := range l.Items {
			for _, id := range r.Removed.IDs {
				ids[id] = true
			}
			if documents += r.Removed.Documents; r.Resource != node {
				t.Errorf("receipt of %s", r.Resource)
			}
		}
		return l.Items, documents, ids
	}
	list, told, _ := receipts()
	if rest := left(); rest == n || rest == 0 || told != n-rest || len(list) == 0 || list[0].Action != "content.delete" {
		t.Fatalf("%d left, receipts of %d: %+v", rest, told, list)
	}
	rest := left()
	r, err := e.Delete(t.Context(), sc, node)
	if err != nil {
		t.Fatal(err)
	}
	all, _, ids := receipts()
	if left() != 0 || r.Removed.Documents != rest || r.Removed.Nodes != 1 || r.Action != "node.delete" || len(r.Parts) == 0 || len(all) != len(list)+len(r.Parts)+1 || len(ids) != n+1 {
		t.Errorf("%d left, %d receipts with %d ids, the last %+v of parts %v", left(), len(all), len(ids), r.Removed.Documents, r.Parts)
	}
	if got, err := e.Search(t.Context(), sc, lukasa.Query{Text: "quixotrops"}); err != nil || len(got.Hits) > 0 {
		t.Errorf("found %v, %v", got.Hits, err)
	}
	for _, id := range append(slices.Clone(r.Parts), r.ID) {
		done, err := e.Scrubbed(t.Context(), sc, id)
		if err != nil || done.Scrub.State != "scrubbed" || done.Scrub.Pieces == 0 {
			t.Errorf("%s: %+v, %v", id, done.Scrub, err)
		}
	}
	if names := holds(t, cfg.Data, "quixotrop"); len(names) > 0 {
		t.Errorf("it is still in %v", names)
	}
}

// What a user holds goes in parts too, when the user goes. Who asked has the receipts of all parts: of a deletion that was interrupted, of one whose
// process ended before it told of a part, and of the one that came to its end. T-15, N-4
func TestLargeUserGoesInParts(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		const n = 2100
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		clock := onTheWay{cancel: cancel}
		e, _, admin := enginetest.Open(t, cfg, engine.Options{Now: clock.now})
		u := must[lukasa.User](t)(e.CreateUser(t.Context(), admin, lukasa.User{Name: "Bob"}))
		bob := lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}
		notes := make([]lukasa.NewDocument, n)
		for i := range notes {
			notes[i] = lukasa.NewDocument{Content: fmt.Sprintf("Crate %d of quixotrops.", i), Container: "hold"}
		}
		for part := range slices.Chunk(notes, 100) {
			_, errs := e.RememberAll(t.Context(), bob, part)
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
		}
		left := func() int {
			return must[lukasa.Listing[lukasa.Document]](t)(e.Documents(t.Context(), bob, lukasa.DocumentFilter{}, lukasa.Page{Limit: 1})).Total
		}
		clock.begin(func() bool { return left() < n })
		if r, err := e.Delete(ctx, admin, u.ID); err == nil {
			t.Fatalf("not interrupted: %+v", r.Removed)
		}
		receipts := func() (list []engine.DeletionReceipt, documents int, ids map[lukasa.ID]bool) {
			l := must[lukasa.Listing[engine.DeletionReceipt]](t)(e.DeletionReceipts(t.Context(), admin, lukasa.Page{}))
			ids = map[lukasa.ID]bool{}
			for _, r := range l.Items {
				for _, id := range r.Removed.IDs {
					ids[id] = true
				}
				if documents += r.Removed.Documents; r.Resource != u.ID || r.Owner != admin.Owner {
					t.Errorf("receipt of %s for %s", r.Resource, r.Owner)
				}
			}
			if l.Total != len(l.Items) {
				t.Errorf("%d receipts of %d", len(l.Items), l.Total)
			}
			return l.Items, documents, ids
		}
		list, told, _ := receipts()
		rest := left()
		if rest == n || rest == 0 || told != n-rest || len(list) == 0 || list[0].Action != "content.delete" {
			t.Fatalf("%d left, receipts of %d: %+v", rest, told, list)
		}

		// One part that went and was not told is told by its job, and one that comes later by the deletion that goes on.
		for i := range 2 {
			lost := list[0]
			lost.ID = other(lost.ID, i)
			lost.At, lost.Removed = lost.At.Add(-time.Minute), lukasa.Removal{Documents: 1, IDs: []lukasa.ID{lukasa.ID(fmt.Sprint("lost", i))}}
			if err := e.LeaveDeletion(t.Context(), u.ID, lost); err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				break
			}
			if err := e.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, n, ids := receipts(); n != told+1 || !ids["lost0"] {
				t.Errorf("of %d documents is told, after the job of a part: %v", n, ids["lost0"])
			}
		}

		r := must[engine.DeletionReceipt](t)(e.Delete(t.Context(), admin, u.ID))
		all, _, ids := receipts()
		if r.Removed.Documents != rest || r.Action != "user.delete" || len(r.Parts) == 0 || len(all) != len(list)+2+len(r.Parts)+1 || !ids["lost1"] {
			t.Errorf("%d receipts with %d ids, the first of them %s, the last of %d documents in parts %v", len(all), len(ids), list[0].ID, r.Removed.Documents, r.Parts)
		}
		if users := must[[]lukasa.User](t)(e.Users(t.Context(), admin)); len(users) != 1 {
			t.Errorf("users %+v", users)
		}
		for _, id := range append(slices.Clone(r.Parts), r.ID) {
			done, err := e.Scrubbed(t.Context(), admin, id)
			if err != nil || done.Scrub.State != "scrubbed" || done.Scrub.Pieces == 0 {
				t.Errorf("%s: %+v, %v", id, done.Scrub, err)
			}
		}
		if err := e.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		all, _, _ = receipts()
		for _, r := range all {
			if r.Scrub.State == "pending" {
				t.Errorf("%s of %v is pending for good", r.ID, r.Removed.IDs[0])
			}
		}
		if names := holds(t, cfg.Data, "quixotrop"); len(names) > 0 {
			t.Errorf("it is still in %v", names)
		}
	})
}
