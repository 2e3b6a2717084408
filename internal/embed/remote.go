package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
)

// Role says what a text is for.
type Role int

// The roles.
const (
	Document Role = iota // a text that will be found
	Query                // a text to find others with
)

// Limits bound one request of a remote driver. Zero fields mean no limit.
type Limits struct {
	Texts      int // texts in a batch
	Tokens     int // estimated tokens in a batch
	TextTokens int // estimated tokens in a text; longer ones are cut
}

// RemoteOptions describe a remote model.
type RemoteOptions struct {
	Kind     string  // the driver's name
	Model    string  // the model's name
	Revision string  // part of the space's id; set it to make vectors anew although the name of the model stays
	Dim      int     // expected dimension, enforced; 0: learned from the first answer, then enforced
	Profile  Profile // thresholds and weights; see [ProfileOf]
	Limits   Limits

	QueryPrefix string // put before every query, as some models want ("search_query: "); part of the space's id
	TextPrefix  string // put before every other text; part of the space's id

	// Prepare, if set, is called before the first batch, and again until it succeeds once; its limits replace Limits.
	Prepare func(ctx context.Context) (Limits, error)

	// Call makes one exchange: one vector per text, in order, of any length of norm. Texts are never blank.
	Call func(ctx context.Context, role Role, texts []string) ([][]float32, error)
}

// Remote makes an [Embedder] of one HTTP exchange. It cuts long texts, skips blank ones, makes batches, and checks every
// answer for count, dimension and finite values before it normalises. Drivers embed it.
type Remote struct {
	o      RemoteOptions
	id     string
	dim    atomic.Int64
	limits atomic.Pointer[Limits] // nil until prepared
	gate   chan struct{}          // held by the one caller that prepares
}

var (
	_ Embedder      = (*Remote)(nil)
	_ QueryEmbedder = (*Remote)(nil)
	_ Prober        = (*Remote)(nil)
)

// NewRemote returns the embedder; Kind, Model and Call are required.
func NewRemote(o RemoteOptions) (*Remote, error) {
	switch {
	case o.Kind == "" || o.Call == nil:
		return nil, errors.New("make remote embedder: kind or call is missing")
	case o.Model == "":
		return nil, lukasa.Invalid("model", "%s needs the name of an embedding model", o.Kind)
	case o.Dim < 0 || o.Dim > maxDim:
		return nil, lukasa.Invalid("dimensions", "%d is not a dimension from 1 to %d", o.Dim, maxDim)
	}
	r := &Remote{o: o, gate: make(chan struct{}, 1)}
	if o.Prepare == nil {
		r.limits.Store(&o.Limits)
	}
	r.dim.Store(int64(o.Dim))
	h := sha256.New()
	for _, s := range []string{o.Kind, o.Model, o.Revision, strconv.Itoa(o.Dim), o.QueryPrefix, o.TextPrefix} {
		_, _ = fmt.Fprintf(h, "%d:%s,", len(s), s) // a hash never fails
	}
	r.id = o.Kind + ":" + o.Model + ":" + hex.EncodeToString(h.Sum(nil)[:4])
	return r, nil
}

// maxDim is larger than any known model's dimension.
const maxDim = 1 << 16

// Space implements [Embedder]. The id covers driver, model, revision, configured dimension and prefixes, not the address:
// a model keeps its space when its server moves.
func (r *Remote) Space() Space {
	return Space{ID: r.id, Model: r.o.Model, Dim: int(r.dim.Load()), Profile: r.o.Profile}
}

// CountTokens implements [Embedder] with an estimate.
func (r *Remote) CountTokens(text string) int { return EstimateTokens(text) }

// Probe implements [Prober]: it embeds one word if the dimension is not known yet.
func (r *Remote) Probe(ctx context.Context) (Space, error) {
	if r.dim.Load() == 0 {
		if _, err := r.prepare(ctx); err != nil {
			return r.Space(), r.fail(err)
		}
		if _, err := r.call(ctx, Document, []string{"dimension"}); err != nil {
			return r.Space(), r.fail(err)
		}
	}
	return r.Space(), nil
}

// Embed implements [Embedder].
func (r *Remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return r.embed(ctx, Document, texts)
}

