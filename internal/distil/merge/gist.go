package merge

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Similar reports whether two statements say the same in nearly the same words; see [Gist.Like].
func Similar(a, b string) bool { return GistOf(a).Like(GistOf(b)) }

// Gist is what counts of a statement that is compared with many.
type Gist struct {
	plain    string
	shingles []uint64 // content words and neighbouring pairs, in order
	telling  []string // numbers and negations, in order
}

// GistOf reads a statement.
func GistOf(s string) Gist {
	g := Gist{plain: strings.TrimSpace(s)}
	words := lexis.KeyWords(s)
	for i, w := range words {
		g.shingles = append(g.shingles, spread(w))
		if i > 0 {
			g.shingles = append(g.shingles, spread(min(words[i-1], w)+" "+max(words[i-1], w)))
		}
		if w == "not" || strings.IndexFunc(w, unicode.IsDigit) >= 0 {
			g.telling = append(g.telling, w)
		}
	}
	slices.Sort(g.shingles)
	slices.Sort(g.telling)
	g.shingles, g.telling = slices.Compact(g.shingles), slices.Compact(g.telling)
	return g
}

// Like reports whether two statements say the same in nearly the same words: the shingles that both have are at least eight tenths of all.
// Numbers, names and negations must agree.
func (g Gist) Like(o Gist) bool {
	x, y := g.shingles, o.shingles
	if len(x) == 0 || len(y) == 0 {
		return len(x) == len(y) && strings.EqualFold(g.plain, o.plain)
	}
	if min(len(x), len(y))*10 < max(len(x), len(y))*8 || !slices.Equal(g.telling, o.telling) {
		return false
	}
	both, all := 0, len(x)+len(y)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			x, y, both = x[1:], y[1:], both+1
		}
	}
	return both*10 >= (all-both)*8
}

func spread(w string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(w)) // a hash never fails to write
	return h.Sum64()
}
