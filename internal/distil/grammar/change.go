package grammar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// TurnsOn reads how old somebody will be on the day of the clause, 0 when it does not say so: "I'll be 45 on 2 March", "Mum's 70 on Friday", "Leo turns three on Saturday".
func (c *Clause) TurnsOn() int {
	g := c.Verb
	if g.Past || g.Perfect || g.Negated || g.Modal != "" || g.Must || !c.Ahead() || c.Dates[0].Precision != lexis.ToDay {
		return 0
	}
	rest := c.Rest
	switch {
	case g.Be >= 0 && g.Lemma == "be":
		rest = c.Toks[g.Be+1:]
	case g.Lemma != "turn":
		return 0
	}
	for len(rest) > 0 && lexis.Adverbs[rest[0].Low] {
		rest = rest[1:]
	}
	if len(rest) < 2 || AgeOf(rest[0].Low) == "" || !c.Dated(rest[1]) && !rest[1].Is("on") && !rest[1].Is("this") && !rest[1].Is("next") {
		return 0
	}
	return years(rest[0].Low)
}

func years(w string) int {
	if n, err := strconv.Atoi(w); err == nil {
		return n
	}
	return lexis.SmallNumber(w)
}

// Acquired reads a thing with a name that somebody has from now on: "bought a Framework 13 last week".
func (c *Clause) Acquired() []lexis.Token {
	g := c.Verb
	if !g.Told() || g.Negated || g.Progressive || g.Passive || len(c.Rest) < 2 {
		return nil
	}
	rest := c.Rest
	switch g.Lemma {
	case "buy", "inherit":
	case "get", "order":
		if len(c.Dates) == 0 || c.Ahead() {
			return nil
		}
	case "pick":
		if !rest[0].Is("up") {
			return nil
		}
		rest = rest[1:]
	default:
		return nil
	}
	np, _ := c.Phrase(rest, 0, TitleStops)
	if len(np) < 2 || !np[0].Is("a") && !np[0].Is("an") || len(np) > 5 {
		return nil
	}
	named := -1
	for i, t := range np[1:] {
		if t.Upper && !lexis.Nationalities[t.Low] && !lexis.PlaceNames[t.Low] {
			named = i + 1
			break
		}
	}
	if named < 0 || np[len(np)-1].Kind == lexis.Word && !np[len(np)-1].Upper {
		return nil
	}
	return np[1:]
}

// GivenUp reads what somebody does without: "gave up coffee a fortnight ago".
func (c *Clause) GivenUp() []lexis.Token {
	g := c.Verb
	if g.Lemma != "give" || !c.Follows("up") || !g.Told() || g.Negated || len(c.Rest) < 2 || c.Rest[1].Is("on") {
		return nil
	}
	np, _ := c.Phrase(c.Rest, 1, ObjStops)
	np = Bare(np)
	if len(np) == 0 || len(np) > 4 || EmptyObjects[np[0].Low] || lexis.Vague[np[0].Low] {
		return nil
	}
	return np
}

// Lacks reports what somebody has not: "we don't have a car", "I've never been to Australia", "she isn't allergic to anything".
func (c *Clause) Lacks() bool {
	g := c.Verb
	if c.Subj.Kind != Speaker && c.Subj.Kind != Someone || g.Modal != "" || g.Future || g.Must || c.Anymore() {
		return false
	}
	never := g.Never && g.Perfect && g.Lemma == "be" && len(c.Rest) > 1 && c.Rest[0].Is("to") && c.Rest[1].Upper
	without := g.Negated && g.Lemma == "have" && g.Current() && !g.Perfect && len(c.Rest) > 0 && len(c.Rest) < 5 && Lacking[c.Rest[len(c.Rest)-1].Low]
	free := g.Negated && g.Be >= 0 && g.Current() && !g.Progressive && len(c.Toks) > g.Be+2 && MentionsAny(c.Toks[g.Be+1:min(len(c.Toks), g.Be+3)], allergies)
	return never || without || free
}

var allergies = lexis.Words("allergic")

