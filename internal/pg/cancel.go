package pg

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// canceller asks the server to give up a statement whose context has ended, so that the connection lasts. It is what pgx's
// CancelRequestContextWatcherHandler is, but lets a request that has been begun come to its end: PgBouncer 1.18 (Debian 12) dies of
// one whose connection closes early.
type canceller struct {
	conn *pgconn.PgConn
	done chan struct{}
}

const (
	cancelTime  = 5 * time.Second        // after which a server that does not answer loses the connection
	cancelDelay = 100 * time.Millisecond // a request is on its way to the other session a little longer than its connection lasts
)

// HandleCancel implements ctxwatch.Handler.
func (c *canceller) HandleCancel(ctx context.Context) {
	done := make(chan struct{})
	c.done = done
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	_ = c.conn.Conn().SetDeadline(time.Now().Add(cancelTime)) // what is closed fails by itself
	go func() {
		defer close(done)
		defer cancel()
		if c.conn.CancelRequest(ctx) == nil {
			_ = pause(ctx, cancelDelay) // it ends at the latest with ctx
		}
	}()
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (c *canceller) HandleUnwatchAfterCancel() {
	<-c.done
	_ = c.conn.Conn().SetDeadline(time.Time{}) // what is closed fails by itself
}
