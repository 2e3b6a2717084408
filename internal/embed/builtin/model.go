package builtin

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// The file format, version 2, little endian (models/embedder/MODEL_CARD.md has the long form):
//
//	"LUKAEMB1" | u32 header length | header JSON | vocabulary, "\n" separated | zeros to a multiple of 16
//	| float16 scale per block of 32 values | 4-bit values, two a byte, low nibble first
//
// Rows are the vocabulary's, then the n-gram buckets'. A value is (nibble - 8) * scale of its block.
const (
	magic     = "LUKAEMB1"
	blockSize = vector.NibbleBlock
	maxRows   = 1 << 20
	maxDim    = 1 << 13
)

// header is the part of the file's JSON header that the encoder needs.
type header struct {
	Version        int               `json:"version"`
	Dim            int               `json:"dim"`
	Words          int               `json:"words"` // vocabulary entries, phrases included
	Buckets        int               `json:"buckets"`
	MaxPhraseWords int               `json:"max_phrase_words"`
	VocabBytes     int               `json:"vocab_bytes"`
	Fold           map[string]string `json:"fold"`
}

// model reads rows straight from the file's bytes. Only the index of the vocabulary and the fold table are on the heap.
type model struct {
	dim      int
	blocks   int // blocks of 32 values in a row
	words    int
	buckets  uint32
	maxWords int    // words of the longest phrase
	vocab    string // entries separated by "\n"
	scales   string // float16 per block
	nibbles  string // dim/2 bytes a row
	kernels  vector.Kernels

	offsets []uint32 // start of every entry in vocab, and one more: the end plus one
	slots   []uint32 // open addressing with linear probing: entry + 1, 0 where free; a power of two long
	first   []uint64 // Bloom filter (one hash) over the first words of phrases
	fold    [foldPages]*[256]string
}

const (
	foldPages = 0x30 // the fold table covers code points below 0x3000
	firstBits = 1 << 16
)

// parse checks data and indexes its vocabulary. It keeps data and copies none of it.
func parse(data string) (*model, error) {
	h, at, err := parseHeader(data)
	if err != nil {
		return nil, err
	}
	m := &model{dim: h.Dim, blocks: h.Dim / blockSize, words: h.Words, buckets: uint32(h.Buckets), maxWords: h.MaxPhraseWords, kernels: vector.Default()}
	end := at + h.VocabBytes
	rows := h.Words + h.Buckets
	scales := end + (16-end%16)%16
	nibbles := scales + 2*rows*m.blocks
	if want := nibbles + rows*h.Dim/2; len(data) != want {
		return nil, fmt.Errorf("read embedding model: %d bytes, want %d", len(data), want)
	}
	m.vocab, m.scales, m.nibbles = data[at:end], data[scales:nibbles], data[nibbles:]
	if err := m.indexFold(h.Fold); err != nil {
		return nil, err
	}
	if err := m.indexVocab(); err != nil {
		return nil, err
	}
	return m, nil
}

// parseHeader returns the header and the offset of the vocabulary.
func parseHeader(data string) (header, int, error) {
	var h header
	if len(data) < 12 || data[:8] != magic {
		return h, 0, fmt.Errorf("read embedding model: not a %s file", magic)
	}
	n := int(binary.LittleEndian.Uint32([]byte(data[8:12])))
	if n > len(data)-12 || n > 1<<20 {
		return h, 0, fmt.Errorf("read embedding model: header of %d bytes does not fit", n)
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(data[12 : 12+n]))).Decode(&h); err != nil {
		return h, 0, fmt.Errorf("read embedding model: decode header: %w", err)
	}
	switch {
	case h.Version != 2:
		return h, 0, fmt.Errorf("read embedding model: format version %d, want 2", h.Version)
	case h.Dim <= 0 || h.Dim%blockSize != 0 || h.Dim > maxDim:
		return h, 0, fmt.Errorf("read embedding model: dimension %d is not a multiple of %d up to %d", h.Dim, blockSize, maxDim)
	case h.Words <= 0 || h.Words > maxRows || h.Buckets <= 0 || h.Buckets > maxRows:
		return h, 0, fmt.Errorf("read embedding model: %d words and %d buckets", h.Words, h.Buckets)
	case h.MaxPhraseWords < 1 || h.MaxPhraseWords > maxPhraseWords:
		return h, 0, fmt.Errorf("read embedding model: phrases of %d words, want 1 to %d", h.MaxPhraseWords, maxPhraseWords)
	case h.VocabBytes <= 0 || h.VocabBytes > len(data)-12-n:
		return h, 0, fmt.Errorf("read embedding model: vocabulary of %d bytes does not fit", h.VocabBytes)
	}
	return h, 12 + n, nil
}