// MentionsAny reports whether a token is one of the words.
func MentionsAny(toks []lexis.Token, words map[string]bool) bool {
	for _, t := range toks {
		if words[t.Low] {
			return true
		}
	}
	return false
}

// Served reads where somebody has been employed, and whether that is over: "I've been at Fernhill since 2019", "I was at Nokia for eight years".
func (c *Clause) Served(comp []lexis.Token) (org string, over bool) {
	g := c.Verb
	if len(comp) < 2 || !comp[0].Is("at") && !(comp[0].Is("with") && lexis.Companies[comp[1].Low]) || g.Negated || g.Future ||
		c.Subj.Kind != Speaker && c.Subj.Kind != Someone {
		return "", false
	}
	np, end := c.Phrase(comp, 1, OrgStops)
	the := len(np) > 1 && np[0].Is("the")
	np = Bare(np)
	if len(np) == 0 || len(np) > 4 || !np[0].Upper || lexis.PlaceNames[np[0].Low] || lexis.GivenNames[np[0].Low] || end >= len(comp) {
		return "", false
	}
	org = c.Bytes(np)
	if the {
		org = "the " + org
	}
	_, lasting := lexis.Duration(c.Toks, c.At)
	switch {
	case g.Perfect && !g.Past && (lasting || comp[end].Is("since")):
		return org, false
	case g.Past && !g.Perfect && lasting:
		return org, true
	}
	return "", false
}

// StartedAt reads a new employer: "started at Vantage last Monday as a product manager".
func (c *Clause) StartedAt() string {
	g := c.Verb
	if g.Lemma != "start" && g.Lemma != "begin" || !g.Told() || g.Negated || g.Progressive || !c.Follows("at") || len(c.Rest) < 2 || !c.Rest[1].Upper ||
		len(c.Dates) == 0 || c.Dates[0].Precision == lexis.ToYear {
		return ""
	}
	return c.Employer(c.Rest, 1)
}

// Fancies reads what kind of person somebody is: "I'm a folk person", "not a coffee person", "more of a tea person".
func (c *Clause) Fancies(comp []lexis.Token) []lexis.Token {
	for len(comp) > 0 && (comp[0].Is("more") || comp[0].Is("of") || comp[0].Is("such") || comp[0].Is("really")) {
		comp = comp[1:]
	}
	if len(comp) < 3 || !comp[0].Is("a") && !comp[0].Is("an") || !c.Verb.Current() {
		return nil
	}
	at := -1
	for i := 2; i < min(len(comp), 4); i++ {
		if comp[i].Is("person") && (i+1 == len(comp) || comp[i+1].Kind == lexis.Punct || comp[i+1].Is("and") || comp[i+1].Is("myself")) {
			at = i
		}
	}
	if at < 0 || lexis.Plain[comp[1].Low] || lexis.Stops[comp[1].Low] || lexis.DayParts[comp[1].Low] || comp[1].Is("people") {
		return nil
	}
	return comp[1:at]
}

// Remains reports what those who speak keep to: "we stay on Postgres 15 until the freeze", "we're staying in Munich".
func (c *Clause) Remains() bool {
	g := c.Verb
	if (g.Lemma != "stay" && g.Lemma != "stick") || !c.Subj.We || !g.Current() && !g.Future || g.Negated || g.Perfect || len(c.Rest) < 2 ||
		!c.Rest[0].Is("on") && !c.Rest[0].Is("with") && !c.Rest[0].Is("in") || !c.Rest[1].Upper || len(c.Dates) > 0 && c.Prep(c.Dates[0]) != "until" {
		return false
	}
	return true
}

// Recurs reports "on Mondays", "twice a week", "three times a month".
func (c *Clause) Recurs() bool {
	for i, t := range c.Toks {
		if strings.HasSuffix(t.Low, "days") && lexis.IsDateWord(strings.TrimSuffix(t.Low, "s")) {
			return true
		}
		if i > 0 && i+2 < len(c.Toks) && (t.Is("times") || t.Is("twice") || t.Is("once")) && c.Toks[i+1].Is("a") && lexis.TimeUnits[c.Toks[i+2].Low] {
			return true
		}
	}
	return false
}

