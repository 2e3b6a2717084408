package crypt_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

func wrapped(t testing.TB, master crypt.Key, owner string) (data, wrapped []byte) {
	t.Helper()
	data, err := crypt.NewDataKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w, err := crypt.Wrap(master, owner, data, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return data, w
}

// T-13: a data key per owner, wrapped by a key derived from the master key.
func TestWrapRoundTrip(t *testing.T) {
	t.Parallel()
	master := mustKey(t)
	data, w := wrapped(t, master, "usr_1")
	if len(w) != crypt.WrappedSize {
		t.Fatalf("wrapped key has %d bytes, want %d", len(w), crypt.WrappedSize)
	}
	if bytes.Contains(w, data[:8]) {
		t.Fatal("the wrapped key shows the data key")
	}
	got, err := crypt.Unwrap(master, "usr_1", w)
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("Unwrap = %x, %v, want the data key", got, err)
	}
	_, again := wrapped(t, master, "usr_1")
	if bytes.Equal(w, again) {
		t.Fatal("two wraps are equal")
	}
}

func TestUnwrapRefuses(t *testing.T) {
	t.Parallel()
	master, other := mustKey(t), mustKey(t)
	_, w := wrapped(t, master, "usr_1")
	for name, tc := range map[string]struct {
		master crypt.Key
		owner  string
		bytes  []byte
		want   error
	}{
		"another owner":      {master, "usr_2", w, crypt.ErrCorrupt},
		"another master key": {other, "usr_1", w, crypt.ErrMasterKey},
		"zero master key":    {crypt.Key{}, "usr_1", w, crypt.ErrKey},
		"no owner":           {master, "", w, crypt.ErrKey},
		"empty":              {master, "usr_1", nil, crypt.ErrFormat},
		"cut":                {master, "usr_1", w[:len(w)-1], crypt.ErrFormat},
		"longer":             {master, "usr_1", append(bytes.Clone(w), 0), crypt.ErrFormat},
		"newer version":      {master, "usr_1", append([]byte{2}, w[1:]...), crypt.ErrFormat},
	} {
		got, err := crypt.Unwrap(tc.master, tc.owner, tc.bytes)
		if !errors.Is(err, tc.want) || got != nil {
			t.Errorf("%s: Unwrap = %x, %v, want %v", name, got, err, tc.want)
		}
	}
	if _, err := crypt.Wrap(master, "usr_1", make([]byte, 16), rand.Reader); !errors.Is(err, crypt.ErrKey) {
		t.Errorf("wrap of a short key: %v, want ErrKey", err)
	}
	if _, err := crypt.Wrap(crypt.Key{}, "usr_1", make([]byte, 32), rand.Reader); !errors.Is(err, crypt.ErrKey) {
		t.Errorf("wrap under a zero key: %v, want ErrKey", err)
	}
}

func TestUnwrapEveryFlippedBit(t *testing.T) {
	t.Parallel()
	master := mustKey(t)
	_, w := wrapped(t, master, "usr_1")
	for bit := range len(w) * 8 {
		bad := bytes.Clone(w)
		bad[bit/8] ^= 1 << (bit % 8)
		if got, err := crypt.Unwrap(master, "usr_1", bad); err == nil || got != nil {
			t.Fatalf("bit %d flipped: Unwrap = %x, %v", bit, got, err)
		}
	}
}

// T-13: the master key can be changed without touching what the data keys sealed.
func TestRewrap(t *testing.T) {
	t.Parallel()
	old, fresh, third := mustKey(t), mustKey(t), mustKey(t)
	data, w := wrapped(t, old, "usr_1")
	moved, err := crypt.Rewrap(old, fresh, "usr_1", w, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := crypt.Unwrap(fresh, "usr_1", moved); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("Unwrap with the new key = %x, %v", got, err)
	}
	if _, err := crypt.Unwrap(old, "usr_1", moved); !errors.Is(err, crypt.ErrMasterKey) {
		t.Fatalf("Unwrap with the old key: %v, want ErrMasterKey", err)
	}
	again, err := crypt.Rewrap(old, fresh, "usr_1", moved, rand.Reader)
	if err != nil || !bytes.Equal(again, moved) {
		t.Fatalf("a second run changes the key or fails: %v", err)
	}
	if _, err := crypt.Rewrap(third, fresh, "usr_1", w, rand.Reader); !errors.Is(err, crypt.ErrMasterKey) {
		t.Fatalf("rewrap from the wrong key: %v, want ErrMasterKey", err)
	}
	moved[len(moved)-1] ^= 1
	if _, err := crypt.Rewrap(old, fresh, "usr_1", moved, rand.Reader); !errors.Is(err, crypt.ErrCorrupt) {
		t.Fatalf("a damaged key that claims to be done: %v, want ErrCorrupt", err)
	}
}

func TestMasterID(t *testing.T) {
	t.Parallel()
	master := mustKey(t)
	_, w := wrapped(t, master, "usr_1")
	id, err := crypt.MasterID(master)
	if err != nil {
		t.Fatal(err)
	}
	by, err := crypt.WrappedBy(w)
	if err != nil || !bytes.Equal(id, by) {
		t.Fatalf("WrappedBy = %x, %v, want %x", by, err, id)
	}
	if other, err := crypt.MasterID(mustKey(t)); err != nil || bytes.Equal(other, id) {
		t.Fatalf("two master keys share the id %x (%v)", id, err)
	}
}

func TestOwnersHaveDifferentKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringN(1, 12, 40), 2, 2, rapid.ID).Draw(t, "owners")
		master, err := crypt.NewKey(&counter{next: rapid.Byte().Draw(t, "seed")})
		if err != nil {
			t.Fatal(err)
		}
		w, err := crypt.Wrap(master, ids[0], bytes.Repeat([]byte{9}, 32), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := crypt.Unwrap(master, ids[1], w); !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("owner %q opens the key of %q: %v", ids[1], ids[0], err)
		}
	})
}

func FuzzUnwrap(f *testing.F) {
	master, err := crypt.NewKey(&counter{next: 1})
	if err != nil {
		f.Fatal(err)
	}
	w, err := crypt.Wrap(master, "usr_1", bytes.Repeat([]byte{9}, 32), &counter{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(w)
	f.Add(w[:9])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := crypt.Unwrap(master, "usr_1", b); err == nil && !bytes.Equal(b, w) {
			t.Fatalf("forged wrapped key %x", b)
		}
	})
}
