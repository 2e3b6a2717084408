package subject

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// owners are the words before a thing that say whose it is.
var owners = lexis.Words("my our your his her their its")

// before are the articles and the like that stand before a noun.
var before = lexis.Words("the a an this that these those my our your his her their its some another")

// adjectives stand between "my" and a relative.
var adjectives = lexis.Words("older younger elder little big twin late new old dear youngest oldest eldest former lovely sweet middle wonderful best good poor")

// empty are nouns that say nothing of what they stand for.
var empty = lexis.Words(`thing things stuff lot lots bit way time times day days week weeks month months year years hour hours minute minutes today
	tomorrow tonight yesterday morning evening afternoon night weekend god lord mate dude man guys folks people everyone everybody someone somebody nobody
	everything something nothing anything anyone one ones fun love luck thanks please sorry haha lol news idea question problem point reason kind sort
	part rest half end start start side moment second minute bit lots quid pound pounds euro euros dollar dollars percent kilo kilos am pm yes no okay
	ok yeah nope maybe course fact case example plenty couple pair dozen`)

// entity is the one whose phrase begins with token i, its article aside.
func (w *Words) entity(i int) (Entity, bool) {
	t := w.Toks[i]
	if t.Kind != lexis.Word {
		return Entity{}, false
	}
	if owners[t.Low] {
		return w.owned(i)
	}
	if e, ok := w.named(i); ok {
		return e, true
	}
	if i > 0 && (w.noun(i-1) || owners[w.Toks[i-1].Low]) {
		return Entity{}, false // inside a phrase that has been read
	}
	if rel := lexis.Relations[t.Low]; lexis.Parents[t.Low] && rel != "" {
		return w.relative(w.Me, rel), true
	}
	end := w.phrase(i)
	if end == i {
		return Entity{}, false
	}
	e := Entity{Name: w.text(i, end), Head: lexis.Singular(w.Toks[end-1].Low), Sort: Thing, Many: plural(w.Toks[end-1].Low)}
	if i > 0 && before[w.Toks[i-1].Low] {
		e.Det = w.Toks[i-1].Low
	}
	switch rel := lexis.Relations[w.Toks[end-1].Low]; {
	case e.Many:
	case rel == "pet":
		e.Sort, e.Rel = Pet, w.Toks[end-1].Low
	case (rel != "" || lexis.Jobs[e.Head] || somebody[e.Head]) && e.Det != "":
		e.Sort, e.Rel, e.Name = Relative, rel, "the "+e.Name
	}
	return e, true
}

// somebody are nouns for a person, beside those for relatives and jobs.
var somebody = lexis.Words("man woman boy girl guy lad lady lass bloke chap kid client customer tenant guest patient boyfriend girlfriend fellow gentleman owner")

// owned reads "my sister", "your car" from the possessive at token i.
func (w *Words) owned(i int) (Entity, bool) {
	j := i + 1
	for j < len(w.Toks) && adjectives[w.Toks[j].Low] {
		j++
	}
	if j >= len(w.Toks) {
		return Entity{}, false
	}
	own := ""
	if t := w.Toks[i]; t.Is("my") || t.Is("our") {
		own = w.Me
	}
	if rel := lexis.Relations[w.Toks[j].Low]; rel != "" {
		if own == "" {
			return Entity{}, false
		}
		if rel == "pet" {
			return Entity{Name: owner(own) + " " + w.Toks[j].Low, Head: w.Toks[j].Low, Rel: w.Toks[j].Low, Own: own, Sort: Pet, Det: "my"}, true
		}
		return w.relative(own, rel), true
	}
	end := w.phrase(i + 1)
	if end == i+1 {
		return Entity{}, false
	}
	e := Entity{
		Name: w.text(i+1, end), Head: lexis.Singular(w.Toks[end-1].Low), Own: own, Sort: Thing, Det: w.Toks[i].Low, Many: plural(w.Toks[end-1].Low),
	}
	if own != "" {
		e.Sort, e.Name = Owned, owner(own)+" "+e.Name
	}
	return e, true
}

