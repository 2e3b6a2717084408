package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/lukasa-memory/lukasa/internal/blob/s3"
)

// A fate is what becomes of a request on its way.
type fate int

const (
	pass     fate = iota
	slowDown      // 503 with the words of S3
	broken        // 500 with a page of HTML, as a gateway answers
	skewed        // 403: the clocks differ
	cut           // the connection ends before the server sees anything
	lost          // the server does it, and its answer is lost
	half          // the answer breaks off in its middle
	nothing       // the answer's head comes, and not one byte of its body
	silent        // nobody says anything
	stalls        // the answer's first half comes, and then nothing for ever
	refused       // 501: the server does not know what is asked
	ignored       // the server overlooks the condition
	whole         // the server overlooks the range
)

// A proxy stands between the driver and the real server.
type proxy struct {
	mu   sync.Mutex
	seen []string
	fate func(*http.Request) fate
	next *httputil.ReverseProxy
	o    s3.Options // of the real server
	end  chan struct{}
}

// between returns options that lead through a proxy, which asks decide about each request.
func between(t testing.TB, decide func(*http.Request) fate) (s3.Options, *proxy) {
	t.Helper()
	o := options(t)
	to, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{fate: decide, o: o, end: make(chan struct{}), next: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}}
	server := httptest.NewServer(p)
	t.Cleanup(func() { close(p.end); server.CloseClientConnections(); server.Close() })
	o.URL = server.URL
	return o, p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, kind(r))
	what := p.fate(r)
	p.mu.Unlock()
	answer := func(status int, code string) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>said the proxy</Message></Error>", code)
	}
	switch what {
	case slowDown:
		answer(http.StatusServiceUnavailable, "SlowDown")
	case skewed:
		answer(http.StatusForbidden, "RequestTimeTooSkewed")
	case refused:
		answer(http.StatusNotImplemented, "NotImplemented")
	case broken:
		_, _ = io.Copy(io.Discard, r.Body)
		http.Error(w, "<html>Bad Gateway</html>", http.StatusInternalServerError)
	case cut:
		panic(http.ErrAbortHandler)
	case lost:
		p.next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case half, nothing, stalls:
		p.cutShort(w, r, what)
	case silent:
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-p.end:
		}
		panic(http.ErrAbortHandler)
	case ignored:
		p.forward(w, r, "If-None-Match")
	case whole:
		p.forward(w, r, "Range")
	default:
		p.next.ServeHTTP(w, r)
	}
}

// cutShort gives the head of the server's answer and a part of its body.
func (p *proxy) cutShort(w http.ResponseWriter, r *http.Request, what fate) {
	rec := httptest.NewRecorder()
	p.next.ServeHTTP(rec, r)
	body := rec.Body.Bytes()
	maps.Copy(w.Header(), rec.Header())
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(rec.Code)
	if what != nothing {
		_, _ = w.Write(body[:len(body)/2])
	}
	_ = http.NewResponseController(w).Flush()
	if what == stalls {
		select {
		case <-r.Context().Done():
		case <-p.end:
		}
	}
	panic(http.ErrAbortHandler)
}

// forward sends a request on without a header, signed anew, as a server sees it that does not know the header.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request, without string) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, p.o.URL+r.URL.RequestURI(), bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	for k, v := range r.Header {
		if k != without && k != "Authorization" {
			out.Header[k] = v
		}
	}
	res, err := http.DefaultTransport.RoundTrip(signer.SignV4(*out, p.o.AccessKey, p.o.SecretKey, "", "us-east-1"))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	_, err = io.Copy(w, res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// count returns how many requests of a kind were seen.
func (p *proxy) count(kind string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, k := range p.seen {
		if k == kind {
			n++
		}
	}
	return n
}

// decide replaces what becomes of requests from now on.
func (p *proxy) decide(fn func(*http.Request) fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fate, p.seen = fn, nil
}

// kind names a request by what it does.
func kind(r *http.Request) string {
	q := r.URL.Query()
	switch {
	case q.Has("uploads") && r.Method == http.MethodPost:
		return "initiate"
	case q.Has("uploads"):
		return "uploads"
	case q.Has("partNumber"):
		return "part"
	case q.Has("uploadId") && r.Method == http.MethodPost:
		return "complete"
	case q.Has("uploadId"):
		return "abort"
	case q.Has("list-type"):
		return "list"
	case q.Has("versioning"):
		return "versioning"
	}
	return strings.ToLower(r.Method)
}

// first gives the first n requests of a kind one fate, and all others a pass.
func first(n int, of string, what fate) func(*http.Request) fate {
	return func(r *http.Request) fate {
		if n > 0 && kind(r) == of && !strings.Contains(r.URL.Path, "@probe") {
			n--
			return what
		}
		return pass
	}
}

func passes(*http.Request) fate { return pass }

const soon = 400 * time.Millisecond
