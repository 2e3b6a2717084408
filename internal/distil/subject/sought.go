package subject

import (
	"slices"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Sought are words that do not say whom or what they are about.
type Sought struct {
	Word  string // what stands in its place: he, she, his, her, it, this, that, they, their; "" for nothing
	Toks  []lexis.Token
	Me    string // who says them
	You   string // whom they are said to, "" when that is not known
	Asked string // the sort of the question before them, "-" for none
	Alone bool   // nothing stands before them in their message
	Rule  string // whom the last person spoken of would be
	Class func(low string) string
}

// Choice is an entity that may be meant.
type Choice struct {
	Entity
	rank int  // how many of those that fit were spoken of later
	sure bool // it is known to be of the sex that is sought
	sole bool // no other is
}

// Choices are the entities that may be meant, that spoken of last first. fits says which can be at all, and which are known to be of the sex that is
// sought.
func (t *Trail) Choices(most int, fits func(*Entity) (fit, sure bool)) []Choice {
	var out []Choice
	for i := len(t.list) - 1; i >= 0 && len(out) < most; i-- {
		e := &t.list[i]
		if t.message-e.last > reach {
			continue
		}
		if fit, sure := fits(e); fit {
			out = append(out, Choice{Entity: *e, rank: len(out), sure: sure})
		}
	}
	for i := range out {
		out[i].sole = out[i].sure && !slices.ContainsFunc(out, func(c Choice) bool { return c.sure && c.Name != out[i].Name })
	}
	return out
}

// Features tells add what speaks for a choice; of says how many there are.
func (t *Trail) Features(s *Sought, c *Choice, of int, add func(...string)) {
	word, sort, role := s.word(), sorts[c.Sort], roleNames[c.Role]
	far := t.distance(c)
	by := "self"
	if c.By != s.Me {
		by = "other"
	}
	rank := count(c.rank)
	shape, lemma := s.shape(), s.lemma()
	add("*")
	add("*", word)
	add("sort", word, sort)
	add("far", word, far)
	add("far", word, far, sort)
	add("far", sort, far, role)
	add("rank", word, rank)
	add("rank", word, rank, sort)
	add("rank", word, rank, far)
	add("role", word, role, far)
	add("role", word, role, sort)
	add("by", word, by, far)
	add("by", word, by, role)
	add("told", word, count(c.told-1))
	add("told", sort, count(c.told-1), far)
	add("of", word, count(of))
	add("of", word, count(of), rank)
	add("det", word, c.Det)
	add("det", c.Det, role, far)
	add("shape", shape, sort)
	add("shape", shape, role, far)
	add("asked", word, s.Asked, role)
	add("lemma", lemma, sort)
	switch {
	case c.sole:
		add("sole")
		add("sole", far)
		add("sole", role)
	case c.sure:
		add("sure")
		add("sure", far)
		add("sure", rank)
	}
	if c.Many {
		add("many", word)
		add("many", lemma)
	}
	if s.Rule != "" && s.Rule == c.Name {
		add("rule", word)
		add("rule", word, far)
	}
	if s.You != "" && s.You == c.Name {
		add("you", word)
		add("you", shape)
	}
	if s.Alone {
		add("alone", word, far)
		add("alone", word, role)
	}
	for _, k := range s.kinds() {
		add("holds", k, sort)
		add("holds", k, role, far)
	}
	if s.Class != nil {
		head := s.Class(c.Head)
		add("head", head)
		add("head", head, lemma)
		for _, k := range s.content() {
			add("pair", head, s.Class(k))
		}
	}
}

var sorts = [...]string{"person", "relative", "pet", "called", "named", "owned", "thing"}

// distance is how far back an entity was spoken of last: in the words just before, in the message, in messages.
func (t *Trail) distance(c *Choice) string {
	if c.last == t.message {
		if t.at-c.at < 1 {
			return "here"
		}
		return "said"
	}
	switch n := t.message - c.last; {
	case n < 3:
		return count(n)
	case n < 6:
		return "5"
	}
	return "9"
}

func (s *Sought) word() string {
	switch s.Word {
	case "his", "him":
		return "he"
	case "her":
		return "she"
	case "their", "them":
		return "they"
	case "its":
		return "it"
	}
	return s.Word
}

// lemma is the first verb of the words, helpers aside, "" when they have none.
func (s *Sought) lemma() string {
	helper := ""
	for _, t := range s.Toks {
		v := lexis.Verbs[t.Low]
		switch {
		case t.Kind == lexis.Word && lexis.BeForms[t.Low] || t.Is("'s") || t.Is("has") || t.Is("have") || t.Is("had"):
			helper = "be"
		case v.Known() && !lexis.Modals[t.Low]:
			return v.Lemma
		}
	}
	return helper
}

// shape says what the words begin with.
func (s *Sought) shape() string {
	toks := s.Toks
	for len(toks) > 1 && (toks[0].Kind == lexis.Punct && toks[0].Low != "£" && toks[0].Low != "$" && toks[0].Low != "€" || lexis.Adverbs[toks[0].Low]) {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return "-"
	}
	t := toks[0]
	v := lexis.Verbs[t.Low]
	switch {
	case t.Kind == lexis.Number:
		return "0"
	case t.Kind != lexis.Word:
		return t.Low
	case lexis.Stops[t.Low]:
		return t.Low
	case lexis.IsDateWord(t.Low):
		return "date"
	case v.Form&lexis.Past != 0 && v.Form&lexis.Base == 0:
		return "past"
	case v.Form == lexis.Gerund:
		return "ing"
	case v.Form&lexis.Third != 0:
		return "third"
	case v.Known():
		return "verb"
	case t.Upper:
		return "name"
	}
	return "noun"
}

// kinds are the sorts of values in the words.
func (s *Sought) kinds() []string {
	var out []string
	money, number, date := false, false, false
	for _, t := range s.Toks {
		switch {
		case t.Is("£"), t.Is("$"), t.Is("€"), t.Is("euro"), t.Is("euros"), t.Is("quid"), t.Is("dollars"), t.Is("pounds"):
			money = true
		case t.Kind == lexis.Number:
			number = true
		case lexis.IsDateWord(t.Low):
			date = true
		}
	}
	if money {
		out = append(out, "money")
	}
	if number {
		out = append(out, "number")
	}
	if date {
		out = append(out, "date")
	}
	return out
}

// content are the first few words that carry what is said.
func (s *Sought) content() []string {
	var out []string
	for _, t := range s.Toks {
		if t.Kind == lexis.Word && !lexis.Stops[t.Low] && !lexis.Adverbs[t.Low] && !t.Upper {
			if out = append(out, t.Low); len(out) == 4 {
				break
			}
		}
	}
	return out
}

func count(n int) string {
	if n > 5 {
		return "6"
	}
	return "0123456"[max(n, 0) : max(n, 0)+1]
}
