// Package binary holds the program as it is shipped to its promises: it is built once, started, killed, starved of disk and
// started many times on one data directory.
package binary

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var often = flag.Int("binary.often", 1, "how many times as often the tests kill the program")

// rounds are how often a test that kills the program n times by default does so.
func rounds(n int) int {
	if testing.Short() {
		return max(2, n/5)
	}
	return n * *often
}

// aim is within how long a kill should fall for it to hit what is going on. It is learned from round to round, because how fast that goes
// is the machine's affair.
type aim time.Duration

// wait waits for a random moment.
func (a *aim) wait() {
	time.Sleep(rand.N(time.Duration(*a))) //nolint:forbidigo // a random moment is the point
}

// early says that the kill came before anything had happened.
func (a *aim) early() { *a = min(2**a, aim(20*time.Second)) }

// late says that the kill came when all was over.
func (a *aim) late() { *a = max(*a*2/3, aim(5*time.Millisecond)) }

// build makes the program once a test process.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lukasa-binary")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "lukasa")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "../../cmd/lukasa")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return bin, nil
})

func program(tb testing.TB) string {
	tb.Helper()
	bin, err := build()
	if err != nil {
		tb.Fatal(err)
	}
	return bin
}

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code) //nolint:forbidigo // TestMain has to
}

// server is a running `lukasa serve`.
type server struct {
	cmd *exec.Cmd
	url string
	key string
	log *bytes.Buffer
}

// start serves a data directory and waits until it answers.
func start(tb testing.TB, data string, prefix ...string) *server {
	tb.Helper()
	args := append(prefix, program(tb), "serve", "--data", data, "--listen", "127.0.0.1:0")
	_ = os.Remove(filepath.Join(data, "server.json"))
	s := &server{cmd: exec.Command(args[0], args[1:]...), log: &bytes.Buffer{}}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.Env = append(os.Environ(), "LUKASA_RATE_LIMIT=0")
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		var f struct {
			Address string `json:"address"`
			PID     int    `json:"pid"`
		}
		if b, err := os.ReadFile(filepath.Join(data, "server.json")); err == nil && json.Unmarshal(b, &f) == nil {
			key, err := os.ReadFile(filepath.Join(data, "api.key"))
			if err != nil {
				tb.Fatal(err)
			}
			s.url, s.key = f.Address, strings.TrimSpace(string(key))
			if resp, err := http.Get(s.url + "/ready"); err == nil {
				resp.Body.Close()
				return s
			}
		}
		if time.Now().After(deadline) {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			tb.Fatalf("the server did not come up:\n%s", s.log)
		}
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // polls another process
	}
}

// kill ends the server as a power cut of the process would.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// call sends a request; an error means that no answer came.
func (s *server) call(method, path string, body any) (int, map[string]any, error) {
	req, err := s.request(method, path, body)
	if err != nil {
		return 0, nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	var out map[string]any
	err = json.NewDecoder(resp.Body).Decode(&out)
	return resp.StatusCode, out, err
}

func (s *server) request(method, path string, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, s.url+path, r)
	if err == nil {
		req.Header.Set("Authorization", "Bearer "+s.key)
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

// run runs one command.
func run(tb testing.TB, data string, args ...string) (string, error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(tb), append(args, "--data", data)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestKill kills the server at random moments under writing load: nothing that was acknowledged is lost, nothing is half
// written, and it opens at once.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := rounds(50)
	data := t.TempDir()
	acked := map[string]string{} // id → text
	moment := aim(60 * time.Millisecond)
	for round := range rounds {
		s := start(t, data)
		before := len(acked)
		var mu sync.Mutex
		var wg sync.WaitGroup
		stop := make(chan struct{})
		for w := range 4 {
			wg.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					text := fmt.Sprintf("Round %d writer %d note %d: the tide table of harbour %d-%d-%d.", round, w, i, round, w, i)
					if i%5 == 4 { // longer than a row: a sealed file and a job
						text += strings.Repeat(" The tide comes in and the tide goes out.", 2000)
					}
					status, out, err := s.call("POST", "/v1/documents", map[string]any{"content": text, "container": fmt.Sprintf("w%d", w)})
					if err != nil {
						return
					}
					if status == 201 || status == 202 {
						mu.Lock()
						acked[out["id"].(string)] = text
						mu.Unlock()
					}
				}
			})
		}
		moment.wait()
		s.kill()
		close(stop)
		wg.Wait()
		switch n := len(acked) - before; {
		case n < 2:
			moment.early()
		case n > 15: // among some hundred notes each is found by its words; among thousands of the same words a long one is not
			moment.late()
		}
		if round%50 == 49 || round == rounds-1 {
			verify(t, data, acked)
		}
	}
	t.Logf("%d rounds, %d acknowledged", rounds, len(acked))
	if len(acked) < rounds {
		t.Errorf("only %d writes were acknowledged in %d rounds: the test tests little", len(acked), rounds)
	}
}

