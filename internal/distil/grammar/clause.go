package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Party is who or what a clause is about.
type Party struct {
	Kind Kind
	Name string // as a statement's subject
	Rel  string // "sister" of "my sister": whose is Own
	Noun string // the words of a thing: "deadline for the Atlas project", "favourite colour"
	Own  string // the owner of a relation or thing: the speaker or a named person; "" for "the deadline"
	With string // who is named beside: "the kids" of "Freja and the kids"
	We   bool
	From int // its tokens in the clause
	To   int
}

// Kind says what a party is.
type Kind uint8

// The kinds of parties.
const (
	Nobody  Kind = iota
	Speaker      // I, we
	Someone      // a named person, or a relative
	Thing        // my exam, the deadline, Version 2.0
	Deictic      // it, this, that
)

// Clause is one statement of a sentence, read against a scene.
type Clause struct {
	*Scene
	Toks      []lexis.Token
	Subj      Party
	Verb      lexis.Group
	Rest      []lexis.Token // behind the verb group
	Dates     []lexis.Moment
	Inherited bool // the subject is that of the clause before
	Dropped   bool // the writer left "I" out
}

// Leads are words before a clause's subject that do not change what it says.
var Leads = lexis.Words(`hi hello hey oh well so ok okay yes yeah yep no nope actually also and but anyway btw honestly sorry thanks fyi note
	update correction
	today yesterday tomorrow tonight now recently lately finally luckily unfortunately sadly currently personally then still plus too just great
	good news wow
	correct right sure besides meanwhile originally eventually ugh yay first second everyone guys
	argh aargh ah aha aww haha hahaha lol omg god man dude hmm hm um uh cool nice alright sooo soo guess morning evening welcome congrats
	congratulations nah yup reminder heads-up heyy heyyy psst
	folks team all friends dear finally anyways amazing awesome perfect lovely excellent exactly indeed true agreed cheers tbh`)

// Read parses the clause: lead, subject, verb group, rest. prior is the subject of the clause before.
func (c *Clause) Read(prior Party, joined bool) bool {
	i := c.skipLead()
	if i >= len(c.Toks) {
		return false
	}
	c.Subj = c.subject(i)
	if to := c.Subj.To; c.Subj.Kind == Someone && to+1 < len(c.Toks) && c.Toks[to].Is("and") && c.Toks[to+1].Is("i") {
		c.Subj = Party{Kind: Speaker, Name: c.Me, Own: c.Me, We: true, From: c.Subj.From, To: to + 2}
	}
	if c.Subj.Kind == Nobody {
		c.Subj = c.implied(i)
	}
	if to := c.Subj.To; c.Subj.Kind == Someone && c.Subj.Rel == "" && to == i+1 && to < len(c.Toks) && !lexis.GivenNames[c.Toks[i].Low] &&
		c.Cast.Knows(c.Toks[i].Low) == "" && i == 0 && lexis.Verbs[c.Toks[to].Low].Form&(lexis.Base|lexis.Third) == lexis.Base && c.Toks[i].Upper &&
		!c.Toks[i].Is("they") {
		c.Subj = Party{} // "Feet hurt"
		return false
	}
	c.company()
	if c.Subj.Kind == Nobody && !joined && c.Count == 0 && c.droppedThird(i) {
		c.Subj = c.meant("-")
		c.Subj.From, c.Subj.To, c.Inherited = i, i, c.Subj.Kind != Nobody
	}
	if c.Subj.Kind == Nobody {
		switch {
		case joined && prior.Kind != Nobody && !c.Toks[i].Upper && !(i > 0 && lexis.BeForms[c.Toks[i].Low] && Mentions(c.Toks[i-1:i], "today", "tomorrow", "tonight")):
			c.Subj, c.Inherited = prior, true
			c.Subj.From, c.Subj.To = i, i
		case c.Spoken && !c.Mine && c.Count == 0 && c.droppedOther(i):
			c.Subj, c.Inherited = c.Person, true
			c.Subj.From, c.Subj.To = i, i
		case c.Self && (prior.Kind == Speaker || c.Count == 0 || !joined && prior.Kind == Nobody) && c.droppedSelf(i):
			c.Subj = Party{Kind: Speaker, Name: c.Me, Own: c.Me, From: i, To: i}
			c.Dropped = true
		default:
			if c.Subj = c.looseThing(i); c.Subj.Kind == Nobody {
				return false
			}
		}
	}
	if c.Subj.Kind == Speaker && !c.Self {
		return false
	}
	c.Mine = c.Mine || c.Subj.Kind == Speaker
	g, ok := lexis.ReadGroup(c.Toks, c.Subj.To)
	if !ok && c.Dropped {
		g, ok = c.gerund()
	}
	if !ok || g.Unsure {
		return false
	}
	if last := c.Last; c.Inherited && g.Form == lexis.Base && (last.Must || last.Future || last.Lemma == "need") && g.At == c.Subj.To {
		g.Must, g.Future = last.Must || last.Lemma == "need", last.Future // "have to call Tom and send the letter"
	}
	c.Verb, c.Rest = g, c.Toks[g.Next:]
	c.settleTense()
	g = c.Verb
	if c.Subj.Kind == Someone && !IsPlural(c.Subj.Name) && g.Form&lexis.Third == 0 && g.Form&lexis.Base != 0 && g.At == c.Subj.To && !c.Inherited &&
		!c.Toks[c.Subj.From].Is("they") {
		return false // "Developers love Go" speaks of no one
	}
	c.Dates = c.inOrder(c.findDates(c.leans()))
	for stripped := false; len(c.Rest) > 0 && (g.Lemma == "decide" || g.Lemma == "agree"); {
		switch {
		case c.Dated(c.Rest[0]):
			c.Rest = c.Rest[1:] // "decided yesterday to …", "decided in August to …"
		case len(c.Rest) > 1 && Prepositions[c.Rest[0].Low] && c.Dated(c.Rest[1]) && !c.Rest[0].Is("to"):
			c.Rest = c.Rest[2:]
		default:
			stripped = true
		}
		if stripped {
			break
		}
		c.Dates = lexis.FindDates(c.Toks, c.At, -1)
	}
	switch {
	case c.Subj.Kind == Deictic && g.Lemma == "be" && g.Current() && len(c.Rest) == 1 && c.Rest[0].Upper && !lexis.Verbs[c.Rest[0].Low].Known() &&
		!c.Dated(c.Rest[0]):
		name := c.Bytes(c.Rest)
		c.Person, c.Spoken = Party{Kind: Someone, Name: name, Own: name}, true // "that's Idris"
		c.Cast.Meet(name)
	case c.Subj.Kind == Someone:
		c.Person, c.Spoken = c.Subj, true
		if c.Cast != nil && !strings.Contains(c.Subj.Name, "'s ") && !strings.HasPrefix(c.Subj.Name, "the ") &&
			(c.Subj.From > 0 || c.Subj.To > 1 || c.Subj.Rel != "" || c.Subj.To == 1 && lexis.GivenNames[c.Toks[0].Low]) {
			c.Cast.Meet(c.Subj.Name)
		}
	case c.Subj.Kind == Thing && c.Subj.Noun != "" && slices.ContainsFunc(c.Toks[c.Subj.From:c.Subj.To], named):
		c.Group = c.Subj
	}
	return true
}

