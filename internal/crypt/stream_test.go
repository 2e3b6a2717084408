package crypt_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

const sealedFrame = crypt.FrameSize + 16

var streamKey = bytes.Repeat([]byte{7}, 32)

func sealStream(t testing.TB, rand io.Reader, plain []byte, context ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := crypt.NewSealWriter(&out, streamKey, rand, context...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Write(plain); err != nil || n != len(plain) {
		t.Fatalf("Write = %d, %v", n, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openStream(sealed []byte, context ...string) ([]byte, error) {
	r, err := crypt.NewOpenReader(bytes.NewReader(sealed), streamKey, context...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// pattern gives n bytes of which no two frames are alike.
func pattern(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i % 251)
	}
	return out
}

func TestStreamRoundTrip(t *testing.T) {
	t.Parallel()
	const f = crypt.FrameSize
	for _, n := range []int{0, 1, 15, 16, 17, f - 1, f, f + 1, 2*f - 1, 2 * f, 2*f + 1, 5*f + 12345} {
		plain := pattern(n)
		sealed := sealStream(t, rand.Reader, plain, "file")
		frames := max(1, (n+f-1)/f)
		if want := crypt.StreamOverhead + n + 16*frames; len(sealed) != want {
			t.Errorf("%d bytes: sealed into %d, want %d", n, len(sealed), want)
		}
		got, err := openStream(sealed, "file")
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%d bytes: opened %d, %v", n, len(got), err)
		}
	}
}

// What is written does not depend on how it is cut into Write and Read calls.
func TestStreamCutsDoNotMatter(t *testing.T) {
	t.Parallel()
	plain := pattern(3*crypt.FrameSize + 7)
	want := sealStream(t, &counter{}, plain)
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		w, err := crypt.NewSealWriter(&out, streamKey, &counter{})
		if err != nil {
			t.Fatal(err)
		}
		for rest := plain; len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(0, 2*crypt.FrameSize).Draw(t, "n"))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Fatal("the sealed bytes differ")
		}
	})
	for name, cut := range map[string]func(io.Reader) io.Reader{"half": iotest.HalfReader, "data with EOF": iotest.DataErrReader} {
		r, err := crypt.NewOpenReader(cut(bytes.NewReader(want)), streamKey)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(r, plain); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// T-13: truncation, reordering, repetition and swapping of frames are all seen.
func TestStreamFrameSurgery(t *testing.T) {
	t.Parallel()
	const head = crypt.StreamOverhead
	sealed := sealStream(t, rand.Reader, pattern(3*crypt.FrameSize+100), "file")
	twin := sealStream(t, rand.Reader, pattern(3*crypt.FrameSize+100), "file")
	frame := func(b []byte, i int) []byte { return b[head+i*sealedFrame : min(len(b), head+(i+1)*sealedFrame)] }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	salt := sealed[:head]
	exact := sealStream(t, rand.Reader, pattern(2*crypt.FrameSize), "file")
	for name, tc := range map[string]struct {
		sealed []byte
		want   error
	}{
		"nothing":                    {nil, crypt.ErrTruncated},
		"half a salt":                {salt[:8], crypt.ErrTruncated},
		"no frame":                   {salt, crypt.ErrTruncated},
		"last frame missing":         {join(salt, frame(sealed, 0), frame(sealed, 1), frame(sealed, 2)), crypt.ErrTruncated},
		"two frames missing":         {join(salt, frame(sealed, 0), frame(sealed, 1)), crypt.ErrTruncated},
		"cut inside the last tag":    {sealed[:len(sealed)-1], crypt.ErrCorrupt},
		"a few bytes of a frame":     {sealed[:head+3*sealedFrame+5], crypt.ErrTruncated},
		"first frame missing":        {join(salt, frame(sealed, 1), frame(sealed, 2), frame(sealed, 3)), crypt.ErrCorrupt},
		"frames swapped":             {join(salt, frame(sealed, 1), frame(sealed, 0), frame(sealed, 2), frame(sealed, 3)), crypt.ErrCorrupt},
		"frame doubled":              {join(salt, frame(sealed, 0), frame(sealed, 0), frame(sealed, 1), frame(sealed, 2), frame(sealed, 3)), crypt.ErrCorrupt},
		"frame of the same file":     {join(salt, frame(sealed, 0), frame(twin, 1), frame(sealed, 2), frame(sealed, 3)), crypt.ErrCorrupt},
		"salt of the same file":      {join(twin[:head], sealed[head:]), crypt.ErrCorrupt},
		"byte after the end":         {join(sealed, []byte{0}), crypt.ErrCorrupt},
		"byte after a full end":      {join(exact, []byte{0}), crypt.ErrCorrupt},
		"stream after the end":       {join(sealed, sealed), crypt.ErrCorrupt},
		"full last frame made inner": {join(exact, frame(exact, 1)), crypt.ErrCorrupt},
	} {
		if _, err := openStream(tc.sealed, "file"); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	for name, context := range map[string][]string{"none": nil, "other": {"file2"}, "more": {"file", ""}, "split": {"fi", "le"}} {
		if got, err := openStream(sealed, context...); !errors.Is(err, crypt.ErrCorrupt) || len(got) > 0 {
			t.Errorf("context %s: %d bytes, %v, want ErrCorrupt", name, len(got), err)
		}
	}
}

// Any flipped bit gives an error, and nothing of the frame it stands in comes out.
func TestStreamFlippedBit(t *testing.T) {
	t.Parallel()
	plain := pattern(2*crypt.FrameSize + 50)
	sealed := sealStream(t, rand.Reader, plain)
	rapid.Check(t, func(t *rapid.T) {
		bad := bytes.Clone(sealed)
		at := rapid.IntRange(0, len(bad)-1).Draw(t, "byte")
		bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		got, err := openStream(bad)
		if !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("byte %d: %v, want ErrCorrupt", at, err)
		}
		whole := max(0, (at-crypt.StreamOverhead)/sealedFrame) * crypt.FrameSize
		if len(got) != whole || !bytes.Equal(got, plain[:whole]) {
			t.Fatalf("byte %d: %d bytes came out, want the %d before it", at, len(got), whole)
		}
	})
}

func TestStreamTruncatedAnywhere(t *testing.T) {
	t.Parallel()
	sealed := sealStream(t, rand.Reader, pattern(crypt.FrameSize+40))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, len(sealed)-1).Draw(t, "n")
		if _, err := openStream(sealed[:n]); !errors.Is(err, crypt.ErrTruncated) && !errors.Is(err, crypt.ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	})
}

