package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/fetch"
)

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

var private = fetch.Options{AllowPrivate: true}

func TestGet(t *testing.T) { // D-2, D-9
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new?x=1#part", http.StatusMovedPermanently)
		case "/new":
			w.Header().Set("Content-Type", "text/html; charset=latin1")
			w.Header().Set("Last-Modified", "Wed, 01 May 2024 08:00:00 GMT")
			w.Header().Set("ETag", `"e"`)
			fmt.Fprintf(w, "agent %s, referer %q", r.UserAgent(), r.Referer())
		}
	})
	page, err := fetch.Get(context.Background(), at+"/old", fetch.Options{AllowPrivate: true, UserAgent: "test/1"})
	if err != nil {
		t.Fatal(err)
	}
	if string(page.Data) != `agent test/1, referer ""` || page.ContentType != "text/html; charset=latin1" || page.FinalURL != at+"/new?x=1" ||
		page.Modified.Format(time.DateOnly) != "2024-05-01" || page.ETag != `"e"` {
		t.Errorf("%s %+v", page.Data, page)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			for range 100 {
				fmt.Fprint(w, strings.Repeat("x", 1000))
			}
		case "/declared":
			w.Header().Set("Content-Length", "100000")
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 100 {
				fmt.Fprint(z, strings.Repeat("x", 1000))
			}
			_ = z.Close() // the reader may have gone by then: that is the test
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://a:b@example.com/", http.StatusFound)
		case "/slow":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			http.NotFound(w, r)
		}
	})
	small := fetch.Options{AllowPrivate: true, MaxBytes: 2000}
	for path, row := range map[string]struct {
		options fetch.Options
		want    error
	}{
		"/large": {small, fetch.ErrTooLarge}, "/declared": {small, fetch.ErrTooLarge}, "/bomb": {small, fetch.ErrTooLarge},
		"/loop": {private, fetch.ErrRedirects}, "/file": {private, fetch.ErrURL}, "/user": {private, fetch.ErrURL},
		"/slow": {fetch.Options{AllowPrivate: true, Timeout: 50 * time.Millisecond}, fetch.ErrTimeout}, "/missing": {private, fetch.ErrStatus}, "/busy": {private, fetch.ErrStatus},
	} {
		_, err := fetch.Get(context.Background(), at+path, row.options)
		if !errors.Is(err, row.want) {
			t.Errorf("%s: %v", path, err)
		}
		var status *fetch.StatusError
		if path == "/busy" && (!errors.As(err, &status) || status.Status != 429 || status.RetryAfter != "7") {
			t.Errorf("busy: %v", err)
		}
	}
	if _, err := fetch.Get(context.Background(), at+"/loop", fetch.Options{AllowPrivate: true, MaxRedirects: -1}); !errors.Is(err, fetch.ErrRedirects) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := fetch.Get(ctx, at+"/new", private); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBlocked(t *testing.T) { // SSRF
	t.Parallel()
	asked := false
	at := serve(t, func(http.ResponseWriter, *http.Request) { asked = true })
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	port := u.Port()
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "[::]",
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "[fd00:ec2::254]", "[fe80::1]", "100.64.0.1", "100.100.100.200", "224.0.0.1", "[ff02::1]", "255.255.255.255", "192.0.0.192", "168.63.129.16",
	} {
		_, err := fetch.Get(context.Background(), "http://"+host+":"+port+"/", fetch.Options{Timeout: 5 * time.Second})
		if !errors.Is(err, fetch.ErrBlocked) {
			t.Errorf("%s: %v", host, err)
		}
	}
	// Other spellings of 127.0.0.1 are names to Go; whether or not a resolver reads them, they do not get through.
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1."} {
		if _, err := fetch.Get(context.Background(), "http://"+host+":"+port+"/", fetch.Options{Timeout: 5 * time.Second}); err == nil {
			t.Errorf("%s got through", host)
		}
	}
	if asked {
		t.Error("the server was asked")
	}
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"", "example.com", "ftp://example.com/", "file:///etc/passwd", "http://", "http:///x", "https://u:p@example.com/", "javascript:alert(1)", "gopher://x", "http://[::1", "//example.com"} {
		if _, err := fetch.Get(context.Background(), a, private); !errors.Is(err, fetch.ErrURL) {
			t.Errorf("%q: %v", a, err)
		}
	}
	_, err := fetch.Get(context.Background(), "http://127.0.0.1:1/?token=secret", fetch.Options{})
	if !errors.Is(err, fetch.ErrBlocked) {
		t.Errorf("%v", err)
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700::1111": true, "64:ff9b::808:808": true, "2002:808:808::": true, "::ffff:8.8.8.8": true,
		"2001:db8::1": false, "2001::1": false, "fe80::1%eth0": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "100.127.255.255": false, "100.128.0.1": true, "172.32.0.1": true,
		"198.19.0.1": false, "fc00::1": false, "fec0::1": false, "240.0.0.1": false,
	} {
		if got := fetch.Public(netip.MustParseAddr(ip)); got != want {
			t.Errorf("Public(%s) = %v", ip, got)
		}
	}
}

func FuzzGetAddress(f *testing.F) {
	for _, s := range []string{"http://127.0.0.1/", "http://[::1]:80/", "https://a@b/", "http://localhost", "http://%31%32%37.0.0.1/", "HTTP://0/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nothing is ever asked: only the reading of addresses is tried
		if _, err := fetch.Get(ctx, address, fetch.Options{}); err == nil {
			t.Fatalf("%q was fetched", address)
		}
	})
}
