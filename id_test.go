package lukasa_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
)

var prefixes = []lukasa.Prefix{
	lukasa.PrefixUser, lukasa.PrefixKey, lukasa.PrefixNode, lukasa.PrefixDocument, lukasa.PrefixChunk, lukasa.PrefixMemory,
	lukasa.PrefixMessage, lukasa.PrefixConversation, lukasa.PrefixEntity, lukasa.PrefixFile, lukasa.PrefixJob, lukasa.PrefixEvent,
	lukasa.PrefixEdge,
}

// decodeID turns the suffix of an id back into the 16 bytes of its UUID, by the book: 26 digits of five bits, high to low.
func decodeID(t interface{ Fatalf(string, ...any) }, id lukasa.ID) [16]byte {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	var bits []byte // one per bit
	for _, c := range string(id)[strings.LastIndexByte(string(id), '_')+1:] {
		v := strings.IndexRune(digits, c)
		if v < 0 {
			t.Fatalf("%q has the digit %q", id, c)
		}
		for s := 4; s >= 0; s-- {
			bits = append(bits, byte(v>>s&1))
		}
	}
	if len(bits) != 130 || bits[0] != 0 || bits[1] != 0 {
		t.Fatalf("%q is no number of 128 bits", id)
	}
	var u [16]byte
	for i, b := range bits[2:] {
		u[i/8] |= b << (7 - i%8)
	}
	return u
}

// The suffix is that of the TypeID specification: its valid.json names this pair.
func TestMakeIDAgreesWithTheSpecification(t *testing.T) {
	t.Parallel()
	raw, err := hex.DecodeString("0188bac74afa78aabc3bbd1eef28d881")
	if err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(int64(raw[0])<<40 | int64(raw[1])<<32 | int64(raw[2])<<24 | int64(raw[3])<<16 | int64(raw[4])<<8 | int64(raw[5]))
	if got, want := lukasa.MakeID("prefix", at, [10]byte(raw[6:])), lukasa.ID("prefix_01h2xcejqtf2nbrexx3vqjhp41"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMakeIDHoldsItsParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(prefixes).Draw(t, "prefix")
		at := time.UnixMilli(rapid.Int64Range(0, 1<<48-1).Draw(t, "ms"))
		entropy := [10]byte(rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "entropy"))
		id := lukasa.MakeID(p, at, entropy)
		if id.Prefix() != p {
			t.Fatalf("%s has the prefix %q", id, id.Prefix())
		}
		if got, err := lukasa.ParseID(p, string(id)); err != nil || got != id {
			t.Fatalf("%s is read as %q, %v", id, got, err)
		}
		u := decodeID(t, id)
		var ms int64
		for _, b := range u[:6] {
			ms = ms<<8 | int64(b)
		}
		if ms != at.UnixMilli() {
			t.Fatalf("the time of %s is %d, want %d", id, ms, at.UnixMilli())
		}
		want := entropy
		want[0], want[2] = want[0]&0x0f|0x70, want[2]&0x3f|0x80 // version 7, variant of RFC 9562
		if !bytes.Equal(u[6:], want[:]) {
			t.Fatalf("the rest of %s is %x, want %x", id, u[6:], want)
		}
	})
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		early := rapid.Int64Range(0, 1<<48-2).Draw(t, "early")
		late := rapid.Int64Range(early+1, 1<<48-1).Draw(t, "late")
		entropy := rapid.SliceOfN(rapid.Byte(), 10, 10)
		a := lukasa.MakeID("doc", time.UnixMilli(early), [10]byte(entropy.Draw(t, "a")))
		b := lukasa.MakeID("doc", time.UnixMilli(late), [10]byte(entropy.Draw(t, "b")))
		if a >= b {
			t.Fatalf("%s of %d does not sort before %s of %d", a, early, b, late)
		}
	})
}

func TestParseIDSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const suffix = "01h2xcejqtf2nbrexx3vqjhp41"
	for in, want := range map[string]string{
		"":                                     `expected an id that starts with "doc_"`,
		suffix:                                 `expected an id that starts with "doc_"`,
		"0188bac7-4afa-78aa-bc3b-bd1eef28d881": `expected an id that starts with "doc_"`, // a bare UUID
		"mem_" + suffix:                        `expected an id that starts with "doc_", got one that starts with "mem_"`,
		"Doc_" + suffix:                        `got one that starts with "Doc_"`,
		"_" + suffix:                           `expected an id that starts with "doc_"`,
		"x_doc_" + suffix:                      `got one that starts with "x_doc_"`,
		"doc_":                                 "not a well-formed doc id",
		"doc_" + suffix[1:]:                    "not a well-formed doc id",
		"doc_" + suffix + "0":                  "not a well-formed doc id",
		"doc_8" + suffix[1:]:                   "not a well-formed doc id", // more than 128 bits
		"doc_" + strings.ToUpper(suffix):       "not a well-formed doc id",
		"doc_01h2xcejqtf2nbrexx3vqjhpil":       "not a well-formed doc id", // i, l, o and u are no digits
		"doc_01h2xcejqtf2 brexx3vqjhp41":       "not a well-formed doc id",
		"doc_01h2xcejqtf2nbrexx3vqjh\x0041":    "not a well-formed doc id",
	} {
		id, err := lukasa.ParseID(lukasa.PrefixDocument, in)
		var e *lukasa.Error
		if id != "" || !errors.As(err, &e) || e.Code != lukasa.CodeInvalid || e.Field != "id" || !strings.Contains(e.Msg, want) {
			t.Errorf("%q: got %q, %v; want %q", in, id, err, want)
		}
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("doc_01h2xcejqtf2nbrexx3vqjhp41")
	f.Add("doc_7zzzzzzzzzzzzzzzzzzzzzzzzz")
	f.Add("mem_01h2xcejqtf2nbrexx3vqjhp41")
	f.Add("doc_\xff")
	f.Add("_")
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range prefixes {
			id, err := lukasa.ParseID(p, s)
			if (err == nil) == (id == "") {
				t.Fatalf("%q as %s: %q and %v", s, p, id, err)
			}
			if err == nil {
				if string(id) != s || id.Prefix() != p {
					t.Fatalf("%q as %s became %q", s, p, id)
				}
				decodeID(t, id)
			}
		}
	})
}

func TestMinter(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	m := lukasa.Minter{Now: func() time.Time { return at }, Rand: bytes.NewReader([]byte("0123456789abcdefghij"))}
	if got, want := m.ID("doc"), lukasa.MakeID("doc", at, [10]byte([]byte("0123456789"))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := m.ID("mem"), lukasa.MakeID("mem", at, [10]byte([]byte("abcdefghij"))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	defer func() {
		if r := recover(); r != "read randomness: none left" {
			t.Errorf("recovered %v", r)
		}
	}()
	lukasa.Minter{Now: m.Now, Rand: iotest.ErrReader(errors.New("none left"))}.ID("doc")
	t.Error("an id was made without randomness")
}

func BenchmarkMakeID(b *testing.B) {
	at := time.UnixMilli(1_700_000_000_000)
	b.ReportAllocs()
	for b.Loop() {
		lukasa.MakeID(lukasa.PrefixChunk, at, [10]byte{})
	}
}
