package blob_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// keyring holds the keys of owners; a nil key is one that was destroyed.
type keyring struct {
	mu   sync.Mutex
	keys map[string][]byte
}

func (k *keyring) DataKey(_ context.Context, owner string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[owner]
	switch {
	case !ok:
		return nil, fmt.Errorf("no key for %s", owner)
	case key == nil:
		return nil, blob.ErrKeyDestroyed
	}
	return key, nil
}

func (k *keyring) set(owner string, key []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[owner] = key
}

func newKeyring() *keyring {
	return &keyring{keys: map[string][]byte{
		"usr_1": bytes.Repeat([]byte{1}, 32),
		"usr_2": bytes.Repeat([]byte{2}, 32),
	}}
}

func newVault(t testing.TB, opt blob.Options) (*blob.Vault, *blobtest.Memory, *keyring) {
	t.Helper()
	driver, keys := blobtest.NewMemory(), newKeyring()
	v, err := blob.New(driver, keys, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v, driver, keys
}

// prose gives n bytes that compress.
func prose(n int) []byte {
	return bytes.Repeat([]byte("The garage on the corner repairs old cars. "), n/43+1)[:n]
}

func mustWrite(t testing.TB, v *blob.Vault, owner, key string, data []byte) blob.Sealed {
	t.Helper()
	s, err := v.Write(t.Context(), owner, key, bytes.NewReader(data))
	if err != nil {
		t.Fatalf("Write(%s, %s): %v", owner, key, err)
	}
	return s
}

func readAll(ctx context.Context, v *blob.Vault, owner, key string) ([]byte, error) {
	r, err := v.Read(ctx, owner, key)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// T-13: files are compressed, then sealed with the owner's key.
func TestVaultRoundTrip(t *testing.T) {
	t.Parallel()
	v, driver, _ := newVault(t, blob.Options{})
	const f = crypt.FrameSize
	for _, n := range []int{0, 1, 63, 64, 1000, f - 1, f, f + 1, 3 * f, 5 << 20} {
		for name, data := range map[string][]byte{"prose": prose(n), "noise": blobtest.Pattern(n, 7)} {
			key := fmt.Sprintf("%s/%d", name, n)
			s := mustWrite(t, v, "usr_1", key, data)
			kept := driver.Bytes("usr_1/" + key)
			if s.Size != int64(n) || s.SealedSize != int64(len(kept)) || s.SHA256 != sha256.Sum256(data) {
				t.Errorf("%s: Sealed = %d, %d, %x; stored %d", key, s.Size, s.SealedSize, s.SHA256, len(kept))
			}
			if n > 1000 && name == "prose" && len(kept) > n/20 {
				t.Errorf("%s: %d bytes stored, hardly compressed", key, len(kept))
			}
			if over := len(kept) - n; name == "noise" && over > 22+16*(n/f+1) {
				t.Errorf("%s: noise grew by %d bytes", key, over)
			}
			if n > 63 && bytes.Contains(kept, data[:16]) {
				t.Errorf("%s: plaintext is stored", key)
			}
			got, err := readAll(t.Context(), v, "usr_1", key)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: read %d bytes, %v", key, len(got), err)
			}
		}
	}
}

func TestVaultReaderBehaves(t *testing.T) {
	t.Parallel()
	v, _, _ := newVault(t, blob.Options{})
	for name, data := range map[string][]byte{"prose": prose(150_000), "noise": blobtest.Pattern(150_000, 1)} {
		s, err := v.Write(t.Context(), "usr_1", name, iotest.OneByteReader(iotest.DataErrReader(bytes.NewReader(data))))
		if err != nil || s.Size != int64(len(data)) {
			t.Fatalf("%s: wrote %d, %v", name, s.Size, err)
		}
		r, err := v.Read(t.Context(), "usr_1", name)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(r, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Errorf("%s: Close: %v", name, err)
			}
		}
		if n, err := r.Read(make([]byte, 10)); n != 0 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: Read after Close = %d, %v", name, n, err)
		}
	}
	// Closed in the middle, with bytes still buffered.
	r, err := v.Read(t.Context(), "usr_1", "prose")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("Read of what was buffered at Close = %d, %v", n, err)
	}
}

