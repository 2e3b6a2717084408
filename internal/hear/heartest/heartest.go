// Package heartest is the suite that every driver of package hear passes against a strict stand-in for its server, and a
// reader of forms for such stand-ins. It is imported by tests only.
package heartest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/hear"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// Secret is the key that drivers get; no error may quote it.
const Secret = "sk-secret-0123456789"

// MaxBytes is the limit that drivers get for a recording.
const MaxBytes = 1 << 20

// Form is what a stand-in read.
type Form struct {
	Fields map[string]string
	Name   string // of the file
	Type   string
	Data   []byte
}

// ReadForm reads a request strictly: a POST of a form to path with the bearer key ("": none), one file in the field file, and
// no fields but those allowed, each once. It answers 400 where something is wrong, and fails the test.
func ReadForm(t testing.TB, w http.ResponseWriter, r *http.Request, path, key string, allowed ...string) (Form, bool) {
	t.Helper()
	f, err := readForm(r, path, key, allowed)
	if err != nil {
		t.Errorf("request %s %s: %v", r.Method, r.URL, err)
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return f, err == nil
}

func readForm(r *http.Request, path, key string, allowed []string) (Form, error) {
	out := Form{Fields: map[string]string{}}
	want := ""
	if key != "" {
		want = "Bearer " + key
	}
	switch {
	case r.Method != http.MethodPost || r.URL.EscapedPath() != path || r.URL.RawQuery != "":
		return out, fmt.Errorf("want POST %s", path)
	case r.Header.Get("Authorization") != want:
		return out, fmt.Errorf("authorization %q", r.Header.Get("Authorization"))
	case r.Header.Get("Accept") != "application/json":
		return out, fmt.Errorf("accept %q", r.Header.Get("Accept"))
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return out, fmt.Errorf("content type %q: %w", r.Header.Get("Content-Type"), err)
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, err
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return out, err
		}
		switch n := p.FormName(); {
		case n == "file" && out.Data == nil && p.FileName() != "":
			out.Name, out.Type, out.Data = p.FileName(), p.Header.Get("Content-Type"), b
		case !slices.Contains(allowed, n):
			return out, fmt.Errorf("field %q", n)
		default:
			if _, twice := out.Fields[n]; twice {
				return out, fmt.Errorf("field %q twice", n)
			}
			out.Fields[n] = string(b)
		}
	}
	if out.Data == nil {
		return out, errors.New("no file")
	}
	return out, nil
}

// Wire describes a driver's protocol to [Run].
type Wire struct {
	// Open makes the driver for the server at url, with the key [Secret], [MaxBytes], the timeout (0: its default) and short
	// waits between tries.
	Open func(t *testing.T, url string, timeout time.Duration) hear.Hearer
	// Read reads a request strictly and returns the sound in it.
	Read func(t *testing.T, w http.ResponseWriter, r *http.Request) (hear.Sound, bool)
	// Answer makes the body of an answer.
	Answer func(s hear.Speech) any
}

func (f Wire) serve(t *testing.T, reply func(n int, s hear.Sound) hear.Speech) hear.Hearer {
	t.Helper()
	var n atomic.Int64
	return f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if s, ok := f.Read(t, w, r); ok {
			wiretest.WriteJSON(w, f.Answer(reply(int(n.Add(1)-1), s)))
		}
	}), 0)
}

