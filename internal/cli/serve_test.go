package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/cli"
)

// served is a server that runs in the test's own process until stop is called.
type served struct {
	url, key string
	stop     func() (code int)
}

func serve(t *testing.T, args ...string) served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r, w := io.Pipe()
	ended := make(chan int, 1)
	var stderr safe
	go func() {
		ended <- cli.Main(ctx, cli.Process{Args: append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), In: strings.NewReader(""), Out: w, Err: &stderr, Version: "test"})
		_ = w.Close()
	}()
	var s served
	lines := bufio.NewScanner(r)
	for s.key == "" && lines.Scan() {
		switch f := strings.Fields(lines.Text()); {
		case len(f) == 2 && f[0] == "REST":
			s.url = strings.TrimSuffix(f[1], "/v1")
		case len(f) > 1 && f[0] == "key":
			s.key = f[1]
		}
	}
	if s.url == "" {
		cancel()
		t.Fatalf("it does not serve: exit code %d, %s", <-ended, stderr.String())
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	s.stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { s.stop() })
	return s
}

// safe is a builder that may be written and read at once.
type safe struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safe) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A server that is asked to stop ends streams of events, which would run for ever, and takes its note away.
func TestServeEndsWithListeners(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := serve(t, "--data", data)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body := bufio.NewReader(res.Body)
	if line, err := body.ReadString('\n'); err != nil || line != ": hello\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	if _, err := os.Stat(filepath.Join(data, "server.json")); !os.IsNotExist(err) {
		t.Errorf("the note of the server is still there: %v", err)
	}
}

// All the doors that the first lines name are there.
func TestServeHasAllDoors(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"))
	for path, want := range map[string]int{"/openapi.json": 200, "/health": 200, "/v1/whoami": 200, "/metrics": 200, "/mcp": 200, "/nowhere": 404} {
		method, body := http.MethodGet, io.Reader(nil)
		if path == "/mcp" {
			method, body = http.MethodPost, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		}
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, res.StatusCode, want)
		}
	}
}

// What is said to a copy of the directory of a running server is said to the copy.
func TestCopyIsNotItsServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	run := func(dir string, args ...string) string {
		t.Helper()
		var out, stderr strings.Builder
		if code := cli.Main(t.Context(), cli.Process{Args: append(args, "--data", dir), In: strings.NewReader(""), Out: &out, Err: &stderr}); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
		}
		return out.String()
	}
	serve(t, "--data", data)
	run(data, "add", "The cat is called Miso.")
	copied := data + "-copy"
	if err := os.CopyFS(copied, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(copied, "master.key"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(copied, "add", "The dog is called Rex.")
	if got := run(copied, "search", "Rex"); !strings.Contains(got, "Rex") {
		t.Errorf("the copy does not have it: %s", got)
	}
	if got := run(data, "search", "Rex"); strings.Contains(got, "Rex") {
		t.Errorf("the original has it: %s", got)
	}
}

// A program that has taken over the port of a server that died does not get the key.
func TestKeyIsNotSentToAnotherServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) (int, string) {
		var out, stderr strings.Builder
		code := cli.Main(t.Context(), cli.Process{Args: append(args, "--data", data), In: strings.NewReader(""), Out: &out, Err: &stderr})
		return code, out.String() + stderr.String()
	}
	if code, said := run("add", "The cat is called Miso."); code != 0 {
		t.Fatal(said)
	}
	var mu sync.Mutex
	asked, told := 0, ""
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		told += r.Header.Get("Authorization")
		w.Header().Set("X-Lukasa-Proof", r.Header.Get("X-Lukasa-Challenge"))
		fmt.Fprintln(w, "{}")
	}))
	defer other.Close()
	note, err := json.Marshal(map[string]any{"address": other.URL, "token": "t", "pid": 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "server.json"), note, 0o600); err != nil {
		t.Fatal(err)
	}
	code, said := run("search", "cat")
	if code != 0 || !strings.Contains(said, "Miso") {
		t.Errorf("exit code %d: %s", code, said)
	}
	mu.Lock()
	defer mu.Unlock()
	if asked == 0 || told != "" {
		t.Errorf("asked %d times, and told %q", asked, told)
	}
}

// What Kubernetes injects for a service called lukasa is named once in the log of the server, and ends no start.
func TestServeLogsInjectedVariables(t *testing.T) {
	t.Parallel()
	var stderr safe
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Main(ctx, cli.Process{
			Args: []string{"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")}, In: strings.NewReader(""), Out: w, Err: &stderr,
			Env: []string{"LUKASA_PORT=tcp://10.0.0.7:7077", "LUKASA_SERVICE_HOST=10.0.0.7"},
		})
		_ = w.Close()
	}()
	lines := bufio.NewScanner(out)
	lines.Scan()
	cancel()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if code := <-ended; code != 0 || strings.Count(stderr.String(), "LUKASA_PORT") != 1 || strings.Count(stderr.String(), "LUKASA_SERVICE_HOST") != 1 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

// A second server on a data directory is refused and says where the first one is. Commands go on to find the first; when that has ended, another
// may begin.
func TestSecondServerIsRefused(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	first := serve(t, "--data", data)
	before, err := os.ReadFile(filepath.Join(data, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out, stderr strings.Builder
	code := cli.Main(t.Context(), cli.Process{Args: []string{"serve", "--listen", "127.0.0.1:0", "--data", data}, In: strings.NewReader(""), Out: &out, Err: &stderr})
	if code != 1 || !strings.Contains(stderr.String(), "another server runs on "+data+", at "+first.url) || !strings.Contains(stderr.String(), "--data") || out.String() != "" {
		t.Errorf("exit code %d: %s%s", code, out.String(), stderr.String())
	}
	if after, err := os.ReadFile(filepath.Join(data, "server.json")); err != nil || string(after) != string(before) {
		t.Errorf("server.json is %s, and was %s: %v", after, before, err)
	}
	if code := first.stop(); code != 0 {
		t.Errorf("the first one ended with %d", code)
	}
	again := serve(t, "--data", data)
	if code := again.stop(); code != 0 {
		t.Errorf("the one after it ended with %d", code)
	}
}
