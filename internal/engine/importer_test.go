package engine_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/carry"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// fixture is a hand-made export of the readers' own tests.
type fixture struct {
	name, kind string
	files      []txtar.File
}

func fixtures(t *testing.T) []fixture {
	t.Helper()
	var out []fixture
	for _, dir := range []string{"chats", "notes"} {
		paths, err := filepath.Glob(filepath.Join("..", "exports", dir, "testdata", "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no exports of %s: %v", dir, err)
		}
		for _, p := range paths {
			arc, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			f := fixture{name: strings.TrimSuffix(filepath.Base(p), ".txtar")}
			for _, k := range engine.Exports().Kinds() {
				if (f.name == k.Name || strings.HasPrefix(f.name, k.Name+"-")) && len(k.Name) > len(f.kind) {
					f.kind = k.Name
				}
			}
			f.files = slices.DeleteFunc(arc.Files, func(f txtar.File) bool { return f.Name == "WANT" })
			out = append(out, f)
		}
	}
	return out
}

// folder writes the export as a folder, or as the one file that it is.
func (f fixture) folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "export")
	for _, x := range f.files {
		name := filepath.Join(dir, filepath.FromSlash(x.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, x.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (f fixture) zip(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, x := range f.files {
		e, err := w.Create(x.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write(x.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// here is an engine as the command line has it.
type here struct {
	engine.Bound
	e *engine.Engine
}

func (h here) Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error) {
	rc, _, err := h.e.Content(ctx, h.Scope, id, time.Time{})
	return rc, err
}

func (h here) Health(context.Context) (client.Health, error) { return client.Health{}, nil }

func (h here) Export(ctx context.Context, in []lukasa.Pattern, w io.Writer) error {
	_, err := h.e.Export(ctx, h.Scope, in, w, nil)
	return err
}

func (h here) Import(ctx context.Context, r io.Reader) (client.Imported, error) {
	p, err := h.e.Import(ctx, h.Scope, r, nil)
	return client.Imported(p), err
}

// bring imports what lies at a path.
func bring(t *testing.T, e *engine.Engine, sc lukasa.Scope, path string, o engine.ImportOptions) *engine.ImportReport {
	t.Helper()
	x, err := engine.Exports().Open(path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	r, err := engine.TakeExport(t.Context(), x, here{e.As(sc), e}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every kind is taken for itself among all kinds, as a folder and as an archive.
func TestExportsAreToldApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range fixtures(t) {
		x, err := engine.Exports().Open(f.folder(t), "", nil)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if x.Kind != f.kind || x.Title == "" || x.Files != len(f.files)-hidden(f) {
			t.Errorf("%s as a folder is taken for %s with %d files", f.name, x.Kind, x.Files)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		dir := t.TempDir()
		x, err = engine.Exports().Receive(bytes.NewReader(f.zip(t)), dir, "export.zip", "", 1<<20)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if x.Kind != f.kind {
			t.Errorf("%s as an archive is taken for %s", f.name, x.Kind)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s is left of an archive", left[0].Name())
		}
		seen[f.kind] = true
	}
	for _, k := range engine.Exports().Kinds() {
		if !seen[k.Name] && k.Name != engine.OwnExport {
			t.Errorf("no export of kind %s to test with", k.Name)
		}
		if k.Title == "" || k.Accepts == "" || k.How == "" || k.Format == "" {
			t.Errorf("kind %s is not described: %+v", k.Name, k)
		}
	}
}

func hidden(f fixture) int {
	n := 0
	for _, x := range f.files {
		for part := range strings.SplitSeq(x.Name, "/") {
			if strings.HasPrefix(part, ".") {
				n++
				break
			}
		}
	}
	return n
}

// contents lists what an owner has, in words that do not depend on ids and times.
func contents(t *testing.T, e *engine.Engine, sc lukasa.Scope) []string {
	t.Helper()
	var b bytes.Buffer
	p, err := e.Export(t.Context(), sc, nil, &b, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := e.History(t.Context(), sc, "", lukasa.Page{Limit: 100}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")[1:]
	slices.Sort(lines)
	return append(lines, strings.Join([]string{"deltas", strconv.Itoa(h.Total), "documents", strconv.Itoa(p.Documents)}, " "))
}

// An import that is made again adds nothing and changes nothing, whatever the kind.
func TestImportTwice(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			e, _, sc := enginetest.New(t)
			dir := f.folder(t)
			o := engine.ImportOptions{Container: "old." + strings.ReplaceAll(f.kind, "-", "_"), Zone: "Europe/Berlin", Attachments: true}
			dry := bring(t, e, sc, dir, engine.ImportOptions{DryRun: true, Attachments: true})
			if n, err := e.Stats(t.Context(), sc, time.Time{}); err != nil || n.Documents+n.Messages+n.Memories > 0 {
				t.Errorf("a dry run kept %+v, %v", n, err)
			}
			first := bring(t, e, sc, dir, o)
			if first.Documents.New+first.Messages.New+first.Memories.New == 0 {
				t.Fatalf("nothing was imported: %+v", first)
			}
			if got, want := first.Documents.All()+first.Messages.All()+first.Memories.All(), dry.Documents.New+dry.Messages.New+dry.Memories.New; got != want {
				t.Errorf("%d items, a dry run found %d", got, want)
			}
			before := contents(t, e, sc)
			again := bring(t, e, sc, dir, o)
			for name, n := range map[string]carry.Tally{"documents": again.Documents, "messages": again.Messages, "memories": again.Memories} {
				if n.New+n.Replaced > 0 {
					t.Errorf("the second time, %s: %+v (first %+v)", name, n, first.Documents)
				}
			}
			if again.Links > 0 {
				t.Errorf("%d links are new the second time", again.Links)
			}
			if diff := cmp.Diff(before, contents(t, e, sc)); diff != "" {
				t.Errorf("the second import changed what is there (-before +after):\n%s", diff)
			}
		})
	}
}
