package subject

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Sort says what an entity is.
type Sort uint8

// The sorts of entities.
const (
	Person   Sort = iota // called by a name
	Relative             // "Ana's sister", by what they are to somebody
	Pet                  // "Ana's dog", or an animal with a name
	Called               // a name that may be anybody's or anything's
	Named                // an organisation, a product, a project
	Owned                // "Ana's car"
	Thing                // "the boiler"
)

// Alive reports whether "he" or "she" can mean it.
func (s Sort) Alive() bool { return s <= Called }

// Role is what an entity was in the words that spoke of it last.
type Role uint8

// The roles of an entity.
const (
	Voice  Role = iota // it spoke
	First              // the subject, or what stands first
	Object             // what stands first behind the verb
	Other              // what stands elsewhere
	Asked              // a question spoke of it
)

var roleNames = [...]string{"voice", "first", "object", "other", "asked"}

// Entity is somebody or something that a conversation has spoken of.
type Entity struct {
	Name string // as the subject of a statement: "Clara", "Ana's sister", "boiler", "Ana's car"
	Head string // its noun in small letters, a person's first name
	Rel  string // of a relative or pet: "sister"
	Own  string // whose it is
	Det  string // the article or possessive before it, "" for none
	Sort Sort
	Role Role
	Many bool   // its noun is a plural
	By   string // who spoke of it last
	told int    // how often it was spoken of
	last int    // the number of the message that did so last
	at   int    // the number of the stretch of words that did so last
}

// Told is the entity in a sentence: "the boiler", "Clara".
func (e *Entity) Told() string {
	if e.Sort == Thing && !strings.HasPrefix(e.Name, "the ") {
		return "the " + e.Name
	}
	return e.Name
}

// Trail holds the entities of a conversation, that spoken of last at the end. The zero Trail is empty.
type Trail struct {
	list    []Entity
	names   map[string]string // of relatives who have one, by "Ana's sister" in small letters; "" when there are two
	message int
	at      int
}

const (
	longest  = 48   // entities that a trail holds
	maxNames = 2048 // relatives whose names it keeps
	reach    = 12   // messages that words look back
)

// Next begins a message of a speaker.
func (t *Trail) Next(speaker string) {
	t.message++
	if speaker != "" {
		t.meet(&Entity{Name: speaker, Head: first(speaker), Sort: Person, Role: Voice, By: speaker})
	}
}

// Named notes the name of somebody's relative, or pet: "my sister Clara".
func (t *Trail) Named(owner, rel, name string) {
	key := strings.ToLower(owner + "'s " + rel)
	was, ok := t.names[key]
	switch {
	case !ok && len(t.names) < maxNames:
		if t.names == nil {
			t.names = map[string]string{}
		}
		t.names[key] = name
	case ok && !strings.EqualFold(was, name):
		t.names[key] = "" // two of them
	}
}

// Name returns the name of somebody's relative, "" when it is not known, or there are two.
func (t *Trail) Name(owner, rel string) string { return t.names[strings.ToLower(owner+"'s "+rel)] }

// Again notes that a pronoun of speaker has meant somebody.
func (t *Trail) Again(name, speaker string) {
	if i := slices.IndexFunc(t.list, func(e Entity) bool { return e.Name == name }); i >= 0 {
		e := t.list[i]
		e.By, e.Role = speaker, First
		t.meet(&e)
	}
}

// meet takes an entity up, or notes that it was spoken of again.
func (t *Trail) meet(e *Entity) {
	e.told, e.last, e.at = 1, t.message, t.at
	i := 0
	for i < len(t.list) && !t.list[i].is(e) {
		i++
	}
	if i < len(t.list) {
		old := t.list[i]
		e.told += old.told
		if len(old.Name) > len(e.Name) || old.Sort < e.Sort {
			e.Name, e.Sort, e.Own, e.Det = old.Name, old.Sort, old.Own, old.Det
		}
		if e.Rel == "" {
			e.Rel = old.Rel
		}
		t.list = slices.Delete(t.list, i, i+1)
	} else if len(t.list) >= longest {
		t.list = slices.Delete(t.list, 0, 1)
	}
	if t.list == nil {
		t.list = make([]Entity, 0, 16)
	}
	t.list = append(t.list, *e)
}

// is reports whether two mentions speak of the same.
func (e *Entity) is(o *Entity) bool {
	if strings.EqualFold(e.Name, o.Name) {
		return true
	}
	if e.Sort <= Relative || o.Sort <= Relative {
		return e.Sort == Person && o.Sort == Person && e.Head == o.Head && (e.Name == o.Name[:min(len(o.Name), len(e.Name))] || o.Name == e.Name[:min(len(o.Name), len(e.Name))])
	}
	return e.Head == o.Head && (e.Own == o.Own || e.Own == "" || o.Own == "") && !e.named() && !o.named()
}

func (e *Entity) named() bool { return e.Sort == Called || e.Sort == Named }

func first(name string) string {
	w, _, _ := strings.Cut(strings.ToLower(name), " ")
	return w
}

// Words are a stretch of a message with what is known of it.
type Words struct {
	S     string
	Toks  []lexis.Token
	Me    string // who says them
	Verb  int    // the token where their verb group begins, -1 when they have none
	Asked bool   // they are a question
	Known func(low string) string

	nouns []answer // which of the tokens may stand in a noun phrase
}

// answer is what is known of something that may be asked again.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// Hear takes up whom and what words speak of.
func (t *Trail) Hear(w *Words) {
	t.at++
	seen := map[string]bool{}
	object := false
	for i := range w.Toks {
		e, ok := w.entity(i)
		if !ok || seen[e.Name] || strings.EqualFold(e.Name, w.Me) {
			continue
		}
		seen[e.Name] = true
		e.By = w.Me
		switch {
		case w.Asked:
			e.Role = Asked
		case len(seen) == 1 && (w.Verb < 0 || i < w.Verb):
			e.Role = First
		case w.Verb >= 0 && i > w.Verb && !object:
			e.Role, object = Object, true
		default:
			e.Role = Other
		}
		if name := t.Name(e.Own, e.Rel); e.Rel != "" && name != "" {
			e.Name, e.Head = name, first(name)
			if e.Sort == Relative {
				e.Sort = Person
			}
		}
		t.meet(&e)
	}
}