// Dreams reads what somebody would love: "I'd love to see Japan", "I've always wanted to go".
func (c *Clause) Dreams() []lexis.Token {
	g := c.Verb
	rest := c.Rest
	would := g.Modal == "would" && g.Lemma == "love" && !g.Negated
	always := g.Lemma == "want" && g.Perfect && g.Always
	if !would && !always || len(rest) < 3 || !rest[0].Is("to") || !Wishes[rest[1].Low] && !rest[1].Is("see") && !rest[1].Is("go") ||
		Mentions(rest, "you", "your", "it", "that", "this") || c.Subj.Kind != Speaker && c.Subj.Kind != Someone {
		return nil
	}
	np, _ := c.Phrase(rest, 0, dreamStops)
	if len(np) < 3 || len(np) > 9 {
		return nil
	}
	return np
}

var dreamStops = lexis.Words("because since one")

// Softened drops the words that lead up to a request.
func Softened(toks []lexis.Token) []lexis.Token {
	for len(toks) > 1 && (toks[0].Kind == lexis.Punct || Softeners[toks[0].Low]) {
		toks = toks[1:]
	}
	return toks
}

// ObjectAt reports whether a thing of its own stands at token i: "a table", "Grace", "milk", "to Grace".
func ObjectAt(toks []lexis.Token, i int) bool {
	if i < len(toks) && (toks[i].Is("to") || toks[i].Is("in") || toks[i].Is("up") || toks[i].Is("out")) {
		i++
	}
	if i >= len(toks) || toks[i].Kind == lexis.Punct {
		return false
	}
	t := toks[i]
	return t.Upper && t.Low != "i" || Determined[t.Low] || t.Kind == lexis.Number || t.Kind == lexis.Link ||
		!lexis.Stops[t.Low] && !EmptyObjects[t.Low] && !lexis.Adverbs[t.Low] && !lexis.Vague[t.Low]
}

// OwnName returns how many tokens of comp are the speaker's own name, written with or without capitals; 0 when it is not.
func (c *Clause) OwnName(comp []lexis.Token) int {
	first, _, _ := strings.Cut(strings.ToLower(c.Me), " ")
	if c.Me == "user" || comp[0].Low != first {
		return 0
	}
	end := 1
	for end < len(comp) && end < 3 && comp[end].Kind == lexis.Word && comp[end].Upper == comp[0].Upper && !lexis.Stops[comp[end].Low] &&
		!lexis.Adverbs[comp[end].Low] && !Leads[comp[end].Low] {
		end++
	}
	return end
}

// SelfNamed returns the token behind the speaker's own name, where the clause tells it: "I'm Yuki, frontend"; 0 where it does not.
func (c *Clause) SelfNamed() int {
	if c.Subj.Kind != Speaker || c.Verb.Lemma != "be" || len(c.Rest) == 0 || c.OwnName(c.Rest) == 0 {
		return 0
	}
	to := c.Verb.Next + c.OwnName(c.Rest)
	if to < len(c.Toks) && c.Toks[to].Is(",") {
		to++
	}
	return to
}

// NameList reads "Alva and Nils", "Alva, Nils and Ida".
func (c *Clause) NameList(toks []lexis.Token) []string {
	var out []string
	for _, t := range toks {
		switch {
		case t.Is(",") || t.Is("and") || t.Is("&"):
		case t.Kind == lexis.Word && t.Upper && t.Low != "i" && len(out) < 8:
			out = append(out, t.Of(c.S))
		default:
			return out
		}
	}
	return out
}

// Blank overwrites spans of s with line ends, so that offsets stay.
func Blank(s string, spans []text.Span) string {
	if len(spans) == 0 {
		return s
	}
	b := []byte(s)
	for _, sp := range spans {
		for i := max(0, sp.Start); i < min(sp.End, len(b)); i++ {
			b[i] = '\n'
		}
	}
	return string(b)
}

