// Package ranking shows in the diff what a change does to the order of results: each judged query's first results, and the
// means, are golden files over corpora written for this test.
package ranking

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
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
	return ask(t, filepath.Join("testdata", corpus+".jsonl"), ranker, settings...)
}

func ask(t *testing.T, file, ranker string, settings ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Main(t.Context(), cli.Process{
		Args: []string{"bench", "recall", file, "--ranker", ranker, "--questions"},
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

// TestDocsStats asks the pages of the documentation as they are now, and holds the means of the places of the pages that answer. A page
// that changes moves them a little: it fails where they fall by more than a point; -update writes down where they stand.
func TestDocsStats(t *testing.T) {
	t.Parallel()
	got := ask(t, docsCorpus(t), "lukasa")
	path := golden("docs", "lukasa")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	is, was := means(t, got), means(t, want)
	for _, k := range []int{0, 1, 2, 6} { // recall at 1, 5 and 10, and MRR
		if is[k] < was[k]-1 {
			t.Errorf("pages are found worse than before: %v, was %v; if that is meant, run it with -update and read the diff\n%s", is, was, got)
			break
		}
	}
}

// means reads the row of means out of what the command prints.
func means(t *testing.T, out []byte) []float64 {
	t.Helper()
	for line := range strings.Lines(string(out)) {
		rest, ok := strings.CutPrefix(line, "answerable ")
		if !ok {
			continue
		}
		var list []float64
		for f := range strings.FieldsSeq(rest) {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			list = append(list, x)
		}
		if len(list) == 8 {
			return list
		}
	}
	t.Fatalf("no means in:\n%s", out)
	return nil
}

// docsCorpus writes the pages with the questions of docs.tsv as a data file. A page is one turn, whose id is its name.
func docsCorpus(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..", "docs")
	c := bench.Conversation{Name: "docs", Source: "written for this test"}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		b, err := os.ReadFile(path)
		name := filepath.Base(path)
		c.Turns = append(c.Turns, bench.Turn{ID: name, Session: name, Text: string(b)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join("testdata", "docs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		question, pages, ok := strings.Cut(strings.TrimSpace(line), "\t")
		evidence := strings.Fields(pages)
		for _, page := range evidence {
			ok = ok && slices.ContainsFunc(c.Turns, func(t bench.Turn) bool { return t.ID == page })
		}
		if !ok {
			t.Fatalf("docs.tsv names a page that is not there: %q", line)
		}
		c.Questions = append(c.Questions, bench.Question{ID: fmt.Sprint("q", len(c.Questions)+1), Text: question, Category: "docs", Evidence: evidence})
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "docs.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
