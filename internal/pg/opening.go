package pg

import (
	"context"
	"strconv"
	"strings"
)

// Opening is what a transaction begins with. On a connection of one's own it is sent along with the first statement, in one round trip.
type Opening struct {
	Path string    // the search path; "" means that of the pool
	Set  []Setting // for this transaction alone
	Lock int64     // the number of the advisory lock that it takes first and holds to its end; 0 for none
	// After is asked when a writing transaction is to be committed, for a statement that is run by itself once it is, in the same round
	// trip; "" and nil mean none.
	After func() string
}

// Setting is a setting of the server and its value.
type Setting struct{ Name, Value string }

// begin is how a transaction begins.
type begin struct {
	mode    string // the BEGIN
	prelude string // PostgreSQL's own statements, sent with it
	path    string // the search path by which statements are kept apart
	opening Opening
}

const (
	reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
)

// ReadAs is [Pool.Read] with an opening in the place of a prelude.
func (p *Pool) ReadAs(ctx context.Context, o Opening, fn func(*Conn) error) error {
	return p.run(ctx, begin{mode: reading, path: o.Path, opening: o}, fn, nil)
}

// WriteAs is [Pool.Write] with an opening in the place of a prelude. What came of [Opening].After is told apart: late is its error,
// after a transaction that is committed.
func (p *Pool) WriteAs(ctx context.Context, o Opening, fn func(*Conn) error) (late, err error) {
	err = p.run(ctx, begin{mode: writing, path: o.Path, opening: o}, fn, func(c *Conn) error {
		after := ""
		if o.After != nil {
			after = o.After()
		}
		var err error
		late, err = p.commit(ctx, c, after)
		return err
	})
	return late, err
}

// script is the opening as statements without parameters, for connections that keep no prepared ones.
func (o Opening) script() string {
	var sql strings.Builder
	if o.Path != "" {
		sql.WriteString("; SET LOCAL search_path = " + o.Path)
	}
	for _, s := range o.Set {
		sql.WriteString("; SET LOCAL " + s.Name + " = " + Text(s.Value))
	}
	if o.Lock != 0 {
		sql.WriteString("; SELECT pg_advisory_xact_lock(" + strconv.FormatInt(o.Lock, 10) + ")")
	}
	return sql.String()
}

// open begins a transaction: at once where there is a prelude or nothing is kept, else with the first statement.
func (c *Conn) open(ctx context.Context, b begin, session string) error {
	if c.kept == nil || b.prelude != "" {
		sql := b.mode + session + b.opening.script()
		if b.prelude != "" {
			sql += "; " + b.prelude
		}
		if err := c.raw.Exec(ctx, sql).Close(); err != nil {
			return err
		}
		c.begun = true
		return nil
	}
	c.head = c.head[:0]
	put := func(sql string, args ...any) error {
		q, err := c.own(ctx, sql, args)
		c.head = append(c.head, q)
		return err
	}
	if err := put(b.mode); err != nil {
		return err
	}
	if b.opening.Path != "" {
		if err := put("SELECT set_config('search_path', $1, true)", b.opening.Path); err != nil {
			return err
		}
	}
	for _, s := range b.opening.Set {
		if err := put("SELECT set_config($1, $2, true)", s.Name, s.Value); err != nil {
			return err
		}
	}
	if b.opening.Lock != 0 {
		return put("SELECT pg_advisory_xact_lock($1)", b.opening.Lock)
	}
	return nil
}

// own prepares a statement in PostgreSQL's own words, whose meaning no search path changes.
func (c *Conn) own(ctx context.Context, sql string, args []any) (q queued, err error) {
	key := statementKey{ownPath, sql}
	p, ok := c.kept.byText[key]
	if !ok {
		st := Statement{SQL: sql}
		for i := range args {
			st.Params = append(st.Params, i)
		}
		if p, err = c.keep(ctx, key, st); err != nil {
			return q, err
		}
	}
	c.kept.clock++
	p.used, q.prepared = c.kept.clock, p
	q.values, q.formats, err = bind(p.Params, args, p.bytes)
	return q, err
}

// ownPath stands in the place of a search path.
const ownPath = "\x00"

// ready sends the opening, if that still waits. A statement is prepared by what its names mean then.
func (c *Conn) ready(ctx context.Context) error {
	if len(c.head) == 0 {
		return nil
	}
	r, err := c.send(ctx, nil)
	if err == nil {
		err = r.end()
	}
	return err
}