// Run checks a driver.
func Run(t *testing.T, f Wire) {
	t.Helper()
	for name, test := range map[string]func(*testing.T){
		"speech": f.testSpeech, "request": f.testRequest, "invalid": f.testInvalid, "failures": f.testFailures, "again": f.testAgain,
		"timeout": f.testTimeout, "cancelled": f.testCancelled, "concurrency": f.testConcurrency,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func sound() hear.Sound { return hear.Sound{Data: []byte("RIFF....WAVE"), Name: "talk.wav"} }

// testSpeech: segments come back by time, on one line each, without blank ones.
func (f Wire) testSpeech(t *testing.T) {
	h := f.serve(t, func(int, hear.Sound) hear.Speech {
		return hear.Speech{Language: "en", Segments: []hear.Segment{
			{Start: 2500 * time.Millisecond, End: 4 * time.Second, Text: " Second \n line. "},
			{Start: 0, End: 2500 * time.Millisecond, Text: "First."},
			{Start: 5 * time.Second, End: 6 * time.Second, Text: "  "},
			{Start: 9 * time.Second, End: 8 * time.Second, Text: "Odd."},
		}}
	})
	got, err := h.Hear(t.Context(), sound())
	want := []hear.Segment{
		{Start: 0, End: 2500 * time.Millisecond, Text: "First."},
		{Start: 2500 * time.Millisecond, End: 4 * time.Second, Text: "Second line."},
		{Start: 9 * time.Second, End: 9 * time.Second, Text: "Odd."},
	}
	if diff := cmp.Diff(want, got.Segments); diff != "" || err != nil || got.Language != "en" || got.Model == "" {
		t.Errorf("%v, %q %q (-want +got):\n%s", err, got.Language, got.Model, diff)
	}
}

// testRequest: what is given arrives; what a file is called at home does not.
func (f Wire) testRequest(t *testing.T) {
	given := hear.Sound{Data: []byte("OggS\x00\xff binary"), Name: "/home/me/divorce \"talk\".ogg", Language: "de", Prompt: "Lukasa, " + strings.Repeat("Björn ", 1000)}
	var got hear.Sound
	h := f.serve(t, func(_ int, s hear.Sound) hear.Speech {
		got = s
		return hear.Speech{Segments: []hear.Segment{{Text: "Ja."}}}
	})
	if _, err := h.Hear(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	if string(got.Data) != string(given.Data) || got.Language != "de" || !strings.HasSuffix(got.Name, ".ogg") || strings.Contains(got.Name, "divorce") {
		t.Errorf("heard %q, %q, %d bytes", got.Name, got.Language, len(got.Data))
	}
	if n := len(got.Prompt); n < 2000 || n > 2048 || !strings.HasPrefix(given.Prompt, got.Prompt) {
		t.Errorf("prompt of %d bytes", n)
	}
}

func (f Wire) testInvalid(t *testing.T) {
	h := f.serve(t, func(_ int, s hear.Sound) hear.Speech {
		t.Errorf("sent %d bytes", len(s.Data))
		return hear.Speech{}
	})
	for _, s := range []hear.Sound{{}, {Data: make([]byte, MaxBytes+1)}} {
		if out, err := h.Hear(t.Context(), s); lukasa.CodeOf(err) != lukasa.CodeInvalid || out.Segments != nil || hear.Retryable(err) {
			t.Errorf("%d bytes: %v", len(s.Data), err)
		}
	}
}

// testFailures: each bad answer has its code, quotes no key, and leaves nothing behind.
func (f Wire) testFailures(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   lukasa.Code
		again  bool
		is     error
	}{
		"401":      {401, `{"error":{"message":"bad key"}}`, lukasa.CodeExternal, false, hear.ErrRefused},
		"404":      {404, `{"error":"no such model"}`, lukasa.CodeExternal, false, hear.ErrRefused},
		"400":      {400, `{"error":{"message":"cannot decode the audio"}}`, lukasa.CodeInvalid, false, nil},
		"413":      {413, "", lukasa.CodeInvalid, false, nil},
		"429":      {429, `{"error":{"message":"slow down"}}`, lukasa.CodeLimited, true, nil},
		"no money": {429, `{"error":{"message":"quota","code":"insufficient_quota"}}`, lukasa.CodeExternal, false, hear.ErrRefused},
		"500":      {500, "<html>", lukasa.CodeUnavailable, true, nil},
		"504":      {504, "", lukasa.CodeTimeout, true, nil},
		"no json":  {200, "hello", lukasa.CodeExternal, true, nil},
		"nothing":  {200, "{}", lukasa.CodeExternal, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if _, ok := f.Read(t, w, r); ok {
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
				}
			}), 0)
			out, err := h.Hear(t.Context(), sound())
			if lukasa.CodeOf(err) != c.code || hear.Retryable(err) != c.again || c.is != nil && !errors.Is(err, c.is) || out.Segments != nil {
				t.Errorf("%+v, %v", out, err)
			}
			if strings.Contains(fmt.Sprintf("%+v", err), Secret) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

// testAgain: a server that fails once is asked again.
func (f Wire) testAgain(t *testing.T) {
	var n atomic.Int64
	h := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := f.Read(t, w, r); !ok {
			return
		}
		if n.Add(1) == 1 {
			http.Error(w, "loading", http.StatusServiceUnavailable)
			return
		}
		wiretest.WriteJSON(w, f.Answer(hear.Speech{Segments: []hear.Segment{{Text: "Hi."}}}))
	}), 0)
	if out, err := h.Hear(t.Context(), sound()); err != nil || len(out.Segments) != 1 || n.Load() != 2 {
		t.Errorf("%+v after %d, %v", out, n.Load(), err)
	}
}

func (f Wire) testTimeout(t *testing.T) {
	h := f.Open(t, wiretest.Serve(t, wiretest.Stuck), 50*time.Millisecond)
	if _, err := h.Hear(t.Context(), sound()); lukasa.CodeOf(err) != lukasa.CodeTimeout || !hear.Retryable(err) {
		t.Errorf("%v", err)
	}
}

func (f Wire) testCancelled(t *testing.T) {
	arrived := make(chan bool, 9)
	h := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- true
		wiretest.Stuck(w, r)
	}), 0)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	for range 2 {
		if _, err := h.Hear(ctx, sound()); !errors.Is(err, context.Canceled) || hear.Retryable(err) {
			t.Errorf("%v", err)
		}
	}
	if len(arrived) != 0 {
		t.Error("a cancelled caller's request was sent")
	}
}

func (f Wire) testConcurrency(t *testing.T) {
	h := f.serve(t, func(_ int, s hear.Sound) hear.Speech {
		return hear.Speech{Segments: []hear.Segment{{Text: string(s.Data)}}}
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := fmt.Sprintf("talk %d", i)
			out, err := h.Hear(t.Context(), hear.Sound{Data: []byte(text), Name: "a.wav"})
			if err != nil || len(out.Segments) != 1 || out.Segments[0].Text != text {
				t.Errorf("%q: %+v, %v", text, out, err)
			}
		})
	}
	wg.Wait()
}
