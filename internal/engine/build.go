package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob/disk"
	cachememory "github.com/lukasa-memory/lukasa/internal/cache/memory"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/embed/ollama"
	"github.com/lukasa-memory/lukasa/internal/embed/openai"
	"github.com/lukasa-memory/lukasa/internal/embed/static"
	"github.com/lukasa-memory/lukasa/internal/embed/tei"
	"github.com/lukasa-memory/lukasa/internal/fetch"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/anthropic"
	"github.com/lukasa-memory/lukasa/internal/llm/gemini"
	llmollama "github.com/lukasa-memory/lukasa/internal/llm/ollama"
	llmopenai "github.com/lukasa-memory/lukasa/internal/llm/openai"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/rerank/cohere"
	reranktei "github.com/lukasa-memory/lukasa/internal/rerank/tei"
	"github.com/lukasa-memory/lukasa/internal/segment"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// The files of a data directory.
const (
	rowsFile   = "lukasa.db"
	masterFile = "master.key"
	keyFile    = "api.key" // the first key's secret, for the command line
	blobDir    = "blobs"
	indexDir   = "index"
)

// flagsMark is raised when rank.FlagsOf comes to tell something else: the index then reads its entries again.
const flagsMark = 1

// openShelves opens what the configuration names and returns the master key.
func (e *Engine) openShelves(ctx context.Context, o Options) (crypt.Key, error) {
	dir := e.cfg.Data
	master, _, err := crypt.LoadMaster(e.cfg.MasterKey, filepath.Join(dir, masterFile), rand.Reader)
	if err != nil {
		return master, err
	}
	rows, err := sqlite.Open(ctx, filepath.Join(dir, rowsFile), sqlite.Options{Now: e.now})
	if err != nil {
		return master, err
	}
	e.store = rows
	if e.blobs, err = disk.Open(filepath.Join(dir, blobDir), e.now()); err != nil {
		return master, err
	}
	if e.embed, err = openEmbedder(e.cfg); err != nil {
		return master, err
	}
	if o.Embed != nil {
		e.embed = o.Embed(e.embed)
	}
	space, err := embed.Probe(ctx, e.embed)
	if err != nil {
		e.log.Warn("the embedder does not answer; search goes by keyword until it does", "provider", e.cfg.EmbedProvider, "err", err)
		space = e.embed.Space()
	}
	e.index = local.New(e.store, local.Options{
		Space: space.ID, Dim: space.Dim, Dir: filepath.Join(dir, indexDir),
		Flags: func(text string) uint16 { return uint16(rank.FlagsOf(text)) }, FlagsMark: flagsMark,
	})
	answers, err := cachememory.New(cachememory.Options{MaxBytes: uint64(e.cfg.CacheBytes), Now: e.now})
	e.cache = &listed{Cache: answers}
	return master, err
}

func openEmbedder(c config.Config) (embed.Embedder, error) {
	var inner embed.Embedder
	var err error
	switch c.EmbedProvider {
	case "", "builtin":
		inner = builtin.New()
	case "static":
		inner, err = static.New(static.Options{Dir: c.EmbedModel})
	case "openai":
		inner, err = openai.New(openai.Options{URL: c.EmbedURL, Key: c.EmbedKey, Model: c.EmbedModel, Dim: c.EmbedDim, BatchTexts: c.EmbedBatch})
	case "tei":
		inner, err = tei.New(tei.Options{URL: c.EmbedURL, Key: c.EmbedKey, Model: c.EmbedModel, Dim: c.EmbedDim})
	case "ollama":
		inner, err = ollama.New(ollama.Options{URL: c.EmbedURL, Model: c.EmbedModel, Dim: c.EmbedDim, BatchTexts: c.EmbedBatch})
	default:
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "embed.provider", Msg: fmt.Sprintf("%q is not one of builtin, static, openai, tei, ollama", c.EmbedProvider)}
	}
	if err != nil {
		return nil, err
	}
	if inner.Space().Local {
		return inner, nil
	}
	return embed.Cached(embed.Retry(inner, embed.RetryPolicy{}), 10_000), nil
}

// openReranker returns nil where none is configured.
func openReranker(c config.Config) (rerank.Reranker, error) {
	switch c.RerankProvider {
	case "", "none":
		return nil, nil
	case "tei":
		r, err := reranktei.New(reranktei.Options{URL: c.RerankURL, Key: c.RerankKey, Model: c.RerankModel, Budget: c.RerankTimeout})
		if err != nil {
			return nil, err
		}
		return r, nil
	case "cohere":
		r, err := cohere.New(cohere.Options{URL: c.RerankURL, Key: c.RerankKey, Model: c.RerankModel, Budget: c.RerankTimeout})
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "rerank.provider", Msg: fmt.Sprintf("%q is not one of none, tei, cohere", c.RerankProvider)}
}

// openDriver returns the model by itself, nil where none is configured.
func openDriver(c config.Config) (llm.Model, error) {
	switch c.LLMProvider {
	case "", "none":
		return nil, nil
	case "openai":
		return llmopenai.New(llmopenai.Options{URL: c.LLMURL, Key: c.LLMKey, Model: c.LLMModel, Timeout: c.LLMTimeout})
	case "anthropic":
		return anthropic.New(anthropic.Options{URL: c.LLMURL, Key: c.LLMKey, Model: c.LLMModel, Timeout: c.LLMTimeout})
	case "gemini":
		return gemini.New(gemini.Options{URL: c.LLMURL, Key: c.LLMKey, Model: c.LLMModel, Timeout: c.LLMTimeout})
	case "ollama":
		return llmollama.New(llmollama.Options{URL: c.LLMURL, Key: c.LLMKey, Model: c.LLMModel, Timeout: c.LLMTimeout})
	}
	return nil, lukasa.Invalid("llm.provider", "%q is not one of none, openai, anthropic, gemini, ollama", c.LLMProvider)
}

// openModel returns the model for work in the background, within its budget; nil where none is configured.
func openModel(c config.Config, now func() time.Time) (llm.Model, error) {
	m, err := openDriver(c)
	if err != nil || m == nil {
		return nil, err
	}
	if c.LLMTokens > 0 {
		m = llm.Budget(m, llm.Limits{TokensPerDay: c.LLMTokens}, now)
	}
	return llm.Retry(m, llm.RetryPolicy{}), nil
}

// distiller is the model that reads what was kept; nil: rules alone do.
func (e *Engine) distiller() llm.Model {
	if e.cfg.Distil != "model" {
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
	return fetch.Get(ctx, url, fetch.Options{AllowPrivate: e.cfg.FetchPrivate, Timeout: e.cfg.FetchTimeout, MaxBytes: e.cfg.MaxFile})
}

// lockDir makes the data directory and holds its lock while the house is built, so that of several processes that start at
// once one makes the keys and migrates, and the others find them.
func lockDir(dir string) (func(), error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot make the data directory", Hint: "choose another with --data", Err: err}
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot write to the data directory " + dir, Hint: "check its owner and rights, or choose another with --data", Err: err}
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock data directory: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil // closing gives the lock back
}

// saveKey keeps the first key's secret where the command line looks for it.
func saveKey(dir, secret string) error {
	path := filepath.Join(dir, keyFile)
	if err := os.WriteFile(path+".new", []byte(secret+"\n"), 0o600); err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	return os.Rename(path+".new", path)
}
