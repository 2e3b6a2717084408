package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// hardStops end every noun phrase.
var hardStops = lexis.Words(`but because so which who whom that when while since until though although if unless than now anymore too also lately nowadays currently
	again btw lol haha already right these atm instead though however even whereas where then just i we he she they is are was were am has have had will would
	anyway please thanks tho rn`)

// phraseStops add what ends names of places and employers, titles and the like.
var (
	placeStops = lexis.Words("with and or for since as at on from to by after before during because alone together and his her their my")
	orgStops   = lexis.Words("with and or for since as on from by after before during in at where full part until")
	titleStops = lexis.Words("with and or for since at in on from by after before during as who where")
	objStops   = lexis.Words("since until after before during every whenever")
)

// phrase reads a noun phrase from token i of toks: up to a mark, a date or a stop. It returns the tokens and where they end.
func (c *clause) phrase(toks []lexis.Token, i int, stops map[string]bool) ([]lexis.Token, int) {
	start := i
	for i < len(toks) && i-start < 14 {
		t := toks[i]
		if t.Kind == lexis.Punct && !t.Is("&") && !t.Is("'") && !(t.Is(".") && i > start && toks[i-1].Upper && (len(toks[i-1].Low) <= 2 || lexis.Titles[toks[i-1].Low])) && !(t.Is("+") && i == start) {
			break
		}
		if i > start && (hardStops[t.Low] || stops[t.Low]) && !(t.Upper && t.Low != "i" && toks[i-1].Upper) {
			break
		}
		if t.Is("any") && i+1 < len(toks) && (toks[i+1].Is("more") || toks[i+1].Is("longer")) {
			break
		}
		if i == start && hardStops[t.Low] {
			break
		}
		if c.dated(t) {
			break
		}
		i++
	}
	end := i
	for end > start && trailing[toks[end-1].Low] {
		end--
	}
	return toks[start:end], i
}

// trailing words do not end a noun phrase.
var trailing = lexis.Words("in on at from by to of for with the a an and or since before after until till during around about every this next last as really very not only back up by my our his her their some")

// dated reports whether a token belongs to a date.
func (c *clause) dated(t lexis.Token) bool {
	for _, m := range c.dates {
		if t.Start >= m.Start && t.End <= m.End {
			return true
		}
	}
	return false
}

// bare drops articles and possessives from the start of a phrase.
func bare(toks []lexis.Token) []lexis.Token {
	for len(toks) > 0 && articles[toks[0].Low] {
		toks = toks[1:]
	}
	return toks
}

var articles = lexis.Words("a an the some any my our this that these those his her their its your")

// list splits "Portuguese, English and a bit of German" into its items; one item when they are no plain list.
func (c *clause) list(toks []lexis.Token) []string {
	var out []string
	var item []lexis.Token
	flush := func() bool {
		item = bare(item)
		if len(item) > 2 && (item[0].Is("bit") || item[0].Is("little")) {
			item = item[1:]
			if item[0].Is("of") {
				item = item[1:]
			}
		}
		for len(item) > 0 && lexis.Adverbs[item[0].Low] {
			item = item[1:]
		}
		if len(item) > 3 {
			return false
		}
		if len(item) > 0 {
			out = append(out, c.bytes(item))
		}
		item = nil
		return true
	}
	for _, t := range toks {
		if t.Is(",") || t.Is("and") || t.Is("or") || t.Is("&") {
			if !flush() {
				return nil
			}
			continue
		}
		if t.Kind == lexis.Punct || hardStops[t.Low] || c.dated(t) || len(item) > 0 && t.Is("with") {
			break
		}
		item = append(item, t)
	}
	if !flush() {
		return nil
	}
	return out
}

// prep is the word before a moment.
func (c *clause) prep(m lexis.Moment) string {
	for _, v := range slices.Backward(c.toks) {
		if v.End <= m.Start && v.Kind == lexis.Word {
			return v.Low
		}
	}
	return ""
}

// validity sets ValidFrom and ValidTo from "since 2019", "from 2015 to 2018", "for five years" or the date of a change.
func (c *clause) validity(st *Statement, changed bool) {
	for i, m := range c.dates {
		switch p := c.prep(m); {
		case p == "since":
			st.ValidFrom, st.When = m.From, &c.dates[i]
		case p == "from" && i+1 < len(c.dates), p == "between" && i+1 < len(c.dates):
			next := c.dates[i+1]
			st.ValidFrom, st.ValidTo = m.From, next.From
			st.When, st.Until = &c.dates[i], &c.dates[i+1]
			return
		case p == "until" || p == "till":
			if st.When == nil {
				st.ValidTo, st.When = m.From, &c.dates[i]
			}
		case changed && st.When == nil:
			st.ValidFrom, st.When = m.From, &c.dates[i]
		}
	}
	if st.When == nil && !c.verb.Past {
		if m, ok := lexis.Duration(c.toks, c.x.in.At); ok {
			st.ValidFrom, st.When = m.From, &m
		}
	}
}

