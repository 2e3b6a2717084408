package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// turns are words that tell that something is otherwise than it was.
var turns = lexis.Words(`now instead moved moves pushed postponed delayed bumped shifted rescheduled changed changes change actually correction
	anymore not new later earlier sooner brought swapped raised raise lowered upped dropped goes went up down again`)

// Turn tells of which thing a clause names the time or the number, in a form to compare ("when:party", "amount:rent"), with the number, and whether
// it says that this has changed. It is empty where the clause is about no one thing.
func (c *Clause) Turn(toks, sentence []lexis.Token, read bool, when *lexis.Moment) (slot, value string, changed bool) {
	head, gone := c.head(read), strings.Fields(strings.ToLower(c.Replaced(toks)))
	for _, t := range toks {
		changed = changed || turns[t.Low]
	}
	if when != nil && (when.Precision == lexis.ToDay || when.Precision == lexis.ToMinute && !(read && c.Verb.Told())) && head != "" {
		for _, t := range sentence {
			changed = changed || turns[t.Low]
		}
		return "when:" + head, "", changed
	}
	for i, t := range toks {
		if t.Kind != lexis.Number || c.Dated(t) || strings.ContainsAny(t.Low, ":/") || text.CountDigits(t.Low) == 0 || slices.Contains(gone, t.Low) {
			continue
		}
		if read && c.Subj.Kind != Speaker && head != "" && (c.Subj.Kind == Thing || c.Unnamed()) {
			return "amount:" + head, t.Low, changed
		}
		if i+1 < len(toks) && toks[i+1].Kind == lexis.Word && len(toks[i+1].Low) > 3 && !lexis.Stops[toks[i+1].Low] && !lexis.TimeUnits[toks[i+1].Low] {
			return "amount:" + lexis.Singular(toks[i+1].Low), t.Low, changed
		}
		if head != "" {
			return "amount:" + head, t.Low, changed
		}
		break
	}
	return "", "", false
}

// head is the noun that the clause is about, in small letters: of its subject, of what was spoken of before, or of what somebody does.
func (c *Clause) head(read bool) string {
	phrase := c.Topic
	switch {
	case read && c.Subj.Kind == Thing && !c.Toks[min(c.Subj.From, len(c.Toks)-1)].Is("they"):
		phrase = c.Subj.Noun
	case read && c.Subj.Kind == Someone && c.Unnamed() && lexis.Attributes[LastWord(c.Subj.Name)] == "" && !c.Toks[c.Subj.From].Is("they"):
		phrase = c.Subj.Name // "Timeout is 60 seconds now"; an attribute has a slot of its own
	case read && (c.Subj.Kind == Speaker || c.Subj.Kind == Someone):
		if moving[c.Verb.Lemma] {
			return c.Verb.Lemma
		}
		if np, _ := c.Phrase(c.Rest, 0, TitleStops); len(np) > 0 && np[len(np)-1].Kind == lexis.Word {
			return lexis.Singular(np[len(np)-1].Low)
		}
		return ""
	case read && c.Subj.Kind != Deictic && c.Subj.Kind != Thing:
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(phrase), func(r rune) bool { return r == ' ' || r == ',' })
	if i := slices.IndexFunc(words, func(w string) bool {
		return w == "of" || Prepositions[w] // "we moved the build to Bazel and it …" is about the build
	}); i > 0 {
		words = words[:i]
	}
	if len(words) == 0 {
		return ""
	}
	return lexis.Singular(words[len(words)-1])
}

var moving = lexis.Words("start fly land arrive leave come open launch return begin travel drive go")

