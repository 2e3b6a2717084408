// Package static embeds with a Model2Vec file that a user has put on disk: one vector per word piece, no network, a few
// microseconds a sentence. It is a driver of package embed.
//
// What Model2Vec does, by its public source, and this package does too: a text is normalised and cut as BERT does it
// (BertNormalizer, BertPreTokenizer, WordPiece of tokenizer.json), without special tokens; unknown words are dropped; the
// vectors of the rest (tensor "embeddings" of model.safetensors, or "embedding.weight" of sentence-transformers' layout) are
// averaged. Newer files with a reduced vocabulary have two tensors more: "mapping" leads from a piece to its row, and
// "weights" holds a factor for each piece. The numbers may be float32, float16 or int8 and stay as they are in memory.
//
// What differs: vectors always have length 1, whatever "normalize" in config.json says, as package embed promises; texts
// are not cut after 512 pieces, which a mean does not need; special tokens that are written out in a text are read as text.
// Characters that are younger than the tokenizer's own Unicode tables may be cut otherwise. Files whose tokenizer is another
// (Unigram: the multilingual models, and what recent versions of Model2Vec distil) are refused with a message.
//
// The formats are read as documented; no published model was at hand, so all that is tested is tested on files that the
// tests write.
package static

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
)

const (
	modelFile     = "model.safetensors"
	tokenizerFile = "tokenizer.json"
	configFile    = "config.json"
	nestedDir     = "0_StaticEmbedding" // where some versions of sentence-transformers put both

	maxModelBytes     = 2 << 30
	maxTokenizerBytes = 64 << 20
	maxConfigBytes    = 1 << 20

	// reading is raised when the same file gives other vectors than before: it is part of the space's id.
	reading = 1
)

// Options configure the driver.
type Options struct {
	Dir   string // the folder with model.safetensors and tokenizer.json
	Model string // the model's name, for people; "": the folder's
	// Profile is, when zero, related 0.35, near 0.80, vector weight 0.5: an assumption between the cosines of the builtin
	// model, which are lower, and those of transformers, which are higher. It is not measured.
	Profile embed.Profile
}

// Embedder is the driver. Make it with [New]; it is safe for concurrent use.
type Embedder struct {
	model model
	space embed.Space
}

var (
	_ embed.Embedder    = (*Embedder)(nil)
	_ embed.Coverage    = (*Embedder)(nil)
	_ embed.WordVectors = (*Embedder)(nil)
)

// New reads the files into memory, once. Its error is a [lukasa.Error] of code invalid that says which file is at fault.
func New(o Options) (*Embedder, error) {
	if o.Dir == "" {
		return nil, lukasa.Invalid("model", "static needs the folder of a Model2Vec model")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, lukasa.Invalid("model", "%v", err)
	}
	if o.Model == "" {
		o.Model = filepath.Base(dir)
	}
	if err := checkConfig(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, modelFile)); errors.Is(err, fs.ErrNotExist) {
		if nested := filepath.Join(dir, nestedDir); isDir(nested) {
			dir = nested
		}
	}
	tensors, err := readFile(dir, modelFile, maxModelBytes)
	if err != nil {
		return nil, err
	}
	vocabulary, err := readFile(dir, tokenizerFile, maxTokenizerBytes)
	if err != nil {
		return nil, err
	}
	e := &Embedder{}
	if e.model.tokenizer, err = parseTokenizer(vocabulary); err != nil {
		return nil, badFile(tokenizerFile, err)
	}
	if err := e.model.load(tensors); err != nil {
		return nil, badFile(modelFile, err)
	}
	if o.Profile == (embed.Profile{}) {
		o.Profile = embed.Profile{Related: 0.35, Near: 0.80, VectorWeight: 0.5}
	}
	e.space = embed.Space{ID: "static:" + fingerprint(tensors, vocabulary), Model: o.Model, Dim: e.model.rows.dim, Local: true, Profile: o.Profile}
	return e, nil
}

