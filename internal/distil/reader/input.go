package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/encoder"
)

// Statement is one of two texts that are compared.
type Statement struct{ Speaker, Text string }

func (s Statement) line() string { return prefix(s.Speaker) + s.Text }

// prefix stands before what somebody says.
func prefix(speaker string) string {
	if speaker == "" {
		speaker = "user"
	}
	return speaker + ": "
}

// blank is white space in the sense of the training code.
const blank = `[\t-\r\x1c-\x20\x{85}\p{Z}]`

var (
	sentenceEnd = regexp.MustCompile(`[.!?…]+["'”’)\]]*` + blank + `+|;` + blank + `+|\n` + blank + `*|` + blank + `[-–—]` + blank)
	wordBefore  = regexp.MustCompile(`[A-Za-z.]+$`)
)

// abbreviations end with a full stop that ends no sentence.
var abbreviations = map[string]bool{
	"dr": true, "mr": true, "mrs": true, "ms": true, "prof": true, "st": true, "no": true, "nr": true, "vs": true, "e.g": true, "i.e": true,
	"approx": true, "ca": true, "sr": true, "jr": true, "inc": true, "ltd": true,
}

type span struct{ start, end int }

// sentencesOf cuts a text into sentences, which together are the whole text.
func sentencesOf(text string) []span {
	var out []span
	start := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		end := text[m[0]:m[1]]
		if utf8.RuneCountInString(text[start:m[1]]) < 4 || isAbbreviation(text[start:m[0]], end) {
			continue
		}
		out = append(out, span{start, m[1]})
		start = m[1]
	}
	if start < len(text) {
		out = append(out, span{start, len(text)})
	}
	return out
}

// isAbbreviation reports whether a full stop behind a text belongs to its last word.
func isAbbreviation(before, end string) bool {
	if strings.TrimRightFunc(end, unicode.IsSpace) != "." || strings.Contains(end, "\n") {
		return false
	}
	word := strings.ToLower(wordBefore.FindString(before))
	return abbreviations[word] || len(word) == 1 && word != "i"
}

// The shapes of a word, as the vocabulary has no capital letters.
const (
	shapeNone = iota
	shapeCapital
	shapeCapitals
	shapeLower
	shapeMixed
	shapeLettersAndDigits
	shapeDigits
	shapeCode
	shapeCapitalAtStart
)

var (
	wordPattern = regexp.MustCompile(`[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*`)
	codePattern = regexp.MustCompile("[_/\\\\=<>{}@#$|~`]|::|\\(\\)")
)

// beforeWord may stand between the start of a sentence and its first word.
const beforeWord = "\"'“”‘’([*>#-"

// shapeOf returns the shape of the word that holds the bytes from a to b of text.
func shapeOf(text string, a, b int) uint8 {
	if a < 0 || b <= a {
		return shapeNone
	}
	left := 1 + strings.LastIndexFunc(text[:a], unicode.IsSpace)
	if left > 0 { // behind the white space, which may have several bytes
		left--
		_, n := utf8.DecodeRuneInString(text[left:])
		left += n
	}
	right := len(text)
	if i := strings.IndexFunc(text[b:], unicode.IsSpace); i >= 0 {
		right = b + i
	}
	chunk := text[left:right]
	for _, m := range wordPattern.FindAllStringIndex(chunk, -1) {
		if left+m[0] <= a && a < left+m[1] {
			return shapeOfWord(text, chunk, left+m[0], left+m[1])
		}
	}
	return shapeNone
}

func shapeOfWord(text, chunk string, start, end int) uint8 {
	w := text[start:end]
	if codePattern.MatchString(chunk) {
		return shapeCode
	}
	first, n := utf8.DecodeRuneInString(w)
	plain := w
	if i := strings.IndexAny(w, "'’"); i >= 0 {
		plain = w[:i]
	}
	hasLetter, hasDigit := strings.ContainsFunc(w, unicode.IsLetter), strings.ContainsFunc(w, unicode.IsDigit)
	switch {
	case hasDigit && hasLetter:
		return shapeLettersAndDigits
	case hasDigit:
		return shapeDigits
	case !unicode.IsLetter(first):
		return shapeNone
	case unicode.IsUpper(first) && (len(plain) == n || isLower(plain[n:])):
		if startsSentence(text[:start]) {
			return shapeCapitalAtStart
		}
		return shapeCapital
	case utf8.RuneCountInString(plain) > 1 && isUpper(plain):
		return shapeCapitals
	case isLower(plain):
		return shapeLower
	case strings.ContainsFunc(w, unicode.IsUpper):
		return shapeMixed
	}
	return shapeLower
}

// isLower reports whether a word has small letters and no capital ones.
func isLower(s string) bool {
	return strings.ContainsFunc(s, unicode.IsLower) && !strings.ContainsFunc(s, unicode.IsUpper)
}

