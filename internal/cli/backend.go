package cli

import (
	"context"
	"errors"
	"io"
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
	documents
	records
	accounts
	upkeep
}

type documents interface {
	RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error)
	Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error)
	Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error)
	Chunks(ctx context.Context, id lukasa.ID) ([]lukasa.Chunk, error)
	Versions(ctx context.Context, id lukasa.ID) ([]lukasa.Document, error)
	Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error)
	PatchDocument(ctx context.Context, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error)
	DeleteDocument(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

type records interface {
	memories
	Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error)
	Conversations(ctx context.Context, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error)
	Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error)
	Node(ctx context.Context, idOrPath string) (lukasa.Node, error)
	DeleteNode(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

type memories interface {
	AddMemory(ctx context.Context, in lukasa.NewMemory) (lukasa.Memory, error)
	Memory(ctx context.Context, id lukasa.ID) (lukasa.Memory, error)
	Memories(ctx context.Context, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error)
	PatchMemory(ctx context.Context, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error)
	DeleteMemory(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

type accounts interface {
	WhoAmI(ctx context.Context) (lukasa.User, lukasa.Key, error)
	CreateKey(ctx context.Context, k lukasa.Key) (lukasa.Key, string, error)
	Keys(ctx context.Context, all bool) ([]lukasa.Key, error)
	RevokeKey(ctx context.Context, id lukasa.ID) (lukasa.Key, error)
	CreateUser(ctx context.Context, u lukasa.User) (lukasa.User, error)
	Users(ctx context.Context) ([]lukasa.User, error)
	DeleteUser(ctx context.Context, id lukasa.ID) (lukasa.Removal, error)
}

type upkeep interface {
	Stats(ctx context.Context) (lukasa.Stats, error)
	Health(ctx context.Context) (client.Health, error)
	Doctor(ctx context.Context, repair bool) ([]string, error)
	Export(ctx context.Context, in []lukasa.Pattern, w io.Writer) error
	Import(ctx context.Context, r io.Reader) (client.Imported, error)
	// settle waits for work that this process has to do before it ends.
	settle(ctx context.Context) error
	// server is the address of the server, "" where there is none.
	server() string
	close() error
}

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
		err = b.settle(a.ctx)
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
	s, ok := readServerFile(a.loaded.Config.Data)
	if !ok {
		return nil, nil
	}
	h := s.client()
	if !s.answers(a.ctx, h) {
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
	return &local{e: e, sc: sc}, nil
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

func (r *remote) settle(context.Context) error { return nil }
func (r *remote) server() string               { return r.Server() }
func (r *remote) close() error                 { return nil }

// verbs gives a server the shape that the MCP door wants.
type verbs struct{ *client.Client }

func (v verbs) Remember(ctx context.Context, _ lukasa.Scope, in lukasa.NewDocument) (lukasa.Receipt, error) {
	return v.Client.Remember(ctx, in)
}

func (v verbs) Search(ctx context.Context, _ lukasa.Scope, q lukasa.Query) (lukasa.Result, error) {
	return v.Client.Search(ctx, q)
}

func (v verbs) Nodes(ctx context.Context, _ lukasa.Scope, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return v.Client.Nodes(ctx, in)
}

func (v verbs) Node(ctx context.Context, _ lukasa.Scope, idOrPath string) (lukasa.Node, error) {
	return v.Client.Node(ctx, idOrPath)
}

func (v verbs) WhoAmI(ctx context.Context, _ lukasa.Scope) (lukasa.User, lukasa.Key, error) {
	return v.Client.WhoAmI(ctx)
}
