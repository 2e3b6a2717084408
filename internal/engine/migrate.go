package engine

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/shelves"
)

type (
	// Migration says what is carried from where to where.
	Migration = shelves.Migration
	// MigrationStep tells how far a migration is.
	MigrationStep = shelves.Step
)

// Migrate copies a store with its files to another place, and compares them. No engine is open meanwhile.
func Migrate(ctx context.Context, c config.Config, m Migration, notice func(MigrationStep)) (MigrationStep, error) {
	return shelves.Migrate(ctx, c, m, shelves.Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}, notice)
}

// Discard drops the schema of PostgreSQL that a configuration names, with all that is in it: what a measurement or a test has made.
func Discard(ctx context.Context, c config.Config) error { return shelves.Discard(ctx, c) }
