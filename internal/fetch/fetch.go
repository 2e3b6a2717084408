// Package fetch gets a web page without letting its address reach into private networks.
//
// It reads what the robots.txt of a site allows (RFC 9309), under the name lukasa.
//
// The address is checked where it counts: on the IP that is dialled, after the
// name was resolved, for the first request and for each redirect. A name that resolves
// anew to another address (DNS rebinding) is checked again, because every dial is.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Sentinel errors; test with errors.Is.
var (
	// ErrURL: not an absolute http or https address, or one with a user in it.
	ErrURL = errors.New("not a web address")
	// ErrBlocked: the address is private, loopback, link-local or otherwise not public.
	ErrBlocked = errors.New("address is not public")
	// ErrTooLarge: the body, decompressed, exceeds Options.MaxBytes.
	ErrTooLarge = errors.New("page too large")
	// ErrStatus: the server did not answer 2xx; the error is a *StatusError.
	ErrStatus = errors.New("unexpected status")
	// ErrRedirects: more than Options.MaxRedirects.
	ErrRedirects = errors.New("too many redirects")
	// ErrTimeout: Options.Timeout passed.
	ErrTimeout = errors.New("page took too long")
)

// StatusError is an answer that is no page.
type StatusError struct {
	Status     int
	RetryAfter string // the header, if any
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("unexpected status %d %s", e.Status, http.StatusText(e.Status))
}

// Is makes every StatusError match ErrStatus.
func (e *StatusError) Is(target error) bool { return target == ErrStatus }

// Options are the limits of Get. Zero fields mean the default.
type Options struct {
	MaxBytes     int64         // of the decompressed body; default 10 MiB
	Timeout      time.Duration // of everything; default 20 s
	MaxRedirects int           // default 5; negative: none
	UserAgent    string        // default "lukasa/1 (+self-hosted memory engine)"
	AllowPrivate bool          // dial any address; for tests and trusted networks
	Sites        *Sites        // what is known of robots.txt; nil: each call asks anew
}

func (o Options) normal() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 10 << 20
	}
	if o.Timeout <= 0 {
		o.Timeout = 20 * time.Second
	}
	if o.MaxRedirects == 0 {
		o.MaxRedirects = 5
	}
	if o.UserAgent == "" {
		o.UserAgent = "lukasa/1 (+self-hosted memory engine)"
	}
	if o.Sites == nil {
		o.Sites = &Sites{}
	}
	return o
}

// Page is what an address answered.
type Page struct {
	Data        []byte
	ContentType string    // the header as it came, with parameters
	FinalURL    string    // behind all redirects, without fragment
	Modified    time.Time // Last-Modified, zero if absent
	ETag        string
}

// Get fetches the page at address, if the robots.txt of its site lets programs read it; each site that a redirect leads to is asked
// as well, unless Options.Sites knows. Each call dials anew, sends no cookie and uses no
// proxy: a proxy would resolve names itself, past the check. It returns one of the
// sentinel errors above, the error of ctx, or a network error.
func Get(ctx context.Context, address string, options Options) (Page, error) {
	o := options.normal()
	u, err := check(address)
	if err != nil {
		return Page{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, o.Timeout, ErrTimeout)
	defer cancel()
	transport, done := o.transport()
	defer done()
	ask := &asker{o: o, client: &http.Client{Transport: transport, CheckRedirect: o.redirect}, sites: o.Sites, known: map[string]rules{}}
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if err := o.redirect(next, via); err != nil {
			return err
		}
		return ask.may(limited, next.URL)
	}}
	request, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, fmt.Errorf("fetch %s: %w", u.Redacted(), ErrURL)
	}
	request.Header.Set("User-Agent", o.UserAgent)
	request.Header.Set("Accept", "text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5")
	var page Page
	if err = ask.may(limited, u); err == nil {
		page, err = o.get(client, request)
	}
	if err == nil {
		return page, nil
	}
	if cause := context.Cause(limited); cause != nil && ctx.Err() == nil {
		err = cause
	} else if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() && ctx.Err() == nil {
		err = ErrTimeout // a step of it ran into the same limit a moment earlier
	}
	return Page{}, fmt.Errorf("fetch %s: %w", u.Redacted(), err)
}