func isUpper(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && !strings.ContainsFunc(s, unicode.IsLower)
}

// startsSentence reports whether a sentence begins behind a text: it looks at the last 8 characters, and passes over white space, quotes
// and marks of lists.
func startsSentence(before string) bool {
	for range 8 {
		c, n := utf8.DecodeLastRuneInString(before)
		switch {
		case n == 0 || c == '\n' || strings.ContainsRune(".!?:…", c):
			return true
		case !unicode.IsSpace(c) && !strings.ContainsRune(beforeWord, c):
			return false
		}
		before = before[:len(before)-n]
	}
	return true
}

// window is a stretch of a text that goes through the model at once.
type window struct {
	input     encoder.Input
	spans     []span // of each token in the text; the speaker's part and the marks have {-1, -1}
	sentences []span
}

// inside returns the tokens that begin in a sentence.
func (w *window) inside(s span) []int { return tokensInside(w.spans[:len(w.spans)-1], s) }

func tokensInside(spans []span, s span) []int {
	first, _ := slices.BinarySearchFunc(spans, s.start, func(x span, at int) int {
		if x.start < at {
			return -1
		}
		return 1
	})
	var out []int
	for i := first; i < len(spans) && spans[i].start >= 0 && spans[i].start < s.end; i++ {
		if spans[i].end > spans[i].start {
			out = append(out, i)
		}
	}
	return out
}

// windows cuts a text between sentences, so that each part fits the model.
func (r *model) windows(speaker, text string) []window {
	head := prefix(speaker)
	tokens := r.words.AllTokens(head + text)
	spans, kinds := make([]span, len(tokens)), make([]uint8, len(tokens))
	first := 0 // tokens of the mark and of the speaker
	for i, t := range tokens {
		spans[i] = span{int(t.Start) - len(head), int(t.End) - len(head)}
		if i == 0 || i == len(tokens)-1 || spans[i].start < 0 {
			spans[i] = span{-1, -1}
		}
		if spans[i].start < 0 && i < len(tokens)-1 {
			first = i + 1
		}
		kinds[i] = shapeOf(text, spans[i].start, spans[i].end)
	}
	sentences := sentencesOf(text)
	if len(tokens) <= r.about.Longest {
		return []window{{input: encoder.Input{Tokens: tokens, Kinds: kinds}, spans: spans, sentences: sentences}}
	}
	var out []window
	for next := 0; next < len(sentences); {
		w := window{}
		used := first + 1
		at := make([]int, 0, r.about.Longest)
		for i := range first {
			at = append(at, i)
		}
		for next < len(sentences) {
			inside := tokensInside(spans[:len(tokens)-1], sentences[next])
			if len(w.sentences) > 0 && used+len(inside) > r.about.Longest {
				break
			}
			w.sentences = append(w.sentences, sentences[next])
			at = append(at, inside...)
			used += len(inside)
			next++
		}
		at = append(at[:min(len(at), r.about.Longest-1)], len(tokens)-1)
		for _, i := range at {
			w.input.Tokens = append(w.input.Tokens, tokens[i])
			w.input.Kinds = append(w.input.Kinds, kinds[i])
			w.spans = append(w.spans, spans[i])
		}
		out = append(out, w)
	}
	return out
}

// The marks of a token of a pair.
const (
	markNone = iota
	markShared
	markOwnNumber
)

// pairInput makes one input of two statements, and the side of each token that counts for it: the second side is 1, tokens of the marks
// at the ends are of the side that they end.
func (r *model) pairInput(older, newer Statement) (encoder.Input, []uint8) {
	var sides [2][]encoder.Token
	held := [2]map[uint32]bool{{}, {}}
	first, last := encoder.Token{}, encoder.Token{}
	for i, s := range []Statement{older, newer} {
		tokens := r.words.AllTokens(s.line())
		first, last = tokens[0], tokens[len(tokens)-1]
		sides[i] = tokens[1 : len(tokens)-1]
		sides[i] = sides[i][:min(len(sides[i]), r.about.LongestPair-2)]
		for _, t := range sides[i] {
			held[i][t.ID] = true
		}
	}
	in := encoder.Input{Tokens: []encoder.Token{first}, Segments: []uint8{0}, Kinds: []uint8{markNone}}
	for i, tokens := range sides {
		for _, t := range tokens {
			kind := uint8(markNone)
			switch isWord, isNumber := r.words.PieceIsWord(t.ID); {
			case isWord && held[1-i][t.ID]:
				kind = markShared
			case isNumber:
				kind = markOwnNumber
			}
			in.Tokens, in.Segments, in.Kinds = append(in.Tokens, t), append(in.Segments, uint8(i)), append(in.Kinds, kind)
		}
		in.Tokens, in.Segments, in.Kinds = append(in.Tokens, last), append(in.Segments, uint8(i)), append(in.Kinds, markNone)
	}
	return in, in.Segments
}
