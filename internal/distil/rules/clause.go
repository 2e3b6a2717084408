package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// part is a stretch of a sentence with a verb of its own.
type part struct {
	toks        []lexis.Token
	joined      bool // its subject may be that of the part before: "… and work at Airbus"
	conditional bool // behind if, unless, until …: says nothing for sure
}

// subjectPronouns can begin a clause.
var subjectPronouns = lexis.Words("i we he she they it my our")

var conditionals = lexis.Words("if unless until whenever whether lest")

var subordinators = lexis.Words("because since although though while whereas when after before so as where once")

// clauses cuts a sentence at semicolons, dashes, conjunctions and subordinators that a subject or a verb follows.
func clauses(toks []lexis.Token) []part {
	var out []part
	start, joined, conditional := 0, false, false
	cut := func(end, next int, j, cond bool) {
		if end > start {
			out = append(out, part{trimClause(toks[start:end]), joined, conditional})
		}
		start, joined, conditional = next, j, cond
	}
	for i := 0; i < len(toks); i++ {
		w := toks[i].Low
		switch {
		case w == ";" || w == "—" || w == "–" || w == ":" && i > 0 || w == "-" && i > 0 && toks[i].Start > toks[i-1].End:
			cut(i, i+1, false, false)
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
			if newClause, shares := startsClause(toks, j, w == ","); i > start && newClause && (w == "," || w == "but" || hasVerb(toks[start:i])) {
				cut(i, j, shares, conditional && shares || conditional && w == "and")
				i = j - 1
			}
		case subordinators[w] && i > start && hasSubject(toks, i+1):
			cut(i, i+1, false, w == "when" || w == "once" || w == "before" || w == "as")
		}
	}
	cut(len(toks), len(toks), false, false)
	return out
}

