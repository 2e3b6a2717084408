package dashboard

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

const (
	// LinkTime is how long a link to sign in holds.
	LinkTime = 15 * time.Minute

	sessionTime = 30 * 24 * time.Hour // without a visit
	renewAfter  = 24 * time.Hour      // a visit makes the cookie anew at most this often
	maxLinks    = 1000                // that were made and not used; the oldest goes
	maxSignIn   = 64 << 10            // bytes of a request to sign in
	// askHeader must come with every change that a session asks for: a form or a page of another origin cannot send it unasked.
	askHeader = "X-Lukasa-Dashboard"
	sealedFor = "lukasa dashboard session 1"
)

// session is what a cookie holds, sealed.
type session struct {
	Secret string `json:"k"`
	Made   int64  `json:"t"` // seconds since 1970
}

// links are those that sign in once.
type links struct {
	mu   sync.Mutex
	made map[string]link
}

type link struct {
	secret string
	until  time.Time
}

// Link makes a link that signs in once with a key, and says until when. The token stands behind the #, which browsers send to nobody: neither
// logs nor proxies see it.
func (d *Door) Link(base, secret string) (address string, until time.Time) {
	now := d.Now()
	l := &d.links
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made == nil {
		l.made = map[string]link{}
	}
	oldest := ""
	for token, have := range l.made {
		if !have.until.After(now) {
			delete(l.made, token)
		} else if oldest == "" || have.until.Before(l.made[oldest].until) {
			oldest = token
		}
	}
	if len(l.made) >= maxLinks {
		delete(l.made, oldest)
	}
	token := rand.Text()
	until = now.Add(LinkTime)
	l.made[token] = link{secret: secret, until: until}
	return strings.TrimRight(base, "/") + Prefix + "#link=" + token, until
}

// redeem takes a link's key; the link is used up.
func (d *Door) redeem(token string) (string, error) {
	d.links.mu.Lock()
	defer d.links.mu.Unlock()
	l, ok := d.links.made[token]
	delete(d.links.made, token)
	if !ok || !l.until.After(d.Now()) {
		return "", &lukasa.Error{
			Code: lukasa.CodeUnauthenticated, Field: "link", Msg: "has been used, has expired, or was made by a server that has been restarted since",
			Hint: "`lukasa open` makes a new one; a key signs in as well",
		}
	}
	return l.secret, nil
}

// session signs in (POST) and out (DELETE), and says whether somebody is signed in (GET).
func (d *Door) session(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := fromHere(r); err != nil {
		refuse(w, r, err)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		_, _, ok := d.read(r)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]bool{"signed_in": ok})
	case http.MethodPost:
		d.signIn(w, r)
	case http.MethodDelete:
		d.put(w, r, "", -1)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, DELETE")
		refuse(w, r, &lukasa.Error{Code: api.CodeMethod, Msg: r.URL.Path + " does not take " + r.Method, Hint: "this address takes GET, POST and DELETE"})
	}
}

func (d *Door) signIn(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Key  string `json:"key"`
		Link string `json:"link"`
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxSignIn))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		refuse(w, r, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "body", Msg: "is not an object with key or link", Err: err})
		return
	}
	secret := strings.TrimSpace(in.Key)
	if in.Link != "" {
		var err error
		if secret, err = d.redeem(in.Link); err != nil {
			refuse(w, r, err)
			return
		}
	}
	if _, err := d.Scope(r.Context(), secret); err != nil {
		refuse(w, r, err)
		return
	}
	if err := d.seal(w, r, secret); err != nil {
		refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// makeLink answers a key, or a session, with a link that signs in once with the same key: for `lukasa open`, and for another browser.
func (d *Door) makeLink(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		refuse(w, r, &lukasa.Error{Code: api.CodeMethod, Msg: r.URL.Path + " does not take " + r.Method, Hint: "this address takes POST"})
		return
	}
	secret := api.Secret(r)
	if secret == "" {
		if err := fromHere(r); err != nil {
			refuse(w, r, err)
			return
		}
		secret, _, _ = d.read(r)
	}
	if _, err := d.Scope(r.Context(), secret); err != nil {
		refuse(w, r, err)
		return
	}
	path, until := d.Link("", secret)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"path": path, "expires_at": until.UTC()})
}

// seal puts a fresh session into the browser.
func (d *Door) seal(w http.ResponseWriter, r *http.Request, secret string) error {
	plain, err := json.Marshal(session{Secret: secret, Made: d.Now().Unix()})
	if err != nil {
		return err
	}
	sealed, err := crypt.Seal(nil, d.Seal, []byte(sealedFor), plain, rand.Reader)
	if err != nil {
		return err
	}
	d.put(w, r, base64.RawURLEncoding.EncodeToString(sealed), int(sessionTime.Seconds()))
	return nil
}

func (d *Door) put(w http.ResponseWriter, r *http.Request, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure(r),
	})
}

// read opens the session of a request.
func (d *Door) read(r *http.Request) (secret string, made time.Time, ok bool) {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return "", made, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return "", made, false
	}
	plain, err := crypt.Open(nil, d.Seal, []byte(sealedFor), sealed)
	if err != nil {
		return "", made, false
	}
	var s session
	if json.Unmarshal(plain, &s) != nil {
		return "", made, false
	}
	made = time.Unix(s.Made, 0)
	return s.Secret, made, d.Now().Sub(made) < sessionTime
}

// renew makes the cookie of a visitor anew once a day, so that only who stays away for long has to sign in again.
func (d *Door) renew(w http.ResponseWriter, r *http.Request) {
	secret, made, ok := d.read(r)
	if ok && d.Now().Sub(made) > renewAfter {
		_ = d.seal(w, r, secret) // the old one still holds
	}
}

// cookieName differs by port: browsers send the cookies of one port of a host to all of them, and there may be a server at each.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = ""
	}
	return "lukasa_session" + strings.TrimRight("_"+port, "_")
}

// secure reports whether the browser sees this server over TLS, which a proxy in front may end.
func secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// fromHere is an error for a request that a page of another origin has a browser send. A page of our own says so by Sec-Fetch-Site, or, where
// the browser does not send that, by an Origin that names this host; and what changes anything carries a header of ours, too.
func fromHere(r *http.Request) error {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	foreign := &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "this session belongs to the dashboard, and the request comes from another page", Hint: "programs send a key: `Authorization: Bearer sk_…`"}
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	switch {
	case site == "same-origin":
	case site == "none":
		if !safe {
			return foreign
		}
	case site != "":
		return foreign
	case origin != "":
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return foreign
		}
	}
	if !safe && r.Header.Get(askHeader) == "" {
		return &lukasa.Error{Code: lukasa.CodeForbidden, Field: askHeader, Msg: "is missing: a session changes something only with this header", Hint: foreign.Hint}
	}
	return nil
}

// refuse answers with an error in the shape of the API.
func refuse(w http.ResponseWriter, r *http.Request, err error) { api.WriteError(w, r, err) }
