package postgres

import (
	"context"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/pg"
)

// parties are what a schema has beside it, by what stands behind its name: what is for moments, what only its owner may read, and
// the index that pgvector keeps.
var parties = []string{"_index", "_past", "", "_private"}

// Drop removes a schema with all that is in it and beside it, and the role of the program. It asks nobody: it is for what a
// measurement or a test has made. A schema that is not there is no error.
func Drop(ctx context.Context, o Options) error {
	address := o.Admin
	if address == "" {
		address = o.URL
	}
	p, err := pg.Open(ctx, pg.Options{URL: address, MaxConns: 1, Mode: pg.Pooled})
	if err != nil {
		return invalid("store.url", err)
	}
	defer p.Close()
	names := make([]string, len(parties))
	for i, party := range parties {
		names[i] = pg.Name(o.Schema + party)
	}
	role := appRole(o.Schema)
	return p.Write(ctx, "", func(c *pg.Conn) error {
		return c.Script(ctx, "DROP SCHEMA IF EXISTS "+strings.Join(names, ", ")+` CASCADE; DO $$ BEGIN
IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = `+pg.Text(role)+`) THEN DROP OWNED BY `+pg.Name(role)+`; DROP ROLE `+pg.Name(role)+`; END IF; END $$`)
	})
}
