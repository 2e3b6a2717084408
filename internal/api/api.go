// Package api translates HTTP into engine calls and error codes into statuses; it owns the OpenAPI description.
//
// Everything but health, readiness and the description needs a key. The scope of a request comes from that key alone; a
// request can only narrow it.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/encode"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// Options tune the door. Zero values are useful.
type Options struct {
	Version string
	Timeout time.Duration // of a request; 0 means 30 s
	MaxBody int64         // bytes of a request; 0 means 10 MB
	Log     *slog.Logger
	Mint    func() string // request ids
	MCP     http.Handler  // served at /mcp behind the same keys
	Hold    time.Duration // how long a reader waits for a file to wake before it is told to come back; 0 means 2 s
	As      *lukasa.Scope // every request has this scope and needs no key: for a process that may open the data directory itself
	Role    string        // of the process: one that is a worker answers only those that look after it
	Leaving func() bool   // whether the process is about to stop: it is not ready any more; nil means never
	Origins Origins       // web pages that may ask from a browser; nil means none
}

type door struct {
	e   *engine.Engine
	opt Options
	api huma.API
	mux *patternMux
}

// New returns the handler of the whole HTTP door.
func New(e *engine.Engine, o Options) http.Handler {
	d := newDoor(e, o)
	return d.wrap(d.mux)
}

// OpenAPI returns the description of the API as JSON, for the docs.
func OpenAPI(version string) ([]byte, error) {
	d := newDoor(nil, Options{Version: version})
	return json.MarshalIndent(d.api.OpenAPI(), "", " ")
}

func newDoor(e *engine.Engine, o Options) *door {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxBody == 0 {
		o.MaxBody = 10 << 20
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	d := &door{e: e, opt: o, mux: &patternMux{}}
	d.api = humago.New(d.mux, apiConfig(o.Version))
	d.documents()
	d.memories()
	d.history()
	d.messages()
	d.search()
	d.briefs()
	d.chats()
	d.recallFiles()
	d.registerTimeline()
	d.moments()
	d.nodes()
	d.tree()
	d.graph()
	d.accounts()
	d.organisations()
	d.grants()
	d.lifecycle()
	d.system()
	d.imports()
	d.streams()
	d.v3()
	d.api.OpenAPI().Components.Schemas.Map()["ErrorModel"] = d.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Fault](), false, "")
	describe(d.api.OpenAPI())
	d.mux.HandleFunc("/", d.mux.Lost)
	return d
}

func apiConfig(version string) huma.Config {
	c := huma.DefaultConfig("lukasa", version)
	c.Info.Description = "The memory that AI agents keep: everything verbatim, what matters distilled, the right few lines back."
	c.Info.License = &huma.License{Name: "MIT"}
	c.CreateHooks, c.DocsPath, c.SchemasPath = nil, "", ""
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	c.FieldsOptionalByDefault = true
	out := &pages{encode: encode.New(false)}
	plain := huma.Format{Marshal: out.send, Unmarshal: readJSON}
	c.Formats = map[string]huma.Format{"application/json": plain, "json": plain}
	own := func(ctx huma.Context, _ string, v any) (any, error) { return ownErrors(ctx, c.Components.Schemas, v) }
	c.Transformers = []huma.Transformer{own, out.write}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer", Description: "An API key, sk_…"}}
	c.Security = []map[string][]string{{"key": {}}}
	return c
}

type scopeKey struct{}

// scope returns the scope that the key of this request gave.
func scope(ctx context.Context) lukasa.Scope {
	sc, _ := ctx.Value(scopeKey{}).(lukasa.Scope)
	return sc
}

// ScopeOf returns the scope that the door put into a request's context, for handlers that it serves.
func ScopeOf(ctx context.Context) lukasa.Scope { return scope(ctx) }

// open lists what is served without a key.
func open(path string) bool {
	switch path {
	case "/", "/health", "/ready", "/openapi.json", "/openapi.yaml":
		return true
	}
	return false
}

// endless lists what may take longer than a request's time.
func endless(r *http.Request) bool {
	switch r.URL.Path {
	case "/v1/events", "/v1/export", "/v1/import", "/v1/import/items", "/v1/chat", "/v1/rederive", "/v1/doctor", "/mcp":
		return true
	}
	return r.Method == http.MethodDelete && (strings.HasPrefix(r.URL.Path, "/v1/nodes/") || strings.HasPrefix(r.URL.Path, "/v1/users/") || r.URL.Path == "/v1/trash")
}

// wrap adds what every request has: an id, a log line, metrics, recovery, a time limit, a body limit, the key and its limit.
func (d *door) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := RequestID(r, d.opt.Mint)
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		rec := &Recorder{ResponseWriter: w, Status: http.StatusOK}
		ctx, asked := sqlrows.WithCount(telemetry.WithRequest(r.Context(), id))
		if !endless(r) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, d.opt.Timeout)
			defer cancel()
			r.Body = http.MaxBytesReader(w, r.Body, d.opt.MaxBody)
		} else {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		}
		r = r.WithContext(ctx)
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic value, not an error
				d.opt.Log.ErrorContext(ctx, "panic in a handler", "panic", p, "stack", string(debug.Stack()))
				WriteError(rec, r, errors.New("panic"))
			}
			_, route := d.mux.Handler(r)
			d.e.Metrics().Request(route, r.Method, rec.Status, time.Since(began))
			d.opt.Log.DebugContext(ctx, "request", "method", r.Method, "path", r.URL.Path, "status", rec.Status, "took", time.Since(began), "statements", asked.Load())
		}()
		preflight := d.opt.Origins.Greet(rec, r, d.mux.Methods)
		if err := errors.Join(d.serves(r), Plainly(r)); err != nil {
			WriteError(rec, r, err)
			return
		}
		if preflight || r.Method == http.MethodOptions {
			d.mux.Asks(rec, r)
			return
		}
		ctx, err := d.admit(ctx, r)
		if err != nil {
			WriteError(rec, r, err)
			return
		}
		inner := r.WithContext(ctx)
		next.ServeHTTP(rec, inner)
		if inner.MultipartForm != nil { // net/http removes the files of the form of the request that it knows
			_ = inner.MultipartForm.RemoveAll()
		}
	})
}

// admit finds the scope of the request's key and takes one request from its bucket.
func (d *door) admit(ctx context.Context, r *http.Request) (context.Context, error) {
	if d.opt.As != nil {
		return context.WithValue(ctx, scopeKey{}, *d.opt.As), nil
	}
	if open(r.URL.Path) {
		if r.URL.Path != "/health" && r.URL.Path != "/ready" || Secret(r) == "" {
			return ctx, nil
		}
		if sc, err := d.e.Scope(ctx, Secret(r)); err == nil { // they tell more with a key
			ctx = context.WithValue(ctx, scopeKey{}, sc)
		}
		return ctx, nil
	}
	ctx = engine.WithAddress(ctx, Address(r))
	sc, err := d.e.Scope(ctx, Secret(r))
	if err != nil {
		return ctx, err
	}
	if err := d.e.Allow(sc); err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, scopeKey{}, sc), nil
}
