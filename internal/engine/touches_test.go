package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// touched is a store that notes how many documents are touched in each transaction.
type touched struct {
	store.Store
	store.Tx
	parts []int
	ids   []lukasa.ID
}

func (s *touched) Update(_ context.Context, _ lukasa.Scope, fn func(store.Tx) error) error {
	return fn(s.Tx)
}

type touchedTx struct {
	store.Tx
	s *touched
}

func (t touchedTx) Touch(ids []lukasa.ID, _ time.Time) ([]lukasa.ID, error) {
	t.s.parts = append(t.s.parts, len(ids))
	t.s.ids = append(t.s.ids, ids...)
	return nil, nil
}

// However much was recalled, no transaction notes more of it than others can wait for, and all of it is noted, in the order in which it lies.
func TestTouchesInParts(t *testing.T) {
	s := &touched{}
	s.Tx = touchedTx{s: s}
	all := newTouches(s, slog.New(slog.NewTextHandler(io.Discard, nil)))
	const n = 2*touchedAtOnce + 1
	for i := range n {
		all.note(lukasa.Scope{Owner: "usr_1"}, []lukasa.ID{lukasa.ID(fmt.Sprint("doc_", i))})
	}
	if err := all.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.parts) != 3 || max(s.parts[0], s.parts[1], s.parts[2]) > touchedAtOnce || len(s.ids) != n || !slices.IsSorted(s.ids) {
		t.Fatalf("%d documents in parts of %v, want %d, sorted, in parts of at most %d", len(s.ids), s.parts, n, touchedAtOnce)
	}
}