// verify holds a killed store to what it acknowledged.
func verify(t *testing.T, data string, acked map[string]string) {
	t.Helper()
	s := start(t, data)
	defer s.kill()
	for id, text := range acked {
		status, out, err := s.call("GET", "/v1/documents/"+id, nil)
		if err != nil || status != 200 {
			t.Fatalf("%s is lost: %d %v", id, status, err)
		}
		if out["content"] != text {
			t.Fatalf("%s is half written: %d of %d bytes", id, len(out["content"].(string)), len(text))
		}
	}
	deadline := time.Now().Add(time.Minute)
	for {
		_, st, err := s.call("GET", "/v1/stats", nil)
		if err != nil {
			t.Fatal(err)
		}
		if st["embedding_coverage"] == 1.0 || st["chunks"] == 0.0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("jobs of killed servers are not taken up: %v", st)
		}
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // waits for another process
	}
	_, found, err := s.call("POST", "/v1/doctor", map[string]any{})
	if err != nil || len(found["items"].([]any)) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
	n := 0
	for id, text := range acked { // a sample is found by its words
		if n++; n > 20 {
			break
		}
		words, _, _ := strings.Cut(text[strings.Index(text, "harbour "):], ".")
		_, out, err := s.call("POST", "/v1/search", map[string]any{"query": words, "limit": 50})
		if err != nil || !strings.Contains(fmt.Sprint(out), id) {
			t.Errorf("%s is not found by %q (%v)", id, words, err)
		}
	}
}

// TestManyProcesses lets ten assistants and ten command lines write and search one data directory at once.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var wg sync.WaitGroup
	var failed atomic.Int32
	for i := range 10 {
		wg.Go(func() {
			a, err := newAssistant(t, data)
			if err != nil {
				t.Errorf("assistant %d: %v", i, err)
				failed.Add(1)
				return
			}
			defer a.close()
			for k := range 5 {
				if _, err := a.call("memory", map[string]any{"content": fmt.Sprintf("Assistant %d keeps item number %d: zebra%dx%d.", i, k, i, k)}); err != nil {
					t.Errorf("assistant %d: %v", i, err)
				}
				if got, err := a.call("recall", map[string]any{"query": fmt.Sprintf("zebra%dx%d", i, k)}); err != nil || !strings.Contains(got, fmt.Sprintf("zebra%dx%d", i, k)) {
					t.Errorf("assistant %d does not find what it just wrote: %v %s", i, err, got)
				}
			}
		})
		wg.Go(func() {
			for k := range 5 {
				if out, err := run(t, data, "add", fmt.Sprintf("Command %d keeps item number %d: yak%dx%d.", i, k, i, k)); err != nil {
					t.Errorf("command %d: %v\n%s", i, err, out)
				}
			}
		})
	}
	wg.Wait()
	a, err := newAssistant(t, data)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	for i := range 10 {
		for k := range 5 {
			for _, animal := range []string{"zebra", "yak"} {
				word := fmt.Sprintf("%s%dx%d", animal, i, k)
				if got, err := a.call("recall", map[string]any{"query": word}); err != nil || !strings.Contains(got, word) {
					t.Errorf("%s is lost: %v", word, err)
				}
			}
		}
	}
	if out, err := run(t, data, "search", "yak3x3", "--json"); err != nil || !strings.Contains(out, "yak3x3") {
		t.Errorf("the command line does not find it: %v %s", err, out)
	}
}

// assistant is a `lukasa mcp` with a client that speaks the protocol by hand.
type assistant struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
	err bytes.Buffer
	id  int
}

func newAssistant(tb testing.TB, data string) (*assistant, error) {
	a := &assistant{cmd: exec.Command(program(tb), "mcp", "--data", data)}
	a.cmd.Stderr = &a.err
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = json.NewDecoder(out)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := a.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "test", "version": "1"},
	}); err != nil {
		a.close()
		return nil, fmt.Errorf("%w\n%s", err, a.err.String())
	}
	return a, a.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (a *assistant) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.in.Write(append(data, '\n'))
	return err
}

