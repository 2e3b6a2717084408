package subject

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Roster reads the names of one message after another and remembers what each stood for, so that a name that was a person's once stays one, also
// where it stands alone or in small letters. The zero Roster is ready to use; it is not for concurrent use.
type Roster struct {
	kinds map[string]lexis.EntityType // by the name in small letters
	names map[string]string           // the name as it is written, by the name and by the first name in small letters
}

// maxRoster bounds how many names a roster remembers.
const maxRoster = 8192

// Meet notes what a name stands for.
func (r *Roster) Meet(name string, kind lexis.EntityType) {
	if r.kinds == nil {
		r.kinds, r.names = map[string]lexis.EntityType{}, map[string]string{}
	}
	low := strings.ToLower(name)
	if len(r.kinds) >= maxRoster || low == "" || kind == lexis.EntityOther {
		return
	}
	r.kinds[low], r.names[low] = kind, name
	if first, _, two := strings.Cut(low, " "); two && kind == lexis.EntityPerson && len(first) > 2 && !lexis.Titles[strings.Trim(first, ".")] {
		if _, ok := r.kinds[first]; !ok {
			r.kinds[first], r.names[first] = kind, name[:len(first)]
		}
	}
}

// Tame notes that a name is an animal's: it stands for no one whom the roster lists.
func (r *Roster) Tame(name string) {
	r.Meet(name, lexis.EntityProduct)
	if low := strings.ToLower(name); r.kinds[low] == lexis.EntityProduct {
		r.kinds[low] = lexis.EntityOther
	}
}

// Kind returns what a name stood for before, "" when it has not been met.
func (r *Roster) Kind(name string) lexis.EntityType { return r.kinds[strings.ToLower(name)] }

// Read returns the people, organisations, places and products that a message names, in its order, each once, and remembers them. Names of which
// the text does not tell what they are are left out, but for those of several words: they are of [lexis.EntityOther], and not remembered.
func (r *Roster) Read(s string) []lexis.Entity {
	var out []lexis.Entity
	var toks []lexis.Token
	add := func(name string, kind lexis.EntityType, start, end int) {
		if i := slices.IndexFunc(out, func(e lexis.Entity) bool { return strings.EqualFold(e.Name, name) }); i >= 0 {
			out[i].Count++
			return
		}
		out = append(out, lexis.Entity{Name: name, Type: kind, Count: 1, Start: start, End: end})
		r.Meet(name, kind)
	}
	for start, end := range lexis.Stretches(s) {
		toks = lexis.Lex(toks[:0], s, start, end)
		found := lexis.Names(s, toks)
		next := 0
		for i := 0; i < len(toks); i++ {
			if next < len(found) && found[next].From == i {
				n := found[next]
				next++
				if name, kind := r.judge(s, toks, &n); kind != lexis.EntityOther || n.To-n.From > 1 {
					add(name, kind, toks[n.From].Start, toks[n.To-1].End)
				}
				i = n.To - 1
				continue
			}
			if kind := r.small(toks, i); kind != "" {
				add(toks[i].Of(s), kind, toks[i].Start, toks[i].End)
			}
		}
	}
	return out
}

// small tells what a word in small letters names: somebody who has been met, a place behind "in", a product that everyone knows.
func (r *Roster) small(toks []lexis.Token, i int) lexis.EntityType {
	t := toks[i]
	if t.Kind != lexis.Word || len(t.Low) < 3 {
		return ""
	}
	product, met := lexis.Products[t.Low], r.kinds[t.Low] == lexis.EntityPerson
	place := !t.Upper && lexis.PlaceNames[t.Low]
	switch {
	case !product && !met && !place, t.Upper && !product, lexis.Stops[t.Low], lexis.Plain[t.Low]:
		return ""
	case product && (t.Upper || !lexis.Verbs[t.Low].Known() && !ambiguous[t.Low]):
		return lexis.EntityProduct
	case met && !lexis.Verbs[t.Low].Known():
		return lexis.EntityPerson
	case place && !lexis.GivenNames[t.Low]:
		return lexis.EntityPlace
	}
	return ""
}

// ambiguous are product names that are common words when they are written small.
var ambiguous = lexis.Words(`go rust swift spring flask notion slack teams windows word excel access oracle edge chrome signal discord zoom linear
	figma make bruno react angular ruby julia scala dart crystal fresh bun deno echo alexa tinder hinge bumble node ink`)

