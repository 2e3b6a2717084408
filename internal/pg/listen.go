package pg

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// maxPayload is how long a notification may be, in bytes.
const maxPayload = 7999

// Notify sends a notification on a channel once the transaction of c is committed. Those with one text, sent in one transaction,
// arrive once. A text longer than 7,999 bytes is refused.
func Notify(ctx context.Context, c *Conn, channel, text string) error {
	if len(text) > maxPayload {
		return fmt.Errorf("a notification has %d bytes, may have %d", len(text), maxPayload)
	}
	return c.Each(ctx, "SELECT pg_notify(?1, ?2)", []any{channel, text}, func(sqlrows.Row) error { return nil })
}

// CanListen reports whether [Pool.Listen] has a way to the server. Without one, a caller has to look by itself from time to time.
func (p *Pool) CanListen() bool { return p.listen != nil }

// Listen hands the notifications of a channel to fn, over a connection of its own, until ctx ends. It connects anew where the
// connection breaks. Each time that it has begun to listen, the first included, it calls fn with an empty text: something may
// have been missed. It returns ctx's error, or why it cannot listen at all.
func (p *Pool) Listen(ctx context.Context, channel string, fn func(text string)) error {
	if p.listen == nil {
		return errNoListen
	}
	for tries := 0; ; tries++ {
		began := time.Now()
		err := p.listenOnce(ctx, channel, fn)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !IsAway(err) && !errors.Is(err, errBroken) {
			return err
		}
		if time.Since(began) > time.Minute {
			tries = 0
		}
		wait := min(30*time.Second, 50*time.Millisecond<<min(tries, 10))
		if err := pause(ctx, wait/2+rand.N(wait/2)); err != nil {
			return err
		}
	}
}

// errBroken says that a connection that listened is gone.
var errBroken = errors.New("the connection for notifications broke")

func (p *Pool) listenOnce(ctx context.Context, channel string, fn func(string)) error {
	config := p.listen.Config
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		if n.Channel == channel && n.Payload != "" {
			fn(n.Payload)
		}
	}
	conn, err := pgconn.ConnectConfig(ctx, &config)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx) // it has only listened
	}()
	if err := conn.Exec(ctx, "LISTEN "+Name(channel)).Close(); err != nil {
		return err
	}
	fn("")
	for {
		// The server's side may vanish without a word: ask for one now and then.
		wait, cancel := context.WithTimeout(ctx, time.Minute)
		err := conn.WaitForNotification(wait)
		cancel()
		if err != nil && ctx.Err() == nil && wait.Err() != nil && !conn.IsClosed() {
			err = conn.Exec(ctx, "").Close()
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
	}
}
