// Package ranking shows in the diff what a change does to the order of results: each judged query's first results, and the
// means, are golden files over corpora written for this test.
package ranking

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/cli"
)

//go:generate go test -run ^TestRanking$ -update .

var update = flag.Bool("update", false, "rewrite the golden files")

func TestRanking(t *testing.T) {
	t.Parallel()
	// neither ranker looks at the clock, so that the files hold tomorrow too
	for _, corpus := range []string{"notes", "chat"} {
		for _, ranker := range []string{"lukasa", "rrf"} {
			t.Run(corpus+"/"+ranker, func(t *testing.T) {
				t.Parallel()
				var out, errs bytes.Buffer
				code := cli.Main(t.Context(), cli.Process{
					Args: []string{"bench", "recall", filepath.Join("testdata", corpus+".jsonl"), "--ranker", ranker, "--questions"},
					In:   &bytes.Buffer{}, Out: &out, Err: &errs, Env: []string{"HOME=" + t.TempDir()},
				})
				if code != 0 {
					t.Fatalf("exit code %d: %s", code, errs.String())
				}
				path := filepath.Join("testdata", corpus+"-"+ranker+".txt")
				if *update {
					if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out.Bytes(), want) {
					t.Errorf("the order has changed; if that is meant, run `make generate` and read the diff\n%s", out.String())
				}
			})
		}
	}
}

// TestDocs asks the documentation itself: the page that answers stands first, with its lines.
func TestDocs(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := cli.Main(t.Context(), cli.Process{Args: append(args, "--data", data), In: &bytes.Buffer{}, Out: &out, Err: &errs}); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	run("add", filepath.Join("..", "..", "docs"))
	for question, page := range map[string]string{
		"how do I back up": "backup.md", "which assistants can use it": "assistants.md", "what does TOO_LARGE mean": "errors.md",
	} {
		out := run("search", question, "--limit", "1")
		first, _, _ := strings.Cut(out, "\n")
		if !regexp.MustCompile(regexp.QuoteMeta(page) + `:\d+(-\d+)?\b`).MatchString(first) {
			t.Errorf("%q gives %q first, want %s with its lines", question, first, page)
		}
		var found struct {
			Results []struct {
				Chunk struct {
					Lines [2]int `json:"lines"`
				} `json:"chunk"`
			} `json:"results"`
		}
		if err := json.Unmarshal([]byte(run("search", question, "--limit", "1", "--json")), &found); err != nil {
			t.Fatal(err)
		}
		if len(found.Results) != 1 || found.Results[0].Chunk.Lines[0] < 1 || found.Results[0].Chunk.Lines[1] < found.Results[0].Chunk.Lines[0] {
			t.Errorf("%q as JSON: %+v", question, found)
		}
	}
}
