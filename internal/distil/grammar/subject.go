package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// subject parses who the clause is about, from token i on.
func (c *Clause) subject(i int) Party {
	t := c.Toks[i]
	me := Party{Kind: Speaker, Name: c.Me, Own: c.Me, From: i, To: i + 1}
	switch t.Low {
	case "i":
		return me
	case "we":
		me.We = true
		return me
	case "you", "u":
		if c.You == "" {
			return Party{}
		}
		return Party{Kind: Someone, Name: c.You, Own: c.You, From: i, To: i + 1}
	case "he", "she":
		p := c.meant(t.Low)
		p.From, p.To = i, i+1
		return p
	case "your":
		if c.You != "" {
			if p := c.Owned(i, i+1, c.You); p.Kind == Someone {
				return p
			}
		}
		return Party{}
	case "his", "her":
		if p := c.meant(t.Low); p.Kind == Someone {
			if i+1 < len(c.Toks) && c.Toks[i+1].Is("name") {
				if strings.EqualFold(p.Name, c.Me) || !c.Spoken && !c.Named {
					return Party{} // of someone who has not been spoken of here
				}
				return Party{Kind: Thing, Noun: "name", Own: p.Own, Rel: p.Rel, Name: "name", From: i, To: i + 2}
			}
			return c.Owned(i, i+1, p.Name)
		}
		return Party{}
	case "it", "this", "that":
		return Party{Kind: Deictic, From: i, To: i + 1}
	case "my", "our":
		if !c.Self {
			return Party{}
		}
		return c.Owned(i, i+1, c.Me)
	case "the":
		return c.thing(i, i+1, "")
	}
	if lexis.Parents[t.Low] && c.Self && i+1 < len(c.Toks) && (t.Upper || c.Toks[i+1].Is("and") || c.Toks[i+1].Is("'s") || lexis.BeForms[c.Toks[i+1].Low]) {
		return c.Owned(i, i, c.Me)
	}
	if v := lexis.Verbs[t.Low]; t.Upper && !lexis.GivenNames[t.Low] && v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0 && c.droppedSelf(i) {
		return Party{}
	}
	if names := lexis.Names(c.S, c.Toks[i:min(len(c.Toks), i+8)]); len(names) > 0 && c.begins(names[0], i) {
		return c.named(i, i+names[0].To, names[0])
	}
	if t.Upper && i+2 < len(c.Toks) && c.Toks[i+1].Kind == lexis.Number && !c.Dated(c.Toks[i+1]) {
		return c.named(i, i+2, lexis.Name{Type: lexis.EntityProduct})
	}
	if t.Kind == lexis.Word && t.Upper && i+1 < len(c.Toks) && !lexis.Stops[t.Low] && !lexis.Plain[t.Low] {
		v := lexis.Verbs[c.Toks[i+1].Low]
		if v.Form&lexis.Base != 0 && strings.HasSuffix(t.Low, "s") || v.Form&lexis.Base != 0 && c.Cast.Knows(t.Low) == "" && !lexis.GivenNames[t.Low] {
			return Party{} // "Feet hurt"
		}
		if v.Form&(lexis.Third|lexis.Past) != 0 && !c.Toks[i+1].Upper || lexis.BeForms[c.Toks[i+1].Low] {
			return c.named(i, i+1, lexis.Name{Type: lexis.EntityOther})
		}
	}
	return Party{}
}

// meant is whom a pronoun stands for, Nobody when that is not known.
func (c *Clause) meant(word string) Party {
	if c.Meant != nil {
		return c.Meant(c, word)
	}
	if p := c.Person; p.Kind == Someone && Agrees(word, p) && (word != "-" || c.Spoken && !c.Mine) {
		return p
	}
	return Party{}
}

// Agrees reports whether "she" or "his" can mean the person, as far as the name or the relation tells; "-" stands for a subject that is left out.
func Agrees(pronoun string, p Party) bool {
	if pronoun == "-" {
		return true
	}
	first, _, _ := strings.Cut(strings.ToLower(p.Name), " ")
	male, female := lexis.Males[first] || men[p.Rel] || men[first], lexis.Females[first] || women[p.Rel] || women[first]
	if pronoun == "he" || pronoun == "his" {
		return male || !female
	}
	return female || !male
}

var (
	men = lexis.Words(`father brother son husband boyfriend uncle nephew grandfather grandson stepfather stepson stepbrother father-in-law
		brother-in-law son-in-law landlord ex-husband ex-boyfriend mr sir`)
	women = lexis.Words(`mother sister daughter wife girlfriend aunt niece grandmother granddaughter stepmother stepdaughter stepsister
		mother-in-law sister-in-law daughter-in-law landlady ex-wife ex-girlfriend mrs ms miss madam`)
)

// begins reports whether name n, found from token i on, begins there, a title ("Dr", "Dr.") aside.
func (c *Clause) begins(n lexis.Name, i int) bool {
	switch n.From {
	case 0:
		return true
	case 1:
		return lexis.Titles[c.Toks[i].Low]
	case 2:
		return lexis.Titles[c.Toks[i].Low] && c.Toks[i+1].Is(".")
	}
	return false
}