func (a *assistant) request(method string, params any) (json.RawMessage, error) {
	a.id++
	if err := a.send(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		var m struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := a.out.Decode(&m); err != nil {
			return nil, err
		}
		if m.ID == nil || *m.ID != a.id {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	}
}

func (a *assistant) call(tool string, args map[string]any) (string, error) {
	r, err := a.request("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return "", err
	}
	if bytes.Contains(r, []byte(`"isError":true`)) {
		return "", fmt.Errorf("%s", r)
	}
	return string(r), nil
}

func (a *assistant) close() {
	_ = a.in.Close()
	_ = a.cmd.Wait()
}

// TestInspector has the protocol's own inspector list and call every tool over stdio (H-21).
func TestInspector(t *testing.T) {
	t.Parallel()
	inspector := os.Getenv("LUKASA_TEST_INSPECTOR")
	if inspector == "" {
		t.Skip("needs inspector: LUKASA_TEST_INSPECTOR is not set; `make servers` installs it")
	}
	data := t.TempDir()
	ask := func(args ...string) string {
		cmd := append(strings.Fields(inspector), "--cli", program(t), "mcp", "--data", data)
		cmd = append(cmd, args...)
		out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	listed := ask("--method", "tools/list")
	for _, c := range [][]string{
		{"memory", "content=The inspector was here."}, {"recall", "query=inspector"}, {"listProjects"}, {"memory-graph"}, {"whoAmI"},
	} {
		if !strings.Contains(listed, `"`+c[0]+`"`) {
			t.Errorf("tools/list lacks %s", c[0])
		}
		args := []string{"--method", "tools/call", "--tool-name", c[0]}
		for _, x := range c[1:] {
			args = append(args, "--tool-arg", x)
		}
		if out := ask(args...); strings.Contains(out, `"isError": true`) || !strings.Contains(out, "structuredContent") {
			t.Errorf("%s answers %s", c[0], out)
		}
	}
}

// TestFullDisk starves the server of disk: writes are refused with a hint, reads go on, and writes go on when there is
// space again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := start(t, data)
	if status, out, err := s.call("POST", "/v1/documents", map[string]any{"content": "The first note, while there is room: heron."}); err != nil || status != 201 {
		t.Fatal(status, out, err)
	}
	s.kill()
	// no file may grow over 4 MB; -S leaves SIGXFSZ to the program, which ignores it
	s = start(t, data, "/bin/sh", "-c", `trap "" XFSZ; ulimit -f 8192; exec "$0" "$@"`)
	var refused map[string]any
	acked := 0
	for i := range 2000 {
		status, out, err := s.call("POST", "/v1/documents", map[string]any{"content": fmt.Sprintf("Note %d. %s", i, strings.Repeat(fmt.Sprintf("Filling line %d. ", i), 2000))})
		if err != nil {
			t.Fatalf("the server fell over: %v\n%s", err, s.log)
		}
		if status >= 300 {
			refused = out
			break
		}
		acked++
	}
	if refused == nil {
		t.Fatal("the limit was never reached")
	}
	e, _ := refused["error"].(map[string]any)
	if e["code"] != "STORAGE_ERROR" || e["hint"] == nil || e["retryable"] != true {
		t.Errorf("refusal: %v", refused)
	}
	if status, out, err := s.call("POST", "/v1/search", map[string]any{"query": "heron"}); err != nil || status != 200 || !strings.Contains(fmt.Sprint(out), "heron") {
		t.Errorf("reads do not go on: %d %v %v", status, out, err)
	}
	s.kill()
	s = start(t, data)
	defer s.kill()
	if status, out, err := s.call("POST", "/v1/documents", map[string]any{"content": "There is room again: egret."}); err != nil || status != 201 {
		t.Errorf("writes do not go on: %d %v %v", status, out, err)
	}
	_, st, err := s.call("GET", "/v1/stats", nil)
	if err != nil || st["documents"] != float64(acked+2) {
		t.Errorf("%v documents, want %d (%v)", st["documents"], acked+2, err)
	}
}

// TestShutdown ends the server politely: requests in flight are answered, the exit code is 0 and the address is free.
func TestShutdown(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := start(t, data)
	if _, _, err := s.call("POST", "/v1/documents", map[string]any{"content": "Good night."}); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, s.log)
	}
	if _, err := os.Stat(filepath.Join(data, "server.json")); err == nil {
		t.Error("server.json is left behind")
	}
}

// BenchmarkStart measures a start on an empty store up to the first answer, and the memory of the idle server.
func BenchmarkStart(b *testing.B) {
	program(b)
	var rss, size int64
	if st, err := os.Stat(program(b)); err == nil {
		size = st.Size()
	}
	for b.Loop() {
		s := start(b, b.TempDir())
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)); err == nil {
			for line := range strings.Lines(string(data)) {
				if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
					_, _ = fmt.Sscan(f[1], &rss)
				}
			}
		}
		s.kill()
	}
	b.ReportMetric(float64(rss)/1024, "MB-RSS-idle")
	b.ReportMetric(float64(size)/1e6, "MB-binary")
}