// Replaced is what a clause says is so no more: "the 18th" of "the 19th instead of the 18th", "two" of "three VMs, not two".
func (c *Clause) Replaced(toks []lexis.Token) string {
	for i := 1; i+1 < len(toks); i++ {
		j := -1
		switch {
		case toks[i].Is("instead") && toks[i+1].Is("of"), toks[i].Is("rather") && toks[i+1].Is("than"):
			j = i + 2
		case toks[i].Is("not") && (toks[i-1].Is(",") || toks[i-1].Kind == lexis.Number || toks[i-1].Upper || c.Dated(toks[i-1]) || toks[i-1].Is("now")):
			j = i + 1
		case toks[i].Is("from") && i+3 < len(toks) && slices.ContainsFunc(toks[i+2:min(len(toks), i+5)], func(t lexis.Token) bool { return t.Is("to") }) &&
			Mentions(toks[:i], "moved", "moves", "changed", "pushed", "up", "down", "raised", "went", "goes", "shifted"):
			j = i + 1
		}
		if j < 0 || j >= len(toks) {
			continue
		}
		end := j
		for end < len(toks) && end < j+4 && toks[end].Kind != lexis.Punct && !toks[end].Is("to") && !toks[end].Is("and") && !toks[end].Is("but") {
			end++
		}
		part := Bare(toks[j:end])
		if len(part) == 0 || !slices.ContainsFunc(part, func(t lexis.Token) bool {
			return text.CountDigits(t.Low) > 0 || t.Upper && t.Low != "i" || c.Dated(t) || lexis.IsDateWord(t.Low) || lexis.SmallNumber(t.Low) > 0
		}) {
			return ""
		}
		return c.Bytes(part)
	}
	return ""
}

// Inverted reports whether words are a question by their order, or by the word that they begin with, though no mark says so.
func Inverted(toks []lexis.Token) bool {
	for len(toks) > 2 && (toks[0].Kind == lexis.Punct || Leads[toks[0].Low] || toks[0].Upper && lexis.GivenNames[toks[0].Low]) {
		toks = toks[1:]
	}
	if len(toks) > 3 && toks[0].Kind == lexis.Word && !lexis.Common(toks[0].Low) && !lexis.Stops[toks[0].Low] && (toks[2].Is("you") || toks[2].Is("u")) {
		toks = toks[1:] // "Chidi are you coming"
	}
	if len(toks) < 2 {
		return false
	}
	switch toks[0].Low {
	case "are", "is", "do", "does", "did", "can", "could", "will", "would", "have", "has", "was", "were", "should", "shall":
		switch toks[1].Low {
		case "you", "u", "we", "they", "he", "she", "it", "i", "anyone", "anybody", "someone", "somebody", "your", "this", "that", "there":
			return true
		}
	case "why", "who", "whose", "where", "how", "when", "what", "which":
		return lexis.BeForms[toks[1].Low] || lexis.Modals[toks[1].Low] || toks[1].Is("do") || toks[1].Is("does") || toks[1].Is("did") ||
			toks[1].Is("about") || toks[1].Is("'s")
	}
	return false
}

// Wonders reports whether words ask, though neither a mark nor the order of a plain question says so: "anyone know where …", "not sure if …", "does Tom
// still live in Leeds", "what time does it open", "the question is whether …".
func Wonders(toks []lexis.Token) bool {
	for len(toks) > 2 && (toks[0].Kind == lexis.Punct || Leads[toks[0].Low] || lexis.Adverbs[toks[0].Low] || Starts(toks, "i") || Starts(toks, "'m")) {
		toks = toks[1:]
	}
	if len(toks) < 3 {
		return false
	}
	for i, t := range toks[:min(len(toks)-2, 4)] { // "the real question is whether …"
		if t.Is("question") && lexis.BeForms[toks[i+1].Low] && indirect[toks[i+2].Low] {
			return true
		}
	}
	next, third := toks[1], toks[2]
	asks := func(t lexis.Token) bool { return lexis.Modals[t.Low] || t.Is("do") || t.Is("does") || t.Is("did") }
	switch toks[0].Low {
	case "wonder", "wondering":
		return indirect[next.Low]
	case "not", "no", "any":
		return (next.Is("sure") || next.Is("idea") || next.Is("clue")) && indirect[third.Low]
	case "anyone", "anybody":
		return lexis.Verbs[next.Low].Form&(lexis.Base|lexis.Participle|lexis.Gerund) != 0
	case "does", "did":
		return !next.Is("n't") && !next.Is("not") && slices.ContainsFunc(toks[2:min(len(toks), 6)], func(t lexis.Token) bool { return lexis.IsBase(t.Low) && !NounVerbs[t.Low] })
	case "what", "which", "how", "who":
		if toks[0].Is("who") {
			return lexis.Verbs[next.Low].Form&(lexis.Past|lexis.Third) != 0
		}
		for i, t := range toks[1:min(len(toks)-1, 5)] {
			if SubjectPronouns[t.Low] {
				return false // "what I can't stand"
			}
			if asks(t) || lexis.BeForms[t.Low] && i > 0 && (SubjectPronouns[toks[i+2].Low] || toks[i+2].Is("the") || toks[i+2].Is("you")) {
				return true
			}
		}
	}
	return false
}

