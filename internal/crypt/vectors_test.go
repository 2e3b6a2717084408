package crypt_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

var update = flag.Bool("update", false, "rewrite docs/format/vectors/keys.json")

const vectorFile = "../../docs/format/vectors/keys.json"

// vectors is docs/format/vectors/keys.json; all values are lower-case hexadecimal
// unless their name says otherwise.
type vectors struct {
	Comment string         `json:"comment"`
	Master  string         `json:"master_key"`
	ID      string         `json:"master_id"`
	Derive  []deriveVector `json:"derive"`
	Wrap    []wrapVector   `json:"wrap"`
	Seal    []sealVector   `json:"seal"`
	Stream  []streamVector `json:"stream"`
	APIKey  []apiKeyVector `json:"api_key"`
}

type deriveVector struct {
	Secret  string   `json:"secret"`
	Salt    string   `json:"salt"`
	Label   string   `json:"label_text"`
	Context []string `json:"context_text"`
	Key     string   `json:"key"`
}

type wrapVector struct {
	Owner   string `json:"owner_text"`
	DataKey string `json:"data_key"`
	Random  string `json:"random"`
	Wrapped string `json:"wrapped"`
}

type sealVector struct {
	Key     string `json:"key"`
	AAD     string `json:"aad"`
	Payload string `json:"payload"`
	Random  string `json:"random"`
	Sealed  string `json:"sealed"`
}

type streamVector struct {
	Key     string   `json:"key"`
	Context []string `json:"context_text"`
	// Size is the length of the plaintext, whose byte i is i mod 251.
	Size   int    `json:"plaintext_size"`
	Random string `json:"random"`
	Sealed string `json:"sealed,omitempty"`
	SHA256 string `json:"sealed_sha256"`
}

type apiKeyVector struct {
	Random string `json:"random"`
	Key    string `json:"key_text"`
	Hash   string `json:"sha256"`
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// makeVectors computes every output field from the input fields of v.
func makeVectors(t *testing.T, v vectors) vectors {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	master, err := crypt.ParseKey(v.Master)
	check(err)
	id, err := crypt.MasterID(master)
	check(err)
	v.ID = hex.EncodeToString(id)
	for i := range v.Derive {
		d := &v.Derive[i]
		key, err := crypt.Derive(unhex(t, d.Secret), unhex(t, d.Salt), d.Label, d.Context...)
		check(err)
		d.Key = hex.EncodeToString(key)
	}
	for i := range v.Wrap {
		w := &v.Wrap[i]
		wrapped, err := crypt.Wrap(master, w.Owner, unhex(t, w.DataKey), bytes.NewReader(unhex(t, w.Random)))
		check(err)
		w.Wrapped = hex.EncodeToString(wrapped)
	}
	for i := range v.Seal {
		s := &v.Seal[i]
		sealed, err := crypt.Seal(nil, unhex(t, s.Key), unhex(t, s.AAD), unhex(t, s.Payload), bytes.NewReader(unhex(t, s.Random)))
		check(err)
		s.Sealed = hex.EncodeToString(sealed)
	}
	for i := range v.Stream {
		s := &v.Stream[i]
		var out bytes.Buffer
		w, err := crypt.NewSealWriter(&out, unhex(t, s.Key), bytes.NewReader(unhex(t, s.Random)), s.Context...)
		check(err)
		_, err = w.Write(pattern(s.Size))
		check(err)
		check(w.Close())
		sum := sha256.Sum256(out.Bytes())
		s.Sealed, s.SHA256 = "", hex.EncodeToString(sum[:])
		if out.Len() < 200 {
			s.Sealed = hex.EncodeToString(out.Bytes())
		}
		r, err := crypt.NewOpenReader(&out, unhex(t, s.Key), s.Context...)
		check(err)
		plain, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(plain, pattern(s.Size)) {
			t.Fatalf("stream of %d bytes does not open: %v", s.Size, err)
		}
	}
	for i := range v.APIKey {
		a := &v.APIKey[i]
		a.Key, err = crypt.NewAPIKey(bytes.NewReader(unhex(t, a.Random)))
		check(err)
		sum := crypt.HashAPIKey(a.Key)
		a.Hash = hex.EncodeToString(sum[:])
	}
	return v
}

func inputs() vectors {
	const (
		key   = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
		other = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfefff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
		nonce = "a0a1a2a3a4a5a6a7a8a9aaab"
		salt  = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
	)
	v := vectors{
		Comment: "Keys of lukasa, format 1; see ../sealed-file.md. Random is what the random source gave.",
		Master:  key,
		Derive: []deriveVector{
			{Secret: key, Label: "lukasa key encryption v1", Context: []string{"usr_1"}},
			{Secret: key, Salt: salt, Label: "lukasa stream v1", Context: []string{"a", "", "bc"}},
			{Secret: key, Label: "lukasa inline v1", Context: []string{}},
		},
		Wrap: []wrapVector{
			{Owner: "usr_1", DataKey: other, Random: nonce},
			{Owner: "usr_01h455vb4pex5vsknk084sn02q", DataKey: other, Random: nonce},
		},
		Seal: []sealVector{
			{Key: other, Random: nonce},
			{Key: other, AAD: hex.EncodeToString([]byte("place")), Payload: hex.EncodeToString([]byte("hello")), Random: nonce},
		},
		APIKey: []apiKeyVector{{Random: key}, {Random: hex.EncodeToString(make([]byte, 32))}, {Random: hex.EncodeToString(bytes.Repeat([]byte{255}, 32))}},
	}
	for _, size := range []int{0, 1, 100, crypt.FrameSize - 1, crypt.FrameSize, crypt.FrameSize + 1, 2 * crypt.FrameSize, 200_000} {
		v.Stream = append(v.Stream, streamVector{Key: other, Context: []string{"one", "two"}, Size: size, Random: salt})
	}
	return v
}

// The published vectors still come out: old keys and old data open in this version.
func TestVectors(t *testing.T) {
	t.Parallel()
	if *update {
		text, err := json.MarshalIndent(makeVectors(t, inputs()), "", "  ")
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
	var want vectors
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Derive) < 3 || len(want.Wrap) < 2 || len(want.Seal) < 2 || len(want.Stream) < 8 || len(want.APIKey) < 3 {
		t.Fatal("vectors are missing")
	}
	clone := want
	clone.Derive, clone.Wrap, clone.Seal = append([]deriveVector(nil), want.Derive...), append([]wrapVector(nil), want.Wrap...), append([]sealVector(nil), want.Seal...)
	clone.Stream, clone.APIKey = append([]streamVector(nil), want.Stream...), append([]apiKeyVector(nil), want.APIKey...)
	if diff := cmp.Diff(want, makeVectors(t, clone)); diff != "" {
		t.Fatalf("the format has changed (-published +now):\n%s", diff)
	}
	master, err := crypt.ParseKey(want.Master)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want.Wrap {
		if got, err := crypt.Unwrap(master, w.Owner, unhex(t, w.Wrapped)); err != nil || hex.EncodeToString(got) != w.DataKey {
			t.Errorf("unwrap for %s: %x, %v", w.Owner, got, err)
		}
		if _, err := crypt.Unwrap(master, w.Owner+"x", unhex(t, w.Wrapped)); !errors.Is(err, crypt.ErrCorrupt) {
			t.Errorf("unwrap for another: %v", err)
		}
	}
}