// named parses a name at token i that ends before token end: itself, or with 's the owner of what follows.
func (c *Clause) named(i, end int, n lexis.Name) Party {
	full := lexis.PlainName(c.S, c.Toks[i:], lexis.Name{From: 0, To: end - i})
	if end+1 < len(c.Toks) && (c.Toks[end].Is("'s") || c.Toks[end].Is("'")) && c.Toks[end+1].Kind == lexis.Word && !lexis.StartsParticiple(c.Toks, end+1) &&
		!(lexis.Traits[c.Toks[end+1].Low] && (end+2 == len(c.Toks) || Prepositions[c.Toks[end+2].Low] || c.Toks[end+2].Kind == lexis.Punct)) {
		if p := c.Owned(i, end+1, full); p.Kind != Nobody {
			return p
		}
	}
	p := Party{Kind: Someone, Name: full, Own: full, From: i, To: end}
	if n.Type == lexis.EntityOrganisation || n.Type == lexis.EntityPlace || n.Type == lexis.EntityProduct || c.Toks[end-1].Kind == lexis.Number {
		p.Kind = Thing
		p.Noun = full
	}
	return p
}

// Owned parses what belongs to owner: a relative or friend (with a name or without), or a thing.
func (c *Clause) Owned(from, i int, owner string) Party {
	start := i
	for i < len(c.Toks) && i < start+4 && RelationAdjectives[c.Toks[i].Low] {
		i++
	}
	if i >= len(c.Toks) {
		return Party{}
	}
	rel, n := RelationAt(c.Toks, i)
	if rel == "" || i+n < len(c.Toks) && errands[c.Toks[i+n].Low] {
		return c.thing(from, start, owner)
	}
	i += n
	p := Party{Kind: Someone, Rel: rel, Own: owner, Name: owner + "'s " + rel, From: from, To: i}
	if owner == "user" {
		p.Name = "the user's " + rel
	}
	if c.Called != nil {
		if name := c.Called(owner, rel); name != "" {
			p.Name = name
		}
	}
	if i < len(c.Toks) && c.Toks[i].Is(",") {
		// "my sister, Clara, lives …"
		if j := i + 2; j < len(c.Toks) && c.Toks[i+1].Upper && c.Toks[j].Is(",") {
			p.Name, p.To = c.Toks[i+1].Of(c.S), j+1
			c.introduced(p)
		}
		return p
	}
	if found := lexis.Names(c.S, c.Toks[i:min(len(c.Toks), i+6)]); len(found) > 0 && found[0].From == 0 {
		p.To = i + found[0].To
		p.Name = lexis.PlainName(c.S, c.Toks[i:], found[0])
		c.introduced(p)
	} else if i < len(c.Toks) && c.Toks[i].Upper && c.Toks[i].Kind == lexis.Word && !c.Toks[i].Is("i") {
		p.Name, p.To = c.Toks[i].Of(c.S), i+1
		c.introduced(p)
	}
	if p.To < len(c.Toks) && c.Toks[p.To].Is("'s") && p.To+1 < len(c.Toks) {
		if next := c.Toks[p.To+1].Low; next == "name" || lexis.Attributes[next] != "" || next == "favourite" || next == "favorite" ||
			next == "birthday" || lexis.Jubilee(next) > 0 {
			q := c.thing(from, p.To+1, p.Name)
			q.Rel = rel
			if q.Kind == Thing && next == "name" {
				q.Own, q.Name = owner, p.Name
			}
			return q
		}
		if r, n := RelationAt(c.Toks, p.To+1); r != "" {
			return Party{Kind: Someone, Rel: r, Own: p.Name, Name: p.Name + "'s " + r, From: from, To: p.To + 1 + n}
		}
		if c.ownsNoun(p.To + 1) {
			return c.thing(from, p.To+1, p.Name) // "my uncle's shop is in Leeds"
		}
	}
	return p
}

// errands are what one has with somebody: "my dentist appointment" is no dentist.
var errands = lexis.Words("appointment appointments visit checkup check-up bill meeting surgery")

// ownsNoun reports whether a noun with a verb behind it begins at token i, so that the 's before it is no verb.
func (c *Clause) ownsNoun(i int) bool {
	for j := i; j < min(len(c.Toks), i+5); j++ {
		w := c.Toks[j].Low
		v := lexis.Verbs[w]
		switch {
		case j > i && c.finiteAt(j):
			return true
		case c.Toks[j].Kind != lexis.Word || lexis.Stops[w] || lexis.Adverbs[w] || lexis.Traits[w] || v.Known() && !NounVerbs[w] && v.Form != lexis.Base:
			return false
		}
	}
	return false
}

// RelationAdjectives stand before a word for a relative or friend.
var RelationAdjectives = lexis.Words(`older younger elder little big twin late new old dear youngest oldest eldest former lovely sweet first
	second middle wonderful step closest good`)

