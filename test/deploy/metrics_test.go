// Package deploy holds the files of deploy/ to the program: the metrics that alerts and dashboard name exist, and the schema
// can be spread over machines by owner.
package deploy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// series is what a server tells of one metric: the labels that it has, and each label's values.
type series map[string]map[string]bool

// expression is one of PromQL, with the place where it stands.
type expression struct{ where, text string }

// theirs are the metrics that Prometheus makes itself, and the labels that it gives to each.
var (
	theirs       = map[string]bool{"up": true}
	targetLabels = map[string]bool{"job": true, "instance": true}
)

// TestMetricsExist holds each name, label and route in alerts and dashboard against a running server.
func TestMetricsExist(t *testing.T) {
	t.Parallel()
	known := scraped(t)
	exprs := slices.Concat(alerts(t), dashboard(t))
	if len(exprs) < 30 {
		t.Fatalf("%d expressions only", len(exprs))
	}
	used := map[string]bool{}
	for _, x := range exprs {
		for name := range metricsIn(x.text) {
			used[name] = true
		}
		for _, f := range faults(x, known) {
			t.Error(f)
		}
	}
	for _, name := range []string{"lukasa_http_requests_total", "lukasa_jobs_total", "lukasa_searches_total", "process_resident_memory_bytes"} {
		if !used[name] {
			t.Errorf("the scan did not see %s", name)
		}
	}
}

// TestFaultsAreFound breaks expressions one by one.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	known := map[string]series{"lukasa_a_total": {"route": {"GET /a": true}}}
	for text, fault := range map[string]string{
		`sum(rate(lukasa_a_total{route="GET /a"}[5m]))`:                            "",
		`sum by (instance, route) (rate(lukasa_a_total[5m])) > 2 and up{job="x"}`:  "",
		`histogram_quantile(0.95, sum by (le) (rate(lukasa_a_total_bucket[5m])))`:  "lukasa_a_total_bucket is not a metric",
		`sum(rate(lukasa_b_total[5m]))`:                                            "lukasa_b_total is not a metric",
		`lukasa_a_total{kind="x"}`:                                                 "lukasa_a_total has no label kind",
		`lukasa_a_total{route="GET /b"}`:                                           `no lukasa_a_total with route="GET /b"`,
		`sum by (kind) (lukasa_a_total)`:                                           "no metric here has the label kind",
		`go_missing_bytes{instance=~"$instance"} / on (job) process_missing_total`: "go_missing_bytes is not a metric",
	} {
		got := faults(expression{"x", text}, known)
		switch {
		case fault == "" && len(got) > 0:
			t.Errorf("%s: %v", text, got)
		case fault != "" && !strings.Contains(strings.Join(got, "\n"), fault):
			t.Errorf("%s gave %v, want %q", text, got, fault)
		}
	}
}

// scraped starts a server, does what makes each of its metrics appear, and reads them.
func scraped(t *testing.T) map[string]series {
	t.Helper()
	cfg := enginetest.Config(t)
	cfg.InlineBytes = 64 // longer texts become jobs
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	e, _, _ := enginetest.Open(t, cfg, engine.Options{Log: log})
	e.Start()
	srv := httptest.NewServer(api.New(e, api.Options{Version: "test", Timeout: 10 * time.Second, MaxBody: 1 << 20, Log: log}))
	t.Cleanup(srv.Close)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+cfg.APIKey)
		req.Header.Set("Content-Type", "application/json")
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(data)
	}
	ask("GET", "/ready", "")
	ask("GET", "/health", "")
	if status, body := ask("POST", "/v1/documents", `{"content":"Maria keeps her bicycle in the cellar."}`); status != http.StatusCreated {
		t.Fatalf("save: %d %s", status, body)
	}
	ask("POST", "/v1/documents", fmt.Sprintf(`{"content":%q}`, strings.Repeat("The harbour is closed on Sundays. ", 20)))
	ask("POST", "/v1/documents", `{"content":""}`)
	if status, body := ask("POST", "/v1/search", `{"query":"where is the bike?"}`); status != http.StatusOK {
		t.Fatalf("search: %d %s", status, body)
	}
	for range 200 {
		status, text := ask("GET", "/metrics", "")
		if status != http.StatusOK {
			t.Fatalf("metrics: %d %s", status, text)
		}
		if known := read(t, text); known["lukasa_jobs_total"] != nil && known["lukasa_errors_total"] != nil {
			return known
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // a job ends in another goroutine
	}
	t.Fatal("no job has ended, or no error was counted")
	return nil
}

