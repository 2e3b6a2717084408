package crypt

import (
	"crypto/subtle"
	"fmt"
	"io"
)

// A wrapped key is 69 bytes:
//
//	version 1 | master id 8 | nonce 12 | sealed data key 32 | tag 16
const (
	wrapVersion  = 1
	masterIDSize = 8

	// WrappedSize is the length in bytes of a wrapped data key.
	WrappedSize = 1 + masterIDSize + KeySize + SealOverhead

	labelKEK      = "lukasa key encryption v1"
	labelMasterID = "lukasa master id v1"
	labelWrap     = "lukasa wrapped key"
)

// NewDataKey makes a random data key of 32 bytes.
func NewDataKey(rand io.Reader) ([]byte, error) {
	k, err := NewKey(rand)
	if err != nil {
		return nil, fmt.Errorf("make data key: %w", err)
	}
	return k.b[:], nil
}

// Wrap seals an owner's data key under the key-encryption key that HKDF derives
// from the master key and the owner's id. The owner's id and the version are
// authenticated, so that a wrapped key moved to another owner's row does not open.
// The result has [WrappedSize] bytes and may be stored in the open.
func Wrap(master Key, owner string, dataKey []byte, rand io.Reader) ([]byte, error) {
	if len(dataKey) != KeySize {
		return nil, fmt.Errorf("wrap key: data key of %d bytes: %w", len(dataKey), ErrKey)
	}
	kek, id, err := wrapKeys(master, owner)
	if err != nil {
		return nil, fmt.Errorf("wrap key: %w", err)
	}
	out := make([]byte, 0, WrappedSize)
	out = append(out, wrapVersion)
	out = append(out, id...)
	out, err = Seal(out, kek, wrapAAD(owner), dataKey, rand)
	if err != nil {
		return nil, fmt.Errorf("wrap key: %w", err)
	}
	return out, nil
}

// Unwrap returns the data key inside wrapped. Errors: [ErrFormat] for bytes that
// are no wrapped key, [ErrMasterKey] when another master key wrapped it,
// [ErrCorrupt] when it was altered or belongs to another owner.
func Unwrap(master Key, owner string, wrapped []byte) ([]byte, error) {
	id, err := WrappedBy(wrapped)
	if err != nil {
		return nil, fmt.Errorf("unwrap key: %w", err)
	}
	kek, want, err := wrapKeys(master, owner)
	if err != nil {
		return nil, fmt.Errorf("unwrap key: %w", err)
	}
	if subtle.ConstantTimeCompare(id, want) != 1 {
		return nil, fmt.Errorf("unwrap key: master id %x, given master key is %x: %w", id, want, ErrMasterKey)
	}
	key, err := Open(nil, kek, wrapAAD(owner), wrapped[1+masterIDSize:])
	if err != nil {
		return nil, fmt.Errorf("unwrap key: %w", err)
	}
	return key, nil
}

// Rewrap turns a key wrapped under the old master key into one wrapped under the
// new one. A key that the new master key has wrapped already is returned as it is,
// once it has been proved to open, so that a rotation that was interrupted can
// simply be run again.
func Rewrap(old, fresh Key, owner string, wrapped []byte, rand io.Reader) ([]byte, error) {
	id, err := WrappedBy(wrapped)
	if err != nil {
		return nil, fmt.Errorf("rewrap key: %w", err)
	}
	freshID, err := MasterID(fresh)
	if err != nil {
		return nil, fmt.Errorf("rewrap key: %w", err)
	}
	if subtle.ConstantTimeCompare(id, freshID) == 1 {
		if _, err := Unwrap(fresh, owner, wrapped); err != nil {
			return nil, fmt.Errorf("rewrap key: %w", err)
		}
		return append([]byte(nil), wrapped...), nil
	}
	key, err := Unwrap(old, owner, wrapped)
	if err != nil {
		return nil, fmt.Errorf("rewrap key: %w", err)
	}
	out, err := Wrap(fresh, owner, key, rand)
	clear(key)
	if err != nil {
		return nil, fmt.Errorf("rewrap key: %w", err)
	}
	return out, nil
}

// MasterID returns eight bytes that name a master key without telling anything
// about it. They stand in every wrapped key.
func MasterID(master Key) ([]byte, error) {
	if master.zero() {
		return nil, fmt.Errorf("name master key: zero key: %w", ErrKey)
	}
	id, err := Derive(master.b[:], nil, labelMasterID)
	if err != nil {
		return nil, err
	}
	return id[:masterIDSize], nil
}

// WrappedBy returns the [MasterID] of the key that wrapped these bytes, or
// [ErrFormat]. It needs no key; the id is a hint until [Unwrap] has succeeded.
func WrappedBy(wrapped []byte) ([]byte, error) {
	switch {
	case len(wrapped) != WrappedSize:
		return nil, fmt.Errorf("wrapped key of %d bytes, want %d: %w", len(wrapped), WrappedSize, ErrFormat)
	case wrapped[0] != wrapVersion:
		return nil, fmt.Errorf("wrapped key of version %d, want %d: %w", wrapped[0], wrapVersion, ErrFormat)
	}
	return wrapped[1 : 1+masterIDSize : 1+masterIDSize], nil
}

func wrapKeys(master Key, owner string) (kek, id []byte, err error) {
	if owner == "" {
		return nil, nil, fmt.Errorf("empty owner: %w", ErrKey)
	}
	id, err = MasterID(master)
	if err != nil {
		return nil, nil, err
	}
	kek, err = Derive(master.b[:], nil, labelKEK, owner)
	return kek, id, err
}

func wrapAAD(owner string) []byte {
	return Join(labelWrap, string([]byte{wrapVersion}), owner)
}
