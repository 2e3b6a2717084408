package distil

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// EntityType says what kind of thing a name stands for.
type EntityType string

// The entity types. EntityOther is a name whose kind the text does not tell.
const (
	EntityPerson       EntityType = "person"
	EntityOrganisation EntityType = "organisation"
	EntityPlace        EntityType = "place"
	EntityProduct      EntityType = "product"
	EntityOther        EntityType = "other"
)

// Entity is someone or something that a text names, with how often and where first (bytes [Start, End)).
type Entity struct {
	Name       string
	Type       EntityType
	Count      int
	Start, End int
}

// Entities finds the people, organisations, places and products that s names, most often named first. It goes by capitals
// and cue words, so it works best for English and other languages that write only names with capitals. A name's
// later short forms ("Rivera" after "Ana Rivera") count for the full one.
func Entities(s string) []Entity {
	var c nameCounter
	var toks []token
	for sp := range text.Sentences(s) {
		toks = lex(toks[:0], s, sp.Start, sp.End)
		c.add(s, toks)
	}
	return c.ranked()
}

// name is one mention: tokens [from, to).
type name struct {
	from, to int
	typ      EntityType
	sure     bool // not just a capital at the start of a sentence
}

// nameJoiners may stand inside a name, between two capitals.
var nameJoiners = wordSet("of de van von der den del della la le du da di dos el al bin ibn y und")

// names finds the mentions in one sentence.
func names(s string, toks []token) []name {
	shouting := isShouting(toks)
	var out []name
	for i := 0; i < len(toks); {
		if !startsName(toks, i) {
			i++
			continue
		}
		end := nameEnd(s, toks, i)
		n := name{from: i, to: end, sure: !opensSentence(toks, i) || end-i > 1}
		i = end
		if titlesOfPeople[toks[n.from].low] && n.to-n.from > 1 {
			n.from++
			if n.from < n.to && toks[n.from].is(".") {
				n.from++
			}
			n.typ, n.sure = EntityPerson, true
		}
		if n.from == n.to {
			continue
		}
		n.judge(s, toks)
		if shouting && (n.typ == EntityOther || n.to-n.from > 3) {
			continue
		}
		if !n.trivial(toks) {
			out = append(out, n)
		}
	}
	return out
}

// isShouting reports whether every word but small ones has a capital, as in headings: capitals say little there.
func isShouting(toks []token) bool {
	upper := 0
	for _, t := range toks {
		if t.kind != wordToken || stops[t.low] && !t.shout {
			continue
		}
		if !t.upper {
			return false
		}
		upper++
	}
	return upper >= 4
}

func opensSentence(toks []token, i int) bool {
	for j := range i {
		if toks[j].kind != punctToken && toks[j].kind != numberToken {
			return toks[i-1].is(":") || toks[i-1].is("\"") || toks[i-1].is("“") || toks[i-1].is("-")
		}
	}
	return true
}

func startsName(toks []token, i int) bool {
	t := toks[i]
	if t.kind != wordToken || !t.upper || len(t.low) < 2 {
		return false
	}
	if t.shout {
		return !commonShouts[t.low] && !stops[t.low]
	}
	return !stops[t.low] && (!capitalised[t.low] || titlesOfPeople[t.low]) && (!plain[t.low] || givenNames[t.low] && t.is("will"))
}

// nameEnd returns the token behind the name that begins at token i. A name does not cross a comma, and a gap in the text ends it.
func nameEnd(s string, toks []token, i int) int {
	end := i + 1
	if titlesOfPeople[toks[i].low] && end < len(toks) && toks[end].is(".") {
		end++
	}
	for end < len(toks) && end-i < 7 {
		t := toks[end]
		if strings.ContainsRune(s[toks[end-1].end:t.start], '\n') {
			break
		}
		switch {
		case t.kind == wordToken && t.upper && t.low != "i" && !(stops[t.low] && !t.shout) && !capitalised[t.low]:
			end++
		case t.kind == wordToken && t.upper && len(t.low) == 1 && end+1 < len(toks) && toks[end+1].is("."):
			end += 2 // an initial
		case t.kind == numberToken && allDigits(t.low) && len(t.low) < 4 && end+1 <= len(toks) && toks[end-1].kind == wordToken && !isUnitNext(toks, end):
			return end + 1 // iPhone 15
		case (nameJoiners[t.low] || t.is("&")) && end+1 < len(toks) && toks[end+1].kind == wordToken && toks[end+1].upper && !stops[toks[end+1].low] && !capitalised[toks[end+1].low]:
			end += 2
		default:
			return end
		}
	}
	return end
}

func isUnitNext(toks []token, i int) bool {
	return i+1 < len(toks) && toks[i+1].kind == wordToken && !toks[i+1].upper && !stops[toks[i+1].low]
}

