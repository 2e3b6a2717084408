package grammar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Bytes is the text of tokens, on one line.
func (c *Clause) Bytes(toks []lexis.Token) string {
	if len(toks) == 0 {
		return ""
	}
	return lexis.OneLine(c.S[toks[0].Start:toks[len(toks)-1].End])
}

// HardStops end every noun phrase.
var HardStops = lexis.Words(`but because so which who whom that when while since until though although if unless than now anymore too also lately
	nowadays currently
	again btw lol haha already right these atm instead though however even whereas where then just i we he she they is are was were am has have had
	will would
	anyway please thanks tho rn`)

// phraseStops add what ends names of places and employers, titles and the like.
var (
	PlaceStops = lexis.Words("with and or for since as at on from to by after before during because alone together and his her their my")
	OrgStops   = lexis.Words("with and or for since as on from by after before during in at where full part until")
	TitleStops = lexis.Words("with and or for since at in on from by after before during as who where")
	ObjStops   = lexis.Words("since until after before during every whenever")
)

// Phrase reads a noun phrase from token i of toks: up to a mark, a date or a stop. It returns the tokens and where they end.
func (c *Clause) Phrase(toks []lexis.Token, i int, stops map[string]bool) ([]lexis.Token, int) {
	start := i
	for i < len(toks) && i-start < 14 {
		t := toks[i]
		if t.Kind == lexis.Punct && !t.Is("&") && !t.Is("'") && !(t.Is(".") && i > start && toks[i-1].Upper && (len(toks[i-1].Low) <= 2 ||
			lexis.Titles[toks[i-1].Low])) && !(t.Is("+") && i == start) {
			break
		}
		if i > start && (HardStops[t.Low] || stops[t.Low]) && !(t.Upper && t.Low != "i" && toks[i-1].Upper) {
			break
		}
		if t.Is("any") && i+1 < len(toks) && (toks[i+1].Is("more") || toks[i+1].Is("longer")) {
			break
		}
		if i == start && HardStops[t.Low] {
			break
		}
		if c.Dated(t) || i > start && i+1 < len(toks) && behindNoun(toks, i) && !t.Is("called") && !t.Is("named") && !toks[i+1].Is("to") {
			break
		}
		i++
	}
	end := i
	for end > start && Trailing[toks[end-1].Low] {
		end--
	}
	return toks[start:end], i
}

// Trailing words do not end a noun phrase.
var Trailing = lexis.Words(`in on at from by to of for with the a an and or since before after until till during around about every this next
	last as really very not only back up by my our his her their some`)

// Dated reports whether a token belongs to a date.
func (c *Clause) Dated(t lexis.Token) bool {
	for _, m := range c.Dates {
		if t.Start >= m.Start && t.End <= m.End {
			return true
		}
	}
	return false
}

// Bare drops Articles and possessives from the start of a phrase.
func Bare(toks []lexis.Token) []lexis.Token {
	for len(toks) > 0 && Articles[toks[0].Low] {
		toks = toks[1:]
	}
	return toks
}

// Articles and possessives, and what else stands in their place.
var Articles = lexis.Words("a an the some any my our this that these those his her their its your")

// List splits "Portuguese, English and a bit of German" into its items; one item when they are no plain list.
func (c *Clause) List(toks []lexis.Token) []string {
	var out []string
	var item []lexis.Token
	flush := func() bool {
		item = Bare(item)
		if len(item) > 2 && (item[0].Is("bit") || item[0].Is("little")) {
			item = item[1:]
			if item[0].Is("of") {
				item = item[1:]
			}
		}
		for len(item) > 0 && lexis.Adverbs[item[0].Low] {
			item = item[1:]
		}
		if len(item) > 3 {
			return false
		}
		if len(item) > 0 {
			out = append(out, c.Bytes(item))
		}
		item = nil
		return true
	}
	for _, t := range toks {
		if t.Is(",") || t.Is("and") || t.Is("or") || t.Is("&") {
			if !flush() {
				return nil
			}
			continue
		}
		if t.Kind == lexis.Punct || HardStops[t.Low] || t.Is("not") || c.Dated(t) || len(item) == 0 && len(out) > 0 && lexis.Verbs[t.Low].Form == lexis.Third ||
			len(item) > 0 && (t.Is("with") || t.Is("by") || t.Is("as")) {
			break
		}
		item = append(item, t)
	}
	if !flush() {
		return nil
	}
	return out
}

// Prep is the word before a moment.
func (c *Clause) Prep(m lexis.Moment) string {
	for _, v := range slices.Backward(c.Toks) {
		if v.End <= m.Start && v.Kind == lexis.Word {
			return v.Low
		}
	}
	return ""
}

// AsOf reports "as of" before a moment.
func (c *Clause) AsOf(m lexis.Moment) bool {
	return strings.HasSuffix(strings.TrimRight(strings.ToLower(c.S[:m.Start]), " "), "as of")
}

// Anymore reports "not … any more".
func (c *Clause) Anymore() bool {
	if !c.Verb.Negated {
		return false
	}
	for i, t := range c.Toks {
		if t.Is("anymore") || t.Is("any") && i+1 < len(c.Toks) && (c.Toks[i+1].Is("more") || c.Toks[i+1].Is("longer")) {
			return true
		}
	}
	return false
}

// AgeOf reads 34, six; "" when w is no age.
func AgeOf(w string) string {
	if lexis.AllDigits(w) && len(w) <= 3 {
		if v, _ := strconv.Atoi(w); v > 0 && v < 120 {
			return w
		}
	}
	if lexis.SmallNumber(w) > 0 || w == "one" {
		return w
	}
	return ""
}

// Aged is the age that a clause gives whom it is about: "six", "34". "One" may be anything but an age, of "we", of who speaks, and of what has no known name.
func (c *Clause) Aged(w string) string {
	first, _, _ := strings.Cut(strings.ToLower(c.Subj.Name), " ")
	if c.Subj.We || w == "one" && (c.Subj.Kind == Speaker || c.Subj.Rel == "" && !lexis.GivenNames[first] && c.Cast.Knows(first) == "") {
		return ""
	}
	return AgeOf(w)
}

// EmptyObjects begin objects of "like" and "love" that say nothing lasting.
var EmptyObjects = lexis.Words(`you it this that these those how what when where why who him her them me us your yours his their its if to one
	ones everything anything something nothing so here there everyone all myself being more`)

// Finite reports whether a verb in a form with a subject stands among tokens.
func Finite(toks []lexis.Token) bool {
	return slices.ContainsFunc(toks, func(t lexis.Token) bool {
		return lexis.Verbs[t.Low].Form&(lexis.Third|lexis.Past) != 0 && !NounVerbs[t.Low] && !lexis.Ready[t.Low]
	})
}
