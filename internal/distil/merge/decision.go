package merge

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// GivesUp returns what a decision gives up, as it is named there: Redis in "we dropped Redis", exponential backoff in "we decided against exponential
// backoff", Kafka in "we decided not to use Kafka". It is "" for other memories, and where what is named could be anything: one common word.
func GivesUp(m *lukasa.Memory) string {
	if m.Kind != lukasa.KindDecision {
		return ""
	}
	toks := lexis.Lex(nil, m.Content, 0, len(m.Content))
	for i := range toks {
		if n := leaves(toks, i); n > 0 {
			return named(toks[i+n:], m.Content)
		}
	}
	return ""
}

// leaves returns how many tokens from i on say that what comes next is given up.
func leaves(toks []lexis.Token, i int) int {
	low := func(k int) string {
		if k < 0 || k >= len(toks) {
			return ""
		}
		return toks[k].Low
	}
	switch w := low(i); {
	case drops[w]:
		return 1
	case w == "rid" && low(i+1) == "of":
		return 2
	case w == "against" && (decides[low(i-1)] || low(i-1) == "it"):
		if low(i+1) == "using" {
			return 2
		}
		return 1
	case w == "use" || w == "using":
		if stops[low(i-1)] || low(i-1) == "to" && low(i-2) == "not" {
			return 1
		}
	case leaving[w]:
		n := 1
		if low(i+n) == "away" {
			n++
		}
		if next := low(i + n); next == "off" || next == "from" {
			return n + 1
		}
	}
	return 0
}

var (
	drops   = lexis.Words("drop drops dropped dropping ditch ditched ditching scrap scrapped scrapping abandon abandoned abandoning axe axed shelve shelved")
	decides = lexis.Words("decide decided deciding vote voted voting")
	stops   = lexis.Words("longer stop stopped stopping not n't never")
	leaving = lexis.Words("move moved moving migrate migrated migrating switch switched switching")
	fillers = lexis.Words("a an the our their its my this that")
	adopts  = lexis.Words("use uses using keep keeps keeping adopt adopted choose chose chosen pick picked go going back return returning stay stays staying reinstate")
)

// named reads the name or the two to four words that stand first, before a mark, a number or a word that leads on.
func named(toks []lexis.Token, s string) string {
	for len(toks) > 0 && fillers[toks[0].Low] {
		toks = toks[1:]
	}
	n, own := 0, false
	for n < len(toks) && n < 5 && toks[n].Kind == lexis.Word && !lexis.Stops[toks[n].Low] {
		own = own || toks[n].Upper || lexis.Products[toks[n].Low]
		n++
	}
	if n == 0 || n == 5 || n == 1 && !own || n < len(toks) && toks[n].Is("off") {
		return "" // "we dropped Anna off"
	}
	return s[toks[0].Start:toks[n-1].End]
}

// reverses reports whether newer gives up what older decided for, or says that it is in use; or decides for what older gave up.
func reverses(newer, older *lukasa.Memory) bool {
	if newer.Kind != lukasa.KindDecision || over(older) || !sameSubject(older.Subject, newer.Subject) && !both(older, newer) {
		return false
	}
	gone, back := GivesUp(newer), GivesUp(older)
	switch {
	case gone != "" && back != "":
		return false
	case gone != "" && older.Kind == lukasa.KindDecision:
		return holdsWords(older.Content, gone)
	case gone != "":
		return predicate(older) == "uses" && normal(older.Value) == normal(gone)
	}
	return back != "" && holdsWords(newer.Content, back) && adopting(newer.Content)
}

func adopting(s string) bool {
	for w := range strings.FieldsSeq(normal(s)) {
		if adopts[w] {
			return true
		}
	}
	return false
}

// both reports whether two memories are said of "we".
func both(a, b *lukasa.Memory) bool {
	x, _ := a.Metadata[KeyShared].(bool)
	y, _ := b.Metadata[KeyShared].(bool)
	return x && y
}
