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

// Walker gathers files. What .gitignore names, what is hidden and what is no
// regular file is passed over and counted. Make it with [NewWalker].
type Walker struct {
	Follow  bool            // links, each target once
	Exclude string          // a directory that is never entered: the data directory
	Mark    string          // a file that marks a directory as not to be entered
	Max     int64           // bytes of a file
	Found   []string        // the files
	Large   []string        // those over Max
	Skipped map[string]int  // how many were passed over, by reason
	seen    map[string]bool // real paths of what links led to, and of files and directories when links are followed
}

// The reasons for which a file is passed over.
const (
	ReasonHidden     = "hidden"
	ReasonIgnored    = "ignored"
	ReasonLink       = "link"
	ReasonSpecial    = "special"
	ReasonEmpty      = "empty"
	ReasonLarge      = "too large"
	ReasonBinary     = "binary"
	ReasonUnreadable = "unreadable"
	ReasonData       = "data directory"
	ReasonPicture    = "pictures without text"
	ReasonNoReader   = "pictures that nothing here can read"
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

// Folder lists a folder; its path must be absolute.
func (w *Walker) Folder(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	w.seen[real] = true
	return w.walk(dir, outer(dir))
}

// Skip counts a file that was passed over.
func (w *Walker) Skip(why string) { w.Skipped[why]++ }

func (w *Walker) walk(dir string, stack []*rules) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.Skip(ReasonUnreadable)
	}
	if r := readRules(dir); r != nil {
		stack = append(slices.Clip(stack), r)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		mode := e.Type()
		switch {
		case strings.HasPrefix(e.Name(), "."):
			w.Skip(ReasonHidden)
			continue
		case mode&fs.ModeSymlink != 0:
			real, m, ok := w.resolve(path)
			if !ok {
				w.Skip(ReasonLink)
				continue
			}
			if w.seen[real] {
				w.Skip(ReasonLink)
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
func (w *Walker) resolve(path string) (string, fs.FileMode, bool) {
	if !w.Follow {
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

func (w *Walker) entry(path string, mode fs.FileMode, stack []*rules) error {
	switch {
	case ignored(stack, path, mode.IsDir()):
		w.Skip(ReasonIgnored)
	case mode.IsDir() && (path == w.Exclude || w.marked(path)):
		w.Skip(ReasonData) // keys lie in it
	case mode.IsDir():
		if w.Follow && !w.enter(path) {
			w.Skip(ReasonLink)
			return nil
		}
		return w.walk(path, stack)
	case !mode.IsRegular():
		w.Skip(ReasonSpecial)
	case w.Follow && !w.enter(path): // a link has led to it
		w.Skip(ReasonLink)
	default:
		w.file(path)
	}
	return nil
}

// marked reports whether a directory is one of ours: a data directory, or a backup of one.
func (w *Walker) marked(dir string) bool {
	if w.Mark == "" {
		return false
	}
	st, err := os.Lstat(filepath.Join(dir, w.Mark))
	return err == nil && st.Mode().IsRegular()
}

// enter notes a file or directory by its real path and reports whether it was not entered before.
func (w *Walker) enter(path string) bool {
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

func (w *Walker) file(path string) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		w.Skip(ReasonUnreadable)
	case st.Size() == 0:
		w.Skip(ReasonEmpty)
	case st.Size() > w.Max:
		w.Skip(ReasonLarge)
		w.Large = append(w.Large, path)
	default:
		w.Found = append(w.Found, path)
	}
}

// sniffed is how much of a file is looked at to tell text from the rest.
const sniffed = 8000

// readable are the endings of binary files that hold something to read.
const readable = " .pdf .rtf .epub .eml .mbox .docx .docm .dotx .dotm .pptx .pptm .ppsx .ppsm .potx .potm .xlsx .xlsm .xltx .xltm .odt .ott .odm .ods .ots .odp" +
	" .otp .odg .doc .dot .xls .xlt .xlsb .ppt .pps .pot .png .jpg .jpeg .jpe .gif .webp .bmp .tif .tiff .heic .heif .avif .wav .mp3 .m4a .m4b .aac .ogg .oga" +
	" .opus .flac .amr .aif .aiff .caf .wma .mka .mp4 .m4v .mov .webm .mkv .avi .mpg .mpeg .ogv .flv .3gp .wmv .ts .sqlite .sqlite3 .db .db3 "

// Binary reports whether a file does not look like something to read: it holds a NUL byte, no mark of UTF-16 stands at its
// start, and its name does not end like that of a document, picture or recording.
func Binary(name string, data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return false
	}
	if end := strings.ToLower(filepath.Ext(name)); end != "" && strings.Contains(readable, " "+end+" ") {
		return false
	}
	return bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0
}

// NewWalker makes a walker for files of up to max bytes.
func NewWalker(max int64) *Walker {
	return &Walker{Max: max, Skipped: map[string]int{}, seen: map[string]bool{}}
}
