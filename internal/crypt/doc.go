// Package crypt makes envelopes and hashes: it parses, makes and finds the
// master key, derives and wraps the data key of each owner, seals small
// payloads and long streams, and makes API keys.
//
// # The chain of keys
//
// One master key (32 bytes, from the environment or a file) never touches
// data. HKDF-SHA256 turns it and an owner's id into that owner's
// key-encryption key, which wraps one random data key. Only data keys seal
// data, so that
//
//   - destroying an owner's wrapped key destroys the owner's data, whoever still
//     holds the master key or old copies of the files;
//   - changing the master key rewraps one short record per owner ([Rewrap]) and
//     touches no file.
//
// # What is used
//
// AES-256-GCM, HKDF-SHA256 and SHA-256 of the standard library, nothing of our
// own except the framing of streams, which is the STREAM construction of Hoang,
// Reyhanitabar, Rogaway and Vizár (2015) as the age file format uses it.
// Random bytes always come from a reader that the caller passes in: crypto/rand's
// in the product, a fixed one under the published vectors.
//
// The byte formats are described in docs/format/sealed-file.md.
//
// The package is a tool: it knows nothing of memory, imports only the standard
// library and may be imported by any room above it.
package crypt

import "errors"

// KeySize is the length in bytes of every key in this package.
const KeySize = 32

// Sentinel errors. No error of this package ever contains key bytes.
var (
	// ErrKey says that a key has the wrong length, alphabet or an
	// obviously unusable value.
	ErrKey = errors.New("unusable key")

	// ErrFormat says that the bytes are not what this package writes, or were
	// written by a newer version of it.
	ErrFormat = errors.New("unknown sealed format")

	// ErrCorrupt says that sealed bytes do not fit their key and context: they were
	// altered, reordered, or belong to another owner or place.
	ErrCorrupt = errors.New("sealed data is damaged or belongs elsewhere")

	// ErrTruncated says that a sealed stream ends before its final frame.
	ErrTruncated = errors.New("sealed data is truncated")

	// ErrMasterKey says that a wrapped key was wrapped by another master key than
	// the one given.
	ErrMasterKey = errors.New("wrapped by another master key")
)
