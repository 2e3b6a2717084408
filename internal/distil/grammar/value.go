package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// tails close a liking without belonging to its object.
var tails = map[string]bool{
	"at all": true, "so much": true, "a lot": true, "very much": true, "the most": true,
	"the best": true, "a bit": true, "that much": true,
}

// Value is the phrase behind "is", without its article; titles in capitals are taken whole.
func (c *Clause) Value(stops map[string]bool) string {
	toks := c.Rest
	if c.Verb.Be >= 0 {
		toks = c.Toks[c.Verb.Be+1:]
	}
	for len(toks) > 0 && (lexis.Adverbs[toks[0].Low] || toks[0].Is("called") || toks[0].Is("named") || toks[0].Kind == lexis.Punct && !toks[0].Is("+")) {
		toks = toks[1:]
	}
	np, _ := c.Phrase(toks, 0, stops)
	if len(np) == 0 || len(np) > 10 || EmptyObjects[np[0].Low] && !np[0].Upper {
		return ""
	}
	if np[0].Low == "a" || np[0].Low == "an" || np[0].Is("the") && !np[0].Upper {
		np = np[1:]
	}
	return c.Bytes(np)
}

// AttributeValue reads the value of an attribute; e-mail addresses and telephone numbers must look like it.
func (c *Clause) AttributeValue(pred string) string {
	toks := c.Rest
	if c.Verb.Be >= 0 {
		toks = c.Toks[c.Verb.Be+1:]
	}
	for len(toks) > 0 && (lexis.Adverbs[toks[0].Low] || toks[0].Is(":")) {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return ""
	}
	switch pred {
	case "email", "website", "domain":
		if toks[0].Kind == lexis.Link || strings.Contains(toks[0].Low, ".") {
			return toks[0].Of(c.S)
		}
		return ""
	case "phone_number":
		raw := c.Bytes(toks)
		if text.CountDigits(raw) >= 6 && len(raw) < 30 {
			return raw
		}
		return ""
	case "password", "pin", "username", "plate":
		return toks[0].Of(c.S)
	case "age":
		return AgeOf(toks[0].Low)
	case "address":
		if raw := c.Bytes(toks); text.CountDigits(raw) > 0 && len(raw) < 120 {
			return raw
		}
		return ""
	case "name", "nickname", "surname":
		np, _ := c.Phrase(toks, 0, TitleStops)
		for len(np) > 0 && !np[0].Upper {
			return ""
		}
		if len(np) > 4 {
			return ""
		}
		return c.Bytes(np)
	case "blood_type", "shoe_size":
		raw := c.Bytes(toks)
		if end := toks[len(toks)-1].End; end < len(c.S) && (c.S[end] == '+' || c.S[end] == '-') {
			raw += c.S[end : end+1]
		}
		if len(raw) < 12 {
			return raw
		}
		return ""
	case "goal", "dream":
		if !toks[0].Is("to") {
			return ""
		}
		np, _ := c.Phrase(toks, 0, map[string]bool{})
		return c.Bytes(np)
	case "car", "phone", "laptop", "bike", "computer", "camera", "tablet":
		if b := Bare(toks); len(b) == 0 || len(b) == len(toks) && !b[0].Upper || !b[0].Upper && !Mentions(b, "iphone", "ipad") {
			return ""
		}
	}
	if toks[0].Is("to") || toks[0].Is("that") || toks[0].Is("not") || toks[0].Is("very") || toks[0].Is("too") || toks[0].Is("so") || toks[0].Is("in") ||
		toks[0].Is("on") || toks[0].Is("down") || toks[0].Is("broken") || toks[0].Is("full") || toks[0].Is("empty") || toks[0].Is("slow") {
		return ""
	}
	if len(toks) == 1 && !toks[0].Upper && toks[0].Kind == lexis.Word && (pred == "budget" || pred == "database" || pred == "rent" ||
		pred == "stack" || pred == "job_title" && !lexis.Jobs[toks[0].Low]) {
		return ""
	}
	value := c.Value(TitleStops)
	if items := c.List(toks); len(items) > 1 && items[0] == value && !slices.ContainsFunc(items, func(s string) bool { return s[0] >= 'a' }) {
		return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1] // "our stack: Go, Redis and React"
	}
	return value
}