// company takes "and the kids" behind a person into the subject.
func (c *Clause) company() {
	to := c.Subj.To
	if c.Subj.Kind == Someone && to+2 < len(c.Toks) && c.Toks[to].Is("and") && c.Toks[to+1].Upper && (lexis.BeForms[c.Toks[to+2].Low] ||
		lexis.Verbs[c.Toks[to+2].Low].Form == lexis.Past) {
		c.Subj.To, c.Subj.With = to+2, c.Toks[to+1].Of(c.S) // "Mum and Dad are coming"
		return
	}
	if c.Subj.Kind != Someone || to+2 >= len(c.Toks) || !c.Toks[to].Is("and") || !Determined[c.Toks[to+1].Low] {
		return
	}
	for j := to + 2; j < len(c.Toks) && j < to+5; j++ {
		if lexis.BeForms[c.Toks[j].Low] || c.verbAt(j) {
			c.Subj.To, c.Subj.With = j, c.Bytes(c.Toks[to+1:j])
			return
		}
		if c.Toks[j].Kind != lexis.Word || lexis.Stops[c.Toks[j].Low] {
			return
		}
	}
}

// settleTense decides for forms that are present and past alike ("quit", "hit", "put"): past for a third person without -s, for verbs that are
// hardly used otherwise, and
// with a date that is over.
func (c *Clause) settleTense() {
	g := &c.Verb
	if g.At >= 0 && g.Lemma == "found" && c.Toks[g.At].Is("found") && g.Form&lexis.Base != 0 && g.Current() && !g.Passive && g.At == c.Subj.To {
		g.Lemma, g.Form, g.Past = "find", lexis.Past, true // "I found your letter"
		return
	}
	if g.At < 0 || g.Form&lexis.Base == 0 || g.Modal != "" || g.Future || g.Must || g.UsedTo || g.Perfect {
		return
	}
	v := lexis.Verbs[c.Toks[g.At].Low]
	if v.Lemma != g.Lemma || v.Form&lexis.Past == 0 || v.Form&lexis.Base == 0 || g.At > 0 && (c.Toks[g.At-1].Is("did") || c.Toks[g.At-1].Is("n't") ||
		c.Toks[g.At-1].Is("do")) {
		return
	}
	over := false
	for _, m := range lexis.FindDates(c.Toks, c.At, -1) {
		over = over || !m.From.After(c.At) && c.Prep(m) != "since"
	}
	if over || c.Subj.Kind == Someone || g.Lemma == "quit" || g.Lemma == "hit" || g.Lemma == "hurt" {
		g.Past, g.Form = true, lexis.Past
	}
}

