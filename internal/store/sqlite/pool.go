package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
)

// ErrClosed says that a pool has been closed.
var ErrClosed = errors.New("closed")

// Pool keeps read connections, the one used last on top.
type Pool struct {
	slots chan struct{}
	open  func() (*Conn, error)

	mu     sync.Mutex
	idle   []*Conn
	closed bool
}

// With lends fn a connection. It waits for one while all are out.
func (p *Pool) With(ctx context.Context, fn func(*Conn) error) error {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.slots }()
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := p.take()
	if err != nil {
		return err
	}
	sound := false
	defer func() { p.give(c, sound) }()
	err = fn(c)
	sound = !Broken(err)
	return err
}

func (p *Pool) take() (*Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	c, err := p.open()
	if err != nil {
		return nil, fmt.Errorf("open a read connection: %w", err)
	}
	return c, nil
}

func (p *Pool) give(c *Conn, sound bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !sound || p.closed {
		_ = c.Close() // its view has the error that made it unsound; after Close nobody listens
		return
	}
	p.idle = append(p.idle, c)
}

// Trim closes the connections that nobody uses, with the pages that they keep. More are opened as they are needed.
func (p *Pool) Trim() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		_ = c.Close() // it was only read from
	}
}

// Close waits for the connections that are out, and closes all.
func (p *Pool) Close() error {
	var errs []error
	p.mu.Lock()
	p.closed = true
	for _, c := range p.idle {
		errs = append(errs, c.Close())
	}
	p.idle = nil
	p.mu.Unlock()
	for range cap(p.slots) { // wait for the views under way
		p.slots <- struct{}{}
	}
	for range cap(p.slots) {
		<-p.slots
	}
	return errors.Join(errs...)
}

// NewPool makes a pool of up to n connections, which are opened as they are needed.
func NewPool(n int, open func() (*Conn, error)) *Pool {
	return &Pool{slots: make(chan struct{}, n), open: open}
}

// URI returns the address of a file for [Open].
func URI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/...
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// Alone is [URI] for a process that keeps the file to itself, and so needs no file beside it that connections share: what they share is in memory.
// While it has the file open no other process may, and the other way round; and all connections of the process have to be opened so. Windows has
// no such way.
func Alone(path string) string { return URI(path) + "?vfs=unix-excl" }
