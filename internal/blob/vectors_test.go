package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/crypt"
)

var update = flag.Bool("update", false, "rewrite docs/format/vectors/sealed-file.json")

const vectorFile = "../../docs/format/vectors/sealed-file.json"

// vectors is docs/format/vectors/sealed-file.json.
type vectors struct {
	Comment string       `json:"comment"`
	Files   []fileVector `json:"files"`
	Inline  []fileVector `json:"inline"`
	Damaged []fileVector `json:"damaged_files"`
}

// fileVector is one file, or one payload, whose place is then Key. Binary fields
// are lower-case hexadecimal.
type fileVector struct {
	Name    string `json:"name"`
	Owner   string `json:"owner"`
	Key     string `json:"key"`
	DataKey string `json:"data_key"`
	Random  string `json:"random,omitempty"`
	Codec   int    `json:"codec"`
	Plain   string `json:"plaintext"`
	SHA256  string `json:"plaintext_sha256,omitempty"`
	Sealed  string `json:"sealed"`
	Error   string `json:"error,omitempty"`
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// seal computes what this version makes of the input fields.
func (f fileVector) seal(t *testing.T, inline bool) fileVector {
	t.Helper()
	driver, keys := blobtest.NewMemory(), newKeyring()
	keys.set(f.Owner, unhex(t, f.DataKey))
	v, err := blob.New(driver, keys, blob.Options{Rand: bytes.NewReader(unhex(t, f.Random))})
	if err != nil {
		t.Fatal(err)
	}
	plain := unhex(t, f.Plain)
	sum := sha256.Sum256(plain)
	f.SHA256 = hex.EncodeToString(sum[:])
	if inline {
		sealed, err := v.SealBytes(context.Background(), f.Owner, f.Key, plain)
		if err != nil {
			t.Fatal(err)
		}
		f.Sealed, f.Codec = hex.EncodeToString(sealed), int(sealed[1])
		return f
	}
	mustWrite(t, v, f.Owner, f.Key, plain)
	sealed := driver.Bytes(f.Owner + "/" + f.Key)
	f.Sealed, f.Codec = hex.EncodeToString(sealed), int(sealed[5])
	return f
}

func (f fileVector) open(t *testing.T, inline bool) ([]byte, error) {
	t.Helper()
	driver, keys := blobtest.NewMemory(), newKeyring()
	keys.set(f.Owner, unhex(t, f.DataKey))
	v, err := blob.New(driver, keys, blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if inline {
		return v.OpenBytes(t.Context(), f.Owner, f.Key, unhex(t, f.Sealed))
	}
	driver.Replace(f.Owner+"/"+f.Key, unhex(t, f.Sealed))
	return readAll(t.Context(), v, f.Owner, f.Key)
}

func makeVectors(t *testing.T) vectors {
	t.Helper()
	const (
		dataKey = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfefff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
		salt    = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
		nonce   = "a0a1a2a3a4a5a6a7a8a9aaab"
	)
	out := vectors{Comment: "Sealed files and payloads of lukasa, format 1; see ../sealed-file.md. What codec 1 packs may differ between versions of a compressor: test that it opens."}
	for name, data := range [][]byte{nil, []byte("hello"), blobtest.Pattern(200, 1), prose(300)} {
		names := []string{"empty", "short, stored", "noise, stored", "prose, zstd"}
		base := fileVector{Name: names[name], Owner: "usr_1", DataKey: dataKey, Plain: hex.EncodeToString(data)}
		file, inline := base, base
		file.Key, file.Random = "doc_7/v1", salt
		inline.Key, inline.Random = "documents/doc_7/content", nonce
		out.Files = append(out.Files, file.seal(t, false))
		out.Inline = append(out.Inline, inline.seal(t, true))
	}
	good := out.Files[1]
	damage := func(name, sentinel string, change func([]byte) []byte) {
		bad := good
		bad.Name, bad.Error, bad.Plain, bad.SHA256, bad.Random = name, sentinel, "", "", ""
		bad.Sealed = hex.EncodeToString(change(unhex(t, good.Sealed)))
		out.Damaged = append(out.Damaged, bad)
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	damage("magic", "format", flip(0))
	damage("version", "format", flip(4))
	damage("unknown codec", "format", func(b []byte) []byte { b[5] = 2; return b })
	damage("other codec", "corrupt", flip(5))
	damage("salt", "corrupt", flip(6))
	damage("ciphertext", "corrupt", flip(22))
	damage("tag", "corrupt", flip(42))
	damage("byte appended", "corrupt", func(b []byte) []byte { return append(b, 0) })
	damage("no frame", "truncated", func(b []byte) []byte { return b[:22] })
	damage("half a header", "truncated", func(b []byte) []byte { return b[:3] })
	return out
}

// T-13: the byte format is published with vectors, and old files open in this version.
func TestVectors(t *testing.T) {
	t.Parallel()
	if *update {
		text, err := json.MarshalIndent(makeVectors(t), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(vectorFile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var published vectors
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	if len(published.Files) < 4 || len(published.Inline) < 4 || len(published.Damaged) < 10 {
		t.Fatal("vectors are missing")
	}
	for inline, list := range map[bool][]fileVector{false: published.Files, true: published.Inline} {
		for _, f := range list {
			plain, err := f.open(t, inline)
			if err != nil || hex.EncodeToString(plain) != f.Plain {
				t.Errorf("%s (inline %v): opened %x, %v", f.Name, inline, plain, err)
			}
			if now := f.seal(t, inline); f.Codec == 0 && now != f {
				t.Errorf("%s (inline %v): the format has changed\npublished %+v\nnow       %+v", f.Name, inline, f, now)
			}
		}
	}
	sentinels := map[string]error{"format": crypt.ErrFormat, "corrupt": crypt.ErrCorrupt, "truncated": crypt.ErrTruncated}
	for _, f := range published.Damaged {
		if _, err := f.open(t, false); !errors.Is(err, sentinels[f.Error]) || sentinels[f.Error] == nil {
			t.Errorf("damaged %s: %v, want %s", f.Name, err, f.Error)
		}
	}
}
