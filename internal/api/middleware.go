package api

import (
	"net"
	"net/http"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Plainly refuses a body that is encoded for the way, which would be read as if it were not.
func Plainly(r *http.Request) error {
	if enc := r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return &lukasa.Error{Code: lukasa.CodeUnsupported, Field: "Content-Encoding", Msg: "is not understood", Hint: "send the body as it is"}
	}
	return nil
}

// Address is where a request comes from, without its port.
func Address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Secret reads `Authorization: Bearer sk_…`, the bare `Authorization: sk_…`, or X-API-Key.
func Secret(r *http.Request) string {
	h := r.Header.Get("Authorization")
	if scheme, rest, ok := strings.Cut(h, " "); ok {
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(rest)
		}
		h = "" // it is for somebody before us, like a proxy
	}
	if h != "" {
		return h
	}
	return r.Header.Get("X-API-Key")
}

// RequestID is the id that the client gave to a request, if it can be one, or else a new one.
func RequestID(r *http.Request, mint func() string) string {
	id := r.Header.Get("X-Request-Id")
	if ok := len(id) > 0 && len(id) <= 128 && strings.IndexFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) < 0; ok {
		return id
	}
	if mint == nil {
		return ""
	}
	return mint()
}

// Recorder remembers the status for log and metrics.
type Recorder struct {
	http.ResponseWriter
	Status  int
	Wrote   bool
	Instead int // answer with this status, whatever is written
}

// WriteHeader implements [http.ResponseWriter].
func (r *Recorder) WriteHeader(status int) {
	if r.Instead != 0 {
		status = r.Instead
	}
	if !r.Wrote {
		r.Status, r.Wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *Recorder) Write(b []byte) (int, error) {
	r.Wrote = true
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush hands on what is written so far.
func (r *Recorder) Flush() {
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
