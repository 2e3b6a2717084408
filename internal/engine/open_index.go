package engine

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/index/pgvector"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// openIndex opens what searches look in.
func openIndex(ctx context.Context, c config.Config, s drivers, space embed.Space, log *slog.Logger) (index.Index, error) {
	switch c.IndexProvider {
	case "", "local":
		x := local.New(s.Store, local.Options{Space: space.ID, Dim: space.Dim, Dir: filepath.Join(c.Data, indexOf(c)), Log: log})
		if db, ok := s.Store.(*sqlite.DB); ok {
			db.Ahead(x.Expect)
		}
		return x, nil
	case "pgvector":
		if c.StoreProvider != "postgres" {
			return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "index.provider", Msg: "is pgvector, which needs the rows in PostgreSQL", Hint: "set store.provider to postgres, or index.provider to local"}
		}
		key, err := claimKey(c, s.Master)
		if err != nil {
			return nil, err
		}
		x, err := pgvector.Open(ctx, s.Store, pgvector.Options{
			URL: c.StoreURL, Admin: c.StoreAdmin, Schema: c.StoreSchema, Pooled: c.StorePooled, Conns: max(2, c.StoreConns/2), Key: key,
			Space: space.ID, Dim: space.Dim,
		})
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	return nil, lukasa.Invalid("index.provider", "%q is not one of local, pgvector", c.IndexProvider)
}

// indexOf is the folder of the index, one for each store: what it has followed is the log of that one.
func indexOf(c config.Config) string {
	if c.StoreProvider == "postgres" {
		return indexDir + "-" + c.StoreSchema
	}
	return indexDir
}
