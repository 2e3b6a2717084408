package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// The errors of JSON-RPC for what is no request of it: https://www.jsonrpc.org/specification#error_object
const (
	codeParse   = -32700 // no JSON
	codeRequest = -32600 // JSON, and no request
)

// refusals answers in JSON-RPC where the protocol's own handler refuses a request in plain text: the status stays, and the body is an
// error of JSON-RPC without an id, since none was read.
func refusals(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body []byte
		if r.Method == http.MethodPost && r.Body != nil {
			var err error
			body, err = io.ReadAll(r.Body)
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), broken{err}))
		}
		rec := &refusal{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if rec.status == 0 {
			return
		}
		code := codeRequest
		if rec.status == http.StatusBadRequest && !json.Valid(body) {
			code = codeParse
		}
		w.WriteHeader(rec.status)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": strings.TrimSpace(rec.text.String())},
		})
	})
}

// broken is the end of a body: an error, or none.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) {
	if b.err == nil {
		return 0, io.EOF
	}
	return 0, b.err
}

// refusal passes an answer on, but for an error in plain text, which it keeps.
type refusal struct {
	http.ResponseWriter

	status int // of the error that is kept; 0 while there is none
	text   strings.Builder
}

// WriteHeader takes in the status of an error in plain text.
func (r *refusal) WriteHeader(status int) {
	if kind, _, _ := mime.ParseMediaType(r.Header().Get("Content-Type")); status < 400 || kind != "text/plain" {
		r.ResponseWriter.WriteHeader(status)
		return
	}
	r.status = status
	r.Header().Set("Content-Type", "application/json")
	r.Header().Del("Content-Length")
}

// Write takes in the words of an error in plain text.
func (r *refusal) Write(b []byte) (int, error) {
	if r.status != 0 {
		return r.text.Write(b)
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets a stream be flushed; see [http.ResponseController].
func (r *refusal) Unwrap() http.ResponseWriter { return r.ResponseWriter }
