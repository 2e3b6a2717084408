package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
	"github.com/lukasa-memory/lukasa/internal/embed/local"
)

// tiny is a model of two layers with random weights.
const tiny = "../../encoder/testdata/tiny"

func open(t *testing.T, o local.Options) *local.Embedder {
	t.Helper()
	e, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSuite(t *testing.T) {
	t.Parallel()
	e := open(t, local.Options{Dir: tiny})
	embedtest.Run(t, func(*testing.T) embed.Embedder { return e })
}

// D-11: a folder is a model; its space follows from what is in it, not from where it lies.
func TestSpace(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(dir, os.DirFS(tiny)); err != nil {
		t.Fatal(err)
	}
	a, b := open(t, local.Options{Dir: tiny}).Space(), open(t, local.Options{Dir: dir, Name: "tiny"}).Space()
	if a != b || !strings.HasPrefix(a.ID, "local:") || a.Dim != 64 || a.Profile.MaxTokens != 38 || a.Profile.InlineTokens < 1000 {
		t.Errorf("%+v, %+v", a, b)
	}
	if c := open(t, local.Options{Dir: tiny, MaxTokens: 20}).Space(); c.ID == a.ID {
		t.Error("another limit has the same space")
	}
}

// A question and a text differ by their prefixes; models of the e5 family have theirs by name.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	same := func(e *local.Embedder) bool {
		q, err := e.EmbedQuery(t.Context(), "the cat")
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Embed(t.Context(), []string{"the cat", "  "})
		if err != nil {
			t.Fatal(err)
		}
		for i := range q {
			if v[1][i] != 0 {
				t.Fatal("a blank text has a vector")
			}
			if q[i] != v[0][i] {
				return false
			}
		}
		return true
	}
	question := "on "
	if !same(open(t, local.Options{Dir: tiny})) || same(open(t, local.Options{Dir: tiny, Name: "e5-tiny"})) ||
		same(open(t, local.Options{Dir: tiny, QueryPrefix: &question})) {
		t.Error("prefixes are not used as they should be")
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"none": "", "absent": filepath.Join(t.TempDir(), "x"), "empty": t.TempDir()} {
		_, err := local.New(local.Options{Dir: dir})
		var e *lukasa.Error
		if !errors.As(err, &e) || e.Code != lukasa.CodeInvalid || e.Field != "embed.model" || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
