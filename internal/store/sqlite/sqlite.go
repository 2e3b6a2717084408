// Package sqlite keeps the rows of a store in one SQLite file, which several processes may open at once.
//
// A read runs in one transaction of one of a few read-only connections, and so sees one snapshot. Writes of one process go
// through one connection: what callers ask for at the same time is gathered into one transaction, each in a savepoint of
// its own, and acknowledged together after one commit, which is synced to disk.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/turns"
)

// Options tune a store; the zero value is right for production.
type Options struct {
	Readers     int              // read connections at most; 0 means 4 to 8, by the number of cores
	BusyTimeout time.Duration    // how long a write waits for another process; 0 means a minute
	CacheKiB    int              // page cache of each read connection; 0 means 1,024. The writer has four times that
	MaxPages    int              // the file may not grow over this many pages of 4 KiB; 0 means no limit
	Now         func() time.Time // the clock for times that a caller left zero; nil means time.Now
}

// DB is an open store. It implements [store.Store].
//
// A function handed to Update or View must not call Update of the same store: it would wait for itself.
type DB struct {
	path    string
	opts    Options
	writer  *turns.Queue
	conn    *conn // the one that writes; the writer hands it out
	readers pool
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
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would let others read it
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the store's file cannot be opened", Hint: "the data directory must exist and be writable", Err: err}
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db := &DB{path: path, opts: opts}
	c, err := db.openWriter(ctx)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", fault(err))
	}
	if err := migrate(ctx, c, path, embedded()); err != nil {
		_ = c.close() // the schema was rolled back
		return nil, fmt.Errorf("open store: %w", fault(err))
	}
	if opts.MaxPages > 0 {
		if err := c.script(fmt.Sprintf("PRAGMA max_page_count=%d", opts.MaxPages)); err != nil {
			_ = c.close() // nothing was written
			return nil, fmt.Errorf("open store: %w", fault(err))
		}
	}
	db.readers = pool{slots: make(chan struct{}, opts.Readers), open: db.openReader}
	db.conn = c
	db.writer = turns.New(turns.Options{
		Exec: func(sql string) error { _, _, err := c.exec(sql); return err },
		Wait: func(try func() error) error { return untilFree(endless(), opts.BusyTimeout, try) }, Close: c.close,
	})
	return db, nil
}

// Close waits for what is under way and closes the file.
func (db *DB) Close() error {
	err := db.writer.Close()
	return errors.Join(err, db.readers.close())
}

// openWriter opens the connection that writes. What is deleted is overwritten with zeros (secure_delete): it is to be gone
// from the file too. There is no memory mapping: it gains little here, and a failing disk would be a crash. Turning a new file to WAL takes a lock for a moment, for which SQLite does
// not wait by itself.
func (db *DB) openWriter(ctx context.Context) (*conn, error) {
	var c *conn
	err := untilFree(ctx, db.opts.BusyTimeout, func() (err error) {
		c, err = openConn(fileURI(db.path), "busy_timeout=0", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON",
			"temp_store=MEMORY", "journal_size_limit=67108864", "wal_autocheckpoint=4000", fmt.Sprintf("cache_size=-%d", 4*db.opts.CacheKiB))
		return err
	})
	return c, err
}

func (db *DB) openReader() (*conn, error) {
	return openConn(fileURI(db.path), fmt.Sprintf("busy_timeout=%d", db.opts.BusyTimeout.Milliseconds()), "query_only=ON",
		"temp_store=MEMORY", fmt.Sprintf("cache_size=-%d", db.opts.CacheKiB))
}

func fileURI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/...
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// View implements [store.Store].
func (db *DB) View(ctx context.Context, sc lukasa.Scope, fn func(store.Reader) error) error {
	return db.read(ctx, sc, func(s *session) error { return fn(s) })
}

// Update implements [store.Store].
func (db *DB) Update(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
	return db.write(ctx, sc, func(t *tx) error { return fn(t) })
}

// read runs fn in a read transaction.
func (db *DB) read(ctx context.Context, sc lukasa.Scope, fn func(*session) error) error {
	return db.readers.with(ctx, func(c *conn) (err error) {
		if _, _, err := c.exec("BEGIN"); err != nil {
			return fault(err)
		}
		s := &session{c: c, ctx: ctx, run: ctx, sc: sc, now: db.opts.Now}
		defer func() {
			s.c = nil
			if _, _, e := c.exec("ROLLBACK"); e != nil && err == nil {
				err = fault(e)
			}
		}()
		return fn(s)
	})
}

// write runs fn as a part of the next transaction and returns once that is on disk.
func (db *DB) write(ctx context.Context, sc lukasa.Scope, fn func(*tx) error) error {
	err := db.writer.Do(ctx, func() error {
		t := &tx{session: session{c: db.conn, ctx: ctx, run: context.WithoutCancel(ctx), sc: sc, now: db.opts.Now}}
		defer func() { t.c = nil }()
		if err := fn(t); err != nil {
			return err
		}
		return t.flush()
	})
	if errors.Is(err, turns.ErrClosed) {
		return errClosed()
	}
	return fault(err)
}

// pool keeps read connections, the one used last on top.
type pool struct {
	slots chan struct{}
	open  func() (*conn, error)

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

func (p *pool) with(ctx context.Context, fn func(*conn) error) error {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return fault(ctx.Err())
	}
	defer func() { <-p.slots }()
	if err := ctx.Err(); err != nil {
		return fault(err)
	}
	c, err := p.take()
	if err != nil {
		return err
	}
	sound := false
	defer func() { p.give(c, sound) }()
	err = fn(c)
	sound = !broken(err)
	return err
}

func (p *pool) take() (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed()
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	c, err := p.open()
	if err != nil {
		return nil, fmt.Errorf("open a read connection: %w", fault(err))
	}
	return c, nil
}

func (p *pool) give(c *conn, sound bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !sound || p.closed {
		_ = c.close() // its view has the error that made it unsound; after Close nobody listens
		return
	}
	p.idle = append(p.idle, c)
}

func (p *pool) close() error {
	var errs []error
	p.mu.Lock()
	p.closed = true
	for _, c := range p.idle {
		errs = append(errs, c.close())
	}
	p.idle = nil
	p.mu.Unlock()
	for range cap(p.slots) { // wait for the views under way
		p.slots <- struct{}{}
	}
	for range cap(p.slots) {
		<-p.slots
	}
	return errors.Join(errs...)
}
