// Package engine builds the house from the configuration, offers every verb of the product to the doors, and owns the work
// that goes on in the background.
//
// It is the only package that names drivers, each kind in one switch, in the files open*.go. A verb checks the scope and hands
// it on; what it does stands in the other services.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/auth"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/chat"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/dialogue"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/fetch"
	"github.com/lukasa-memory/lukasa/internal/graph"
	"github.com/lukasa-memory/lukasa/internal/history"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/learn"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/parallel"
	"github.com/lukasa-memory/lukasa/internal/pubsub"
	"github.com/lukasa-memory/lukasa/internal/recall"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// Options are what a configuration cannot hold. Zero values are useful.
type Options struct {
	Now     func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil means slog.Default
	Metrics *telemetry.Metrics
	Rand    io.Reader                           // what ids are made of; nil means crypto/rand. Keys never come from it
	Embed   func(embed.Embedder) embed.Embedder // decorates the configured embedder
}

// Engine is the running house. All methods are safe for concurrent use.
type Engine struct {
	cfg     config.Config
	log     *slog.Logger
	now     func() time.Time
	metrics *telemetry.Metrics
	started time.Time
	disk    *telemetry.Disk // nil: neither rows nor files are kept in the data directory
	lease   time.Duration   // for how long a job is this process's, if it does not say that it goes on

	store    store.Store
	blobs    blob.Driver
	vault    *blob.Vault
	embed    embed.Embedder
	model    llm.Model // nil: none is configured
	index    index.Index
	cache    cache.Cache
	auth     *auth.Auth
	learn    *learn.Path
	dialogue *dialogue.Path
	history  *history.Path
	ingest   *ingest.Path
	recall   *recall.Path
	chat     *chat.Path
	models   models // that chats have asked for
	life     *lifecycle.Path
	places   *graph.Path

	news    *pubsub.Newsroom
	touches *touches
	warmth  *warmth
	ahead   *ahead
	wire    *wire
	outages lifecycle.Outages
	spent   *lifecycle.Spending // nil: the model has no budget
	wake    chan struct{}       // a job was queued
	extent  extract.Extent      // of what was read
	sites   fetch.Sites         // what they let programs read
	stop    context.CancelFunc
	work    sync.WaitGroup
	secret  string // of the key made at this start
}

// Open builds the house on the data directory, which is made if it is not there. Several processes may open one directory.
func Open(ctx context.Context, cfg config.Config, o Options) (*Engine, error) {
	e := &Engine{cfg: cfg, log: o.Log, now: o.Now, metrics: o.Metrics, news: pubsub.NewNewsroom(), warmth: newWarmth(), ahead: newAhead(), wake: make(chan struct{}, 1), lease: jobLease}
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.metrics == nil {
		e.metrics = telemetry.NewMetrics()
	}
	e.started = e.now()
	if cfg.StoreProvider == "sqlite" || cfg.BlobProvider == "disk" {
		e.disk = telemetry.NewDisk(cfg.Data, e.now)
	}
	if err := e.build(ctx, o); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) build(ctx context.Context, o Options) error {
	unlock, err := lockData(e.cfg.Data)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := openDrivers(ctx, e.cfg, openOptions{Now: e.now, Log: e.log, Embed: o.Embed})
	e.store, e.blobs, e.cache, e.embed, e.index = s.Store, s.Blobs, s.Cache, s.Embed, s.Index
	if err != nil {
		return err
	}
	if e.cfg.CacheProvider != "redis" {
		e.cache = cache.Listed(s.Cache)
	}
	e.wire = newWire(s.Relay)
	mint := lukasa.Minter{Now: e.now, Rand: rand.Reader}
	if o.Rand != nil {
		mint.Rand = o.Rand
	}
	e.auth = auth.New(auth.Deps{Accounts: e.store, Members: e.store, Place: e.place, Grants: e.store, Tree: e.store, Master: s.Master, Mint: mint, Rand: rand.Reader, Limits: e.limiter()},
		auth.Options{PerMinute: e.cfg.RateLimit, Burst: e.cfg.RateBurst, PerUser: e.perUser})
	if e.vault, err = blob.New(e.blobs, e.auth, blob.Options{MaxSize: max(e.cfg.MaxFile, 16<<20)}); err != nil {
		return err
	}
	e.touches = newTouches(e.store, e.log)
	if e.model, err = openBudgetedModel(e.cfg, e.now); err != nil {
		return err
	}
	e.spent = lifecycle.NewSpending(e.store, e.model)
	if err := e.spent.Settle(ctx); err != nil {
		return err
	}
	e.learn = learn.New(learn.Deps{Store: e.store, Index: e.index, Embed: e.embed, Model: e.distiller(), RederiveModel: e.model, Reader: builtinReader(), Content: e.text, Plain: e.plain, Marked: e.marked, Mint: mint, Notify: e.notify, Log: e.log})
	help, err := e.help()
	if err != nil {
		return err
	}
	e.ingest = ingest.New(ingest.Deps{Store: e.store, Vault: e.vault, Embed: e.embed, Fetch: e.fetchPage, Kinds: Kinds(), Help: help, Learn: e.lesson, Told: e.learn, Plain: e.plain, Closed: e.closed, Mint: mint, Notify: e.notify, Log: e.log},
		ingest.Options{Segments: segments(e.cfg), Distil: e.distiller() != nil, ChunkTokens: e.cfg.ChunkTokens, Overlap: e.cfg.ChunkOverlap, Limits: ingest.Limits{
			Characters: e.cfg.MaxCharacters,
			Bytes:      e.cfg.MaxFile, Inline: e.cfg.InlineBytes, HTML: e.cfg.HTMLLimit,
		}})
	e.dialogue = dialogue.New(dialogue.Deps{Store: e.store, Mint: mint, Notify: e.notify})
	e.history = history.New(history.Deps{Store: e.store, Mint: mint, Notify: e.notify, Text: e.ingest.Text, Remember: e.ingest.Remember, Rename: e.dialogue.Put})
	e.places = graph.New(graph.Deps{Store: e.store, Cache: e.cache, Mint: mint, Notify: e.notify, Log: e.log}, graph.Options{Dormant: e.cfg.FileDormant, Threshold: e.cfg.NodesThreshold})
	reranker, err := openReranker(e.cfg)
	if err != nil {
		return err
	}
	e.recall = recall.New(recall.Deps{Rerank: reranker, Model: e.rephraser(), Known: graph.Seen, Store: e.store, Index: e.index, Embed: e.embed, Cache: e.cache, Now: e.now, Touch: e.touches.note, Log: e.log},
		recall.Options{Ranker: e.cfg.Ranker, Weights: weights(e.cfg), CacheFor: cacheFor(e.cfg), RerankTop: e.cfg.RerankTop, Whole: e.cfg.RankWhole, Expand: e.cfg.ExpandTimeout})
	e.chat = e.talks()
	e.life = lifecycle.New(lifecycle.Deps{
		Store: e.store, Blobs: e.blobs, Vault: e.vault, Index: e.index, Mint: mint, Notify: e.notify, Evict: e.evict, Derive: e.derive(), Log: e.log,
	}, lifecycle.Options{Dir: e.cfg.Data, Keep: max(e.cfg.TrashKeep, time.Nanosecond), Dormant: e.cfg.FileDormant, Awake: e.cfg.FileAwake, Limits: limits(e.cfg)})
	first := func() error {
		return errors.Join(e.life.Respace(ctx, e.embed.Space().ID, embed.EntryForm), e.admit(ctx))
	}
	return runAlone(ctx, e.store, first) // other nodes may be at their first start, too
}

