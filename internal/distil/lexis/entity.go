package lexis

import (
	"slices"
	"strings"
	"unicode"
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
	var c Counter
	var toks []Token
	for start, end := range Stretches(s) {
		toks = Lex(toks[:0], s, start, end)
		c.Add(s, toks)
	}
	return c.Ranked()
}

// Name is one mention: tokens [from, to).
type Name struct {
	From, To int
	Type     EntityType
	Sure     bool // not just a capital at the start of a sentence
}

// nameJoiners may stand inside a name, between two capitals.
var nameJoiners = Words("of de van von der den del della la le du da di dos el al bin ibn y und")

// Names finds the mentions in one sentence.
func Names(s string, toks []Token) []Name {
	shouting := isShouting(toks)
	var out []Name
	for i := 0; i < len(toks); {
		if !startsName(toks, i) {
			i++
			continue
		}
		end := nameEnd(s, toks, i)
		n := Name{From: i, To: end, Sure: !OpensSentence(toks, i) || end-i > 1}
		i = end
		if Titles[toks[n.From].Low] && n.To-n.From > 1 {
			n.From++
			if n.From < n.To && toks[n.From].Is(".") {
				n.From++
			}
			n.Type, n.Sure = EntityPerson, true
		}
		if n.From == n.To {
			continue
		}
		n.judge(s, toks)
		if shouting && (n.Type == EntityOther || n.To-n.From > 3) {
			continue
		}
		if !n.trivial(toks) {
			out = append(out, n)
		}
	}
	return out
}

// isShouting reports whether every word but small ones has a capital, as in headings: capitals say little there.
func isShouting(toks []Token) bool {
	upper := 0
	for _, t := range toks {
		if t.Kind != Word || Stops[t.Low] && !t.Shout {
			continue
		}
		if !t.Upper {
			return false
		}
		upper++
	}
	return upper >= 4
}

// OpensSentence reports whether token i is the first of its sentence.
func OpensSentence(toks []Token, i int) bool {
	for j := range i {
		if toks[j].Kind != Punct && toks[j].Kind != Number {
			return toks[i-1].Is(":") || toks[i-1].Is("\"") || toks[i-1].Is("“") || toks[i-1].Is("-")
		}
	}
	return true
}

func startsName(toks []Token, i int) bool {
	t := toks[i]
	if t.Kind != Word || !t.Upper || len(t.Low) < 2 {
		return false
	}
	if t.Shout {
		return !commonShouts[t.Low] && !Stops[t.Low]
	}
	return !Stops[t.Low] && (!capitalised[t.Low] || Titles[t.Low]) && (!Plain[t.Low] || GivenNames[t.Low] && t.Is("will"))
}

// nameEnd returns the token behind the name that begins at token i. A name does not cross a comma, and a gap in the text ends it.
func nameEnd(s string, toks []Token, i int) int {
	end := i + 1
	if Titles[toks[i].Low] && end < len(toks) && toks[end].Is(".") {
		end++
	}
	for end < len(toks) && end-i < 7 {
		t := toks[end]
		if strings.ContainsRune(s[toks[end-1].End:t.Start], '\n') {
			break
		}
		switch {
		case t.Kind == Word && t.Upper && t.Low != "i" && !(Stops[t.Low] && !t.Shout) && !capitalised[t.Low]:
			end++
		case t.Kind == Word && t.Upper && len(t.Low) == 1 && end+1 < len(toks) && toks[end+1].Is("."):
			end += 2 // an initial
		case t.Kind == Number && AllDigits(t.Low) && len(t.Low) < 4 && end+1 <= len(toks) && toks[end-1].Kind == Word && !isUnitNext(toks, end):
			return end + 1 // iPhone 15
		case t.Kind == Word && IsVersion(t.Low) && toks[end-1].Kind == Word:
			return end + 1 // Checkout v2
		case (nameJoiners[t.Low] || t.Is("&")) && end+1 < len(toks) && toks[end+1].Kind == Word && toks[end+1].Upper && !Stops[toks[end+1].Low] &&
			!capitalised[toks[end+1].Low]:
			end += 2
		default:
			return end
		}
	}
	return end
}

// IsVersion reports v2, v10.
func IsVersion(w string) bool { return len(w) > 1 && len(w) < 5 && w[0] == 'v' && AllDigits(w[1:]) }

