package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// unigram is the tokenizer of XLM-R and its kin: a word, with a mark in front of it for the space, is cut so that the sum of the
// logarithms of its pieces' probabilities is largest (Kudo 2018, by the algorithm of Viterbi).
//
// Texts are normalised by NFKC and the control characters of SentencePiece's rule nmt_nfkc; the table of the file itself, which says
// nearly the same, is not read.
type unigram struct {
	pieces  map[string]piece
	longest int // bytes of the longest piece
	ids     int
	none    float32 // the score of a character that is not in the vocabulary

	first, last, unknown uint32
}

type piece struct {
	id    uint32
	score float32
}

// spaceMark stands for the space in front of a word.
const spaceMark = "\u2581"

// unknownPenalty is how much less likely than the rarest piece an unknown character is, as in SentencePiece.
const unknownPenalty = 10

func (j *tokenizerJSON) unigram(added specials) (*unigram, error) {
	var list [][2]any
	if err := json.Unmarshal(j.Model.Vocab, &list); err != nil {
		return nil, fmt.Errorf("decode vocabulary: %w", err)
	}
	if len(list) == 0 || len(list) > maxRows {
		return nil, errors.New("read vocabulary: it is empty or too large")
	}
	t := &unigram{pieces: make(map[string]piece, len(list)), ids: len(list)}
	lowest := math.Inf(1)
	for i, entry := range list {
		text, isText := entry[0].(string)
		score, isNumber := entry[1].(float64)
		if !isText || !isNumber || len(text) > maxPieceBytes || math.IsNaN(score) {
			return nil, fmt.Errorf("read vocabulary: entry %d is not a piece and its score", i)
		}
		lowest = min(lowest, score)
		t.longest = max(t.longest, len(text))
		if text != "" {
			t.pieces[text] = piece{id: uint32(i), score: float32(score)}
		}
	}
	t.none = float32(lowest) - unknownPenalty
	for name, id := range map[string]*uint32{"<s>": &t.first, "</s>": &t.last, "<unk>": &t.unknown} {
		n, ok := added[name]
		if !ok {
			return nil, fmt.Errorf("read vocabulary: no piece %s", name)
		}
		*id = n
		delete(t.pieces, name)
	}
	for _, id := range added {
		t.ids = max(t.ids, int(id)+1)
	}
	return t, nil
}

func (t *unigram) marks() (first, last, unknown uint32) { return t.first, t.last, t.unknown }

func (t *unigram) size() int { return t.ids }

func (t *unigram) appendTokens(tokens []Token, text string, offset, most int) []Token {
	for start := 0; start < len(text) && len(tokens) < most; {
		end := start
		for end < len(text) {
			c, n := utf8.DecodeRuneInString(text[end:])
			if isBlank(c) {
				break
			}
			end += n
		}
		if end > start {
			tokens = t.cut(tokens, text[start:end], offset+start)
		}
		for end < len(text) {
			c, n := utf8.DecodeRuneInString(text[end:])
			if !isBlank(c) {
				break
			}
			end += n
		}
		start = end
	}
	return tokens
}

// isBlank reports whether SentencePiece's rule turns a character into a space.
func isBlank(c rune) bool {
	return unicode.IsSpace(c) || c == 0x1680 || c >= 0x200B && c <= 0x200F || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF
}

// cut appends the tokens of a word. All of them stand for the bytes of the whole word, as normalisation moves characters.
func (t *unigram) cut(tokens []Token, source string, offset int) []Token {
	clean := strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c <= 0x9f {
			return -1
		}
		return c
	}, norm.NFKC.String(source))
	for word := range strings.FieldsSeq(clean) {
		word = spaceMark + word
		type step struct {
			score float32
			from  int
			id    uint32
		}
		best := make([]step, len(word)+1)
		for i := range best {
			best[i].score = float32(math.Inf(-1))
		}
		best[0].score = 0
		for from := 0; from < len(word); from++ {
			if !utf8.RuneStart(word[from]) || math.IsInf(float64(best[from].score), -1) {
				continue
			}
			_, width := utf8.DecodeRuneInString(word[from:])
			for to := from + width; to <= min(from+t.longest, len(word)); to++ {
				if p, ok := t.pieces[word[from:to]]; ok && best[from].score+p.score > best[to].score {
					best[to] = step{score: best[from].score + p.score, from: from, id: p.id}
				}
			}
			if to := from + width; best[from].score+t.none > best[to].score {
				best[to] = step{score: best[from].score + t.none, from: from, id: t.unknown}
			}
		}
		count := len(tokens)
		for at := len(word); at > 0; at = best[at].from {
			// Unknown characters that follow each other are one token.
			if last := len(tokens) - 1; best[at].id == t.unknown && last >= count && tokens[last].ID == t.unknown {
				continue
			}
			tokens = append(tokens, Token{ID: best[at].id, Start: int32(offset), End: int32(offset + len(source))})
		}
		reverse(tokens[count:])
	}
	return tokens
}

func reverse(tokens []Token) {
	for i, j := 0, len(tokens)-1; i < j; i, j = i+1, j-1 {
		tokens[i], tokens[j] = tokens[j], tokens[i]
	}
}