// Use is a tool with what it is for.
type Use struct{ Tool, For []lexis.Token }

// Uses are the tools with a name behind the verb: "Terraform for infrastructure and Ansible for servers".
func (c *Clause) Uses() (out []Use) {
	for i := 0; i < len(c.Rest); {
		np, end := c.Phrase(c.Rest, i, TitleStops)
		tool := Bare(np)
		if len(tool) == 0 || len(tool) > 4 || !tool[0].Upper || len(out) > 0 && lexis.GivenNames[tool[0].Low] {
			break
		}
		u := Use{Tool: tool}
		from, more := end, func() bool { return c.Rest[end].Is("and") || c.Rest[end].Is(",") || c.Rest[end].Is("&") }
		if end < len(c.Rest) && c.Rest[end].Is("for") {
			for end++; end < len(c.Rest) && !HardStops[c.Rest[end].Low] && !c.Dated(c.Rest[end]) && !more(); end++ {
			}
			u.For = c.Rest[from:end]
		}
		out = append(out, u)
		for i = end; end < len(c.Rest) && more(); {
			end++
		}
		if end == i {
			break
		}
		i = end
	}
	return out
}

// Liking reads the object of a liking; "" when it is none worth keeping.
func (c *Clause) Liking(np []lexis.Token) string {
	for len(np) > 0 && (np[0].Is("all") || np[0].Is("very") || np[0].Is("some")) && len(np) > 1 {
		np = np[1:]
	}
	for len(np) > 2 && tails[np[len(np)-2].Low+" "+np[len(np)-1].Low] {
		np = np[:len(np)-2]
	}
	if len(np) == 0 || len(np) > 9 || EmptyObjects[np[0].Low] && !(np[0].Is("to") && len(np) > 2 && !np[0].Upper && Habits[np[1].Low]) {
		return ""
	}
	if np[0].Is("the") && !slices.ContainsFunc(np, func(t lexis.Token) bool { return t.Upper && t.Low != "i" }) && !(len(np) >= 2 && CommonLikes[np[1].Low]) {
		return ""
	}
	if np[0].Is("a") || np[0].Is("an") || np[0].Is("my") || np[0].Is("our") {
		if np[0].Is("my") || np[0].Is("our") {
			return ""
		}
		np = np[1:]
	}
	for _, t := range np {
		if t.Is("you") || t.Is("your") || t.Is("this") || t.Is("that") {
			return ""
		}
	}
	if len(np) == 1 && (lexis.Plain[np[0].Low] || lexis.Stops[np[0].Low]) && !np[0].Upper {
		return ""
	}
	return c.Bytes(np)
}

// Likings splits a short list of likes; anything longer stays one.
func (c *Clause) Likings(np []lexis.Token) []string {
	commas := 0
	for _, t := range c.Rest {
		if t.Is(",") {
			commas++
		}
	}
	if commas > 0 {
		if items := c.List(c.Rest); len(items) > 2 {
			var out []string
			for _, it := range items {
				low := strings.ToLower(it)
				if !EmptyObjects[strings.Fields(low)[0]] && !lexis.Stops[low] {
					out = append(out, it)
				}
			}
			if len(out) == len(items) {
				return out
			}
		}
	}
	if v := c.Liking(np); v != "" {
		return []string{v}
	}
	return nil
}

// AttributeIn finds the attribute a phrase is about: its words start at token at and are n.
func AttributeIn(noun []lexis.Token) (pred string, n, at int) {
	end := len(noun)
	for i, t := range noun {
		if i > 0 && (t.Is("for") || t.Is("of") || t.Is("on")) {
			end = i
			break
		}
	}
	if end > 1 {
		if p := lexis.TwoWords[noun[end-2].Low+" "+noun[end-1].Low]; p != "" {
			return p, 2, end - 2
		}
	}
	return lexis.Attributes[noun[end-1].Low], 1, end - 1
}

