// Package redis keeps a cache in a Redis server, or one that speaks like it (Valkey, KeyDB), so that several nodes share it.
//
// A server that is away costs nothing but speed: the first call that finds out fails within [Options.Timeout], and all calls
// after it miss at once, until a probe in the background has reached the server again.
//
// There is no copy of entries in this process. Redis can tell clients which keys have changed (client-side caching),
// but it tells them later than it answers the one who changed them: for a moment after Delete has returned on one node another would
// still serve what it had copied, and the port promises that none does.
package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
)

const (
	// maxValue is the largest value that is sent to the server, in bytes.
	maxValue = 8 << 20

	// maxTTL keeps expiry times within what the server can hold.
	maxTTL = 10 * 365 * 24 * time.Hour

	// buffer is what a connection reads and writes at once, in bytes.
	buffer = 64 << 10
)

// errAway is what calls get while the server is known to be away.
var errAway = errors.New("the cache server does not answer")

// Options of a cache in Redis. Only URL is needed.
type Options struct {
	// URL is redis://USER:PASSWORD@HOST:PORT/DB, rediss:// for TLS, or unix:///PATH?db=DB.
	URL string

	// Prefix begins every key and channel; installations that share a server need different ones. "" means "lukasa:".
	Prefix string

	// Timeout bounds each call. 0 means 100 ms.
	Timeout time.Duration

	// DialTimeout bounds a connection's making, which callers never wait for longer than Timeout. 0 means 1 s.
	DialTimeout time.Duration

	// Probe is how often a server that is away is asked whether it is back. 0 means 500 ms.
	Probe time.Duration

	// TLS replaces what rediss:// means by itself: TLS 1.2 or better, and the authorities that the machine trusts.
	TLS *tls.Config

	// Now is the clock of the buckets. nil means the server's, which all nodes share.
	Now func() time.Time

	Log *slog.Logger // nil means slog.Default
}

// Cache is a [cache.Cache] and a [cache.Limiter] in Redis. It can carry messages between nodes as well.
type Cache struct {
	opt    Options
	client rueidis.Client
	dial   rueidis.ClientOption

	hits, misses, errors atomic.Uint64

	ctx  context.Context // of the cache: ends with Close
	stop context.CancelFunc

	away atomic.Bool // the server is known to be away, and a probe runs

	mu     sync.Mutex     // guards what follows
	closed bool           // no goroutine begins any more
	ears   rueidis.Client // what subscriptions listen with; nil before the first
	work   sync.WaitGroup // goroutines under way
}

var (
	_ cache.Cache   = (*Cache)(nil)
	_ cache.Limiter = (*Cache)(nil)
	_ cache.Emptier = (*Cache)(nil)
)

// New returns a cache. An address that cannot be one is an error; a server that does not answer is not: it is told to the
// log and asked again in the background.
func New(ctx context.Context, opt Options) (*Cache, error) {
	dial, err := parse(opt.URL)
	if err != nil {
		return nil, err
	}
	if opt.Prefix == "" {
		opt.Prefix = "lukasa:"
	}
	opt.Timeout, opt.DialTimeout, opt.Probe = or(opt.Timeout, 100*time.Millisecond), or(opt.DialTimeout, time.Second), or(opt.Probe, 500*time.Millisecond)
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.TLS != nil {
		dial.TLSConfig = opt.TLS
	}
	dial.ForceSingleClient, dial.DisableCache, dial.DisableRetry = true, true, true
	dial.PipelineMultiplex = -1 // one connection: what is sent first is done first
	dial.Dialer = net.Dialer{Timeout: opt.DialTimeout, KeepAlive: time.Second}
	dial.ConnWriteTimeout = max(opt.Timeout, opt.DialTimeout)
	dial.ReadBufferEachConn, dial.WriteBufferEachConn = buffer, buffer
	c := &Cache{opt: opt, dial: dial}
	c.ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	client, err := rueidis.NewClient(dial)
	if client == nil {
		c.stop()
		return nil, fmt.Errorf("make redis client: %w", err)
	}
	c.client = client
	if err == nil {
		err = c.ping()
	}
	if err != nil {
		c.leave(err)
	}
	return c, nil
}

func or(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// parse reads an address. Its errors never show the password.
func parse(url string) (rueidis.ClientOption, error) {
	bad := func(msg string) (rueidis.ClientOption, error) {
		return rueidis.ClientOption{}, &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "cache.url", Msg: msg,
			Hint: "it is redis://USER:PASSWORD@HOST:PORT/DB, or rediss:// for TLS; characters like @ and / in a password are percent-encoded",
		}
	}
	scheme, rest, _ := strings.Cut(url, "://")
	switch {
	case url == "":
		return bad("is missing")
	case scheme != "redis" && scheme != "rediss" && scheme != "unix":
		return bad("does not begin with redis://, rediss:// or unix://")
	case scheme == "unix" && !strings.HasPrefix(rest, "/") && !strings.Contains(rest, "@/"):
		return bad("names no absolute path of a socket")
	}
	o, err := rueidis.ParseURL(url)
	switch {
	case err != nil:
		return bad("is not an address of a Redis server")
	case len(o.InitAddress) != 1 || o.Sentinel.MasterSet != "":
		return bad("names several servers, and one is needed")
	case o.SelectDB < 0:
		return bad("names a database below 0")
	}
	return o, nil
}

