package cli

import (
	"context"
	"errors"
	"io"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/mcp"
)

type mcpCmd struct{}

// Help is the detail of the command's help.
func (mcpCmd) Help() string {
	return `It opens the data directory itself, whether a server runs or not, unless --server names one. Standard output carries the protocol and nothing else.`
}

// Run serves one MCP client over standard input and output until it goes away.
func (c *mcpCmd) Run(a *app) error {
	if a.g.Server != "" {
		b, err := a.namedServer()
		if err != nil {
			return err
		}
		return a.stdio(a.ctx, verbs{client.Scoped{Client: b.Client}}, lukasa.Scope{})
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	e, err := a.openEngine(toWrite, log)
	if err != nil {
		return err
	}
	sc, err := e.Local(a.ctx)
	if err == nil {
		e.Start()
		err = a.stdio(a.ctx, e, sc)
	}
	return errors.Join(err, e.Close())
}

func (a *app) stdio(ctx context.Context, v mcp.Verbs, sc lukasa.Scope) error {
	in, ok := a.p.In.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(a.p.In)
	}
	return mcp.Stdio(ctx, v, sc, a.p.Version, in, unclosed{a.p.Out})
}

// unclosed keeps standard output open when the protocol ends.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