func isUnitNext(toks []Token, i int) bool {
	return i+1 < len(toks) && toks[i+1].Kind == Word && !toks[i+1].Upper && !Stops[toks[i+1].Low]
}

// judge gives the mention its type from its own words and those beside it.
func (n *Name) judge(s string, toks []Token) {
	first, last := toks[n.From], toks[n.To-1]
	before := ""
	if n.From > 0 {
		before = toks[n.From-1].Low
	}
	after := ""
	if n.To < len(toks) {
		after = toks[n.To].Low
	}
	switch {
	case n.Type != "":
	case n.To-n.From > 1 && slices.ContainsFunc(toks[n.From:n.To], func(t Token) bool { return orgTails[t.Low] }):
		n.Type, n.Sure = EntityOrganisation, true
	case PlaceNames[last.Low] && !(GivenNames[first.Low] && n.To-n.From > 1):
		n.Type, n.Sure = EntityPlace, true
		if before != "in" && before != "to" && before != "from" && GivenNames[first.Low] && n.To-n.From == 1 {
			n.Type = EntityPerson
		}
	case GivenNames[first.Low]:
		n.Type, n.Sure = EntityPerson, true
	case MixedCase(first.Of(s)) || n.To-n.From > 1 && (last.Kind == Number || IsVersion(last.Low)):
		n.Type, n.Sure = EntityProduct, true
	case PersonVerbs[after] && n.To-n.From <= 3 && !first.Shout:
		n.Type, n.Sure = EntityPerson, n.Sure || after != "is"
	case before == "in" && n.To-n.From <= 3:
		n.Type = EntityPlace
	case before == "at" || before == "for" && n.From > 1 && strings.HasPrefix(toks[n.From-2].Low, "work"):
		n.Type = EntityOrganisation
	case first.Shout && n.To-n.From == 1:
		n.Type = EntityOrganisation
	default:
		n.Type = EntityOther
	}
}

// PersonVerbs are verbs whose subject is most often a person.
var PersonVerbs = Words(`said says told asked thinks thought lives lived works worked likes loves hates wants wrote writes replied agreed
	believes married`)

// MixedCase reports whether a word has a capital behind a small letter, as in "iPhone": "iPhone", "PostgreSQL".
func MixedCase(raw string) bool {
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
func (n *Name) trivial(toks []Token) bool {
	for _, t := range toks[n.From:n.To] {
		if t.Kind == Word && !Stops[t.Low] && !(Plain[t.Low] && !GivenNames[t.Low]) && !Titles[t.Low] && len(t.Low) > 1 {
			return false
		}
	}
	return true
}

// Counter adds up mentions over a text.
type Counter struct {
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

// Add counts the mentions in a sentence and returns them.
func (c *Counter) Add(s string, toks []Token) []Name {
	if c.byName == nil {
		c.byName, c.lower = map[string]int{}, map[string]bool{}
	}
	found := Names(s, toks)
	for _, n := range found {
		full := PlainName(s, toks, n)
		i, ok := c.byName[full]
		if !ok {
			i = len(c.list)
			c.byName[full] = i
			c.list = append(c.list, counted{Entity: Entity{Name: full, Start: toks[n.From].Start, End: toks[n.To-1].End}})
		}
		e := &c.list[i]
		e.Count++
		e.sure = e.sure || n.Sure
		e.votes[slices.Index(entityOrder[:], n.Type)]++
	}
	return found
}

// Small notes a word that is written without a capital inside a sentence.
func (c *Counter) Small(low string) {
	if c.lower != nil {
		c.lower[low] = true
	}
}

// PlainName is the mention's text with its white space made single.
func PlainName(s string, toks []Token, n Name) string {
	raw := s[toks[n.From].Start:toks[n.To-1].End]
	if strings.ContainsAny(raw, "\n\t") || strings.Contains(raw, "  ") {
		return strings.Join(strings.Fields(raw), " ")
	}
	return raw
}

// Ranked drops what is no name after all, folds short forms into full ones and sorts by count.
func (c *Counter) Ranked() []Entity {
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
		} else if !e.sure && (c.lower[strings.ToLower(e.Name)] || e.Count < 2 && !PlaceNames[strings.ToLower(e.Name)]) {
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
