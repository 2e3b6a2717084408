package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/wire"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// event is a wire.Event that outlives its callback.
type event struct{ Name, Data string }

func readEvents(r io.Reader) (out []event, err error) {
	err = wire.ReadEvents(r, func(e wire.Event) error {
		out = append(out, event{e.Name, string(e.Data)})
		return nil
	})
	return out, err
}

func readLines(r io.Reader) (out []string, err error) {
	err = wire.ReadLines(r, func(b []byte) error {
		out = append(out, string(b))
		return nil
	})
	return out, err
}

// TestReadEvents has the examples of the HTML standard and the odd cases of its rules.
func TestReadEvents(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]event{
		"":                               nil,
		"data: a\n\n":                    {{"", "a"}},
		"data:a\n\n":                     {{"", "a"}},
		"data:  a\n\n":                   {{"", " a"}},
		"data: YHOO\ndata: +2\n\n":       {{"", "YHOO\n+2"}},
		"event: add\ndata: 1\n\n":        {{"add", "1"}},
		"data: 1\nevent: add\n\n":        {{"add", "1"}},
		"event: a\n\ndata: 1\n\n":        {{"", "1"}},
		": note\n\ndata: 1\nid: 7\n\n":   {{"", "1"}},
		"data\n\ndata\ndata\n\ndata:":    {{"", ""}, {"", "\n"}},
		"data: cut":                      nil,
		"data: cut\n":                    nil,
		"data: 1\r\n\r\ndata: 2\r\n\r\n": {{"", "1"}, {"", "2"}},
		"data: 1\r\rdata: 2\r\r":         {{"", "1"}, {"", "2"}},
		"data: 1\n\rdata: 2\r\n\n":       {{"", "1"}, {"", "2"}},
		"\ufeffdata: 1\n\n":              {{"", "1"}},
		"\n\ufeffdata: 1\n\n":            nil,
		"datas: 1\n data: 2\n\n":         nil,
		"retry: 10\ndata: {\"a\":1}\n\n": {{"", `{"a":1}`}},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
			got, err := readEvents(r)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q %s: %v (-want +got):\n%s", in, name, err, diff)
			}
		}
	}
}

func TestReadLines(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"":                     nil,
		"\n\n \n":              nil,
		"{}\n":                 {"{}"},
		"{}\r\n{\"a\":1}\n":    {"{}", `{"a":1}`},
		"{}\n{\"a\":1}":        {"{}", `{"a":1}`},
		" {} \n\n[1,\r2]\n\"a": {"{}", "[1,\r2]", `"a`},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
			got, err := readLines(r)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q %s: %v (-want +got):\n%s", in, name, err, diff)
			}
		}
	}
}

// TestCutOff: what a failed read leaves behind is no line.
func TestCutOff(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	cut := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s), iotest.ErrReader(broken)) }
	if got, err := readLines(cut("{}\n{\"a\"")); !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("lines: %q, %v", got, err)
	}
	if got, err := readEvents(cut("data: 1\n\ndata: 2\n")); !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("events: %q, %v", got, err)
	}
	if _, err := readLines(strings.NewReader(strings.Repeat("x", 5<<20))); err == nil {
		t.Error("a line of 5 MiB was read")
	}
}