func (o Options) get(client *http.Client, request *http.Request) (Page, error) {
	response, err := client.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return Page{}, err
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return Page{}, &StatusError{Status: response.StatusCode, RetryAfter: response.Header.Get("Retry-After")}
	}
	if response.ContentLength > o.MaxBytes {
		return Page{}, fmt.Errorf("%d bytes, limit %d: %w", response.ContentLength, o.MaxBytes, ErrTooLarge)
	}
	// The transport has undone gzip, so the limit is on what comes out of it.
	data, err := io.ReadAll(io.LimitReader(response.Body, o.MaxBytes+1))
	if err != nil {
		return Page{}, fmt.Errorf("read body: %w", err)
	}
	if int64(len(data)) > o.MaxBytes {
		return Page{}, fmt.Errorf("over %d bytes: %w", o.MaxBytes, ErrTooLarge)
	}
	final := *response.Request.URL
	final.Fragment = ""
	modified, _ := http.ParseTime(response.Header.Get("Last-Modified"))
	return Page{
		Data: data, ContentType: response.Header.Get("Content-Type"), FinalURL: final.String(),
		Modified: modified, ETag: response.Header.Get("ETag"),
	}, nil
}

// transport dials for one Get; done closes its connections.
func (o Options) transport() (transport *http.Transport, done func()) {
	dialer := &net.Dialer{Timeout: o.Timeout}
	if !o.AllowPrivate {
		dialer.ControlContext = func(_ context.Context, network, address string, _ syscall.RawConn) error {
			return checkDial(network, address)
		}
	}
	transport = &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    o.Timeout,
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: 256 << 10,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
	return transport, transport.CloseIdleConnections
}

// redirect checks the address of each hop before it is asked.
func (o Options) redirect(next *http.Request, via []*http.Request) error {
	if len(via) > max(0, o.MaxRedirects) {
		return ErrRedirects
	}
	_, err := check(next.URL.String())
	next.Header.Del("Referer") // the address before may hold a secret
	return err
}

// check accepts absolute http and https addresses without user and password.
func check(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("parse address: %w", ErrURL)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, fmt.Errorf("%.200q: %w", u.Redacted(), ErrURL)
	}
	return u, nil
}

// checkDial refuses what is not a public unicast address. It sees the IP that
// is about to be dialled, whatever way it was written or resolved.
func checkDial(network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("network %s: %w", network, ErrBlocked)
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial %s: %w", address, ErrBlocked)
	}
	if !Public(at.Addr()) {
		return fmt.Errorf("dial %s: %w", at.Addr(), ErrBlocked)
	}
	return nil
}

// reserved are the ranges that are not public beyond those netip knows, from
// the IANA special-purpose registries.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments, metadata of some clouds
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("::/96"),          // IPv4-compatible
	netip.MustParsePrefix("64:ff9b:1::/48"), // local NAT64
	netip.MustParsePrefix("100::/64"),       // discard
	netip.MustParsePrefix("2001::/23"),      // Teredo, ORCHID, protocol assignments
	netip.MustParsePrefix("2001:db8::/32"),  // documentation
	netip.MustParsePrefix("3fff::/20"),      // documentation
	netip.MustParsePrefix("5f00::/16"),      // segment routing
	netip.MustParsePrefix("fec0::/10"),      // old site-local
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

// Public reports whether ip is a global unicast address of the public internet.
// IPv4 inside IPv6 (mapped, NAT64, 6to4) is judged by the IPv4 address.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() || !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return false
		}
	}
	b := ip.As16()
	switch {
	case nat64.Contains(ip):
		return Public(netip.AddrFrom4([4]byte(b[12:16])))
	case sixToFour.Contains(ip):
		return Public(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return true
}
