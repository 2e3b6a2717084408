package static

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Room for a word and its pieces on the stack; longer ones go to the heap.
const (
	wordRoom  = 128
	pieceRoom = 64
)

// reader cuts a text into words and words into pieces, in memory that its caller gives.
//
// The rules are those of Hugging Face's tokenizers library, as its source has them: BertNormalizer drops control characters
// and sets Chinese characters apart, then takes accents off, then lower-cases; BertPreTokenizer cuts at white space and
// makes every punctuation mark a word; WordPiece takes the longest piece that fits, from the left, or gives up the word.
type reader struct {
	t    *tokenizer
	text string // what is left to read

	queue [8]rune // normalised characters that are still to come: a decomposition has 4 at most, and 2 spaces
	head  int
	tail  int
	back  rune // a character to read again, or eof

	runes int  // characters of the current word, those that were not kept included
	wordy bool // it has a letter or digit
}

const eof = -1

func (t *tokenizer) read(text string) reader { return reader{t: t, text: text, back: eof} }

// next appends the next word to buf, as far as it may be known. Nothing is appended at the end of the text; a word is never
// empty.
func (r *reader) next(buf []byte) []byte {
	r.runes, r.wordy = 0, false
	for {
		c := r.char()
		switch {
		case c == eof:
			return buf
		case unicode.IsSpace(c):
			if r.runes > 0 {
				return buf
			}
		case isPunct(c):
			if r.runes > 0 {
				r.back = c
				return buf
			}
			r.runes = 1
			return utf8.AppendRune(buf, c)
		default:
			if r.runes++; r.runes <= r.t.wordRunes {
				buf = utf8.AppendRune(buf, c)
			}
			r.wordy = r.wordy || unicode.IsLetter(c) || unicode.IsNumber(c)
		}
	}
}

// char returns the next character of the normalised text, or eof.
func (r *reader) char() rune {
	if c := r.back; c != eof {
		r.back = eof
		return c
	}
	for {
		if r.head < r.tail {
			r.head++
			return r.queue[r.head-1]
		}
		if r.text == "" {
			return eof
		}
		if c := r.text[0]; c < utf8.RuneSelf {
			r.text = r.text[1:]
			switch {
			case r.t.clean && (c == '\t' || c == '\n' || c == '\r'):
				return ' '
			case r.t.clean && (c < ' ' || c == 0x7f):
				continue
			case r.t.lower && c >= 'A' && c <= 'Z':
				return rune(c + 'a' - 'A')
			}
			return rune(c)
		}
		r.expand()
	}
}

// expand puts what becomes of the next character, which is not ASCII, into the queue.
func (r *reader) expand() {
	c, n := utf8.DecodeRuneInString(r.text)
	from := r.text[:n]
	r.text = r.text[n:]
	r.head, r.tail = 0, 0
	if r.t.clean && !unicode.IsLetter(c) {
		if c == utf8.RuneError || unicode.Is(unicode.C, c) {
			return
		}
		if unicode.IsSpace(c) {
			c, from = ' ', " "
		}
	}
	apart := r.t.cjk && isChinese(c)
	if apart {
		r.push(' ')
	}
	if !r.t.strip || c == utf8.RuneError {
		r.fold(c)
	} else {
		r.decompose(c, from)
	}
	if apart {
		r.push(' ')
	}
}

// Hangul syllables are decomposed by arithmetic (Unicode standard, section 3.12).
const (
	hangulFirst, hangulLast = 0xAC00, 0xD7A3
	leadFirst, vowelFirst   = 0x1100, 0x1161
	tailBefore              = 0x11A7
	vowels, tails           = 21, 28
)

// decompose pushes the canonical decomposition of c, which stands in s, without its accents.
func (r *reader) decompose(c rune, s string) {
	if c >= hangulFirst && c <= hangulLast {
		i := c - hangulFirst
		r.push(leadFirst + i/(vowels*tails))
		r.push(vowelFirst + i%(vowels*tails)/tails)
		if t := i % tails; t > 0 {
			r.push(tailBefore + t)
		}
		return
	}
	d := norm.NFD.PropertiesString(s).Decomposition()
	if d == nil {
		if !unicode.Is(unicode.Mn, c) {
			r.fold(c)
		}
		return
	}
	for len(d) > 0 {
		c, n := utf8.DecodeRune(d)
		if d = d[n:]; !unicode.Is(unicode.Mn, c) {
			r.fold(c)
		}
	}
}

// fold pushes c in lower case, if that is asked for.
func (r *reader) fold(c rune) {
	switch {
	case !r.t.lower:
		r.push(c)
	case c == 'İ': // the one character whose lower case is two
		r.push('i')
		r.push('\u0307')
	default:
		r.push(unicode.ToLower(c))
	}
}

func (r *reader) push(c rune) {
	r.queue[r.tail] = c
	r.tail++
}

func isPunct(c rune) bool {
	if c < utf8.RuneSelf {
		return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
	}
	return unicode.IsPunct(c)
}

// isChinese reports what BERT holds for a Chinese character: ideographs, but neither kana nor Hangul.
func isChinese(c rune) bool {
	return c >= 0x4E00 && c <= 0x9FFF || c >= 0x3400 && c <= 0x4DBF || c >= 0x20000 && c <= 0x2A6DF || c >= 0x2A700 && c <= 0x2B73F ||
		c >= 0x2B740 && c <= 0x2B81F || c >= 0x2B920 && c <= 0x2CEAF || c >= 0xF900 && c <= 0xFAFF || c >= 0x2F800 && c <= 0x2FA1F
}

// pieces appends the ids of the pieces of word, which is the current one, to ids; none for an unknown word.
func (r *reader) pieces(ids []uint32, word []byte) []uint32 {
	none := ids
	if r.runes > r.t.wordRunes {
		return none
	}
	for from := 0; from < len(word); {
		pieces := r.t.parts
		if from == 0 {
			pieces = r.t.starts
		}
		to := min(from+r.t.longest, len(word))
		for to < len(word) && !utf8.RuneStart(word[to]) {
			to--
		}
		for {
			if to <= from {
				return none
			}
			if id, ok := pieces[string(word[from:to])]; ok {
				ids = append(ids, id)
				break
			}
			for to--; to > from && !utf8.RuneStart(word[to]); {
				to--
			}
		}
		from = to
	}
	return ids
}
