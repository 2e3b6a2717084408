package blob_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
)

// pages are English running text: the pages of this project that people read.
func pages(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/security.md", "docs/numbers.md", "docs/backup.md", "docs/start.md", "docs/design/ranking.md", "docs/format/sealed-file.md"} {
		data, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.Bytes()
}

// N-9: what is compressed hard is read like anything else, takes less room than what is not, and noise is kept as it is.
func TestDense(t *testing.T) {
	t.Parallel()
	keys := newKeyring()
	keys.set("usr_a", bytes.Repeat([]byte{7}, 32))
	v, err := blob.New(blobtest.NewMemory(), keys, blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := pages(t)
	light, err := v.Write(context.Background(), "usr_a", "light", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	dense, err := v.WriteDense(context.Background(), "usr_a", "dense", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of text: %d light (%.2f:1), %d dense (%.2f:1)", light.Size, light.SealedSize, float64(light.Size)/float64(light.SealedSize),
		dense.SealedSize, float64(dense.Size)/float64(dense.SealedSize))
	if dense.SealedSize >= light.SealedSize {
		t.Errorf("dense takes %d bytes, light %d", dense.SealedSize, light.SealedSize)
	}
	rc, err := v.Read(context.Background(), "usr_a", "dense")
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	if got, err := io.ReadAll(rc); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes came back of %d, %v", len(got), len(text), err)
	}
	for _, payload := range [][]byte{text[:60_000], {}, []byte("short"), []byte(strings.Repeat("a", 100))} {
		a, err := v.SealBytes(context.Background(), "usr_a", "row", payload)
		if err != nil {
			t.Fatal(err)
		}
		b, err := v.SealBytesDense(context.Background(), "usr_a", "row", payload)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.OpenBytes(context.Background(), "usr_a", "row", b); err != nil || !bytes.Equal(got, payload) {
			t.Errorf("%d bytes came back of %d, %v", len(got), len(payload), err)
		}
		if len(b) > len(a) {
			t.Errorf("of %d bytes, dense makes %d and light %d", len(payload), len(b), len(a))
		}
	}
}