// T-13: any flipped bit of a file gives an error that says what is wrong.
func TestVaultFlippedBit(t *testing.T) {
	t.Parallel()
	v, driver, _ := newVault(t, blob.Options{})
	for name, data := range map[string][]byte{"prose": prose(3000), "noise": blobtest.Pattern(crypt.FrameSize+3000, 1), "empty": nil} {
		mustWrite(t, v, "usr_1", name, data)
		good := driver.Bytes("usr_1/" + name)
		rapid.Check(t, func(t *rapid.T) {
			bad := bytes.Clone(good)
			bit := rapid.OneOf(rapid.IntRange(0, 22*8-1), rapid.IntRange(0, len(bad)*8-1)).Draw(t, "bit")
			bad[bit/8] ^= 1 << (bit % 8)
			driver.Replace("usr_1/"+name, bad)
			_, err := readAll(context.Background(), v, "usr_1", name)
			if !errors.Is(err, crypt.ErrCorrupt) && (bit >= 6*8 || !errors.Is(err, crypt.ErrFormat)) {
				t.Fatalf("%s: bit %d flipped: %v", name, bit, err)
			}
		})
	}
}

func TestVaultTruncated(t *testing.T) {
	t.Parallel()
	v, driver, _ := newVault(t, blob.Options{})
	// Noise behind prose is compressed by the choice of the first step and has
	// several frames, some of which end where zstd blocks end.
	data := append(prose(70_000), blobtest.Pattern(250_000, 1)...)
	mustWrite(t, v, "usr_1", "x", data)
	good := driver.Bytes("usr_1/x")
	const frame = crypt.FrameSize + 16
	cuts := []int{0, 3, 6, 21, 22, 30, 38, len(good) - 1}
	for at := 22 + frame; at < len(good); at += frame {
		cuts = append(cuts, at-1, at, at+1, at+16)
	}
	if len(cuts) < 16 {
		t.Fatalf("only %d cuts: the file has too few frames", len(cuts))
	}
	for _, n := range cuts {
		driver.Replace("usr_1/x", good[:n])
		got, err := readAll(t.Context(), v, "usr_1", "x")
		if !errors.Is(err, crypt.ErrTruncated) && !errors.Is(err, crypt.ErrCorrupt) {
			t.Errorf("cut to %d of %d: %d bytes, %v", n, len(good), len(got), err)
		}
		if !bytes.HasPrefix(data, got) {
			t.Errorf("cut to %d: what came out is not the beginning", n)
		}
	}
	driver.Replace("usr_1/x", append(bytes.Clone(good), good[22:]...))
	if _, err := readAll(t.Context(), v, "usr_1", "x"); !errors.Is(err, crypt.ErrCorrupt) {
		t.Errorf("doubled: %v, want ErrCorrupt", err)
	}
}

// A file is bound to its owner and its key; D-2, N-6: nobody reads another's.
func TestVaultWrongPlace(t *testing.T) {
	t.Parallel()
	v, driver, keys := newVault(t, blob.Options{})
	mustWrite(t, v, "usr_1", "a", prose(500))
	if _, err := readAll(t.Context(), v, "usr_2", "a"); !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("another owner: %v, want ErrNotFound", err)
	}
	sealed := driver.Bytes("usr_1/a")
	driver.Replace("usr_2/a", sealed) // moved by whoever has the disk
	driver.Replace("usr_1/b", sealed)
	if _, err := v.Read(t.Context(), "usr_2", "a"); !errors.Is(err, crypt.ErrCorrupt) {
		t.Errorf("moved to another owner: %v, want ErrCorrupt", err)
	}
	if _, err := v.Read(t.Context(), "usr_1", "b"); !errors.Is(err, crypt.ErrCorrupt) {
		t.Errorf("moved to another key: %v, want ErrCorrupt", err)
	}
	keys.set("usr_2", bytes.Repeat([]byte{1}, 32)) // even with the same data key
	if _, err := v.Read(t.Context(), "usr_2", "a"); !errors.Is(err, crypt.ErrCorrupt) {
		t.Errorf("moved to an owner with the same key: %v, want ErrCorrupt", err)
	}
	keys.set("usr_1", bytes.Repeat([]byte{9}, 32))
	if _, err := v.Read(t.Context(), "usr_1", "a"); !errors.Is(err, crypt.ErrCorrupt) {
		t.Errorf("another data key: %v, want ErrCorrupt", err)
	}
	for _, bad := range []string{"", "a/b", "..", "Ü", "usr 1"} {
		if _, err := v.Write(t.Context(), bad, "x", strings.NewReader("x")); !errors.Is(err, blob.ErrKey) {
			t.Errorf("owner %q: %v, want ErrKey", bad, err)
		}
		if _, err := v.Read(t.Context(), bad, "x"); !errors.Is(err, blob.ErrKey) {
			t.Errorf("owner %q: %v, want ErrKey", bad, err)
		}
		if err := v.Delete(t.Context(), bad, "x"); !errors.Is(err, blob.ErrKey) {
			t.Errorf("owner %q: %v, want ErrKey", bad, err)
		}
		if err := v.List(t.Context(), bad, "", func(blob.Info) bool { return true }); !errors.Is(err, blob.ErrKey) {
			t.Errorf("owner %q: %v, want ErrKey", bad, err)
		}
	}
	if _, err := v.Write(t.Context(), "usr_1", "../usr_2/a", strings.NewReader("x")); !errors.Is(err, blob.ErrKey) {
		t.Errorf("a key that climbs: %v, want ErrKey", err)
	}
}

