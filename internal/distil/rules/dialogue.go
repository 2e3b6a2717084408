package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Dialogue reads the messages of a conversation one after another, in their order. It keeps what a message alone does not tell: whom "she" means,
// who has been
// named, that the assistant is a machine, and what was asked last. The zero Dialogue is ready to use; it is not for concurrent use. To read
// the newest message of a long conversation, a dialogue that has read the dozen before it will do.
type Dialogue struct {
	person   grammar.Party // the last person spoken of
	group    grammar.Party // the last thing or organisation spoken of
	age      int           // messages since person
	cast     grammar.Cast
	employer map[string]string // by speaker
	dated    []Statement       // the last few statements with a day
	roster   lexis.Roster
	machines bool     // a system or tool message was read: who answers as the assistant is a machine
	helper   bool     // an assistant, most likely a machine, takes part
	voices   []string // the people who have spoken, no more than three
	topic    string
	still    int             // messages since topic
	first    map[string]bool // their first names, in small letters
	question string
	asker    string
	faint    []Statement
	judge    *sense.Model     // nil: the one that the program comes with
	unjudged bool             // tests and training look at what comes before the judge
	watch    func(*extractor) // is shown it
}

// recent is for how many messages "she" can mean whom the dialogue spoke of last.
const recent = 4

// Faint returns what the message that was read last says besides and nobody would note for its own sake, but that may tell that something has
// changed which was noted before.
func (d *Dialogue) Faint() []Statement { return d.faint }

// Read draws statements from the next message, as [Extract] does from one alone.
func (d *Dialogue) Read(in Input) []Statement {
	d.faint = nil
	switch strings.ToLower(in.Role) {
	case "system", "developer", "tool", "function":
		d.machines = true
	case "assistant", "model", "ai", "bot":
		if d.machines {
			d.listen(in)
			return nil
		}
	}
	if d.cast == nil {
		d.cast = grammar.Cast{}
	}
	if !lexis.Speaks(in.Role, in.Speaker) || strings.TrimSpace(in.Text) == "" {
		d.listen(in)
		return nil
	}
	x := newExtractor(in)
	x.d, x.Cast = d, d.cast
	if d.age < recent {
		x.Person = d.person
		x.Group = d.group
	}
	before := x.Person
	x.You, x.Voices = d.addressee(in), d.first
	if d.still < 2 {
		x.Topic = d.topic
	}
	if in.Speaker != "" && x.Self {
		d.cast.Meet(in.Speaker)
	}
	x.message()
	d.age++
	if x.Person.Kind == grammar.Someone && (x.Person.Name != before.Name || x.Spoken || x.mention) {
		d.person, d.age = x.Person, 0
	}
	d.group = x.Group
	if d.still++; x.Topic != d.topic {
		d.topic, d.still = x.Topic, 0
	}
	x.settle()
	for i := range x.out {
		d.learn(&x.out[i])
	}
	d.listen(in)
	return x.out
}

// addressee is whom a message speaks to, as long as it names nobody: the other one of two, else who spoke before.
func (d *Dialogue) addressee(in Input) string {
	if d.helper || d.machines || d.asker == "" || strings.EqualFold(d.asker, in.Speaker) && len(d.voices) != 2 {
		return ""
	}
	if len(d.voices) == 2 {
		return d.partner(in.Speaker)
	}
	return d.asker
}

// Entities returns the people, organisations, places and products that a message names. What the statements of this and the messages before
// it tell of them counts: whom "works at" names is an organisation. Call it behind [Dialogue.Read] of the same message.
func (d *Dialogue) Entities(in Input) []lexis.Entity {
	if in.Speaker != "" && lexis.Speaks(in.Role, in.Speaker) {
		d.roster.Meet(in.Speaker, lexis.EntityPerson)
	}
	return d.roster.Read(in.Text)
}

// learn notes what a statement tells of names.
func (d *Dialogue) learn(st *Statement) {
	if st.When != nil && st.When.Precision == lexis.ToDay {
		if d.dated = append(d.dated, *st); len(d.dated) > 12 {
			d.dated = d.dated[1:]
		}
	}
	if st.Relates() {
		d.cast.Meet(st.Value)
		if st.Predicate == "has_pet" {
			d.roster.Tame(st.Value)
		} else {
			d.roster.Meet(st.Value, lexis.EntityPerson)
		}
	}
	if st.Predicate == "works_at" && !st.Ended && len(d.employer) < 4096 {
		if d.employer == nil {
			d.employer = map[string]string{}
		}
		d.employer[st.Subject] = st.Value
	}
	if kind := merge.ValueKinds[st.Predicate]; kind != "" && unicode.IsUpper(firstRune(st.Value)) {
		d.roster.Meet(st.Value, kind)
	}
}

