package mmap_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/mmap"
)

type manifest struct {
	Numbers, Text mmap.Span
	Part          mmap.Span
	Sum           uint32
}

func write(t testing.TB, path string) {
	t.Helper()
	err := mmap.Write(path, func(w *mmap.Writer) (any, error) {
		from := w.Begin()
		m := manifest{Numbers: w.Put(mmap.Bytes([]uint32{7, 8, 9})), Text: w.Put([]byte("words"))}
		m.Part, m.Sum = w.End(from)
		return m, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns what a file says, and whether its part is whole.
func read(path string) (numbers []uint32, text string, whole bool, err error) {
	f, err := mmap.Open(path)
	if err != nil {
		return nil, "", false, err
	}
	var m manifest
	if err := f.Manifest(&m); err != nil {
		return nil, "", false, err
	}
	part := f.At(m.Part)
	return mmap.As[uint32](f.At(m.Numbers)), string(f.At(m.Text)), part != nil && mmap.Checksum(part) == m.Sum, nil
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "file")
	for range 2 { // the second one replaces the first
		write(t, path)
		n, s, whole, err := read(path)
		if err != nil || !whole || s != "words" || len(n) != 3 || n[2] != 9 {
			t.Fatalf("read %v %q %v %v", n, s, whole, err)
		}
	}
}

// No flipped byte and no cut goes unnoticed, but in the padding, which nobody reads.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	write(t, good)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= 0x40
		if err := os.WriteFile(bad, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if n, s, whole, err := read(bad); err == nil && whole && (s != "words" || len(n) != 3 || n[0] != 7 || n[1] != 8 || n[2] != 9) {
			t.Fatalf("byte %d: read %v %q as whole", i, n, s)
		}
	}
	for cut := range data {
		if err := os.WriteFile(bad, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := read(bad); err == nil {
			t.Fatalf("cut at %d is not noticed", cut)
		}
	}
}

func TestSpansOutside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path)
	f, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []mmap.Span{{-1, 4}, {0, -1}, {1 << 40, 1}, {0, 1 << 40}, {1<<63 - 1, 1<<63 - 1}} {
		if f.At(s) != nil {
			t.Errorf("%v lies in the file", s)
		}
	}
	if mmap.As[uint64]([]byte{1, 2, 3}) != nil {
		t.Error("three bytes are a number of eight")
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, ".index-1.tmp"), filepath.Join(dir, ".index-2.tmp")
	for _, p := range []string{old, fresh} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	mmap.Sweep(dir, time.Now())
	if _, err := os.Stat(old); err == nil {
		t.Error("the old one is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("the fresh one is gone")
	}
}

// FuzzOpen reads whatever bytes as a file.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed")
	write(f, path)
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("LIX1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, _, _ = read(p)
	})
}
