package pg

import "strings"

// is reports whether the token at i is a word, or an operator.
func (r *rewriter) is(i int, text string) bool {
	if i >= len(r.tokens) {
		return false
	}
	k := r.tokens[i]
	return (k.kind == tokenWord && strings.EqualFold(k.text, text)) || (k.kind == tokenOther && k.text == text)
}

// after returns the place of the next token that is not space.
func (r *rewriter) after(i int) int {
	for i++; i < len(r.tokens) && r.tokens[i].kind == tokenSpace; i++ {
	}
	return i
}

// before returns the token right before i, in lower case.
func (r *rewriter) before(i int) string {
	if i == 0 {
		return ""
	}
	return strings.ToLower(r.tokens[i-1].text)
}

// beforeWord returns the last token before i that is not space, in lower case.
func (r *rewriter) beforeWord(i int) string {
	for i--; i >= 0 && r.tokens[i].kind == tokenSpace; i-- {
	}
	return r.before(i + 1)
}

// words reports whether words follow one another from i on.
func (r *rewriter) words(i, end int, list ...string) bool {
	for _, w := range list {
		if i >= end || !r.is(i, w) {
			return false
		}
		i = r.after(i)
	}
	return true
}

// closing returns the place of the bracket that closes the one at open, -1 if none does.
func (r *rewriter) closing(open int) int {
	depth := 0
	for i := open; i < len(r.tokens); i++ {
		switch {
		case r.is(i, "("):
			depth++
		case r.is(i, ")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// comma returns the place of the first comma between brackets that stands in no others, or that of the closing one.
func (r *rewriter) comma(open, last int) int {
	depth := 0
	for i := open; i < last; i++ {
		switch {
		case r.is(i, "("):
			depth++
		case r.is(i, ")"):
			depth--
		case depth == 1 && r.is(i, ","):
			return i
		}
	}
	return last
}

// joinEnds are the words that end what a CROSS JOIN joins.
var joinEnds = map[string]bool{
	"join": true, "cross": true, "left": true, "right": true, "full": true, "inner": true, "natural": true, "where": true, "group": true, "having": true,
	"order": true, "limit": true, "offset": true, "union": true, "except": true, "intersect": true, "returning": true, "window": true, ",": true, ")": true, ";": true,
}

// hasOn reports whether what is joined at i has a condition.
func (r *rewriter) hasOn(i, end int) bool {
	for i < end {
		switch text := strings.ToLower(r.tokens[i].text); {
		case r.is(i, "on"), r.is(i, "using"):
			return true
		case r.is(i, "("):
			if i = r.closing(i); i < 0 {
				return false
			}
		case r.tokens[i].kind != tokenQuoted && r.tokens[i].kind != tokenText && joinEnds[text]:
			return false
		}
		i = r.after(i)
	}
	return false
}

// alias reports whether the token at i is an alias, or an AS before one.
func (r *rewriter) alias(i int) bool {
	if i >= len(r.tokens) {
		return false
	}
	switch k := r.tokens[i]; k.kind {
	case tokenQuoted:
		return true
	case tokenWord:
		return !joinEnds[strings.ToLower(k.text)] && !r.is(i, "on") && !r.is(i, "using")
	}
	return false
}