// admit makes sure that there is an admin, and keeps the first key's secret for the command line.
func (e *Engine) admit(ctx context.Context) error {
	secret, err := e.auth.Bootstrap(ctx, e.cfg.APIKey)
	if err != nil || secret == "" {
		return err
	}
	e.secret = secret
	return saveKey(e.cfg.Data, secret)
}

// NewSecret returns the secret of the key that this start made, "" if it made none.
func (e *Engine) NewSecret() string { return e.secret }

// Respaced says whether this start found the vectors of another embedder, so that jobs wait that make them anew.
func (e *Engine) Respaced() bool { return e.life.Respaced() }

// Config returns what is in force.
func (e *Engine) Config() config.Config { return e.cfg }

// Metrics returns the collectors that doors add to.
func (e *Engine) Metrics() *telemetry.Metrics { return e.metrics }

// Start begins the background work: jobs, forgetting, sweeping. A short command need not call it. A node that only answers
// requests leaves jobs and what is due by time to those that work, and keeps what its own requests gather.
func (e *Engine) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	e.stop = cancel
	e.life.Start()
	if e.cfg.Role != "api" {
		for range max(1, e.cfg.Workers) {
			e.work.Go(func() { e.runJobs(ctx) })
		}
		e.work.Go(func() { e.runClock(ctx) })
	}
	e.work.Go(func() { e.runErrands(ctx) })
	e.work.Go(func() { e.spent.Run(ctx, e.log) })
	e.work.Go(func() { e.runWire(ctx) })
	e.work.Go(func() { e.runWarm(ctx) })
	e.work.Go(func() { e.runAhead(ctx) })
	e.work.Go(func() { parallel.Rest(ctx, clockTick, func() { trimMemory(ctx, e.store, e.cache, e.log) }) })
}

// Close ends the background work, writes what is batched and closes the drivers.
func (e *Engine) Close() error {
	if e.stop != nil {
		e.stop()
	}
	e.work.Wait()
	var errs []error
	noted := func(err error) {
		if err != nil { // what was read was read, where nothing can be written, too
			e.log.Warn("note what was read", "err", err)
		}
	}
	if e.life != nil {
		e.life.Close()
		noted(e.life.Flush(context.Background()))
	}
	errs = append(errs, e.spent.Settle(context.Background()))
	if e.touches != nil {
		noted(e.touches.flush(context.Background()))
	}
	e.news.Close()
	if e.auth != nil {
		e.auth.Quiet()
	}
	if e.index != nil {
		if err := e.index.Close(); err != nil { // the next start is slower, that is all
			e.log.Warn("save index", "err", err)
		}
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close())
	}
	if e.store != nil {
		errs = append(errs, e.store.Close())
	}
	return errors.Join(errs...)
}

var _ blob.Keyring = (*auth.Auth)(nil)
