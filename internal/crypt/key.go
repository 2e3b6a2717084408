package crypt

import (
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Key is a master key. It prints as "[redacted]" through every verb of fmt,
// through slog and through encoding/json, so that it cannot reach a log by
// accident; [Key.Hex] is the only way to its text.
//
// The zero Key is not usable: every function that takes a Key refuses it.
type Key struct{ b [KeySize]byte }

// NewKey makes a key of 32 bytes read from rand.
func NewKey(rand io.Reader) (Key, error) {
	var k Key
	if _, err := io.ReadFull(rand, k.b[:]); err != nil {
		return Key{}, fmt.Errorf("read random bytes: %w", err)
	}
	if k.zero() {
		return Key{}, fmt.Errorf("make key: the random source gave only zeros: %w", ErrKey)
	}
	return k, nil
}

// ParseKey reads a key of 32 bytes written as 64 hexadecimal digits or as
// base64 (standard or URL alphabet, with or without padding). White space around
// the text is ignored. A key of only zeros is refused: it is a placeholder, not a
// secret. The error is [ErrKey] and never repeats the text.
func ParseKey(text string) (Key, error) {
	var k Key
	text = strings.TrimSpace(text)
	raw, err := decodeKey(text)
	switch {
	case text == "":
		return Key{}, fmt.Errorf("parse key: empty: %w", ErrKey)
	case err != nil || len(raw) != KeySize:
		return Key{}, fmt.Errorf("parse key: want 32 bytes as 64 hexadecimal digits or 43 or 44 characters of base64, got %d characters: %w", len(text), ErrKey)
	}
	copy(k.b[:], raw)
	if k.zero() {
		return Key{}, fmt.Errorf("parse key: all bytes are zero: %w", ErrKey)
	}
	return k, nil
}

func decodeKey(text string) ([]byte, error) {
	if len(text) == hex.EncodedLen(KeySize) {
		return hex.DecodeString(text)
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		enc = base64.RawURLEncoding
	}
	if len(text) == enc.EncodedLen(KeySize)+1 {
		text = strings.TrimSuffix(text, "=")
	}
	if len(text) != enc.EncodedLen(KeySize) {
		return nil, ErrKey
	}
	return enc.Strict().DecodeString(text)
}

// Hex returns the key as 64 lower-case hexadecimal digits, the form the key file
// holds.
func (k Key) Hex() string { return hex.EncodeToString(k.b[:]) }

// Equal compares two keys in constant time.
func (k Key) Equal(other Key) bool {
	return subtle.ConstantTimeCompare(k.b[:], other.b[:]) == 1
}

// Format writes "[redacted]" for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// LogValue keeps the key out of slog records.
func (k Key) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalText keeps the key out of JSON and of every other text encoding.
func (k Key) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }

func (k Key) zero() bool { return k == Key{} }

// Derive makes a 32-byte key from secret for one purpose by HKDF-SHA256. salt may
// be nil. The info input is the label followed by each part of the context, each
// preceded by its length as four bytes, big endian, so that no two
// different contexts give the same input.
func Derive(secret, salt []byte, label string, context ...string) ([]byte, error) {
	if len(secret) != KeySize {
		return nil, fmt.Errorf("derive key: secret of %d bytes: %w", len(secret), ErrKey)
	}
	key, err := hkdf.Key(sha256.New, secret, salt, string(Join(label, context...)), KeySize)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	return key, nil
}

// Join packs a label and strings into one byte string from which they could be
// told apart again: each is preceded by its length as four bytes, big endian.
// It is what [Derive] uses as info and [Wrap] as additional data.
func Join(label string, parts ...string) []byte {
	n := 4 + len(label)
	for _, p := range parts {
		n += 4 + len(p)
	}
	out := binary.BigEndian.AppendUint32(make([]byte, 0, n), uint32(len(label)))
	out = append(out, label...)
	for _, p := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
		out = append(out, p...)
	}
	return out
}