// fingerprint is of the contents only: a model keeps its space when its folder moves.
func fingerprint(files ...[]byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d", reading) // a hash never fails
	for _, f := range files {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(f))))
		_, _ = h.Write(f)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func badFile(name string, err error) error {
	return &lukasa.Error{
		Code: lukasa.CodeInvalid, Field: "model", Msg: "cannot use " + name, Err: err,
		Hint: "name the folder of a Model2Vec model with a WordPiece tokenizer",
	}
}

// readFile reads a file of at most limit bytes.
func readFile(dir, name string, limit int64) ([]byte, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, badFile(name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, badFile(name, err)
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, badFile(name, fmt.Errorf("%s of %d bytes, not a file of at most %d", info.Mode().Type(), info.Size(), limit))
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, badFile(name, err)
	}
	return b, nil
}

// checkConfig refuses the folder of another kind of model, as far as config.json tells. Nothing else in it is needed.
func checkConfig(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, configFile)); errors.Is(err, fs.ErrNotExist) {
		return nil // sentence-transformers' layout has none
	}
	b, err := readFile(dir, configFile, maxConfigBytes)
	if err != nil {
		return err
	}
	var c struct {
		ModelType string `json:"model_type"`
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return badFile(configFile, fmt.Errorf("decode settings: %w", err))
	}
	if c.ModelType != "" && c.ModelType != "model2vec" {
		return badFile(configFile, fmt.Errorf("a model of type %q, not model2vec", c.ModelType))
	}
	return nil
}

// Space implements [embed.Embedder].
func (e *Embedder) Space() embed.Space { return e.space }

// Embed implements [embed.Embedder]. It looks at ctx between texts.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	dim := e.space.Dim
	out := make([][]float32, len(texts))
	all := make([]float32, dim*len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("embed texts: %w", err)
		}
		v := all[i*dim : (i+1)*dim : (i+1)*dim]
		e.model.sum(v, t)
		normalise(v)
		out[i] = v
	}
	return out, nil
}

// CountTokens returns the number of word pieces in text; an unknown word counts as one.
func (e *Embedder) CountTokens(text string) int {
	var letters [wordRoom]byte
	var room [pieceRoom]uint32
	ids := room[:0]
	n := 0
	r := e.model.tokenizer.read(text)
	for word := r.next(letters[:0]); len(word) > 0; word = r.next(word[:0]) {
		ids = r.pieces(ids[:0], word)
		n += max(len(ids), 1)
	}
	return n
}

// Known implements [embed.Coverage]: the share of words, punctuation aside, that the vocabulary has as a whole. The vectors
// of others are put together from pieces, or missing.
func (e *Embedder) Known(text string) float64 {
	var letters [wordRoom]byte
	known, total := 0, 0
	r := e.model.tokenizer.read(text)
	for word := r.next(letters[:0]); len(word) > 0; word = r.next(word[:0]) {
		if !r.wordy {
			continue
		}
		total++
		if r.runes <= r.t.wordRunes && r.t.has(word) {
			known++
		}
	}
	if total == 0 {
		return 0
	}
	return float64(known) / float64(total)
}

// WordVector implements [embed.WordVectors]. It reads token like any text and sums its pieces, which is what the word adds
// to the vector of a text.
func (e *Embedder) WordVector(token string, dst []float32) bool {
	if len(dst) < e.space.Dim {
		return false
	}
	return e.model.sum(dst[:e.space.Dim], token) > 0
}

// Tokens implements [embed.WordVectors]: whole words, without punctuation.
func (e *Embedder) Tokens(text string) []string {
	var letters [wordRoom]byte
	var out []string
	r := e.model.tokenizer.read(text)
	for word := r.next(letters[:0]); len(word) > 0; word = r.next(word[:0]) {
		if r.wordy {
			out = append(out, string(word))
		}
	}
	return out
}

// normalise makes the length of v 1, and leaves a zero vector alone.
func normalise(v []float32) {
	var n float64
	for _, x := range v {
		n += float64(x) * float64(x)
	}
	if n == 0 {
		return
	}
	f := 1 / math.Sqrt(n)
	for i := range v {
		v[i] = float32(float64(v[i]) * f)
	}
}
