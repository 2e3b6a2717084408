package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestRedirectToLoopback lets the first hop through, as if it were public, and
// nothing else: the redirect and a name that resolves anew are checked at the dial.
func TestRedirectToLoopback(t *testing.T) { // SSRF
	t.Parallel()
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the inner server was asked") }))
	defer inner.Close()
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inner.URL, http.StatusFound) }))
	defer outer.Close()
	o := Options{}.normal()
	transport, done := o.transport()
	client := &http.Client{Transport: transport, CheckRedirect: o.redirect}
	defer done()
	checked := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == outer.Listener.Addr().String() {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		return checked(ctx, network, address)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, outer.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.get(client, request); !errors.Is(err, ErrBlocked) {
		t.Errorf("redirect to loopback: %v", err)
	}
}

func TestCheckDial(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{"8.8.8.8:443": true, "127.0.0.1:80": false, "[::ffff:127.0.0.1]:80": false, "name:80": false, "": false} {
		if err := checkDial("tcp4", address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if checkDial("unix", "/run/x") == nil {
		t.Error("a socket was let through")
	}
}
