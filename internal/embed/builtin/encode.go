package builtin

import (
	"math"
	"unicode/utf8"
)

const (
	maxPhraseWords = 3
	maxTokenBytes  = maxTokenRunes * utf8.UTFMax
)

// walker cuts a text into units: the longest known phrase at each place, else one token. It lives on the stack.
type walker struct {
	m     *model
	scan  scanner
	buf   [maxPhraseWords * (maxTokenBytes + 1)]byte // the tokens read ahead, each followed by a space
	ends  [maxPhraseWords]int                        // where they end, without the space
	ahead int
	done  int // tokens of the current unit, to be dropped at the next call
}

func (m *model) walk(text string) walker {
	return walker{m: m, scan: scanner{fold: &m.fold, text: text, back: -1}}
}

// fill drops the last unit's tokens and reads ahead.
func (w *walker) fill() {
	if w.done > 0 {
		n := w.ends[w.done-1] + 1
		if w.done < w.ahead {
			copy(w.buf[:], w.buf[n:w.ends[w.ahead-1]+1])
		}
		for i := w.done; i < w.ahead; i++ {
			w.ends[i-w.done] = w.ends[i] - n
		}
		w.ahead -= w.done
		w.done = 0
	}
	for w.ahead < w.m.maxWords {
		at := 0
		if w.ahead > 0 {
			at = w.ends[w.ahead-1] + 1
		}
		end := at + len(w.scan.next(w.buf[at:at:at+maxTokenBytes]))
		if end == at {
			return
		}
		w.buf[end] = ' '
		w.ends[w.ahead] = end
		w.ahead++
	}
}

// next moves to the next unit and returns its row, or -1 with the token when it is unknown. words is the number of
// tokens in the unit, 0 at the end of the text.
func (w *walker) next() (row int, token []byte, words int) {
	w.fill()
	if w.ahead == 0 {
		return -1, nil, 0
	}
	token = w.buf[:w.ends[0]]
	hash := fnv(fnvOffset, token)
	row, words = -1, 1
	if w.m.startsPhrase(hash) {
		h := hash
		for k := 1; k < w.ahead; k++ {
			h = fnv(h, w.buf[w.ends[k-1]:w.ends[k]])
			if r := w.m.lookup(w.buf[:w.ends[k]], h); r >= 0 {
				row, words = r, k+1
			}
		}
	}
	if row < 0 {
		row = w.m.lookup(token, hash)
	}
	w.done = words
	return row, token, words
}

// sum writes the unnormalised vector of text into dst, which has length m.dim, and returns its number of tokens.
func (m *model) sum(dst []float32, text string) int {
	clear(dst)
	w := m.walk(text)
	total := 0
	for {
		row, token, words := w.next()
		if words == 0 {
			return total
		}
		total += words
		if row >= 0 {
			m.addRow(dst, row, 1)
		} else {
			m.addUnknown(dst, token)
		}
	}
}

// addUnknown adds the guess for a word that is not in the vocabulary: the bucket rows of the 3-, 4- and 5-grams of
// "<token>" that are shorter than it, divided by the square root of their number.
func (m *model) addUnknown(dst []float32, token []byte) {
	var text [maxTokenBytes + 2]byte
	var at [maxTokenRunes + 3]int // byte offset of every rune, and the end
	text[0] = '<'
	n := copy(text[1:], token) + 1
	text[n] = '>'
	n++
	runes := 0
	for i := 0; i < n; {
		at[runes] = i
		runes++
		_, size := utf8.DecodeRune(text[i:n])
		i += size
	}
	at[runes] = n
	grams := 0
	for k := 3; k <= 5 && k < runes; k++ {
		grams += runes - k + 1
	}
	if grams == 0 {
		m.addRow(dst, m.words+int(fnv(fnvOffset, text[:n])%m.buckets), 1)
		return
	}
	f := float32(1 / math.Sqrt(float64(grams)))
	for k := 3; k <= 5 && k < runes; k++ {
		for i := 0; i+k <= runes; i++ {
			m.addRow(dst, m.words+int(fnv(fnvOffset, text[at[i]:at[i+k]])%m.buckets), f)
		}
	}
}

// normalise scales x to length 1. A zero vector stays.
func normalise(x []float32) {
	var n float64
	for _, v := range x {
		n += float64(float64(v) * float64(v))
	}
	if n == 0 {
		return
	}
	f := float32(1 / math.Sqrt(n))
	for i := range x {
		x[i] *= f
	}
}
