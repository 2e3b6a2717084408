package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Conn is a connection in a transaction. It implements [sqlrows.Conn]: statements are those of SQLite, see [Translator].
//
// A result is read to its end before the first row is handed out, so that further statements may be run meanwhile.
type Conn struct {
	raw    *pgconn.PgConn
	texts  *Translator
	kept   *statements // nil in Pooled mode
	path   string      // the search path that the transaction began with
	failed string      // SQLSTATE of the last statement that the server refused
	queue  []queued    // what waits to be sent
	head   []queued    // what opens the transaction, while it waits to be sent
	begun  bool        // the transaction is open
	broken error       // what the opening failed with
}

var (
	_ sqlrows.Conn   = (*Conn)(nil)
	_ sqlrows.Queuer = (*Conn)(nil)
)

// maxStatements is how many prepared statements a connection keeps. The server holds about a megabyte for each, as the policies of
// every table that a statement names become part of it.
const maxStatements = 256

// statements are those that a connection has prepared, by their texts and what names in these mean. They outlive transactions.
type statements struct {
	byText map[statementKey]*prepared
	clock  uint64
	named  uint64
}

type statementKey struct{ path, text string }

type prepared struct {
	Statement
	described *pgconn.StatementDescription
	formats   []int16 // of the result's columns
	bytes     []bool  // which parameters are bytea
	used      uint64
}

const keptData = "lukasa statements"

func keptBy(raw *pgconn.PgConn) *statements {
	if s, ok := raw.CustomData()[keptData].(*statements); ok {
		return s
	}
	s := &statements{byText: make(map[statementKey]*prepared)}
	raw.CustomData()[keptData] = s
	return s
}

// forget makes the connection prepare all anew, after the schema has changed under it.
func (s *statements) forget() { s.byText = make(map[statementKey]*prepared) }

// prepare returns the prepared statement of a text. The one that has not been used for longest makes room.
func (c *Conn) prepare(ctx context.Context, sql string) (*prepared, error) {
	s := c.kept
	s.clock++
	key := statementKey{c.path, sql}
	if p, ok := s.byText[key]; ok {
		p.used = s.clock
		return p, nil
	}
	st, err := c.texts.Translate(sql)
	if err != nil {
		return nil, err
	}
	if c.path != "" {
		if err := c.ready(ctx); err != nil {
			return nil, err
		}
	}
	return c.keep(ctx, key, st)
}

func (c *Conn) keep(ctx context.Context, key statementKey, st Statement) (*prepared, error) {
	s := c.kept
	if len(s.byText) >= maxStatements {
		if err := c.evict(ctx); err != nil {
			return nil, err
		}
	}
	s.named++
	d, err := c.raw.Prepare(ctx, "l"+strconv.FormatUint(s.named, 36), st.SQL, nil)
	if err != nil {
		return nil, err
	}
	p := &prepared{Statement: st, described: d, used: s.clock, formats: make([]int16, len(d.Fields)), bytes: make([]bool, len(d.ParamOIDs))}
	for i, f := range d.Fields {
		if f.DataTypeOID == oidBytea {
			p.formats[i] = formatBinary
		}
	}
	for i, oid := range d.ParamOIDs {
		p.bytes[i] = oid == oidBytea
	}
	s.byText[key] = p
	return p, nil
}

func (c *Conn) evict(ctx context.Context) error {
	oldest, used := statementKey{}, c.kept.clock+1
	for key, p := range c.kept.byText {
		if p.used < used {
			oldest, used = key, p.used
		}
	}
	name := c.kept.byText[oldest].described.Name
	delete(c.kept.byText, oldest)
	return c.raw.Deallocate(ctx, name)
}

// queued is a statement that waits for the next one.
type queued struct {
	prepared *prepared // nil in Pooled mode
	sql      string
	values   [][]byte
	formats  []int16
}

// maxQueue is how many statements wait at most.
const maxQueue = 128

func (c *Conn) bound(ctx context.Context, sql string, args []any) (q queued, err error) {
	if c.kept == nil {
		st, err := c.texts.Translate(sql)
		if err != nil {
			return q, err
		}
		q.sql = st.SQL
		q.values, q.formats, err = bind(st.Params, args, nil)
		return q, err
	}
	if q.prepared, err = c.prepare(ctx, sql); err != nil {
		return q, err
	}
	q.values, q.formats, err = bind(q.prepared.Params, args, q.prepared.bytes)
	return q, err
}

// Queue implements [sqlrows.Queuer]: the statement is sent along with the next one whose result matters, or before the commit.
func (c *Conn) Queue(ctx context.Context, sql string, args []any) error {
	q, err := c.bound(ctx, sql, args)
	if err != nil {
		return c.fault(ctx, err)
	}
	if c.queue = append(c.queue, q); len(c.queue) >= maxQueue {
		return c.flush(ctx)
	}
	return nil
}

// flush sends what waits.
func (c *Conn) flush(ctx context.Context) error {
	if len(c.queue) == 0 && len(c.head) == 0 {
		return nil
	}
	r, err := c.send(ctx, nil)
	if err == nil {
		err = r.end()
	}
	return c.fault(ctx, err)
}