// TestReadEventsProperty: any events, written by the rules with any line ends, come back.
func TestReadEventsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[^\r\n]{0,12}`)
		var want []event
		var b strings.Builder
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		line := func(s string) { b.WriteString(s + end) }
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			e := event{Name: text.Draw(t, "name")}
			data := rapid.SliceOfN(text, 1, 3).Draw(t, "data")
			e.Data = strings.Join(data, "\n")
			want = append(want, e)
			line(":" + text.Draw(t, "comment"))
			line("event: " + e.Name)
			for _, d := range data {
				line("data: " + d)
			}
			line("")
		}
		got, err := readEvents(iotest.HalfReader(strings.NewReader(b.String())))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%q: %v\n%s", b.String(), err, diff)
		}
	})
}

func FuzzReadEvents(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: {\"x\":1}\r\n\r\n: ping\n\ndata\rdata: 2\r\r"))
	f.Add([]byte("\ufeffdata: [DONE]\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := readEvents(bytes.NewReader(b))
		slow, err2 := readEvents(iotest.OneByteReader(bytes.NewReader(b)))
		if diff := cmp.Diff(whole, slow); diff != "" || (err == nil) != (err2 == nil) {
			t.Errorf("%v, %v: depends on how it arrives:\n%s", err, err2, diff)
		}
		for _, e := range whole {
			if strings.ContainsAny(e.Name, "\r\n") || strings.Contains(e.Data, "\r") {
				t.Errorf("a line end inside of %q", e)
			}
		}
	})
}

func FuzzReadLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\r\n\n{\"b\":2}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := readLines(bytes.NewReader(b))
		slow, err2 := readLines(iotest.OneByteReader(bytes.NewReader(b)))
		if diff := cmp.Diff(whole, slow); diff != "" || (err == nil) != (err2 == nil) {
			t.Errorf("%v, %v: depends on how it arrives:\n%s", err, err2, diff)
		}
		for _, l := range whole {
			if l == "" || strings.Contains(l, "\n") {
				t.Errorf("line %q", l)
			}
		}
	})
}

func endpoint(t *testing.T, o wire.Options, h http.HandlerFunc) *wire.Endpoint {
	t.Helper()
	o.Base = wiretest.Serve(t, h)
	e, err := wire.NewEndpoint(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// TestStreamLimits: an answer that stands still, never ends or is too large is given up with the kind that says so.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    wire.Options
		h    http.HandlerFunc
		kind wire.Kind
		says string
	}{
		"no header": {wire.Options{Timeout: 100 * time.Millisecond}, wiretest.Stuck, wire.Timeout, "no answer: nothing came within 100ms"},
		"stands still": {wire.Options{Timeout: 100 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "data: x\n\n")
			flush(w)
			wiretest.Stuck(w, r)
		}, wire.Timeout, "broke off: nothing came within 100ms"},
		"too large": {wire.Options{MaxAnswer: 99}, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("data: x\n\n", 12))
		}, wire.Broken, "larger than 99 bytes"},
		"long line": {wire.Options{}, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "data: "+strings.Repeat("x", 5<<20))
		}, wire.Broken, "line longer"},
		"cut": {wire.Options{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "data: x\n\n")
		}, wire.Unavailable, "broke off"},
		"status": {wire.Options{}, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, 529)
		}, wire.Unavailable, "answered 529: Overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := endpoint(t, c.o, c.h).Events(t.Context(), "/", nil, func(wire.Event) error { return nil })
			var e *wire.Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("err = %v, want kind %d and %q", err, c.kind, c.says)
			}
		})
	}
}

// ticker is a server without a network: it answers an event every so often, n times or, if 0, until the client goes away.
type ticker struct {
	every time.Duration
	n     int
}

// RoundTrip implements http.RoundTripper.
func (c ticker) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&ticks{ctx: r.Context(), ticker: c})}, nil
}

type ticks struct {
	ticker
	ctx  context.Context
	sent int
}

// Read waits for the next event.
func (s *ticks) Read(b []byte) (int, error) {
	if s.n > 0 && s.sent == s.n {
		return 0, io.EOF
	}
	s.sent++
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(s.every):
		return copy(b, "data: x\n\n"), nil
	}
}

// TestStreamClock: what counts is the wait for the server, piece by piece and in all; not what the receiver takes.
func TestStreamClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server ticker
		pause  time.Duration // of the receiver, at each event
		took   time.Duration
		says   string // "": no error
	}{
		"well":          {ticker{time.Second, 3}, 0, 3 * time.Second, ""},
		"slow receiver": {ticker{time.Second, 3}, time.Minute, 3*time.Second + 3*time.Minute, ""},
		"slow server":   {ticker{31 * time.Second, 3}, 0, 30 * time.Second, "nothing came within 30s"},
		"never ends":    {ticker{29 * time.Second, 0}, 0, 10 * time.Minute, "too long: 10m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, err := wire.NewEndpoint(wire.Options{Base: "http://model", Client: &http.Client{Transport: c.server}})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				err = e.Events(t.Context(), "/", nil, func(wire.Event) error {
					<-time.After(c.pause)
					return nil
				})
				var we *wire.Error
				if c.says == "" && err != nil || c.says != "" && (!errors.As(err, &we) || we.Kind != wire.Timeout || !strings.Contains(err.Error(), c.says)) {
					t.Errorf("err = %v", err)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
			})
		})
	}
}

func TestStreamEnds(t *testing.T) {
	t.Parallel()
	hanging := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "{\"a\":1}\n{\"a\":2}\n")
		flush(w)
		wiretest.Stuck(w, r)
	}
	mine := errors.New("mine")
	for name, c := range map[string]struct{ give, want error }{"done": {wire.ErrDone, nil}, "receiver's error": {mine, mine}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			err := endpoint(t, wire.Options{}, hanging).Lines(t.Context(), "/", nil, func([]byte) error {
				if n++; n == 2 {
					return c.give
				}
				return nil
			})
			if err != c.want || n != 2 { //nolint:errorlint // it must come through as it is
				t.Errorf("%v after %d lines", err, n)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		err := endpoint(t, wire.Options{}, hanging).Lines(ctx, "/", nil, func([]byte) error {
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
}

// TestHeaders: the key goes where it belongs, and nowhere else.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    wire.Options
		want map[string]string
	}{
		"none":   {wire.Options{}, map[string]string{"Authorization": "", "X-Api-Key": ""}},
		"bearer": {wire.Options{Key: "k"}, map[string]string{"Authorization": "Bearer k", "X-Api-Key": ""}},
		"own":    {wire.Options{Key: "k", KeyHeader: "x-api-key", Header: http.Header{"V": {"1"}}}, map[string]string{"Authorization": "", "X-Api-Key": "k", "V": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := endpoint(t, c.o, func(w http.ResponseWriter, r *http.Request) {
				wiretest.ReadPost(t, w, r, wiretest.Want{Path: "/p", Query: "q=1", Header: c.want}, &struct{ A int }{})
				wiretest.WriteJSON(w, 7)
			})
			var out int
			if err := e.Post(t.Context(), "/p?q=1", map[string]int{"A": 1}, &out); err != nil || out != 7 {
				t.Errorf("%d, %v", out, err)
			}
		})
	}
}

func TestNewEndpointRefuses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "localhost:80", "ftp://h", "http://", "http://h?q=1", "http://h#f", "http://u:secret@h", "://u:secret@h"} {
		e, err := wire.NewEndpoint(wire.Options{Base: base})
		if err == nil || e != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for kind, statuses := range map[wire.Kind][]int{
		wire.Invalid:     {400, 409, 413, 422},
		wire.Refused:     {204, 301, 401, 402, 403, 404, 405, 501},
		wire.Limited:     {429},
		wire.Timeout:     {408, 504},
		wire.Unavailable: {424, 425, 500, 502, 503, 529},
	} {
		for _, s := range statuses {
			if got := wire.KindOf(s); got != kind {
				t.Errorf("KindOf(%d) = %d, want %d", s, got, kind)
			}
		}
	}
}

// TestEmptyAccount: a 429 that waiting does not mend.
func TestEmptyAccount(t *testing.T) {
	t.Parallel()
	e := endpoint(t, wire.Options{Server: "model server"}, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, http.StatusTooManyRequests)
	})
	var we *wire.Error
	if err := e.Get(t.Context(), "/", nil); !errors.As(err, &we) || we.Kind != wire.Refused || we.Status != 429 || we.Hint != "check the account of the model server" {
		t.Errorf("%+v", fmt.Sprint(err))
	}
}
