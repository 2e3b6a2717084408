// Package builtin is the embedder that is always there: all-MiniLM-L6-v2, a sentence encoder of 6 layers, with 8-bit weights in the
// binary, projected to 256 dimensions. It needs no network. It is a driver of package embed.
//
// A question of ten words takes about 2 ms of one core, and each further token about 0.15 ms. Texts are English; other languages in
// Latin script match by their words. models/encoder has the model card, the licence and the measurements.
//
// The weights are a read-only string of the binary and are used in place: processes share them through the page cache.
package builtin

import (
	"context"
	_ "embed" // the model file
	"sync"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/encoder"
)

//go:embed all-MiniLM-L6-v2-256-int8.safetensors
var file string

// Name, fingerprint (the start of the file's SHA-256) and dimension of the model; a test holds them to the file.
const (
	name        = "all-MiniLM-L6-v2-256-int8"
	fingerprint = "ffbd73b8"
	dim         = 256
	maxTokens   = 254 // without the marks at both ends

	// inlineTokens take about 50 ms of one core.
	inlineTokens = 320
)

// load opens the model once for the whole process: it never changes.
var load = sync.OnceValues(func() (*encoder.Model, error) { return encoder.ParsePacked(file) })

// Embedder is the built-in model. Make it with [New]; it is safe for concurrent use.
type Embedder struct{}

var _ embed.Embedder = (*Embedder)(nil)

// New returns the embedder. The vocabulary is indexed at the first call that needs it, in a few milliseconds.
func New() *Embedder { return &Embedder{} }

// Model returns the encoder itself.
func (*Embedder) Model() (*encoder.Model, error) { return load() }

// Space describes the model. The thresholds are measured (models/encoder/README.md): of a saved fact and a question that it
// answers in other words, 90 % have a cosine above 0.35; of a fact and an unrelated question, 2 %.
func (e *Embedder) Space() embed.Space {
	return embed.Space{
		ID:    "builtin:" + name + ":" + fingerprint,
		Model: name,
		Dim:   dim,
		Local: true,
		Profile: embed.Profile{
			Related:      0.35,
			Near:         0.80,
			VectorWeight: 0.6,
			MaxTokens:    maxTokens,
			InlineTokens: inlineTokens,
		},
	}
}

// Embed implements [embed.Embedder]. It looks at ctx after every 128 tokens.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := load()
	if err != nil {
		return nil, err
	}
	return m.Encode(ctx, texts)
}

// CountTokens returns the number of word pieces in text, exactly as the model reads them.
func (e *Embedder) CountTokens(text string) int {
	m, err := load()
	if err != nil {
		return embed.EstimateTokens(text)
	}
	return m.CountTokens(text)
}

// KnowsWord implements [embed.Vocabulary].
func (e *Embedder) KnowsWord(word string) bool {
	m, err := load()
	return err == nil && m.KnowsWord(word)
}