// LastPlace is the place that stretch [from, to) of the text names last: what "we moved there" means.
func (x *Scene) LastPlace(from, to int) string {
	c := Clause{Scene: x, Toks: lexis.Lex(nil, x.S, from, to)}
	place := ""
	for i, t := range c.Toks[:max(0, len(c.Toks)-1)] {
		if next := c.Toks[i+1]; (t.Is("in") || t.Is("to") || t.Is("near")) && next.Upper && !lexis.IsDateWord(next.Low) {
			np, _ := c.Phrase(c.Toks, i+1, PlaceStops)
			place = c.Bytes(np)
		}
	}
	return place
}

// asides end a sentence and say nothing.
var asides = [][]string{{"btw"}, {"by", "the", "way"}, {"tbh"}, {"fyi"}}

// Trimmed is t without the emphasis marks, bullets, asides and closing marks around the sentence's tokens.
func Trimmed(t []lexis.Token) []lexis.Token {
	for len(t) > 0 && t[0].Kind == lexis.Punct && !t[0].Is("[") {
		t = t[1:]
	}
	for len(t) > 0 && t[len(t)-1].Kind == lexis.Punct && !t[len(t)-1].Is(")") {
		t = t[:len(t)-1]
	}
	if len(t) > 3 && t[0].Is("no") && t[1].Kind == lexis.Word && !lexis.Common(t[1].Low) && !lexis.Stops[t[1].Low] && lexis.BeForms[t[2].Low] {
		t = t[1:] // "no gofpdf is dead" contradicts, and counts nothing
	}
	for _, aside := range asides {
		if n := len(t) - len(aside); n > 2 && Starts(t[n:], aside...) {
			for t = t[:n]; t[len(t)-1].Is(","); {
				t = t[:len(t)-1]
			}
		}
	}
	marked := func(k lexis.Token) bool { return k.Kind == lexis.Punct && (k.Is("*") || k.Is("_") || k.Is("`")) }
	if !slices.ContainsFunc(t, marked) {
		return slices.Clip(t)
	}
	return slices.DeleteFunc(slices.Clone(t), marked)
}

// Leans returns how many tokens of "fond of jazz" stand before what somebody is fond of; 0 when nobody is.
func Leans(comp []lexis.Token) int {
	i := 0
	switch {
	case Starts(comp, "into"), Starts(comp, "onto"):
		i = 1
	case Starts(comp, "fond", "of"), Starts(comp, "crazy", "about"), Starts(comp,
		"passionate", "about"), Starts(comp, "keen", "on"), Starts(comp, "obsessed", "with"),
		Starts(comp, "interested", "in"), Starts(comp, "addicted", "to"), Starts(comp, "mad", "about"):
		i = 2
	case Starts(comp, "a", "fan", "of"):
		i = 3
	case len(comp) > 4 && comp[0].Is("a") && comp[2].Is("fan") && comp[3].Is("of"):
		i = 4
	}
	return i
}

// Trails reports whether a piece is nothing but a date, which belongs to what stands before it.
func (x *Scene) Trails(sp text.Span) bool {
	if sp.End-sp.Start > 40 {
		return false
	}
	toks := lexis.Lex(nil, x.S, sp.Start, sp.End)
	for len(toks) > 0 && toks[0].Kind == lexis.Punct {
		toks = toks[1:]
	}
	dates := lexis.FindDates(toks, x.At, -1)
	return len(dates) == 1 && len(toks) > 0 && dates[0].Start <= toks[min(1, len(toks)-1)].Start && dates[0].End >= toks[len(toks)-1].End-1
}

// DietOf is what somebody is at table, "" when the complement tells something else.
func DietOf(comp []lexis.Token) string {
	i := 0
	for i < len(comp) && (comp[i].Is("a") || comp[i].Is("an") || comp[i].Is("strict")) {
		i++
	}
	if i < len(comp) && lexis.Diets[comp[i].Low] && (i+1 == len(comp) || HardStops[comp[i+1].Low] || comp[i+1].Is("and") ||
		comp[i+1].Is(",") || comp[i+1].Is("since") || comp[i+1].Is("for")) {
		return comp[i].Low
	}
	return ""
}