// judge gives the mention its type from its own words and those beside it.
func (n *name) judge(s string, toks []token) {
	first, last := toks[n.from], toks[n.to-1]
	before := ""
	if n.from > 0 {
		before = toks[n.from-1].low
	}
	after := ""
	if n.to < len(toks) {
		after = toks[n.to].low
	}
	switch {
	case n.typ != "":
	case n.to-n.from > 1 && slices.ContainsFunc(toks[n.from:n.to], func(t token) bool { return orgTails[t.low] }):
		n.typ, n.sure = EntityOrganisation, true
	case placeNames[last.low] && !(givenNames[first.low] && n.to-n.from > 1):
		n.typ, n.sure = EntityPlace, true
		if before != "in" && before != "to" && before != "from" && givenNames[first.low] && n.to-n.from == 1 {
			n.typ = EntityPerson
		}
	case givenNames[first.low]:
		n.typ, n.sure = EntityPerson, true
	case mixedCase(first.of(s)) || n.to-n.from > 1 && last.kind == numberToken:
		n.typ, n.sure = EntityProduct, true
	case personVerbs[after] && n.to-n.from <= 3 && !first.shout:
		n.typ, n.sure = EntityPerson, n.sure || after != "is"
	case before == "in" && n.to-n.from <= 3:
		n.typ = EntityPlace
	case before == "at" || before == "for" && n.from > 1 && strings.HasPrefix(toks[n.from-2].low, "work"):
		n.typ = EntityOrganisation
	case first.shout && n.to-n.from == 1:
		n.typ = EntityOrganisation
	default:
		n.typ = EntityOther
	}
}

// personVerbs are verbs whose subject is most often a person.
var personVerbs = wordSet("said says told asked thinks thought lives lived works worked likes loves hates wants wrote writes replied agreed believes married")

func mixedCase(raw string) bool {
	lower := false
	for i, r := range raw {
		if i > 0 && unicode.IsUpper(r) && lower {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

// trivial reports whether nothing but a general word or a heading word is left of the name.
func (n *name) trivial(toks []token) bool {
	for _, t := range toks[n.from:n.to] {
		if t.kind == wordToken && !stops[t.low] && !(plain[t.low] && !givenNames[t.low]) && !titlesOfPeople[t.low] && len(t.low) > 1 {
			return false
		}
	}
	return true
}

// nameCounter adds up mentions over a text.
type nameCounter struct {
	byName map[string]int
	list   []counted
	lower  map[string]bool // words seen without a capital
}

type counted struct {
	Entity
	sure  bool
	votes [5]int
}

var entityOrder = [5]EntityType{EntityPerson, EntityOrganisation, EntityPlace, EntityProduct, EntityOther}

// add counts the mentions of a sentence and remembers which words it writes small.
func (c *nameCounter) add(s string, toks []token) []name {
	if c.byName == nil {
		c.byName, c.lower = map[string]int{}, map[string]bool{}
	}
	found := names(s, toks)
	for _, n := range found {
		full := plainName(s, toks, n)
		i, ok := c.byName[full]
		if !ok {
			i = len(c.list)
			c.byName[full] = i
			c.list = append(c.list, counted{Entity: Entity{Name: full, Start: toks[n.from].start, End: toks[n.to-1].end}})
		}
		e := &c.list[i]
		e.Count++
		e.sure = e.sure || n.sure
		e.votes[slices.Index(entityOrder[:], n.typ)]++
	}
	return found
}

// small notes a word that is written without a capital inside a sentence.
func (c *nameCounter) small(low string) {
	if c.lower != nil {
		c.lower[low] = true
	}
}

// plainName is the mention's text with its white space made single.
func plainName(s string, toks []token, n name) string {
	raw := s[toks[n.from].start:toks[n.to-1].end]
	if strings.ContainsAny(raw, "\n\t") || strings.Contains(raw, "  ") {
		return strings.Join(strings.Fields(raw), " ")
	}
	return raw
}

// ranked drops what is no name after all, folds short forms into full ones and sorts by count.
func (c *nameCounter) ranked() []Entity {
	full := map[string]int{} // last or first word of a longer person's name
	for i, e := range c.list {
		if w := strings.Fields(e.Name); len(w) > 1 && e.kind() != EntityOrganisation && e.kind() != EntityPlace && e.kind() != EntityProduct {
			for _, part := range []string{w[0], w[len(w)-1]} {
				if _, ok := full[part]; !ok {
					full[part] = i
				}
			}
		}
	}
	var out []Entity
	dead := make([]bool, len(c.list))
	for i := range c.list {
		e := &c.list[i]
		if j, ok := full[e.Name]; ok && j != i {
			c.list[j].Count += e.Count
			c.list[j].votes[0]++
			dead[i] = true
		} else if !e.sure && (c.lower[strings.ToLower(e.Name)] || e.Count < 2 && !placeNames[strings.ToLower(e.Name)]) {
			dead[i] = true
		}
	}
	for i := range c.list {
		if !dead[i] {
			e := c.list[i].Entity
			e.Type = c.list[i].kind()
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Entity) int { return b.Count - a.Count })
	return out
}

// kind is the type with most votes; a real type beats EntityOther.
func (c *counted) kind() EntityType {
	best := 4
	for i := 3; i >= 0; i-- {
		if c.votes[i] > 0 && (best == 4 || c.votes[i] >= c.votes[best]) {
			best = i
		}
	}
	return entityOrder[best]
}
