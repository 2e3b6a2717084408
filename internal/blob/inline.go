package blob

import (
	"context"
	"fmt"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// A sealed payload is version 1, codec 1, and what crypt.Seal writes: nonce 12,
// packed payload, tag 16.
const (
	inlineVersion = 1
	inlineHead    = 2
	labelInline   = "lukasa inline v1"

	// InlineOverhead is the most that SealBytes adds to a payload.
	InlineOverhead = inlineHead + crypt.SealOverhead
)

// SealBytes packs and seals a small payload of owner that its caller keeps, for
// instance in a row. place names where, in any words (table, row, column); it is
// authenticated and not stored, so that a payload moved to another place does not
// open. The result has at most len(payload)+[InlineOverhead] bytes.
func (v *Vault) SealBytes(ctx context.Context, owner, place string, payload []byte) ([]byte, error) {
	return v.sealBytes(ctx, owner, place, payload, false)
}

// SealBytesDense is [Vault.SealBytes] with the highest compression.
func (v *Vault) SealBytesDense(ctx context.Context, owner, place string, payload []byte) ([]byte, error) {
	return v.sealBytes(ctx, owner, place, payload, true)
}

func (v *Vault) sealBytes(ctx context.Context, owner, place string, payload []byte, dense bool) ([]byte, error) {
	if len(payload) > v.opt.MaxInline {
		return nil, fmt.Errorf("seal %s: %d bytes, at most %d: %w", place, len(payload), v.opt.MaxInline, ErrTooLarge)
	}
	key, err := v.inlineKey(ctx, owner)
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", place, err)
	}
	packed, c, err := v.pack.packAll(payload, dense)
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", place, err)
	}
	out := make([]byte, inlineHead, len(packed)+InlineOverhead)
	out[0], out[1] = inlineVersion, byte(c)
	out, err = crypt.Seal(out, key, inlineAAD(out, owner, place), packed, v.opt.Rand)
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", place, err)
	}
	return out, nil
}

// OpenBytes reverses [Vault.SealBytes]. Errors are those of [Vault.Read] without ErrNotFound.
func (v *Vault) OpenBytes(ctx context.Context, owner, place string, sealed []byte) ([]byte, error) {
	if len(sealed) < InlineOverhead {
		return nil, fmt.Errorf("open %s: %d bytes: %w", place, len(sealed), crypt.ErrTruncated)
	}
	c := codec(sealed[1])
	switch {
	case sealed[0] != inlineVersion:
		return nil, fmt.Errorf("open %s: payload of version %d, this program reads version %d: %w", place, sealed[0], inlineVersion, crypt.ErrFormat)
	case c != stored && c != compressed:
		return nil, fmt.Errorf("open %s: payload with codec %d: %w", place, c, crypt.ErrFormat)
	}
	key, err := v.inlineKey(ctx, owner)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", place, err)
	}
	packed, err := crypt.Open(nil, key, inlineAAD(sealed, owner, place), sealed[inlineHead:])
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", place, err)
	}
	payload, err := v.pack.unpackAll(packed, c)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", place, err)
	}
	return payload, nil
}

// inlineKey is the owner's key for payloads; files derive theirs from the same data
// key, each with a salt.
func (v *Vault) inlineKey(ctx context.Context, owner string) ([]byte, error) {
	data, err := v.dataKey(ctx, owner)
	if err != nil {
		return nil, err
	}
	return crypt.Derive(data, nil, labelInline)
}

func inlineAAD(head []byte, owner, place string) []byte {
	return crypt.Join(labelInline, string(head[:inlineHead]), owner, place)
}
