package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Part is a stretch of a sentence with a verb of its own.
type Part struct {
	Toks        []lexis.Token
	Joined      bool // its subject may be that of the part before: "… and work at Airbus"
	Conditional bool // behind if, unless, until …: says nothing for sure
}

// SubjectPronouns can begin a clause.
var SubjectPronouns = lexis.Words("i we he she they it my our")

var conditionals = lexis.Words("if unless until whenever whether lest")

var subordinators = lexis.Words("because bc cos cuz since although though while whereas when after before so as where once")

var knowing = lexis.Words("know knows sure idea clue wonder wondering")

// Parts cuts a sentence at semicolons, dashes, conjunctions and subordinators that a subject or a verb follows.
func Parts(toks []lexis.Token) []Part {
	var out []Part
	start, joined, conditional := 0, false, false
	cut := func(end, next int, j, cond bool) {
		if end > start {
			out = append(out, Part{trimClause(toks[start:end]), joined, conditional})
		}
		start, joined, conditional = next, j, cond
	}
	for i := 0; i < len(toks); i++ {
		w := toks[i].Low
		switch {
		case w == ":" && i > start && lists(toks[i+1:]) && hasVerb(toks[start:i]): // "three environments: dev, staging and prod"
		case w == ";" || w == "—" || w == "–" || w == ":" && i > 0 || w == "-" && i > 0 && toks[i].Start > toks[i-1].End:
			cut(i, i+1, false, false)
		case i > 0 && indirect[w] && knowing[toks[i-1].Low]: // "do you know when it opens" is one question
		case conditionals[w] && i > 0 && !timeBehind(toks, i+1):
			cut(i, i+1, false, true)
		case w == "and" && i > 0 && toks[i-1].Is("born"):
		case w == "," && i > start && i+2 < len(toks) && toks[i+1].Is("so") && hasVerb(toks[start:i]):
			cut(i, i+2, false, false)
		case w == "," || w == "and" || w == "but" || w == "yet" || w == "or" || w == "then":
			j := i + 1
			for j < len(toks) && (toks[j].Is("and") || toks[j].Is("but") || toks[j].Is("so") || toks[j].Is("then") || toks[j].Is("yet")) {
				j++
			}
			newClause, shares := startsClause(toks, j, w == ",")
			if i > start && newClause && (w == "," || w == "but" || hasVerb(toks[start:i])) && !(shares && qualifies(toks, start, i, j)) {
				cut(i, j, shares, conditional && shares || conditional && w == "and")
				i = j - 1
			}
		case (w == "i" || w == "my") && i > start+1 && runsOn(toks[start:i], toks[i:]):
			cut(i, i, false, false)
		case subordinators[w] && i > start && hasSubject(toks, i+1):
			cut(i, i+1, false, w == "when" || w == "once" || w == "before" || w == "as")
		}
	}
	cut(len(toks), len(toks), false, false)
	return out
}

// runsOn reports whether "I" or "my" begins a new clause without a mark before it: "I'm pregnant I'm not getting the tram", "im Tom i run the shop", "i
// can't come on friday my mother has surgery". Behind a noun of its own it tells more of that: "the tram I'm on".
func runsOn(before, behind []lexis.Token) bool {
	last, dated := before[len(before)-1], lexis.IsDateWord(before[len(before)-1].Low)
	if len(behind) < 3 || before[0].Low != "i" || !hasVerb(before) || MentionsAny(before, conditionals) || Mentions(before, "when") || last.Kind != lexis.Word ||
		lexis.Stops[last.Low] && !dated || lexis.Verbs[last.Low].Known() || lexis.Adverbs[last.Low] || strings.HasSuffix(last.Low, "s") ||
		Determined[before[max(0, len(before)-2)].Low] {
		return false
	}
	next := behind[1].Low
	if behind[0].Is("my") {
		return dated && Finite(behind[1:min(len(behind), 4)])
	}
	return longForms[next] != "" || (dated || len(before) == 3 && before[1].Is("'m")) && (lexis.BeForms[next] || lexis.IsBase(next) || lexis.Modals[next])
}

// Backdrop reports whether a clause only tells since or after when something is so, and no day of its own: "she has lost weight since Dad died".
func Backdrop(sentence, clause []lexis.Token) bool {
	i := slices.IndexFunc(sentence, func(t lexis.Token) bool { return len(clause) > 0 && t.Start >= clause[0].Start })
	return i > 0 && Mentions(sentence[i-1:i], "since", "after", "before", "until", "while")
}

// lists reports whether words are no more than a list of things.
func lists(toks []lexis.Token) bool {
	return Mentions(toks, ",", "and") && !slices.ContainsFunc(toks, func(t lexis.Token) bool {
		return SubjectPronouns[t.Low] || lexis.Stops[t.Low] && !listed[t.Low] || lexis.Verbs[t.Low].Known() && !t.Upper && !NounVerbs[t.Low] || t.Is(";") || t.Is(":")
	})
}