// skipLead returns the token where the subject should begin: behind greetings, adverbs, a leading date or prepositional phrase.
func (c *Clause) skipLead() int {
	i := 0
	for i < len(c.Toks) {
		t := c.Toks[i]
		switch {
		case t.Kind == lexis.Punct:
			i++
		case c.vocative(i) > i:
			i = c.vocative(i)
		case Starts(c.Toks[i:], "turns", "out"), Starts(c.Toks[i:], "turned", "out"):
			i += 2
			if i < len(c.Toks) && c.Toks[i].Is("that") {
				i++
			}
		case Starts(c.Toks[i:], "by", "the", "way"), Starts(c.Toks[i:], "as", "a", "result"):
			i += 3
		case Starts(c.Toks[i:], "in", "fact"), Starts(c.Toks[i:], "fun", "fact"), Starts(c.Toks[i:], "of", "course"), Starts(c.Toks[i:], "hi", "all"),
			Starts(c.Toks[i:], "good", "morning"):
			i += 2
		case len(t.Low) > 6 && strings.HasSuffix(t.Low, "ly") && i+2 < len(c.Toks) && !lexis.GivenNames[t.Low] && !lexis.Verbs[t.Low].Known() &&
			(Determined[c.Toks[i+1].Low] || SubjectPronouns[c.Toks[i+1].Low] || c.Toks[i+1].Is(",")):
			i++
		case (Leads[t.Low] || lexis.Adverbs[t.Low]) && !(t.Is("i") || t.Is("my")) && !c.namesPerson(i):
			i++
		case leadPrepositions[t.Low] || lexis.Weekdays[t.Low] != 0 || t.Is("sunday") || t.Is("last") || t.Is("this") && i+1 < len(c.Toks) &&
			(lexis.TimeUnits[c.Toks[i+1].Low] || lexis.DayParts[c.Toks[i+1].Low] || lexis.Seasons[c.Toks[i+1].Low] != 0):
			j := c.subjectBehind(i)
			if j < 0 {
				return i
			}
			i = j
		case (t.Is("i") || t.Is("please")) && i+1 < len(c.Toks) && (c.Toks[i+1].Is("know") || c.Toks[i+1].Is("remember") || c.Toks[i+1].Is("note")) &&
			i+2 < len(c.Toks) && (c.Toks[i+2].Is("that") || SubjectPronouns[c.Toks[i+2].Low]):
			i += 2
			if c.Toks[i].Is("that") {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// namesPerson reports whether a word that could be a lead begins a name.
func (c *Clause) namesPerson(i int) bool {
	return c.Toks[i].Upper && i+1 < len(c.Toks) && lexis.GivenNames[c.Toks[i].Low] && lexis.Verbs[c.Toks[i+1].Low].Form&(lexis.Third|lexis.Past) != 0
}

var leadPrepositions = lexis.Words("in on at after before during since for by from last next every with as back over until around")

// subjectBehind returns the token of a subject pronoun behind a leading phrase, -1 when none is near.
func (c *Clause) subjectBehind(i int) int {
	for j := i + 1; j < len(c.Toks) && j < i+9; j++ {
		t := c.Toks[j]
		if t.Is("i") || t.Is("we") || t.Is("my") && j > i+1 && c.Toks[j-1].Is(",") || c.Toks[j-1].Is(",") && (SubjectPronouns[t.Low] || t.Upper ||
			t.Is("the") || t.Is("all")) {
			return j
		}
		if lexis.Verbs[t.Low].Form&(lexis.Third|lexis.Past) != 0 && !NounVerbs[t.Low] {
			return -1
		}
	}
	return -1
}

// droppedVerbs are past forms that a writer uses without "I": "moved to Lyon", "just adopted a dog".
var droppedVerbs = lexis.Words(`moved got started finished bought adopted passed launched shipped quit joined sold met visited signed decided
	graduated went completed released booked ran broke lost won`)

// awayWords begin what tells where someone will be for a time.
var awayWords = lexis.Words("off out away back in on")

// named reports whether a word is a part of a name: it has a capital, though running English writes it small or does not know it.
func named(t lexis.Token) bool { return t.Upper && !lexis.Stops[t.Low] && !lexis.Common(t.Low) }
