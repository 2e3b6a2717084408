// Package token counts the tokens of a text, exactly by o200k or cheaply by estimate.
package token

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Counter counts o200k_base tokens, the vocabulary of current OpenAI models
// and a fair measure for others. The zero value is ready. The vocabulary
// (200,000 entries, tens of milliseconds and megabytes) is loaded on the first Count,
// so a Counter that is never asked costs nothing. Safe for concurrent use.
type Counter struct {
	once  sync.Once
	codec *codec.Codec
}

// pieceBytes bounds what is tokenised at once, so that a long text does not need
// memory in proportion. Pieces end before white space, where o200k nearly always cuts too.
const pieceBytes = 256 << 10

// Count returns the number of o200k tokens in s. A text longer than 256 KiB is
// counted in pieces, which can add one token a piece. Time is linear, up to a
// logarithm for a single run of letters. Special tokens are counted as the
// text they are written in.
func (c *Counter) Count(s string) int {
	if s == "" {
		return 0
	}
	c.once.Do(func() { c.codec = codec.NewO200kBase() })
	total := 0
	for len(s) > pieceBytes {
		cut := pieceEnd(s)
		total += c.count(s[:cut])
		s = s[cut:]
	}
	return total + c.count(s)
}

func (c *Counter) count(s string) int {
	n, err := c.codec.Count(s)
	if err != nil { // the matcher gave up, which needs a time limit we do not set
		return Estimate(s)
	}
	return n
}

// pieceEnd returns where to cut s: before the last space of its first
// pieceBytes, or at a rune bound.
func pieceEnd(s string) int {
	for i := pieceBytes; i > pieceBytes/2; i-- {
		if s[i] == ' ' && s[i-1] != ' ' {
			return i
		}
	}
	cut := pieceBytes
	for cut > pieceBytes-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return cut
}

// Weights of the estimator, in hundredths of a token.
const (
	perWord     = 100 // a word or a new hump of camelCase
	freeLetters = 7   // letters of a word that cost nothing more
	perLetter   = 18  // each further one
	perAccent   = 60  // each letter beyond ASCII in a Latin word
	perNumber   = 100 // a group of up to three digits
	perMark     = 100 // a run of punctuation
	perMoreMark = 25  // each further mark of the run
	perGap      = 65  // white space that no word takes along
	longGap     = 32  // characters of it that one more token holds
)

// Estimate returns about how many o200k tokens s has, many times faster than
// counting them and without the vocabulary. It reads classes of runes: words, humps,
// digit groups, marks, gaps, scripts. Its error against Counter, measured over
// whole files: English prose and Markdown -5 to +11 %, the same full of drawings or
// code +16 %, Go source +6 %; single sentences in Western European, Slavic and Asian
// languages 0 to -30 %, in the worst ones (Finnish, Estonian, Somali, Zulu) -45 %. So
// it is fit for hot paths and not for a hard budget. It is 0 only for "".
func Estimate(s string) int {
	sum := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case isLetter(c):
			n, cost := latinWord(s[i:])
			sum += cost
			i += n
		case c >= '0' && c <= '9':
			n := 1
			for n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9' {
				n++
			}
			sum += perNumber
			i += n
		case c == ' ' || c >= '\t' && c <= '\r':
			n := 1
			for i+n < len(s) && (s[i+n] == ' ' || s[i+n] >= '\t' && s[i+n] <= '\r') {
				n++
			}
			if n > 1 || c != ' ' {
				sum += perGap + (n-1)/longGap*100
			}
			i += n
		case c < utf8.RuneSelf:
			n := 1
			for i+n < len(s) && isMark(s[i+n]) {
				n++
			}
			sum += perMark + (n-1)*perMoreMark
			i += n
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if isLatin(r) {
				var cost int
				n, cost = latinWord(s[i:])
				sum += cost
			} else {
				sum += runeCost(r)
			}
			i += n
		}
	}
	if sum == 0 {
		return min(len(s), 1)
	}
	return (sum + 99) / 100
}

// latinWord measures the word that starts s, up to the next hump.
func latinWord(s string) (n, cost int) {
	letters, accents, upper := 0, 0, true
	for n < len(s) {
		c := s[n]
		if c < utf8.RuneSelf {
			if !isLetter(c) {
				break
			}
			capital := c <= 'Z'
			if capital && !upper {
				break
			}
			upper = capital
			letters++
			n++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[n:])
		if !isLatin(r) {
			break
		}
		upper = false
		letters++
		accents++
		n += w
	}
	cost = perWord + accents*perAccent
	if letters > freeLetters {
		cost += (letters - freeLetters) * perLetter
	}
	return n, cost
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isMark(c byte) bool {
	return c > ' ' && c < utf8.RuneSelf && !isLetter(c) && (c < '0' || c > '9')
}

func isLatin(r rune) bool {
	return r >= 0xc0 && r < 0x250 && r != 0xd7 && r != 0xf7 || r >= 0x1e00 && r < 0x1f00
}

// runeCost is the cost of one rune of another script, spaces of its words
// included, in hundredths of a token.
func runeCost(r rune) int {
	switch {
	case r < 0x370: // marks and signs of Latin-1, modifiers, combining marks
		return 100
	case r < 0x400: // Greek
		return 45
	case r < 0x530: // Cyrillic
		return 30
	case r < 0x600: // Armenian, Hebrew
		return 45
	case r < 0x780: // Arabic
		return 36
	case r >= 0xb00 && r < 0xb80: // Odia
		return 100
	case r < 0xe00: // India
		return 38
	case r < 0xe80: // Thai
		return 40
	case r >= 0x1000 && r < 0x10a0: // Burmese
		return 42
	case r >= 0x10a0 && r < 0x1100: // Georgian
		return 20
	case r >= 0x1200 && r < 0x13a0: // Ethiopic
		return 160
	case r >= 0x1780 && r < 0x1800: // Khmer
		return 60
	case r >= 0x1100 && r < 0x1200 || r >= 0xac00 && r < 0xd7b0: // Hangul
		return 80
	case r >= 0x2000 && r < 0x2e80: // punctuation, arrows, signs
		return 100
	case r >= 0x3040 && r < 0x3100: // kana
		return 65
	case r >= 0x2e80 && r < 0xa000: // Han
		return 85
	case r >= 0xff00 && r < 0x10000:
		return 90
	case r >= 0x1f000:
		return 200
	case unicode.IsLetter(r):
		return 90
	}
	return 100
}