var listed = lexis.Words("and a an the of for or in with")

// hasVerb reports whether a verb stands among the tokens: "Pedro and I" is one subject.
func hasVerb(toks []lexis.Token) bool {
	return slices.ContainsFunc(toks, func(t lexis.Token) bool {
		_, ok := lexis.Verbs[t.Low]
		return ok && !NounVerbs[t.Low] || !ok && lexis.LooksPast(t) || lexis.BeForms[t.Low] || t.Is("'s") || lexis.Modals[t.Low]
	})
}

func trimClause(toks []lexis.Token) []lexis.Token {
	for len(toks) > 0 && toks[len(toks)-1].Kind == lexis.Punct && !toks[len(toks)-1].Is(")") {
		toks = toks[:len(toks)-1]
	}
	return toks
}

// timeBehind reports whether "until" and the like are followed by a date and not by a clause.
func timeBehind(toks []lexis.Token, i int) bool { return !hasSubject(toks, i) }

// hasSubject reports whether a subject and a verb begin at token i.
func hasSubject(toks []lexis.Token, i int) bool {
	if i >= len(toks) {
		return false
	}
	if SubjectPronouns[toks[i].Low] || toks[i].Is("you") || toks[i].Is("there") {
		return true
	}
	if w := toks[i].Low; w == "his" || w == "her" || w == "their" || w == "the" {
		for j := i + 2; j < len(toks) && j < i+5 && toks[j].Kind == lexis.Word; j++ {
			v := lexis.Verbs[toks[j].Low]
			if lexis.BeForms[toks[j].Low] || v.Form&lexis.Third != 0 && !NounVerbs[toks[j].Low] || v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0 &&
				w != "the" || toks[j].Is("has") || toks[j].Is("will") || w != "the" && toks[j].Is("'s") {
				return true
			}
		}
	}
	if toks[i].Is("the") {
		for j := i + 2; j < len(toks) && j < i+6 && toks[j].Kind != lexis.Punct; j++ {
			if lexis.BeForms[toks[j].Low] {
				return true
			}
		}
		return false
	}
	if toks[i].Kind == lexis.Word && toks[i].Upper && i+1 < len(toks) {
		_, ok := lexis.Verbs[toks[i+1].Low]
		return ok || lexis.BeForms[toks[i+1].Low] || lexis.Modals[toks[i+1].Low] || toks[i+1].Is("'s") && holdsVerb(toks, i+2)
	}
	return false
}

// startsClause reports whether a clause begins at token j, and whether it lacks a subject of its own.
func startsClause(toks []lexis.Token, j int, comma bool) (Starts, shares bool) {
	if j >= len(toks) {
		return false, false
	}
	if hasSubject(toks, j) {
		return true, false
	}
	for j < len(toks) && (lexis.Adverbs[toks[j].Low] || toks[j].Is("not") || toks[j].Is("never")) {
		j++
	}
	if j >= len(toks) {
		return false, false
	}
	t := toks[j]
	if t.Upper && t.Low != "i" {
		return false, false
	}
	if comma && j+2 < len(toks) && t.Kind == lexis.Word && !lexis.Stops[t.Low] && (toks[j+1].Is("is") || toks[j+1].Is("are") || toks[j+1].Is("was") ||
		toks[j+1].Is("were")) {
		return true, false // ", deadline is …"
	}
	v, ok := lexis.Verbs[t.Low]
	switch {
	case lexis.BeForms[t.Low] && t.Low != "being" && t.Low != "been" && t.Low != "be", t.Is("has"), t.Is("have"), t.Is("had"), t.Is("will"):
		return true, true
	case !ok || v.Form == lexis.Gerund, NounVerbs[t.Low] && !(j+1 < len(toks) && verbTail[toks[j+1].Low]):
		return false, false
	case comma && v.Form&lexis.Past == 0:
		return false, false
	}
	return true, true
}

