package postings_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/postings"
)

// encode writes terms as they are kept.
func encode(terms []uint32) []byte {
	b := binary.AppendUvarint(nil, uint64(len(terms)))
	for _, t := range terms {
		b = binary.AppendUvarint(b, uint64(t))
	}
	return b
}

func checkTerms(t interface{ Errorf(string, ...any) }, terms []uint32, behind []byte) {
	b := encode(terms)
	with := append(slices.Clone(b), behind...)
	if d := cmp.Diff(terms, postings.Terms(nil, with), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("terms: %s", d)
	}
	if n := postings.TermsLen(with); n != len(b) {
		t.Errorf("length %d, want %d", n, len(b))
	}
}

func TestTermsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		terms := rapid.SliceOfN(rapid.Uint32(), 0, 40).Draw(rt, "terms")
		checkTerms(rt, terms, rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(rt, "behind"))
	})
}

func FuzzTerms(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 0xff, 0xff, 0xff, 0xff}, []byte{0x80})
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, raw, behind []byte) {
		var terms []uint32
		for ; len(raw) >= 4; raw = raw[4:] {
			terms = append(terms, binary.LittleEndian.Uint32(raw))
		}
		checkTerms(t, terms, behind)
	})
}
