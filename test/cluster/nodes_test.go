package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The keys of the installation, the same on all nodes.
const (
	adminKey  = "sk_cluster_admin_0123456789"
	masterKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
)

// build makes the program that all nodes run.
func build(t *testing.T, root string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "lukasa")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "./cmd/lukasa")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// node is a `lukasa serve` with a data directory of its own, which it keeps over its lives.
type node struct {
	name string
	role string
	bin  string
	data string
	at   string // HOST:PORT
	env  []string
	log  *os.File

	mu    sync.Mutex
	cmd   *exec.Cmd // nil while it is dead
	ready atomic.Bool
}

func newNode(t *testing.T, s *servers, bin, name, role string, more ...string) *node {
	t.Helper()
	n := &node{name: name, role: role, bin: bin, data: filepath.Join(s.dir, name), at: "127.0.0.1:" + port(t)}
	var err error
	if n.log, err = os.Create(filepath.Join(s.dir, name+".log")); err != nil {
		t.Fatal(err)
	}
	n.env = append(os.Environ(),
		"LUKASA_MASTER_KEY="+masterKey, "LUKASA_API_KEY="+adminKey, "LUKASA_ROLE="+role, "LUKASA_LOG_FORMAT=json",
		"LUKASA_STORE_PROVIDER=postgres", "LUKASA_STORE_URL="+s.primary, "LUKASA_STORE_REPLICA_URL="+s.replica, "LUKASA_STORE_SCHEMA=chaos",
		"LUKASA_CACHE_PROVIDER=redis", "LUKASA_CACHE_URL="+s.redis,
		"LUKASA_RATE_LIMIT=0", "LUKASA_USER_REQUESTS=0", "LUKASA_USER_SESSIONS=0",
	)
	if u, err := url.Parse(s.s3); s.s3 != "" && err == nil {
		secret, _ := u.User.Password()
		n.env = append(n.env, "LUKASA_BLOB_PROVIDER=s3", "LUKASA_BLOB_URL=http://"+u.Host, "LUKASA_BLOB_BUCKET="+strings.Trim(u.Path, "/"),
			"LUKASA_BLOB_ACCESS_KEY="+u.User.Username(), "LUKASA_BLOB_SECRET_KEY="+secret)
	}
	n.env = append(n.env, more...)
	t.Cleanup(func() { n.kill(); _ = n.log.Close() })
	return n
}

// shareFiles lets the node keep its sealed files in a folder that the others use, too.
func (n *node) shareFiles(t *testing.T, dir string) {
	t.Helper()
	for _, d := range []string{dir, n.data} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(n.data, "blobs")); err != nil {
		t.Fatal(err)
	}
}

// start begins a life of the node; it does not wait until it answers.
func (n *node) start() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	cmd := exec.Command(n.bin, "serve", "--data", n.data, "--listen", n.at)
	cmd.Stdout, cmd.Stderr, cmd.Env = n.log, n.log, n.env
	if err := cmd.Start(); err != nil {
		return err
	}
	n.cmd = cmd
	return nil
}

func (n *node) kill() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
	n.cmd = nil
}

// stop asks the node to end, and returns an error unless it does so cleanly.
func (n *node) stop() error {
	n.mu.Lock()
	cmd := n.cmd
	n.cmd = nil
	n.mu.Unlock()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(40*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	return cmd.Wait()
}

// await waits until the node says that it is ready.
func (n *node) await(ctx context.Context, within time.Duration) error {
	until := time.Now().Add(within)
	for !n.look(ctx) {
		if time.Now().After(until) || ctx.Err() != nil {
			return fmt.Errorf("%s is not ready after %v; see %s", n.name, within, n.log.Name())
		}
		pause(50 * time.Millisecond)
	}
	return nil
}

// greeting returns what the node says at its start, which it does soon after it is ready.
func (n *node) greeting() string {
	var text []byte
	for range 50 {
		if text, _ = os.ReadFile(n.log.Name()); bytes.Contains(text, []byte("role     "+n.role)) {
			break
		}
		pause(100 * time.Millisecond)
	}
	return string(text)
}

// look asks the node whether it is ready.
func (n *node) look(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	status, _, err := ask(ctx, "GET", "http://"+n.at+"/ready", "", nil)
	n.ready.Store(err == nil && status == http.StatusOK)
	return n.ready.Load()
}

// balancer is a plain TCP balancer: each connection goes to the next node that is ready, or that takes it at all.
type balancer struct {
	ln    net.Listener
	nodes []*node
	next  atomic.Uint32
}

func newBalancer(t *testing.T, nodes []*node) *balancer {
	t.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{ln: ln, nodes: nodes}
	ctx := t.Context()
	t.Cleanup(func() { _ = ln.Close() })
	for _, n := range nodes {
		go func() {
			for ctx.Err() == nil {
				n.look(ctx)
				pause(200 * time.Millisecond)
			}
		}()
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go b.carry(c)
		}
	}()
	return b
}

func (b *balancer) url() string { return "http://" + b.ln.Addr().String() }

// dial connects to a node: one that is ready, else any that listens, which then says itself what is wrong.
func (b *balancer) dial() (net.Conn, error) {
	first := int(b.next.Add(1))
	var err error
	for _, ready := range []bool{true, false} {
		for i := range b.nodes {
			n := b.nodes[(first+i)%len(b.nodes)]
			if n.ready.Load() != ready {
				continue
			}
			var c net.Conn
			if c, err = net.DialTimeout("tcp", n.at, time.Second); err == nil {
				return c, nil
			}
		}
	}
	return nil, err
}

func (b *balancer) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := b.dial()
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	both := make(chan struct{}, 2)
	pipe := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // a node that dies ends it
		if t, ok := to.(*net.TCPConn); ok {
			_ = t.CloseWrite()
		}
		both <- struct{}{}
	}
	go pipe(server, client)
	go pipe(client, server)
	<-both
	<-both
}

// pause waits for other processes.
func pause(d time.Duration) { <-time.After(d) }
