package engine

import (
	"context"
	"log/slog"

	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// trimMemory drops what the drivers of this process keep in memory for speed alone, and what has expired. Each may be nil.
func trimMemory(ctx context.Context, s store.Store, c cache.Cache, log *slog.Logger) {
	if c != nil {
		c.Stats() // lets go of what has expired
	}
	if t, ok := s.(interface{ Trim(context.Context) error }); ok {
		if err := t.Trim(ctx); err != nil && ctx.Err() == nil {
			log.Warn("trim the store's memory", "err", err)
		}
	}
}
