// Package postgres keeps the rows of a store in PostgreSQL, for as many nodes as share it.
//
// A read is one transaction that sees one snapshot, and never waits for a writer. A write is one transaction, too; those of one
// owner come one after the other, by a lock on the owner, as what they do (chains of versions and deltas, names that must not be
// taken) looks at what is there. Every transaction carries a signed claim that says for whom it is, and row-level security shows
// it nothing else. The log of changes gets its numbers behind the commits, so that their order is that of the commits and a
// follower misses nothing.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// Options tune a store.
type Options struct {
	URL     string // of the role that the program works as
	Admin   string // of the role that owns the schema and changes it; "" means URL, which then owns it
	Replica string // of a server that follows, for reads; "" for none
	Schema  string // "" means lukasa
	Pooled  bool   // URL leads to a pool that hands out a connection for each transaction, like PgBouncer
	Conns   int    // connections at most; 0 means 16
	// Key signs the claims. It must be the same on all nodes.
	Key      []byte
	Patience time.Duration    // how long a call waits for a server that is away; 0 means 5 s
	Now      func() time.Time // the clock for times that a caller left zero; nil means time.Now
}

// DB is an open store. It implements [store.Store].
type DB struct {
	sqlstore.Base
	opts    Options
	pool    *pg.Pool
	replica *pg.Pool        // nil for none
	rested  atomic.Int64    // until when, in Unix nanoseconds, the replica is left alone
	life    context.Context // ends with Close
	end     context.CancelFunc
	closed  atomic.Bool
	owed    atomic.Int64 // how often changes were committed that could not be numbered
	paid    atomic.Int64 // up to where that was made good
}

var _ store.Store = (*DB)(nil)

// How long a transaction may take: one for an owner, and one of the server's own work, which may be a copy of all rows.
const (
	claimFor = 15 * time.Minute
	copyFor  = 24 * time.Hour
)

// Open connects, and brings the schema up to date. A schema that is more than one version newer is [lukasa.CodeConflict].
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Schema == "" {
		o.Schema = "lukasa"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if len(o.Key) < 16 {
		return nil, lukasa.Errorf(lukasa.CodeInternal, "the key that signs claims is too short")
	}
	if err := migrate(ctx, o); err != nil {
		return nil, fmt.Errorf("open store: %w", fault(err))
	}
	db := &DB{opts: o}
	db.life, db.end = context.WithCancel(context.WithoutCancel(ctx))
	db.Base = sqlstore.NewBase(db.read, db.write)
	db.All.Columns, db.All.MakeSpace, db.All.Settle = columns, makeSpace, settle
	var err error
	if db.pool, err = pg.Open(ctx, o.connect(o.URL)); err != nil {
		return nil, fmt.Errorf("open store: %w", invalid("store.url", err))
	}
	if o.Replica != "" {
		follower := o.connect(o.Replica)
		follower.Patience = -1 // the primary answers meanwhile
		if db.replica, err = pg.Open(ctx, follower); err != nil {
			return nil, errors.Join(fmt.Errorf("open store: %w", invalid("store.replica_url", err)), db.Close())
		}
	}
	if err := db.number(ctx); err != nil { // what a node left behind that was killed
		return nil, errors.Join(fmt.Errorf("open store: %w", fault(err)), db.Close())
	}
	return db, nil
}

func invalid(field string, err error) error {
	return &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "cannot be used", Hint: "write it as postgres://user:password@host:port/database", Err: err}
}

// connect says how to reach a server. Whoever logs in takes on the role of the program, so that the policies hold for it even where
// it owns the schema.
func (o Options) connect(url string) pg.Options {
	p := pg.Options{URL: url, MaxConns: o.Conns, Patience: o.Patience, Schemas: map[string]string{"main": o.Schema}, Mode: pg.Direct, Path: pg.Name(o.Schema), Role: appRole(o.Schema)}
	if o.Pooled {
		p.Mode = pg.Pooled
	}
	return p
}

// Close waits for what is under way and closes the connections.
func (db *DB) Close() error {
	db.closed.Store(true)
	db.end()
	for _, p := range []*pg.Pool{db.pool, db.replica} {
		if p != nil {
			p.Close()
		}
	}
	return nil
}

// opening is what each transaction begins with: for whom it is. Where its tables are, its connection knows.
func (db *DB) opening(sc lukasa.Scope) pg.Opening {
	claim := pg.Claim{
		Owner: string(sc.Owner), Principal: string(sc.Principal), Root: string(sc.Root), Grantee: string(sc.Grantee), System: sc.Owner == "", Whole: sc.Root == "",
		ReadOnly: sc.ReadOnly, Expires: time.Now().Add(claimFor), // by the database's clock, whatever the store takes for now
	}
	if claim.System {
		claim.Expires = time.Now().Add(copyFor)
	}
	o := pg.Opening{Set: []pg.Setting{{Name: "lukasa.claim", Value: pg.Sign(db.opts.Key, claim)}}}
	if db.opts.Pooled {
		o.Path = pg.Name(db.opts.Schema)
	}
	return o
}

// read runs fn over one snapshot.
func (db *DB) read(ctx context.Context, sc lukasa.Scope, fn func(*sqlstore.Session) error) error {
	return db.view(ctx, db.opening(sc), sqlstore.Call{Context: ctx, Scope: sc, Now: db.opts.Now}, fn)
}