// listen notes the question that a message ends with.
func (d *Dialogue) listen(in Input) {
	d.question, d.asker = "", in.Speaker
	if role := strings.ToLower(in.Role); role == "assistant" || role == "model" || role == "ai" || role == "bot" {
		d.helper = true
	} else if in.Speaker != "" && len(d.voices) < 3 && lexis.Speaks(in.Role, in.Speaker) && !slices.Contains(d.voices, in.Speaker) {
		d.voices = append(d.voices, in.Speaker)
		if d.first == nil {
			d.first = map[string]bool{}
		}
		d.first[firstName(in.Speaker)] = true
	}
	if in.Speaker != "" && d.cast != nil && !lexis.MachineNames[strings.ToLower(in.Speaker)] {
		d.cast.Meet(in.Speaker)
	}
	s := strings.TrimSpace(in.Text)
	if len(s) > 600 || !lexis.Asks(s) {
		return
	}
	last := ""
	for sp := range text.Sentences(s) {
		if lexis.Asks(sp.Of(s)) {
			last = sp.Of(s)
		}
	}
	d.question = strings.ToLower(last)
}

// answered completes an answer that is no sentence by the question that it answers: "Where do you live now?" "Lyon.".
func (x *extractor) answered(toks []lexis.Token) bool {
	q := x.d.question
	if q == "" || x.d.asker == x.in.Speaker || !x.Self || x.answers > 0 || len(toks) == 0 {
		return false
	}
	x.answers++
	for len(toks) > 0 && (toks[0].Is("still") || toks[0].Is("in") || toks[0].Is("at") || toks[0].Is("now") || toks[0].Kind == lexis.Punct) {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return false
	}
	c := x.mine(toks)
	c.Dates = lexis.FindDates(toks, x.in.At, -1)
	np, end := c.Phrase(toks, 0, grammar.PlaceStops)
	value := c.Bytes(np)
	if len(np) == 0 || len(np) > 4 {
		return false
	}
	words := strings.FieldsFunc(q, func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(w ...string) bool {
		return slices.ContainsFunc(words, func(s string) bool { return slices.Contains(w, s) })
	}
	mine := has("you", "your")
	proper := np[0].Upper || lexis.PlaceNames[np[0].Low]
	if end < len(toks) && toks[end].Kind != lexis.Punct && !c.Dated(toks[end]) && !(end+1 < len(toks) && c.Dated(toks[end+1])) {
		return false
	}
	switch {
	case has("where", "city", "town") && has("live", "living", "based", "moved", "residing") && proper:
		if mine {
			c.fact("fact", "lives_in", value, 0.8, false, "residence")
			return true
		}
		if has("company", "office", "headquarters", "team") {
			c.Subj.We = true
			c.fact("fact", "located_in", value, 0.7, false, "residence")
			return true
		}
	case has("where") && has("work", "working") && mine && np[0].Upper:
		c.fact("fact", "works_at", value, 0.8, false, "work")
		return true
	case has("where") && has("study", "studying") && mine && np[0].Upper:
		c.fact("fact", "studies_at", value, 0.8, false, "education")
		return true
	case has("where") && has("from") && mine && proper:
		c.fact("fact", "from", value, 0.8, false, "origin")
		return true
	case has("name", "called") && has("your") && np[0].Upper && !has("manager", "boss", "sister", "brother", "dog", "cat"):
		c.fact("fact", "name", value, 0.8, false, "identity")
		return true
	case has("old") && has("how") && mine && grammar.AgeOf(np[0].Low) != "":
		c.fact("fact", "age", grammar.AgeOf(np[0].Low), 0.8, false, "identity")
		return true
	case has("favourite", "favorite") && has("what", "which", "who") && len(words) < 12:
		for i, w := range words {
			if (w == "favourite" || w == "favorite") && i+1 < len(words) {
				c.fact("preference", "favourite_"+lexis.Slug(words[i+1]), value, 0.8, false, "preference")
				return true
			}
		}
	}
	return false
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
