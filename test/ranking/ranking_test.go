// Package ranking shows in the diff what a change does to the order of results: each judged query's first results, and the
// means, are golden files over corpora written for this test.
package ranking

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
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