func (db *DB) view(ctx context.Context, o pg.Opening, call sqlstore.Call, fn func(*sqlstore.Session) error) error {
	if db.closed.Load() {
		return errClosed
	}
	pool, err := db.reader(ctx)
	if err != nil {
		return fault(err)
	}
	look := func(c *pg.Conn) error {
		call.Conn, call.Run = c, ctx
		s := sqlstore.NewSession(dialect, call)
		defer s.End()
		return fn(s)
	}
	err = pool.ReadAs(ctx, o, look)
	if db.lost(pool, err) {
		err = db.pool.ReadAs(ctx, o, look)
	}
	return fault(err)
}

// ViewAt implements [store.Store]. It looks at views in the place of tables (see past.sql), so that all statements are the same.
func (db *DB) ViewAt(ctx context.Context, sc lukasa.Scope, at time.Time, fn func(store.Reader) error) error {
	o := db.opening(sc)
	o.Path = pg.Name(db.opts.Schema+"_past") + ", " + pg.Name(db.opts.Schema)
	o.Set = append(o.Set, pg.Setting{Name: "lukasa.moment", Value: strconv.FormatInt(at.UnixMicro(), 10)},
		pg.Setting{Name: "plan_cache_mode", Value: "auto"}) // views of moments are large, and worth a plan of their own
	call := sqlstore.Call{Context: ctx, Scope: sc, Now: func() time.Time { return at }, Past: true, Today: db.opts.Now}
	return db.view(ctx, o, call, func(s *sqlstore.Session) error { return fn(s) })
}

// write runs fn in a transaction and returns once it is durable and its changes can be followed.
func (db *DB) write(ctx context.Context, sc lukasa.Scope, fn func(*sqlstore.Tx) error) error {
	if db.closed.Load() {
		return errClosed
	}
	changed := false
	o := db.opening(whole(sc))
	o.Lock, o.After = lockOf(db.opts.Schema, string(sc.Owner)), func() string {
		if !changed {
			return ""
		}
		return db.numbering()
	}
	late, err := db.pool.WriteAs(ctx, o, func(c *pg.Conn) error {
		var at time.Time
		now := func() time.Time { // what is written together is written at one moment
			if at.IsZero() {
				at = db.opts.Now()
			}
			return at
		}
		t := sqlstore.NewTx(dialect, sqlstore.Call{Context: ctx, Run: ctx, Conn: c, Scope: sc, Now: now})
		defer t.End()
		if err := fn(t); err != nil {
			return err
		}
		changed = t.Changed()
		if err := t.Flush(); err != nil || changed || sc.Owner == "" {
			return err
		}
		// What this write found in place may be that of a node that was killed, or could not number it.
		return c.Each(ctx, "SELECT 1 FROM changes WHERE owner_id = ?1 AND seq IS NULL LIMIT 1", []any{string(sc.Owner)}, func(sqlrows.Row) error {
			changed = true
			return nil
		})
	})
	if err != nil || !changed {
		return fault(err)
	}
	// What is committed stays committed. Who wrote it hears of success once every node finds it, and otherwise that it is uncertain.
	for range 3 {
		if late == nil {
			break
		}
		late = db.number(context.WithoutCancel(ctx)) // which may be done twice
	}
	if err = late; err != nil {
		db.owed.Add(1)
		return fault(fmt.Errorf("%w: number what was committed: %w", pg.ErrUnknown, err))
	}
	return nil
}

// whole is the claim of a write: all of the owner's rows, and nothing of others. A write on behalf of a subtree must look beyond it
// (at the end of the chain of deltas, at names that are taken, at who else needs a file); what it may change is decided by the
// condition that its statements carry. A scope that only reads writes nothing.
func whole(sc lukasa.Scope) lukasa.Scope {
	return lukasa.Scope{Owner: sc.Owner, Principal: sc.Principal, ReadOnly: sc.ReadOnly}
}

// lockOf is the number of the lock that the writes of an owner take.
func lockOf(schema, owner string) int64 {
	h := fnv.New64a()
	h.Write([]byte(schema + "\x00" + owner))
	return int64(h.Sum64())
}

// numbering is the statement that gives the changes that have been committed their places in the log.
func (db *DB) numbering() string { return "SELECT " + pg.Name(db.opts.Schema) + ".number_changes()" }

// number gives the changes that have been committed their places in the log.
func (db *DB) number(ctx context.Context) error {
	return db.pool.Each(ctx, db.numbering(), nil, func(sqlrows.Row) error { return nil })
}

// Head implements [store.Feed].
func (db *DB) Head(ctx context.Context) (seq int64, err error) {
	if db.closed.Load() {
		return 0, errClosed
	}
	if owed := db.owed.Load(); db.paid.Load() < owed {
		if err := db.number(ctx); err != nil {
			return 0, fault(err)
		}
		db.paid.Store(owed) // at worst a smaller one: then it is done once more
	}
	err = db.pool.Each(ctx, "SELECT "+pg.Name(db.opts.Schema)+".log_head()", nil, func(r sqlrows.Row) error {
		seq = r.Int64(0)
		return nil
	})
	return seq, fault(err)
}

// Alone runs fn while no other node runs one.
func (db *DB) Alone(ctx context.Context, fn func() error) error {
	prelude := fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lockOf(db.opts.Schema, "alone"))
	var failed error
	err := db.pool.Write(ctx, prelude, func(*pg.Conn) error {
		failed = fn()
		return nil
	})
	return errors.Join(failed, fault(err))
}