// happened sets OccurredAt to the clause's date.
func (c *clause) happened(st *Statement) {
	if len(c.dates) > 0 {
		st.OccurredAt, st.When = c.dates[0].From, &c.dates[0]
	}
}

// who is the subject of a statement about the clause's subject.
func (c *clause) who() string {
	switch c.subj.kind {
	case speaker:
		return c.x.me
	case thing:
		if c.subj.own != "" {
			return c.subj.own
		}
		return ""
	}
	return c.subj.name
}

// retell is the clause in the third person, with the dates that were reckoned. What "we" do is told in the speaker's own words.
func (c *clause) retell() string {
	toks := c.toks[c.subj.to:]
	var b strings.Builder
	self := c.subj.kind == speaker && !c.subj.we
	switch {
	case c.subj.kind == speaker && c.subj.we:
		b.WriteString(c.x.owner(c.x.me) + " says: we")
	case c.subj.kind == speaker:
		b.WriteString(c.x.owner(c.x.me))
	case c.subj.kind == thing && c.subj.own != "":
		b.WriteString(c.x.owner(c.x.possessive(c.subj.own)) + " " + c.subj.noun)
		if c.subj.own != c.x.me {
			break
		}
	case c.subj.kind == thing:
		b.WriteString("The " + c.subj.noun)
		if c.toks[c.subj.from].Upper && !c.toks[c.subj.from].Is("the") {
			b.Reset()
			b.WriteString(c.subj.noun)
		}
	default:
		b.WriteString(c.x.owner(c.subj.name))
	}
	w := writer{c: c, b: &b, self: self, we: c.subj.we}
	if len(toks) > 0 {
		w.end = toks[0].Start
	}
	for i, t := range toks {
		w.token(t, c.subj.to+i)
	}
	return b.String() + c.reckoned()
}

// writer puts a clause's tokens into the third person.
type writer struct {
	c        *clause
	b        *strings.Builder
	self, we bool
	finite   bool // the first verb has been written
	they     bool // the last token was "they" for "I"
	end      int
}

func (w *writer) token(t lexis.Token, at int) {
	s := w.c.x.s
	out := lexis.OneLine(s[t.Start:t.End])
	gap := t.Start > w.end || w.b.Len() > 0 && at == w.c.subj.to
	w.end = t.End
	if rep := w.verbForm(t, at); rep != "" {
		if rep != out && t.Low[0] == '\'' {
			gap = true
		}
		out = rep
	} else if rep := w.pronoun(t); rep != "" {
		out = rep
	}
	if gap && !strings.HasSuffix(w.b.String(), " ") {
		w.b.WriteByte(' ')
	}
	w.b.WriteString(out)
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
	if w.finite || lexis.Adverbs[t.Low] || !w.self {
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
		if w.c.verb.Modal == "would" {
			return "would"
		}
		return "had"
	}
	if at == w.c.verb.At && w.c.verb.Form&lexis.Base != 0 && !w.c.verb.Past {
		return lexis.ThirdPerson(t.Low)
	}
	return ""
}

