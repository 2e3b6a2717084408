package encoder

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// wordList is the words of a vocabulary, in order.
type wordList struct {
	once  sync.Once
	words []string
}

// leastStem is how many letters a word shares with a word of the vocabulary, at least, to be another form of it.
const leastStem = 5

// KnowsWord reports whether a word, with or without an ending, is in the vocabulary: such a word is spelt right. It knows the words of
// a model with the WordPiece tokenizer alone and reports false for each other one.
func (m *Model) KnowsWord(word string) bool {
	t, ok := m.tokens.(*wordPiece)
	if !ok {
		return false
	}
	if t.lower {
		word = strings.ToLower(word)
	}
	t.list.once.Do(func() {
		t.list.words = slices.Sorted(maps.Keys(t.starts))
	})
	if _, ok := t.starts[word]; ok {
		return true
	}
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }) {
		return false
	}
	for _, ending := range []string{"ing", "ed", "er", "ers", "es", "s", "ly"} {
		stem, ok := strings.CutSuffix(word, ending)
		if !ok || utf8.RuneCountInString(stem) < leastStem {
			continue
		}
		if _, ok := t.starts[stem]; ok {
			return true
		}
	}
	// "allergy" beside "allergic": all but the last letter starts a word of the vocabulary
	_, last := utf8.DecodeLastRuneInString(word)
	stem := word[:len(word)-last]
	if utf8.RuneCountInString(stem) < leastStem {
		return false
	}
	i, _ := slices.BinarySearch(t.list.words, stem)
	return i < len(t.list.words) && strings.HasPrefix(t.list.words[i], stem)
}