// judge settles what a name is, with its neighbours and what has been met before. A possessive or a day behind the name is left out.
func (r *Roster) judge(s string, toks []lexis.Token, n *lexis.Name) (string, lexis.EntityType) {
	name := lexis.PlainName(s, toks, *n)
	first, last := toks[n.From], toks[n.To-1]
	low := strings.ToLower(name)
	if k := r.kinds[low]; k != "" {
		return name, k
	}
	if n.From > 0 && lexis.Titles[toks[n.From-1].Low] || n.From > 1 && toks[n.From-1].Is(".") && lexis.Titles[toks[n.From-2].Low] {
		from := n.From - 1
		if toks[from].Is(".") {
			from--
		}
		return lexis.OneLine(s[toks[from].Start:last.End]), lexis.EntityPerson
	}
	for n.To-n.From > 1 && lexis.Verbs[first.Low].Form&lexis.Past != 0 && !lexis.GivenNames[first.Low] { // "Signed Hetzner"
		n.From++
		first = toks[n.From]
		name = lexis.PlainName(s, toks, *n)
		low = strings.ToLower(name)
	}
	before, after := lowAt(toks, n.From-1), lowAt(toks, n.To)
	if before == "the" {
		before = lowAt(toks, n.From-2)
	}
	if n.To-n.From == 1 && (lexis.Relations[low] != "" || lexis.Common(low) && (n.From == 0 || first.Shout || lexis.OpensSentence(toks, n.From)) &&
		!lexis.GivenNames[low]) {
		return name, lexis.EntityOther
	}
	if w := lowAt(toks, n.From-1); lexis.Relations[w] == "pet" || (w == "," || w == "called") && lexis.Relations[lowAt(toks, n.From-2)] == "pet" {
		r.Tame(name)
		return name, lexis.EntityOther
	}
	switch {
	case n.To-n.From > 1 && strings.Contains(name, "&"):
		return name, lexis.EntityOrganisation
	case n.To-n.From == 1 && (noName(first) || n.From > 0 && (toks[n.From-1].Is(".") || toks[n.From-1].Is("!")) && !lexis.GivenNames[first.Low] &&
		!lexis.PlaceNames[first.Low]):
		return name, lexis.EntityOther
	case (before == "at" || before == "for" || before == "of" && lexis.Jobs[lowAt(toks, n.From-2)] || before == "joined" || before == "join") &&
		workNear(toks, n.From) && !lexis.PlaceNames[low]:
		return name, lexis.EntityOrganisation
	case n.To-n.From <= 2 && !first.Shout && (after == "and" && lowAt(toks, n.To+1) == "i" || after == "is" && (lowAt(toks, n.To+1) == "my" ||
		lowAt(toks, n.To+1) == "our") && lexis.Relations[lowAt(toks, n.To+2)] != ""):
		return name, lexis.EntityPerson
	case n.To-n.From == 1 && (lexis.Verbs[first.Low].Known() && n.From == 0 && !lexis.GivenNames[first.Low] || lexis.Nations[first.Low] ||
		unicode.IsDigit(rune(first.Low[0]))):
		return name, lexis.EntityOther
	case lexis.Products[low] || lexis.Products[first.Low] && n.To-n.From <= 2 && (n.To-n.From == 1 || last.Kind == lexis.Number || lexis.IsVersion(last.Low)):
		return trimNumber(s, toks, n), lexis.EntityProduct
	case lexis.Companies[low] || lexis.Companies[first.Low] && n.To-n.From == 1:
		return name, lexis.EntityOrganisation
	case streets[last.Low] || streets[first.Low] && n.To-n.From > 1 || hasStreetEnd(last.Low):
		return name, lexis.EntityPlace
	case relationBefore(toks, n.From):
		return name, lexis.EntityPerson
	case before == "from" && n.To-n.From == 1 && (lexis.PlaceNames[low] || goesNear(toks, n.From) && !lexis.GivenNames[low]):
		return name, lexis.EntityPlace
	case n.Type == lexis.EntityPerson || n.Type == lexis.EntityPlace || n.Type == lexis.EntityProduct && lexis.MixedCase(first.Of(s)):
		return name, n.Type
	case (before == "at" || before == "for" || before == "with" || before == "from" || before == "joined" || before == "join" || before == "left" ||
		before == "by") && workNear(toks, n.From):
		return name, lexis.EntityOrganisation
	case n.Type == lexis.EntityOrganisation && !first.Shout:
		return name, n.Type
	case before == "in" || before == "near" || before == "to" && goesNear(toks, n.From):
		return name, lexis.EntityPlace
	case n.Type == lexis.EntityProduct:
		return name, n.Type
	case after == "," && n.From == 0 && n.To-n.From == 1, before == "," && n.To == len(toks), before == "with" || before == "and" && n.Sure &&
		lowAt(toks, n.From-2) != "":
		if n.To-n.From <= 3 && !first.Shout {
			return name, lexis.EntityPerson
		}
	case lexis.PersonVerbs[after] || socialVerbs[before]:
		return name, lexis.EntityPerson
	case first.Shout && n.To-n.From == 1 && len(low) > 2:
		if before == "at" || before == "with" || before == "from" || before == "by" || workNear(toks, n.From) {
			return name, lexis.EntityOrganisation
		}
	case n.Sure && n.To-n.From <= 3 && !first.Shout && before != "the" && n.From > 0:
		return name, lexis.EntityPerson
	}
	return name, lexis.EntityOther
}

