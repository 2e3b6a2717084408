package wire

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestEndpointSizeLimit(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`"` + strings.Repeat("x", 98) + `"`))
	}))
	defer s.Close()
	for limit, ok := range map[int64]bool{100: true, 99: false} {
		e, err := NewEndpoint(Options{Base: s.URL, MaxAnswer: limit, Client: s.Client()})
		if err != nil {
			t.Fatal(err)
		}
		var out string
		err = e.Get(t.Context(), "/", &out)
		var we *Error
		if (err == nil) != ok || err != nil && (!errors.As(err, &we) || we.Kind != Broken || !strings.Contains(err.Error(), "larger than 99 bytes")) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2015, 10, 21, 7, 28, 0, 0, time.UTC)
	for h, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"-1":                            0,
		"NaN":                           0,
		"Inf":                           time.Hour,
		" 2 ":                           2 * time.Second,
		"0.5":                           500 * time.Millisecond,
		"86400":                         time.Hour,
		"soon":                          0,
		"Wed, 21 Oct 2015 07:28:30 GMT": 30 * time.Second,
		"Wed, 21 Oct 2015 07:27:00 GMT": 0,
		"Thu, 22 Oct 2015 07:27:00 GMT": time.Hour,
	} {
		if got := retryAfter(h, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", h, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("1e308")
	f.Add("Wed, 21 Oct 2015 07:28:00 GMT")
	f.Fuzz(func(t *testing.T, h string) {
		if d := retryAfter(h, time.Unix(0, 0)); d < 0 || d > time.Hour {
			t.Errorf("retryAfter(%q) = %v", h, d)
		}
	})
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                                  "",
		`<html>`:                            "",
		`null`:                              "",
		`{"error":"a\n  b"}`:                "a b",
		`{"error":{"message":"a"}}`:         "a",
		`{"error":{"code":7}}`:              "",
		`{"error":7,"message":"b"}`:         "b",
		`{"message":["x"],"detail":"c"}`:    "c",
		`{"detail":[{"msg":"x"}]}`:          "",
		`{"error":"","message":"b"}`:        "b",
		`{"error":{"message":"a"},"x":[1]}`: "a",
		`{"error":"` + strings.Repeat("é", 200) + `"}`: strings.Repeat("é", 150) + "…",
	} {
		if got := errorText([]byte(body)); got != want {
			t.Errorf("errorText(%q) = %q, want %q", body, got, want)
		}
	}
}

func FuzzErrorText(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"a"},"message":1,"detail":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if s := errorText(body); !utf8.ValidString(s) || len(s) > maxErrorText+len("…") {
			t.Errorf("errorText(%q) = %q", body, s)
		}
	})
}
