package embedtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
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
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// ReadStrict decodes a POST request to path into body, which must be a pointer to a struct with a field for everything
// that may be sent: an unknown field fails the test, as do another method, path, query, key or content type. A key of ""
// means that none may be sent. It reports whether all was well, and answers 400 where it was not.
func ReadStrict(t testing.TB, w http.ResponseWriter, r *http.Request, path, key string, body any) bool {
	t.Helper()
	err := checkHeader(r, http.MethodPost, path, key)
	if err == nil && r.Header.Get("Content-Type") != "application/json" {
		err = fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	if err == nil {
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err = d.Decode(body); err == nil {
			if _, more := d.Token(); more != io.EOF {
				err = fmt.Errorf("more than one JSON value")
			}
		}
	}
	return answer(t, w, r, err)
}

// ReadGet is ReadStrict for a GET request without a body.
func ReadGet(t testing.TB, w http.ResponseWriter, r *http.Request, path, key string) bool {
	t.Helper()
	err := checkHeader(r, http.MethodGet, path, key)
	if err == nil && (r.ContentLength > 0 || r.Header.Get("Content-Type") != "") {
		err = fmt.Errorf("a body of %d bytes, content type %q", r.ContentLength, r.Header.Get("Content-Type"))
	}
	return answer(t, w, r, err)
}

func checkHeader(r *http.Request, method, path, key string) error {
	want := ""
	if key != "" {
		want = "Bearer " + key
	}
	switch {
	case r.Method != method || r.URL.Path != path || r.URL.RawQuery != "":
		return fmt.Errorf("want %s %s", method, path)
	case r.Header.Get("Authorization") != want:
		return fmt.Errorf("authorization %q, want %q", r.Header.Get("Authorization"), want)
	case r.Header.Get("Accept") != "application/json":
		return fmt.Errorf("accept %q", r.Header.Get("Accept"))
	}
	return nil
}

func answer(t testing.TB, w http.ResponseWriter, r *http.Request, err error) bool {
	t.Helper()
	if err == nil {
		return true
	}
	t.Errorf("request %s %s: %v", r.Method, r.URL, err)
	http.Error(w, err.Error(), http.StatusBadRequest)
	return false
}

// WriteJSON answers v.
func WriteJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the other side sees a broken answer
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a fault of the test
	}
	return string(b)
}
