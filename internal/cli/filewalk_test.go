package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// What git ignores, the walker passes over, and nothing else, for rules that both understand alike.
func TestIgnoreAgreesWithGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git here")
	}
	dir := t.TempDir()
	files := map[string]string{
		".gitignore": "*.log\n/build/\n!keep.log\ntmp/\ndocs/*.bak\n# a comment\n\n*.o\n", "sub/.gitignore": "!*.o\nlocal.txt\n/anchored\n",
		"a.txt": "", "a.log": "", "keep.log": "", "build/x.txt": "", "sub/build/x.txt": "", "tmp/x.txt": "", "sub/tmp/x.txt": "", "docs/a.bak": "", "docs/deep/a.bak": "",
		"x.o": "", "sub/x.o": "", "sub/deep/x.o": "", "local.txt": "", "sub/local.txt": "", "sub/deep/local.txt": "", "sub/anchored": "", "sub/deep/anchored": "",
	}
	for name, text := range files {
		if text == "" {
			text = name
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_DIR="+filepath.Join(dir, ".git"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("init", "-q")
	var want []string
	for name := range strings.SplitSeq(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00") {
		if name != "" && !strings.HasPrefix(filepath.Base(name), ".") {
			want = append(want, name)
		}
	}
	for _, from := range []string{"", "sub"} { // from a folder inside, the rules above it hold too
		w := NewWalker(1 << 20)
		if err := w.Folder(filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
		var got, below []string
		for _, path := range w.Found {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		for _, name := range want {
			if strings.HasPrefix(name, from) {
				below = append(below, name)
			}
		}
		slices.Sort(got)
		slices.Sort(below)
		if diff := cmp.Diff(below, got); diff != "" {
			t.Errorf("from %q:\n%s", from, diff)
		}
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.log\n!a.log\n/x/", "dir/a.log", false)
	f.Add("**/foo\n[a-z", "foo", true)
	f.Add("\\#x\n(((\n*?+", "#x", false)
	f.Fuzz(func(t *testing.T, lines, path string, isDir bool) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		r := readRules(dir)
		ignored, decided := r.decide(filepath.Join(dir, path), isDir)
		if strings.TrimSpace(lines) == "" && (decided || !ignored) {
			t.Fatalf("no rules decide: %v %v", ignored, decided)
		}
	})
}

// In a folder, no file is passed over as binary whose kind is read.
func TestFoldersTakeWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, k := range engine.Kinds().Kinds() {
		for _, end := range k.Extensions {
			if k.Binary && Binary("a"+end, []byte{1, 0, 2}) {
				t.Errorf("%s files are passed over, and %s reads them", end, k.Name)
			}
		}
	}
	if !Binary("a.bin", []byte{1, 0, 2}) || !Binary("program", []byte{1, 0, 2}) {
		t.Error("programs are taken")
	}
}
