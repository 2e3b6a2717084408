package postgres

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
)

// maxMessage is what a notification carries, as base64, beside nothing else.
const maxMessage = 4096

// listenWait is how long Subscribe waits for a server that is away.
const listenWait = 2 * time.Second

// Publish carries a message to all nodes that listen, as a notification of the database: see package relay.
func (db *DB) Publish(ctx context.Context, channel string, message []byte) error {
	if len(message) == 0 || len(message) > maxMessage {
		return lukasa.Invalid("message", "has %d bytes, must have 1 to %d", len(message), maxMessage)
	}
	name, err := db.channel(channel)
	if err != nil {
		return err
	}
	if db.closed.Load() {
		return errClosed
	}
	return fault(db.pool.Write(ctx, "", func(c *pg.Conn) error {
		return pg.Notify(ctx, c, name, base64.StdEncoding.EncodeToString(message))
	}))
}

// Subscribe calls hear for each message on the channel until ctx ends or the store is closed: see package relay.
func (db *DB) Subscribe(ctx context.Context, channel string, hear func(message []byte)) error {
	name, err := db.channel(channel)
	if err != nil {
		return err
	}
	if !db.pool.CanListen() {
		return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "notifications do not come through a shared connection", Hint: "set cache.provider to redis, or store.url to the database itself"}
	}
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(db.life, cancel)
	ready := make(chan error, 1)
	var first sync.Once
	go func() {
		defer cancel()
		err := db.pool.Listen(ctx, name, func(text string) {
			if ctx.Err() != nil {
				return // what was on its way at the end
			}
			if text == "" {
				again := true
				first.Do(func() { again = false; ready <- nil })
				if again {
					hear(nil)
				}
				return
			}
			if message, err := base64.StdEncoding.DecodeString(text); err == nil {
				hear(message)
			}
		})
		first.Do(func() { ready <- err })
	}()
	select {
	case err := <-ready:
		if ctx.Err() == nil {
			return fault(err)
		}
		return nil //nolint:nilerr // the listening has ended because it was to end
	case <-time.After(listenWait):
		return nil
	}
}

// channel is the name of a channel in the database, which other installations share.
func (db *DB) channel(name string) (string, error) {
	ok := name != "" && len(name) <= 40
	for _, c := range name {
		ok = ok && (c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9')
	}
	if !ok {
		return "", lukasa.Invalid("channel", "%q is not 1 to 40 letters, digits and _", name)
	}
	return fmt.Sprintf("%s.%s", db.opts.Schema, name)[:min(63, len(db.opts.Schema)+1+len(name))], nil
}
