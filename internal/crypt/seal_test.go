package crypt_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

func TestSealRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key")
		payload := rapid.SliceOf(rapid.Byte()).Draw(t, "payload")
		aad := rapid.SliceOf(rapid.Byte()).Draw(t, "aad")
		head := []byte("head")
		sealed, err := crypt.Seal(head, key, aad, payload, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(sealed, head) || len(sealed) != len(head)+len(payload)+crypt.SealOverhead {
			t.Fatalf("sealed %d bytes into %d", len(payload), len(sealed))
		}
		sealed = sealed[len(head):]
		got, err := crypt.Open([]byte("x"), key, aad, sealed)
		if err != nil || !bytes.Equal(got, append([]byte("x"), payload...)) {
			t.Fatalf("Open = %x, %v", got, err)
		}
		bad := bytes.Clone(sealed)
		bit := rapid.IntRange(0, len(bad)*8-1).Draw(t, "bit")
		bad[bit/8] ^= 1 << (bit % 8)
		if _, err := crypt.Open(nil, key, aad, bad); !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("bit %d flipped: %v, want ErrCorrupt", bit, err)
		}
		if _, err := crypt.Open(nil, key, append([]byte("!"), aad...), sealed); !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("other aad: %v, want ErrCorrupt", err)
		}
		other := bytes.Clone(key)
		other[31] ^= 1
		if _, err := crypt.Open(nil, other, aad, sealed); !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("other key: %v, want ErrCorrupt", err)
		}
	})
}

func TestSealErrors(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{1}, 32)
	if _, err := crypt.Seal(nil, key[:31], nil, nil, rand.Reader); !errors.Is(err, crypt.ErrKey) {
		t.Errorf("short key: %v, want ErrKey", err)
	}
	if _, err := crypt.Open(nil, key[:16], nil, make([]byte, 40)); !errors.Is(err, crypt.ErrKey) {
		t.Errorf("short key: %v, want ErrKey", err)
	}
	if _, err := crypt.Seal(nil, key, nil, nil, strings.NewReader("short")); err == nil {
		t.Error("sealed with a nonce that was not read")
	}
	for n := range crypt.SealOverhead {
		if _, err := crypt.Open(nil, key, nil, make([]byte, n)); !errors.Is(err, crypt.ErrTruncated) {
			t.Errorf("%d bytes: %v, want ErrTruncated", n, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	key := bytes.Repeat([]byte{1}, 32)
	sealed, err := crypt.Seal(nil, key, []byte("aad"), []byte("payload"), &counter{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := crypt.Open(nil, key, []byte("aad"), b); err == nil && !bytes.Equal(b, sealed) {
			t.Fatalf("forged payload %x", b)
		}
	})
}
