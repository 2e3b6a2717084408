package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/shelves"
)

// Check is the state of one part: ok, degraded (the product works, with less) or down.
type Check struct {
	Status string  `json:"status"`
	Detail string  `json:"detail,omitempty"`
	TookMS float64 `json:"took_ms"`
}

// Health is the state of the house.
type Health struct {
	Status string           `json:"status"`
	Checks map[string]Check `json:"checks"`
	Time   time.Time        `json:"time"`
	Uptime float64          `json:"uptime_seconds"`
}

// poorly says what is wrong with a part, and all of it: no line of the log has more.
type poorly string

func (p poorly) Error() string { return string(p) }

// lookTime is how long health waits for one part: balancers that ask wait little longer.
const lookTime = 2 * time.Second

// Health looks at each part. Only rows that cannot be read make the whole down; what else is away degrades it.
func (e *Engine) Health(ctx context.Context) Health {
	h := Health{Status: "ok", Checks: map[string]Check{}, Time: e.now().UTC(), Uptime: e.now().Sub(e.started).Seconds()}
	look := func(name, worst string, fn func(context.Context) (string, error)) {
		from := e.now()
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		detail, err := fn(ctx)
		c := Check{Status: "ok", Detail: detail, TookMS: float64(e.now().Sub(from)) / 1e6}
		if err != nil {
			if told, ok := errors.AsType[poorly](err); ok {
				c.Status, c.Detail = worst, string(told)
			} else {
				e.log.WarnContext(ctx, "health check", "part", name, "err", err)
				c.Status, c.Detail = worst, worst+": see the log"
			}
			if h.Status != "down" {
				h.Status = worst
			}
		}
		h.Checks[name] = c
	}
	look("store", "down", func(ctx context.Context) (string, error) { _, err := e.store.Head(ctx); return "", err })
	rows := h.Status != "down" // else what needs them would only wait as long again
	look("index", "degraded", func(ctx context.Context) (string, error) {
		var err error
		if rows {
			_, err = e.index.Sync(ctx)
		}
		s := e.index.Stats()
		return fmt.Sprintf("%d entries in %d loaded partitions", s.Entries, s.Partitions), err
	})
	if c, ok := e.cache.(interface{ Check(context.Context) error }); ok {
		look("cache", "degraded", func(ctx context.Context) (string, error) { return e.cfg.CacheProvider, c.Check(ctx) })
	}
	look("embedder", "degraded", func(ctx context.Context) (string, error) {
		if t, ok := embed.As[lifecycle.Troubled](e.embed); ok && t.Trouble().Err != nil {
			return "", poorly(lifecycle.Told(t))
		}
		if c, ok := embed.As[embed.HealthChecker](e.embed); ok {
			return e.embed.Space().Model, c.Health(ctx)
		}
		return e.embed.Space().Model, nil
	})
	if e.model != nil {
		look("model", "degraded", func(context.Context) (string, error) {
			chats, _ := e.modelNamed("")
			for _, m := range []llm.Model{e.model, chats} {
				if t, ok := llm.As[lifecycle.Troubled](m); ok && t.Trouble().Err != nil {
					return "", poorly(lifecycle.Told(t))
				}
			}
			return e.model.Info().Model, nil
		})
	}
	look("files", "degraded", func(ctx context.Context) (string, error) {
		if c, ok := e.blobs.(blob.Checker); ok {
			return e.cfg.BlobProvider, c.Check(ctx)
		}
		return e.cfg.BlobProvider, nil
	})
	if rows {
		look("jobs", "degraded", func(ctx context.Context) (string, error) {
			said, stuck, err := e.life.Backlog(ctx)
			if err == nil && stuck {
				err = poorly(said)
			}
			return said, err
		})
	}
	return h
}

// Doctor looks for damage in rows, files and index, and says what it found, one line each. With repair, what is derived is
// built again.
func (e *Engine) Doctor(ctx context.Context, sc lukasa.Scope, repair bool) ([]string, error) {
	if err := sc.CanAdmin(); err != nil {
		return nil, err
	}
	found, err := e.life.Damage(ctx)
	if err != nil {
		return nil, err
	}
	if repair {
		e.life.Note(ctx, sc, "doctor.repair", "", map[string]any{"found": len(found)})
		e.index.Rebuild("", "")
		if _, err := e.store.Revive(ctx, "", e.now()); err != nil {
			return found, err
		}
		e.nudge()
	}
	return found, nil
}

// Backup writes a consistent copy of all rows to a new file. Sealed files and the master key are not in it.
func (e *Engine) Backup(ctx context.Context, sc lukasa.Scope, path string) error {
	if err := sc.CanAdmin(); err != nil {
		return err
	}
	if err := shelves.CopyRows(ctx, e.store, path, e.now); err != nil {
		return err
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	e.life.Note(ctx, sc, "backup", path, nil)
	return e.life.NoteBackup(ctx, path)
}