func (m *model) indexFold(fold map[string]string) error {
	for from, to := range fold {
		r, n := utf8.DecodeRuneInString(from)
		if n != len(from) || int(r)>>8 >= foldPages || to == "" || !utf8.ValidString(to) {
			return fmt.Errorf("read embedding model: fold entry %q to %q", from, to)
		}
		page := m.fold[r>>8]
		if page == nil {
			page = new([256]string)
			m.fold[r>>8] = page
		}
		page[r&255] = to
	}
	return nil
}

func (m *model) indexVocab() error {
	if n := 1 + strings.Count(m.vocab, "\n"); n != m.words {
		return fmt.Errorf("read embedding model: %d vocabulary entries, want %d", n, m.words)
	}
	size := 1
	for size < m.words*7/4 {
		size *= 2
	}
	m.slots = make([]uint32, size)
	m.offsets = make([]uint32, 0, m.words+1)
	m.first = make([]uint64, firstBits/64)
	mask := uint32(size - 1)
	h, start := uint32(fnvOffset), 0
	phrase := false
	for i := 0; i <= len(m.vocab); i++ {
		if i < len(m.vocab) && m.vocab[i] != '\n' {
			if m.vocab[i] == ' ' && !phrase {
				phrase = true
				m.first[h%firstBits/64] |= 1 << (h % 64)
			}
			h = (h ^ uint32(m.vocab[i])) * fnvPrime
			continue
		}
		m.offsets = append(m.offsets, uint32(start))
		s := spread(h) & mask
		for m.slots[s] != 0 {
			s = (s + 1) & mask
		}
		m.slots[s] = uint32(len(m.offsets))
		h, start, phrase = fnvOffset, i+1, false
	}
	m.offsets = append(m.offsets, uint32(len(m.vocab)+1))
	return nil
}

// startsPhrase reports whether a phrase may start with the word whose hash is h; false positives are possible.
func (m *model) startsPhrase(h uint32) bool { return m.first[h%firstBits/64]&(1<<(h%64)) != 0 }

// lookup returns the row of the entry with bytes b and hash h, or -1.
func (m *model) lookup(b []byte, h uint32) int {
	mask := uint32(len(m.slots) - 1)
	for s := spread(h) & mask; m.slots[s] != 0; s = (s + 1) & mask {
		i := m.slots[s] - 1
		if m.vocab[m.offsets[i]:m.offsets[i+1]-1] == string(b) {
			return int(i)
		}
	}
	return -1
}

// addRow adds f times a row to x. All machines agree to the bit.
func (m *model) addRow(x []float32, row int, f float32) {
	nibbles := m.nibbles[row*m.dim/2:][:m.dim/2]
	scales := m.scales[row*m.blocks*2:][:m.blocks*2]
	var some [8]float32
	for len(scales) >= 2 {
		n := min(len(some), len(scales)/2)
		for i := range n {
			some[i] = half(uint16(scales[2*i])|uint16(scales[2*i+1])<<8) * f
		}
		m.kernels.AddNibbles(x[:n*blockSize], nibbles[:n*blockSize/2], some[:n])
		scales, nibbles, x = scales[2*n:], nibbles[n*blockSize/2:], x[n*blockSize:]
	}
}

// half converts a positive, finite float16.
func half(h uint16) float32 {
	if h < 1<<10 {
		return float32(h) * 0x1p-24
	}
	return math.Float32frombits(uint32(h)<<13 + 112<<23)
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// fnv is FNV-1a, 32 bits; h is fnvOffset or the hash of what comes before b.
func fnv(h uint32, b []byte) uint32 {
	for _, c := range b {
		h = (h ^ uint32(c)) * fnvPrime
	}
	return h
}

// spread mixes the high bits of a hash into the low ones, which alone choose the slot.
func spread(h uint32) uint32 { return h ^ h>>15 }
