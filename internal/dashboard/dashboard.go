// Package dashboard serves the dashboard to browsers, and keeps who is signed in: it turns a session cookie into the key that the API asks for.
//
// A session is a sealed cookie that carries the key, so the server stores nothing: a restart ends no session, and the API checks the key at each
// request, so a revoked key ends its sessions at once. What a session may do is what its key may do.
package dashboard

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Prefix is where the pages stand.
const Prefix = "/dashboard/"

// policy is the content security policy of the pages: nothing from elsewhere, no script or style in the text, and text becomes markup only by
// way of the one library that cleans it.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
	"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify lukasa"

// sandbox is the policy of what the API answers to a session: a saved page that is opened runs nothing and reaches nothing.
const sandbox = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox"

// Options are what the pages need of the house.
type Options struct {
	Files fs.FS                                                          // the built pages
	Seal  []byte                                                         // 32 bytes that seal sessions
	Scope func(ctx context.Context, secret string) (lukasa.Scope, error) // what a key may do; an error for one that opens nothing
	Now   func() time.Time                                               // nil means time.Now
}

// Door serves the pages and hands every other request on. It is safe for concurrent use.
type Door struct {
	Options
	next  http.Handler
	links links

	mu    sync.Mutex
	files map[string]*file
}

// New returns the door before next, which is the API.
func New(next http.Handler, o Options) *Door {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Door{Options: o, next: next, files: map[string]*file{}}
}

// ServeHTTP serves the pages, signs in and out, and gives the API the key of the session.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch p := r.URL.Path; {
	case p == "/" && wantsPage(r), p == strings.TrimSuffix(Prefix, "/"):
		http.Redirect(w, r, Prefix, http.StatusFound)
	case p == Prefix+"session":
		d.session(w, r)
	case p == Prefix+"links":
		d.makeLink(w, r)
	case strings.HasPrefix(p, Prefix):
		d.page(w, r, strings.TrimPrefix(p, Prefix))
	case strings.HasPrefix(p, "/v1/"), p == "/metrics":
		d.api(w, r)
	default:
		d.next.ServeHTTP(w, r)
	}
}

// wantsPage reports whether a browser asks for a page, and not a program for JSON.
func wantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// api hands a request on. One that has no key of its own and a session gets the session's key.
func (d *Door) api(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" || r.Header.Get("X-API-Key") != "" {
		d.next.ServeHTTP(w, r)
		return
	}
	secret, _, ok := d.read(r)
	if !ok {
		d.next.ServeHTTP(w, r)
		return
	}
	if err := fromHere(r); err != nil {
		refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", sandbox)
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Cookie")
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+secret)
	d.next.ServeHTTP(w, r)
}

// file is one of the built pages, ready to be sent.
type file struct {
	body, packed []byte // packed is nil where gzip does not make it smaller
	kind, tag    string
}

// page sends one of the built files. Every other address below the prefix is one that the pages understand, and gets the first page.
func (d *Door) page(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, r, lukasa.Errorf(lukasa.CodeInvalid, "%s takes GET and HEAD", r.URL.Path))
		return
	}
	f := d.file(name)
	if f == nil && strings.HasPrefix(name, "assets/") {
		refuse(w, r, &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "there is no such file", Hint: "the dashboard has changed since this page was opened: load it again"})
		return
	}
	h := w.Header()
	if f == nil || name == "index.html" {
		name = "index.html"
		if f = d.file(name); f == nil {
			refuse(w, r, lukasa.Errorf(lukasa.CodeNotFound, "this binary was built without the dashboard"))
			return
		}
		d.renew(w, r)
		h.Set("Cache-Control", "no-cache")
	} else {
		h.Set("Cache-Control", cacheFor(name))
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.tag)
	h.Add("Vary", "Accept-Encoding")
	body := f.body
	if f.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && r.Header.Get("Range") == "" {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", strings.TrimSuffix(f.tag, `"`)+`-gz"`)
		body = f.packed
		h.Set("Content-Length", strconv.Itoa(len(body))) // it is not set by itself for what is encoded
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// file returns a built file, nil if there is none of that name. The first call reads and packs it.
func (d *Door) file(name string) *file {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.files[name]; ok {
		return f
	}
	if name == "" || !fs.ValidPath(name) {
		return nil
	}
	body, err := fs.ReadFile(d.Files, name)
	if err != nil {
		return nil // it is not kept: anybody may ask for any name
	}
	sum := sha256.Sum256(body)
	f := &file{body: body, kind: mime.TypeByExtension(path.Ext(name)), tag: `"` + hex.EncodeToString(sum[:12]) + `"`}
	if kind, ok := kinds()[path.Ext(name)]; ok {
		f.kind = kind // the tables of the machine differ
	}
	if packed := pack(body); len(packed) < len(body)*9/10 {
		f.packed = packed
	}
	d.files[name] = f
	return f
}

func kinds() map[string]string {
	return map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".woff2": "font/woff2", ".json": "application/json",
	}
}

func pack(b []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one of gzip's own
	_, _ = z.Write(b)                                       // a buffer takes everything
	_ = z.Close()
	return out.Bytes()
}

// cacheFor says for how long a browser keeps a file. Those in assets/ have their content in their name.
func cacheFor(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}