// qualifies reports whether the form at token j tells more of a noun that stands before, and has no subject: "a tool built by Jo and published in May",
// "the report, sent on Monday", "docs are built in May and published in June". Where a participle stands behind a noun already, one that follows is its
// like, unless all is told in the past.
func qualifies(toks []lexis.Token, start, i, j int) bool {
	for j < len(toks) && lexis.Adverbs[toks[j].Low] {
		j++
	}
	if j >= len(toks) || lexis.Verbs[toks[j].Low].Form&lexis.Participle == 0 {
		return false
	}
	by := j+2 < len(toks) && toks[j+1].Is("by") && !lexis.IsDateWord(toks[j+2].Low)
	part := toks[start:i]
	if toks[i].Is(",") {
		return by || Determined[part[0].Low] && !hasVerb(part)
	}
	if j+1 < len(toks) && (Determined[toks[j+1].Low] || toks[j+1].Is("to") || toks[j+1].Upper || toks[j+1].Kind == lexis.Number) {
		return false
	}
	rel := ""
	if len(part) > 1 {
		rel, _ = RelationAt(part, 1)
	}
	thing, present := rel == "" && !SubjectPronouns[part[0].Low] && (!named(part[0]) || len(part) > 1 && part[1].Is("are")), false
	for k, t := range part {
		v := lexis.Verbs[t.Low]
		switch {
		case k > 0 && lexis.BeForms[part[k-1].Low] && v.Form&(lexis.Participle|lexis.Base) == lexis.Participle:
			return thing // "docs are built with mdbook and published on Friday"
		case k > 0 && behindNoun(part, k):
			return present || by
		case t.Is("was"), t.Is("were"):
			continue
		case v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0:
			return false
		}
		present = present || lexis.BeForms[t.Low] || t.Is("'s") || v.Known() && !NounVerbs[t.Low]
	}
	return false
}

// behindNoun reports whether token i is a participle that tells more of the noun before it: "built" in "a house built in 1902".
func behindNoun(toks []lexis.Token, i int) bool {
	t, noun := toks[i], toks[i-1]
	return !t.Upper && lexis.Verbs[t.Low].Form&(lexis.Participle|lexis.Base) == lexis.Participle && noun.Kind == lexis.Word && !lexis.Stops[noun.Low] &&
		!lexis.Adverbs[noun.Low] && !lexis.Modals[noun.Low] && !lexis.BeForms[noun.Low] && noun.Low[0] != '\'' && !lexis.Verbs[noun.Low].Known() &&
		(i+1 == len(toks) || Prepositions[toks[i+1].Low] || toks[i+1].Is("last") || toks[i+1].Is("and") || toks[i].Is("called") || toks[i].Is("named"))
}

// verbTail are words that make a verb of a form that may be a noun: "and work at".
var verbTail = lexis.Words("at for as in the a my our")

// NounVerbs are verb forms that are nouns more often behind "and".
var NounVerbs = lexis.Words(`play plays stay work works love loves run runs swim walk walks rest name names water plant plants cook cooks drink
	drinks sleep travel visit visits change changes plan plans email phone text report reports test tests show shows show post posts talk talks set
	exercise ski climb dance design study help hope fear practice practise host call calls read ship ships drive ride share support show iron bear
	fly record notice paint present train trains board book books order orders garden`)

// Follows reports whether the rest begins with the words.
func (c *Clause) Follows(words ...string) bool { return Starts(c.Rest, words...) }

// Starts reports whether tokens begin with the words.
func Starts(toks []lexis.Token, words ...string) bool {
	if len(toks) < len(words) {
		return false
	}
	for i, w := range words {
		if toks[i].Low != w {
			return false
		}
	}
	return true
}

// LastWord is the last word of a noun phrase.
func LastWord(s string) string {
	return strings.ToLower(s[strings.LastIndexByte(s, ' ')+1:])
}

// Mentions reports whether one of the words stands among the tokens.
func Mentions(toks []lexis.Token, words ...string) bool {
	for _, t := range toks {
		if slices.Contains(words, t.Low) {
			return true
		}
	}
	return false
}

// Next is the word behind token i, "" at the end.
func Next(toks []lexis.Token, i int) string {
	if i+1 < len(toks) {
		return toks[i+1].Low
	}
	return ""
}

// SplitOrders cuts "always use tabs, never add a dependency, and run make lint" into its orders.
func SplitOrders(toks []lexis.Token) [][]lexis.Token {
	var out [][]lexis.Token
	start := 0
	for i := 1; i+1 < len(toks); i++ {
		if !toks[i].Is(",") {
			continue
		}
		j := i + 1
		for j < len(toks) && toks[j].Is("and") {
			j++
		}
		if j+1 < len(toks) && (toks[j].Is("always") || toks[j].Is("never") || lexis.IsBase(toks[j].Low) && !NounVerbs[toks[j].Low] || toks[j].Is("run")) {
			out = append(out, toks[start:i])
			start = j
		}
	}
	return append(out, toks[start:])
}

// holdsVerb reports whether "'s" before token i is a verb, or a verb stands behind what it owns: "Amy's pregnant", "Dan's gran is allergic".
func holdsVerb(toks []lexis.Token, i int) bool {
	if i >= len(toks) || toks[i].Kind != lexis.Word {
		return false
	}
	if lexis.Traits[toks[i].Low] || lexis.Verbs[toks[i].Low].Form == lexis.Gerund || lexis.StartsParticiple(toks, i) {
		return true
	}
	for j := i + 1; j < min(len(toks), i+3); j++ {
		if lexis.BeForms[toks[j].Low] || lexis.Modals[toks[j].Low] || toks[j].Is("has") || lexis.Verbs[toks[j].Low].Form == lexis.Third {
			return true
		}
	}
	return false
}
