package isolation

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// A canary is a word that stands in one place of one record and nowhere else: "zq" and six syllables, which spell its number and a
// check. Whoever reads it has read that record.
const (
	canaryLead  = "zq"
	canaryLen   = len(canaryLead) + 12
	consonants  = "bdfgklmnprstvzhj"
	vowels      = "aeio"
	canaryCheck = 61
)

// mint gives out canaries. Numbers begin at one.
type mint struct{ last atomic.Int64 }

func (m *mint) next() (int, string) {
	n := int(m.last.Add(1))
	return n, spell(n)
}

func spell(n int) string {
	code := n*64 + n%canaryCheck
	var b strings.Builder
	b.WriteString(canaryLead)
	for range 6 {
		b.WriteByte(consonants[code%16])
		code /= 16
		b.WriteByte(vowels[code%4])
		code /= 4
	}
	return b.String()
}

// canaries returns the numbers of the canaries in a text, whatever their case, each once.
func canaries(text []byte) []int {
	var out []int
	seen := map[int]bool{}
	lower := bytes.ToLower(text)
	for at := 0; ; {
		i := bytes.Index(lower[at:], []byte(canaryLead))
		if i < 0 || at+i+canaryLen > len(lower) {
			return out
		}
		at += i
		n, ok := unspell(lower[at+len(canaryLead) : at+canaryLen])
		at += len(canaryLead)
		if ok && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
}

func unspell(b []byte) (int, bool) {
	code := 0
	for i := len(b) - 2; i >= 0; i -= 2 {
		c, v := strings.IndexByte(consonants, b[i]), strings.IndexByte(vowels, b[i+1])
		if c < 0 || v < 0 {
			return 0, false
		}
		code = code*64 + v*16 + c
	}
	n := code / 64
	return n, n > 0 && code%64 == n%canaryCheck
}

// idTail are the characters of an id after its prefix.
const idTail = 26

// idsIn returns the ids in a text, each once: two to five letters, "_" and 26 digits or letters without i, l, o and u, with nothing
// that could belong to a word on either side.
func idsIn(text []byte) []string {
	var out []string
	seen := map[string]bool{}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '_')
		if i < 0 {
			return out
		}
		at += i + 1
		from := at - 1
		for from > 0 && text[from-1] >= 'a' && text[from-1] <= 'z' && at-from <= 6 {
			from--
		}
		if n := at - 1 - from; n < 2 || n > 5 || from > 0 && wordly(text[from-1]) {
			continue
		}
		to := at
		for to < len(text) && to-at <= idTail && inID(text[to]) {
			to++
		}
		if to-at != idTail || to < len(text) && wordly(text[to]) {
			continue
		}
		if s := string(text[from:to]); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
}

// wordly reports whether a byte belongs to a word.
func wordly(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// inID reports whether a byte may stand in an id after its prefix.
func inID(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' && b != 'i' && b != 'l' && b != 'o' && b != 'u'
}

// The scanner finds what the shape of an id says.
func TestIDsIn(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b`)
	id := string((&lukasa.Minter{Now: time.Now, Rand: newDice(1, "ids")}).ID("doc"))
	parts := []string{id, id[4:], "doc_", "_", "abcdef", "ab", "X", "9", " ", "\"", ".", "ü", "\n", id[:20], "l", "doc"}
	r := newRand(1, "texts")
	found := 0
	for range 20000 {
		var text []byte
		for range 1 + r.IntN(6) {
			text = append(text, pick(r, parts)...)
		}
		var want []string
		for _, m := range shape.FindAll(text, -1) {
			if s := string(m); !slices.Contains(want, s) {
				want = append(want, s)
			}
		}
		if found += len(want); !slices.Equal(idsIn(text), want) {
			t.Fatalf("%q: found %q, want %q", text, idsIn(text), want)
		}
	}
	if found < 1000 {
		t.Errorf("only %d ids in the texts", found)
	}
}

func prefixOf(id string) string {
	p, _, _ := strings.Cut(id, "_")
	return p
}
