package engine

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// Health looks at each part. Only rows that cannot be read make the whole down; what else is away degrades it.
func (e *Engine) Health(ctx context.Context) telemetry.Health {
	h := telemetry.Rounds{Health: telemetry.Health{Status: telemetry.OK, Checks: map[string]telemetry.Check{}, Time: e.now().UTC(), Uptime: e.now().Sub(e.started).Seconds()}, Now: e.now, Log: e.log}
	look := func(name, worst string, fn func(context.Context) (string, error)) { h.Look(ctx, name, worst, fn) }
	look("store", telemetry.Down, func(ctx context.Context) (string, error) { _, err := e.store.Head(ctx); return "", err })
	rows := h.Status != telemetry.Down // else what needs them would only wait as long again
	look("index", telemetry.Degraded, func(ctx context.Context) (string, error) {
		var err error
		if rows {
			_, err = e.index.Sync(ctx)
		}
		s := e.index.Stats()
		return fmt.Sprintf("%d entries in %d loaded partitions", s.Entries, s.Partitions), err
	})
	if c, ok := e.cache.(interface{ Check(context.Context) error }); ok {
		look("cache", telemetry.Degraded, func(ctx context.Context) (string, error) { return e.cfg.CacheProvider, c.Check(ctx) })
	}
	look("embedder", telemetry.Degraded, func(ctx context.Context) (string, error) {
		if t, ok := embed.As[lifecycle.Troubled](e.embed); ok && t.Trouble().Err != nil {
			return "", telemetry.Poorly(lifecycle.Told(t))
		}
		if c, ok := embed.As[embed.HealthChecker](e.embed); ok {
			return e.embed.Space().Model, c.Health(ctx)
		}
		return e.embed.Space().Model, nil
	})
	if e.model != nil {
		look("model", telemetry.Degraded, func(context.Context) (string, error) {
			chats, _ := e.modelNamed("")
			for _, m := range []llm.Model{e.model, chats} {
				if t, ok := llm.As[lifecycle.Troubled](m); ok && t.Trouble().Err != nil {
					return "", telemetry.Poorly(lifecycle.Told(t))
				}
			}
			return e.model.Info().Model, nil
		})
	}
	look("files", telemetry.Degraded, func(ctx context.Context) (string, error) {
		if c, ok := e.blobs.(blob.Checker); ok {
			return e.cfg.BlobProvider, c.Check(ctx)
		}
		return e.cfg.BlobProvider, nil
	})
	if rows {
		look("jobs", telemetry.Degraded, func(ctx context.Context) (string, error) {
			said, stuck, err := e.life.Backlog(ctx)
			if err == nil && stuck {
				err = telemetry.Poorly(said)
			}
			return said, err
		})
	}
	if e.disk != nil {
		look("disk", telemetry.Degraded, func(context.Context) (string, error) { return "", e.disk.Check() })
	}
	return h.Health
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

// BlobKeys yields the keys of the files that rows refer to.
func (e *Engine) BlobKeys(ctx context.Context, yield func(string) bool) error {
	return e.store.BlobKeys(ctx, yield)
}

// Backup writes a consistent copy of all rows to a new file. Sealed files and the master key are not in it.
func (e *Engine) Backup(ctx context.Context, sc lukasa.Scope, path string) error {
	if err := sc.CanAdmin(); err != nil {
		return err
	}
	if err := copyRows(ctx, e.store, path, e.now); err != nil {
		return err
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	e.life.Note(ctx, sc, "backup", path, nil)
	return e.life.NoteBackup(ctx, path)
}