// AttributeOf is what a phrase without an owner belongs to: "Atlas project" of "deadline for the Atlas project", "wifi" of "wifi password".
func AttributeOf(noun []lexis.Token, at, n int, c *Clause) string {
	if at+n < len(noun) {
		rest := Bare(noun[at+n+1:])
		if len(rest) == 0 {
			return ""
		}
		return lexis.OneLine(c.Subj.Noun[rest[0].Start:rest[len(rest)-1].End])
	}
	if at > 0 {
		s := c.Subj.Noun[noun[0].Start:noun[at-1].End]
		if noun[0].Is("new") || noun[0].Is("final") || noun[0].Is("current") || noun[0].Is("main") || Articles[noun[0].Low] && at == 1 {
			return ""
		}
		return strings.TrimSuffix(lexis.OneLine(s), "'s")
	}
	return ""
}

// HeadOf is the noun that a phrase is about: the last before "for", "of", "with".
func HeadOf(noun []lexis.Token) string {
	for i, t := range noun {
		if i > 0 && (t.Is("for") || t.Is("of") || t.Is("with") || t.Is("at") || t.Is("in") || t.Is("about") || t.Is("to")) {
			return noun[i-1].Low
		}
	}
	return noun[len(noun)-1].Low
}

// IsDatePredicate reports whether the value of a predicate is a day.
func IsDatePredicate(p string) bool {
	return p == "deadline" || p == "birthday" || strings.HasSuffix(p, "_date")
}

// DateValue writes a date as a value: birthdays without their year unless it was said.
func DateValue(pred string, m lexis.Moment) string {
	if pred == "birthday" && m.Relative && m.Precision == lexis.ToDay {
		return m.From.Format("01-02")
	}
	return m.ISO()
}

// OwnValue is what somebody's thing is, by a name, a number or a rhythm: "my Berlin days are Tuesdays". noun are the words of the thing.
func (c *Clause) OwnValue(noun []lexis.Token) []lexis.Token {
	g := c.Verb
	if g.Be < 0 || !g.Current() || g.Negated || g.Passive || g.Progressive || len(noun) > 4 || c.Subj.Rel != "" || !c.Self {
		return nil
	}
	toks := c.Toks[g.Be+1:]
	for len(toks) > 1 && lexis.Adverbs[toks[0].Low] {
		toks = toks[1:]
	}
	if len(toks) == 0 || lexis.Vague[noun[len(noun)-1].Low] || c.Dated(toks[0]) && !toks[0].Is("every") {
		return nil
	}
	rhythm := toks[0].Is("every") || strings.HasSuffix(toks[0].Low, "days") && lexis.IsDateWord(strings.TrimSuffix(toks[0].Low, "s"))
	if !rhythm && (c.Subj.Own == "" || !toks[0].Upper || lexis.Nationalities[toks[0].Low] || toks[0].Shout && len(toks) < 2) {
		return nil
	}
	np, _ := c.Phrase(toks, 0, TitleStops)
	if len(np) == 0 {
		np = toks[:min(len(toks), 3)]
	}
	if len(np) > 5 {
		return nil
	}
	return np
}

// Phone is the telephone number in a text that begins with a plus; "" when there is none.
func Phone(raw string) string {
	start := strings.IndexByte(raw, '+')
	if start < 0 {
		return ""
	}
	end := start + 1
	for end < len(raw) && (raw[end] >= '0' && raw[end] <= '9' || raw[end] == ' ' || raw[end] == '-' || raw[end] == '(' || raw[end] == ')') {
		end++
	}
	if value := strings.TrimSpace(raw[start:end]); text.CountDigits(value) >= 7 && len(value) < 24 {
		return value
	}
	return ""
}

// Label cuts "favourite food: ramen" at its colon; the label is empty when there is none.
func Label(toks []lexis.Token) (noun, rest []lexis.Token) {
	for i := 1; i < min(len(toks)-1, 5); i++ {
		if !toks[i].Is(":") {
			continue
		}
		noun = toks[:i]
		for len(noun) > 0 && (Articles[noun[0].Low] || noun[0].Is("new") || noun[0].Is("current")) {
			noun = noun[1:]
		}
		return noun, toks[i+1:]
	}
	return nil, toks
}
