package grammar

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// implied parses a subject that is not written as English books want it: a name in small letters, a noun without its article, "they".
func (c *Clause) implied(i int) Party {
	t := c.Toks[i]
	if t.Kind != lexis.Word || t.Low == "" {
		return Party{}
	}
	if t.Is("they") {
		p := c.Group
		if c.Spoken && c.Person.Kind == Someone {
			p = c.Person // "she has moved. They live in …"
		}
		if p.Kind == Nobody {
			return Party{}
		}
		p.From, p.To = i, i+1
		return p
	}
	if name := c.Cast.Knows(t.Low); name != "" && i+1 < len(c.Toks) && (!t.Upper || !t.Is("will")) {
		end := i + 1
		if full := strings.ToLower(name) + " "; end < len(c.Toks) && c.Cast.Knows(full+c.Toks[end].Low) != "" {
			name = c.Cast.Knows(full + c.Toks[end].Low)
			end++
		}
		if c.Toks[end-1].Low != "" && end < len(c.Toks) && (c.verbAt(end) || lexis.BeForms[c.Toks[end].Low] || c.Toks[end].Is("'s") ||
			c.Toks[end].Is("has") || c.Toks[end].Is("will") || c.Toks[end].Is("'ll") || lexis.Adverbs[c.Toks[end].Low]) {
			if c.Toks[end].Is("'s") && end+1 < len(c.Toks) {
				if p := c.Owned(i, end+1, name); p.Kind != Nobody && !lexis.BeForms[c.Toks[end].Low] && p.To < len(c.Toks) &&
					(lexis.BeForms[c.Toks[p.To].Low] || c.verbAt(p.To)) {
					return p
				}
			}
			return Party{Kind: Someone, Name: name, Own: name, From: i, To: end}
		}
	}
	return c.bareThing(i)
}

// bareThing parses a noun without its article before a form of "to be": "surgery is on the 14th", "last day at Otto is …".
func (c *Clause) bareThing(i int) Party {
	if lexis.Stops[c.Toks[i].Low] || lexis.Adverbs[c.Toks[i].Low] || lexis.Verbs[c.Toks[i].Low].Lemma != "" &&
		lexis.Verbs[c.Toks[i].Low].Form != lexis.Gerund && !NounVerbs[c.Toks[i].Low] || c.Dated(c.Toks[i]) {
		return Party{}
	}
	for j := i + 1; j < len(c.Toks) && j < i+7; j++ {
		t := c.Toks[j]
		switch {
		case lexis.BeForms[t.Low] && t.Low != "be" && t.Low != "been", t.Is("'s") && j+1 < len(c.Toks) && (c.Toks[j+1].Is("on") || c.Toks[j+1].Is("at") ||
			c.Toks[j+1].Is("in") || lexis.Adverbs[c.Toks[j+1].Low]):
			noun := c.Bytes(c.Toks[i:j])
			return Party{Kind: Thing, Noun: noun, Name: noun, From: i, To: j}
		case lexis.Starts[lexis.Verbs[t.Low].Lemma] && lexis.Verbs[t.Low].Form&lexis.Third != 0 && !NounVerbs[t.Low] && !c.Toks[j-1].Is("the"):
			noun := c.Bytes(c.Toks[i:j])
			return Party{Kind: Thing, Noun: noun, Name: noun, From: i, To: j}
		case t.Kind == lexis.Punct, lexis.Stops[t.Low] && !t.Is("of") && !t.Is("at") && !t.Is("for") && !t.Is("before") && !t.Is("with") && !t.Is("in") &&
			!t.Is("the") && !t.Is("my"), lexis.Verbs[t.Low].Form&(lexis.Third|lexis.Past) != 0 && !NounVerbs[t.Low]:
			return Party{}
		}
	}
	return Party{}
}

