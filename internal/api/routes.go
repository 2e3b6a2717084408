package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// patternMux is a mux that knows what it was given.
type patternMux struct {
	http.ServeMux
	patterns []string
}

// Handle is [http.ServeMux.Handle].
func (m *patternMux) Handle(pattern string, h http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, h)
}

// HandleFunc is [http.ServeMux.HandleFunc].
func (m *patternMux) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(h))
}

// Patterns lists what is served, like "GET /v1/documents", in the order in which it was registered.
func (m *patternMux) Patterns() []string { return m.patterns }

// Methods lists those that an address answers to; none where there is nothing. What answers to all is not told apart from what
// answers to one: open lists such.
func (m *patternMux) Methods(path string) []string {
	var out []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, route := m.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}}); route != "/" && route != "" {
			out = append(out, method)
		}
	}
	if len(out) > 0 {
		out = append(out, http.MethodOptions)
	}
	return out
}

// Lost answers where there is nothing, or nothing for the method, and says what there is near by.
func (m *patternMux) Lost(w http.ResponseWriter, r *http.Request) {
	e := &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "no such address: " + r.Method + " " + r.URL.Path, Hint: "see /openapi.json"}
	bare := strings.TrimRight(r.URL.Path, "/")
	if methods := m.Methods(r.URL.Path); len(methods) > 0 {
		allow := strings.Join(methods, ", ")
		w.Header().Set("Allow", allow)
		e = &lukasa.Error{Code: CodeMethod, Msg: r.URL.Path + " does not take " + r.Method, Hint: "this address takes " + allow}
	} else if bare != r.URL.Path && len(m.Methods(bare)) > 0 {
		e.Hint = "leave out the slash at the end: " + bare
	}
	WriteError(w, r, e)
}

// Asks answers OPTIONS: which methods an address takes. It needs no key, as the description of the API needs none.
func (m *patternMux) Asks(w http.ResponseWriter, r *http.Request) {
	methods := m.Methods(r.URL.Path)
	if len(methods) == 0 {
		m.Lost(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	w.WriteHeader(http.StatusNoContent)
}
