package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// site is a served engine and a client of it.
type site struct {
	t     *testing.T
	e     *engine.Engine
	clock *enginetest.Clock
	url   string
	key   string
	door  http.Handler // the same, without a network between
}

func serve(t *testing.T, change func(*config.Config), o engine.Options) *site {
	t.Helper()
	cfg := enginetest.Config(t)
	if change != nil {
		change(&cfg)
	}
	e, clock, _ := enginetest.Open(t, cfg, o)
	n := 0
	h := api.New(e, api.Options{
		Version: "test", Timeout: cfg.RequestTimeout, MaxBody: cfg.MaxBody,
		Mint: func() string { n++; return fmt.Sprint("req-", n) },
	})
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return &site{t: t, e: e, clock: clock, url: srv.URL, key: cfg.APIKey, door: h}
}

type obj = map[string]any

// do sends a request and returns status and decoded body.
func (s *site) do(method, path string, body any) (int, obj) {
	s.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, s.url+path, r)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return s.send(req)
}

// send returns status and decoded body; of one that is not JSON the bytes.
func (s *site) send(req *http.Request) (int, obj) {
	s.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var out obj
	if len(data) > 0 && strings.HasSuffix(strings.Split(resp.Header.Get("Content-Type"), ";")[0], "json") {
		if err := json.Unmarshal(data, &out); err != nil {
			s.t.Fatalf("%s %s: answer is not JSON: %s", req.Method, req.URL.Path, data)
		}
	} else {
		out = obj{"bytes": string(data)}
	}
	return resp.StatusCode, out
}

// must sends a request that has to answer with the status.
func (s *site) must(status int, method, path string, body any) obj {
	s.t.Helper()
	got, out := s.do(method, path, body)
	if got != status {
		s.t.Fatalf("%s %s: status %d, want %d: %v", method, path, got, status, out)
	}
	return out
}

// save saves a text and returns the answer.
func (s *site) save(content string, more ...any) obj {
	s.t.Helper()
	body := obj{"content": content}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	status, out := s.do("POST", "/v3/memory", body)
	if status >= 300 {
		s.t.Fatalf("save: status %d: %v", status, out)
	}
	return out
}

// recall searches by /v3 and returns the results.
func (s *site) recall(query string, more ...any) []obj {
	s.t.Helper()
	body := obj{"query": query}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return objs(s.must(200, "POST", "/v3/recall", body)["results"])
}

func objs(v any) []obj {
	list, _ := v.([]any)
	out := make([]obj, len(list))
	for i, x := range list {
		out[i], _ = x.(obj)
	}
	return out
}

func text(o obj, keys ...string) string {
	var v any = o
	for _, k := range keys {
		m, _ := v.(obj)
		v = m[k]
	}
	s, _ := v.(string)
	return s
}

func num(o obj, key string) float64 {
	f, _ := o[key].(float64)
	return f
}