// looseThing parses a noun phrase before any finite verb: "session timeout goes up", "a plumber can come", "concrete for the slab arrived".
func (c *Clause) looseThing(i int) Party {
	t := c.Toks[i]
	if t.Kind != lexis.Word && t.Kind != lexis.Number || lexis.Adverbs[t.Low] || c.Dated(t) || lexis.Stops[t.Low] && !loosely[t.Low] {
		return Party{}
	}
	if lexis.Verbs[t.Low].Known() && !NounVerbs[t.Low] && lexis.Verbs[t.Low].Form != lexis.Gerund && !(i+1 < len(c.Toks) && c.finiteAt(i+1)) {
		return Party{}
	}
	for j := i + 1; j < len(c.Toks) && j < i+9; j++ {
		t := c.Toks[j]
		switch {
		case c.finiteAt(j):
			if loosely[c.Toks[j-1].Low] && j == i+1 && !c.Toks[i].Is("all") && !c.Toks[i].Is("both") && !c.Toks[i].Is("everyone") &&
				!c.Toks[i].Is("someone") && !c.Toks[i].Is("nobody") {
				return Party{}
			}
			noun := c.Bytes(c.Toks[i:j])
			return Party{Kind: Thing, Noun: noun, Name: noun, From: i, To: j}
		case t.Kind == lexis.Punct && !t.Is("&") && !t.Is("/"), SubjectPronouns[t.Low] && !t.Is("my") && !t.Is("our"), t.Is("you"), t.Is("they"), t.Is("that"), t.Is("which"),
			t.Is("who"), t.Is("to"), t.Is("not"), t.Is("n't"), t.Is("as"), t.Is("but"):
			return Party{}
		}
	}
	return Party{}
}

var loosely = lexis.Words("a an every all both no this that their your some her his another each most half everyone everybody someone somebody nobody")

// finiteAt reports whether token j is a verb that a subject stands before.
func (c *Clause) finiteAt(j int) bool {
	t := c.Toks[j]
	w := t.Low
	if lexis.BeForms[w] {
		return w != "be" && w != "been" && w != "being"
	}
	if lexis.Modals[w] || w == "has" || w == "had" || w == "does" || w == "did" {
		return true
	}
	if w == "'s" {
		return j+1 < len(c.Toks) && (c.Toks[j+1].Is("been") || c.Toks[j+1].Is("not") || c.Toks[j+1].Is("in") || c.Toks[j+1].Is("on") || c.Toks[j+1].Is("at") ||
			lexis.Adverbs[c.Toks[j+1].Low] || c.Toks[j+1].Kind == lexis.Number || lexis.Ready[c.Toks[j+1].Low] || lexis.StartsParticiple(c.Toks, j+1))
	}
	v := lexis.Verbs[w]
	next := ""
	if j+1 < len(c.Toks) {
		next = c.Toks[j+1].Low
	}
	switch {
	case v.Form&lexis.Third != 0 && NounVerbs[w]:
		return Determined[next] || Prepositions[next] || j+1 < len(c.Toks) && c.Toks[j+1].Kind == lexis.Number
	case v.Form&lexis.Third != 0:
		return true
	}
	return v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0
}

// droppedSelf reports whether the writer left "I" or "I'm" out at token i: "need to cancel the flat", "bought a bike", "going back on the 12th".
func (c *Clause) droppedSelf(i int) bool {
	toks := c.Toks[i:]
	for len(toks) > 0 && lexis.Adverbs[toks[0].Low] {
		toks = toks[1:]
	}
	if len(toks) < 2 || toks[1].Kind == lexis.Punct {
		return false
	}
	v, second := lexis.Verbs[toks[0].Low], toks[1]
	if v.Form&lexis.Participle != 0 && second.Is("by") && len(toks) > 2 && !lexis.IsDateWord(toks[2].Low) && toks[2].Kind != lexis.Number {
		return false // "written by Petra"
	}
	if droppedVerbs[toks[0].Low] {
		return true
	}
	full := Determined[second.Low] || second.Kind == lexis.Number || second.Upper && second.Low != "i" || lexis.SmallNumber(second.Low) > 0
	switch {
	case toks[0].Is("need") || toks[0].Is("have"):
		return second.Is("to") || toks[0].Is("need") && full
	case toks[0].Is("had") && second.Kind == lexis.Word && !lexis.Stops[second.Low] && !lexis.Verbs[second.Low].Known():
		return true
	case v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0:
		return full || Prepositions[second.Low] || i == 0 && plainNoun(second) && !lexis.Traits[toks[0].Low]
	case v.Form == lexis.Gerund && !NounVerbs[toks[0].Low]:
		return gerunds[v.Lemma] && (full || Prepositions[second.Low] || second.Is("back") || second.Is("home"))
	}
	return false
}