// T-13: to destroy an owner's key is to destroy the owner's files, and the error
// says so.
func TestVaultDestroyedKey(t *testing.T) {
	t.Parallel()
	v, _, keys := newVault(t, blob.Options{})
	mustWrite(t, v, "usr_1", "a", prose(500))
	inline, err := v.SealBytes(t.Context(), "usr_1", "row", prose(500))
	if err != nil {
		t.Fatal(err)
	}
	keys.set("usr_1", nil)
	_, readErr := v.Read(t.Context(), "usr_1", "a")
	_, writeErr := v.Write(t.Context(), "usr_1", "b", strings.NewReader("x"))
	_, openErr := v.OpenBytes(t.Context(), "usr_1", "row", inline)
	_, sealErr := v.SealBytes(t.Context(), "usr_1", "row", nil)
	for name, err := range map[string]error{"Read": readErr, "Write": writeErr, "OpenBytes": openErr, "SealBytes": sealErr} {
		if !errors.Is(err, blob.ErrKeyDestroyed) || !strings.Contains(err.Error(), "data key was destroyed") {
			t.Errorf("%s: %v, want ErrKeyDestroyed in plain words", name, err)
		}
	}
	if err := v.Delete(t.Context(), "usr_1", "a"); err != nil {
		t.Errorf("Delete without a key: %v", err)
	}
	keys.set("usr_1", []byte("short"))
	if _, err := v.Read(t.Context(), "usr_1", "a"); !errors.Is(err, crypt.ErrKey) {
		t.Errorf("a malformed data key: %v, want ErrKey", err)
	}
	if _, err := v.Read(t.Context(), "usr_3", "a"); err == nil || errors.Is(err, blob.ErrKeyDestroyed) {
		t.Errorf("an owner without a key: %v", err)
	}
}

