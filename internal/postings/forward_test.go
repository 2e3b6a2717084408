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

// encode writes terms as they are kept; gaps says which stand further than one position behind the one before.
func encode(terms []uint32, gaps []uint16) []byte {
	b := binary.AppendUvarint(nil, uint64(len(terms)))
	for i, t := range terms {
		if g := gaps[i%max(1, len(gaps))]; g > 1 {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(t)<<1|1), uint64(g))
		} else {
			b = binary.AppendUvarint(b, uint64(t)<<1)
		}
	}
	return b
}

func checkTerms(t interface{ Errorf(string, ...any) }, terms []uint32, gaps []uint16, behind []byte) {
	b := encode(terms, gaps)
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
		terms := rapid.SliceOfN(rapid.Uint32Max(1<<31-1), 0, 40).Draw(rt, "terms")
		checkTerms(rt, terms, rapid.SliceOfN(rapid.Uint16(), 1, 8).Draw(rt, "gaps"), rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(rt, "behind"))
	})
}

func FuzzTerms(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 0xff, 0xff, 0xff, 0x7f}, uint16(3), []byte{0x80})
	f.Add([]byte{}, uint16(1), []byte{})
	f.Fuzz(func(t *testing.T, raw []byte, gap uint16, behind []byte) {
		var terms []uint32
		for ; len(raw) >= 4; raw = raw[4:] {
			terms = append(terms, binary.LittleEndian.Uint32(raw)>>1)
		}
		checkTerms(t, terms, []uint16{gap, 1}, behind)
	})
}
