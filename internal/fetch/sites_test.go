package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/fetch"
)

// counting serves a robots.txt by fn, counts how often it is asked for, and serves a page everywhere else.
func counting(t *testing.T, fn http.HandlerFunc) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			fmt.Fprint(w, "a page")
			return
		}
		asked.Add(1)
		fn(w, r)
	}), asked
}

// The robots.txt of a site is asked for once, and used again for as long as the site says, a day at most. D-9
func TestSites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		header string // of Cache-Control, with that of Age behind a bar
		asked  int64  // for three pages
		err    error
	}{
		"nothing said":             {200, "", 1, nil},
		"an hour":                  {200, "public, max-age=3600", 1, nil},
		"quoted":                   {200, `Max-Age="3600"`, 1, nil},
		"more than a number":       {200, "max-age=99999999999999999999", 1, nil},
		"no time":                  {200, "max-age=0", 3, nil},
		"as old as it may be":      {200, "max-age=60|60", 3, nil},
		"not yet as old":           {200, "max-age=60|59", 1, nil},
		"not to be stored":         {200, "no-store", 3, nil},
		"to be asked again":        {200, "no-cache, max-age=60", 3, nil},
		"nonsense":                 {200, "max-age=soon, x=,,=", 1, nil},
		"none":                     {404, "", 1, nil},
		"none, and not to be kept": {410, "no-store", 3, nil},
		"cannot say":               {503, "", 1, fetch.ErrStatus},
	} {
		at, asked := counting(t, func(w http.ResponseWriter, _ *http.Request) {
			control, age, _ := strings.Cut(c.header, "|")
			if control != "" {
				w.Header().Set("Cache-Control", control)
			}
			if age != "" {
				w.Header().Set("Age", age)
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, "User-agent: *\nDisallow: /shut")
		})
		o := private
		o.Sites = &fetch.Sites{}
		for _, path := range []string{"/a", "/b", "/c"} {
			if _, err := fetch.Get(t.Context(), at+path, o); !errors.Is(err, c.err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := asked.Load(); n != c.asked {
			t.Errorf("%s: asked %d times for three pages, want %d", name, n, c.asked)
		}
		if c.status == 200 {
			if _, err := fetch.Get(t.Context(), at+"/shut", o); !errors.Is(err, fetch.ErrRobots) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := fetch.Get(t.Context(), strings.Replace(at, "127.0.0.1", "localhost", 1)+"/a", o); c.err == nil && (err != nil || asked.Load() <= c.asked) {
			t.Errorf("%s: another host was not asked: %v", name, err)
		}
	}
}

// Many who want pages of a site at once wait for one answer about it. One who leaves while asking leaves it to the next.
func TestSitesAtOnce(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}, 100), make(chan struct{})
	at, asked := counting(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "User-agent: *\nDisallow: /shut")
	})
	o := private
	o.Sites = &fetch.Sites{}
	first, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := fetch.Get(first, at+"/a", o)
		left <- err
	}()
	<-begun
	var wg sync.WaitGroup
	var failed, refused atomic.Int64
	for i := range 40 {
		wg.Go(func() {
			path := "/a"
			if i%2 == 0 {
				path = "/shut"
			}
			switch _, err := fetch.Get(t.Context(), at+path, o); {
			case errors.Is(err, fetch.ErrRobots):
				refused.Add(1)
			case err != nil:
				failed.Add(1)
			}
		})
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-begun // another one asks
	close(goOn)
	wg.Wait()
	if asked.Load() != 2 || refused.Load() != 20 || failed.Load() != 0 {
		t.Errorf("asked %d times, %d refused, %d failed", asked.Load(), refused.Load(), failed.Load())
	}
	impatient, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	slow, _ := counting(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	if _, err := fetch.Get(impatient, slow+"/a", o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// A site that cannot be asked is not asked again at once, and is a moment later.
func TestSitesThatCannotSay(t *testing.T) {
	t.Parallel()
	at, asked := counting(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	o := private
	o.Sites = &fetch.Sites{}
	for range 3 {
		if _, err := fetch.Get(t.Context(), at+"/a", o); !errors.Is(err, fetch.ErrStatus) {
			t.Error(err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	fetch.Later(o.Sites, 6*time.Second)
	if _, err := fetch.Get(t.Context(), at+"/a", o); !errors.Is(err, fetch.ErrStatus) || asked.Load() != 2 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
	good, times := counting(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "max-age=900000") })
	for _, hours := range []time.Duration{23, 2} { // what says ten days holds for one
		if _, err := fetch.Get(t.Context(), good+"/a", o); err != nil {
			t.Error(err)
		}
		if times.Load() != 1 {
			t.Errorf("asked %d times", times.Load())
		}
		fetch.Later(o.Sites, hours*time.Hour)
	}
	if _, err := fetch.Get(t.Context(), good+"/a", o); err != nil || times.Load() != 2 {
		t.Errorf("%v, asked %d times", err, times.Load())
	}
}

// What is remembered has bounds, in sites and in bytes, and the sites used last stay.
func TestSitesBounds(t *testing.T) {
	t.Parallel()
	var s fetch.Sites
	for i := range 3000 {
		fetch.Note(&s, fmt.Sprintf("https://s%d.example:443", i), 100)
	}
	if sites, bytes := fetch.Known(&s); sites != 1000 || bytes != 100_000 || !fetch.Knows(&s, "https://s2999.example:443") || fetch.Knows(&s, "https://s1999.example:443") {
		t.Errorf("%d sites, %d bytes", sites, bytes)
	}
	for i := range 100 {
		fetch.Note(&s, fmt.Sprintf("https://large%d.example:443", i), 512<<10)
	}
	if sites, bytes := fetch.Known(&s); bytes > 8<<20 || bytes < 7<<20 || sites < 15 || !fetch.Knows(&s, "https://large99.example:443") {
		t.Errorf("%d sites, %d bytes", sites, bytes)
	}
}
