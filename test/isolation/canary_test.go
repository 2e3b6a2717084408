package isolation

import (
	"bytes"
	"regexp"
	"strings"
	"sync/atomic"
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

var idShape = regexp.MustCompile(`\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b`)

// idsIn returns the ids in a text, each once.
func idsIn(text []byte) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range idShape.FindAll(text, -1) {
		if s := string(m); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func prefixOf(id string) string {
	p, _, _ := strings.Cut(id, "_")
	return p
}
