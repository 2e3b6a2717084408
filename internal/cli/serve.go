package cli

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/dashboard"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/mcp"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

type serveCmd struct{}

// Help is the detail of the command's help.
func (serveCmd) Help() string {
	return `The first start makes the data directory and a key, and prints the key this once; it is kept in api.key there for the commands of this machine. SIGINT and SIGTERM let running requests end before the server stops.`
}

const (
	drainTime     = 10 * time.Second // for running requests at the end
	headerTime    = 10 * time.Second
	idleTime      = 2 * time.Minute
	answerMargin  = 10 * time.Second // to write an answer after the request's time is up
	maxHeaderSize = 64 << 10
)

// Run serves until its context ends.
func (c *serveCmd) Run(a *app) error {
	cfg := a.loaded.Config
	log, err := telemetry.NewLogger(a.p.Err, cfg.LogLevel, cfg.LogFormat)
	if err != nil {
		return err
	}
	if names := a.loaded.Injected; len(names) > 0 {
		log.Info("variables that are no settings are passed over: they look like those that an orchestrator sets for a service", "names", names)
	}
	secure, err := tlsConfig(cfg)
	if err != nil {
		return err
	}
	ln, err := listen(a.ctx, cfg.Listen)
	if err != nil {
		return err
	}
	release, err := a.holdData()
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer release()
	e, err := engine.Open(a.ctx, cfg, engine.Options{Log: log})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	s := &serving{app: a, e: e, log: log, ln: ln, secure: secure}
	return errors.Join(s.run(), e.Close())
}

// holdData holds the data directory for this server alone: a second one would take the place of the first in server.json, where commands
// look for it. Where there are no locks, the first one is asked.
func (a *app) holdData() (release func(), err error) {
	dir := a.loaded.Config.Data
	release, err = engine.HoldData(dir)
	there, known := FindServer(dir)
	switch {
	case err == nil && known && there.Answers(a.ctx, there.Client()):
		release()
	case lukasa.CodeOf(err) != lukasa.CodeConflict:
		return release, err
	}
	msg := "another server runs on " + dir
	if known {
		msg += fmt.Sprintf(", at %s as process %d", there.Address, there.PID)
	}
	return nil, &lukasa.Error{Code: lukasa.CodeConflict, Msg: msg, Hint: "stop it first, or give this one a directory of its own with --data"}
}

func tlsConfig(cfg config.Config) (*tls.Config, error) {
	if cfg.TLSCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "tls", Msg: "the certificate or its key cannot be used", Hint: "check tls.cert and tls.key: PEM files that belong together", Err: err}
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}}, nil
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return ln, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &lukasa.Error{Code: lukasa.CodeConflict, Msg: address + " is taken by another program", Hint: "choose another address with --listen, like --listen 127.0.0.1:7078"}
	case errors.Is(err, syscall.EACCES):
		return nil, &lukasa.Error{Code: lukasa.CodeConflict, Msg: address + " may not be used by this user", Hint: "choose a port over 1023 with --listen"}
	}
	return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "listen", Msg: "cannot listen on " + address, Hint: "give an address of this machine, like --listen 127.0.0.1:7077", Err: err}
}

// serving is one run of the server.
type serving struct {
	*app
	e      *engine.Engine
	log    *slog.Logger
	ln     net.Listener
	secure *tls.Config
	url    string
	pages  *dashboard.Door // nil: there are none

	leaving atomic.Bool // it is about to stop
}

