package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// source is where the texts of a corpus come from.
type source struct {
	kind    string            // in words
	english bool              // every engine treats the words as English ones
	next    func() string     // the text of another item
	stop    func(string) bool // is a word left out of queries, for every engine alike
}

// The items of running text have so many words.
const (
	fewestWords = 20
	mostWords   = 80
)

// newProse makes n items of English that every machine with Go has, and that is the same for everybody with the same version of Go: the
// comments of Go's own sources. They are cut at the ends of sentences and shuffled; where they do not suffice they are cut again at
// other places, so that sentences recur.
func newProse(n int, r *rand.Rand) (*source, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("ask go for its sources: %w", err)
	}
	sentences, err := comments(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		return nil, err
	}
	items := cut(sentences, n, r)
	words, sum := 0, 0
	for _, s := range sentences {
		words += len(s)
	}
	for _, it := range items {
		sum += len(strings.Fields(it))
	}
	at := 0
	return &source{
		kind: fmt.Sprintf("%d to %d words (%.0f in the mean), cut from %.1f million in %.1f thousand sentences of the comments in Go's sources",
			fewestWords, mostWords, float64(sum)/float64(n), float64(words)/1e6, float64(len(sentences))/1e3),
		english: true,
		next:    func() string { at++; return items[at-1] },
		stop:    stopWords(),
	}, nil
}

// stopWords are those that bleve's English list has and those that lukasa leaves out; nearly all are in both.
func stopWords() func(string) bool {
	list := analysis.NewTokenMap()
	if err := list.LoadBytes(en.EnglishStopWords); err != nil {
		panic(err) // it is a constant
	}
	own := new(text.Analyzer)
	return func(w string) bool {
		found := false
		own.Each(w, func([]byte, int, int, int) { found = true })
		return list[w] || !found
	}
}

// comments returns the sentences of the comments below a folder, as words, in the order of the files' names. It leaves out generated
// files, test data, licences, directives and indented code.
func comments(root string) (sentences [][]string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.Contains(src[:min(len(src), 2048)], []byte("// Code generated ")) {
			sentences = appendComments(sentences, src)
		}
		return nil
	})
	if err == nil && len(sentences) == 0 {
		err = errors.New("no Go sources with comments in " + root)
	}
	return sentences, err
}

func appendComments(sentences [][]string, src []byte) [][]string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, nil, scanner.ScanComments)
	var group []*ast.Comment
	for {
		_, tok, lit := s.Scan()
		if tok == token.COMMENT {
			group = append(group, &ast.Comment{Text: lit})
			continue
		}
		if len(group) > 0 {
			if t := (&ast.CommentGroup{List: group}).Text(); !strings.HasPrefix(t, "Copyright ") {
				sentences = appendSentences(sentences, t)
			}
			group = nil
		}
		if tok == token.EOF {
			return sentences
		}
	}
}

func appendSentences(sentences [][]string, comment string) [][]string {
	var words []string
	end := func() {
		if len(words) > 0 {
			sentences, words = append(sentences, words), nil
		}
	}
	for line := range strings.Lines(strings.TrimLeft(comment, " ")) {
		if line[0] == '\t' || line[0] == ' ' { // code
			continue
		}
		if strings.TrimSpace(line) == "" {
			end()
		}
		for w := range strings.FieldsSeq(line) {
			words = append(words, w)
			if w = strings.TrimRight(w, "`)\"'"); w != "" && strings.ContainsRune(".!?", rune(w[len(w)-1])) {
				end()
			}
		}
	}
	end()
	return sentences
}

// cut makes n items of sentences that follow each other, and shuffles them.
func cut(sentences [][]string, n int, r *rand.Rand) []string {
	items := make([]string, 0, n)
	length := func() int { return fewestWords + r.IntN(57) }
	var words []string
	for want := length(); len(items) < n; {
		for _, s := range sentences {
			for words = append(words, s...); len(words) >= want && len(items) < n; want = length() {
				k := min(len(words), mostWords)
				items = append(items, strings.Join(words[:k], " "))
				if words = words[:copy(words, words[k:])]; len(words) < fewestWords {
					words = words[:0] // the end of a long sentence
				}
			}
		}
	}
	r.Shuffle(n, func(a, b int) { items[a], items[b] = items[b], items[a] })
	return items
}

// content are the words of a text that a query may have, each once: of plain lower case letters, so that every engine takes them for the
// same, and no stop words.
func (s *source) content(t string) (words []string) {
	for w := range strings.FieldsSeq(t) {
		w = strings.Trim(w, `.,;:!?()"'`)
		if s.english && len(w) > 0 && w[0]-'A' < 26 {
			w = string(w[0]+'a'-'A') + w[1:]
		}
		if len(w) >= 3 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" && !s.stop(w) {
			words = append(words, w)
		}
	}
	return words
}
