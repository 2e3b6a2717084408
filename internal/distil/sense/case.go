package sense

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Case is a statement in the making with what it was heard in, as far as the model looks at it.
type Case struct {
	S        string
	Toks     []lexis.Token // the clause
	Before   []lexis.Token // what stands before it in its message
	After    []lexis.Token
	Verb     *lexis.Group // nil where the clause has none
	Subject  string       // what it is about: I, we, person, relative, own, thing, it, none
	Dropped  bool         // the subject is left out
	When     string       // the time that it names, as far as it matters
	Kind     string       // what a rule made of it; "" when none did
	Content  string       // how it would be told
	About    string       // whom it would be told of; "" for nobody
	Rule     string       // the predicate or tag that the rule gave it
	How      string       // the way it came
	Question string       // what was asked before it
	Role     string       // who is spoken to: people, a machine, nobody
	Known    func(low string) bool
	Sentence int // its number in the message
	Place    int // its number in the sentence
	Length   int // words of the message
	Ending   byte
}

// Features fills b with what the model looks at.
func (c *Case) Features(b *Bag) {
	b.Marks = b.Marks[:0]
	b.Add("*")
	words := make([]string, 0, len(c.Toks)+2)
	words = append(words, "^")
	for i, t := range c.Toks {
		if len(words) > 60 {
			break
		}
		words = append(words, c.shape(t, i))
	}
	words = append(words, "$")
	for i, w := range words {
		if i > 0 {
			b.Add("2", words[i-1], w)
		}
		if i > 1 {
			b.Add("3", words[i-2], words[i-1], w)
		}
		if w != "^" && w != "$" {
			b.Add("1", w)
			if t := c.Toks[i-1]; t.Kind == lexis.Word {
				if v := lexis.Verbs[t.Low]; v.Known() {
					b.Add("l", v.Lemma)
				} else if s := lexis.Singular(t.Low); s != t.Low {
					b.Add("1", s)
				}
			}
		}
	}
	c.alike(b, words)
	c.verb(b)
	c.about(b)
	c.scene(b, words)
	c.telling(b)
}

// alike adds the classes of the words: what is said of one is likely said of others of its class.
func (c *Case) alike(b *Bag, words []string) {
	prev := "^"
	for i, t := range c.Toks {
		if i+1 >= len(words) {
			return
		}
		class, ok := [3]uint16{}, false
		if t.Kind == lexis.Word && words[i+1][0] != '@' && !lexis.Stops[t.Low] {
			class, ok = classesOf(t.Low)
		}
		if !ok {
			b.Add("c1", words[i], words[i+1])
			prev = words[i+1]
			continue
		}
		coarse, middle := digits[class[0]], digits[class[1]]
		b.Add("c0", coarse)
		b.Add("c1", middle)
		b.Add("c2", digits[class[2]])
		b.Add("c1", prev, middle)
		if c.Verb != nil && i == c.Verb.At {
			b.Add("cv0", coarse)
			b.Add("cv1", middle)
		}
		if c.Verb != nil && i >= c.Verb.Next {
			b.Add("cr", c.Verb.Lemma, coarse)
			b.Add("cr1", middle)
		}
		prev = middle
	}
}

func (c *Case) verb(b *Bag) {
	g := c.Verb
	if g == nil {
		b.Add("noverb")
		b.Add("noverb", c.When)
		b.Add("noverb", c.Question)
		return
	}
	tense := "now"
	switch {
	case g.UsedTo:
		tense = "used"
	case g.Must:
		tense = "must"
	case g.Modal != "":
		tense = g.Modal
	case g.Future:
		tense = "will"
	case g.Perfect && g.Past:
		tense = "plu"
	case g.Perfect:
		tense = "perf"
	case g.Past:
		tense = "past"
	}
	shape := tense
	if g.Progressive {
		shape += "+ing"
	}
	if g.Passive {
		shape += "+pass"
	}
	neg := ""
	if g.Negated || g.Never {
		neg = "not"
	}
	b.Add("tense", shape)
	b.Add("tense", shape, neg)
	b.Add("lemma", g.Lemma)
	b.Add("lemma", g.Lemma, shape)
	b.Add("lemma", g.Lemma, c.Subject)
	b.Add("subj", c.Subject, shape)
	b.Add("subj", c.Subject, shape, neg, c.When)
	b.Add("when", c.When, shape)
	b.Add("lemma", g.Lemma, c.When)
	if g.Ended {
		b.Add("ended")
	}
	if g.Always {
		b.Add("always")
	}
	if rest := g.Next; rest < len(c.Toks) {
		b.Add("rest", g.Lemma, c.shape(c.Toks[rest], rest))
		n := len(c.Toks) - rest
		b.Add("restlen", size(n))
	} else {
		b.Add("rest", g.Lemma, "")
		b.Add("restlen", "0")
	}
}

func (c *Case) about(b *Bag) {
	b.Add("who", c.Subject)
	b.Add("when", c.When)
	b.Add("who", c.Subject, c.When)
	b.Add("kind", c.Kind)
	b.Add("rule", c.Rule)
	b.Add("rule", c.Kind, c.Rule)
	b.Add("rule", c.Kind, c.When)
	b.Add("rule", c.Kind, c.Subject)
	b.Add("how", c.How)
	if c.Dropped {
		b.Add("dropped")
	}
}

