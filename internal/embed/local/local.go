// Package local embeds with a model of the BERT family that a user has put on disk, in the layout of sentence-transformers: MiniLM,
// bge, e5, gte and their multilingual kin. It needs no network. It is a driver of package embed.
//
// The weights are rounded to 8 bits as they are read and stay in memory: a model of 33 million parameters takes 34 MB.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/encoder"
)

// reading is raised when the same files give other vectors than before: it is part of the space's id.
const reading = 1

// Options configure the driver.
type Options struct {
	Dir         string          // the folder with config.json, model.safetensors and tokenizer.json (or vocab.txt)
	Name        string          // the model's name, for people; "": the folder's
	MaxTokens   int             // longer texts are cut; 0: what the folder says
	Pooling     encoder.Pooling // "": what the folder says
	QueryPrefix *string         // stands before each question; nil: what the folder says, and the habit of the e5 family
	TextPrefix  *string         // stands before each other text; nil: likewise
	Profile     embed.Profile   // zero: that of the model's family by its name, see [embed.ProfileOf]
}

// Embedder is the driver. Make it with [New]; it is safe for concurrent use.
type Embedder struct {
	model *encoder.Model
	space embed.Space
}

var (
	_ embed.Embedder      = (*Embedder)(nil)
	_ embed.QueryEmbedder = (*Embedder)(nil)
)

// New reads the files into memory, once. Its error is a [lukasa.Error] of code invalid that says which file is at fault.
func New(o Options) (*Embedder, error) {
	if o.Dir == "" {
		return nil, &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "embed.model", Msg: "the provider local needs the folder of a model",
			Hint: "set embed.model (LUKASA_EMBED_MODEL) to a folder with config.json, model.safetensors and tokenizer.json",
		}
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, lukasa.Invalid("embed.model", "%v", err)
	}
	if o.Name == "" {
		o.Name = filepath.Base(dir)
	}
	if family := strings.ToLower(o.Name); strings.Contains(family, "e5-") {
		o.QueryPrefix, o.TextPrefix = orText(o.QueryPrefix, "query: "), orText(o.TextPrefix, "passage: ")
	}
	files := os.DirFS(dir)
	m, err := encoder.OpenFolder(files, encoder.Options{
		Name: o.Name, MaxTokens: o.MaxTokens, Pooling: o.Pooling, QueryPrefix: o.QueryPrefix, TextPrefix: o.TextPrefix,
	})
	if err != nil {
		return nil, &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "embed.model", Msg: "cannot use the model in " + dir, Err: err,
			Hint: "name a folder in the layout of sentence-transformers, with a model of the BERT family in safetensors format",
		}
	}
	id, err := fingerprint(files, m.Config())
	if err != nil {
		return nil, err
	}
	if o.Profile == (embed.Profile{}) {
		o.Profile = embed.ProfileOf(o.Name)
	}
	o.Profile.MaxTokens = m.Config().MaxTokens - 2
	o.Profile.InlineTokens = inlineTokens(m.Config())
	return &Embedder{model: m, space: embed.Space{
		ID: "local:" + id, Model: o.Name, Dim: m.Dim(), Local: true, Profile: o.Profile,
	}}, nil
}

// inlineTokens is how many tokens take about 50 ms of one core: 320 of a model of 6 layers and a width of 384.
func inlineTokens(c encoder.Config) int {
	products := c.Layers * c.Width * (4*c.Width + 2*c.Inner)
	return 320 * 6 * 384 * (4*384 + 2*1536) / products
}

func orText(given *string, absent string) *string {
	if given != nil {
		return given
	}
	return &absent
}

// fingerprint is of the contents and of how they are used: a model keeps its space when its folder moves.
func fingerprint(files fs.FS, c encoder.Config) (string, error) {
	h := sha256.New()
	c.Name = ""
	_, _ = fmt.Fprintf(h, "%d %+v", reading, c) // a hash never fails
	for _, name := range []string{"model.safetensors", "tokenizer.json", "vocab.txt"} {
		f, err := files.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", lukasa.Invalid("embed.model", "open %s: %v", name, err)
		}
		_, err = io.Copy(h, f)
		_ = f.Close()
		if err != nil {
			return "", lukasa.Invalid("embed.model", "read %s: %v", name, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Space implements [embed.Embedder].
func (e *Embedder) Space() embed.Space { return e.space }

// Embed implements [embed.Embedder].
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.model.Encode(ctx, e.prefixed(e.model.Config().TextPrefix, texts))
}

// EmbedQuery implements [embed.QueryEmbedder].
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := e.model.Encode(ctx, e.prefixed(e.model.Config().QueryPrefix, []string{text}))
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// prefixed puts a prefix in front of each text that is not blank.
func (e *Embedder) prefixed(prefix string, texts []string) []string {
	if prefix == "" {
		return texts
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		if strings.TrimSpace(t) != "" {
			out[i] = prefix + t
		}
	}
	return out
}

// CountTokens implements [embed.Embedder].
func (e *Embedder) CountTokens(text string) int { return e.model.CountTokens(text) }

// KnowsWord implements [embed.Vocabulary].
func (e *Embedder) KnowsWord(word string) bool { return e.model.KnowsWord(word) }