// indirect words begin what is not known.
var indirect = lexis.Words("if whether when where what who why how which")

// praises are fragments that only say something kind.
var praises = []string{"well done", "good job", "nice one", "good luck", "nice work", "good work", "fair play", "good for you", "happy birthday"}

// Praises reports whether words are no more than praise or a good wish.
func Praises(toks []lexis.Token) bool {
	var words []string
	for _, t := range toks {
		if t.Kind == lexis.Word {
			words = append(words, t.Low)
		}
	}
	s := strings.Join(words, " ")
	return slices.ContainsFunc(praises, func(p string) bool { return s == p || len(words) < 5 && strings.HasSuffix(s, " "+p) && Leads[words[0]] })
}

// Resolves reports whether the clause says that the speaker has decided, and not what: "I've decided", "we've talked it over".
func (c *Clause) Resolves() bool {
	g := c.Verb
	if c.Subj.Kind != Speaker || !g.Told() || g.Negated {
		return false
	}
	return g.Lemma == "decide" && len(c.Rest) == 0 || g.Lemma == "make" && Mentions(c.Rest, "mind") && Mentions(c.Rest, "up") ||
		g.Lemma == "talk" && Mentions(c.Rest, "over", "through") || g.Lemma == "agree" && len(c.Rest) == 0
}

// Corrected returns the words without what leads a correction, and where what is right begins: "sorry, I meant the 5th"; -1 when they correct nothing.
func Corrected(toks []lexis.Token) ([]lexis.Token, int) {
	for len(toks) > 0 && (toks[0].Is("sorry") || toks[0].Is("actually") || toks[0].Is("correction") || toks[0].Is("wait") || toks[0].Is("no") ||
		toks[0].Is("oops") || toks[0].Kind == lexis.Punct) {
		toks = toks[1:]
	}
	if len(toks) > 2 && (Starts(toks, "i", "meant") || Starts(toks, "it", "'s") || Starts(toks, "it", "is")) {
		return toks, 2
	}
	return toks, -1
}

// Contrast returns what words without a lead put in the place of what: "not Paris, Lyon", "Lyon, not Paris", "I meant Lyon, not Paris", "it's not
// Paris but Lyon". Nothing where they say anything else besides.
func (c *Clause) Contrast(toks []lexis.Token) (is, isNot string) {
	var right, wrong []lexis.Token

	for len(toks) > 0 && toks[len(toks)-1].Kind == lexis.Punct {
		toks = toks[:len(toks)-1]
	}
	if rest, i := Corrected(toks); i > 0 {
		toks = rest[i:]
	} else if Starts(toks, "i", "mean") && len(toks) > 2 {
		toks = toks[2:]
	}
	not := slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Is("not") || t.Is("n't") })
	if not < 0 {
		return "", ""
	}
	if not == 0 {
		cut := slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Kind == lexis.Punct || t.Is("but") })
		if cut < 0 {
			return "", ""
		}
		wrong, right = toks[1:cut], toks[cut:]
		for len(right) > 0 && (right[0].Kind == lexis.Punct || right[0].Is("but") || right[0].Is("it") || right[0].Is("'s")) {
			right = right[1:]
		}
	} else {
		right, wrong = toks[:not], toks[not+1:]
		for len(right) > 0 && right[len(right)-1].Kind == lexis.Punct {
			right = right[:len(right)-1]
		}
	}
	if right, wrong = sole(right), sole(wrong); len(right) == 0 || len(wrong) == 0 {
		return "", ""
	}
	return c.Bytes(right), c.Bytes(wrong)
}

// sole is a short phrase without what leads it: "in the Lyon" is Lyon. Nil where it is more than a few words.
func sole(toks []lexis.Token) []lexis.Token {
	for len(toks) > 1 && (toks[0].Is("in") || toks[0].Is("at") || toks[0].Is("to") || toks[0].Is("as") || Articles[toks[0].Low]) {
		toks = toks[1:]
	}
	if len(toks) > 4 || slices.ContainsFunc(toks, func(t lexis.Token) bool { return t.Kind == lexis.Punct || lexis.BeForms[t.Low] }) {
		return nil
	}
	return toks
}
