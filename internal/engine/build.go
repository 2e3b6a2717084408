package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/fetch"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/segment"
)

// The files of a data directory.
const (
	keyFile = "api.key" // the first key's secret, for the command line
)

// limiter returns the request limits that nodes share, nil where each counts by itself.
func (e *Engine) limiter() cache.Limiter {
	l, _ := e.cache.(cache.Limiter)
	return l
}

// distiller is the model that reads what was kept; nil: rules alone do.
func (e *Engine) distiller() llm.Model {
	if e.cfg.Distil != "model" {
		return nil
	}
	return e.model
}

// rephraser is the model that says queries in other words; nil: they are searched as they are.
func (e *Engine) rephraser() llm.Model {
	if e.cfg.Expand != "model" {
		return nil
	}
	return e.model
}

// text returns the cleaned text of a document.
func (e *Engine) text(ctx context.Context, sc lukasa.Scope, d lukasa.Document) (string, error) {
	return e.ingest.Text(ctx, sc, d)
}

func weights(c config.Config) rank.Weights {
	return rank.Weights{Vector: c.RankVector, Text: c.RankText, Recency: c.RankRecency, Days: c.RankDays}
}

// cacheFor is how long results are kept; 0 in the settings means not at all.
func cacheFor(c config.Config) time.Duration {
	if c.CacheTTL == 0 {
		return -1
	}
	return c.CacheTTL
}

// segments says when a conversation goes on in a new segment. A setting of 0 s means that silence never ends one.
func segments(c config.Config) segment.Limits {
	l := segment.Limits{Tokens: c.SegmentTokens, Silence: c.SegmentSilence}
	if l.Silence == 0 {
		l.Silence = -1
	}
	return l
}

func (e *Engine) fetchPage(ctx context.Context, url string) (fetch.Page, error) {
	return fetch.Get(ctx, url, fetch.Options{AllowPrivate: e.cfg.FetchPrivate, Timeout: e.cfg.FetchTimeout, MaxBytes: e.cfg.MaxFile, Sites: &e.sites})
}

// saveKey keeps the first key's secret where the command line looks for it.
func saveKey(dir, secret string) error {
	path := filepath.Join(dir, keyFile)
	if err := os.WriteFile(path+".new", []byte(secret+"\n"), 0o600); err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	return os.Rename(path+".new", path)
}
