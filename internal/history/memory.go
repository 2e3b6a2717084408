package history

import (
	"context"
	"encoding/json"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Memory returns a memory as it was at a moment; the zero time is now.
func (p *Path) Memory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (m lukasa.Memory, err error) {
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		if m, err = r.Memory(id); err != nil {
			return err
		}
		return store.Apart(r, sc, &m.RetiredBy)
	})
	return m, err
}

// Memories lists memories as they were at a moment.
func (p *Path) Memories(ctx context.Context, sc lukasa.Scope, f lukasa.MemoryFilter, pg lukasa.Page, at time.Time) (l lukasa.Listing[lukasa.Memory], err error) {
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		if l, err = r.Memories(f, pg); err != nil {
			return err
		}
		by := make([]*lukasa.ID, len(l.Items))
		for i := range l.Items {
			by[i] = &l.Items[i].RetiredBy
		}
		return store.Apart(r, sc, by...)
	})
	return l, err
}

// List returns the deltas that a record had at a moment and the scope can see, newest first; of all records for "".
func (p *Path) List(ctx context.Context, sc lukasa.Scope, record lukasa.ID, pg lukasa.Page, at time.Time) (l lukasa.Listing[lukasa.Delta], err error) {
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		if l, err = r.History(record, pg); err != nil {
			return err
		}
		for i := range l.Items {
			if err := apartIn(r, sc, &l.Items[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return l, err
}

// view reads at a moment; the zero time is now.
func (p *Path) view(ctx context.Context, sc lukasa.Scope, at time.Time, fn func(store.Reader) error) error {
	switch {
	case sc.Owner == "":
		return lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case at.IsZero():
		return p.Store.View(ctx, sc, fn)
	}
	return p.Store.ViewAt(ctx, sc, at, fn)
}

// apartIn is [store.Apart] for the states that a delta holds.
func apartIn(r store.Reader, sc lukasa.Scope, d *lukasa.Delta) error {
	if sc.Root == "" || d.Record.Prefix() != lukasa.PrefixMemory {
		return nil
	}
	for _, state := range []*json.RawMessage{&d.Before, &d.After} {
		var was map[string]json.RawMessage
		var by lukasa.ID
		if json.Unmarshal(*state, &was) != nil || json.Unmarshal(was["retired_by"], &by) != nil {
			continue
		}
		if err := store.Apart(r, sc, &by); err != nil {
			return err
		}
		if by != "" {
			continue
		}
		delete(was, "retired_by")
		b, err := json.Marshal(was)
		if err != nil {
			return err
		}
		*state = b
	}
	return nil
}