func TestVaultExists(t *testing.T) {
	t.Parallel()
	v, _, _ := newVault(t, blob.Options{})
	mustWrite(t, v, "usr_1", "a", []byte("first"))
	if _, err := v.Write(t.Context(), "usr_1", "a", strings.NewReader("second")); !errors.Is(err, blob.ErrExists) {
		t.Fatalf("second Write: %v, want ErrExists", err)
	}
	if got, err := readAll(t.Context(), v, "usr_1", "a"); err != nil || string(got) != "first" {
		t.Fatalf("Read = %q, %v", got, err)
	}
	for range 2 {
		if err := v.Delete(t.Context(), "usr_1", "a"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Read(t.Context(), "usr_1", "a"); !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("Read after Delete: %v, want ErrNotFound", err)
	}
}

// A source that breaks, also one that was cut in the middle of an upload, never
// becomes a file.
func TestVaultFailingSource(t *testing.T) {
	t.Parallel()
	v, driver, _ := newVault(t, blob.Options{})
	broken := errors.New("the source broke")
	for _, n := range []int{0, 1, 64 << 10, 200_000} {
		for _, fault := range []error{broken, io.ErrUnexpectedEOF, context.Canceled} {
			for _, data := range [][]byte{prose(n), blobtest.Pattern(n, 1)} {
				src := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(fault))
				if _, err := v.Write(t.Context(), "usr_1", "a", src); !errors.Is(err, fault) {
					t.Fatalf("broken after %d bytes: %v, want %v", n, err, fault)
				}
				if driver.Bytes("usr_1/a") != nil {
					t.Fatalf("broken after %d bytes: something is stored", n)
				}
			}
		}
	}
	if _, err := v.Write(t.Context(), "usr_1", "a", idle{}); !errors.Is(err, io.ErrNoProgress) {
		t.Fatalf("a source that gives nothing: %v, want io.ErrNoProgress", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestVaultLimits(t *testing.T) {
	t.Parallel()
	small, driver, keys := newVault(t, blob.Options{MaxSize: 100_000, MaxInline: 1000})
	large, err := blob.New(driver, keys, blob.Options{MaxSize: 64 << 20, MaxInline: 10 << 20})
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, small, "usr_1", "fits", prose(100_000))
	if _, err := small.Write(t.Context(), "usr_1", "over", bytes.NewReader(prose(100_001))); !errors.Is(err, blob.ErrTooLarge) {
		t.Fatalf("a byte too many: %v, want ErrTooLarge", err)
	}
	// A bomb: 32 MiB in a few KiB, written under another limit.
	for name, data := range map[string][]byte{"bomb": make([]byte, 32<<20), "noise": blobtest.Pattern(100_001, 1)} {
		s := mustWrite(t, large, "usr_1", name, data)
		got, err := readAll(t.Context(), small, "usr_1", name)
		if !errors.Is(err, blob.ErrTooLarge) || len(got) > 100_000 {
			t.Errorf("%s of %d bytes: %d came out, %v, want ErrTooLarge", name, s.SealedSize, len(got), err)
		}
	}
	for name, data := range map[string][]byte{"bomb": make([]byte, 8<<20), "prose": prose(1001), "noise": blobtest.Pattern(1001, 1)} {
		sealed, err := large.SealBytes(t.Context(), "usr_1", "row", data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := small.OpenBytes(t.Context(), "usr_1", "row", sealed); !errors.Is(err, blob.ErrTooLarge) {
			t.Errorf("inline %s: %v, want ErrTooLarge", name, err)
		}
		if _, err := small.SealBytes(t.Context(), "usr_1", "row", data); !errors.Is(err, blob.ErrTooLarge) {
			t.Errorf("inline %s: %v, want ErrTooLarge", name, err)
		}
	}
	if _, err := blob.New(driver, keys, blob.Options{MaxSize: -1}); err == nil {
		t.Error("a negative limit was taken")
	}
}

func TestVaultList(t *testing.T) {
	t.Parallel()
	v, _, _ := newVault(t, blob.Options{})
	mustWrite(t, v, "usr_1", "doc/1", nil)
	mustWrite(t, v, "usr_1", "doc/2", nil)
	s := mustWrite(t, v, "usr_1", "raw", prose(100))
	mustWrite(t, v, "usr_2", "doc/1", nil)
	var keys []string
	err := v.List(t.Context(), "usr_1", "", func(i blob.Info) bool {
		if i.Key == "raw" && i.Size != s.SealedSize {
			t.Errorf("raw is listed with %d bytes, want %d", i.Size, s.SealedSize)
		}
		keys = append(keys, i.Key)
		return v.Delete(t.Context(), "usr_1", i.Key) == nil
	})
	if err != nil || !slices.Equal(keys, []string{"doc/1", "doc/2", "raw"}) {
		t.Fatalf("List = %q, %v", keys, err)
	}
	keys = nil
	if err := v.List(t.Context(), "usr_2", "do", func(i blob.Info) bool { keys = append(keys, i.Key); return true }); err != nil || !slices.Equal(keys, []string{"doc/1"}) {
		t.Fatalf("List of the other = %q, %v", keys, err)
	}
	if err := v.List(t.Context(), "usr_2", "../usr_1", func(blob.Info) bool { return true }); !errors.Is(err, blob.ErrKey) {
		t.Fatalf("a prefix that climbs: %v, want ErrKey", err)
	}
}

func TestVaultConcurrent(t *testing.T) {
	t.Parallel()
	v, _, _ := newVault(t, blob.Options{})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			owner := fmt.Sprintf("usr_%d", 1+w%2)
			for i := range 15 {
				key := fmt.Sprintf("w%d/%d", w, i)
				data := append(prose(i*10_000), blobtest.Pattern(i*1000, byte(w))...)
				if _, err := v.Write(t.Context(), owner, key, bytes.NewReader(data)); err != nil {
					t.Errorf("Write: %v", err)
					return
				}
				if got, err := readAll(t.Context(), v, owner, key); err != nil || !bytes.Equal(got, data) {
					t.Errorf("Read(%s): %d bytes, %v", key, len(got), err)
				}
				sealed, err := v.SealBytes(t.Context(), owner, key, data)
				if err != nil {
					t.Errorf("SealBytes: %v", err)
					return
				}
				if got, err := v.OpenBytes(t.Context(), owner, key, sealed); err != nil || !bytes.Equal(got, data) {
					t.Errorf("OpenBytes(%s): %d bytes, %v", key, len(got), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestInlineRoundTrip(t *testing.T) {
	t.Parallel()
	v, _, keys := newVault(t, blob.Options{})
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		payload := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "payload"), rapid.IntRange(1, 5).Draw(t, "times"))
		place := rapid.String().Draw(t, "place")
		sealed, err := v.SealBytes(ctx, "usr_1", place, payload)
		if err != nil {
			t.Fatal(err)
		}
		if len(sealed) > len(payload)+blob.InlineOverhead {
			t.Fatalf("%d bytes grew to %d", len(payload), len(sealed))
		}
		got, err := v.OpenBytes(ctx, "usr_1", place, sealed)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("OpenBytes = %x, %v", got, err)
		}
		bad := bytes.Clone(sealed)
		bit := rapid.IntRange(0, len(bad)*8-1).Draw(t, "bit")
		bad[bit/8] ^= 1 << (bit % 8)
		if _, err := v.OpenBytes(ctx, "usr_1", place, bad); !errors.Is(err, crypt.ErrCorrupt) && (bit >= 16 || !errors.Is(err, crypt.ErrFormat)) {
			t.Fatalf("bit %d flipped: %v", bit, err)
		}
		cut := rapid.IntRange(0, len(sealed)-1).Draw(t, "cut")
		if _, err := v.OpenBytes(ctx, "usr_1", place, sealed[:cut]); !errors.Is(err, crypt.ErrCorrupt) && !errors.Is(err, crypt.ErrTruncated) {
			t.Fatalf("cut to %d: %v", cut, err)
		}
		if _, err := v.OpenBytes(ctx, "usr_2", place, sealed); !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("another owner: %v, want ErrCorrupt", err)
		}
		if _, err := v.OpenBytes(ctx, "usr_1", place+"x", sealed); !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("another place: %v, want ErrCorrupt", err)
		}
	})
	keys.set("usr_2", bytes.Repeat([]byte{1}, 32))
	sealed, err := v.SealBytes(t.Context(), "usr_1", "row", prose(400))
	if err != nil || len(sealed) > 200 {
		t.Fatalf("400 bytes of prose sealed into %d, %v", len(sealed), err)
	}
	if _, err := v.OpenBytes(t.Context(), "usr_2", "row", sealed); !errors.Is(err, crypt.ErrCorrupt) {
		t.Fatalf("an owner with the same key: %v, want ErrCorrupt", err)
	}
}

