package embed

import (
	"context"
	"math"
)

// halved is an embedder that [Halved] has made.
type halved struct{ Embedder }

// Halved rounds vectors to numbers of 16 bits, which take half the room in a store. Lengths and cosines change by less than a thousandth.
// It stands directly on a driver, so that whoever is handed a vector has the one that is kept.
func Halved(e Embedder) Embedder { return halved{e} }

// Unwrap implements [Unwrapper].
func (h halved) Unwrap() Embedder { return h.Embedder }

// Embed implements [Embedder].
func (h halved) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vecs, err := h.Embedder.Embed(ctx, texts)
	for _, v := range vecs {
		for i, x := range v {
			v[i] = rounded(x)
		}
	}
	return vecs, err
}

// EmbedQuery implements [QueryEmbedder]. What is asked is kept nowhere, and stays as it is.
func (h halved) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return EmbedQuery(ctx, h.Embedder, text)
}

// rounded returns the number of 16 bits (IEEE 754 binary16) next to x, ties to even. X is a number of a vector of length 1.
func rounded(x float32) float32 {
	if b := math.Float32bits(x); b&0x7fffffff >= 0x38800000 {
		return math.Float32frombits((b + 0xfff + b>>13&1) &^ 0x1fff)
	}
	return float32(math.RoundToEven(math.Ldexp(float64(x), 24))) / (1 << 24) // where there are fewer bits
}
