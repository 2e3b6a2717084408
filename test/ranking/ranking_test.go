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
	for _, corpus := range corpora {
		for _, ranker := range rankers {
			t.Run(corpus+"/"+ranker, func(t *testing.T) {
				t.Parallel()
				got := measure(t, corpus, ranker)
				path := golden(corpus, ranker)
				if *update {
					if err := os.WriteFile(path, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("the order has changed; if that is meant, run `make generate` and read the diff\n%s", got)
				}
			})
		}
	}
}

var (
	corpora = []string{"notes", "chat"}
	rankers = []string{"lukasa", "rrf"}
)

func golden(corpus, ranker string) string {
	return filepath.Join("testdata", corpus+"-"+ranker+".txt")
}

// measure asks the questions of a corpus, with settings as the environment spells them, and returns what the command prints.
func measure(t *testing.T, corpus, ranker string, settings ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Main(t.Context(), cli.Process{
		Args: []string{"bench", "recall", filepath.Join("testdata", corpus+".jsonl"), "--ranker", ranker, "--questions"},
		In:   &bytes.Buffer{}, Out: &out, Err: &errs, Env: append(settings, "HOME="+t.TempDir()),
	})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return out.Bytes()
}

// D-13: rows in PostgreSQL are ranked as those in a file are, to the last place; and so they are where the index is in PostgreSQL.
func TestRankingPostgres(t *testing.T) {
	t.Parallel()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	for _, index := range []string{"local", "pgvector"} {
		for _, corpus := range corpora {
			for _, ranker := range rankers {
				t.Run(index+"/"+corpus+"/"+ranker, func(t *testing.T) {
					t.Parallel()
					got := measure(t, corpus, ranker, "LUKASA_STORE_PROVIDER=postgres", "LUKASA_STORE_URL="+url, "LUKASA_STORE_CONNECTIONS=4", "LUKASA_INDEX_PROVIDER="+index)
					want, err := os.ReadFile(golden(corpus, ranker))
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, want) {
						t.Errorf("other than in a file:\n%s", got)
					}
				})
			}
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
