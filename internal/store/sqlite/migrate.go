package sqlite

import (
	"context"
	"crypto/sha256"
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

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Step is one step of the schema. Its file is named by its number; a file is never changed once it is released.
type Step struct {
	Version int
	Name    string
	SQL     string
}

func (m Step) checksum() string {
	sum := sha256.Sum256([]byte(m.SQL))
	return hex.EncodeToString(sum[:])
}

// Steps reads the steps of a schema from files that are named by their numbers.
func Steps(files fs.FS, pattern string) []Step {
	names, _ := fs.Glob(files, pattern) // in order of their names
	list := make([]Step, len(names))
	for i, name := range names {
		b, _ := fs.ReadFile(files, name)
		number, _, _ := strings.Cut(path.Base(name), "_")
		list[i] = Step{Name: path.Base(name), SQL: string(b)}
		list[i].Version, _ = strconv.Atoi(number)
	}
	return list
}

// Migrate applies the steps that the store lacks, in one transaction under the write lock: of several processes that open
// the store at once, one does it and the others find it done.
func Migrate(ctx context.Context, c *Conn, file string, steps []Step) error {
	if todo, _, err := pendingSteps(ctx, c, steps); err != nil || len(todo) == 0 {
		return err
	}
	err := UntilFree(ctx, time.Minute, func() error {
		err := c.Run("BEGIN EXCLUSIVE")
		return err
	})
	if err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	if err := applySteps(ctx, c, file, steps); err != nil {
		_ = c.Run("ROLLBACK") // on some errors SQLite has done so itself; closing the connection would do it too
		return err
	}
	err = c.Run("COMMIT")
	return err
}

func applySteps(ctx context.Context, c *Conn, file string, steps []Step) error {
	todo, from, err := pendingSteps(ctx, c, steps)
	if err != nil {
		return err
	}
	if from > 0 && len(todo) > 0 {
		if err := Backup(ctx, c.uri, fmt.Sprintf("%s.bak-%d", file, from), true); err != nil {
			return fmt.Errorf("back up before migrating: %w", err)
		}
	}
	if from == 0 {
		err := c.Script(`CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL)`)
		if err != nil {
			return err
		}
	}
	for _, m := range todo {
		if err := c.Script(m.SQL); err != nil {
			return fmt.Errorf("apply %s: %w", m.Name, err)
		}
		if err := c.Run("INSERT INTO schema_migrations VALUES (?1, ?2, ?3, ?4)", m.Version, m.Name, m.checksum(), time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// pendingSteps returns the steps that the store lacks and the version that it has, 0 for a new one.
func pendingSteps(ctx context.Context, c *Conn, steps []Step) (todo []Step, from int, err error) {
	ctx = context.WithoutCancel(ctx) // a few rows, on the connection that writes
	exists := false
	err = c.Each(ctx, "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'", nil, func(sqlrows.Row) error {
		exists = true
		return nil
	})
	if err != nil || !exists {
		return steps, 0, err
	}
	done := make(map[int]string)
	err = c.Each(ctx, "SELECT version, checksum FROM schema_migrations", nil, func(r sqlrows.Row) error {
		done[r.Int(0)] = r.Text(1)
		from = max(from, r.Int(0))
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	newest := 0
	for _, m := range steps {
		newest = max(newest, m.Version)
		sum, ok := done[m.Version]
		if !ok {
			todo = append(todo, m)
		} else if sum != m.checksum() {
			return nil, 0, &SchemaError{Step: m.Name}
		}
	}
	if from > newest {
		return nil, 0, &SchemaError{Has: from, Knows: newest}
	}
	return todo, from, nil
}

// Backup writes a consistent copy of the committed rows of the store at an address to a file, by way of a temporary one beside it.
func Backup(ctx context.Context, uri, to string, replace bool) error {
	if _, err := os.Lstat(to); err == nil && !replace {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	c, err := OpenConn(uri, "busy_timeout=60000")
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // it has only read
	part := to + ".part"
	if err := os.Remove(part); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("write backup: %w", err)
	}
	defer func() { _ = os.Remove(part) }() // it is there only when something went wrong, which is what the caller is told
	err = c.Each(ctx, "VACUUM INTO ?1", []any{part}, func(sqlrows.Row) error { return nil })
	if err != nil {
		return err
	}
	if err := settle(part, to); err != nil {
		return fmt.Errorf("write backup: %w", err)
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

// SchemaError says why a file's schema does not fit: Step was made otherwise, or the file has a later version than the
// program knows.
type SchemaError struct {
	Step       string
	Has, Knows int
}

func (e *SchemaError) Error() string {
	if e.Step != "" {
		return fmt.Sprintf("step %s of the schema is not the one that this store was made with", e.Step)
	}
	return fmt.Sprintf("the store has schema version %d, this program knows up to %d", e.Has, e.Knows)
}

// Hint says what can be done about it.
func (e *SchemaError) Hint() string {
	if e.Step != "" {
		return ""
	}
	return "upgrade lukasa, or open the backup that was made before the upgrade"
}
