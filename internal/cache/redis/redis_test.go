package redis_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/goleak"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/cache/cachetest"
	"github.com/lukasa-memory/lukasa/internal/cache/redis"
	"github.com/lukasa-memory/lukasa/internal/pubsub/pubsubtest"
)

var _ pubsubtest.Relay = (*redis.Cache)(nil)

// given is the URL of the server that the environment names.
func given(t testing.TB) string {
	t.Helper()
	url := os.Getenv("LUKASA_TEST_REDIS")
	if url == "" {
		t.Skip("needs redis: set LUKASA_TEST_REDIS or run make servers")
	}
	if !strings.Contains(url, "://") {
		url = "redis://" + url
	}
	return url
}

// prefix is one that no other test uses; it holds what patterns of the server would read as more than itself.
func prefix(t testing.TB) string {
	return fmt.Sprintf("lukasa*[t]?%d:%d:", os.Getpid(), time.Now().UnixNano()) + strings.ReplaceAll(t.Name(), " ", "_") + ":"
}

// open returns a cache that waits long enough for a machine that is busy with other tests, and empties it at the end.
func open(t testing.TB, opt redis.Options) *redis.Cache {
	t.Helper()
	opt.Timeout = cmp.Or(opt.Timeout, 5*time.Second)
	opt.Log = slog.New(slog.DiscardHandler)
	c, err := redis.New(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// shiftScript moves the expiry of all keys under a prefix nearer: ARGV is the prefix and the milliseconds.
const shiftScript = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  if string.sub(key, 1, #ARGV[1]) == ARGV[1] then
    redis.call('PEXPIRE', key, redis.call('PTTL', key) - tonumber(ARGV[2]))
  end
end
return 0`

// raw is a client beside the driver.
func raw(t testing.TB, url string) rueidis.Client {
	t.Helper()
	o, err := rueidis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	o.DisableCache, o.ForceSingleClient = true, true
	c, err := rueidis.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// H-19. Time passes by moving the expiry of what the server holds, so that the suite need not wait for it.
func TestConformance(t *testing.T) {
	t.Parallel()
	url := given(t)
	client := raw(t, url)
	cachetest.Run(t, func(t *testing.T) cachetest.Bench {
		p := prefix(t)
		advance := func(d time.Duration) {
			r := client.Do(context.Background(), client.B().Eval().Script(shiftScript).Numkeys(0).Arg(p, fmt.Sprint(d.Milliseconds())).Build())
			if err := r.Error(); err != nil {
				t.Fatal(err)
			}
		}
		return cachetest.Bench{Cache: open(t, redis.Options{URL: url, Prefix: p}), Advance: advance, TTL: 5 * time.Minute}
	})
}

func TestRelayConformance(t *testing.T) {
	t.Parallel()
	url, p := given(t), prefix(t)
	pubsubtest.Run(t, func(t *testing.T) pubsubtest.Relay { return open(t, redis.Options{URL: url, Prefix: p}) })
}

// TestRealTime: the server's own clock ends an entry.
func TestRealTime(t *testing.T) {
	t.Parallel()
	c := open(t, redis.Options{URL: given(t), Prefix: prefix(t)})
	c.Set(t.Context(), "k", []byte("v"), 300*time.Millisecond)
	c.Set(t.Context(), "below a millisecond", []byte("v"), 900*time.Microsecond)
	if _, ok := c.Get(t.Context(), "below a millisecond"); ok {
		t.Error("an entry that may not live for a millisecond is there")
	}
	<-time.After(310 * time.Millisecond)
	if _, ok := c.Get(t.Context(), "k"); ok {
		t.Error("an entry is there after its time")
	}
}

// TestNodes: two nodes share entries, and what one deletes no other serves.
func TestNodes(t *testing.T) {
	t.Parallel()
	url, p := given(t), prefix(t)
	a, b, stranger := open(t, redis.Options{URL: url, Prefix: p}), open(t, redis.Options{URL: url, Prefix: p}), open(t, redis.Options{URL: url, Prefix: p + "x:"})
	ctx := t.Context()
	for i := range 500 {
		value := fmt.Append(nil, i)
		a.Set(ctx, "k", value, time.Minute)
		if got, ok := b.Get(ctx, "k"); !ok || !bytes.Equal(got, value) {
			t.Fatalf("the other node sees %q, %v, want %q", got, ok, value)
		}
		if _, ok := stranger.Get(ctx, "k"); ok {
			t.Fatal("another installation sees it")
		}
		if err := a.Delete(ctx, "k"); err != nil {
			t.Fatal(err)
		}
		if got, ok := b.Get(ctx, "k"); ok {
			t.Fatalf("after Delete the other node sees %q", got)
		}
	}
}

// TestEmpty: one node forgets what all have set, and nothing else.
func TestEmpty(t *testing.T) {
	t.Parallel()
	url, p := given(t), prefix(t)
	a, b, stranger := open(t, redis.Options{URL: url, Prefix: p}), open(t, redis.Options{URL: url, Prefix: p}), open(t, redis.Options{URL: url, Prefix: strings.Replace(p, "*", "z", 1)})
	ctx := t.Context()
	for i := range 2500 {
		a.Set(ctx, fmt.Sprint(i), []byte("v"), time.Minute)
	}
	stranger.Set(ctx, "k", []byte("v"), time.Minute)
	if _, _, err := a.Take(ctx, cache.Bucket{Key: "k", PerMinute: 1, Burst: 1}); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Empty(ctx); n != 2500 || err != nil {
		t.Fatalf("Empty = %d, %v, want 2500", n, err)
	}
	if _, ok := a.Get(ctx, "7"); ok {
		t.Error("an entry is left")
	}
	if _, ok := stranger.Get(ctx, "k"); !ok {
		t.Error("another installation's entry is gone")
	}
	if empty, _, err := a.Take(ctx, cache.Bucket{Key: "k", PerMinute: 1, Burst: 1}); empty != 0 || err != nil {
		t.Error("the buckets are gone")
	}
	if n, err := b.Empty(ctx); n != 0 || err != nil {
		t.Errorf("Empty of nothing = %d, %v", n, err)
	}
}

func TestBadAddress(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "localhost:6379", "http://localhost", "redis://:secret@host:x1/0", "redis://host/secret", "redis://host/1/2", "redis://host/-1",
		"redis://u:secret@host?addr=other:1", "redis://u:secret@host?master_set=m", "redis://u:sec ret@host\x7f", "unix://relative",
	} {
		c, err := redis.New(t.Context(), redis.Options{URL: url})
		if err == nil {
			_ = c.Close()
			t.Errorf("%q is taken", url)
			continue
		}
		if lukasa.CodeOf(err) != lukasa.CodeInvalid || !strings.Contains(fmt.Sprint(err), "cache.url") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// server is a Redis of the test's own.
type server struct {
	port, dir string
	cmd       *exec.Cmd
}

func newServer(t *testing.T) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("needs redis: the program redis-server is not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a free port, for a moment
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	return &server{port: port, dir: t.TempDir()}
}

func (s *server) url() string { return "redis://default:pa%40ss@127.0.0.1:" + s.port + "/3" }

func (s *server) start(t *testing.T, more ...string) {
	t.Helper()
	args := append([]string{"--bind", "127.0.0.1", "--port", s.port, "--dir", s.dir, "--save", "", "--appendonly", "no", "--requirepass", "pa@ss"}, more...)
	s.cmd = exec.CommandContext(context.Background(), "redis-server", args...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd := s.cmd
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	within(t, "the server starts", func() bool {
		conn, err := net.DialTimeout("tcp", "127.0.0.1:"+s.port, time.Second) //nolint:noctx // has a timeout
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}

func works(c *redis.Cache) func() bool {
	return func() bool {
		c.Set(context.Background(), "probe", []byte("v"), time.Minute)
		_, ok := c.Get(context.Background(), "probe")
		return ok
	}
}

// TestAwayAtStart: a server that comes later is found, with the password and database of the URL.
func TestAwayAtStart(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := open(t, redis.Options{URL: s.url(), Prefix: "p:", Probe: 20 * time.Millisecond})
	if _, ok := c.Get(t.Context(), "k"); ok {
		t.Fatal("a hit without a server")
	}
	if err := c.Delete(t.Context(), "k"); err == nil {
		t.Error("Delete succeeds without a server")
	}
	if _, _, err := c.Take(t.Context(), cache.Bucket{Key: "k", PerMinute: 1, Burst: 1}); err == nil {
		t.Error("Take succeeds without a server")
	}
	s.start(t)
	within(t, "the cache works", works(c))
	client := raw(t, s.url())
	if n, err := client.Do(t.Context(), client.B().Exists().Key("p:cache:probe").Build()).AsInt64(); n != 1 || err != nil {
		t.Errorf("the key is not in database 3: %d, %v", n, err)
	}
}

// TestKilledUnderLoad: while the server is killed and started again and again, no call takes long, none invents a value, and
// in the end the cache works. A dead server costs microseconds.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start(t)
	const timeout = 300 * time.Millisecond
	c := open(t, redis.Options{URL: s.url(), Timeout: timeout, Probe: 20 * time.Millisecond})
	within(t, "the cache works", works(c))
	stop := make(chan struct{})
	var slowest, calls atomic.Int64
	var load sync.WaitGroup
	for w := range 8 {
		load.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Sprint(w, i%50)
				begun := time.Now()
				c.Set(context.Background(), key, []byte(key), time.Minute)
				if got, ok := c.Get(context.Background(), key); ok && string(got) != key {
					t.Errorf("Get(%q) = %q", key, got)
				}
				took := int64(time.Since(begun))
				for old := slowest.Load(); took > old && !slowest.CompareAndSwap(old, took); old = slowest.Load() {
				}
				calls.Add(1)
			}
		})
	}
	for range 4 {
		<-time.After(100 * time.Millisecond)
		s.kill()
		within(t, "the cache knows", func() bool { return c.Delete(context.Background(), "x") != nil })
		<-time.After(100 * time.Millisecond)
		s.start(t)
		within(t, "the cache works again", works(c))
	}
	close(stop)
	load.Wait()
	// A pair of calls may time out one after the other; the rest is the noise of the machine.
	if got := time.Duration(slowest.Load()); got > 2*timeout+3*time.Second {
		t.Errorf("the slowest pair of calls took %v", got)
	}
	if c.Stats().Errors == 0 {
		t.Error("no error is counted")
	}
	t.Logf("%d pairs, the slowest took %v; %+v", calls.Load(), time.Duration(slowest.Load()), c.Stats())
	s.kill()
	within(t, "the cache knows", func() bool { return c.Delete(context.Background(), "x") != nil })
	const n = 10_000
	begun := time.Now()
	for range n {
		if _, ok := c.Get(t.Context(), "k"); ok {
			t.Fatal("a hit without a server")
		}
	}
	if each := time.Since(begun) / n; each > 100*time.Microsecond {
		t.Errorf("a miss without a server takes %v", each)
	} else {
		t.Logf("a miss without a server takes %v", each)
	}
}

// TestFrozen: a server that accepts and says nothing costs one timeout, and not one for each call.
func TestFrozen(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start(t)
	const timeout = 200 * time.Millisecond
	c := open(t, redis.Options{URL: s.url(), Timeout: timeout, DialTimeout: 500 * time.Millisecond, Probe: 50 * time.Millisecond})
	within(t, "the cache works", works(c))
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for range 2000 {
		if _, ok := c.Get(t.Context(), "probe"); ok {
			t.Fatal("a hit from a server that stands still")
		}
	}
	if took := time.Since(begun); took < timeout/2 || took > timeout+time.Second {
		t.Errorf("2000 calls took %v", took)
	}
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	within(t, "the cache works again", works(c))
}

// TestCallerGivesUp: a caller that has no time left says nothing about the server.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	c := open(t, redis.Options{URL: given(t), Prefix: prefix(t), Probe: time.Hour})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := c.Get(over, "k"); ok {
		t.Error("a hit after the end")
	}
	if err := c.Delete(over, "k"); err == nil {
		t.Error("Delete succeeds after the end")
	}
	if !works(c)() {
		t.Error("the server is taken for away")
	}
}

// TestFull: where the server has no room for the new value, no older one is left.
func TestFull(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start(t, "--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
	c := open(t, redis.Options{URL: s.url()})
	c.Set(t.Context(), "k", []byte("old"), time.Minute)
	for i := range 20 {
		c.Set(t.Context(), fmt.Sprint(i), make([]byte, 1<<20), time.Minute)
	}
	if _, ok := c.Get(t.Context(), "k"); !ok {
		t.Fatal("the first value is not there")
	}
	c.Set(t.Context(), "k", []byte("new"), time.Minute)
	if got, ok := c.Get(t.Context(), "k"); ok && string(got) == "old" {
		t.Error("the old value is served after a Set")
	}
	c.Set(t.Context(), "k", make([]byte, 9<<20), time.Minute)
	if got, ok := c.Get(t.Context(), "k"); ok {
		t.Errorf("%d bytes are served after a Set of what is too large", len(got))
	}
	if c.Stats().Errors == 0 {
		t.Error("what the server refused is not counted")
	}
}

// TestRelayAfterRestart: a subscription outlives its server, and says that it may have missed something.
func TestRelayAfterRestart(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start(t)
	c := open(t, redis.Options{URL: s.url(), Probe: 20 * time.Millisecond})
	late := newServer(t)
	d := open(t, redis.Options{URL: late.url(), Probe: 20 * time.Millisecond, DialTimeout: 100 * time.Millisecond})
	var gaps, lateGaps, heard, lateHeard atomic.Int64
	count := func(gaps, heard *atomic.Int64) func([]byte) {
		return func(m []byte) {
			if m == nil {
				gaps.Add(1)
			} else {
				heard.Add(1)
			}
		}
	}
	if err := c.Subscribe(t.Context(), "news", count(&gaps, &heard)); err != nil {
		t.Fatal(err)
	}
	if err := d.Subscribe(t.Context(), "news", count(&lateGaps, &lateHeard)); err != nil {
		t.Fatal(err)
	}
	s.kill()
	within(t, "Publish fails", func() bool { return c.Publish(context.Background(), "news", []byte("m")) != nil })
	s.start(t)
	late.start(t)
	within(t, "the listener is told of the gap", func() bool { return gaps.Load() > 0 && lateGaps.Load() > 0 })
	before := heard.Load()
	within(t, "messages are heard again", func() bool {
		_ = c.Publish(context.Background(), "news", []byte("m"))
		_ = d.Publish(context.Background(), "news", []byte("m"))
		return heard.Load() > before && lateHeard.Load() > 0
	})
}

// A cache that is closed leaves no goroutine, whatever it was doing, and its calls fail as if the server were away.
func TestClose(t *testing.T) { //nolint:paralleltest // counts the goroutines of the process
	s := newServer(t)
	s.start(t)
	before := goleak.IgnoreCurrent()
	c := open(t, redis.Options{URL: s.url(), Probe: 20 * time.Millisecond})
	if err := c.Subscribe(t.Context(), "news", func([]byte) {}); err != nil {
		t.Fatal(err)
	}
	away := open(t, redis.Options{URL: "redis://127.0.0.1:1", Probe: 20 * time.Millisecond})
	c.Set(t.Context(), "k", []byte("v"), time.Minute)
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_ = away.Close()
	if _, ok := c.Get(t.Context(), "k"); ok {
		t.Error("a hit after Close")
	}
	if c.Delete(t.Context(), "k") == nil || c.Subscribe(t.Context(), "news", func([]byte) {}) == nil {
		t.Error("a call succeeds after Close")
	}
	goleak.VerifyNone(t, before)
}

// TestTLS: rediss:// checks the server's certificate, unless it is told not to.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("needs openssl: the program is not installed")
	}
	key, cert := filepath.Join(s.dir, "key.pem"), filepath.Join(s.dir, "cert.pem")
	out, err := exec.CommandContext(t.Context(), "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert,
		"-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1").CombinedOutput()
	if err != nil {
		t.Fatalf("openssl: %v\n%s", err, out)
	}
	plain := newServer(t)
	s.port, plain.port = plain.port, s.port
	s.start(t, "--tls-port", plain.port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no")
	url := "rediss://default:pa%40ss@127.0.0.1:" + plain.port
	if works(open(t, redis.Options{URL: url}))() {
		t.Error("a certificate of nobody is trusted")
	}
	within(t, "the cache works over TLS", works(open(t, redis.Options{URL: url + "?skip_verify=true", Probe: 20 * time.Millisecond})))
}

func BenchmarkGet(b *testing.B) {
	c := open(b, redis.Options{URL: given(b), Prefix: prefix(b)})
	c.Set(b.Context(), "k", make([]byte, 10_000), time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get(b.Context(), "k"); !ok {
			b.Fatal("miss")
		}
	}
}

func BenchmarkTake(b *testing.B) {
	c := open(b, redis.Options{URL: given(b), Prefix: prefix(b)})
	user, key := cache.Bucket{Key: "u", PerMinute: 1 << 30, Burst: 1 << 30}, cache.Bucket{Key: "k", PerMinute: 1 << 30, Burst: 1 << 30}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := c.Take(b.Context(), user, key); err != nil {
			b.Fatal(err)
		}
	}
}