func (s *serving) run() error {
	cfg := s.loaded.Config
	s.url = address(s.ln.Addr(), s.secure != nil)
	file, err := NewServerFile(cfg.Data, s.url, s.p.Version, time.Now().UTC())
	if err != nil {
		return err
	}
	if s.secure != nil {
		file.Cert, _ = filepath.Abs(cfg.TLSCert)
	}
	stopping, stop := context.WithCancel(context.WithoutCancel(s.ctx))
	defer stop()
	handler, err := s.withDashboard(s.handler())
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           file.Proving(untilStop(stopping, handler)),
		TLSConfig:         s.secure,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       cfg.RequestTimeout + headerTime,
		WriteTimeout:      cfg.RequestTimeout + headerTime + answerMargin,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderSize,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	srv.RegisterOnShutdown(stop)
	failed := make(chan error, 1)
	go func() {
		if s.secure != nil {
			failed <- srv.ServeTLS(s.ln, "", "")
		} else {
			failed <- srv.Serve(s.ln)
		}
	}()
	s.e.Start()
	posted, err := file.Post(stopping, cfg.Data, time.Second)
	if err != nil {
		s.log.Warn("until "+ServerFileName+" can be written, commands find this server by --server alone", "address", s.url, "err", err)
	}
	s.greet()
	select {
	case err = <-failed:
	case <-s.ctx.Done():
		s.leave()
		err = s.drain(srv)
	}
	stop()
	posted()
	return errors.Join(err, file.Remove(cfg.Data))
}

// leave says that this node is not ready any more, and gives balancers the time to notice where there are other nodes.
func (s *serving) leave() {
	s.leaving.Store(true)
	cfg := s.loaded.Config
	if cfg.StoreProvider != "postgres" {
		s.log.Info("stopping")
		return
	}
	s.log.Info("stopping", "after", cfg.Drain)
	<-time.After(cfg.Drain)
}

// drain lets running requests end. Those that take too long are cut off.
func (s *serving) drain(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), drainTime)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		s.log.Warn("requests were cut off", "after", drainTime)
		return srv.Close()
	}
	return nil
}

func (s *serving) handler() http.Handler {
	cfg := s.loaded.Config
	origins, _ := config.ParseOrigins(cfg.CORSOrigins) // the settings are read
	return api.New(s.e, api.Options{
		Version: s.p.Version, Timeout: cfg.RequestTimeout, MaxBody: cfg.MaxBody, Log: s.log, Mint: rand.Text,
		Role: cfg.Role, Leaving: s.leaving.Load, Origins: origins,
		MCP: mcp.Handler(s.e, s.p.Version, s.log, api.ScopeOf),
	})
}

// untilStop ends the streams of events when the server stops; they would hold it up for ever.
func untilStop(stopping context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/events" {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(stopping, cancel)()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// address is the URL at which this machine reaches the listener.
func address(at net.Addr, secure bool) string {
	scheme, host := "http://", at.String()
	if secure {
		scheme = "https://"
	}
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return scheme + host
}

// greet says where the doors are, and the key when it was made just now.
func (s *serving) greet() {
	cfg := s.loaded.Config
	data, err := filepath.Abs(cfg.Data)
	if err != nil {
		data = cfg.Data
	}
	if cfg.Role == "worker" {
		s.say("lukasa %s is working in the background", s.p.Version)
		s.say("  health   %s/health", s.url)
	} else {
		s.say("lukasa %s is serving", s.p.Version)
		s.say("  REST     %s/v1", s.url)
		s.say("  MCP      %s/mcp", s.url)
		s.say("  OpenAPI  %s/openapi.json", s.url)
		s.sayDashboard()
	}
	s.say("  data     %s", data)
	if where := cfg.Rows(); where != "" {
		s.say("  rows     %s\n  role     %s", where, cfg.Role)
	}
	secret := s.e.NewSecret()
	switch {
	case secret != "" && cfg.APIKey == "":
		s.say("  key      %s\n           keep it: it is shown this once; commands on this machine find it in %s", secret, filepath.Join(data, keyFile))
	case cfg.APIKey != "":
		s.say("  key      the one in LUKASA_API_KEY")
	default:
		s.say("  key      in %s", filepath.Join(data, keyFile))
	}
	if tcp, ok := s.ln.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && s.secure == nil {
		s.note("warning: %s can be reached from other machines, and without TLS keys and texts travel in the clear; give --tls-cert and --tls-key, or put a proxy in front", tcp)
	}
}
