package lukasa_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLayoutDocs checks that the paths, the make targets and the tests that the two guides name exist.
func TestLayoutDocs(t *testing.T) {
	t.Parallel()
	for _, finding := range checkDocs(os.DirFS("."), architectureMD, contributingMD) {
		t.Error(finding)
	}
}

var (
	codeBlock  = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	makeTarget = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
	makeCall   = regexp.MustCompile(`\bmake ([a-z][a-z0-9-]*)`)
	testName   = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	pathName   = regexp.MustCompile(`^(?:\./)?[\w.*-]+(?:/[\w.*-]+)*/?$`)
	fileName   = regexp.MustCompile(`^[A-Za-z][\w-]*\.(?:go|md|sh|yml|mod|sum)$`)
)

// checkDocs reads the code of Markdown files: spans and blocks. A word is a path if its first part is a directory of the tree, or if
// it looks like the name of a file. Words with <, … or $ are placeholders.
func checkDocs(tree fs.FS, docs ...string) []string {
	src, err := readSources(tree)
	if err != nil {
		return []string{err.Error()}
	}
	makefile, err := fs.ReadFile(tree, "Makefile")
	if err != nil {
		return []string{err.Error()}
	}
	var targets []string
	for _, m := range makeTarget.FindAllSubmatch(makefile, -1) {
		targets = append(targets, string(m[1]))
	}
	var findings []string
	for _, doc := range docs {
		text, err := fs.ReadFile(tree, doc)
		if err != nil {
			return []string{err.Error()}
		}
		for _, code := range codeOf(string(text)) {
			for _, m := range makeCall.FindAllStringSubmatch(code, -1) {
				if !slices.Contains(targets, m[1]) {
					findings = append(findings, fmt.Sprintf("%s: names make %s, which the Makefile lacks", doc, m[1]))
				}
			}
			for _, name := range testName.FindAllString(code, -1) {
				if !src.declares(name) {
					findings = append(findings, fmt.Sprintf("%s: names %s, which no test file declares", doc, name))
				}
			}
			for word := range strings.FieldsSeq(code) {
				if name := strings.TrimRight(word, ",;:"); isPath(tree, name) && !exists(tree, name) {
					findings = append(findings, fmt.Sprintf("%s: names %s, which does not exist", doc, name))
				}
			}
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings)
}

// codeOf returns the code blocks and the code spans of a Markdown text. The layers block has a check of its own.
func codeOf(text string) []string {
	text = layersBlock.ReplaceAllString(text, "\n")
	var codes []string
	for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
		codes = append(codes, m[1])
	}
	for _, m := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		codes = append(codes, m[1])
	}
	return codes
}

func isPath(tree fs.FS, name string) bool {
	if !pathName.MatchString(name) || strings.HasPrefix(name, "bin/") {
		return false
	}
	first, _, nested := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	if !nested {
		return fileName.MatchString(name)
	}
	info, err := fs.Stat(tree, first)
	return err == nil && info.IsDir()
}

func exists(tree fs.FS, name string) bool {
	matches, err := fs.Glob(tree, strings.TrimSuffix(path.Clean(name), "/..."))
	return err == nil && len(matches) > 0
}
