package cli

import (
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// local is the data directory, opened by this process.
type local struct {
	engine.Bound
	e  *engine.Engine
	sc lukasa.Scope
}

func (l *local) Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error) {
	rc, _, err := l.e.Content(ctx, l.sc, id, time.Time{})
	return rc, err
}

func (l *local) Health(ctx context.Context) (client.Health, error) {
	h := l.e.Health(ctx)
	out := client.Health{Status: h.Status, Checks: map[string]client.Check{}, Time: h.Time, Uptime: h.Uptime}
	for name, c := range h.Checks {
		out.Checks[name] = client.Check(c)
	}
	return out, nil
}

func (l *local) Export(ctx context.Context, in []lukasa.Pattern, w io.Writer) error {
	_, err := l.e.Export(ctx, l.sc, in, w, nil)
	return err
}

func (l *local) Import(ctx context.Context, r io.Reader) (client.Imported, error) {
	p, err := l.e.Import(ctx, l.sc, r, nil)
	return client.Imported(p), err
}

func (l *local) settle(ctx context.Context, tick func(int)) error { return l.e.DrainTelling(ctx, tick) }
func (l *local) server() string                                   { return "" }
func (l *local) close() error                                     { return l.e.Close() }
