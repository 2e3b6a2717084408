package lifecycle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
)

// A piece is a stretch of deleted text that is searched for. Phrases are looked for in every file; words in the index alone, which
// keeps no more than that, and in lower case.
type piece struct {
	receipt lukasa.ID
	text    []byte
	word    bool
}

const (
	windowSize = 8  // bytes that a hit is recognised by: no piece is shorter
	phraseSize = 32 // bytes of a phrase at most
	leastWord  = 9  // letters of a word that may tell something apart
	maxPhrases = 12 // of a receipt
	maxWords   = 8
)

// pieces chooses what to search for. They live in memory alone.
func pieces(receipt lukasa.ID, texts []string) []piece {
	var out []piece
	seen := map[string]bool{}
	add := func(s string, word bool) {
		if len(s) >= windowSize && !seen[s] {
			seen[s] = true
			out = append(out, piece{receipt, []byte(s), word})
		}
	}
	each := max(1, maxPhrases/max(1, len(texts)))
	for _, t := range spread(texts, maxPhrases) {
		for _, ph := range phrases(t, each) {
			add(ph, false)
		}
	}
	for _, w := range longWords(texts) {
		add(w, true)
	}
	return out
}

// spread takes up to n items, evenly from first to last.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range n {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// phrases cuts up to n stretches out of a text, of characters that every format writes as they are, spread over the whole.
func phrases(t string, n int) []string {
	var runs []string
	for run := range strings.FieldsFuncSeq(t, func(r rune) bool {
		return !unicode.IsPrint(r) || strings.ContainsRune(`"\<>&`, r) || r == utf8.RuneError
	}) {
		run = strings.TrimSpace(run)
		for len(run) > phraseSize {
			cut := phraseSize
			for !utf8.RuneStart(run[cut]) {
				cut--
			}
			if i := strings.LastIndexByte(run[:cut], ' '); i >= windowSize {
				cut = i
			}
			runs = append(runs, run[:cut])
			run = strings.TrimSpace(run[cut:])
		}
		if len(run) >= 12 || len(run) >= windowSize && len(t) < 40 {
			runs = append(runs, run)
		}
	}
	return spread(runs, n)
}

// longWords returns the longest words of the texts in lower case, less the end that stemming may take.
func longWords(texts []string) []string {
	seen := map[string]bool{}
	var list []string
	for _, t := range texts {
		for w := range strings.FieldsFuncSeq(t[:min(len(t), 64<<10)], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			w = strings.ToLower(w)
			if n := utf8.RuneCountInString(w); n < leastWord || n > 40 || seen[w] {
				continue
			}
			seen[w] = true
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	list = list[:min(len(list), maxWords)]
	for i, w := range list {
		list[i] = w[:max(windowSize, len(w)-3)]
		for len(list[i]) > 0 && !utf8.ValidString(list[i]) {
			list[i] = list[i][:len(list[i])-1]
		}
	}
	return list
}

// finder looks for many pieces in one pass: it knows each by its first eight bytes.
type finder struct {
	pieces []piece
	bloom  [1 << 16 / 64]uint64
	at     map[uint64][]int
	hits   map[int][]string // number of a piece → files
	files  int
	bytes  int64
}

func newFinder(list []piece) *finder {
	f := &finder{pieces: list, at: map[uint64][]int{}, hits: map[int][]string{}}
	for i, p := range list {
		v := uint64(0)
		for _, b := range p.text[:windowSize] {
			v = v<<8 | uint64(b)
		}
		f.at[v] = append(f.at[v], i)
		h := v * 0x9e3779b97f4a7c15 >> 48
		f.bloom[h/64] |= 1 << (h % 64)
	}
	return f
}

// tree searches all files below a directory; own reads those that nobody else may open. What vanishes meanwhile is passed over.
func (f *finder) tree(ctx context.Context, dir string, own func(path string) (io.ReaderAt, error)) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !e.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := f.open(ctx, path, rel, own); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

func (f *finder) open(ctx context.Context, path, name string, own func(path string) (io.ReaderAt, error)) error {
	at, err := own(path)
	if err != nil {
		return err
	}
	if at != nil {
		return f.file(ctx, io.NewSectionReader(at, 0, math.MaxInt64), name)
	}
	r, err := os.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	return f.file(ctx, r, name)
}

// file searches one file.
func (f *finder) file(ctx context.Context, r io.Reader, name string) error {
	f.files++
	index := strings.HasSuffix(name, ".idx")
	buf := make([]byte, 1<<20+phraseSize*4)
	kept := 0
	for {
		n, err := io.ReadFull(r, buf[kept:])
		f.bytes += int64(n)
		f.look(buf[:kept+n], name, index)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		kept = copy(buf, buf[len(buf)-phraseSize*4:]) // a piece may lie across
	}
}

func (f *finder) look(b []byte, name string, index bool) {
	v := uint64(0)
	for i, c := range b {
		v = v<<8 | uint64(c)
		h := v * 0x9e3779b97f4a7c15 >> 48
		if f.bloom[h/64]&(1<<(h%64)) == 0 || i < windowSize-1 {
			continue
		}
		for _, k := range f.at[v] {
			p := f.pieces[k]
			if (!p.word || index) && bytes.HasPrefix(b[i-windowSize+1:], p.text) && !slices.Contains(f.hits[k], name) {
				f.hits[k] = append(f.hits[k], name)
			}
		}
	}
}

// shared returns which of the pieces that were found other records say too: their text is there by right. It reads the entries of
// all owners, and is asked only where something was found.
func (p *Path) shared(ctx context.Context, f *finder) (map[int]bool, error) {
	said := map[int]bool{}
	users, err := p.Store.Users(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		nodes, err := p.nodes(ctx, u.ID)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			err := p.Store.Partition(ctx, "", u.ID, n, func(e lukasa.Entry) bool {
				for k := range f.hits {
					if said[k] {
						continue
					}
					text := e.Title + "\n" + e.Text + "\n" + e.Speaker + "\n" + strings.Join(e.Tags, "\n")
					if f.pieces[k].word {
						text = strings.ToLower(text)
					}
					said[k] = strings.Contains(text, string(f.pieces[k].text))
				}
				return ctx.Err() == nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return said, ctx.Err()
}