// thing parses a thing's noun phrase up to the verb. owner is "" for "the …".
func (c *Clause) thing(from, i int, owner string) Party {
	end := i
	for end < len(c.Toks) && end < i+9 {
		t := c.Toks[end]
		if t.Kind == lexis.Punct || lexis.BeForms[t.Low] || t.Is("'s") && end > i && !c.possessive(end) || t.Is("has") || t.Is("have") || t.Is("had") ||
			t.Is("will") || lexis.Modals[t.Low] || t.Is("used") || end > i && c.verbAt(end) {
			break
		}
		if t.Is("that") || t.Is("which") || t.Is("who") || t.Is("i") || t.Is("you") || t.Is("we") {
			return Party{}
		}
		end++
	}
	if end == i || end == len(c.Toks) {
		return Party{}
	}
	noun := c.Bytes(c.Toks[i:end])
	return Party{Kind: Thing, Noun: noun, Own: owner, Name: noun, From: from, To: end}
}

// possessive reports whether the 's at token i owns the noun behind it, as in "the team's budget is".
func (c *Clause) possessive(i int) bool {
	if i+1 < len(c.Toks) && c.Toks[i+1].Is("been") {
		return false
	}
	for j := i + 1; j < len(c.Toks) && j < i+4; j++ {
		if lexis.BeForms[c.Toks[j].Low] {
			return true
		}
	}
	return false
}

// verbAt reports whether token i is the verb behind a noun phrase: a third person or past form that is no noun here.
func (c *Clause) verbAt(i int) bool {
	w := c.Toks[i].Low
	v := lexis.Verbs[w]
	if v.Form&lexis.Third != 0 && NounVerbs[w] {
		return i+1 < len(c.Toks) && (c.Toks[i+1].Is("on") || c.Toks[i+1].Is("at") || c.Toks[i+1].Is("in") || c.Toks[i+1].Is("the"))
	}
	return v.Form&(lexis.Third|lexis.Past) != 0 && v.Form&lexis.Base == 0 || w == "cost" || w == "are"
}

// RelationAt reads a relation at token i; n is how many tokens it takes.
func RelationAt(toks []lexis.Token, i int) (rel string, n int) {
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
	if r := lexis.Relations[w]; r != "" {
		if r == "pet" {
			return w, 1
		}
		return r, 1
	}
	return "", 0
}

// IsPet reports whether a relation is that of an animal.
func IsPet(rel string) bool { return lexis.Relations[rel] == "pet" }

// PluralRelations have no one name.
var PluralRelations = []string{"parents", "kids", "children", "twins", "grandparents"}

// IsPlural reports whether a subject, "Ana's parents", is more than one.
func IsPlural(subject string) bool {
	_, rel, ok := strings.Cut(subject, "'s ")
	return ok && slices.Contains(PluralRelations, rel)
}

// introduced notes "my sister Clara" as a relation.
func (c *Clause) introduced(p Party) {
	if c.Introduce != nil {
		c.Introduce(p.Own, p.Rel, p.Name)
	}
}

// Pronoun is the pronoun that words begin with, greetings and the like aside: "" when they begin otherwise.
func Pronoun(toks []lexis.Token) string {
	for _, t := range toks {
		switch w := t.Low; {
		case SubjectPronouns[w], w == "it", w == "this", w == "that", w == "its", w == "their":
			return w
		case !Leads[w] && !lexis.Adverbs[w] && t.Kind == lexis.Word:
			return ""
		}
	}
	return ""
}

// Presents returns the name that a clause gives to somebody's relative or friend: "my sister is a nurse called Clara", and, of one who had another
// name before, "my boss is Olga now". A name that may as well be a title or a creed needs a word that says that it is new.
func (c *Clause) Presents(comp []lexis.Token) string {
	if c.Subj.Rel == "" {
		return ""
	}
	if k := slices.IndexFunc(comp, func(t lexis.Token) bool { return t.Is("called") || t.Is("named") }); k > 0 && k+1 < len(comp) && comp[k+1].Upper {
		np, _ := c.Phrase(comp, k+1, TitleStops)
		return c.Bytes(np)
	}
	if strings.HasSuffix(c.Subj.Name, "'s "+c.Subj.Rel) || c.Subj.To == 0 || c.Toks[c.Subj.To-1].Upper || c.Verb.Future {
		return ""
	}
	found := lexis.Names(c.S, comp)
	if len(found) == 0 || found[0].From != 0 || found[0].Type != lexis.EntityPerson && (found[0].Type != lexis.EntityOther || !Mentions(c.Toks, "now", "new")) {
		return ""
	}
	name := comp[:found[0].To]
	if len(name) > 3 || slices.ContainsFunc(name, func(t lexis.Token) bool {
		return t.Shout || t.Is("of") || lexis.Jobs[t.Low] || lexis.Nationalities[t.Low]
	}) {
		return ""
	}
	return c.Bytes(name)
}
