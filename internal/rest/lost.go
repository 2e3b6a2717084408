package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// lost answers where there is nothing, and says what there is near by.
func (d *door) lost(w http.ResponseWriter, r *http.Request) {
	e := &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "no such address: " + r.Method + " " + r.URL.Path, Hint: "see /openapi.json"}
	bare := strings.TrimRight(r.URL.Path, "/")
	if methods := d.methods(r.URL.Path); len(methods) > 0 {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		e.Hint = "this address takes " + strings.Join(methods, ", ")
	} else if bare != r.URL.Path && len(d.methods(bare)) > 0 {
		e.Hint = "leave out the slash at the end: " + bare
	}
	writeError(w, r, e)
}

// methods lists those that an address answers to.
func (d *door) methods(path string) []string {
	var out []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, route := d.mux.Handler(&http.Request{Method: m, URL: &url.URL{Path: path}}); route != "/" && route != "" {
			out = append(out, m)
		}
	}
	return out
}
