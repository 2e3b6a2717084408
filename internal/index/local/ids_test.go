package local

import (
	"cmp"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// A packed id comes back as the text that it was, and packed ids are ordered as their texts.
func FuzzPack(f *testing.F) {
	for _, s := range []string{"", "chk_", "doc_01hf7yat00e008000000000001", "chk_81hf7yat00e008000000000001", "mem_7zzzzzzzzzzzzzzzzzzzzzzzzz", "x_y", "conv_0000000000000000000000000u"} {
		f.Add(s, string(lukasa.MakeID(lukasa.PrefixChunk, time.UnixMilli(1_700_000_000_000), [10]byte{3, 1, 4})))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		p, ok := Pack(lukasa.ID(a))
		if !ok {
			return
		}
		if got := string(appendID(nil, p)); got != a {
			t.Fatalf("%q came back as %q", a, got)
		}
		q, ok := Pack(lukasa.ID(b))
		if ok && p.Compare(q) != cmp.Compare(a, b) {
			t.Fatalf("%q and %q compare as %d, packed as %d", a, b, cmp.Compare(a, b), p.Compare(q))
		}
		if ok && a == b && p.hash() != q.hash() {
			t.Fatal("hash")
		}
	})
}