// hasVerb reports whether a verb stands among the tokens: "Pedro and I" is one subject.
func hasVerb(toks []lexis.Token) bool {
	return slices.ContainsFunc(toks, func(t lexis.Token) bool {
		_, ok := lexis.Verbs[t.Low]
		return ok && !nounVerbs[t.Low] || lexis.BeForms[t.Low] || t.Is("'s") || lexis.Modals[t.Low]
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
	if subjectPronouns[toks[i].Low] || toks[i].Is("you") || toks[i].Is("there") {
		return true
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
		return ok || lexis.BeForms[toks[i+1].Low]
	}
	return false
}

// startsClause reports whether a clause begins at token j, and whether it lacks a subject of its own.
func startsClause(toks []lexis.Token, j int, comma bool) (starts, shares bool) {
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
	v, ok := lexis.Verbs[t.Low]
	switch {
	case lexis.BeForms[t.Low] && t.Low != "being" && t.Low != "been" && t.Low != "be", t.Is("has"), t.Is("have"), t.Is("had"), t.Is("will"):
		return true, true
	case !ok || v.Form == lexis.Gerund, nounVerbs[t.Low] && !(j+1 < len(toks) && verbTail[toks[j+1].Low]):
		return false, false
	case comma && v.Form&lexis.Past == 0:
		return false, false
	}
	return true, true
}

// verbTail are words that make a verb of a form that may be a noun: "and work at".
var verbTail = lexis.Words("at for as in the a my our")

// nounVerbs are verb forms that are nouns more often behind "and".
var nounVerbs = lexis.Words("play plays stay work works love loves run runs swim walk walks rest name names water plant plants cook cooks drink drinks sleep travel visit visits change changes plan plans email phone text report reports test tests show shows show post posts talk talks set exercise ski climb dance design study help hope fear practice practise host call calls read ship ships drive ride share support show iron bear fly record notice paint present train trains board book books order orders garden")

// party is who or what a clause is about.
type party struct {
	kind partyKind
	name string // as a statement's subject
	rel  string // "sister" of "my sister": whose is owner
	noun string // the words of a thing: "deadline for the Atlas project", "favourite colour"
	own  string // the owner of a relation or thing: the speaker or a named person; "" for "the deadline"
	we   bool
	from int // its tokens in the clause
	to   int
}

type partyKind uint8

const (
	nobody  partyKind = iota
	speaker           // I, we
	someone           // a named person, or a relative
	thing             // my exam, the deadline, Version 2.0
	deictic           // it, this, that
)

// clause is one statement of a sentence.
type clause struct {
	x           *extractor
	toks        []lexis.Token
	subj        party
	verb        lexis.Group
	rest        []lexis.Token // behind the verb group
	dates       []lexis.Moment
	subordinate bool
	inherited   bool
	dropped     bool // the writer left "I" out
}

// leads are words before a clause's subject that do not change what it says.
var leads = lexis.Words(`hi hello hey oh well so ok okay yes yeah yep no nope actually also and but anyway btw honestly sorry thanks fyi note update correction
	today yesterday tomorrow tonight now recently lately finally luckily unfortunately sadly currently personally then still plus too just great good news wow
	correct right sure besides meanwhile originally eventually ugh yay first second everyone guys`)

// read parses the clause: lead, subject, verb group, rest. prior is the subject of the clause before.
func (c *clause) read(prior party, joined bool) bool {
	i := c.skipLead()
	if i >= len(c.toks) {
		return false
	}
	c.subj = c.subject(i)
	if to := c.subj.to; c.subj.kind == someone && to+1 < len(c.toks) && c.toks[to].Is("and") && c.toks[to+1].Is("i") {
		c.subj = party{kind: speaker, name: c.x.me, own: c.x.me, we: true, from: c.subj.from, to: to + 2}
	}
	if c.subj.kind == nobody {
		switch {
		case joined && prior.kind != nobody && !c.toks[i].Upper:
			c.subj, c.inherited = prior, true
			c.subj.from, c.subj.to = i, i
		case c.x.self && droppable(c.toks[i:]):
			c.subj = party{kind: speaker, name: c.x.me, own: c.x.me, from: i, to: i}
			c.dropped = true
		default:
			return false
		}
	}
	if c.subj.kind == speaker && !c.x.self {
		return false
	}
	g, ok := lexis.ReadGroup(c.toks, c.subj.to)
	if !ok || g.Unsure {
		return false
	}
	c.verb, c.rest = g, c.toks[g.Next:]
	c.settleTense()
	g = c.verb
	if c.subj.kind == someone && !isPlural(c.subj.name) && g.Form&lexis.Third == 0 && g.Form&lexis.Base != 0 && g.At == c.subj.to && !c.inherited {
		return false // "Developers love Go" speaks of no one
	}
	lean := 0
	switch {
	case g.Told() && !g.Progressive:
		lean = -1
	case g.Future || g.Must || g.Progressive || g.Lemma == "need" || g.Lemma == "want" || g.Lemma == "plan" || c.subj.kind == thing:
		lean = 1
	}
	switch {
	case g.Lemma == "decide" || g.Lemma == "agree" || g.Lemma == "schedule" || g.Lemma == "postpone" || g.Lemma == "plan" || c.subj.kind == thing && (g.Passive || g.Lemma == "slip" || g.Lemma == "move" || g.Lemma == "push"):
		lean = 1
	case g.Past || g.Perfect:
		lean = -1
	case g.Lemma == "start" || g.Lemma == "begin" || g.Lemma == "leave" || g.Lemma == "launch" || g.Modal == "should":
		lean = 1
	}
	c.dates = lexis.FindDates(c.toks, c.x.in.At, lean)
	if lean < 0 && slices.ContainsFunc(c.dates, func(m lexis.Moment) bool { return c.prep(m) == "for" }) {
		c.dates = lexis.FindDates(c.toks, c.x.in.At, 1) // "booked a table for Friday"
	}
	for len(c.rest) > 0 && c.dated(c.rest[0]) && (g.Lemma == "decide" || g.Lemma == "agree") {
		c.rest = c.rest[1:] // "decided yesterday to …"
	}
	if c.subj.kind == someone {
		c.x.person = c.subj
	}
	return true
}

// settleTense decides for forms that are present and past alike ("quit", "hit", "put"): past for a third person without -s, for verbs that are hardly used otherwise, and
// with a date that is over.
func (c *clause) settleTense() {
	g := &c.verb
	if g.At < 0 || g.Form&lexis.Base == 0 || g.Modal != "" || g.Future || g.Must || g.UsedTo || g.Perfect {
		return
	}
	v := lexis.Verbs[c.toks[g.At].Low]
	if v.Lemma != g.Lemma || v.Form&lexis.Past == 0 || v.Form&lexis.Base == 0 || g.At > 0 && (c.toks[g.At-1].Is("did") || c.toks[g.At-1].Is("n't") || c.toks[g.At-1].Is("do")) {
		return
	}
	over := false
	for _, m := range lexis.FindDates(c.toks, c.x.in.At, -1) {
		over = over || !m.From.After(c.x.in.At) && c.prep(m) != "since"
	}
	if over || c.subj.kind == someone || g.Lemma == "quit" || g.Lemma == "hit" || g.Lemma == "hurt" {
		g.Past, g.Form = true, lexis.Past
	}
}

// skipLead returns the token where the subject should begin: behind greetings, adverbs, a leading date or prepositional phrase.
func (c *clause) skipLead() int {
	i := 0
	for i < len(c.toks) {
		t := c.toks[i]
		switch {
		case t.Kind == lexis.Punct:
			i++
		case starts(c.toks[i:], "by", "the", "way"), starts(c.toks[i:], "as", "a", "result"):
			i += 3
		case starts(c.toks[i:], "in", "fact"), starts(c.toks[i:], "fun", "fact"), starts(c.toks[i:], "of", "course"), starts(c.toks[i:], "hi", "all"), starts(c.toks[i:], "good", "morning"):
			i += 2
		case (leads[t.Low] || lexis.Adverbs[t.Low]) && !(t.Is("i") || t.Is("my")) && !c.namesPerson(i):
			i++
		case leadPrepositions[t.Low] || lexis.Weekdays[t.Low] != 0 || t.Is("sunday") || t.Is("last") || t.Is("this") && i+1 < len(c.toks) && (lexis.TimeUnits[c.toks[i+1].Low] || lexis.DayParts[c.toks[i+1].Low] || lexis.Seasons[c.toks[i+1].Low] != 0):
			j := c.subjectBehind(i)
			if j < 0 {
				return i
			}
			i = j
		case (t.Is("i") || t.Is("please")) && i+1 < len(c.toks) && (c.toks[i+1].Is("know") || c.toks[i+1].Is("remember") || c.toks[i+1].Is("note")) && i+2 < len(c.toks) && (c.toks[i+2].Is("that") || subjectPronouns[c.toks[i+2].Low]):
			i += 2
			if c.toks[i].Is("that") {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// namesPerson reports whether a word that could be a lead begins a name.
func (c *clause) namesPerson(i int) bool {
	return c.toks[i].Upper && i+1 < len(c.toks) && lexis.GivenNames[c.toks[i].Low] && lexis.Verbs[c.toks[i+1].Low].Form&(lexis.Third|lexis.Past) != 0
}

var leadPrepositions = lexis.Words("in on at after before during since for by from last next every with as back over until around")

// subjectBehind returns the token of a subject pronoun behind a leading phrase, -1 when none is near.
func (c *clause) subjectBehind(i int) int {
	for j := i + 1; j < len(c.toks) && j < i+9; j++ {
		t := c.toks[j]
		if t.Is("i") || t.Is("we") || t.Is("my") && j > i+1 && c.toks[j-1].Is(",") || c.toks[j-1].Is(",") && (subjectPronouns[t.Low] || t.Upper || t.Is("the") || t.Is("all")) {
			return j
		}
		if lexis.Verbs[t.Low].Form&(lexis.Third|lexis.Past) != 0 && !nounVerbs[t.Low] {
			return -1
		}
	}
	return -1
}

// droppable are past forms that a writer uses without "I": "moved to Lyon", "just adopted a dog".
func droppable(toks []lexis.Token) bool {
	i := 0
	for i < len(toks) && lexis.Adverbs[toks[i].Low] {
		i++
	}
	return i+1 < len(toks) && droppedVerbs[toks[i].Low] && toks[i+1].Kind != lexis.Punct
}

var droppedVerbs = lexis.Words("moved got started finished bought adopted passed launched shipped quit joined sold met visited signed decided graduated went completed released booked ran broke lost won")

// subject parses who the clause is about, from token i on.
func (c *clause) subject(i int) party {
	t := c.toks[i]
	me := party{kind: speaker, name: c.x.me, own: c.x.me, from: i, to: i + 1}
	switch t.Low {
	case "i":
		return me
	case "we":
		me.we = true
		return me
	case "he", "she":
		p := c.x.person
		if p.kind != someone {
			return party{}
		}
		p.from, p.to = i, i+1
		return p
	case "his", "her":
		if p := c.x.person; p.kind == someone {
			if i+1 < len(c.toks) && c.toks[i+1].Is("name") {
				return party{kind: thing, noun: "name", own: p.own, rel: p.rel, name: "name", from: i, to: i + 2}
			}
			return c.owned(i, i+1, p.name)
		}
		return party{}
	case "it", "this", "that":
		return party{kind: deictic, from: i, to: i + 1}
	case "my", "our":
		if !c.x.self {
			return party{}
		}
		return c.owned(i, i+1, c.x.me)
	case "the":
		return c.thing(i, i+1, "")
	}
	if names := lexis.Names(c.x.s, c.toks[i:min(len(c.toks), i+8)]); len(names) > 0 && c.begins(names[0], i) {
		return c.named(i, i+names[0].To, names[0])
	}
	if t.Upper && i+2 < len(c.toks) && c.toks[i+1].Kind == lexis.Number && !c.dated(c.toks[i+1]) {
		return c.named(i, i+2, lexis.Name{Type: lexis.EntityProduct})
	}
	if t.Kind == lexis.Word && t.Upper && i+1 < len(c.toks) && !lexis.Stops[t.Low] && !lexis.Plain[t.Low] {
		if v := lexis.Verbs[c.toks[i+1].Low]; v.Form&(lexis.Third|lexis.Past) != 0 && !c.toks[i+1].Upper || lexis.BeForms[c.toks[i+1].Low] {
			return c.named(i, i+1, lexis.Name{Type: lexis.EntityOther})
		}
	}
	return party{}
}

// begins reports whether name n, found from token i on, begins there, a title ("Dr", "Dr.") aside.
func (c *clause) begins(n lexis.Name, i int) bool {
	switch n.From {
	case 0:
		return true
	case 1:
		return lexis.Titles[c.toks[i].Low]
	case 2:
		return lexis.Titles[c.toks[i].Low] && c.toks[i+1].Is(".")
	}
	return false
}

// named parses a name at token i that ends before token end: itself, or with 's the owner of what follows.
func (c *clause) named(i, end int, n lexis.Name) party {
	full := lexis.PlainName(c.x.s, c.toks[i:], lexis.Name{From: 0, To: end - i})
	if end+1 < len(c.toks) && (c.toks[end].Is("'s") || c.toks[end].Is("'")) && c.toks[end+1].Kind == lexis.Word && !lexis.StartsParticiple(c.toks, end+1) {
		if p := c.owned(i, end+1, full); p.kind != nobody {
			return p
		}
	}
	p := party{kind: someone, name: full, own: full, from: i, to: end}
	if n.Type == lexis.EntityOrganisation || n.Type == lexis.EntityPlace || n.Type == lexis.EntityProduct || c.toks[end-1].Kind == lexis.Number {
		p.kind = thing
		p.noun = full
	}
	return p
}

// owned parses what belongs to owner: a relative or friend (with a name or without), or a thing.
func (c *clause) owned(from, i int, owner string) party {
	start := i
	for i < len(c.toks) && i < start+4 && relationAdjectives[c.toks[i].Low] {
		i++
	}
	if i >= len(c.toks) {
		return party{}
	}
	rel, n := relationAt(c.toks, i)
	if rel == "" {
		return c.thing(from, start, owner)
	}
	i += n
	p := party{kind: someone, rel: rel, own: owner, name: owner + "'s " + rel, from: from, to: i}
	if owner == "user" {
		p.name = "the user's " + rel
	}
	if i < len(c.toks) && c.toks[i].Is(",") {
		// "my sister, Clara, lives …"
		if j := i + 2; j < len(c.toks) && c.toks[i+1].Upper && c.toks[j].Is(",") {
			p.name, p.to = c.toks[i+1].Of(c.x.s), j+1
			c.introduce(p)
		}
		return p
	}
	if found := lexis.Names(c.x.s, c.toks[i:min(len(c.toks), i+6)]); len(found) > 0 && found[0].From == 0 {
		p.to = i + found[0].To
		p.name = lexis.PlainName(c.x.s, c.toks[i:], found[0])
		c.introduce(p)
	} else if i < len(c.toks) && c.toks[i].Upper && c.toks[i].Kind == lexis.Word && !c.toks[i].Is("i") {
		p.name, p.to = c.toks[i].Of(c.x.s), i+1
		c.introduce(p)
	}
	if p.to < len(c.toks) && c.toks[p.to].Is("'s") && p.to+1 < len(c.toks) {
		if next := c.toks[p.to+1].Low; next == "name" || attributes[next] != "" || next == "favourite" || next == "favorite" || next == "birthday" {
			q := c.thing(from, p.to+1, p.name)
			q.rel = rel
			if q.kind == thing && next == "name" {
				q.own, q.name = owner, p.name
			}
			return q
		}
		if r, n := relationAt(c.toks, p.to+1); r != "" {
			return party{kind: someone, rel: r, own: p.name, name: p.name + "'s " + r, from: from, to: p.to + 1 + n}
		}
	}
	return p
}

// introduce notes "my sister Clara" as a relation.
func (c *clause) introduce(p party) {
	c.x.relation(p.own, p.rel, p.name)
}

var relationAdjectives = lexis.Words("older younger elder little big twin late new old dear youngest oldest eldest former lovely sweet first second middle wonderful step closest good")

// thing parses a thing's noun phrase up to the verb. owner is "" for "the …".
func (c *clause) thing(from, i int, owner string) party {
	end := i
	for end < len(c.toks) && end < i+9 {
		t := c.toks[end]
		if t.Kind == lexis.Punct || lexis.BeForms[t.Low] || t.Is("'s") && end > i && !c.possessive(end) || t.Is("has") || t.Is("have") || t.Is("had") || t.Is("will") || lexis.Modals[t.Low] || t.Is("used") || end > i && c.verbAt(end) {
			break
		}
		if t.Is("that") || t.Is("which") || t.Is("who") || t.Is("i") || t.Is("you") || t.Is("we") {
			return party{}
		}
		end++
	}
	if end == i || end == len(c.toks) {
		return party{}
	}
	noun := c.bytes(c.toks[i:end])
	return party{kind: thing, noun: noun, own: owner, name: noun, from: from, to: end}
}

// possessive reports whether the 's at token i owns the noun behind it, as in "the team's budget is".
func (c *clause) possessive(i int) bool {
	for j := i + 1; j < len(c.toks) && j < i+4; j++ {
		if lexis.BeForms[c.toks[j].Low] {
			return true
		}
	}
	return false
}

// verbAt reports whether token i is the verb behind a noun phrase: a third person or past form that is no noun here.
func (c *clause) verbAt(i int) bool {
	w := c.toks[i].Low
	v := lexis.Verbs[w]
	if v.Form&lexis.Third != 0 && nounVerbs[w] {
		return i+1 < len(c.toks) && (c.toks[i+1].Is("on") || c.toks[i+1].Is("at") || c.toks[i+1].Is("in") || c.toks[i+1].Is("the"))
	}
	return v.Form&(lexis.Third|lexis.Past) != 0 && v.Form&lexis.Base == 0 || w == "cost" || w == "are"
}

// bytes is the text of tokens, on one line.
func (c *clause) bytes(toks []lexis.Token) string {
	if len(toks) == 0 {
		return ""
	}
	return lexis.OneLine(c.x.s[toks[0].Start:toks[len(toks)-1].End])
}

// relations are the words for people (and animals) that someone has. The value is the predicate.
var relations = relationTable(`mother mom=mother mum=mother mama=mother father dad=father papa=father parents sister brother son daughter wife husband partner
	girlfriend boyfriend gf=girlfriend bf=boyfriend hubby=husband wifey=wife fiancé=fiance fiance fiancée=fiance fiancee=fiance aunt uncle cousin niece nephew grandmother grandma=grandmother granny=grandmother grandfather grandpa=grandfather
	grandson granddaughter child grandparents stepmother stepfather stepson stepdaughter stepsister stepbrother mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law
	friend colleague coworker=colleague co-worker=colleague boss manager supervisor mentor roommate flatmate=roommate housemate=roommate neighbour neighbor=neighbour ex-husband ex-wife ex-girlfriend ex-boyfriend landlord landlady
	teacher tutor doctor dentist therapist lawyer accountant assistant cofounder=co-founder co-founder coach kids children baby twins ex spouse
	dog=pet cat=pet puppy=pet kitten=pet parrot=pet rabbit=pet hamster=pet horse=pet pony=pet turtle=pet tortoise=pet budgie=pet canary=pet goldfish=pet ferret=pet`)

func relationTable(list string) map[string]string {
	m := map[string]string{}
	for w := range strings.FieldsSeq(list) {
		word, rel, ok := strings.Cut(w, "=")
		if !ok {
			rel = word
		}
		m[word] = rel
	}
	return m
}

// relationAt reads a relation at token i; n is how many tokens it takes.
func relationAt(toks []lexis.Token, i int) (rel string, n int) {
	w := toks[i].Low
	next := ""
	if i+1 < len(toks) {
		next = toks[i+1].Low
	}
	switch {
	case w == "best" && next == "friend":
		return "best friend", 2
	case w == "business" && next == "partner":
		return "business partner", 2
	case w == "team" && (next == "lead" || next == "leader"):
		return "team lead", 2
	}
	if r := relations[w]; r != "" {
		if r == "pet" {
			return w, 1
		}
		return r, 1
	}
	return "", 0
}

func isPet(rel string) bool { return relations[rel] == "pet" }

// plurals of relations have no one name.
var pluralRelations = []string{"parents", "kids", "children", "twins", "grandparents"}

func isPlural(subject string) bool {
	_, rel, ok := strings.Cut(subject, "'s ")
	return ok && slices.Contains(pluralRelations, rel)
}

// relation notes who is whose what.
func (x *extractor) relation(owner, rel, value string) {
	if owner == "" || slices.Contains(pluralRelations, rel) {
		return
	}
	st := Statement{Kind: "fact", Subject: owner, Predicate: strings.ReplaceAll(rel, " ", "_"), Value: value, Confidence: 0.85, Tags: []string{"family"}}
	switch {
	case isPet(rel):
		st.Predicate, st.Tags = "has_pet", []string{"pet"}
		st.Content = x.owner(owner) + " has a " + rel + " called " + value
	default:
		st.Content = value + " is " + x.possessive(owner) + " " + rel
		if oneOnly[rel] {
			st.Slot = st.Predicate
		}
		if !familyTies[rel] {
			st.Tags = []string{"people"}
		}
	}
	x.add(st)
}

// oneOnly are relations of which there is one at a time.
var oneOnly = lexis.Words("wife husband mother father spouse fiance boss manager landlord landlady girlfriend boyfriend partner mother-in-law father-in-law")

var familyTies = lexis.Words(`child mother father sister brother son daughter wife husband partner girlfriend boyfriend fiance aunt uncle cousin niece nephew grandmother grandfather grandson
	granddaughter stepmother stepfather stepson stepdaughter stepsister stepbrother mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law spouse baby ex`)

// owner is a subject at the head of a sentence.
func (x *extractor) owner(name string) string {
	if name == "user" {
		return "The user"
	}
	if strings.HasPrefix(name, "the ") {
		return "The " + name[4:]
	}
	return name
}

func (x *extractor) possessive(name string) string {
	if name == "user" {
		return "the user's"
	}
	return name + "'s"
}
