// Package wiretest is what tests of drivers need to stand in for a server: a strict reader of requests, and ways to fail.
// It is imported by tests only.
package wiretest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve starts a server for the time of the test and returns its address.
func Serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// Want is what a request must look like; anything else fails the test.
type Want struct {
	Path   string // as it is in the address, escapes included
	Query  string
	Accept string            // "": application/json
	Header map[string]string // a value of "" means that the header may not be there
}

// Bearer returns the header that carries key, or none for "".
func Bearer(key string) map[string]string {
	if key != "" {
		key = "Bearer " + key
	}
	return map[string]string{"Authorization": key}
}

// ReadPost decodes a POST request into body, which must be a pointer to a struct with a field for everything that may be
// sent: an unknown field fails the test. It reports whether all was well, and answers 400 where it was not.
func ReadPost(t testing.TB, w http.ResponseWriter, r *http.Request, want Want, body any) bool {
	t.Helper()
	err := want.check(r, http.MethodPost)
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

// ReadGet is [ReadPost] for a GET request without a body.
func ReadGet(t testing.TB, w http.ResponseWriter, r *http.Request, want Want) bool {
	t.Helper()
	err := want.check(r, http.MethodGet)
	if err == nil && (r.ContentLength > 0 || r.Header.Get("Content-Type") != "") {
		err = fmt.Errorf("a body of %d bytes, content type %q", r.ContentLength, r.Header.Get("Content-Type"))
	}
	return answer(t, w, r, err)
}

func (want Want) check(r *http.Request, method string) error {
	if want.Accept == "" {
		want.Accept = "application/json"
	}
	if r.Method != method || r.URL.EscapedPath() != want.Path || r.URL.RawQuery != want.Query {
		return fmt.Errorf("want %s %s?%s", method, want.Path, want.Query)
	}
	if got := r.Header.Get("Accept"); got != want.Accept {
		return fmt.Errorf("accept %q, want %q", got, want.Accept)
	}
	for k, v := range want.Header {
		if got := r.Header.Get(k); got != v {
			return fmt.Errorf("%s %q, want %q", k, got, v)
		}
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

// Stuck answers nothing until the client goes away.
func Stuck(_ http.ResponseWriter, r *http.Request) {
	buf := make([]byte, 4096)
	for { // the server notices a client that went away only once the request is read
		if _, err := r.Body.Read(buf); err != nil {
			break
		}
	}
	<-r.Context().Done()
}
