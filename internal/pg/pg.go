// Package pg speaks to PostgreSQL: it keeps a pool of connections, turns statements that are written for SQLite into its words, and
// runs transactions that are begun again where the server asks for it, steps of a schema, notifications and signed claims.
package pg

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Mode is how connections may be used.
type Mode string

const (
	// Direct connections belong to one client as long as they last: statements are prepared once and kept.
	Direct Mode = "direct"
	// Pooled connections are shared by way of PgBouncer or its like, which may give each transaction another one: nothing
	// outlives a transaction, and a statement is sent with its text each time, in one round trip.
	Pooled Mode = "pooled"
)

// Options say how a pool connects.
type Options struct {
	URL         string // postgres://user:password@host:port/database?sslmode=…, or key=value pairs
	Mode        Mode   // empty means Direct
	MaxConns    int    // connections at most; 0 means 16
	Path        string // search_path of all transactions that set no other; "" means the server's
	Role        string // the role to take on, empty for the one that logs in
	Application string // application_name, which the server shows and logs; empty means lukasa

	StatementTimeout time.Duration     // after which the server ends a statement; 0 means never
	Patience         time.Duration     // how long to wait for a server that is away; 0 means 5 s, less than 0 not at all
	Schemas          map[string]string // see Translator
	Listen           string            // the URL for Listen; in Pooled mode it must lead to the server itself. Empty means URL in Direct mode
}

// Pool is an open pool of connections. It is safe for concurrent use.
type Pool struct {
	opts   Options
	pool   *pgxpool.Pool
	texts  *Translator
	listen *pgx.ConnConfig // nil where there is no way to listen
}

// Open makes a pool. It does not connect yet; an URL that cannot be read is an error that does not repeat the password in it.
func Open(ctx context.Context, o Options) (*Pool, error) {
	switch o.Mode {
	case "":
		o.Mode = Direct
	case Direct, Pooled:
	default:
		return nil, fmt.Errorf("mode is %q, must be %s or %s", o.Mode, Direct, Pooled)
	}
	if o.MaxConns <= 0 {
		o.MaxConns = 16
	}
	if o.Application == "" {
		o.Application = "lukasa"
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	c, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of PostgreSQL cannot be read: %w", err) // pgx leaves the password out
	}
	c.MaxConns = int32(min(o.MaxConns, 10_000))
	c.PingTimeout = 5 * time.Second
	tune(c.ConnConfig, o)
	if o.Mode == Direct {
		c.ConnConfig.RuntimeParams["jit"] = "off" // see session
		// The statements are written to be planned once: planning one over partitions with policies takes longer than running it.
		c.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
		if o.Path != "" {
			c.ConnConfig.RuntimeParams["search_path"] = o.Path
		}
		if o.StatementTimeout > 0 {
			c.ConnConfig.RuntimeParams["statement_timeout"] = fmt.Sprint(o.StatementTimeout.Milliseconds())
		}
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			if o.Role == "" {
				return nil
			}
			return conn.PgConn().Exec(ctx, "SET ROLE "+Name(o.Role)).Close()
		}
	}
	p := &Pool{opts: o, texts: &Translator{Schemas: o.Schemas}}
	if p.listen, err = listenConfig(o); err != nil {
		return nil, err
	}
	p.pool, err = pgxpool.NewWithConfig(ctx, c)
	return p, err
}

// tune sets what all connections have in common. A context that ends asks the server to give a statement up, and the
// connection lasts; only a server that does not answer loses it.
func tune(c *pgx.ConnConfig, o Options) {
	c.RuntimeParams["application_name"] = o.Application
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10 * time.Second
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	c.StatementCacheCapacity, c.DescriptionCacheCapacity = 0, 0
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &canceller{conn: conn}
	}
}

func listenConfig(o Options) (*pgx.ConnConfig, error) {
	url := o.Listen
	if url == "" && o.Mode == Direct {
		url = o.URL
	}
	if url == "" {
		return nil, nil
	}
	c, err := pgxpool.ParseConfig(url) // which knows the settings of pools, too
	if err != nil {
		return nil, fmt.Errorf("the address of PostgreSQL for notifications cannot be read: %w", err)
	}
	tune(c.ConnConfig, o)
	return c.ConnConfig, nil
}

// Close waits for what is under way and closes all connections.
func (p *Pool) Close() { p.pool.Close() }

// Stat tells how many connections there are and how many of them are in use.
func (p *Pool) Stat() (open, used, most int) {
	s := p.pool.Stat()
	return int(s.TotalConns()), int(s.AcquiredConns()), int(s.MaxConns())
}

// Name quotes a name for a statement.
func Name(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), `"`, `""`) + `"`
}

// Text quotes a text for a statement that is run without parameters. It holds whatever the server's settings are.
func Text(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if !strings.Contains(s, `\`) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return " E'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
}

var errNoListen = errors.New("notifications do not come through a shared connection: they need an address that leads to the server itself")
