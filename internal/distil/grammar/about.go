package grammar

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Pieces yields what a writer has run together in one sentence, most often all of it. A date behind a mark belongs to what stands before.
func (x *Scene) Pieces(sp text.Span) iter.Seq[text.Span] {
	return func(yield func(text.Span) bool) {
		raw := sp.Of(x.S)
		start := sp.Start
		ends := append(pieces(raw), len(raw))
		for i, end := range ends {
			if i+1 < len(ends) && x.Trails(text.Span{Start: sp.Start + end, End: sp.Start + ends[len(ends)-1]}) {
				end = len(raw) // "we broke up :( three weeks ago"
			} else if i > 0 && sp.Start+end <= start {
				return
			}
			piece := text.Span{Start: start, End: sp.Start + end}
			if strings.TrimSpace(piece.Of(x.S)) != "" && !yield(piece) {
				return
			}
			start = piece.End
		}
	}
}

// Unnamed reports whether the clause is about a thing that has no name and no owner, as far as capitals tell.
func (c *Clause) Unnamed() bool {
	from := c.Subj.From
	if from >= len(c.Toks) || c.Subj.To <= from || c.Subj.Own != "" && c.Subj.Own != c.Subj.Name {
		return false
	}
	t := c.Toks[from]
	for _, other := range c.Toks[from+1 : min(c.Subj.To, len(c.Toks))] {
		if other.Upper {
			return false // "the Kellys"
		}
	}
	switch {
	case t.Is("they"), t.Is("the"), t.Is("their"), t.Is("a"), t.Is("her") && c.Subj.Kind == Thing:
		return true
	case c.Subj.Kind == Thing && !t.Upper:
		return true
	case c.Subj.Kind != Thing && c.Subj.Kind != Someone || c.Subj.Rel != "" || !t.Upper:
		return false
	}
	// a capital at the head of a sentence is no name yet
	return from == 0 && c.Subj.To == 1 && !lexis.GivenNames[t.Low] && !c.Voices[t.Low]
}

// Addressing tells whom the speaker speaks to, before words that do not tell it themselves. read tells that they are a clause.
func (c *Clause) Addressing(toks []lexis.Token, read bool) string {
	if to := Softened(toks); !read && c.You != "" && len(to) > 1 && lexis.IsBase(to[0].Low) {
		return " asks " + c.You + ": "
	}
	return " says: "
}

// TurnTo notes what a clause is about, for those behind it that do not say.
func (c *Clause) TurnTo() {
	switch {
	case c.Subj.Kind == Thing && c.Subj.Own != "" && c.Subj.Own != c.Me:
		c.Topic = c.Subj.Own + "'s " + c.Subj.Noun
	case c.Subj.Kind == Thing:
		c.Topic = c.Subj.Noun
	case c.Subj.Kind == Someone:
		c.Topic = c.Subj.Name
	case c.Subj.Kind == Speaker:
		if np, _ := c.Phrase(c.Rest, 0, ObjStops); len(np) > 0 && len(np) < 7 && !EmptyObjects[np[0].Low] && np[0].Kind == lexis.Word &&
			!lexis.Adverbs[np[0].Low] && !np[0].Is("to") {
			c.Topic = c.Bytes(np)
		}
	}
}

// Class names the sort of a subject.
func (p *Party) Class() string {
	switch {
	case p.Kind == Speaker && p.We:
		return "we"
	case p.Kind == Speaker:
		return "I"
	case p.Kind == Someone && p.Rel != "":
		return "relative"
	case p.Kind == Someone:
		return "person"
	case p.Kind == Thing && p.Own != "":
		return "own"
	case p.Kind == Thing:
		return "thing"
	case p.Kind == Deictic:
		return "it"
	}
	return "none"
}

// Questioned tells what sort of question stands before a message: "-" for none, "own" for one of the speaker's.
func Questioned(q string, own bool) string {
	switch {
	case q == "":
		return "-"
	case own:
		return "own"
	}
	return QuestionWord(q)
}

// QuestionWord tells what sort of question q is: by its first question word, yesno, or "?".
func QuestionWord(q string) string {
	for w := range strings.FieldsFuncSeq(q, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch w {
		case "where", "when", "who", "what", "which", "how", "why":
			return w
		case "do", "did", "are", "is", "have", "has", "can", "could", "will", "would", "does", "was", "were", "should":
			return "yesno"
		}
	}
	return "?"
}

// Between is the tokens of the sentence from byte start to the end of toks.
func (x *Scene) Between(start int, toks []lexis.Token) []lexis.Token {
	if len(toks) == 0 {
		return toks
	}
	from := slices.IndexFunc(x.Toks, func(t lexis.Token) bool { return t.Start >= start })
	to := slices.IndexFunc(x.Toks, func(t lexis.Token) bool { return t.End >= toks[len(toks)-1].End })
	if from < 0 || to < from {
		return toks
	}
	return x.Toks[from : to+1]
}

// SpokenTo notes whom a piece calls by name: "Tomasz, you'll take over".
func (x *Scene) SpokenTo(toks []lexis.Token) {
	for i := 0; i+1 < min(len(toks), 4); i++ {
		t := toks[i]
		if t.Kind != lexis.Word {
			continue
		}
		if name := x.Cast.Knows(t.Low); (name != "" || t.Upper && lexis.GivenNames[t.Low]) && (toks[i+1].Is(",") || toks[i+1].Is("you") || toks[i+1].Is("can") ||
			toks[i+1].Is("could") || toks[i+1].Is("please")) {
			if name == "" {
				name = t.Of(x.S)
			}
			if !strings.EqualFold(name, x.Me) {
				x.You = name
			}
			return
		}
		if !Leads[t.Low] {
			return
		}
	}
}

// pieces yields the ends of what writers of chats run together: Stretches of s between smileys, dots and exclamation marks, full stops before small letters.
func pieces(s string) []int {
	var out []int
	for i := 1; i < len(s)-1; i++ {
		c := s[i]
		switch {
		case c >= 0xF0:
			out = append(out, i)
			for i+1 < len(s) && s[i+1]&0xC0 == 0x80 {
				i++
			}
			out = append(out, i+1)
		case c == '.' && s[i+1] == ' ' && i+2 < len(s) && s[i+2]|0x20-'a' < 26 && s[i+2] >= 'a' && !lexis.Abbreviates(s[:i]) && !shortened(s[:i]):
			out = append(out, i+1)
		case (c == '!' || c == '?') && s[i+1] == ' ', c == '.' && s[i-1] == '.' && s[i+1] == ' ':
			out = append(out, i+1)
		case (c == ')' || c == '(' || c == 'D' || c == 'P' || c == 'p') && (s[i-1] == ':' || s[i-1] == ';'):
			out = append(out, i+1)
		}
	}
	return out
}

func shortened(head string) bool {
	w := strings.ToLower(head[strings.LastIndexAny(head, " \n\t(")+1:])
	return strings.Contains(w, ".") || w == "etc" || w == "vs" || w == "approx" || w == "no" || w == "st" || w == "inc" || w == "ca" || w == "resp" || w == "min" || w == "max"
}