func (w *Words) relative(own, rel string) Entity {
	return Entity{Name: owner(own) + " " + rel, Head: rel, Rel: rel, Own: own, Sort: Relative, Det: "my", Many: rel == "parents" || rel == "kids"}
}

func owner(name string) string {
	if name == "user" {
		return "the user's"
	}
	return name + "'s"
}

// named reads a name at token i.
func (w *Words) named(i int) (Entity, bool) {
	t := w.Toks[i]
	if w.Known != nil {
		if name := w.Known(t.Low); name != "" && (t.Upper || !lexis.Verbs[t.Low].Known() && !lexis.Stops[t.Low] && !lexis.Plain[t.Low]) {
			if i > 0 && w.Toks[i-1].Upper && w.Known(w.Toks[i-1].Low) != "" {
				return Entity{}, false // a family name
			}
			return Entity{Name: name, Head: t.Low, Sort: Person}, true
		}
	}
	if !t.Upper || i > 0 && w.Toks[i-1].Upper && !lexis.Stops[w.Toks[i-1].Low] && !lexis.Titles[w.Toks[i-1].Low] {
		return Entity{}, false
	}
	from := max(0, i-2)
	for _, n := range lexis.Names(w.S, w.Toks[from:min(len(w.Toks), i+6)]) {
		if n.From += from; n.From != i {
			continue
		}
		n.To += from
		name := lexis.PlainName(w.S, w.Toks, n)
		switch {
		case n.Type == lexis.EntityPlace || lexis.IsDateWord(t.Low) || n.To-n.From > 2 && t.Shout && w.Toks[n.To-1].Shout:
			return Entity{}, false
		case n.Type == lexis.EntityPerson || i > 0 && lexis.Titles[w.Toks[i-1].Low]:
			return Entity{Name: name, Head: t.Low, Sort: Person}, true
		case n.Type == lexis.EntityOrganisation || n.Type == lexis.EntityProduct || i > 0 && before[w.Toks[i-1].Low] && !lexis.Common(t.Low): // "the Elm practice"
			return Entity{Name: name, Head: strings.ToLower(name), Sort: Named}, true
		case n.Sure || !lexis.Common(t.Low):
			return Entity{Name: name, Head: strings.ToLower(name), Sort: Called}, true
		}
	}
	return Entity{}, false
}

// noun reports whether token i may stand in a noun phrase, articles aside. Phrases that begin at neighbours ask it again.
func (w *Words) noun(i int) bool {
	if w.nouns == nil {
		w.nouns = make([]answer, len(w.Toks))
	}
	if w.nouns[i] == unasked {
		w.nouns[i] = no
		if w.nounAt(i) {
			w.nouns[i] = yes
		}
	}
	return w.nouns[i] == yes
}

func (w *Words) nounAt(i int) bool {
	t := w.Toks[i]
	if t.Kind != lexis.Word || len(t.Low) < 3 || lexis.Stops[t.Low] || lexis.Adverbs[t.Low] || lexis.IsDateWord(t.Low) || lexis.SmallNumber(t.Low) > 0 {
		return false
	}
	if v := lexis.Verbs[t.Low]; v.Known() {
		return i > 0 && before[w.Toks[i-1].Low] || v.Form == lexis.Base && i > 0 && w.Toks[i-1].Kind == lexis.Word && !lexis.Stops[w.Toks[i-1].Low] &&
			!lexis.Verbs[w.Toks[i-1].Low].Known() && !lexis.Adverbs[w.Toks[i-1].Low]
	}
	return true
}

// phrase returns the token behind the noun phrase that begins at token i; i when none does.
func (w *Words) phrase(i int) int {
	end := i
	for end < len(w.Toks) && end < i+4 && w.noun(end) && (end == i || strings.TrimSpace(w.S[w.Toks[end-1].End:w.Toks[end].Start]) == "") {
		end++
	}
	if end == i || empty[w.Toks[end-1].Low] || lexis.Plain[w.Toks[end-1].Low] {
		return i
	}
	return end
}

func (w *Words) text(from, to int) string {
	return lexis.OneLine(w.S[w.Toks[from].Start:w.Toks[to-1].End])
}

func plural(low string) bool {
	return lexis.Singular(low) != low
}
