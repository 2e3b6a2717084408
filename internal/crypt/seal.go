package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"io"
	"slices"
)

const (
	nonceSize = 12
	tagSize   = 16

	// SealOverhead is how many bytes [Seal] adds to a payload.
	SealOverhead = nonceSize + tagSize
)

// Seal encrypts a small payload by AES-256-GCM under a nonce of 12 bytes read from
// rand, appends nonce, ciphertext and tag to dst and returns it. aad is
// authenticated and not stored: [Open] needs the same bytes.
//
// Nonces are random, so one key should seal at most 2^32 payloads (chance of a
// repeated nonce: 2^-33); callers give each purpose its own key by [Derive].
func Seal(dst, key, aad, payload []byte, rand io.Reader) ([]byte, error) {
	aead, err := newGCM(key)
	if err != nil {
		return nil, fmt.Errorf("seal payload: %w", err)
	}
	dst = slices.Grow(dst, len(payload)+SealOverhead)
	at := len(dst)
	dst = dst[:at+nonceSize]
	if _, err := io.ReadFull(rand, dst[at:]); err != nil {
		return nil, fmt.Errorf("seal payload: read random bytes: %w", err)
	}
	return aead.Seal(dst, dst[at:at+nonceSize], payload, aad), nil
}

// Open reverses [Seal]: it appends the payload to dst and returns it, or
// [ErrTruncated] for fewer bytes than Seal ever writes and [ErrCorrupt] for
// anything that was not sealed with this key and aad.
func Open(dst, key, aad, sealed []byte) ([]byte, error) {
	aead, err := newGCM(key)
	if err != nil {
		return nil, fmt.Errorf("open payload: %w", err)
	}
	if len(sealed) < SealOverhead {
		return nil, fmt.Errorf("open payload of %d bytes: %w", len(sealed), ErrTruncated)
	}
	out, err := aead.Open(dst, sealed[:nonceSize], sealed[nonceSize:], aad)
	if err != nil {
		return nil, fmt.Errorf("open payload: %w", ErrCorrupt)
	}
	return out, nil
}

func newGCM(key []byte) (cipher.AEAD, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("key of %d bytes, want %d: %w", len(key), KeySize, ErrKey)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return aead, nil
}
