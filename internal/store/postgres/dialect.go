package postgres

import (
	"errors"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// dialect is what PostgreSQL says in its own way. The rest is translated, see [pg.Translator].
var dialect = &sqlstore.Dialect{
	Moment: "CAST(current_setting('lukasa.moment') AS bigint)",
	SourcesThen: `SELECT memory_id, document_id, message_id, start_at, end_at, quote FROM memory_sources
WHERE owner_id = ?1 AND memory_id IN (SELECT value FROM json_each(?5)) ORDER BY memory_id, n`,
	RowsOf:     rowsOf,
	MakeSpace:  makeSpace,
	LockSpaces: "SELECT pg_advisory_xact_lock(hashtext(current_schema() || ' spaces'))",
	Fault:      driverFault,
	Vector:     sqlrows.Wide, // nodes of the release before may run beside this one, and read no other
}

func rowsOf(table, column string) string {
	sql := table + ".owner_id = ?1 AND " + table + "." + column + " IN (SELECT value FROM json_each(?5))"
	if table == "conversations" && column == "document_id" {
		sql += " AND conversations.document_id <> ''" // the index holds no others
	}
	return sql
}

func columns(s store.Statements, table string) (names []string, err error) {
	err = s.Query(func(r store.Row) { names = append(names, r.Text(0)) },
		"SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?5 ORDER BY ordinal_position", table)
	return names, err
}

func makeSpace(s store.Statements, n int) error {
	_, err := s.Run("SELECT make_space(?5)", n)
	return err
}

// settle lets numbers that the database gives out go on behind those that have come from another store.
func settle(s store.Statements) error {
	_, err := s.Run("SELECT settle_numbers()")
	return err
}

var errClosed = lukasa.Errorf(lukasa.CodeUnavailable, "the store is closed")

// fault turns errors of PostgreSQL and of contexts into the product's; others are returned as they are. What is uncertain stays so, also where
// the time is up: nobody may take it for a write that was refused.
func fault(err error) error {
	if errors.Is(err, pg.ErrUnknown) {
		return driverFault(err)
	}
	return store.Fault(err, driverFault)
}

func driverFault(err error) error {
	if e, ok := errors.AsType[*pg.SchemaError](err); ok {
		return &lukasa.Error{Code: lukasa.CodeConflict, Msg: e.Error(), Hint: e.Hint()}
	}
	e := &lukasa.Error{Err: err}
	switch {
	case errors.Is(err, pg.ErrUnknown):
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "the connection to the database broke while the write was being committed: it may have been kept, or not", time.Second
		e.Hint = "look whether it is there, or send it again with the same custom_id or message id: it is then kept once"
	case pg.IsAway(err):
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "the database cannot be reached", 2*time.Second
		e.Hint = "try again; if it stays so, look at the database"
	case pg.IsText(err):
		e.Code, e.Field, e.Msg = lukasa.CodeInvalid, "content", "holds a character that the database cannot keep (U+0000, or no text at all)"
	case pg.IsFull(err):
		e.Code, e.Msg, e.Hint = lukasa.CodeStorage, "the database's disk is full", "free some space; reading goes on meanwhile"
		e.RetryAfter = 5 * time.Second
	case pg.IsReadOnly(err):
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "the database takes no writes now", 2*time.Second
		e.Hint = "store.url must lead to the primary"
	case pg.IsTooLarge(err):
		e.Code, e.Msg = lukasa.CodeTooLarge, "the record is too large for the database"
	case pg.IsDenied(err):
		e.Code, e.Msg = lukasa.CodeNotFound, "there is no such record" // a policy stands before what this scope may not see
	case pg.IsConstraint(err):
		e.Code, e.Msg = lukasa.CodeConflict, "the record contradicts one that is there"
	case pg.IsRetry(err):
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "too many writes at once", time.Second
		e.Hint = "try again"
	case strings.HasPrefix(pg.Code(err), "57P"), strings.HasPrefix(pg.Code(err), "08"), pg.Code(err) == "25P02": // it is going down, or has just come back
		e.Code, e.Msg, e.RetryAfter = lukasa.CodeUnavailable, "the database has broken the transaction off", 2*time.Second
		e.Hint = "try again"
	case pg.Code(err) == pg.CodeCanceled:
		e.Code, e.Msg = lukasa.CodeTimeout, "the request's time is up"
	case pg.Code(err) != "":
		e.Code, e.Msg = lukasa.CodeInternal, "the store could not do it"
	default:
		return err
	}
	return e
}
