package sqlite

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Its file is named by its number; a file is never changed once it is released.
type migration struct {
	version int
	name    string
	sql     string
}

func (m migration) checksum() string {
	sum := sha256.Sum256([]byte(m.sql))
	return hex.EncodeToString(sum[:])
}

func embedded() []migration {
	names, _ := fs.Glob(migrationFiles, "migrations/*.sql") // in order of their names
	list := make([]migration, len(names))
	for i, name := range names {
		b, _ := migrationFiles.ReadFile(name)
		number, _, _ := strings.Cut(path.Base(name), "_")
		list[i] = migration{name: path.Base(name), sql: string(b)}
		list[i].version, _ = strconv.Atoi(number)
	}
	return list
}

// migrate applies the steps that the store lacks, in one transaction under the write lock: of several processes that open
// the store at once, one does it and the others find it done.
func migrate(ctx context.Context, c *conn, file string, steps []migration) error {
	if todo, _, err := pendingSteps(ctx, c, steps); err != nil || len(todo) == 0 {
		return err
	}
	err := untilFree(ctx, time.Minute, func() error {
		_, _, err := c.exec("BEGIN EXCLUSIVE")
		return err
	})
	if err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	if err := applySteps(ctx, c, file, steps); err != nil {
		_, _, _ = c.exec("ROLLBACK") // on some errors SQLite has done so itself; closing the connection would do it too
		return err
	}
	_, _, err = c.exec("COMMIT")
	return err
}

func applySteps(ctx context.Context, c *conn, file string, steps []migration) error {
	todo, from, err := pendingSteps(ctx, c, steps)
	if err != nil {
		return err
	}
	if from > 0 && len(todo) > 0 {
		if err := backup(ctx, file, fmt.Sprintf("%s.bak-%d", file, from), true); err != nil {
			return fmt.Errorf("back up before migrating: %w", err)
		}
	}
	if from == 0 {
		err := c.script(`CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL)`)
		if err != nil {
			return err
		}
	}
	for _, m := range todo {
		if err := c.script(m.sql); err != nil {
			return fmt.Errorf("apply %s: %w", m.name, err)
		}
		if _, _, err := c.exec("INSERT INTO schema_migrations VALUES (?1, ?2, ?3, ?4)", m.version, m.name, m.checksum(), time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// pendingSteps returns the steps that the store lacks and the version that it has, 0 for a new one.
func pendingSteps(ctx context.Context, c *conn, steps []migration) (todo []migration, from int, err error) {
	ctx = context.WithoutCancel(ctx) // a few rows, on the connection that writes
	exists := false
	err = c.each(ctx, "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'", nil, func(row) error {
		exists = true
		return nil
	})
	if err != nil || !exists {
		return steps, 0, err
	}
	done := make(map[int]string)
	err = c.each(ctx, "SELECT version, checksum FROM schema_migrations", nil, func(r row) error {
		done[r.int(0)] = r.text(1)
		from = max(from, r.int(0))
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	newest := 0
	for _, m := range steps {
		newest = max(newest, m.version)
		sum, ok := done[m.version]
		if !ok {
			todo = append(todo, m)
		} else if sum != m.checksum() {
			return nil, 0, lukasa.Errorf(lukasa.CodeConflict, "step %s of the schema is not the one that this store was made with", m.name)
		}
	}
	if from > newest {
		return nil, 0, &lukasa.Error{
			Code: lukasa.CodeConflict,
			Msg:  fmt.Sprintf("the store has schema version %d, this program knows up to %d", from, newest),
			Hint: "upgrade lukasa, or open the backup that was made before the upgrade",
		}
	}
	return todo, from, nil
}

// backup writes a consistent copy of the store's committed rows to a file, by way of a temporary one beside it.
func backup(ctx context.Context, from, to string, replace bool) error {
	if _, err := os.Lstat(to); err == nil && !replace {
		return lukasa.Errorf(lukasa.CodeConflict, "%s is there already", to)
	}
	c, err := openConn(fileURI(from), "busy_timeout=60000")
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }() // it has only read
	part := to + ".part"
	if err := os.Remove(part); err != nil && !os.IsNotExist(err) {
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the backup cannot be written", Err: err}
	}
	defer func() { _ = os.Remove(part) }() // it is there only when something went wrong, which is what the caller is told
	err = c.each(ctx, "VACUUM INTO ?1", []any{part}, func(row) error { return nil })
	if err != nil {
		return err
	}
	if err := settle(part, to); err != nil {
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the backup cannot be written", Err: err}
	}
	return nil
}

// settle syncs a file and gives it its name for good.
func settle(part, to string) error {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	_ = dir.Sync() // not every system can
	return dir.Close()
}
