package engine

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/postgres"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// labelClaim keeps the key that signs the claims of transactions apart from all others that come from the master key.
const labelClaim = "lukasa claim v1"

// OpenStore opens what keeps the rows.
func OpenStore(ctx context.Context, c config.Config, master crypt.Key, now func() time.Time) (store.Store, error) {
	switch c.StoreProvider {
	case "", "sqlite":
		if c.Role != "" && c.Role != "all" {
			return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "role", Msg: c.Role + " needs a store that several machines share", Hint: "set store.provider to postgres, or role to all"}
		}
		return openRows(ctx, filepath.Join(c.Data, rowsFile), now)
	case "postgres":
		if c.StoreURL == "" {
			return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "store.url", Msg: "is empty", Hint: "set LUKASA_STORE_URL=postgres://user:password@host:5432/database"}
		}
		key, err := claimKey(c, master)
		if err != nil {
			return nil, err
		}
		return nothing(postgres.Open(ctx, postgres.Options{
			URL: c.StoreURL, Admin: c.StoreAdmin, Replica: c.StoreReplica, Schema: c.StoreSchema, Pooled: c.StorePooled, Conns: c.StoreConns, Key: key, Now: now,
		}))
	}
	return nil, lukasa.Invalid("store.provider", "%q is not one of sqlite, postgres", c.StoreProvider)
}

// Discard drops the schema of a configuration that keeps its rows in PostgreSQL. Others have all of theirs in the data directory.
func Discard(ctx context.Context, c config.Config) error {
	if c.StoreProvider != "postgres" {
		return nil
	}
	return postgres.Drop(ctx, postgres.Options{URL: c.StoreURL, Admin: c.StoreAdmin, Schema: c.StoreSchema})
}

func openRows(ctx context.Context, path string, now func() time.Time) (store.Store, error) {
	return nothing(sqlite.Open(ctx, path, sqlite.Options{Now: now}))
}

// claimKey is the key that signs the claims of transactions in PostgreSQL.
func claimKey(c config.Config, master crypt.Key) ([]byte, error) {
	secret, err := hex.DecodeString(master.Hex())
	if err != nil {
		return nil, err
	}
	return crypt.Derive(secret, nil, labelClaim, c.StoreSchema)
}

// nothing makes a driver that could not be opened a store that is not there.
func nothing[S store.Store](s S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// allRows returns what a copy of the store is made from.
func allRows(s store.Store) store.Rows {
	switch s := s.(type) {
	case *sqlite.DB:
		return s.All
	case *postgres.DB:
		all := s.All
		all.Strict = true
		return all
	}
	return store.Rows{}
}

// copyRows writes all rows of a store to a new SQLite file, whatever keeps them.
func copyRows(ctx context.Context, from store.Store, path string, now func() time.Time) error {
	if s, ok := from.(*sqlite.DB); ok {
		return s.Backup(ctx, path)
	}
	if _, err := os.Lstat(path); err == nil {
		return lukasa.Errorf(lukasa.CodeConflict, "%s is there already", path)
	}
	to, err := sqlite.Open(ctx, path, sqlite.Options{Now: now})
	if err != nil {
		return err
	}
	_, err = store.Copy(ctx, allRows(from), to.All, store.Copying{})
	if closed := to.Close(); err == nil {
		err = closed
	}
	return err
}

// runAlone runs fn while no other node of the installation runs one.
func runAlone(ctx context.Context, s store.Store, fn func() error) error {
	if db, ok := s.(*postgres.DB); ok {
		return db.Alone(ctx, fn)
	}
	return fn() // the lock of the data directory is held
}
