package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// script answers requests one after the other, without a network, so that time in tests is not real.
type script struct {
	answers []answer
	seen    []*http.Request
	bodies  []string
	at      []time.Time
}

type answer struct {
	status int
	after  string
	body   string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	s.seen, s.bodies, s.at = append(s.seen, r), append(s.bodies, body), append(s.at, time.Now())
	if len(s.seen) > len(s.answers) {
		return nil, errors.New("connection refused")
	}
	a := s.answers[len(s.seen)-1]
	w := httptest.NewRecorder()
	if a.after != "" {
		w.Header().Set("Retry-After", a.after)
	}
	w.Header().Set("X-Request-Id", "req-of-header")
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
	return w.Result(), nil
}

func newClient(t *testing.T, s *script, o client.Options) *client.Client {
	t.Helper()
	o.HTTP = &http.Client{Transport: s}
	c, err := client.New("http://memory.example/", o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const limited = `{"error":{"code":"RATE_LIMITED","message":"too many requests with this key","category":"rate_limit","details":{},"retryable":true,"request_id":"req-1"}}`

func TestRetryAfterIsObeyed(t *testing.T) { // H-27, T-12: 429 with Retry-After, obeyed by our clients
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{429, "7", limited}, {503, "", `{"error":{"code":"UNAVAILABLE","message":"away"}}`}, {200, "", `{"documents":3}`}}}
		st, err := newClient(t, s, client.Options{Key: "sk_x"}).Stats(t.Context())
		if err != nil || st.Documents != 3 {
			t.Fatalf("got %+v, %v", st, err)
		}
		if got := s.at[1].Sub(s.at[0]); got != 7*time.Second {
			t.Errorf("waited %v, was told 7 s", got)
		}
		if got := s.at[2].Sub(s.at[1]); got != 2*time.Second {
			t.Errorf("waited %v before the third try", got)
		}
		if got := s.seen[2].Header.Get("Authorization"); got != "Bearer sk_x" {
			t.Errorf("key was sent as %q", got)
		}
	})
}

func TestRetriesSendTheSameBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{429, "1", limited}, {201, "", `{"id":"doc_1","deduplicated":true}`}}}
		r, err := newClient(t, s, client.Options{}).Remember(t.Context(), lukasa.NewDocument{Content: "hello", Tags: []string{"a"}})
		if err != nil || !r.Deduplicated || r.Document.ID != "doc_1" {
			t.Fatalf("got %+v, %v", r, err)
		}
		if want := `{"content":"hello","tags":["a"]}`; s.bodies[0] != want || s.bodies[1] != want {
			t.Errorf("sent %q", s.bodies)
		}
	})
}

func TestTriesAreBounded(t *testing.T) {
	t.Parallel()
	busy := answer{429, "1", limited}
	for _, c := range []struct {
		name    string
		answers []answer
		options client.Options
		tries   int
		code    lukasa.Code
	}{
		{"four by default", []answer{busy, busy, busy, busy, busy}, client.Options{}, 4, lukasa.CodeLimited},
		{"as many as asked for", []answer{busy, busy, busy}, client.Options{Tries: 2}, 2, lukasa.CodeLimited},
		{"too long a wait", []answer{{429, "3600", limited}, busy}, client.Options{}, 1, lukasa.CodeLimited},
		{"a full disk", []answer{{503, "5", `{"error":{"code":"STORAGE_ERROR","message":"the disk is full"}}`}, busy}, client.Options{}, 1, lukasa.CodeStorage},
		{"an error", []answer{{400, "", `{"error":{"code":"VALIDATION_ERROR","message":"no"}}`}, busy}, client.Options{}, 1, lukasa.CodeInvalid},
		{"no server", nil, client.Options{}, 1, lukasa.CodeUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: c.answers}
				_, err := newClient(t, s, c.options).Stats(t.Context())
				if lukasa.CodeOf(err) != c.code || len(s.seen) != c.tries {
					t.Errorf("%d tries, %v", len(s.seen), err)
				}
			})
		})
	}
}

