// Package lifecycle is the path of time: what happens to records because a moment has come, and not because somebody asked.
package lifecycle

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Remover deletes a record for good, as a caller's request would.
type Remover interface {
	DeleteDocument(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Removal, error)
	DeleteMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Removal, error)
}

// Deps are what the path works with.
type Deps struct {
	Store  store.Store
	Blobs  blob.Driver
	Remove Remover
	Now    func() time.Time
	Log    *slog.Logger
}

// Path is safe for concurrent use.
type Path struct{ Deps }

// New makes the path.
func New(d Deps) *Path { return &Path{Deps: d} }

// Forget removes every record whose forget_after has come, and returns how many.
func (p *Path) Forget(ctx context.Context) (int, error) {
	const batch = 100
	n := 0
	for {
		due, err := p.Store.Expired(ctx, p.Now(), batch)
		if err != nil {
			return n, err
		}
		for _, x := range due {
			sc := lukasa.Scope{Owner: x.Owner, Principal: x.Owner, Role: lukasa.RoleUser}
			if x.Record.Prefix() == lukasa.PrefixMemory {
				_, err = p.Remove.DeleteMemory(ctx, sc, x.Record)
			} else {
				_, err = p.Remove.DeleteDocument(ctx, sc, x.Record)
			}
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return n, err
			}
			n++
		}
		if len(due) < batch {
			return n, nil
		}
	}
}

// sweepAge keeps the sweep away from blobs whose row is still being written.
const sweepAge = time.Hour

// Sweep deletes blobs that no row refers to and that are old enough not to be on their way in.
func (p *Path) Sweep(ctx context.Context) (int, error) {
	var found []blob.Info
	err := p.Blobs.List(ctx, "", func(i blob.Info) bool {
		if p.Now().Sub(i.ModTime) > sweepAge {
			found = append(found, i)
		}
		return true
	})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	used := map[string]bool{}
	err = p.Store.BlobKeys(ctx, func(k string) bool {
		used[k] = true
		return true
	})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, i := range found {
		if used[i.Key] {
			continue
		}
		if err := p.Blobs.Delete(ctx, i.Key); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// MissingBlobs returns the keys that rows refer to and the blob store does not have.
func (p *Path) MissingBlobs(ctx context.Context) ([]string, error) {
	var missing []string
	var failed error
	err := p.Store.BlobKeys(ctx, func(k string) bool {
		_, err := p.Blobs.Stat(ctx, k)
		if errors.Is(err, blob.ErrNotFound) {
			missing = append(missing, k)
			err = nil
		}
		failed = err
		return err == nil
	})
	return missing, errors.Join(err, failed)
}
