package notebook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/notebook"
)

func TestOrdinaryTextIsNotClaimed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../mail/testdata/ordinary/*")
	if err != nil || len(files) < 15 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", filepath.Base(file)} {
			want, err := extract.Set{}.Extract(t.Context(), extract.Input{Data: content, Name: name})
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, name, content); got.Type != want.Type || got.Text != want.Text {
				t.Errorf("%s named %q is claimed: %s %q", file, name, got.Type, got.Text)
			}
		}
	}
}

func TestPatches(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want, place string }{
		"svn": {
			"Index: boat.txt\n===================================================================\n--- boat.txt\t(revision 1)\n+++ boat.txt\t(working copy)\n@@ -1 +1 @@\n-blue\n+red\n",
			"## boat.txt (changed, +1 −1)", "boat.txt, line 1",
		},
		"merge": {
			"diff --cc boat.txt\nindex 1,2..3\n--- a/boat.txt\n+++ b/boat.txt\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n +b\n+ c\n",
			"## boat.txt (changed, +1 −0)", "boat.txt, lines 1 to 3",
		},
		"no newline": {
			"--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n", "\\ No newline", "b, line 1",
		},
		"crlf":     {"--- a\r\n+++ b\r\n@@ -1 +1 @@\r\n-x\r\n+y\r\n", "+y\n```", "b, line 1"},
		"only bin": {"diff --git a/x.png b/x.png\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/x.png differ\n", "## x.png (added, binary, +0 −0)", "x.png"},
		"fence":    {"--- a\n+++ b\n@@ -1 +1 @@\n-```\n+````\n", "`````diff\n", "b, line 1"},
	} {
		out := read(t, "", []byte(row.in))
		if !strings.Contains(out.Text, row.want) || len(out.Marks) == 0 || out.Marks[0].Place != row.place {
			t.Errorf("%s: %v\n%s", name, out.Marks, out.Text)
		}
	}
}

func TestDamagedNotebook(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"wrong types": `{"cells": [{"cell_type": "code", "source": 7, "outputs": [{"data": {"text/plain": {"a": 1}}}]}, {"cell_type": "markdown", "source": ["kept"]}], "nbformat": 4}`,
		"no metadata": `{"cells": [{"cell_type": "markdown", "source": "kept"}], "nbformat": 4, "nbformat_minor": 5}`,
	} {
		if out := read(t, "", []byte(in)); out.Text != "kept" || out.Title != "Notebook" {
			t.Errorf("%s: %q %q", name, out.Title, out.Text)
		}
	}
	bad := `{"cells": {"a": 1}, "nbformat": 4}`
	if _, err := extract.With(notebook.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(bad), Name: "x.ipynb"}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	cells := func(s string) string {
		return `{"cells": [` + strings.TrimSuffix(fill(s+","), ",") + `], "nbformat": 4}`
	}
	hunks := "--- a\n+++ b\n"
	return map[string]string{
		"cells.ipynb": cells(`{"cell_type":"markdown","source":"x"}`), "outputs.ipynb": `{"cells": [{"cell_type":"code","source":"x","outputs":[` + strings.TrimSuffix(fill(`{"text":"y"},`), ",") + `]}], "nbformat": 4}`,
		"ticks.ipynb": `{"cells": [{"cell_type":"code","source":"` + fill("`") + `"}], "nbformat": 4}`, "long.ipynb": `{"cells": [{"cell_type":"code","source":"x","outputs":[{"text":"` + fill(`y\n`) + `"}]}], "nbformat": 4}`,
		"deep.ipynb": `{"cells": ` + fill("[") + `, "nbformat": 4}`, "hunks.diff": hunks + fill("@@ -1 +1 @@\n-a\n+b\n"), "heads.diff": hunks + fill("@@ -1 +1 @@\n"),
		"files.diff": fill("diff --git a/x b/x\n"), "names.diff": hunks + "@@ -1 +1 @@\n-a\n+b\n" + fill("--- x\n"), "open.diff": hunks + "@@ -1,999999999 +1,999999999 @@\n" + fill("+a\n"),
		"sides.diff": hunks + "@@ -1 +1 @@\n-a\n+b\n@@" + fill(" -1,1") + " +1 @@\n", "mails.patch": "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n" + fill("From "+strings.Repeat("a", 40)+" Mon Sep 17 00:00:00 2001\nFrom: x\n\n"),
		"subject.patch": "From " + strings.Repeat("a", 40) + " Mon Sep 17 00:00:00 2001\nFrom: x\nSubject: a\n" + fill(" b\n") + "\n---\n" + hunks + "@@ -1 +1 @@\n-a\n+b\n",
		"binary.diff":   "diff --git a/x b/x\nGIT binary patch\nliteral 9\n" + fill("zcmV\n"),
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, in := range hostile(1 << 20) {
		start := time.Now()
		out, err := extract.With(notebook.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(in), Name: name})
		if took := time.Since(start); took > 40*time.Second || len(out.Text) > 8*len(in) {
			t.Errorf("%s takes %v for %d bytes", name, took, len(out.Text))
		} else {
			t.Logf("%-14s %8d bytes out, %d places, %v %v", name, len(out.Text), len(out.Marks), took.Round(time.Millisecond), err)
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i, name := range []string{"ropes.ipynb", "git.patch"} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := notebook.Kinds()[i].Extract(ctx, &extract.Source{Text: string(content)}); err == nil {
			t.Errorf("%s goes on", name)
		}
	}
}

func FuzzNotebook(f *testing.F) {
	for _, name := range []string{"git.patch", "series.patch", "log.diff", "plain.diff", "ropes.ipynb", "old.ipynb"} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content), strings.HasSuffix(name, "ipynb"))
	}
	for name, s := range hostile(300) {
		f.Add(s, strings.HasSuffix(name, "ipynb"))
	}
	for i := range 3 {
		f.Add(fmt.Sprintf("--- a\n+++ b\n@@ -%d,2 +%d,0 @@\n-\n\n", i, i), false)
	}
	f.Fuzz(func(t *testing.T, s string, book bool) {
		k := notebook.Kinds()[1]
		if book {
			k = notebook.Kinds()[0]
		}
		src := &extract.Source{Text: strings.ToValidUTF8(s, "\ufffd"), Charset: "utf-8"}
		k.Looks(src)
		out, err := k.Extract(t.Context(), src)
		if err != nil {
			return
		}
		if !utf8.ValidString(out.Text) || strings.IndexByte(out.Text, 0) >= 0 || len(out.Text) > 30*len(s)+1024 {
			t.Fatalf("%d bytes from %d: %q", len(out.Text), len(s), out.Text)
		}
		last := -1
		for _, m := range out.Marks {
			if m.Offset <= last || m.Offset >= len(out.Text) || !utf8.RuneStart(out.Text[m.Offset]) || !utf8.ValidString(m.Place) {
				t.Fatalf("mark %+v behind %d", m, last)
			}
			last = m.Offset
		}
	})
}
