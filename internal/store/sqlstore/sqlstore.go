// Package sqlstore is the tables of a store and the statements that read and write them, for every driver that keeps them in a
// database with SQL.
//
// The statements are written once, in the words that SQLite and PostgreSQL share, with parameters ?1 and so on; lists are
// handed over as JSON and unfolded by json_each. A driver brings transactions and a [Dialect] for what is left, and embeds a [Base].
package sqlstore

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Dialect is what the statements leave to a driver.
type Dialect struct {
	// Moment is the expression for the time, in microseconds, that a connection for a view of a moment shows.
	Moment string
	// SourcesThen reads the sources of memories at a moment: memory, document, message, start, end and quote of those whose ids
	// are in the list ?5, by memory and number.
	SourcesThen string
	// RowsOf is the condition for rows of a table of the owner ?1 whose column is in the list ?5. It must not read the whole table.
	RowsOf func(table, column string) string
	// MakeSpace makes the table of the embedding space with the number, if it is not there.
	MakeSpace func(s store.Statements, n int) error
	// LockSpaces is a statement that lets one transaction at a time go on to make a space; "": there is only one that writes.
	LockSpaces string
	// Fault turns errors of the driver into the product's; others are returned as they are.
	Fault  func(error) error
	Vector func([]float32) []byte // writes a vector
}

// Base is a store without its connections.
type Base struct {
	store.Ledger
	All   store.Rows // what a copy of the store is made from, and into
	read  func(ctx context.Context, sc lukasa.Scope, fn func(*Session) error) error
	write func(ctx context.Context, sc lukasa.Scope, fn func(*Tx) error) error
}

// NewBase makes the part of a store that its transactions are enough for. Read runs fn over one snapshot. Write runs fn, then
// [Tx.Flush], in a transaction of its own, and returns once that is durable; it may run them again from the start.
func NewBase(read func(ctx context.Context, sc lukasa.Scope, fn func(*Session) error) error, write func(ctx context.Context, sc lukasa.Scope, fn func(*Tx) error) error) Base {
	all := store.Rows{
		Read: func(ctx context.Context, owner lukasa.ID, fn func(store.Statements) error) error {
			return read(ctx, lukasa.Scope{Owner: owner}, func(s *Session) error { return fn(statements{s}) })
		},
		Write: func(ctx context.Context, owner lukasa.ID, fn func(store.Statements) error) error {
			return write(ctx, lukasa.Scope{Owner: owner}, func(t *Tx) error { return fn(statements{t.Session}) })
		},
	}
	return Base{Ledger: store.NewLedger(all.Read, all.Write), All: all, read: read, write: write}
}

// View implements [store.Store].
func (b Base) View(ctx context.Context, sc lukasa.Scope, fn func(store.Reader) error) error {
	return b.read(ctx, sc, func(s *Session) error { return fn(s) })
}

// Update implements [store.Store].
func (b Base) Update(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
	err := b.write(ctx, sc, func(t *Tx) error {
		t.writes = true
		return fn(t)
	})
	if sc.Grantee == "" || lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return err
	}
	// What it wants to change may be there, for reading alone: then that is the answer. Nothing of this stays.
	why := b.write(ctx, sc, func(t *Tx) error {
		if err := fn(t); lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return err
		}
		return store.ReadOnly()
	})
	if lukasa.CodeOf(why) == lukasa.CodeForbidden {
		return why
	}
	return err
}

// Call is what a transaction is begun for.
type Call struct {
	Context context.Context // the caller's
	Run     context.Context // what may interrupt its queries
	Conn    sqlrows.Conn
	Scope   lukasa.Scope
	Now     func() time.Time
	Past    bool             // the connection shows the rows of a moment
	Today   func() time.Time // by which grants count, where Now is another moment; nil: Now
	Ahead   store.Ahead      // is told of what is written, where the numbers of changes follow each other in a transaction; nil: nobody is
}

// NewSession begins to read. [Session.End] ends it.
func NewSession(d *Dialect, c Call) *Session {
	var today time.Time
	switch {
	case c.Scope.Grantee == "":
	case c.Today != nil:
		today = c.Today()
	default:
		today = c.Now()
	}
	s := &Session{dialect: d, ctx: c.Context, sc: c.Scope, now: c.Now, past: c.Past}
	s.Session = sqlrows.Session{
		C: c.Conn, Run: c.Run, Fixed: []any{string(c.Scope.Owner), string(c.Scope.Root), string(c.Scope.Grantee), today},
		Ready: s.alive, Fault: func(err error) error { return store.Fault(err, d.Fault) },
	}
	return s
}

// NewTx begins to write. [Tx.Flush] writes down what has changed.
func NewTx(d *Dialect, c Call) *Tx {
	return &Tx{Session: NewSession(d, c), ahead: c.Ahead, open: map[lukasa.ID]lukasa.Path{}}
}

// End makes a session refuse whatever is asked of it later.
func (s *Session) End() { s.C = nil }