// EmbedQuery implements [QueryEmbedder].
func (r *Remote) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := r.embed(ctx, Query, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func (r *Remote) embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, r.fail(err)
	}
	if len(texts) == 0 {
		return [][]float32{}, nil
	}
	limits, err := r.prepare(ctx)
	if err != nil {
		return nil, r.fail(err)
	}
	out := make([][]float32, len(texts))
	var blank, full []int
	clean := make([]string, len(texts))
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			blank = append(blank, i)
			continue
		}
		clean[i] = r.prefix(role) + CutTokens(strings.ToValidUTF8(t, string(utf8.RuneError)), limits.TextTokens)
		full = append(full, i)
	}
	for len(full) > 0 {
		n := batch(clean, full, limits)
		part := make([]string, n)
		for i, at := range full[:n] {
			part[i] = clean[at]
		}
		vectors, err := r.call(ctx, role, part)
		if err != nil {
			return out, r.fail(err)
		}
		for i, at := range full[:n] {
			out[at] = vectors[i]
		}
		full = full[n:]
	}
	if len(blank) > 0 {
		s, err := r.Probe(ctx)
		if err != nil {
			return out, err
		}
		for _, i := range blank {
			out[i] = make([]float32, s.Dim)
		}
	}
	return out, nil
}

func (r *Remote) prefix(role Role) string {
	if role == Query {
		return r.o.QueryPrefix
	}
	return r.o.TextPrefix
}

// batch returns how many of the texts at the places of next fit into one request, at least one.
func batch(texts []string, next []int, l Limits) int {
	tokens := 0
	for n, i := range next {
		if l.Tokens > 0 {
			tokens += EstimateTokens(texts[i])
		}
		if n > 0 && (l.Texts > 0 && n >= l.Texts || l.Tokens > 0 && tokens > l.Tokens) {
			return n
		}
	}
	return len(next)
}

// prepare returns the limits, after the driver's preparation has succeeded once. Callers wait for one another.
func (r *Remote) prepare(ctx context.Context) (Limits, error) {
	if l := r.limits.Load(); l != nil {
		return *l, nil
	}
	select {
	case r.gate <- struct{}{}:
		defer func() { <-r.gate }()
	case <-ctx.Done():
		return Limits{}, ctx.Err()
	}
	if l := r.limits.Load(); l != nil {
		return *l, nil
	}
	l, err := r.o.Prepare(ctx)
	if err != nil {
		return l, err
	}
	r.limits.Store(&l)
	return l, nil
}

// call makes one exchange and checks and normalises its vectors.
func (r *Remote) call(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	vectors, err := r.o.Call(ctx, role, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, lukasa.Errorf(lukasa.CodeExternal, "server answered %d vectors for %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if err := r.check(v); err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, lukasa.Errorf(lukasa.CodeExternal, "server answered vectors of %d and of %d values", len(vectors[0]), len(v))
		}
	}
	if d := len(vectors[0]); !r.dim.CompareAndSwap(0, int64(d)) && int(r.dim.Load()) != d {
		return nil, r.dimensionError(d)
	}
	return vectors, nil
}

// check normalises v in place, or says what is wrong with it.
func (r *Remote) check(v []float32) error {
	if want := int(r.dim.Load()); want != 0 && len(v) != want {
		return r.dimensionError(len(v))
	}
	if len(v) == 0 || len(v) > maxDim {
		return lukasa.Errorf(lukasa.CodeExternal, "server answered a vector of %d values", len(v))
	}
	var n float64
	for _, x := range v {
		n += float64(x) * float64(x)
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return lukasa.Errorf(lukasa.CodeExternal, "server answered a vector with values that are not numbers")
	}
	if n == 0 {
		return nil
	}
	f := 1 / math.Sqrt(n)
	for i := range v {
		v[i] = float32(float64(v[i]) * f)
	}
	return nil
}

func (r *Remote) dimensionError(got int) error {
	return &lukasa.Error{
		Code: lukasa.CodeExternal,
		Msg:  fmt.Sprintf("expected %d dimensions, got %d", r.dim.Load(), got),
		Hint: "the server serves another model, or the configured dimensions are wrong",
		Err:  ErrDimension,
	}
}

// fail says what was tried, and keeps code, hint and Retry-After where a caller finds them.
func (r *Remote) fail(err error) error {
	return fmt.Errorf("embed with %s %s: %w", r.o.Kind, r.o.Model, err)
}