var (
	line  = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$`)
	label = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)
)

// read takes Prometheus's text format apart.
func read(t *testing.T, text string) map[string]series {
	t.Helper()
	known := map[string]series{}
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		m := line.FindStringSubmatch(sc.Text())
		if m == nil {
			t.Fatalf("a line that cannot be read: %s", sc.Text())
		}
		if known[m[1]] == nil {
			known[m[1]] = series{}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if known[m[1]][l[1]] == nil {
				known[m[1]][l[1]] = map[string]bool{}
			}
			known[m[1]][l[1]][l[2]] = true
		}
	}
	return known
}

// alerts are the expressions of the rules; a rule's stands on one line.
func alerts(t *testing.T) []expression {
	t.Helper()
	data, err := os.ReadFile("../../deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out []expression
	rules := 0
	for text := range strings.SplitSeq(string(data), "\n") {
		text = strings.TrimSpace(text)
		if name, ok := strings.CutPrefix(text, "- alert: "); ok {
			rules++
			out = append(out, expression{where: "alert " + name})
		}
		if expr, ok := strings.CutPrefix(text, "expr: "); ok && len(out) == rules && out[rules-1].text == "" {
			out[rules-1].text = expr
		}
	}
	for _, x := range out {
		if len(x.text) < 8 { // a block, or none
			t.Fatalf("%s: its expression does not stand on one line", x.where)
		}
	}
	return out
}

// dashboard is every string of the dashboard whose key is expr, and the queries of its variables.
func dashboard(t *testing.T) []expression {
	t.Helper()
	data, err := os.ReadFile("../../deploy/grafana/lukasa.json")
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(data, &whole); err != nil {
		t.Fatal(err)
	}
	var out []expression
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if title, ok := v["title"].(string); ok {
				where = "panel " + title
			}
			for k, sub := range v {
				s, ok := sub.(string)
				switch {
				case ok && k == "expr":
					out = append(out, expression{where, s})
				case ok && k == "definition":
					out = append(out, expression{"variable", regexp.MustCompile(`^label_values\((.*), \w+\)$`).ReplaceAllString(s, "$1")})
				default:
					walk(where, sub)
				}
			}
		case []any:
			for _, sub := range v {
				walk(where, sub)
			}
		}
	}
	walk("dashboard", whole)
	return out
}

var (
	selector  = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?`)
	matcher   = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"`)
	grouping  = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	durations = regexp.MustCompile(`\[[^\]]*\]`)
	ours      = regexp.MustCompile(`^(lukasa|process|go|promhttp)_|^up$`)
)

// metricsIn finds the metrics of an expression, with their matchers. It knows names by how they begin; names that begin in
// another way are found by the parser of Prometheus in deploy/check, which knows no server.
func metricsIn(expr string) map[string][][]string {
	found := map[string][][]string{}
	bare := grouping.ReplaceAllString(durations.ReplaceAllString(expr, ""), "")
	for _, m := range selector.FindAllStringSubmatch(bare, -1) {
		if ours.MatchString(m[1]) {
			found[m[1]] = append(found[m[1]], matcher.FindAllStringSubmatch(m[2], -1)...)
		}
	}
	return found
}

// faults says what an expression names that no server tells.
func faults(x expression, known map[string]series) []string {
	var out []string
	found := metricsIn(x.text)
	if len(found) == 0 {
		out = append(out, fmt.Sprintf("%s: no metric in %s", x.where, x.text))
	}
	for name, ms := range found {
		s, ok := known[name]
		if !ok && !theirs[name] {
			out = append(out, fmt.Sprintf("%s: %s is not a metric of the server", x.where, name))
			continue
		}
		for _, m := range ms {
			switch l, op, v := m[1], m[2], m[3]; {
			case targetLabels[l]:
			case s[l] == nil:
				out = append(out, fmt.Sprintf("%s: %s has no label %s", x.where, name, l))
			case op == "=" && l == "route" && !s[l][v]:
				out = append(out, fmt.Sprintf("%s: there is no %s with %s=%q", x.where, name, l, v))
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(x.text, -1) {
		for l := range strings.SplitSeq(g[2], ",") {
			l = strings.TrimSpace(l)
			has := targetLabels[l]
			for name := range found {
				has = has || known[name][l] != nil
			}
			if !has {
				out = append(out, fmt.Sprintf("%s: no metric here has the label %s", x.where, l))
			}
		}
	}
	return out
}
