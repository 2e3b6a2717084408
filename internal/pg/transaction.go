package pg

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// maxRetries is how often a transaction is run again because others were in its way.
const maxRetries = 20

// maxLosses is how often a transaction is run again because its connection broke.
const maxLosses = 2

// Read runs fn in a transaction that only reads and sees one moment. The prelude is run right after BEGIN, in the same round trip:
// PostgreSQL's own statements, without parameters. A search path that fn is to run with is set there, by SET LOCAL search_path: prepared
// statements are kept apart by it. Fn may be run again from the start, see [Pool.Write].
func (p *Pool) Read(ctx context.Context, prelude string, fn func(*Conn) error) error {
	return p.run(ctx, begin{mode: reading, prelude: prelude, path: searchPath(prelude)}, fn, nil)
}

// Each runs one statement by itself and hands each row to fn. It must not need what a prelude sets.
func (p *Pool) Each(ctx context.Context, sql string, args []any, fn func(sqlrows.Row) error) error {
	pooled, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer pooled.Release()
	c := &Conn{raw: pooled.Conn().PgConn(), texts: p.texts}
	if p.opts.Mode == Direct {
		c.kept = keptBy(c.raw)
	}
	return c.Each(ctx, sql, args, fn)
}

// Write runs fn in a transaction (READ COMMITTED) and commits it. Fn is run again from the start where the server asks for it
// (serialization failures, deadlocks) and where the connection broke before COMMIT was sent; its error rolls back and is
// returned. A connection that breaks while it is being committed is [ErrUnknown]; a server that stays away is [ErrAway].
func (p *Pool) Write(ctx context.Context, prelude string, fn func(*Conn) error) error {
	return p.run(ctx, begin{mode: writing, prelude: prelude, path: searchPath(prelude)}, fn, func(c *Conn) error {
		_, err := p.commit(ctx, c, "")
		return err
	})
}

