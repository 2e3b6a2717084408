package api

import (
	"net/http"
	"slices"
	"strings"
)

// Origins are the web pages that may ask from a browser, as Origin names them: https://app.example.org. "*" stands for every page,
// which then sends no credentials of the browser's own. None: no page may.
type Origins []string

// What pages may send beside the method, and read of an answer beside its body.
const (
	sentHeaders = "Authorization, Content-Type, X-API-Key, X-Request-Id, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version"
	readHeaders = "X-Request-Id, Retry-After, Content-Disposition, Allow, Mcp-Session-Id, WWW-Authenticate"
	maxAge      = "600" // seconds that an answer to a question beforehand holds
)

// Greet tells a browser whether the page that asks may read the answer. It reports whether the request is the browser's question
// beforehand, to which this is all there is to say.
func (o Origins) Greet(w http.ResponseWriter, r *http.Request, methods func(path string) []string) (preflight bool) {
	if len(o) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	preflight = r.Method == http.MethodOptions && origin != "" && r.Header.Get("Access-Control-Request-Method") != ""
	switch {
	case origin == "":
	case slices.Contains(o, origin):
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	case slices.Contains(o, "*"):
		h.Set("Access-Control-Allow-Origin", "*")
	default:
		return false // it is answered as if it came from no page, and the browser keeps the answer to itself
	}
	if !preflight {
		if origin != "" {
			h.Set("Access-Control-Expose-Headers", readHeaders)
		}
		return false
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(methods(r.URL.Path), ", "))
	h.Set("Access-Control-Allow-Headers", sentHeaders)
	h.Set("Access-Control-Max-Age", maxAge)
	return true
}
