package disk_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// oneKey is a keyring that gives every owner the same key.
type oneKey struct{}

func (oneKey) DataKey(context.Context, string) ([]byte, error) {
	return bytes.Repeat([]byte{7}, crypt.KeySize), nil
}

func newVault(t testing.TB, dir string) *blob.Vault {
	t.Helper()
	v, err := blob.New(open(t, dir), oneKey{}, blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// text gives n bytes that compress about as prose does.
func text(n int) []byte {
	words := []string{"garage ", "on ", "the ", "corner ", "repairs ", "old ", "cars, ", "said ", "Mary. ", "meeting ", "at ", "noon ", "about ", "budget\n"}
	out, noise := make([]byte, 0, n+20), blobtest.Pattern(n, 3)
	for i := 0; len(out) < n; i++ {
		if b := noise[i]; b < 40 {
			out = strconv.AppendInt(out, int64(b)*int64(noise[i+1]), 36)
		} else {
			out = append(out, words[int(b)%len(words)]...)
		}
	}
	return out[:n]
}

// T-13: whole files through both layers, and damage on the disk itself.
func TestVaultOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := newVault(t, dir)
	data := text(5 << 20)
	s, err := v.Write(t.Context(), "usr_1", "doc_7/v1", bytes.NewReader(data))
	if err != nil || s.Size != int64(len(data)) {
		t.Fatalf("Write = %+v, %v", s, err)
	}
	read := func() ([]byte, error) {
		r, err := newVault(t, dir).Read(t.Context(), "usr_1", "doc_7/v1") // as after a restart
		if err != nil {
			return nil, err
		}
		got, err := io.ReadAll(r)
		return got, errors.Join(err, r.Close())
	}
	if got, err := read(); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("Read = %d bytes, %v", len(got), err)
	}
	path := filepath.Join(dir, files(t, dir)[0])
	kept, err := os.ReadFile(path)
	if err != nil || int64(len(kept)) != s.SealedSize {
		t.Fatalf("%d bytes on disk, %v, want %d", len(kept), err, s.SealedSize)
	}
	for _, at := range []int{30, len(kept) / 2, len(kept) - 1} {
		kept[at] ^= 4
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read(); !errors.Is(err, crypt.ErrCorrupt) {
			t.Errorf("byte %d changed on disk: %v, want ErrCorrupt", at, err)
		}
		kept[at] ^= 4
	}
	if err := os.Truncate(path, int64(len(kept)/2)); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); !errors.Is(err, crypt.ErrCorrupt) && !errors.Is(err, crypt.ErrTruncated) {
		t.Errorf("cut on disk: %v", err)
	}
}

func BenchmarkVault(b *testing.B) {
	ctx := b.Context()
	for name, data := range map[string][]byte{"text": text(5 << 20), "noise": blobtest.Pattern(5<<20, 1)} {
		mem, err := blob.New(blobtest.NewMemory(), oneKey{}, blob.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for where, v := range map[string]*blob.Vault{"memory": mem, "disk": newVault(b, b.TempDir())} {
			b.Run("write/"+name+"/"+where, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					s, err := v.Write(ctx, "usr_1", "bench", bytes.NewReader(data))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(s.SealedSize)/float64(s.Size), "sealed/plain")
					if err := v.Delete(ctx, "usr_1", "bench"); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("read/"+name+"/"+where, func(b *testing.B) {
				if _, err := v.Write(ctx, "usr_1", "read", bytes.NewReader(data)); err != nil && !errors.Is(err, blob.ErrExists) {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := v.Read(ctx, "usr_1", "read")
					if err != nil {
						b.Fatal(err)
					}
					if n, err := io.Copy(io.Discard, r); err != nil || n != int64(len(data)) {
						b.Fatal(n, err)
					}
					if err := r.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkSealBytes(b *testing.B) {
	v := newVault(b, b.TempDir())
	for _, n := range []int{200, 4 << 10, 64 << 10} {
		data := text(n)
		sealed, err := v.SealBytes(b.Context(), "usr_1", "row", data)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("seal/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.SealBytes(b.Context(), "usr_1", "row", data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("open/"+strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.OpenBytes(b.Context(), "usr_1", "row", sealed); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
