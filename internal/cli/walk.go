package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	gitignore "github.com/sabhiram/go-gitignore"
)

// walker lists the files of folders that are worth remembering. What .gitignore names, what is hidden and what is no
// regular file is passed over and counted.
type walker struct {
	follow  bool   // links, each target once
	exclude string // a directory that is never entered: the data directory
	max     int64  // bytes of a file
	found   []string
	skipped map[string]int
	seen    map[string]bool // real paths of what links led to, and of directories when links are followed
}

// The reasons for which a file is passed over.
const (
	skipHidden     = "hidden"
	skipIgnored    = "ignored"
	skipLink       = "link"
	skipSpecial    = "special"
	skipEmpty      = "empty"
	skipLarge      = "too large"
	skipBinary     = "binary"
	skipUnreadable = "unreadable"
	skipData       = "data directory"
)

// rules are the lines of one .gitignore.
type rules struct {
	dir  string
	list *gitignore.GitIgnore
}

// readRules reads the .gitignore of a directory, nil if there is none.
func readRules(dir string) *rules {
	b, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil {
		return nil
	}
	// The first line matches everything, so that a match of it alone means that no other line decided.
	return &rules{dir: dir, list: gitignore.CompileIgnoreLines(append([]string{"*"}, strings.Split(string(b), "\n")...)...)}
}

// decide says whether the rules ignore the path, or that they say nothing about it.
func (r *rules) decide(path string, isDir bool) (ignored, decided bool) {
	rel, err := filepath.Rel(r.dir, path)
	if err != nil {
		return false, false
	}
	rel = filepath.ToSlash(rel)
	if isDir {
		rel += "/"
	}
	matched, by := r.list.MatchesPathHow(rel)
	if matched {
		return true, by != nil && by.LineNo > 1
	}
	return false, true
}

// ignored asks the rules from the innermost out: the nearest one that says something decides.
func ignored(stack []*rules, path string, isDir bool) bool {
	for _, r := range slices.Backward(stack) {
		if is, decided := r.decide(path, isDir); decided {
			return is
		}
	}
	return false
}

// outer returns the rules of the directories above dir up to the root of its repository, outermost first; none if it is
// in no repository.
func outer(dir string) []*rules {
	var stack []*rules
	for at := dir; ; {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			slices.Reverse(stack)
			return stack
		}
		up := filepath.Dir(at)
		if up == at {
			return nil
		}
		at = up
		if r := readRules(at); r != nil {
			stack = append(stack, r)
		}
	}
}

// folder lists a folder; its path must be absolute.
func (w *walker) folder(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	w.seen[real] = true
	return w.walk(dir, outer(dir))
}

func (w *walker) skip(why string) { w.skipped[why]++ }

func (w *walker) walk(dir string, stack []*rules) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.skip(skipUnreadable)
	}
	if r := readRules(dir); r != nil {
		stack = append(slices.Clip(stack), r)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		mode := e.Type()
		switch {
		case strings.HasPrefix(e.Name(), "."):
			w.skip(skipHidden)
			continue
		case mode&fs.ModeSymlink != 0:
			real, m, ok := w.resolve(path)
			if !ok {
				w.skip(skipLink)
				continue
			}
			if w.seen[real] {
				w.skip(skipLink)
				continue
			}
			w.seen[real], mode = true, m
		}
		if err := w.entry(path, mode, stack); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns what a link leads to, if links are followed.
func (w *walker) resolve(path string) (string, fs.FileMode, bool) {
	if !w.follow {
		return "", 0, false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", 0, false // broken, or a loop of links
	}
	st, err := os.Stat(real)
	if err != nil {
		return "", 0, false
	}
	return real, st.Mode().Type(), true
}

func (w *walker) entry(path string, mode fs.FileMode, stack []*rules) error {
	switch {
	case ignored(stack, path, mode.IsDir()):
		w.skip(skipIgnored)
	case mode.IsDir() && (path == w.exclude || isData(path)):
		w.skip(skipData) // keys lie in it
	case mode.IsDir():
		if w.follow && !w.enter(path) {
			w.skip(skipLink)
			return nil
		}
		return w.walk(path, stack)
	case !mode.IsRegular():
		w.skip(skipSpecial)
	default:
		w.file(path)
	}
	return nil
}

// isData reports whether a directory is a data directory or a backup of one.
func isData(dir string) bool {
	st, err := os.Lstat(filepath.Join(dir, rowsFile))
	return err == nil && st.Mode().IsRegular()
}

// enter notes a directory by its real path and reports whether it was not entered before.
func (w *walker) enter(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	st, err := os.Lstat(path)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		return true // noted when its link was resolved
	}
	if w.seen[real] {
		return false
	}
	w.seen[real] = true
	return true
}

func (w *walker) file(path string) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		w.skip(skipUnreadable)
	case st.Size() == 0:
		w.skip(skipEmpty)
	case st.Size() > w.max:
		w.skip(skipLarge)
	default:
		w.found = append(w.found, path)
	}
}

// sniffed is how much of a file is looked at to tell text from the rest.
const sniffed = 8000

// binary reports whether data does not look like text: it holds a NUL byte, and no mark of UTF-16 stands at its start.
func binary(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return false
	}
	return bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0
}