// failing fails every write after the first n bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestStreamErrorsStick(t *testing.T) {
	t.Parallel()
	w, err := crypt.NewSealWriter(&failing{left: 16}, streamKey, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := w.Write(pattern(3 * crypt.FrameSize)); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("Write: %v, want the error below", err)
		}
		if err := w.Close(); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("Close: %v, want the error below", err)
		}
	}
	if _, err := crypt.NewSealWriter(&failing{}, streamKey, rand.Reader); !errors.Is(err, io.ErrShortWrite) {
		t.Fatalf("salt: %v, want the error below", err)
	}
	if _, err := crypt.NewSealWriter(io.Discard, streamKey[1:], rand.Reader); !errors.Is(err, crypt.ErrKey) {
		t.Fatalf("short key: %v, want ErrKey", err)
	}
	ok, err := crypt.NewSealWriter(io.Discard, streamKey, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := ok.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ok.Write([]byte("late")); err == nil {
		t.Fatal("a write after Close was taken")
	}
	sealed := sealStream(t, rand.Reader, pattern(2*crypt.FrameSize))
	r, err := crypt.NewOpenReader(io.MultiReader(bytes.NewReader(sealed[:40]), iotest.ErrReader(io.ErrNoProgress)), streamKey)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := io.ReadAll(r); !errors.Is(err, io.ErrNoProgress) {
			t.Fatalf("Read: %v, want the error of the source", err)
		}
	}
}

func FuzzOpenStream(f *testing.F) {
	small := sealStream(f, &counter{}, []byte("hello"), "fuzz")
	large := sealStream(f, &counter{}, pattern(crypt.FrameSize+1), "fuzz")
	f.Add(small)
	f.Add(large)
	f.Add(small[:20])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := openStream(b, "fuzz"); err == nil && !bytes.Equal(b, small) && !bytes.Equal(b, large) {
			t.Fatalf("forged stream of %d bytes", len(b))
		}
	})
}

func BenchmarkSealStream(b *testing.B) {
	plain := pattern(5 << 20)
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	for b.Loop() {
		w, err := crypt.NewSealWriter(io.Discard, streamKey, rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Write(plain); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenStream(b *testing.B) {
	plain := pattern(5 << 20)
	sealed := sealStream(b, rand.Reader, plain)
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := crypt.NewOpenReader(bytes.NewReader(sealed), streamKey)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r); err != nil || n != int64(len(plain)) {
			b.Fatal(n, err)
		}
	}
}

// A stream has one form only: a writer that would end it with an empty frame behind
// a full one is not ours, although every tag fits.
func TestStreamRefusesEmptyLastFrame(t *testing.T) {
	t.Parallel()
	salt := bytes.Repeat([]byte{3}, crypt.StreamOverhead)
	key, err := crypt.Derive(streamKey, salt, "lukasa stream v1")
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	nonce := func(frame, last byte) []byte { return append(make([]byte, 10), frame, last) }
	full := func(last byte) []byte {
		return aead.Seal(bytes.Clone(salt), nonce(0, last), pattern(crypt.FrameSize), nil)
	}
	if got, err := openStream(full(1)); err != nil || len(got) != crypt.FrameSize {
		t.Fatalf("the frame made by hand: %d bytes, %v", len(got), err)
	}
	if _, err := openStream(aead.Seal(full(0), nonce(1, 1), nil, nil)); !errors.Is(err, crypt.ErrCorrupt) {
		t.Fatalf("an empty frame at the end: %v, want ErrCorrupt", err)
	}
}
