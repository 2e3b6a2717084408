package postgres

import (
	"context"
	"embed"

	"github.com/lukasa-memory/lukasa/internal/pg"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// appRole is the role without rights of its own as which the program works in a schema.
func appRole(schema string) string { return schema + "_app" }

// migrate brings the schema up to date, as the role that owns it.
func migrate(ctx context.Context, o Options) error {
	url := o.Admin
	if url == "" {
		url = o.URL
	}
	steps, err := pg.Steps(schemaFiles, "schema/0*.sql")
	if err != nil {
		return err
	}
	admin, err := pg.Open(ctx, pg.Options{URL: url, MaxConns: 1, Mode: pg.Pooled, Patience: o.Patience})
	if err != nil {
		return invalid("store.url", err)
	}
	defer admin.Close()
	return pg.Migrate(ctx, admin, pg.Schema{Name: o.Schema, Steps: steps})
}