// Determined are words before a noun; Prepositions stand before a phrase.
var (
	Determined   = lexis.Words("a an the my our his her their some this another")
	Prepositions = lexis.Words("to in at on from with by into off out back up for")
	gerunds      = lexis.Words(`pick collect host see have help go fly start move live work leave come drive travel take head visit meet return
		study stay spend plan look build
		write learn train run join get buy sell switch read`)
)

// gerund reads the verb group of "going back on the 12th": "I am" is left out.
func (c *Clause) gerund() (lexis.Group, bool) {
	for i := c.Subj.To; i < len(c.Toks); i++ {
		if lexis.Adverbs[c.Toks[i].Low] {
			continue
		}
		v := lexis.Verbs[c.Toks[i].Low]
		if v.Form != lexis.Gerund {
			return lexis.Group{}, false
		}
		return lexis.Group{Lemma: v.Lemma, Form: lexis.Gerund, At: i, Next: i + 1, Be: -1, Progressive: true}, true
	}
	return lexis.Group{}, false
}

// vocative returns the token behind a name by which someone is spoken to ("Forge, …", "hey Wei"), or i.
func (c *Clause) vocative(i int) int {
	if i+2 >= len(c.Toks) || c.Toks[i].Kind != lexis.Word || !c.Toks[i].Upper && c.Cast.Knows(c.Toks[i].Low) == "" || !c.Toks[i+1].Is(",") {
		return i
	}
	if !lexis.GivenNames[c.Toks[i].Low] && c.Cast.Knows(c.Toks[i].Low) == "" {
		return i
	}
	if t := c.Toks[i+2]; SubjectPronouns[t.Low] || t.Is("the") {
		return i + 2
	}
	return i
}

// droppedOther reports whether "she" was left out at token i of a sentence, behind one about her: "Comes to us from Siemens".
func (c *Clause) droppedOther(i int) bool {
	v := lexis.Verbs[c.Toks[i].Low]
	if NounVerbs[c.Toks[i].Low] || i+1 >= len(c.Toks) {
		return false
	}
	return v.Form == lexis.Third || v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0 && c.droppedSelf(i)
}

// droppedThird reports whether "he" or "she" was left out at token i, as far as the verb tells: "lives in Delft", "draws horses".
func (c *Clause) droppedThird(i int) bool {
	for i < len(c.Toks) && lexis.Adverbs[c.Toks[i].Low] {
		i++
	}
	if i+1 >= len(c.Toks) || c.Toks[i].Kind != lexis.Word {
		return false
	}
	t, next := c.Toks[i], c.Toks[i+1]
	full := Determined[next.Low] || Prepositions[next.Low] || next.Kind == lexis.Number || next.Upper && next.Low != "i" || lexis.SmallNumber(next.Low) > 0
	if t.Is("has") {
		return full || plainNoun(next)
	}
	return lexis.Verbs[t.Low].Form == lexis.Third && !NounVerbs[t.Low] && !lexis.BeForms[t.Low] && (full || plainNoun(next) || lexis.Verbs[next.Low].Form == lexis.Gerund)
}

// plainNoun reports whether a word may be the object of a verb without an article: "studied maths".
func plainNoun(t lexis.Token) bool {
	return t.Kind == lexis.Word && !t.Upper && len(t.Low) > 3 && !lexis.Stops[t.Low] && !lexis.Plain[t.Low] && !lexis.Adverbs[t.Low] &&
		!lexis.Verbs[t.Low].Known()
}
