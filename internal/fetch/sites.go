package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How long an answer about a robots.txt is used again.
const (
	longestRobots = 24 * time.Hour // RFC 9309, 2.4
	keepNone      = time.Hour      // a site that has none, and says nothing of how long that holds
	keepError     = 5 * time.Second
)

// Bounds of what is remembered.
const (
	mostSites     = 1000
	mostSiteBytes = 8 << 20 // of rules
)

// Sites remembers what the robots.txt of sites say: by origin, for as long as the site says, a day at most, and a site that
// cannot be asked for a few seconds. A site is asked by one caller at a time; the others wait for its answer. The zero Sites is
// empty and ready; its methods may be called from several goroutines.
type Sites struct {
	mu    sync.Mutex
	known map[string]*answer
	bytes int
}

// answer is what a site said.
type answer struct {
	done  chan struct{} // closed once the rest is there
	rules rules
	err   error
	until time.Time
	used  time.Time
	bytes int
	gone  bool // the caller who asked has left: another one has to ask
}

// origin is what an answer holds for: scheme, host and port.
func origin(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + host + ":" + port
}

// rules returns what the site of an address says, by asking it if that is not known.
func (s *Sites) rules(ctx context.Context, o Options, client *http.Client, u *url.URL) (rules, error) {
	at := origin(u)
	for {
		s.mu.Lock()
		now := time.Now()
		a := s.known[at]
		if a != nil && a.over() && !now.Before(a.until) {
			s.drop(at, a)
			a = nil
		}
		if a == nil {
			a = &answer{done: make(chan struct{}), used: now}
			s.put(at, a)
			s.mu.Unlock()
			s.ask(ctx, o, client, u, at, a)
			return a.rules, a.err
		}
		a.used = now
		s.mu.Unlock()
		select {
		case <-a.done:
			if !a.gone {
				return a.rules, a.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (a *answer) over() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// ask asks a site and notes what it said.
func (s *Sites) ask(ctx context.Context, o Options, client *http.Client, u *url.URL, at string, a *answer) {
	var keep time.Duration
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.until = time.Now().Add(keep)
		if s.known[at] == a && (a.gone || keep <= 0) {
			s.drop(at, a)
		} else if s.known[at] == a {
			s.bytes += a.bytes
			s.shrink(a)
		}
		close(a.done)
	}()
	a.gone = true // unless it comes to an end
	rs, keep2, err := o.robots(ctx, client, u)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), ErrTimeout) {
		a.err = err
		return
	}
	a.gone, a.rules, a.err, keep = false, rs, err, keep2
	for _, r := range rs {
		a.bytes += len(r.pattern) + 32
	}
}

// put adds an answer. The lock is held.
func (s *Sites) put(at string, a *answer) {
	if s.known == nil {
		s.known = map[string]*answer{}
	}
	s.known[at] = a
	s.shrink(a)
}

// shrink drops what was not used for longest until what is left is within the bounds. Who waits for an answer still gets it. The
// lock is held.
func (s *Sites) shrink(but *answer) {
	for len(s.known) > mostSites || s.bytes > mostSiteBytes {
		oldest, at := (*answer)(nil), ""
		for k, a := range s.known {
			if a != but && (oldest == nil || a.used.Before(oldest.used)) {
				oldest, at = a, k
			}
		}
		if oldest == nil {
			return
		}
		s.drop(at, oldest)
	}
}

// drop forgets an answer. The lock is held.
func (s *Sites) drop(at string, a *answer) {
	if delete(s.known, at); a.over() {
		s.bytes -= a.bytes
	}
}

// robots asks the site of an address what may be read there, and returns for how long that holds. A site that has no robots.txt
// allows all; one that cannot say for now allows nothing for now, which is the *StatusError of its answer.
func (o Options) robots(ctx context.Context, client *http.Client, site *url.URL) (rules, time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, (&url.URL{Scheme: site.Scheme, Host: site.Host, Path: robotsPath}).String(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for robots.txt: %w", err)
	}
	request.Header.Set("User-Agent", o.UserAgent)
	response, err := client.Do(request)
	if err != nil {
		if errors.Is(err, ErrRedirects) || errors.Is(err, ErrURL) { // there is none to be had
			return nil, keepNone, nil
		}
		return nil, keepError, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode > 499:
		return nil, keepError, &StatusError{Status: response.StatusCode, RetryAfter: response.Header.Get("Retry-After")}
	case response.StatusCode > 299:
		return nil, fresh(response.Header, keepNone), nil
	}
	b, err := io.ReadAll(io.LimitReader(response.Body, mostRobots))
	if err != nil {
		return nil, keepError, fmt.Errorf("read robots.txt: %w", err)
	}
	return parseRobots(string(b)), fresh(response.Header, longestRobots), nil
}

// fresh says for how long an answer may be used again by its Cache-Control and Age (RFC 9111): otherwise where they do not say,
// and never more than a day.
func fresh(h http.Header, otherwise time.Duration) time.Duration {
	keep := otherwise
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if errors.Is(err, strconv.ErrRange) {
				n, err = 1<<31-1, nil
			}
			if err == nil {
				age, _ := strconv.ParseUint(h.Get("Age"), 10, 31)
				keep = max(0, time.Duration(n)-time.Duration(age)) * time.Second
			}
		}
	}
	return min(keep, longestRobots)
}

// asker asks for one page and its redirects what their sites allow.
type asker struct {
	o      Options
	client *http.Client
	sites  *Sites
	known  map[string]rules // for this page, whatever their sites say of how long it holds
}

// may returns ErrRobots where the site of an address says so.
func (a *asker) may(ctx context.Context, u *url.URL) error {
	site := origin(u)
	rs, ok := a.known[site]
	if !ok {
		var err error
		if rs, err = a.sites.rules(ctx, a.o, a.client, u); err != nil {
			return err
		}
		a.known[site] = rs
	}
	if !rs.allow(u) {
		return ErrRobots
	}
	return nil
}