func (c *Case) scene(b *Bag, words []string) {
	b.Add("q", c.Question)
	b.Add("q", c.Question, size(c.Sentence))
	b.Add("role", c.Role)
	b.Add("len", size(len(c.Toks)))
	b.Add("msg", size(c.Length))
	b.Add("msg", size(c.Length), size(len(c.Toks)))
	b.Add("sent", size(c.Sentence), c.Subject)
	b.Add("place", size(c.Place))
	b.Add("end", string(c.Ending))
	if n := len(c.Before); n > 0 {
		b.Add("before", c.Before[n-1].Low)
		if n > 1 {
			b.Add("before", c.Before[n-2].Low, c.Before[n-1].Low)
		}
	}
	if len(c.After) > 0 {
		b.Add("after", c.After[0].Low)
		if len(c.After) > 1 {
			b.Add("after", c.After[0].Low, c.After[1].Low)
		}
	}
	names, numbers, content := 0, 0, 0
	for i, t := range c.Toks {
		switch {
		case strings.HasPrefix(words[min(i+1, len(words)-1)], "@"):
			names++
		case t.Kind == lexis.Number:
			numbers++
		case t.Kind == lexis.Word && !lexis.Stops[t.Low] && !lexis.Plain[t.Low] && !lexis.Adverbs[t.Low]:
			content++
		}
	}
	b.Add("names", size(names))
	b.Add("numbers", size(numbers))
	b.Add("content", size(content))
	b.Add("content", size(content), size(names), size(numbers))
}

// telling adds how it would be told, and what in it the reader of a memory could not know: whom "she" means, what "it" is.
func (c *Case) telling(b *Bag) {
	form := "told"
	switch {
	case strings.Contains(c.Content, " says: "):
		form = "says"
	case strings.Contains(c.Content, " asks "):
		form = "asks"
	case strings.HasPrefix(c.Content, "To do for "):
		form = "todo"
	}
	if c.About == "" {
		form += "-"
	}
	loose, named, numbers := "", 0, 0
	for i, t := range c.Toks {
		switch {
		case pointers[t.Low]:
			b.Add("loose", form, t.Low)
			if c.Verb == nil || i < c.Verb.At {
				loose += "<"
			} else if loose == "" || loose[len(loose)-1] != '>' {
				loose += ">"
			}
		case t.Kind == lexis.Number:
			numbers++
		case t.Upper && i > 0 && !lexis.Stops[t.Low], c.Known != nil && c.Known(t.Low):
			named++
		}
	}
	b.Add("form", form)
	b.Add("form", form, c.Subject)
	b.Add("form", form, loose)
	b.Add("form", form, loose, c.Kind)
	b.Add("form", form, loose, size(named))
	b.Add("form", form, c.Subject, size(named), size(numbers))
	b.Add("form", form, loose, c.Subject, c.When)
	if c.Verb != nil {
		b.Add("form", form, loose, c.Verb.Lemma)
	}
	b.Add("form", form, size(c.Place), size(c.Sentence))
	b.Add("form", form, size(len(c.Toks)), size(named))
}

// pointers are words that point at what stands elsewhere.
var pointers = lexis.Words("he she him her his hers it its they them their theirs this that these those there here then one ones so such both same")

func size(n int) string {
	switch {
	case n < 0:
		return "-"
	case n < 6:
		return "0123456"[n : n+1]
	case n < 9:
		return "8"
	case n < 14:
		return "13"
	case n < 25:
		return "24"
	case n < 50:
		return "49"
	}
	return "50"
}

// shape is a word as a feature: itself, or what it stands for.
func (c *Case) shape(t lexis.Token, i int) string {
	switch t.Kind {
	case lexis.Number:
		return numberShape(t.Low)
	case lexis.Link:
		return "@link"
	case lexis.Punct:
		if t.Low >= "\x80" {
			return "*sign"
		}
		return t.Low
	}
	low := t.Low
	switch {
	case lexis.IsDateWord(low):
		return "%date"
	case c.Known != nil && c.Known(low) && (t.Upper || !lexis.Verbs[low].Known() && !lexis.Stops[low]), t.Upper && lexis.GivenNames[low]:
		return "@who"
	case lexis.PlaceNames[low]:
		return "@where"
	case lexis.SmallNumber(low) > 1:
		return "0"
	case t.Upper && i > 0 && !lexis.Stops[low] && !t.Shout:
		return "@name"
	case t.Upper && i == 0 && !lexis.Stops[low] && !lexis.Verbs[low].Known() && !lexis.Plain[low] && !lexis.Adverbs[low]:
		return "@first"
	}
	return low
}

func numberShape(low string) string {
	last := low[len(low)-1]
	switch {
	case strings.IndexByte(low, ':') > 0:
		return "0:00"
	case strings.HasSuffix(low, "am"), strings.HasSuffix(low, "pm"):
		return "0:00"
	case len(low) == 4 && lexis.AllDigits(low) && (low[0] == '1' || low[0] == '2'):
		return "0000"
	case strings.HasSuffix(low, "th"), strings.HasSuffix(low, "st"), strings.HasSuffix(low, "nd"), strings.HasSuffix(low, "rd"):
		return "0th"
	case last == '%':
		return "0%"
	case last == 'k':
		return "0k"
	}
	return "0"
}
