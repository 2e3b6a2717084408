package cli

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// inside carries the calls of a client to a door of this process, so that a command is written once: for a server and for a data
// directory that it opens itself.
type inside struct{ door http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t inside) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		req.Body = http.NoBody
	}
	w := &inner{status: http.StatusOK, header: http.Header{}}
	t.door.ServeHTTP(w, req)
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: req,
	}, nil
}

type inner struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (w *inner) Header() http.Header         { return w.header }
func (w *inner) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *inner) WriteHeader(status int)      { w.status = status }

// insideTime is the longest that one call of a command may take.
const insideTime = 12 * time.Hour

// api opens a server, or the data directory as one, for fn and closes it again.
func (a *app) api(n need, fn func(c *client.Client) error) error {
	return a.with(n, func(b backend) error {
		l, ok := b.(*local)
		if !ok {
			return fn(b.(*remote).Client)
		}
		door := api.New(l.e, api.Options{Version: a.p.Version, Timeout: insideTime, MaxBody: l.e.Config().MaxBody, As: &l.sc})
		c, err := client.New("http://inside", client.Options{HTTP: &http.Client{Transport: inside{door}}})
		if err != nil {
			return err
		}
		return fn(c)
	})
}

// then opens what is asked for reading: as it is, or, where a moment is named, as it was then.
func (a *app) then(asOf string, fn func(client.Verbs) error) error {
	at, err := Moment("--as-of", asOf)
	switch {
	case err != nil:
		return err
	case at.IsZero():
		return a.with(toRead, func(b backend) error { return fn(b) })
	}
	return a.api(toRead, func(c *client.Client) error { return fn(c.At(at)) })
}

// showDrawn shows a container or an entity.
func (a *app) showDrawn(kind lukasa.Prefix, name, asOf string) error {
	if kind == lukasa.PrefixEntity {
		return (&entityShowCmd{Name: []string{name}, AsOf: asOf}).Run(a)
	}
	return (&nodeShowCmd{Node: name, AsOf: asOf}).Run(a)
}

// running is a server, the one that is named or that of the data directory.
func (a *app) running(fn func(c *client.Client) error) error {
	r, err := a.findServer()
	switch {
	case err != nil:
		return err
	case r == nil:
		return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "no server runs on " + a.loaded.Config.Data, Hint: "`lukasa serve` starts one; --server URL names one elsewhere"}
	}
	return fn(r.Client)
}

// bar is the line of progress as commands use it.
func (a *app) bar() (show func(string, ...any), done func()) {
	p := a.progress()
	return p.Show, p.Done
}

// migrate carries a store to another place, unless the server of the directory at, if one is named, may write to it.
func (a *app) migrate(at string, m engine.Migration, notice func(engine.MigrationStep)) (engine.MigrationStep, error) {
	if s, ok := FindServer(at); ok && at != "" && s.Answers(a.ctx, s.Client()) {
		return engine.MigrationStep{}, &lukasa.Error{Code: lukasa.CodeConflict, Field: "--from", Msg: "a server runs on it at " + s.Address, Hint: "stop it first; with --force, what it writes meanwhile is left behind"}
	}
	return engine.Migrate(a.ctx, a.loaded.Config, m, notice)
}
