package encoder

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Token is a piece of a text: its number in the vocabulary, and the bytes of the text that it stands for. The marks at both
// ends of an input stand for no bytes.
type Token struct {
	ID         uint32
	Start, End int32
}

// tokenizer cuts texts into tokens, without the marks at both ends.
type tokenizer interface {
	// appendTokens appends the tokens of text, which begins at an offset of a longer one. It may stop when there are most.
	appendTokens(tokens []Token, text string, offset, most int) []Token
	// marks are the ids in front of a text, behind it, and of a token that is not in the vocabulary.
	marks() (first, last, unknown uint32)
	// size is the number of ids.
	size() int
}

// specials are tokens that are written out in a text, such as "[MASK]".
type specials map[string]uint32

// tokenize appends the tokens of text by t, and those of the specials in it.
func (s specials) tokenize(t tokenizer, tokens []Token, text string, most int) []Token {
	for at := 0; at < len(text) && len(tokens) < most; {
		start, name := s.find(text[at:])
		if name == "" {
			return t.appendTokens(tokens, text[at:], at, most)
		}
		tokens = t.appendTokens(tokens, text[at:at+start], at, most)
		at += start
		tokens = append(tokens, Token{ID: s[name], Start: int32(at), End: int32(at + len(name))})
		at += len(name)
	}
	return tokens
}

// find returns the first special in text, "" for none.
func (s specials) find(text string) (start int, name string) {
	for at := 0; ; at++ {
		i := strings.IndexAny(text[at:], "[<")
		if i < 0 {
			return 0, ""
		}
		at += i
		for special := range s {
			if strings.HasPrefix(text[at:], special) && len(special) > len(name) {
				name = special
			}
		}
		if name != "" {
			return at, name
		}
	}
}

// tokenizerJSON is the part of a tokenizer.json that is read. Truncation and padding play no part.
type tokenizerJSON struct {
	Added []struct {
		ID      int64  `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type  string `json:"type"`
		Clean *bool  `json:"clean_text"`
		CJK   *bool  `json:"handle_chinese_chars"`
		Strip *bool  `json:"strip_accents"` // null: as lowercase
		Lower *bool  `json:"lowercase"`
	} `json:"normalizer"`
	Model struct {
		Type      string          `json:"type"`
		Unknown   *string         `json:"unk_token"`
		UnknownID *int64          `json:"unk_id"`
		Prefix    *string         `json:"continuing_subword_prefix"`
		WordRunes *int            `json:"max_input_chars_per_word"`
		Vocab     json.RawMessage `json:"vocab"`
	} `json:"model"`
}

func or[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}

// parseTokenizer reads a tokenizer.json.
func parseTokenizer(data []byte) (tokenizer, specials, error) {
	var j tokenizerJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, nil, fmt.Errorf("decode tokenizer: %w", err)
	}
	added := specials{}
	for _, a := range j.Added {
		if a.ID < 0 || a.ID >= maxRows {
			return nil, nil, fmt.Errorf("read vocabulary: id %d, want 0 to %d", a.ID, maxRows-1)
		}
		if a.Special && len(a.Content) > 2 && strings.ContainsAny(a.Content[:1], "[<") {
			added[a.Content] = uint32(a.ID)
		}
	}
	switch j.Model.Type {
	case "WordPiece":
		t, err := j.wordPiece()
		return t, added, err
	case "Unigram":
		t, err := j.unigram(added)
		return t, added, err
	}
	return nil, nil, fmt.Errorf("tokenizer's model is %q: want WordPiece or Unigram", j.Model.Type)
}

func (j *tokenizerJSON) wordPiece() (*wordPiece, error) {
	if j.Normalizer.Type != "BertNormalizer" {
		return nil, fmt.Errorf("tokenizer's normalizer is %q: want BertNormalizer", j.Normalizer.Type)
	}
	var ids map[string]int64
	if err := json.Unmarshal(j.Model.Vocab, &ids); err != nil {
		return nil, fmt.Errorf("decode vocabulary: %w", err)
	}
	n := newWordPiece(or(j.Normalizer.Lower, true))
	n.clean, n.cjk = or(j.Normalizer.Clean, true), or(j.Normalizer.CJK, true)
	n.strip = or(j.Normalizer.Strip, n.lower)
	n.wordRunes = or(j.Model.WordRunes, n.wordRunes)
	if n.wordRunes < 1 || n.wordRunes > maxWordRunes {
		return nil, fmt.Errorf("words of %d characters, want 1 to %d", n.wordRunes, maxWordRunes)
	}
	for piece, id := range ids {
		if err := n.add(piece, id, or(j.Model.Prefix, "##")); err != nil {
			return nil, err
		}
	}
	return n, n.check(or(j.Model.Unknown, "[UNK]"))
}

// parseVocabulary reads a vocab.txt: a piece a line, whose number is its id.
func parseVocabulary(text string, lower bool) (*wordPiece, specials, error) {
	t := newWordPiece(lower)
	added := specials{}
	id := int64(0)
	for line := range strings.Lines(text) {
		piece := strings.TrimRight(line, "\r\n")
		if piece != "" {
			if err := t.add(piece, id, "##"); err != nil {
				return nil, nil, err
			}
		}
		switch piece {
		case "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]":
			added[piece] = uint32(id)
		}
		id++
	}
	return t, added, t.check("[UNK]")
}
