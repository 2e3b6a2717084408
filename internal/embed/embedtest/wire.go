package embedtest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// Vector returns a vector that depends on text alone, of no particular length: what a stand-in for a server answers.
func Vector(text string, dim int) []float32 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text) // a hash never fails
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// Vectors returns the vectors of texts.
func Vectors(texts []string, dim int) [][]float32 {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = Vector(t, dim)
	}
	return out
}

// Serve starts a server for the time of the test and returns its address.
func Serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	return wiretest.Serve(t, h)
}

// ReadStrict decodes a POST request to path into body, as [wiretest.ReadPost] does. A key of "" means that none may be sent.
func ReadStrict(t testing.TB, w http.ResponseWriter, r *http.Request, path, key string, body any) bool {
	t.Helper()
	return wiretest.ReadPost(t, w, r, wiretest.Want{Path: path, Header: wiretest.Bearer(key)}, body)
}

// ReadGet is ReadStrict for a GET request without a body.
func ReadGet(t testing.TB, w http.ResponseWriter, r *http.Request, path, key string) bool {
	t.Helper()
	return wiretest.ReadGet(t, w, r, wiretest.Want{Path: path, Header: wiretest.Bearer(key)})
}

// WriteJSON answers v.
func WriteJSON(w http.ResponseWriter, v any) { wiretest.WriteJSON(w, v) }

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a fault of the test
	}
	return string(b)
}