// noName reports what begins with a capital, or is in capitals, and names no one: "Fridays", "Q1", "WOW", "AAAAH", "Oh".
func noName(t lexis.Token) bool {
	w := t.Low
	if _, ok := lexis.Weekdays[strings.TrimSuffix(w, "s")]; ok || len(w) == 2 && w[0] == 'q' || interjections[w] || strings.Contains(w, ".") && !t.Shout {
		return true
	}
	for i := 2; i < len(w); i++ {
		if w[i] == w[i-1] && w[i] == w[i-2] {
			return true
		}
	}
	return false
}

var interjections = lexis.Words(`oh ah wow yay yes no ok okay hey hi hello thanks wait well sorry please omg ugh haha lol nice great cool amazing
	awesome sure right exactly congrats`)

// trimNumber is a product's name without its version.
func trimNumber(s string, toks []lexis.Token, n *lexis.Name) string {
	if n.To-n.From == 2 && toks[n.To-1].Kind == lexis.Number {
		n.To--
	}
	return lexis.PlainName(s, toks, *n)
}

func lowAt(toks []lexis.Token, i int) string {
	if i < 0 || i >= len(toks) {
		return ""
	}
	return toks[i].Low
}

// relationBefore reports whether a name stands behind a word for a relative, friend or colleague: "my sister Freja", "a woman called Catarina".
func relationBefore(toks []lexis.Token, i int) bool {
	w := lowAt(toks, i-1)
	if w == "called" || w == "named" {
		p := lowAt(toks, i-2)
		return lexis.Relations[p] != "" || p == "woman" || p == "man" || p == "guy" || p == "girl" || p == "boy"
	}
	return lexis.Relations[w] != "" && lexis.Relations[w] != "pet"
}

// workNear reports whether the words before a name speak of work, contracts or study.
func workNear(toks []lexis.Token, i int) bool {
	for j := max(0, i-7); j < i; j++ {
		if workWords[toks[j].Low] || lexis.Jobs[toks[j].Low] {
			return true
		}
	}
	return false
}

var workWords = lexis.Words(`work works worked working job jobs contract deal pilot demo call meeting study studied studies studying joined join
	joining starts started starting start post offer offered interview interviewed
	hired internship team company client customer client's employed sheet residency phd master's degree`)

// goesNear reports whether the words before a name speak of travel.
func goesNear(toks []lexis.Token, i int) bool {
	for j := max(0, i-6); j < i; j++ {
		if travelWords[lexis.Verbs[toks[j].Low].Lemma] || toks[j].Is("trip") || toks[j].Is("flight") || toks[j].Is("train") {
			return true
		}
	}
	return false
}

var travelWords = lexis.Words("go move fly drive travel sail return relocate come head ride visit")

var socialVerbs = lexis.Words(`met meet meeting called call ask asked told tell invite invited bring saw see visit visited thanks thank hi hello hey
	dear love miss married dated dating uncle aunt`)

// streets are words of addresses.
var streets = lexis.Words(`street road avenue lane square boulevard rua rue via calle plaza platz place straße strasse park bridge station airport
	beach island lake river bay hill valley`)

func hasStreetEnd(w string) bool {
	return strings.HasSuffix(w, "straße") || strings.HasSuffix(w, "strasse") || strings.HasSuffix(w, "platz") || strings.HasSuffix(w, "gasse") ||
		strings.HasSuffix(w, "allee")
}
