package pg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Step is one step of a schema. Its file is named by its number; a file is never changed once it is released.
type Step struct {
	Version int
	Name    string
	SQL     string
}

func (s Step) checksum() string {
	sum := sha256.Sum256([]byte(s.SQL))
	return hex.EncodeToString(sum[:])
}

// Steps reads the steps of a schema from files that are named by their numbers.
func Steps(files fs.FS, pattern string) ([]Step, error) {
	names, err := fs.Glob(files, pattern) // in order of their names
	if err != nil {
		return nil, err
	}
	list := make([]Step, len(names))
	for i, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(path.Base(name), "_")
		list[i] = Step{Name: path.Base(name), SQL: string(b)}
		if list[i].Version, err = strconv.Atoi(number); err != nil {
			return nil, fmt.Errorf("%s is not named by its number", name)
		}
	}
	return list, nil
}

// Schema is what a program needs a database to hold. Everything is in PostgreSQL's own words.
type Schema struct {
	Name  string // of the schema, which is made, and where names without one are looked for
	Steps []Step
	// Always are parts that may be run again, in the order in which they are run: views and policies, which are replaced as a whole.
	// Each is run after steps have been, and where its text is not the one that was run last. Versions do not matter.
	Always []Step
}

// migrateLock is the key of the advisory lock under which schemas are changed ("lukasa" in ASCII).
const migrateLock = 0x6c756b617361

// Migrate makes a schema and applies the steps that it lacks, in one transaction under a lock: of several processes that start at
// once, one does it and the others find it done. A schema that is one version ahead is let be, as its program may be running
// beside this one while a new release is rolled out; one that is further ahead is a [SchemaError]. The pool's role must own the
// schema, or be allowed to make it.
func Migrate(ctx context.Context, p *Pool, s Schema) error {
	prelude := fmt.Sprintf("SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%d)", migrateLock)
	return p.Write(ctx, prelude, func(c *Conn) error { return s.apply(ctx, c) })
}

func (s Schema) apply(ctx context.Context, c *Conn) error {
	table := Name(s.Name) + ".schema_migrations"
	if there, err := c.has(ctx, "SELECT 1 FROM pg_namespace WHERE nspname = ?1", s.Name); err != nil {
		return err
	} else if !there {
		if err := c.Script(ctx, "CREATE SCHEMA "+Name(s.Name)); err != nil {
			return fmt.Errorf("make the schema: %w", err)
		}
	}
	if there, err := c.has(ctx, "SELECT 1 WHERE to_regclass(?1) IS NOT NULL", table); err != nil {
		return err
	} else if !there {
		if err := c.Script(ctx, "CREATE TABLE "+table+" (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL); CREATE TABLE "+
			Name(s.Name)+".schema_parts (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)"); err != nil {
			return fmt.Errorf("make the list of the schema's steps: %w", err)
		}
	}
	todo, ahead, err := s.pending(ctx, c, table)
	if err != nil || ahead {
		return err
	}
	if err := s.here(ctx, c); err != nil {
		return err
	}
	for _, m := range todo {
		if err := c.Script(ctx, m.SQL); err != nil {
			return fmt.Errorf("apply %s: %w", m.Name, err)
		}
		if _, err := c.Exec(ctx, "INSERT INTO "+table+" VALUES (?1, ?2, ?3, ?4)", []any{m.Version, m.Name, m.checksum(), time.Now()}); err != nil {
			return err
		}
	}
	return s.always(ctx, c, len(todo) > 0)
}

// here makes the schema the place where names are looked for. Temporary tables come last: functions that take over this path for
// good (SET search_path FROM CURRENT) must not be misled by one.
func (s Schema) here(ctx context.Context, c *Conn) error {
	return c.Script(ctx, "SET LOCAL search_path = "+Name(s.Name)+", pg_temp")
}

// always runs the parts that are not as they were run last, or all.
func (s Schema) always(ctx context.Context, c *Conn, all bool) error {
	parts := Name(s.Name) + ".schema_parts"
	for _, part := range s.Always {
		same, err := c.has(ctx, "SELECT 1 FROM "+parts+" WHERE name = ?1 AND checksum = ?2", part.Name, part.checksum())
		if err != nil {
			return err
		}
		if same && !all {
			continue
		}
		if err := s.here(ctx, c); err != nil {
			return err
		}
		if err := c.Script(ctx, part.SQL); err != nil {
			return fmt.Errorf("apply %s: %w", part.Name, err)
		}
		if _, err := c.Exec(ctx, "INSERT INTO "+parts+" VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at",
			[]any{part.Name, part.checksum(), time.Now()}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) has(ctx context.Context, sql string, args ...any) (bool, error) {
	found := false
	err := c.Each(ctx, sql, args, func(sqlrows.Row) error { found = true; return nil })
	return found, err
}

// pending returns the steps that the schema lacks, and whether it is one version ahead.
func (s Schema) pending(ctx context.Context, c *Conn, table string) (todo []Step, ahead bool, err error) {
	done := make(map[int]string)
	has, newest := 0, 0
	err = c.Each(ctx, "SELECT version, checksum FROM "+table, nil, func(r sqlrows.Row) error {
		done[r.Int(0)] = r.Text(1)
		has = max(has, r.Int(0))
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	for _, m := range s.Steps {
		newest = max(newest, m.Version)
		sum, ok := done[m.Version]
		if !ok {
			todo = append(todo, m)
		} else if sum != m.checksum() {
			return nil, false, &SchemaError{Step: m.Name}
		}
	}
	switch {
	case has > newest+1:
		return nil, false, &SchemaError{Has: has, Knows: newest}
	case has > newest:
		if len(todo) > 0 { // it was made by leaving out what this program knows
			return nil, false, &SchemaError{Step: todo[0].Name}
		}
		return nil, true, nil
	}
	return todo, false, nil
}

// SchemaError says why a schema does not fit: Step was made otherwise, or the database has a later version than the program
// knows.
type SchemaError struct {
	Step       string
	Has, Knows int
}

func (e *SchemaError) Error() string {
	if e.Step != "" {
		return fmt.Sprintf("step %s of the schema is not the one that this database was made with", e.Step)
	}
	return fmt.Sprintf("the database has schema version %d, this program knows up to %d and works with %d", e.Has, e.Knows, e.Knows+1)
}

// Hint says what can be done about it.
func (e *SchemaError) Hint() string {
	if e.Step != "" {
		return ""
	}
	return "upgrade lukasa on this machine"
}
