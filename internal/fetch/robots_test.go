package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/fetch"
)

// site serves a robots.txt, and a page everywhere else.
func site(t *testing.T, robots string) (address string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.Path)
		mu.Unlock()
		switch {
		case r.URL.Path == "/robots.txt" && robots == "":
			http.NotFound(w, r)
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, robots)
		case r.URL.Path == "/away":
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		default:
			fmt.Fprint(w, "a page")
		}
	})
	return at, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(paths, " ")
	}
}

func TestRobots(t *testing.T) { // D-9
	t.Parallel()
	const others = "User-agent: otherbot\nDisallow: /\n"
	for name, row := range map[string]struct {
		robots, path string
		refused      bool
	}{
		"none":                          {"", "/a", false},
		"all shut":                      {"User-agent: *\nDisallow: /", "/a", true},
		"nothing shut":                  {"User-agent: *\nDisallow:", "/a", false},
		"another's":                     {others, "/a", false},
		"a folder":                      {"User-agent: *\nDisallow: /private/", "/private/a", true},
		"beside it":                     {"User-agent: *\nDisallow: /private/", "/privately", false},
		"ours wins over all":            {"User-agent: *\nDisallow: /\n\nUser-agent: Lukasa\nAllow: /", "/a", false},
		"ours shut":                     {"User-agent: *\nAllow: /\n\nUser-agent: lukasa/1\nDisallow: /a", "/a", true},
		"ours empty":                    {"User-agent: *\nDisallow: /\n\nUser-agent: lukasa\n", "/a", false},
		"one group for two":             {"User-agent: otherbot\nUser-agent: lukasa\nDisallow: /", "/a", true},
		"two groups of ours":            {"User-agent: lukasa\nDisallow: /a\n\n" + others + "\nUser-agent: lukasa\nDisallow: /b", "/b", true},
		"the longer rule":               {"User-agent: *\nDisallow: /a\nAllow: /a/open", "/a/open/x", false},
		"the longer rule, other way":    {"User-agent: *\nAllow: /a\nDisallow: /a/shut", "/a/shut/x", true},
		"equal rules":                   {"User-agent: *\nDisallow: /a\nAllow: /a", "/a", false},
		"a star":                        {"User-agent: *\nDisallow: /*/shut", "/x/y/shut/z", true},
		"an end":                        {"User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", true},
		"no end":                        {"User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf.html", false},
		"a query":                       {"User-agent: *\nDisallow: /*?secret=", "/x?secret=1", true},
		"escapes":                       {"User-agent: *\nDisallow: /caf%c3%a9/%7Ea", "/caf\u00e9/~a", true},
		"letters without escapes":       {"User-agent: *\nDisallow: /caf\u00e9", "/caf%C3%A9", true},
		"comments, case and spaces":     {"\ufeff# hello\nUSER-AGENT : *   # all\n  disallow :  /a # this\n", "/a", true},
		"other lines between":           {"User-agent: *\nCrawl-delay: 5\nSitemap: https://pier.example/s.xml\nDisallow: /a", "/a", true},
		"a page instead":                {"<!doctype html><html><body>User-agent is what we are: Disallow everything</body></html>", "/a", false},
		"rules of nobody":               {"Disallow: /\n\nUser-agent: otherbot\nDisallow: /", "/a", false},
		"the last line without a break": {"User-agent: lukasa\r\nDisallow: /a", "/a/b", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, asked := site(t, row.robots)
			page, err := fetch.Get(t.Context(), at+row.path, private)
			if refused := errors.Is(err, fetch.ErrRobots); refused != row.refused || !refused && (err != nil || string(page.Data) != "a page") {
				t.Errorf("%v, %q", err, page.Data)
			}
			if row.refused && asked() != "/robots.txt" {
				t.Errorf("asked for %s", asked())
			}
			if row.refused && !strings.Contains(err.Error(), "robots.txt") {
				t.Errorf("it does not say why: %v", err)
			}
		})
	}
}

// A redirect leads past no robots.txt, neither on the same site nor on another one.
func TestRobotsBehindRedirects(t *testing.T) {
	t.Parallel()
	shut, asked := site(t, "User-agent: *\nDisallow: /shut")
	open, _ := site(t, "")
	for _, address := range []string{shut + "/away?to=/shut/a", open + "/away?to=" + shut + "/shut/a"} {
		if _, err := fetch.Get(t.Context(), address, private); !errors.Is(err, fetch.ErrRobots) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if strings.Contains(asked(), "/shut/a") {
		t.Errorf("asked for %s", asked())
	}
	if page, err := fetch.Get(t.Context(), open+"/away?to="+shut+"/b", private); err != nil || string(page.Data) != "a page" {
		t.Errorf("%v", err)
	}
}

// A site that cannot say what it allows is left alone for now, and says so by its status.
func TestRobotsOutOfOrder(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{http.StatusServiceUnavailable: fetch.ErrStatus, http.StatusTooManyRequests: fetch.ErrStatus, http.StatusForbidden: nil, http.StatusGone: nil} {
		at := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.Header().Set("Retry-After", "30")
				w.WriteHeader(status)
				return
			}
			fmt.Fprint(w, "a page")
		})
		_, err := fetch.Get(t.Context(), at+"/a", private)
		if !errors.Is(err, want) {
			t.Errorf("%d: %v", status, err)
		}
		if e := new(fetch.StatusError); want != nil && (!errors.As(err, &e) || e.Status != status || e.RetryAfter != "30") {
			t.Errorf("%d: %+v", status, e)
		}
	}
	loop := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, "/robots.txt", http.StatusFound)
			return
		}
		fmt.Fprint(w, "a page")
	})
	if _, err := fetch.Get(t.Context(), loop+"/a", private); err != nil {
		t.Error(err)
	}
}