func TestStreamsAreSentOnce(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{429, "1", limited}, {200, "", "{}"}}}
	_, err := newClient(t, s, client.Options{}).Import(t.Context(), strings.NewReader("x"))
	if lukasa.CodeOf(err) != lukasa.CodeLimited || len(s.seen) != 1 {
		t.Errorf("%d tries, %v", len(s.seen), err)
	}
}

func TestContextEndsAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		s := &script{answers: []answer{{429, "20", limited}}}
		_, err := newClient(t, s, client.Options{}).Stats(ctx)
		if lukasa.CodeOf(err) != lukasa.CodeLimited || time.Since(began) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestErrorsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer answer
		want   lukasa.Error
		id     string
	}{
		{
			"of ours",
			answer{400, "", `{"error":{"code":"VALIDATION_ERROR","message":"title: is over 500 characters","details":{"field":"title"},"hint":"cut it","request_id":"r1"}}`},
			lukasa.Error{Code: lukasa.CodeInvalid, Field: "title", Msg: "is over 500 characters", Hint: "cut it"},
			"r1",
		},
		{"when to come back", answer{429, "9", limited}, lukasa.Error{Code: lukasa.CodeLimited, Msg: "too many requests with this key", RetryAfter: 9 * time.Second}, "req-1"},
		{"a code of a later version", answer{409, "", `{"error":{"code":"NEWER","message":"x"}}`}, lukasa.Error{Code: lukasa.CodeConflict, Msg: "x"}, "req-of-header"},
		{"a proxy's", answer{502, "", "<html>bad gateway</html>"}, lukasa.Error{Code: lukasa.CodeExternal, Msg: "the server answered 502 bad gateway"}, "req-of-header"},
		{"nothing", answer{404, "", ""}, lukasa.Error{Code: lukasa.CodeNotFound, Msg: "the server answered 404 not found"}, "req-of-header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := newClient(t, &script{answers: []answer{c.answer}}, client.Options{Tries: 1}).Document(t.Context(), "doc_x")
			var e *lukasa.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if id := client.RequestID(err); id != c.id {
				t.Errorf("request id %q, want %q", id, c.id)
			}
			got := *e
			got.Err = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswersThatAreNotOurs(t *testing.T) {
	t.Parallel()
	_, err := newClient(t, &script{answers: []answer{{200, "", "<html>hello</html>"}}}, client.Options{}).Stats(t.Context())
	if lukasa.CodeOf(err) != lukasa.CodeExternal {
		t.Errorf("got %v", err)
	}
	h, err := newClient(t, &script{answers: []answer{{503, "", `{"status":"down"}`}}}, client.Options{}).Health(t.Context())
	if err != nil || h.Status != "down" {
		t.Errorf("health of a server that is down: %+v, %v", h, err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "memory", "ftp://x", "http://", "http://x?y=1", "://"} {
		if _, err := client.New(bad, client.Options{}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	s := &script{answers: []answer{{200, "", "{}"}}}
	if _, err := newClient(t, s, client.Options{}).Node(t.Context(), "a/../../v1/users"); err != nil {
		t.Fatal(err)
	}
	if got := s.seen[0].URL.EscapedPath(); got != "/v1/nodes/a%2F..%2F..%2Fv1%2Fusers" {
		t.Errorf("an id leads to %s", got)
	}
}

func TestBatchHasAResultForEach(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{200, "", `{"items":[{"status":201,"document":{"id":"doc_1"}},{"status":413,"error":{"code":"TOO_LARGE","message":"content: is over","details":{"field":"content"}}}]}`}}}
	r, errs := newClient(t, s, client.Options{}).RememberAll(t.Context(), []lukasa.NewDocument{{Content: "a"}, {Data: []byte("b"), Name: "b.txt"}})
	if r[0].Document.ID != "doc_1" || errs[0] != nil || lukasa.CodeOf(errs[1]) != lukasa.CodeTooLarge {
		t.Errorf("got %+v %v", r, errs)
	}
	if want := `{"documents":[{"content":"a"},{"file_base64":"Yg==","filename":"b.txt"}]}`; s.bodies[0] != want {
		t.Errorf("sent %s", s.bodies[0])
	}
	_, errs = newClient(t, &script{answers: []answer{{200, "", `{"items":[]}`}}}, client.Options{}).RememberAll(t.Context(), []lukasa.NewDocument{{Content: "a"}})
	if lukasa.CodeOf(errs[0]) != lukasa.CodeExternal {
		t.Errorf("a short answer: %v", errs)
	}
}

// A filter that goes over the wire matches what it matched before.
func TestFiltersSurviveTheWire(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"a", "b", "true", "3"})
	var filter func(depth int) *rapid.Generator[lukasa.Filter]
	leaf := rapid.Custom(func(t *rapid.T) lukasa.Filter {
		switch rapid.IntRange(0, 4).Draw(t, "leaf") {
		case 0:
			return lukasa.Filter{Field: "confidence", Num: rapid.Float64Range(0, 1).Draw(t, "confidence")}
		case 1:
			return lukasa.Filter{Field: rapid.SampledFrom([]string{"after", "before"}).Draw(t, "side"), Time: time.Unix(rapid.Int64Range(0, 4).Draw(t, "at"), 0).UTC()}
		case 2:
			return lukasa.Filter{Field: "metadata.x", Text: rapid.SliceOfN(words, 1, 2).Draw(t, "values")}
		case 3:
			return lukasa.Filter{Field: "tags", Text: rapid.SliceOfN(words, 1, 2).Draw(t, "tags")}
		}
		return lukasa.Filter{}
	})
	filter = func(depth int) *rapid.Generator[lukasa.Filter] {
		if depth == 0 {
			return leaf
		}
		return rapid.Custom(func(t *rapid.T) lukasa.Filter {
			f := leaf.Draw(t, "own")
			f.And = rapid.SliceOfN(filter(depth-1), 0, 2).Draw(t, "and")
			f.Or = rapid.SliceOfN(filter(depth-1), 0, 2).Draw(t, "or")
			if rapid.Bool().Draw(t, "negate") {
				not := filter(depth-1).Draw(t, "not")
				// An empty "not" is read as no condition, where Match would refuse everything: nothing that a request can say.
				if client.FilterBody(&not) != nil {
					f.Not = &not
				}
			}
			return f
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		f := filter(3).Draw(t, "filter")
		raw, err := json.Marshal(client.FilterBody(&f))
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		back, err := client.ParseFilter(m)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		e := lukasa.Entry{
			Tags: rapid.SliceOfN(words, 0, 2).Draw(t, "entry tags"), Confidence: rapid.Float64Range(0, 1).Draw(t, "entry confidence"),
			Metadata: map[string]any{"x": words.Draw(t, "entry metadata")}, CreatedAt: time.Unix(rapid.Int64Range(0, 4).Draw(t, "entry at"), 0),
		}
		if f.Match(&e) != back.Match(&e) {
			t.Fatalf("%s matches otherwise", raw)
		}
	})
}

func FuzzErrorAnswer(f *testing.F) {
	f.Add(400, "5", []byte(`{"error":{"code":"VALIDATION_ERROR","message":"x: y","details":{"field":"x"}}}`))
	f.Add(503, "Wed, 21 Oct 2099 07:28:00 GMT", []byte(`{"error":null}`))
	f.Add(200, "-1", []byte(`[]`))
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		if status < 300 || status > 599 || status == 301 || status == 302 || status == 303 || status == 307 || status == 308 {
			t.Skip()
		}
		s := &script{answers: []answer{{status, after, string(body)}}}
		c, err := client.New("http://x", client.Options{HTTP: &http.Client{Transport: s}, Tries: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Stats(t.Context())
		var e *lukasa.Error
		if !errors.As(err, &e) || e.Code == "" || e.Msg == "" && e.Field == "" || e.RetryAfter < 0 {
			t.Fatalf("unclear error %+v", err)
		}
	})
}