// commit ends a transaction for good, and runs a statement after it, if there is one; late is what that failed with. The caller's context
// no longer counts: what has been sent cannot be taken back.
func (p *Pool) commit(ctx context.Context, c *Conn, after string) (late, err error) {
	if !c.begun && len(c.queue) == 0 {
		return nil, nil // nothing was asked of it
	}
	if c.kept == nil {
		if err := c.flush(ctx); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	turn, late, err := c.end(ctx, after)
	switch {
	case turn == committed || err == nil || errors.Is(err, errRolledBack):
		return late, err
	case Code(err) == "" && !c.raw.IsClosed(): // it was not sent
		return nil, c.fault(ctx, err)
	case Code(err) == "":
		p.discard(ctx, c)
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	case c.raw.IsClosed() && turn == reached && !retryable(Code(err)): // the server ended the session while it was at it
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return nil, c.fault(ctx, err)
}

// turn is how far the last statements of a transaction came.
type turn int

const (
	waiting   turn = iota // a statement before COMMIT failed
	reached               // COMMIT did
	committed             // it is done
)

// end sends what waits, COMMIT and what comes after it. Answers come in order, so that a server that refuses a statement before COMMIT has not
// come to that.
func (c *Conn) end(ctx context.Context, after string) (t turn, late, err error) {
	var all *pgconn.MultiResultReader
	before := 0
	if c.kept == nil {
		sql := "COMMIT"
		if after != "" {
			sql += "; " + after
		}
		all = c.raw.Exec(ctx, sql)
	} else {
		list := slices.Concat(c.head, c.queue)
		before = len(list)
		for _, sql := range []string{"COMMIT", after} {
			if sql == "" {
				continue
			}
			q, err := c.own(ctx, sql, nil)
			if err != nil {
				return waiting, nil, err
			}
			list = append(list, q)
		}
		c.head, c.queue = nil, nil
		all = c.raw.ExecBatch(ctx, batch(list))
	}
	tag, well := "", 0
	for all.NextResult() {
		did, err := all.ResultReader().Close()
		if err != nil {
			break
		}
		if well == before {
			tag = did.String()
		}
		well++
	}
	err = all.Close()
	switch {
	case well > before && tag == "ROLLBACK":
		return waiting, nil, errRolledBack
	case well > before:
		return committed, err, nil
	case well == before:
		return reached, nil, err
	}
	return waiting, nil, err
}

func (p *Pool) discard(ctx context.Context, c *Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = c.raw.Close(ctx) // it is broken
}

// run runs a transaction until it succeeds, or there is no sense in trying again.
func (p *Pool) run(ctx context.Context, b begin, fn, end func(*Conn) error) error {
	away := time.Time{} // since when the server has been away
	for retries, losses, waits := 0, 0, 0; ; {
		pooled, err := p.pool.Acquire(ctx)
		if err == nil {
			var again verdict
			again, err = p.once(ctx, pooled, b, fn, end)
			switch {
			case again == retry && retries < maxRetries:
				retries++
				if err := pause(ctx, time.Duration(rand.Int64N(int64(min(retries, 10))*int64(4*time.Millisecond)))); err != nil {
					return err
				}
				continue
			case again == lost && losses < maxLosses:
				losses++
				p.pool.Reset() // its sisters are broken as well, mostly
				continue
			case again != refused:
				return err
			}
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		if !IsAway(err) {
			return err
		}
		now := time.Now()
		if away.IsZero() {
			away = now
		}
		if now.Sub(away) >= p.opts.Patience {
			return fmt.Errorf("%w: %w", ErrAway, err)
		}
		if err := pause(ctx, min(time.Second, 20*time.Millisecond<<min(waits, 6))); err != nil {
			return err
		}
		waits++
		p.pool.Reset()
	}
}

// searchPath returns what a prelude sets the search path to, in the end.
func searchPath(prelude string) string {
	const set = "SET LOCAL search_path = "
	i := strings.LastIndex(prelude, set)
	if i < 0 {
		return ""
	}
	path, _, _ := strings.Cut(prelude[i+len(set):], ";")
	return path
}

// verdict is what came of one attempt.
type verdict int

const (
	done    verdict = iota // well or not
	retry                  // others were in the way
	lost                   // the connection broke, and nothing was committed
	refused                // it could not even begin
)

func (p *Pool) once(ctx context.Context, pooled *pgxpool.Conn, b begin, fn, end func(*Conn) error) (verdict, error) {
	release := true
	defer func() {
		if release {
			pooled.Release()
		}
	}()
	c := &Conn{raw: pooled.Conn().PgConn(), texts: p.texts, path: b.path}
	session := ""
	if p.opts.Mode == Direct {
		c.kept = keptBy(c.raw)
	} else {
		session = p.session()
	}
	if err := c.open(ctx, b, session); err != nil {
		return p.unopened(ctx, c, c.fault(ctx, err))
	}
	finished := false
	defer func() {
		if !finished { // fn panicked
			p.discard(ctx, c)
		}
	}()
	err := fn(c)
	finished = true
	if c.broken != nil {
		return p.unopened(ctx, c, c.fault(ctx, c.broken))
	}
	if err == nil && end == nil && !c.begun {
		return done, nil // nothing was asked of it
	}
	if err == nil && end == nil { // it has only read: nobody needs to wait for its end
		release = false
		go func() {
			p.rollback(ctx, c)
			pooled.Release()
		}()
		return done, nil
	}
	if err == nil {
		err = end(c)
		if c.broken != nil {
			return p.unopened(ctx, c, c.fault(ctx, c.broken))
		}
		switch {
		case err == nil, errors.Is(err, ErrUnknown):
			return done, err
		case retryable(c.failed):
			return retry, err
		case ctx.Err() == nil && c.raw.IsClosed(): // what was still to be sent before COMMIT never arrived
			return lost, err
		}
		return done, err
	}
	switch {
	case ctx.Err() == nil && c.raw.IsClosed():
		return lost, err
	case retryable(c.failed) && ctx.Err() == nil:
		p.rollback(ctx, c)
		return retry, err
	}
	p.rollback(ctx, c)
	return done, err
}

// unopened is the verdict of a transaction that could not begin.
func (p *Pool) unopened(ctx context.Context, c *Conn, err error) (verdict, error) {
	v := done
	switch {
	case c.raw.IsClosed() || IsAway(err):
		v = refused
	case retryable(c.failed):
		v = retry
	}
	p.rollback(ctx, c)
	return v, err
}

func (p *Pool) rollback(ctx context.Context, c *Conn) {
	if c.raw.IsClosed() || c.raw.TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := c.raw.Exec(ctx, "ROLLBACK").Close(); err != nil {
		p.discard(ctx, c)
	}
}

// session is what a transaction sets on a connection that is not its own. Compiling expressions (jit) takes the server minutes for a
// statement over many partitions with policies, in which nothing can stop it, and gains nothing for short ones.
func (p *Pool) session() string {
	sql := "; SET LOCAL jit = off"
	if p.opts.Role != "" {
		sql += "; SET LOCAL ROLE " + Name(p.opts.Role)
	}
	if p.opts.StatementTimeout > 0 {
		sql += fmt.Sprintf("; SET LOCAL statement_timeout = %d", p.opts.StatementTimeout.Milliseconds())
	}
	return sql
}

// pause waits, or returns why the context ended.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
