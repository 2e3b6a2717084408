package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Who is the subject of a statement about the clause's subject.
func (c *Clause) Who() string {
	switch c.Subj.Kind {
	case Speaker:
		return c.Me
	case Thing:
		if c.Subj.Own != "" {
			return c.Subj.Own
		}
		return ""
	}
	return c.Subj.Name
}

// Retell is the clause in the third person, with the dates that were reckoned. What "we" do is told in the speaker's own words.
func (c *Clause) Retell() string {
	toks := c.Toks[c.Subj.To:]
	var b strings.Builder
	self := c.Subj.Kind == Speaker && !c.Subj.We
	switch {
	case c.Subj.Kind == Speaker && c.Subj.We:
		b.WriteString(c.Owner(c.Me) + " says: we")
	case c.Subj.Kind == Speaker:
		b.WriteString(c.Owner(c.Me))
		if c.Dropped && c.Verb.Form == lexis.Gerund && c.Verb.Be < 0 {
			b.WriteString(" is") // "going back on the 12th"
		}
	case c.Subj.Kind == Thing && c.Subj.Own != "" && c.Subj.Own != c.Subj.Noun:
		b.WriteString(c.Owner(c.Possessive(c.Subj.Own)) + " " + c.Subj.Noun)
		if c.Subj.Own != c.Me {
			break
		}
	case c.Subj.Kind == Thing:
		switch first := &c.Toks[c.Subj.From]; {
		case first.Upper && !first.Is("the"):
			b.WriteString(c.Subj.Noun)
		case whatever[first.Low]:
			b.WriteString(strings.ToUpper(c.Subj.Noun[:1]) + c.Subj.Noun[1:])
		default:
			b.WriteString("The " + c.Subj.Noun)
		}
	default:
		b.WriteString(c.Owner(c.Subj.Name))
		if c.Subj.With != "" {
			b.WriteString(" and " + c.Subj.With)
		}
	}
	w := writer{c: c, b: &b, self: self, we: c.Subj.We}
	if len(toks) > 0 {
		w.end = toks[0].Start
	}
	named := c.SelfNamed()
	for i, t := range toks {
		if at := c.Subj.To + i; at < c.Verb.Next || at >= named {
			w.token(t, at) // who tells a name is called by it already
		}
	}
	return b.String() + c.Reckoned()
}

// whatever stands for things without an article.
var whatever = lexis.Words("anything everything nothing something")

// writer puts a clause's tokens into the third person.
type writer struct {
	c        *Clause
	b        *strings.Builder
	self, we bool
	finite   bool // the first verb has been written
	they     bool // the last token was "they" for "I"
	owned    bool // the last token tells whose the next is: "your mum"
	end      int
}

func (w *writer) token(t lexis.Token, at int) {
	s := w.c.S
	out := lexis.OneLine(s[t.Start:t.End])
	if w.c.Dropped && at == w.c.Subj.To || len(out) < len(t.Low) {
		out = t.Low // "dont" is "do" and "n't"
	}
	gap := t.Start > w.end || w.b.Len() > 0 && at == w.c.Subj.To
	w.end = t.End
	if rep := w.verbForm(t, at); rep != "" {
		if rep != out && t.Low[0] == '\'' {
			gap = true
		}
		out = rep
	} else if rep := w.pronoun(t, at); rep != "" {
		out = rep
	} else if rep := w.spokenTo(t, at); rep != "" {
		out = rep
	}
	if gap && !strings.HasSuffix(w.b.String(), " ") {
		w.b.WriteByte(' ')
	}
	w.b.WriteString(out)
	w.owned = Determined[t.Low] || RelationAdjectives[t.Low] || t.Is("'s") || t.Upper && !lexis.Parents[t.Low] || t.Is("your")
}

