package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
	"github.com/lukasa-memory/lukasa/internal/distil/subject"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Dialogue reads the messages of a conversation one after another, in their order. It keeps what a message alone does not tell: whom "she" means,
// who has been named, that the assistant is a machine, and what was asked last. The zero Dialogue is ready to use; it is not for concurrent use. To
// read the newest message of a long conversation, a dialogue that has read the dozen before it will do.
type Dialogue struct {
	person   grammar.Party // the last person spoken of
	group    grammar.Party // the last thing or organisation spoken of
	age      int           // messages since person
	cast     grammar.Cast
	trail    subject.Trail     // whom and what was spoken of
	days     subject.Days      // and which days
	employer map[string]string // by speaker
	stated   merge.Stated      // what a later message may put right
	roster   subject.Roster
	company  subject.Company
	topic    string
	still    int // messages since topic
	question string
	asker    string
	judge    *sense.Model     // nil: the one that the program comes with
	finder   *sense.Model     // tells whom or what is meant; nil: the one that the program comes with
	lost     bool             // training looks at what comes before the finder
	unjudged bool             // tests and training look at what comes before the judge
	watch    func(*extractor) // is shown it
}

// recent is for how many messages "she" can mean whom the dialogue spoke of last.
const recent = 4

// Read draws statements from the next message, as [Extract] does from one alone.
func (d *Dialogue) Read(in Input) []Statement {
	switch strings.ToLower(in.Role) {
	case "system", "developer", "tool", "function", "tool_result", "ipython":
		d.company.Machines = true
	case "assistant", "model", "ai", "bot", "agent":
		if d.company.Machines {
			d.listen(in)
			return nil
		}
	}
	if d.cast == nil {
		d.cast = grammar.Cast{}
	}
	if !lexis.Speaks(in.Role, in.Speaker) || strings.TrimSpace(in.Text) == "" || text.Foreign(in.Text) && !d.unjudged {
		d.listen(in)
		return nil
	}
	x := newExtractor(in)
	x.d, x.Cast, x.Meant, x.Called = d, d.cast, x.meant, d.trail.Name
	x.Days = func(toks []lexis.Token, dates []lexis.Moment) []lexis.Moment {
		return d.days.Settle(toks, dates, in.At)
	}
	d.trail.Next(in.Speaker)
	d.days.Next()
	if d.age < recent {
		x.Person = d.person
		x.Group = d.group
	}
	before := x.Person
	x.You, x.Voices = d.company.Addressee(in.Speaker, d.asker), d.company.First
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
	d.stated.Note(st)
	if st.Relates() {
		d.cast.Meet(st.Value)
		d.trail.Named(st.Subject, strings.ReplaceAll(st.Predicate, "_", " "), st.Value)
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
	if d.company.Join(in.Role, in.Speaker) && d.cast != nil {
		d.cast.Meet(in.Speaker)
	}
	s := strings.TrimSpace(in.Text)
	if len(s) > 600 || !text.Asks(s) {
		return
	}
	last := ""
	for sp := range text.Sentences(s) {
		if text.Asks(sp.Of(s)) {
			last = sp.Of(s)
		}
	}
	d.question = strings.ToLower(last)
	if !lexis.Speaks(in.Role, in.Speaker) {
		d.trail.Next("")
		d.trail.Hear(&subject.Words{S: last, Toks: lexis.Lex(nil, last, 0, len(last)), Verb: -1, Asked: true, Known: d.cast.Knows})
	}
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
	if end < len(toks) && toks[end].Kind != lexis.Punct && !c.Dated(toks[end]) && !(end+1 < len(toks) && c.Dated(toks[end+1])) {
		return false
	}
	a, ok := grammar.Answers(q, np, value)
	if ok {
		c.Subj.We = a.We
		c.fact(a.Kind, a.Predicate, a.Value, a.Confidence, false, a.Tag)
	}
	return ok
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