func (w *writer) pronoun(t lexis.Token) string {
	if w.we {
		return ""
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
	x := w.c.x
	me := x.me
	if me == "user" {
		me = "the user"
	}
	switch t.Low {
	case "i", "me", "us", "we":
		return me
	case "my", "our":
		return x.possessive(x.me)
	}
	return ""
}

// reckoned lists the dates that a reader could not know from the words alone.
func (c *clause) reckoned() string {
	var isos []string
	for _, m := range c.dates {
		if m.Relative {
			isos = append(isos, m.ISO())
		}
	}
	if len(isos) == 0 {
		return ""
	}
	return " (" + strings.Join(slices.Compact(isos), ", ") + ")"
}

// tell adds what the clause says as a statement without a predicate.
func (c *clause) tell(kind lukasa.MemoryKind, confidence float64, tags ...string) {
	st := Statement{Kind: kind, Content: c.retell(), Subject: c.who(), Confidence: confidence, Tags: tags}
	if kind != lukasa.KindDecision || c.datesVerb() {
		c.happened(&st)
	}
	c.evidence(&st)
	c.x.add(st)
}

// datesVerb reports whether the clause's date tells when its verb happened, and is no part of what was decided: it stands before the verb or
// right behind it.
func (c *clause) datesVerb() bool {
	if len(c.dates) == 0 || c.verb.At < 0 {
		return false
	}
	m := c.dates[0]
	end := c.toks[c.verb.At].End
	return m.Start < end || strings.TrimSpace(c.x.s[end:m.Start]) == "" || !c.follows("to") && !c.follows("that") && !c.follows("not") && !c.follows("against")
}

// evidence sets the span to the clause, or the whole sentence when the clause leans on it.
func (c *clause) evidence(st *Statement) {
	if c.inherited || len(c.toks) == 0 {
		return
	}
	st.Start, st.End = c.toks[0].Start, c.toks[len(c.toks)-1].End
}

// wordings are how a predicate is told: in the present, and behind "used to".
var wordings = map[string][2]string{
	"lives_in": {"lives in", "live in"}, "works_at": {"works at", "work at"}, "job_title": {"works as", "work as"}, "from": {"comes from", "come from"},
	"born_in": {"was born in", "be born in"}, "studies": {"studies", "study"}, "studies_at": {"studies at", "study at"}, "speaks": {"speaks", "speak"},
	"diet": {"is", "be"}, "allergic_to": {"is allergic to", "be allergic to"}, "spouse": {"is married to", "be married to"}, "fiance": {"is engaged to", "be engaged to"},
	"marital_status": {"is", "be"}, "nationality": {"is", "be"}, "has": {"has", "have"}, "has_pet": {"has as a pet:", "have as a pet:"}, "owns": {"owns", "own"},
	"drives": {"drives", "drive"}, "uses": {"uses", "use"}, "plays": {"plays", "play"}, "likes": {"likes", "like"}, "dislikes": {"dislikes", "dislike"},
	"prefers": {"prefers", "prefer"}, "avoids": {"avoids", "avoid"}, "nickname": {"is called", "be called"}, "learns": {"is learning", "be learning"},
	"stopped": {"has stopped", "stop"}, "afraid_of": {"is afraid of", "be afraid of"}, "degree": {"has a", "have a"}, "leads": {"leads the", "lead the"}, "responsible_for": {"is responsible for the", "be responsible for the"}, "weight": {"weighs", "weigh"}, "member_of": {"is a member of", "be a member of"}, "condition": {"has", "have"},
}

// fact adds a statement with a predicate. changed tells that the clause's date is when it began.
func (c *clause) fact(kind lukasa.MemoryKind, predicate, value string, confidence float64, changed bool, tags ...string) {
	value = strings.Trim(lexis.OneLine(value), " ,;:")
	who := c.who()
	if value == "" || who == "" || len(value) > 120 {
		return
	}
	st := Statement{Kind: kind, Subject: who, Predicate: predicate, Value: value, Confidence: confidence, Tags: tags}
	g := c.verb
	switch {
	case single[predicate], strings.HasPrefix(predicate, "favourite_"):
		st.Slot = predicate
	case predicate == "likes" || predicate == "dislikes":
		st.Slot = "opinion:" + strings.ToLower(value)
	}
	c.validity(&st, changed)
	switch {
	case g.Ended || c.anymore():
		st.Ended = true
		c.endedAt(&st)
	case g.UsedTo || g.Past && !changed && !g.Perfect && statal[predicate]:
		st.Ended = true
	}
	if c.subj.kind == someone && confidence > 0.8 {
		st.Confidence = confidence - 0.05
	}
	st.Content = c.worded(&st)
	c.evidence(&st)
	c.x.add(st)
}

// endedAt sets when it ended: the date of the clause, else when it was said.
func (c *clause) endedAt(st *Statement) {
	st.ValidFrom, st.When = time.Time{}, nil
	for i, m := range c.dates {
		if c.prep(m) != "since" || st.When == nil {
			st.ValidTo, st.When = m.From, &c.dates[i]
		}
	}
	if st.When == nil {
		st.ValidTo = c.x.in.At
		m := lexis.Moment{From: lexis.Midnight(c.x.in.At), To: lexis.Midnight(c.x.in.At).AddDate(0, 0, 1), Precision: lexis.ToDay, Relative: true}
		st.When = &m
	}
}

// statal predicates are over when they are told in the past tense.
var statal = lexis.Words("lives_in works_at job_title studies studies_at uses owns drives plays has_pet likes dislikes")

// single predicates have one value at a time.
var single = lexis.Words(`name age birthday born_in from lives_in works_at job_title studies_at spouse fiance marital_status nationality diet nickname email phone_number
	address deadline launch_date release_date due_date budget password port drives`)

// anymore reports "not … any more".
func (c *clause) anymore() bool {
	if !c.verb.Negated {
		return false
	}
	for i, t := range c.toks {
		if t.Is("anymore") || t.Is("any") && i+1 < len(c.toks) && (c.toks[i+1].Is("more") || c.toks[i+1].Is("longer")) {
			return true
		}
	}
	return false
}

// worded writes the content of a fact.
func (c *clause) worded(st *Statement) string {
	w, ok := wordings[st.Predicate]
	who := c.x.owner(st.Subject)
	value := st.Value
	switch {
	case withArticle[st.Predicate]:
		value = article(value)
	case st.Predicate == "lives_in" && takesThe(value):
		value = "the " + value
	case st.Predicate == "has_pet" && value[0] >= 'a':
		return who + " has " + article(value)
	}
	label := strings.ReplaceAll(st.Predicate, "_", " ")
	var s string
	switch {
	case st.Predicate == "job_title" && !st.Ended && isPlural(st.Subject):
		s = who + " work as " + st.Value
	case ok && isPlural(st.Subject) && !st.Ended && w[0] != "is":
		s = who + " " + w[1] + " " + st.Value
	case st.Predicate == "age" && lexis.AllDigits(st.Value):
		s = who + " is " + st.Value + " years old"
	case !ok && st.Ended:
		s = c.x.owner(c.x.possessive(st.Subject)) + " " + label + " used to be " + st.Value
	case !ok:
		s = c.x.owner(c.x.possessive(st.Subject)) + " " + label + " is " + st.Value
	case st.Ended && !st.ValidTo.IsZero() && st.ValidFrom.IsZero():
		s = who + " no longer " + w[0] + " " + value
	case st.Ended:
		s = who + " used to " + w[1] + " " + value
	default:
		s = who + " " + w[0] + " " + value
	}
	switch {
	case st.Until != nil:
		s += " (from " + st.When.ISO() + " to " + st.Until.ISO() + ")"
	case st.When != nil && !st.ValidFrom.IsZero():
		s += " (since " + st.When.ISO() + ")"
	case st.When != nil && !st.ValidTo.IsZero():
		s += " (until " + st.When.ISO() + ")"
	}
	return s
}

// withArticle are predicates whose value may lack its article.
var withArticle = lexis.Words("job_title works_at owns drives")

// takesThe reports whether a place is named with "the".
func takesThe(place string) bool {
	switch strings.ToLower(place) {
	case "us", "usa", "uk", "netherlands", "philippines", "united states", "united kingdom", "czech republic", "alps", "countryside", "suburbs", "city", "bay area":
		return true
	}
	first, rest, _ := strings.Cut(strings.ToLower(place), " ")
	return strings.HasPrefix(rest, "of ") && (first == "north" || first == "south" || first == "east" || first == "west" || first == "middle" || first == "outskirts" || first == "suburbs" || first == "centre" || first == "center")
}

// article puts a or an (the before an employer in small letters is not needed: "a") before a singular noun in small letters.
func article(v string) string {
	first, rest, _ := strings.Cut(v, " ")
	last := v[strings.LastIndexByte(v, ' ')+1:]
	switch {
	case first != "" && first[0] >= 'A' && first[0] <= 'Z' && jobs[last] && !leadingJobs[last] && last != "head":
		if strings.IndexByte("AEIO", first[0]) >= 0 {
			return "an " + v
		}
		return "a " + v
	case first == "" || first[0] < 'a' || first[0] > 'z' || strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss"), lexis.SmallNumber(first) > 0, strings.HasPrefix(rest, "of "):
		return v
	case lexis.IsVowel(first[0]) && !strings.HasPrefix(first, "uni") && !strings.HasPrefix(first, "use"):
		return "an " + v
	}
	return "a " + v
}

// age reads 34, six.
func ageOf(w string) string {
	if lexis.AllDigits(w) && len(w) <= 3 {
		if v, _ := strconv.Atoi(w); v > 0 && v < 120 {
			return w
		}
	}
	if lexis.SmallNumber(w) > 0 || w == "one" {
		return w
	}
	return ""
}