// result is what came of the last statement that was sent.
type result struct {
	*pgconn.ResultReader
	all *pgconn.MultiResultReader // nil: there was one statement
}

// end reads what is left of the results.
func (r *result) end() (err error) {
	if r.ResultReader != nil {
		_, err = r.Close()
	}
	if r.all != nil {
		if e := r.all.Close(); err == nil {
			err = e
		}
	}
	return err
}

// start sends a statement, behind those that wait.
func (c *Conn) start(ctx context.Context, sql string, args []any) (*result, error) {
	q, err := c.bound(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	if len(c.queue) > 0 || len(c.head) > 0 {
		return c.send(ctx, &q)
	}
	if q.prepared == nil {
		return &result{ResultReader: c.raw.ExecParams(ctx, q.sql, q.values, nil, q.formats, nil)}, nil
	}
	return &result{ResultReader: c.raw.ExecStatement(ctx, q.prepared.described, q.values, q.formats, q.prepared.formats)}, nil
}

// send sends what waits, and one statement more if there is one, in one round trip; the result is that one's.
func (c *Conn) send(ctx context.Context, last *queued) (*result, error) {
	opening := len(c.head)
	list := slices.Concat(c.head, c.queue)
	c.head, c.queue = nil, nil
	if last != nil {
		list = append(list, *last)
	}
	all := c.raw.ExecBatch(ctx, batch(list))
	for i := range list {
		if !all.NextResult() {
			err := all.Close()
			if err == nil {
				err = fmt.Errorf("%w: statement %d of %d has no result", ErrStatement, i+1, len(list))
			}
			return nil, c.opened(i >= opening, err)
		}
		if last != nil && i == len(list)-1 {
			_ = c.opened(true, nil)
			return &result{ResultReader: all.ResultReader(), all: all}, nil
		}
		if _, err := all.ResultReader().Close(); err != nil {
			return nil, c.opened(i >= opening, errors.Join(err, all.Close()))
		}
	}
	_ = c.opened(true, nil)
	return &result{all: all}, nil
}

func batch(list []queued) *pgconn.Batch {
	b := &pgconn.Batch{}
	for _, q := range list {
		if q.prepared == nil {
			b.ExecParams(q.sql, q.values, nil, q.formats, nil)
		} else {
			b.ExecStatement(q.prepared.described, q.values, q.formats, q.prepared.formats)
		}
	}
	return b
}

// opened notes whether the transaction is open, and passes the error on.
func (c *Conn) opened(ok bool, err error) error {
	switch {
	case ok:
		c.begun = true
	case !c.begun:
		c.broken = err
	}
	return err
}

func bind(params []int, args []any, bytes []bool) (values [][]byte, formats []int16, err error) {
	values, formats = make([][]byte, len(params)), make([]int16, len(params))
	for i, n := range params {
		if n >= len(args) {
			return nil, nil, fmt.Errorf("%w: parameter ?%d has no argument", ErrStatement, n+1)
		}
		if values[i], formats[i], err = encode(args[n], i < len(bytes) && bytes[i]); err != nil {
			return nil, nil, fmt.Errorf("parameter ?%d: %w", n+1, err)
		}
	}
	return values, formats, nil
}

// Each implements [sqlrows.Conn].
func (c *Conn) Each(ctx context.Context, sql string, args []any, fn func(sqlrows.Row) error) error {
	r, err := c.start(ctx, sql, args)
	if err != nil {
		return c.fault(ctx, err)
	}
	var list []sqlrows.Row
	var bad error
	for r.NextRow() {
		fields, values := r.FieldDescriptions(), r.Values()
		row := make(sqlrows.Row, len(values))
		for i, v := range values {
			if row[i], err = decode(v, fields[i].DataTypeOID, fields[i].Format); err != nil && bad == nil {
				bad = err
			}
		}
		list = append(list, row)
	}
	if err := r.end(); err != nil {
		return c.fault(ctx, err)
	}
	if bad != nil {
		return bad
	}
	for i, row := range list {
		if err := fn(row); err != nil {
			return err
		}
		list[i] = nil
	}
	return nil
}

// Exec implements [sqlrows.Conn].
func (c *Conn) Exec(ctx context.Context, sql string, args []any) (changed int64, err error) {
	r, err := c.start(ctx, sql, args)
	if err != nil {
		return 0, c.fault(ctx, err)
	}
	tag, err := r.Close()
	if e := r.end(); err == nil {
		err = e
	}
	if err != nil {
		return 0, c.fault(ctx, err)
	}
	return tag.RowsAffected(), nil
}

// Script runs PostgreSQL's own statements, several at once in one round trip, without parameters: see [Text] and [Name].
func (c *Conn) Script(ctx context.Context, sql string) error {
	if err := c.flush(ctx); err != nil {
		return err
	}
	return c.fault(ctx, c.raw.Exec(ctx, sql).Close())
}
