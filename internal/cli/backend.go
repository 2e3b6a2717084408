package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// backend is what commands call: a running server, or the data directory opened by this process.
type backend interface {
	client.Verbs
	// settle does the work that this process has to do before it ends; tick, if there is one, hears how many jobs are left.
	settle(ctx context.Context, tick func(left int)) error
	// server is the address of the server, "" where there is none.
	server() string
	close() error
}

const keyFile = "api.key" // written by the engine

// need says what a command wants of the data directory when it opens it itself.
type need int

const (
	toRead   need = iota // it must be there
	toChange             // it must be there, and there may be work to do before the command ends
	toWrite              // as toChange, but it is made if it is not there
)

// with opens the backend for fn and closes it again.
func (a *app) with(n need, fn func(b backend) error) error {
	b, err := a.open(n)
	if err != nil {
		return err
	}
	err = fn(b)
	if err == nil && n != toRead {
		err = b.settle(a.ctx, nil)
	}
	return errors.Join(err, b.close())
}

func (a *app) open(n need) (backend, error) {
	r, err := a.findServer()
	if err != nil {
		return nil, err
	}
	if r != nil {
		return r, nil
	}
	return a.openDir(n)
}

// findServer returns the server that is named or that runs on the data directory, nil if there is none.
func (a *app) findServer() (*remote, error) {
	if a.g.Server != "" {
		return a.namedServer()
	}
	return a.ownServer()
}

func (a *app) namedServer() (*remote, error) {
	key := a.loaded.Config.APIKey
	if u, err := url.Parse(a.g.Server); err == nil && key == "" && isLoopback(u.Hostname()) {
		key = a.savedKey() // it is not sent to other machines unasked
	}
	c, err := client.New(a.g.Server, client.Options{Key: key, Agent: a.agent()})
	if err != nil {
		return nil, err
	}
	return &remote{c}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (a *app) agent() string { return "lukasa/" + a.p.Version }

// savedKey returns the secret that the first start left for the command line.
func (a *app) savedKey() string {
	b, err := os.ReadFile(filepath.Join(a.loaded.Config.Data, keyFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// ownServer returns the server that wrote server.json and still answers, nil if there is none.
func (a *app) ownServer() (*remote, error) {
	s, ok := FindServer(a.loaded.Config.Data)
	if !ok {
		return nil, nil
	}
	h := s.Client()
	if !s.Answers(a.ctx, h) {
		return nil, nil
	}
	key := a.loaded.Config.APIKey
	if key == "" {
		key = a.savedKey()
	}
	c, err := client.New(s.Address, client.Options{Key: key, Agent: a.agent(), HTTP: h})
	if err != nil {
		return nil, err
	}
	return &remote{c}, nil
}

// openEngine opens the data directory in this process.
func (a *app) openEngine(n need, log *slog.Logger) (*engine.Engine, error) {
	dir := a.loaded.Config.Data
	_, err := os.Stat(dir)
	missing := errors.Is(err, fs.ErrNotExist)
	if missing && n != toWrite {
		return nil, &lukasa.Error{
			Code: lukasa.CodeNotFound, Msg: "there is no data directory at " + dir,
			Hint: "name it with --data or LUKASA_DATA; `lukasa add` and `lukasa serve` make one",
		}
	}
	e, err := engine.Open(a.ctx, a.loaded.Config, engine.Options{Log: log})
	if err != nil {
		return nil, err
	}
	if missing {
		a.note("made the data directory %s", dir)
	}
	return e, nil
}

func (a *app) openDir(n need) (backend, error) {
	log, err := a.logger()
	if err != nil {
		return nil, err
	}
	e, err := a.openEngine(n, log)
	if err != nil {
		return nil, err
	}
	sc, err := e.Local(a.ctx)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if e.Respaced() {
		fmt.Fprintln(a.p.Err, "another embedder is in force than before: making the vectors of what is kept anew")
		if err := e.Drain(a.ctx); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	return &local{Bound: e.As(sc), e: e, sc: sc}, nil
}

// logger is that of commands other than serve: warnings, as text, unless something else is asked for.
func (a *app) logger() (*slog.Logger, error) {
	level, format := a.loaded.Config.LogLevel, a.loaded.Config.LogFormat
	if a.loaded.Origin("log.level").Kind == "default" {
		level = "warn"
	}
	if format == "auto" {
		format = "text"
	}
	return telemetry.NewLogger(a.p.Err, level, format)
}

// remote is a server.
type remote struct{ *client.Client }

// RememberAll sends a single document by itself, as that may be a large file.
func (r *remote) RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	if len(in) == 1 {
		got, err := r.Remember(ctx, in[0])
		return []lukasa.Receipt{got}, []error{err}
	}
	return r.Client.RememberAll(ctx, in)
}

func (r *remote) settle(context.Context, func(int)) error { return nil }
func (r *remote) server() string                          { return r.Server() }
func (r *remote) close() error                            { return nil }

// verbs gives a server the shape that the MCP door wants.
type verbs struct{ client.Scoped }
