// Package sqlite keeps the rows of a store in one SQLite file, which several processes may open at once.
//
// A read runs in one transaction of one of a few read-only connections, and so sees one snapshot. Writes of one process go
// through one connection: what callers ask for at the same time is gathered into one transaction, each in a savepoint of
// its own, and acknowledged together after one commit, which is synced to disk.
package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// Options tune a store; the zero value is right for production.
type Options struct {
	Readers     int              // read connections at most; 0 means 4 to 8, by the number of cores
	BusyTimeout time.Duration    // how long a write waits for another process; 0 means a minute
	CacheKiB    int              // page cache of each read connection; 0 means 1,024. The writer has four times that
	MaxPages    int              // the file may not grow over this many pages of 4 KiB; 0 means no limit
	Now         func() time.Time // the clock for times that a caller left zero; nil means time.Now
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

// DB is an open store. It implements [store.Store].
//
// A function handed to Update or View must not call Update of the same store: it would wait for itself.
type DB struct {
	sqlstore.Base
	path    string
	opts    Options
	writer  *Queue
	conn    *Conn // the one that writes; the writer hands it out
	readers *Pool
	past    *Pool // connections that show the rows of a moment
	alone   bool  // no other process may open the file; does not change once it is open

	ahead   atomic.Pointer[store.Ahead] // whom to tell what is being written
	failing atomic.Bool                 // the disk has not given what was mapped

	mu  sync.Mutex
	own []*os.File // of its files, those that were opened beside the connections
}

var _ store.Store = (*DB)(nil)

// Open opens or makes the store at path and brings its schema up to date, with a copy at path.bak-N (N: the version of the
// schema until then) before anything is changed. A store that a newer version has written is [lukasa.CodeConflict].
func Open(ctx context.Context, path string, opts Options) (*DB, error) {
	if opts.Readers <= 0 {
		opts.Readers = min(8, max(4, runtime.GOMAXPROCS(0)))
	}
	if opts.BusyTimeout <= 0 {
		opts.BusyTimeout = time.Minute
	}
	if opts.CacheKiB <= 0 {
		opts.CacheKiB = 1024
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil { // SQLite would let others read it
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	} else if !errors.Is(err, fs.ErrExist) { // one that is there is not touched: see Own
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the store's file cannot be opened", Hint: "the data directory must exist and be writable", Err: err}
	}
	db := &DB{path: path, opts: opts}
	db.Base = sqlstore.NewBase(db.read, db.write)
	db.All.Columns, db.All.MakeSpace = columns, makeSpace
	c, err := db.openWriter(ctx)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", unopened(path, err))
	}
	if err := Migrate(ctx, c, path, Steps(migrationFiles, "migrations/*.sql")); err != nil {
		_ = c.Close() // the schema was rolled back
		return nil, fmt.Errorf("open store: %w", unopened(path, err))
	}
	if opts.MaxPages > 0 {
		if err := c.Script(fmt.Sprintf("PRAGMA max_page_count=%d", opts.MaxPages)); err != nil {
			_ = c.Close() // nothing was written
			return nil, fmt.Errorf("open store: %w", unopened(path, err))
		}
	}
	db.readers, db.past = NewPool(opts.Readers, db.openReader), NewPool(max(1, opts.Readers/2), db.openPast)
	db.conn = c
	db.writer = NewQueue(QueueOptions{
		Exec: func(sql string) error { return c.Run(sql) },
		Wait: func(try func() error) error { return UntilFree(context.WithoutCancel(ctx), opts.BusyTimeout, try) }, Close: c.Close,
	})
	return db, nil
}

// Close waits for what is under way and closes the file.
func (db *DB) Close() error {
	err := errors.Join(db.writer.Close(), db.readers.Close(), db.past.Close())
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, f := range db.own { // last, as the locks go with them
		err = errors.Join(err, f.Close())
	}
	db.own = nil
	return err
}

// Trim lets go of the pages that are kept in memory. Reads that come later open connections again.
func (db *DB) Trim(ctx context.Context) error {
	db.readers.Trim()
	db.past.Trim()
	return fault(db.writer.Do(ctx, func() error { return db.conn.Run("PRAGMA shrink_memory") }))
}

// uri is the address that all connections open.
func (db *DB) uri() string {
	if db.alone {
		return Alone(db.path)
	}
	return URI(db.path)
}

// openWriter opens the connection that writes. What is deleted is overwritten with zeros (secure_delete): it is to be gone
// from the file too. Turning a new file to WAL takes a lock for a moment, for which SQLite does not wait by itself. Where the disk has no
// room for the file that processes share, even to read, this one keeps the store to itself.
func (db *DB) openWriter(ctx context.Context) (*Conn, error) {
	var c *Conn
	open := func(alone bool) (err error) {
		db.alone = alone
		c, err = OpenConn(db.uri(), "busy_timeout=0", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON",
			"temp_store=MEMORY", "journal_size_limit=67108864", "wal_autocheckpoint=4000", fmt.Sprintf("cache_size=-%d", 4*db.opts.CacheKiB))
		return err
	}
	err := UntilFree(ctx, db.opts.BusyTimeout, func() error {
		err := open(false)
		if Code(err) == CodeShmSize && runtime.GOOS != "windows" {
			err = open(true)
		}
		return err
	})
	return c, err
}

// mapped is how much of the file readers map, in bytes: 2 GB is the most that SQLite does, and what lies behind is read. A search reads some 140
// pages here and there, and each read took longer than all that is done with the page.
const mapped = 1<<31 - 1<<16

// readerPragmas are those of connections that read. Windows cannot shorten a file that is mapped; and once the disk has not given what was
// mapped, which costs the connection, files are read, so that it costs an error alone.
func (db *DB) readerPragmas() []string {
	size := mapped
	if runtime.GOOS == "windows" || db.failing.Load() {
		size = 0
	}
	return []string{fmt.Sprintf("mmap_size=%d", size), fmt.Sprintf("busy_timeout=%d", db.opts.BusyTimeout.Milliseconds()), "temp_store=MEMORY", fmt.Sprintf("cache_size=-%d", db.opts.CacheKiB)}
}

func (db *DB) openReader() (*Conn, error) {
	return OpenConn(db.uri(), append(db.readerPragmas(), "query_only=ON")...)
}

// fault is [fault] for what readers met. Once the disk has not given what was mapped, nothing is mapped any more.
func (db *DB) fault(err error) error {
	if Code(err) == CodeInPage && db.failing.CompareAndSwap(false, true) {
		db.readers.Trim()
		db.past.Trim()
	}
	return fault(err)
}

// read runs fn in a read transaction.
func (db *DB) read(ctx context.Context, sc lukasa.Scope, fn func(*sqlstore.Session) error) error {
	return db.fault(db.readers.With(ctx, func(c *Conn) error {
		return view(sqlstore.Call{Context: ctx, Run: ctx, Conn: c, Scope: sc, Now: db.opts.Now}, c, fn)
	}))
}

// view runs fn in a read transaction of a connection.
func view(call sqlstore.Call, c *Conn, fn func(*sqlstore.Session) error) (err error) {
	if err := c.Run("BEGIN"); err != nil {
		return fault(err)
	}
	s := sqlstore.NewSession(dialect, call)
	defer func() {
		s.End()
		if e := c.Run("ROLLBACK"); e != nil && err == nil {
			err = fault(e)
		}
	}()
	return fn(s)
}

// write runs fn as a part of the next transaction and returns once that is on disk.
func (db *DB) write(ctx context.Context, sc lukasa.Scope, fn func(*sqlstore.Tx) error) error {
	var t *sqlstore.Tx
	var ahead store.Ahead
	if fn := db.ahead.Load(); fn != nil {
		ahead = *fn
	}
	err := db.writer.Do(ctx, func() error {
		var at time.Time
		now := func() time.Time { // what is written together is written at one moment
			if at.IsZero() {
				at = db.opts.Now()
			}
			return at
		}
		t = sqlstore.NewTx(dialect, sqlstore.Call{Context: ctx, Run: context.WithoutCancel(ctx), Conn: db.conn, Scope: sc, Now: now, Ahead: ahead})
		defer t.End()
		if err := fn(t); err != nil {
			return err
		}
		return t.Flush()
	})
	switch {
	case errors.Is(err, ErrQueueClosed):
		return fault(ErrClosed)
	case err == nil:
		t.Durable()
	}
	return fault(err)
}

// Ahead has fn told from now on what is being written through this store. It is an index's, that wants to know sooner than the log tells.
func (db *DB) Ahead(fn store.Ahead) { db.ahead.Store(&fn) }

// Head implements [store.Feed].
func (db *DB) Head(ctx context.Context) (seq int64, err error) {
	err = db.readers.With(ctx, func(c *Conn) error {
		return c.Each(context.WithoutCancel(ctx), "SELECT max(seq) FROM changes", nil, func(r sqlrows.Row) error {
			seq = r.Int64(0)
			return nil
		})
	})
	return seq, db.fault(err)
}