func TestVaultDryRandomness(t *testing.T) {
	t.Parallel()
	v, driver, _ := newVault(t, blob.Options{Rand: strings.NewReader("few")})
	if _, err := v.Write(t.Context(), "usr_1", "a", strings.NewReader("x")); err == nil || driver.Bytes("usr_1/a") != nil {
		t.Errorf("a file was sealed with a salt that was not read: %v", err)
	}
	if _, err := v.SealBytes(t.Context(), "usr_1", "row", nil); err == nil {
		t.Error("a payload was sealed with a nonce that was not read")
	}
}

func TestValidateKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "usr_01h455vb4pex5vsknk084sn02q/doc_7/v1", "a.b", "0", "-", "_/_"} {
		if err := blob.ValidateKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range blobtest.InvalidKeys() {
		if err := blob.ValidateKey(key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("%q: %v, want ErrKey", key, err)
		}
	}
	// Every beginning of a valid key is a valid prefix.
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z0-9_-][a-z0-9_.-]{0,5}[a-z0-9_-](/[a-z0-9_-]{1,4}){0,7}`).Draw(t, "key")
		if err := blob.ValidateKey(key); err != nil {
			t.Fatal(err)
		}
		for i := range len(key) + 1 {
			if err := blob.ValidatePrefix(key[:i]); err != nil {
				t.Fatalf("prefix %q of %q: %v", key[:i], key, err)
			}
		}
	})
}

func FuzzValidateKey(f *testing.F) {
	for _, key := range append(blobtest.InvalidKeys(), "usr_1/doc_2/v1") {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if blob.ValidateKey(key) != nil {
			return
		}
		for segment := range strings.SplitSeq(key, "/") {
			if segment == "" || strings.Trim(segment, "abcdefghijklmnopqrstuvwxyz0123456789_-.") != "" || segment[0] == '.' {
				t.Fatalf("%q passed", key)
			}
		}
		if err := blob.ValidatePrefix(key); err != nil {
			t.Fatalf("%q is a key and no prefix: %v", key, err)
		}
	})
}

// FuzzReadFile gives the vault arbitrary bytes as a file.
func FuzzReadFile(f *testing.F) {
	v, driver, _ := newVault(f, blob.Options{MaxSize: 1 << 20, Rand: &counter{}})
	genuine := map[string]bool{}
	// In this order: the salts must be the same in every process of the fuzzer.
	for i, data := range [][]byte{prose(300), blobtest.Pattern(300, 1), nil} {
		key := string(rune('a' + i))
		mustWrite(f, v, "usr_1", key, data)
		sealed := driver.Bytes("usr_1/" + key)
		f.Add(sealed)
		if key == "a" {
			genuine[string(sealed)] = true
		}
	}
	f.Add([]byte("LKSF\x01\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		driver.Replace("usr_1/a", b)
		if _, err := readAll(context.Background(), v, "usr_1", "a"); (err == nil) != genuine[string(b)] {
			t.Fatalf("%d bytes, genuine %v: %v", len(b), genuine[string(b)], err)
		}
	})
}

// FuzzOpenBytes gives the vault arbitrary bytes as a payload.
func FuzzOpenBytes(f *testing.F) {
	v, _, _ := newVault(f, blob.Options{Rand: &counter{}})
	genuine := map[string]bool{}
	for _, data := range [][]byte{prose(300), blobtest.Pattern(300, 1), nil} {
		sealed, err := v.SealBytes(context.Background(), "usr_1", "row", data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(sealed)
		genuine[string(sealed)] = true
	}
	f.Add([]byte{1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := v.OpenBytes(context.Background(), "usr_1", "row", b); (err == nil) != genuine[string(b)] {
			t.Fatalf("%x, genuine %v: %v", b, genuine[string(b)], err)
		}
	})
}

// FuzzRoundTrip writes arbitrary content, so that compressor, choice of codec and
// frames meet more than our own patterns.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("hello"), uint16(1))
	f.Add([]byte{0}, uint16(60_000))
	f.Add(blobtest.Pattern(200, 3), uint16(400))
	f.Fuzz(func(t *testing.T, unit []byte, times uint16) {
		if len(unit)*int(times) > 1<<20 {
			return
		}
		v, _, _ := newVault(t, blob.Options{Rand: rand.Reader})
		data := bytes.Repeat(unit, int(times))
		mustWrite(t, v, "usr_1", "a", data)
		if got, err := readAll(t.Context(), v, "usr_1", "a"); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes became %d, %v", len(data), len(got), err)
		}
	})
}

// counter is a random source that gives 0, 1, 2, … 255, 0, …
type counter struct{ next byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.next
		c.next++
	}
	return len(p), nil
}
