// Package blob keeps bytes that are too large for a row: originals, archives and
// artifacts, compressed and sealed.
//
// Two layers live here. [Driver] is the port: a store of named, immutable byte
// strings that knows nothing of their content; package disk keeps them in a
// directory, and the suite in package blobtest is what every driver must pass.
// [Vault] is the file layer above a driver: it compresses with zstd and seals with
// the owner's data key, so that a driver (a disk, a bucket of somebody else) only
// ever sees ciphertext. The engine talks to the vault; nobody else talks to a driver.
//
// Blobs are truth: a blob is durable before the row that names it is written, and
// a blob without a row is an orphan that may be swept. The byte format is in
// docs/format/sealed-file.md.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Sentinel errors of the port and of the file layer. Errors about sealed
// bytes are those of package crypt: ErrCorrupt, ErrTruncated, ErrFormat.
var (
	// ErrNotFound says that no blob has this key.
	ErrNotFound = errors.New("blob not found")

	// ErrExists says that a blob with this key is there already. It was not changed.
	ErrExists = errors.New("blob exists already")

	// ErrFull says that the medium has no room left, or that a quota or file-size
	// limit was met. Nothing was stored; reads go on.
	ErrFull = errors.New("no space left for files")

	// ErrAway says that the medium is elsewhere and does not answer. The same call may
	// succeed later; a lukasa.Error of code unavailable around it says when to try.
	ErrAway = errors.New("medium of files is away")

	// ErrKey says that a key does not fit the grammar of [ValidateKey].
	ErrKey = errors.New("invalid blob key")

	// ErrSize says that the reader gave fewer or more bytes than announced.
	ErrSize = errors.New("size differs from what was announced")

	// ErrTooLarge says that plaintext is larger than the vault's limit: on writing,
	// or while unpacking something small that would become huge.
	ErrTooLarge = errors.New("content is larger than the limit")

	// ErrKeyDestroyed says that the owner's data key is gone for good, and all that it
	// sealed with it. A [Keyring] returns an error that wraps it.
	ErrKeyDestroyed = errors.New("the owner's data key was destroyed, so its files cannot be read again")
)

// Info describes one blob.
type Info struct {
	Key     string
	Size    int64     // bytes as stored
	ModTime time.Time // when it was put
}

// Driver stores immutable blobs by key. All methods are safe for concurrent use,
// also by several processes on one medium. Keys that [ValidateKey] refuses give an
// error that wraps [ErrKey], everywhere.
//
// A key names one content for ever: there is no overwriting. To replace
// content, put it under a new key, change the row, delete the old key.
type Driver interface {
	// Put stores what r gives, up to its io.EOF, under a key that is not taken.
	// The blob appears whole or not at all, and it is durable when Put returns nil.
	// size is the number of bytes that r will give, or -1 when unknown.
	//
	// Errors: ErrExists when the key is taken (of several Puts of one key at once
	// exactly one succeeds), ErrSize when r gives another number of bytes, ErrFull,
	// the error of r, the error of ctx; all wrapped. After an error nothing of this Put is visible. r may
	// have been read in part or not at all; it is not closed. A Put waits for a
	// read of r that hangs even when ctx is done.
	Put(ctx context.Context, key string, r io.Reader, size int64) error

	// Get opens a blob, or returns ErrNotFound. What Put stored under a key is seen
	// by every Get that begins after it, in this and other processes. The reader must be
	// closed; it may fail with the error of ctx once ctx is done.
	Get(ctx context.Context, key string) (io.ReadCloser, error)

	// Stat describes a blob, or returns ErrNotFound.
	Stat(ctx context.Context, key string) (Info, error)

	// Delete removes a blob for good; the removal is durable when Delete returns nil. To delete what is not
	// there is no error, so that a delete can be repeated.
	Delete(ctx context.Context, key string) error

	// List calls yield for each blob whose key starts with prefix (any prefix of a
	// key, "" for all), in no particular order, until yield returns false. A blob
	// that is put or deleted meanwhile may be listed or not; every other one is
	// listed exactly once. yield may call the driver.
	List(ctx context.Context, prefix string, yield func(Info) bool) error
}

// Checker is implemented by drivers that can be away.
type Checker interface {
	// Check asks the medium for a sign of life, once and within seconds. An error that
	// wraps [ErrAway] may pass by itself; any other needs somebody to mend it.
	Check(ctx context.Context) error
}

// Limits of the key grammar.
const (
	MaxKey      = 512 // bytes of a whole key
	MaxSegment  = 128 // bytes between two slashes
	MaxSegments = 8
)

// ValidateKey checks the grammar of keys: 1 to 8 segments joined by "/", each of 1
// to 128 characters a-z, 0-9, "_", "-" and ".", neither starting nor ending with
// ".". Capital letters are refused because some file systems do not tell them
// apart. No valid key can climb out of a directory. The error wraps [ErrKey].
func ValidateKey(key string) error {
	if len(key) > MaxKey {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrKey, len(key), MaxKey)
	}
	start, segments := 0, 0
	for i := 0; i <= len(key); i++ {
		if i < len(key) && key[i] != '/' {
			if !keyByte(key[i]) {
				return fmt.Errorf("%w: %q: only a-z, 0-9, \"_\", \"-\", \".\" and \"/\" are allowed", ErrKey, key)
			}
			continue
		}
		segment := key[start:i]
		switch {
		case segment == "":
			return fmt.Errorf("%w: %q has an empty segment", ErrKey, key)
		case len(segment) > MaxSegment:
			return fmt.Errorf("%w: a segment of %d bytes, at most %d", ErrKey, len(segment), MaxSegment)
		case segment[0] == '.' || segment[len(segment)-1] == '.':
			return fmt.Errorf("%w: %q: a segment starts or ends with a dot", ErrKey, key)
		}
		start, segments = i+1, segments+1
	}
	if segments > MaxSegments {
		return fmt.Errorf("%w: %d segments, at most %d", ErrKey, segments, MaxSegments)
	}
	return nil
}

// ValidatePrefix checks that some valid key could start with prefix. The error
// wraps [ErrKey].
func ValidatePrefix(prefix string) error {
	if prefix == "" || prefix[len(prefix)-1] == '.' && ValidateKey(prefix+"x") == nil {
		return nil
	}
	if prefix[len(prefix)-1] == '/' {
		return ValidateKey(prefix + "x")
	}
	return ValidateKey(prefix)
}

func keyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}
