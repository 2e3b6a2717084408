package lexis

import (
	"hash/fnv"
	"math/bits"
	"strings"
	"unicode"
)

// orders are phrases by which a text addresses the machine that reads it, with the reason given for each.
var orders = []struct{ phrase, reason string }{
	{"ignore all previous", "tells the reader to ignore its instructions"},
	{"ignore previous", "tells the reader to ignore its instructions"},
	{"ignore the above", "tells the reader to ignore its instructions"},
	{"ignore any previous", "tells the reader to ignore its instructions"},
	{"ignore your instructions", "tells the reader to ignore its instructions"},
	{"ignore all prior", "tells the reader to ignore its instructions"},
	{"ignore prior", "tells the reader to ignore its instructions"},
	{"ignore all instructions", "tells the reader to ignore its instructions"},
	{"disregard previous", "tells the reader to ignore its instructions"},
	{"disregard all previous", "tells the reader to ignore its instructions"},
	{"disregard the above", "tells the reader to ignore its instructions"},
	{"disregard all prior", "tells the reader to ignore its instructions"},
	{"disregard your", "tells the reader to ignore its instructions"},
	{"forget everything above", "tells the reader to ignore its instructions"},
	{"forget all previous", "tells the reader to ignore its instructions"},
	{"forget your instructions", "tells the reader to ignore its instructions"},
	{"override your", "tells the reader to ignore its instructions"},
	{"bypass your", "tells the reader to ignore its instructions"},
	{"new instructions:", "gives instructions"},
	{"system prompt", "speaks of the system prompt"},
	{"system:", "poses as the system"},
	{"<system>", "poses as the system"},
	{"[system]", "poses as the system"},
	{"<|im_start|>", "poses as the system"},
	{"[inst]", "poses as the system"},
	{"### instruction", "gives instructions"},
	{"you must remember", "orders what to remember"},
	{"you must always", "orders what to do"},
	{"you must never", "orders what to do"},
	{"you must now", "orders what to do"},
	{"always remember that", "orders what to remember"},
	{"remember forever", "orders what to remember"},
	{"save to memory", "orders what to remember"},
	{"save this to memory", "orders what to remember"},
	{"store this in memory", "orders what to remember"},
	{"store in your memory", "orders what to remember"},
	{"add to your memory", "orders what to remember"},
	{"update your memory", "orders what to remember"},
	{"commit this to memory", "orders what to remember"},
	{"delete your memory", "orders what to forget"},
	{"erase your memory", "orders what to forget"},
	{"you are now", "gives the reader a role"},
	{"from now on you", "gives the reader a role"},
	{"from now on, you", "gives the reader a role"},
	{"pretend to be", "gives the reader a role"},
	{"act as if you", "gives the reader a role"},
	{"jailbreak", "speaks of breaking limits"},
	{"developer mode", "speaks of breaking limits"},
	{"do anything now", "speaks of breaking limits"},
	{"without telling the user", "hides from the user"},
	{"do not tell the user", "hides from the user"},
	{"don't tell the user", "hides from the user"},
	{"do not mention this to the user", "hides from the user"},
	{"do not inform the user", "hides from the user"},
	{"do not reveal", "hides from the user"},
	{"reveal your", "asks for secrets"},
	{"print your instructions", "asks for secrets"},
	{"repeat your instructions", "asks for secrets"},
	{"send the api key", "asks for secrets"},
	{"send your api key", "asks for secrets"},
	{"exfiltrate", "asks for secrets"},
	{"when the user asks", "tells the reader how to answer"},
	{"if the user asks", "tells the reader how to answer"},
	{"tell the user that", "tells the reader how to answer"},
	{"as an ai language model", "addresses a model"},
	{"dear ai", "addresses a model"},
	{"attention ai", "addresses a model"},
	{"ai assistants", "addresses a model"},
	{"note to ai", "addresses a model"},
	{"instructions for the assistant", "addresses a model"},
	{"instructions to the assistant", "addresses a model"},
	{"hey assistant", "addresses a model"},
	{"the assistant must", "orders what to do"},
	{"the assistant should", "orders what to do"},
	{"call the tool", "orders a tool call"},
	{"run the following command", "orders a command"},
	{"execute the following", "orders a command"},
}

// Suspicious reports whether s holds text that tries to give a reading model orders (ignore instructions, remember this, act as, hide from the
// user), and
// why. It looks through odd spacing, case, invisible characters and full-width letters. It is meant for text of web and tool origin, where such
// text is quarantined; an honest
// page about such attacks is caught too.
func Suspicious(s string) (bool, string) {
	score, reasons := Threat(s)
	if score < Quarantine {
		return false, ""
	}
	return true, reasons[0]
}

// flatten makes text comparable: lower case, single spaces, ASCII for full-width letters, no emphasis or invisible characters.
func flatten(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := true
	for _, r := range s {
		switch {
		case r == '’':
			r = '\''
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0
		case r == '*' || r == '_' || r == '`' || unicode.Is(unicode.Cf, r):
			continue
		}
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// hidden reports tag characters (U+E0020 to U+E007F), which show nothing and spell ASCII.
func hidden(s string) bool {
	n := 0
	for _, r := range s {
		if r >= 0xE0020 && r <= 0xE007F {
			n++
		}
	}
	return n > 7
}

// Key is the near-duplicate key of a statement: 64 bits over its content words, without regard to case,
// punctuation, small words, plural endings and tense. Statements that say the same in nearly the same words
// have the same key or one that differs in few bits ([Distance]); so may some that do not, so that merge.Similar has the last word. A SimHash
// (Charikar 2002) over words and pairs of neighbours.
func Key(s string) uint64 {
	words := KeyWords(s)
	var sums [64]int
	put := func(v uint64, weight int) {
		for i := range sums {
			if v>>i&1 == 1 {
				sums[i] += weight
			} else {
				sums[i] -= weight
			}
		}
	}
	for i, w := range words {
		put(spread(w), 3)
		if i > 0 {
			put(pair(words[i-1], w), 1)
		}
	}
	var key uint64
	for i, v := range sums {
		if v > 0 {
			key |= 1 << i
		}
	}
	return key
}

// Distance is the number of bits in which two keys differ.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// spread is the hash of a word.
func spread(w string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(w)) // a hash never fails to write
	return mix(h.Sum64())
}

// pair is the hash of two neighbours, whichever stands first.
func pair(a, b string) uint64 { return spread(min(a, b) + " " + max(a, b)) }

// mix spreads the bits of a hash (the finaliser of SplitMix64).
func mix(v uint64) uint64 {
	v ^= v >> 30
	v *= 0xbf58476d1ce4e5b9
	v ^= v >> 27
	v *= 0x94d049bb133111eb
	return v ^ v>>31
}

// KeyWords are the content words of a statement in their singular, negations kept.
func KeyWords(s string) []string {
	var out []string
	for _, t := range Lex(nil, s, 0, len(s)) {
		switch {
		case t.Is("n't") || t.Is("not") || t.Is("never") || t.Is("no"):
			out = append(out, "not")
		case t.Kind == Punct || Stops[t.Low] && !t.Is("like"):
		default:
			w := Singular(t.Low)
			if v, ok := Verbs[t.Low]; ok && t.Kind == Word {
				w = v.Lemma
			}
			out = append(out, w)
		}
	}
	return out
}
