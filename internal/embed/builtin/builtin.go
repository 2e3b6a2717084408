// Package builtin is the embedder that is always there: a static English model of 7.9 MB in the binary, 256 dimensions, no
// network, about a microsecond a word. It is a driver of package embed.
//
// A text's vector is the sum of one learned vector per word or phrase; unknown words are guessed from their character
// n-grams. Word order and negation are invisible, and other scripts than Latin match by spelling only. How it was
// trained, and on what, is in models/embedder.
//
// The model's bytes are a read-only string in the binary: processes share them through the page cache, and no row is
// ever decoded to the heap except into the vector being built. What is private is the index of the vocabulary, below
// half a megabyte, made at the first use.
package builtin

import (
	"context"
	_ "embed" // the model file
	"fmt"
	"sync"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

//go:embed lukasa-embed-256-q4.bin
var file string

// Name, fingerprint (the start of the file's SHA-256) and dimension of the embedded model; a test holds them to the file.
const (
	name        = "lukasa-embed-256-q4"
	fingerprint = "f2c6fd9d"
	dim         = 256
)

// Embedder is the built-in model. Make it with [New]; it is safe for concurrent use.
type Embedder struct {
	load func() (*model, error)
}

var (
	_ embed.Embedder    = (*Embedder)(nil)
	_ embed.Coverage    = (*Embedder)(nil)
	_ embed.WordVectors = (*Embedder)(nil)
)

// New returns the embedder. The model is indexed at the first call that needs it, in a few milliseconds.
func New() *Embedder {
	return &Embedder{load: sync.OnceValues(func() (*model, error) { return parse(file) })}
}

// Space describes the model. The thresholds are measured (models/embedder/MODEL_CARD.md): of short pairs without a
// shared word, a cosine of 0.2 is passed by 72 % of the related ones and by 3 % of the unrelated ones.
func (e *Embedder) Space() embed.Space {
	return embed.Space{
		ID:    "builtin:" + name + ":" + fingerprint,
		Model: name,
		Dim:   dim,
		Local: true,
		Profile: embed.Profile{
			Related:      0.20,
			Near:         0.75,
			VectorWeight: 0.4,
		},
	}
}

// Embed implements [embed.Embedder]. It looks at ctx between texts.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := e.load()
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	all := make([]float32, dim*len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("embed texts: %w", err)
		}
		v := all[i*dim : (i+1)*dim : (i+1)*dim]
		m.sum(v, t)
		normalise(v)
		out[i] = v
	}
	return out, nil
}

// EncodeInto writes the vector of text into the first Space().Dim values of dst, which must have room for them, without
// allocating. It is Embed for one text and a caller that keeps the memory.
func (e *Embedder) EncodeInto(dst []float32, text string) error {
	m, err := e.load()
	if err != nil {
		return err
	}
	if len(dst) < dim {
		return fmt.Errorf("encode text into %d values: %w: want %d", len(dst), embed.ErrDimension, dim)
	}
	m.sum(dst[:dim], text)
	normalise(dst[:dim])
	return nil
}

// CountTokens returns the number of words and numbers in text, exactly as the model reads them.
func (e *Embedder) CountTokens(text string) int {
	m, err := e.load()
	if err != nil {
		return embed.EstimateTokens(text)
	}
	var buf [maxTokenBytes]byte
	s := scanner{fold: &m.fold, text: text, back: -1}
	n := 0
	for len(s.next(buf[:0])) > 0 {
		n++
	}
	return n
}

// Known implements [embed.Coverage].
func (e *Embedder) Known(text string) float64 {
	m, err := e.load()
	if err != nil {
		return 0
	}
	w := m.walk(text)
	known, total := 0, 0
	for {
		row, _, words := w.next()
		if words == 0 {
			break
		}
		total += words
		if row >= 0 {
			known += words
		}
	}
	if total == 0 {
		return 0
	}
	return float64(known) / float64(total)
}

// WordVector implements [embed.WordVectors]. It reads token like any text, so a phrase of the vocabulary has a vector too,
// and reports false for a token without a letter or digit and for a dst that is too short.
func (e *Embedder) WordVector(token string, dst []float32) bool {
	m, err := e.load()
	if err != nil || len(dst) < dim {
		return false
	}
	return m.sum(dst[:dim], token) > 0
}

// Tokens implements [embed.WordVectors].
func (e *Embedder) Tokens(text string) []string {
	m, err := e.load()
	if err != nil {
		return nil
	}
	var out []string
	var buf [maxTokenBytes]byte
	s := scanner{fold: &m.fold, text: text, back: -1}
	for {
		b := s.next(buf[:0])
		if len(b) == 0 {
			return out
		}
		out = append(out, string(b))
	}
}