// longForms are the helpers that clitics stand for.
var longForms = map[string]string{"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}

// verbForm makes the first verb agree with a subject in the third person.
func (w *writer) verbForm(t lexis.Token, at int) string {
	if w.they {
		w.they = false
		switch t.Low {
		case "am", "'m":
			return "are"
		case "was":
			return "were"
		}
	}
	full := longForms[t.Low]
	if t.Is("'s") && !w.finite && (at == w.c.Verb.Be || (w.c.Verb.Perfect || w.c.Verb.Must || w.c.Verb.Lemma == "have") && at < w.c.Verb.At) {
		w.finite = true
		if at == w.c.Verb.Be {
			return "is"
		}
		return "has"
	}
	if t.Is("'m") && !w.we && !w.self {
		return "is" // "my sister thinks I'm mad"
	}
	if !w.we && !w.self && w.c.Subj.Kind == Someone {
		return w.clitic(t, at)
	}
	if w.finite || lexis.Adverbs[t.Low] || t.Is("no") || t.Is("longer") || t.Is("never") || !w.self {
		if w.we || w.self {
			return full
		}
		return ""
	}
	w.finite = true
	switch t.Low {
	case "am", "'m":
		return "is"
	case "have", "'ve":
		return "has"
	case "do":
		return "does"
	case "'ll":
		return "will"
	case "'d":
		if w.c.Verb.Modal == "would" || w.c.Verb.Lemma == "prefer" {
			return "would"
		}
		return "had"
	}
	if at == w.c.Verb.At && w.c.Verb.Form&lexis.Base != 0 && !w.c.Verb.Past {
		return lexis.ThirdPerson(t.Low)
	}
	return ""
}

// clitic writes the helpers of somebody's first verb in full, for one person: "you've met her" is "Birgit has met her", "she'll bring it" "Basia will bring it".
func (w *writer) clitic(t lexis.Token, at int) string {
	if w.finite || at > w.c.Verb.At && w.c.Verb.At >= 0 {
		return ""
	}
	one := w.c.Subj.With == "" && !IsPlural(w.c.Subj.Name)
	switch t.Low {
	case "'ll":
		w.finite = true
		return "will"
	case "'ve", "have":
		if w.finite = true; one {
			return "has"
		}
		return "have"
	case "'re", "are":
		if w.finite = true; one {
			return "is"
		}
		return "are"
	case "'d":
		if w.finite = true; w.c.Verb.Modal == "would" || w.c.Verb.Lemma == "prefer" {
			return "would"
		}
		return "had"
	}
	w.finite = lexis.Modals[t.Low] || lexis.BeForms[t.Low] || t.Is("do") || t.Is("does") || t.Is("did") || t.Is("had") || t.Is("has") || at == w.c.Verb.At
	return ""
}

// spokenTo is whom "you" means where that is known: behind a verb or preposition, and with nothing that would make it the subject of more.
func (w *writer) spokenTo(t lexis.Token, at int) string {
	toks := w.c.Toks
	if w.c.You == "" || w.we || strings.EqualFold(w.c.You, w.c.Me) {
		return ""
	}
	switch t.Low {
	case "your", "yours":
		return w.c.Possessive(w.c.You)
	case "you":
		if at == 0 || toks[at-1].Kind == lexis.Punct || toks[at-1].Is("mind") || toks[at-1].Is("of") || toks[at-1].Is("that") || toks[at-1].Is("as") || toks[at-1].Is("than") {
			return ""
		}
		if at+1 == len(toks) || toks[at+1].Kind == lexis.Punct || Prepositions[toks[at+1].Low] || Determined[toks[at+1].Low] || w.c.Dated(toks[at+1]) {
			return w.c.You
		}
	}
	return ""
}

// called reports whether a name stands behind token at: "Mama Risi" is nobody's mother.
func (w *writer) called(at int) bool { return at+1 < len(w.c.Toks) && w.c.Toks[at+1].Upper }

func (w *writer) pronoun(t lexis.Token, at int) string {
	if w.we {
		return ""
	}
	if rel := lexis.Relations[t.Low]; lexis.Parents[t.Low] && t.Upper && w.b.Len() > 0 && !w.owned && !w.called(at) {
		if w.self {
			return "their " + rel
		}
		return w.c.Possessive(w.c.Me) + " " + rel // "Mum"
	}
	if w.self {
		switch t.Low {
		case "i", "we":
			w.they = true
			return "they"
		case "my", "our":
			return "their"
		case "me", "us":
			return "them"
		case "mine", "ours":
			return "theirs"
		case "myself", "ourselves":
			return "themselves"
		}
		return ""
	}
	x := w.c.Scene
	me := x.Me
	if me == "user" {
		me = "the user"
	}
	switch t.Low {
	case "i", "me", "us", "we":
		return me
	case "my", "our":
		return x.Possessive(x.Me)
	}
	return ""
}

// Reckoned lists the dates that a reader could not know from the words alone.
func (c *Clause) Reckoned() string {
	var isos []string
	for _, m := range c.Dates {
		if m.Relative {
			isos = append(isos, m.ISO())
		}
	}
	if len(isos) == 0 {
		return ""
	}
	return " (" + strings.Join(slices.Compact(isos), ", ") + ")"
}
