package crypt

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"math/big"
	"strings"
)

const (
	// APIKeyPrefix starts every API key that this program makes, so that people
	// and secret scanners recognise one.
	APIKeyPrefix = "sk_"

	apiKeyDigits = 43 // 62^43 > 2^256
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewAPIKey makes an API key: "sk_" and 32 random bytes as 43 digits of base 62
// (0-9, A-Z, a-z), most significant first, 46 characters in all.
func NewAPIKey(rand io.Reader) (string, error) {
	var raw [KeySize]byte
	if _, err := io.ReadFull(rand, raw[:]); err != nil {
		return "", fmt.Errorf("make API key: read random bytes: %w", err)
	}
	digits := new(big.Int).SetBytes(raw[:])
	base, digit := big.NewInt(int64(len(base62))), new(big.Int)
	out := [len(APIKeyPrefix) + apiKeyDigits]byte{}
	copy(out[:], APIKeyPrefix)
	for i := len(out) - 1; i >= len(APIKeyPrefix); i-- {
		digits.DivMod(digits, base, digit)
		out[i] = base62[digit.Int64()]
	}
	return string(out[:]), nil
}

// HashAPIKey returns the SHA-256 of the key, which is what is stored.
//
// A slow password hash (scrypt, argon2) is for secrets that people choose and that
// can be guessed from a list. A key of [NewAPIKey] has 256 random bits: there is
// no list, and 2^256 trials are as impossible fast as slow, while a slow hash
// would add 50 ms to every request and let anybody exhaust the server by sending
// wrong keys. Where a person sets the key, require enough length there.
func HashAPIKey(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }

// EqualHash compares two hashes in constant time; hashes of different lengths are
// not equal.
func EqualHash(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }

// APIKeyHint returns what may be shown of a key in lists so that its owner tells
// it from others: "sk_" and four characters, or "…" alone for a key too short to
// show any of it.
func APIKeyHint(key string) string {
	const shown = len(APIKeyPrefix) + 4
	if !strings.HasPrefix(key, APIKeyPrefix) || len(key) < 4*shown {
		return "…"
	}
	return key[:shown] + "…"
}
