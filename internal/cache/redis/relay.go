package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// waiting is how many messages may wait for one listener. What comes after them is lost to it.
const waiting = 256

// maxMessage is the longest message in bytes, as the port has it.
const maxMessage = 4096

// Publish sends a message of 1 to 4,096 bytes to all that listen to the channel now, on any node and on this one. While the
// server is away it fails at once, and the message is lost.
func (c *Cache) Publish(ctx context.Context, channel string, message []byte) error {
	if channel == "" || len(message) == 0 || len(message) > maxMessage {
		return fmt.Errorf("publish: a channel and 1 to %d bytes are needed, not %q and %d bytes", maxMessage, channel, len(message))
	}
	_, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed {
		return b.Publish().Channel(c.channel(channel)).Message(rueidis.BinaryString(message)).Build()
	})
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

func (c *Cache) channel(name string) string { return c.opt.Prefix + "relay:" + name }

// Subscribe calls hear for each message on the channel, one after the other, until ctx ends or the cache is closed. It
// returns once it listens; where the server is away, after [Options.DialTimeout], and then goes on trying. hear(nil) says that
// messages may have been lost: the server was away, or hear did not keep up.
func (c *Cache) Subscribe(ctx context.Context, channel string, hear func(message []byte)) error {
	if channel == "" {
		return errors.New("subscribe: a channel is needed")
	}
	client, err := c.listener()
	if err != nil {
		return err
	}
	s := &subscription{cache: c, client: client, channel: c.channel(channel), queue: make(chan []byte, waiting), wake: make(chan struct{}, 1), begun: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(c.ctx, cancel)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		unhook()
		cancel()
		return fmt.Errorf("subscribe: %w", rueidis.ErrClosing)
	}
	c.work.Go(func() {
		defer unhook()
		defer cancel()
		s.listen(ctx)
	})
	c.work.Go(func() { s.deliver(ctx, hear) })
	c.mu.Unlock()
	late := time.NewTimer(c.opt.DialTimeout)
	defer late.Stop()
	select {
	case <-s.begun:
	case <-late.C:
		s.lose() // from when it listens
	case <-ctx.Done():
	}
	return nil
}

// listener returns the connection of all subscriptions. It is apart from that of the calls, which slow listeners would hold up.
func (c *Cache) listener() (rueidis.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("subscribe: %w", rueidis.ErrClosing)
	}
	if c.ears == nil {
		client, err := rueidis.NewClient(c.dial) // an error with a client means that the server is away
		if client == nil {
			return nil, fmt.Errorf("subscribe: %w", err)
		}
		c.ears = client
	}
	return c.ears, nil
}

// subscription is one listener.
type subscription struct {
	cache   *Cache
	client  rueidis.Client
	channel string
	queue   chan []byte
	lost    atomic.Bool // messages may have been lost since hear was last told
	wake    chan struct{}
	begun   chan struct{}
	once    sync.Once
}

// lose notes that messages may have been lost.
func (s *subscription) lose() {
	s.lost.Store(true)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// listen fills the queue, over all connections that it takes.
func (s *subscription) listen(ctx context.Context) {
	for again := false; ctx.Err() == nil; again = true {
		hooked := rueidis.WithOnSubscriptionHook(ctx, func(p rueidis.PubSubSubscription) {
			if p.Kind != "subscribe" {
				return
			}
			if again {
				s.lose()
			}
			s.once.Do(func() { close(s.begun) })
		})
		_ = s.client.Receive(hooked, s.client.B().Subscribe().Channel(s.channel).Build(), func(m rueidis.PubSubMessage) {
			select {
			case s.queue <- []byte(m.Message):
			default:
				s.lose()
			}
		})
		select {
		case <-ctx.Done():
		case <-time.After(s.cache.opt.Probe):
		}
	}
}

// deliver empties the queue.
func (s *subscription) deliver(ctx context.Context, hear func([]byte)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			if s.lost.Swap(false) {
				hear(nil)
			}
		case m := <-s.queue:
			hear(m)
		}
	}
}
