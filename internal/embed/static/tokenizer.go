package static

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	maxPieceBytes = 1 << 9
	maxWordRunes  = 1 << 20
)

// tokenizer is the part of a tokenizer.json that cutting needs.
type tokenizer struct {
	starts  map[string]uint32 // pieces that a word may start with
	parts   map[string]uint32 // pieces that it may go on with, without their prefix
	longest int               // bytes of the longest piece
	ids     int               // one more than the highest id

	wordRunes                int // longer words are unknown
	clean, cjk, strip, lower bool
}

// tokenizerJSON is the file, as far as it is read. Truncation, padding, post-processor and decoder play no part; added
// tokens only count as places in the vocabulary.
type tokenizerJSON struct {
	Added []struct {
		ID int64 `json:"id"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type  string `json:"type"`
		Clean *bool  `json:"clean_text"`
		CJK   *bool  `json:"handle_chinese_chars"`
		Strip *bool  `json:"strip_accents"` // null: as lowercase
		Lower *bool  `json:"lowercase"`
	} `json:"normalizer"`
	Pre struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type      string          `json:"type"`
		Unknown   *string         `json:"unk_token"`
		Prefix    *string         `json:"continuing_subword_prefix"`
		WordRunes *int            `json:"max_input_chars_per_word"`
		Vocab     json.RawMessage `json:"vocab"` // of other models it is no object
	} `json:"model"`
}

func or[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}

// parseTokenizer reads a tokenizer.json of the one kind that is supported.
func parseTokenizer(data []byte) (*tokenizer, error) {
	var j tokenizerJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("decode tokenizer: %w", err)
	}
	for _, part := range [][3]string{
		{"model", j.Model.Type, "WordPiece"}, {"normalizer", j.Normalizer.Type, "BertNormalizer"}, {"pre-tokenizer", j.Pre.Type, "BertPreTokenizer"},
	} {
		if part[1] != part[2] {
			return nil, fmt.Errorf("tokenizer's %s is %q: only %s is supported", part[0], part[1], part[2])
		}
	}
	var vocab map[string]int64
	if err := json.Unmarshal(j.Model.Vocab, &vocab); err != nil {
		return nil, fmt.Errorf("decode vocabulary: %w", err)
	}
	t := &tokenizer{
		wordRunes: or(j.Model.WordRunes, 100),
		clean:     or(j.Normalizer.Clean, true), cjk: or(j.Normalizer.CJK, true), lower: or(j.Normalizer.Lower, true),
	}
	t.strip = or(j.Normalizer.Strip, t.lower)
	if t.wordRunes < 1 || t.wordRunes > maxWordRunes {
		return nil, fmt.Errorf("words of %d characters, want 1 to %d", t.wordRunes, maxWordRunes)
	}
	if err := t.index(vocab, or(j.Model.Prefix, "##"), or(j.Model.Unknown, "[UNK]")); err != nil {
		return nil, err
	}
	for _, a := range j.Added {
		if err := t.count(a.ID); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// index sorts the pieces by where in a word they may stand. The unknown token is none: words that are not made of pieces
// have no vector.
func (t *tokenizer) index(vocab map[string]int64, prefix, unknown string) error {
	if len(vocab) == 0 {
		return errors.New("read vocabulary: it is empty")
	}
	t.starts = make(map[string]uint32, len(vocab))
	t.parts = make(map[string]uint32)
	for piece, id := range vocab {
		if err := t.count(id); err != nil {
			return err
		}
		if piece == "" || len(piece) > maxPieceBytes {
			return fmt.Errorf("read vocabulary: a piece of %d bytes, want 1 to %d", len(piece), maxPieceBytes)
		}
		if piece == unknown {
			continue
		}
		t.longest = max(t.longest, len(piece))
		rest, part := strings.CutPrefix(piece, prefix)
		if part && rest != "" {
			t.parts[rest] = uint32(id)
		}
		if !part || prefix == "" {
			t.starts[piece] = uint32(id)
		}
	}
	return nil
}

// count makes room for an id.
func (t *tokenizer) count(id int64) error {
	if id < 0 || id >= maxRows {
		return fmt.Errorf("read vocabulary: id %d, want 0 to %d", id, maxRows-1)
	}
	t.ids = max(t.ids, int(id)+1)
	return nil
}

// has reports whether a word is a piece by itself.
func (t *tokenizer) has(word []byte) bool {
	_, ok := t.starts[string(word)]
	return ok
}
