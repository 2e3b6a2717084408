package engine

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/embed/local"
	"github.com/lukasa-memory/lukasa/internal/embed/ollama"
	"github.com/lukasa-memory/lukasa/internal/embed/openai"
	"github.com/lukasa-memory/lukasa/internal/embed/tei"
	"github.com/lukasa-memory/lukasa/internal/hear"
	hearopenai "github.com/lukasa-memory/lukasa/internal/hear/openai"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/anthropic"
	"github.com/lukasa-memory/lukasa/internal/llm/gemini"
	llmollama "github.com/lukasa-memory/lukasa/internal/llm/ollama"
	llmopenai "github.com/lukasa-memory/lukasa/internal/llm/openai"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/rerank/cohere"
	reranktei "github.com/lukasa-memory/lukasa/internal/rerank/tei"
)

// openEmbedder returns who makes the vectors.
func openEmbedder(c config.Config) (embed.Embedder, error) {
	var inner embed.Embedder
	var err error
	switch c.EmbedProvider {
	case "", "builtin":
		inner = builtin.New()
	case "local":
		inner, err = local.New(local.Options{Dir: c.EmbedModel})
	case "openai":
		inner, err = openai.New(openai.Options{URL: c.EmbedURL, Key: c.EmbedKey, Model: c.EmbedModel, Dim: c.EmbedDim, BatchTexts: c.EmbedBatch})
	case "tei":
		inner, err = tei.New(tei.Options{URL: c.EmbedURL, Key: c.EmbedKey, Model: c.EmbedModel, Dim: c.EmbedDim})
	case "ollama":
		inner, err = ollama.New(ollama.Options{URL: c.EmbedURL, Model: c.EmbedModel, Dim: c.EmbedDim, BatchTexts: c.EmbedBatch})
	default:
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "embed.provider", Msg: fmt.Sprintf("%q is not one of builtin, local, openai, tei, ollama", c.EmbedProvider)}
	}
	if err != nil {
		return nil, err
	}
	inner = embed.Halved(inner)
	if inner.Space().Local {
		return embed.Cached(inner, 0), nil
	}
	return embed.Cached(embed.Retry(inner, embed.RetryPolicy{}), 10_000), nil
}

// builtinReader is the reader in the binary, opened once for the whole process. It shares the vocabulary of the built-in encoder.
var builtinReader = sync.OnceValue(func() *reader.Reader { return reader.New(builtin.New().Model) })

// openReranker returns who judges hits again, nil where none is configured.
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

// openModel returns the language model by itself, nil where none is configured.
func openModel(c config.Config) (llm.Model, error) {
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

// openBudgetedModel returns the language model for work in the background, within its budget; nil where none is configured.
func openBudgetedModel(c config.Config, now func() time.Time) (llm.Model, error) {
	m, err := openModel(c)
	if err != nil || m == nil {
		return nil, err
	}
	if c.LLMTokens > 0 {
		m = llm.Budget(m, llm.Limits{TokensPerDay: c.LLMTokens}, now)
	}
	return llm.Retry(m, llm.RetryPolicy{}), nil
}

// openHearer returns who turns speech into text, nil where none is configured.
func openHearer(c config.Config) (hear.Hearer, error) {
	switch c.HearProvider {
	case "", "none":
		return nil, nil
	case "openai":
		o := hearopenai.Options{URL: c.HearURL, Key: c.HearKey, Model: c.HearModel}
		if base, ok := strings.CutSuffix(c.HearURL, hearopenai.WhisperPath); ok { // the server of whisper.cpp
			o.URL, o.Path = base, hearopenai.WhisperPath
		}
		return hearopenai.New(o)
	}
	return nil, lukasa.Invalid("hear.provider", "%q is not one of none, openai", c.HearProvider)
}
