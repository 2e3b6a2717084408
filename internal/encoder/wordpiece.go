package encoder

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxPieceBytes = 1 << 9
	maxWordRunes  = 1 << 20
)

// wordPiece is the tokenizer of BERT. It normalises a text, cuts it into words at white space and around punctuation, and a word
// into the longest pieces of the vocabulary, from the left. A word that cannot be cut is one unknown token.
type wordPiece struct {
	starts  map[string]uint32 // pieces that a word may start with
	parts   map[string]uint32 // pieces that it may go on with, without their prefix
	longest int               // bytes of the longest piece
	ids     int               // one more than the highest id
	kinds   []uint8           // of each piece: pieceWord, pieceNumber

	first, last, unknown uint32

	wordRunes                int // longer words are unknown
	clean, cjk, strip, lower bool

	list wordList
}

func newWordPiece(lower bool) *wordPiece {
	return &wordPiece{
		starts: make(map[string]uint32, 1<<15), parts: make(map[string]uint32, 1<<13),
		wordRunes: 100, clean: true, cjk: true, strip: lower, lower: lower,
	}
}

// add takes a piece into the vocabulary.
func (t *wordPiece) add(piece string, id int64, prefix string) error {
	if id < 0 || id >= maxRows {
		return fmt.Errorf("read vocabulary: id %d, want 0 to %d", id, maxRows-1)
	}
	if piece == "" || len(piece) > maxPieceBytes {
		return fmt.Errorf("read vocabulary: a piece of %d bytes, want 1 to %d", len(piece), maxPieceBytes)
	}
	t.ids = max(t.ids, int(id)+1)
	if id < maxKinds {
		for len(t.kinds) <= int(id) {
			t.kinds = append(t.kinds, 0)
		}
		t.kinds[id] = kindOf(strings.TrimPrefix(piece, prefix))
	}
	t.longest = max(t.longest, len(piece))
	rest, part := strings.CutPrefix(piece, prefix)
	if part && rest != "" {
		t.parts[rest] = uint32(id)
	}
	if !part || prefix == "" {
		t.starts[piece] = uint32(id)
	}
	return nil
}

// What a piece can be.
const (
	pieceWord   = 1 << iota // letters and digits only
	pieceNumber             // digits only

	maxKinds = 1 << 18 // ids beyond have no kind
)

func kindOf(piece string) uint8 {
	kind := uint8(pieceWord | pieceNumber)
	for _, c := range piece {
		switch {
		case unicode.IsDigit(c):
		case unicode.IsLetter(c) || unicode.IsNumber(c):
			kind &^= pieceNumber
		default:
			return 0
		}
	}
	if piece == "" {
		return 0
	}
	return kind
}

// check finds the marks in the vocabulary.
func (t *wordPiece) check(unknown string) error {
	for name, id := range map[string]*uint32{"[CLS]": &t.first, "[SEP]": &t.last, unknown: &t.unknown} {
		n, ok := t.starts[name]
		if !ok {
			return fmt.Errorf("read vocabulary: no piece %s", name)
		}
		*id = n
	}
	return nil
}

func (t *wordPiece) marks() (first, last, unknown uint32) { return t.first, t.last, t.unknown }

func (t *wordPiece) size() int { return t.ids }

// word is the current word, normalised, and where each of its bytes comes from.
type word struct {
	text       []byte
	start, end []int32 // of the source character, for each byte of text
	runes      int
}

func (w *word) reset() { w.text, w.start, w.end, w.runes = w.text[:0], w.start[:0], w.end[:0], 0 }

func (w *word) add(c rune, from, to int) {
	before := len(w.text)
	w.text = utf8.AppendRune(w.text, c)
	for range len(w.text) - before {
		w.start, w.end = append(w.start, int32(from)), append(w.end, int32(to))
	}
	w.runes++
}

func (t *wordPiece) appendTokens(tokens []Token, text string, offset, most int) []Token {
	var w word
	n := normalizer{t: t, text: text, offset: offset}
	for len(tokens) < most {
		c := n.next()
		space := c != eof && unicode.IsSpace(c)
		switch {
		case c != eof && !space && !isPunct(c):
			if w.runes <= t.wordRunes {
				w.add(c, n.from, n.to)
			} else {
				w.end[len(w.end)-1] = int32(n.to)
			}
			continue
		case w.runes > 0:
			tokens = t.cut(tokens, &w)
			w.reset()
		}
		if c == eof {
			break
		}
		if !space {
			w.add(c, n.from, n.to)
			tokens = t.cut(tokens, &w)
			w.reset()
		}
	}
	return tokens
}

// cut appends the tokens of a word.
func (t *wordPiece) cut(tokens []Token, w *word) []Token {
	none := append(tokens, Token{ID: t.unknown, Start: w.start[0], End: w.end[len(w.end)-1]})
	if w.runes > t.wordRunes {
		return none
	}
	for from := 0; from < len(w.text); {
		pieces := t.parts
		if from == 0 {
			pieces = t.starts
		}
		to := min(from+t.longest, len(w.text))
		for to < len(w.text) && !utf8.RuneStart(w.text[to]) {
			to--
		}
		for {
			if to <= from {
				return none
			}
			if id, ok := pieces[string(w.text[from:to])]; ok {
				tokens = append(tokens, Token{ID: id, Start: w.start[from], End: w.end[to-1]})
				break
			}
			for to--; to > from && !utf8.RuneStart(w.text[to]); {
				to--
			}
		}
		from = to
	}
	return tokens
}