// do sends one command and returns its reply. The error says that there was none, or that the server refused.
func (c *Cache) do(ctx context.Context, command func(rueidis.Builder) rueidis.Completed) (rueidis.RedisResult, error) {
	if c.away.Load() {
		c.errors.Add(1)
		return rueidis.RedisResult{}, errAway
	}
	call, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	r := c.client.Do(call, command(c.client.B()))
	return r, c.judge(ctx, r)
}

// judge counts a failure, and takes the server for away where it was not the caller who gave up.
func (c *Cache) judge(ctx context.Context, r rueidis.RedisResult) error {
	err := r.Error()
	if err == nil || rueidis.IsRedisNil(err) {
		return nil
	}
	c.errors.Add(1)
	if r.NonRedisError() != nil && ctx.Err() == nil {
		c.leave(err)
	}
	return err
}

// leave notes that the server is away and begins to ask whether it is back.
func (c *Cache) leave(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !c.away.CompareAndSwap(false, true) {
		return
	}
	c.opt.Log.Warn("the cache server does not answer; searches go on without it", "err", why)
	since := time.Now()
	c.work.Go(func() {
		tick := time.NewTicker(c.opt.Probe)
		defer tick.Stop()
		for {
			select {
			case <-c.ctx.Done():
				return
			case <-tick.C:
			}
			if c.ping() == nil {
				c.away.Store(false)
				c.opt.Log.Info("the cache server answers again", "after", time.Since(since).Round(time.Millisecond))
				return
			}
		}
	})
}

// ping asks the server whether it works, and lets it take its time.
func (c *Cache) ping() error {
	ctx, cancel := context.WithTimeout(c.ctx, c.opt.DialTimeout)
	defer cancel()
	return c.client.Do(ctx, c.client.B().Ping().Build()).Error()
}

// name returns the server's name of an entry.
func (c *Cache) name(key string) string { return c.opt.Prefix + "cache:" + key }

// Get implements [cache.Cache].
func (c *Cache) Get(ctx context.Context, key string) ([]byte, bool) {
	r, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed { return b.Get().Key(c.name(key)).Build() })
	if err == nil {
		if value, err := r.AsBytes(); err == nil {
			c.hits.Add(1)
			return value, true
		}
	}
	c.misses.Add(1)
	return nil, false
}

// Set implements [cache.Cache]. Times to live are kept to the millisecond, cut short.
func (c *Cache) Set(ctx context.Context, key string, value []byte, ttl time.Duration) {
	ms := min(ttl, maxTTL).Milliseconds()
	if ms > 0 && len(value) <= maxValue {
		r, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed {
			return b.Set().Key(c.name(key)).Value(string(value)).PxMilliseconds(ms).Build()
		})
		if err == nil || r.NonRedisError() != nil || errors.Is(err, errAway) {
			return
		}
	}
	_ = c.Delete(ctx, key) // declined, here or there: nothing older may be left
}

// Delete implements [cache.Cache].
func (c *Cache) Delete(ctx context.Context, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = c.name(key)
	}
	if _, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed { return b.Del().Key(names...).Build() }); err != nil {
		return fmt.Errorf("delete from the cache server: %w", err)
	}
	return nil
}

// Empty implements [cache.Emptier]. It walks the keys of the database, a stretch at a time, so that others are not held up.
func (c *Cache) Empty(ctx context.Context) (int, error) {
	n, cursor := 0, uint64(0)
	pattern := literal(c.name("")) + "*"
	for {
		r, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed {
			return b.Scan().Cursor(cursor).Match(pattern).Count(1000).Build()
		})
		if err != nil {
			return n, fmt.Errorf("list the cache server's keys: %w", err)
		}
		page, err := r.AsScanEntry()
		if err != nil {
			return n, fmt.Errorf("list the cache server's keys: %w", err)
		}
		if len(page.Elements) > 0 {
			r, err := c.do(ctx, func(b rueidis.Builder) rueidis.Completed { return b.Unlink().Key(page.Elements...).Build() })
			if err != nil {
				return n, fmt.Errorf("empty the cache server: %w", err)
			}
			gone, _ := r.AsInt64()
			n += int(gone)
		}
		if cursor = page.Cursor; cursor == 0 {
			return n, nil
		}
	}
}

// literal quotes what a pattern of the server would read as more than itself.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `^`, `\^`).Replace(s)
}

// Stats implements [cache.Cache]. What the server holds is not known here.
func (c *Cache) Stats() cache.Stats {
	return cache.Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Errors: c.errors.Load()}
}

// Close implements [cache.Cache]. Entries stay with the server.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed = true
	ears := c.ears
	c.mu.Unlock()
	c.stop()
	c.away.Store(true) // later calls miss at once
	if ears != nil {
		ears.Close()
	}
	c.work.Wait()
	c.client.Close()
	return nil
}
