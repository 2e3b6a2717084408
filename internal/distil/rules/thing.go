package rules

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// attributes are the heads of noun phrases whose value is worth keeping, with their predicate.
var attributes = map[string]string{
	"deadline": "deadline", "budget": "budget", "password": "password", "passphrase": "password", "address": "address", "email": "email",
	"e-mail": "email", "database": "database", "editor": "editor", "salary": "salary", "rent": "rent", "timezone": "timezone", "hometown": "from", "nickname": "nickname",
	"nationality": "nationality", "age": "age", "birthday": "birthday", "name": "name", "surname": "surname", "hobby": "hobby", "height": "height", "weight": "weight",
	"stack": "stack", "license": "license", "licence": "license", "username": "username", "website": "website", "blog": "blog", "goal": "goal", "pin": "pin", "plate": "plate",
	"allergy": "allergic_to", "profession": "job_title", "occupation": "job_title", "job": "job_title", "employer": "works_at", "domain": "domain", "framework": "framework", "motto": "motto", "dream": "dream",
	"car": "car", "phone": "phone", "laptop": "laptop", "bike": "bike", "computer": "computer", "camera": "camera", "tablet": "tablet",
}

// twoWords are heads of two words.
var twoWords = map[string]string{
	"phone number": "phone_number", "launch date": "launch_date", "release date": "release_date", "due date": "due_date", "job title": "job_title",
	"email address": "email", "home town": "from", "mother tongue": "native_language", "native language": "native_language", "time zone": "timezone", "start date": "start_date",
	"end date": "end_date", "blood type": "blood_type", "shoe size": "shoe_size", "license plate": "plate", "wedding date": "wedding_date", "home address": "address", "move date": "move_date",
}

// aboutThing: my name, the deadline, Pedro's birthday, my favourite colour, the meeting with Acme, Version 2.0.
func (c *clause) aboutThing() {
	g := c.verb
	noun := lexis.Lex(nil, c.subj.noun, 0, len(c.subj.noun))
	if len(noun) == 0 || g.Modal != "" || g.Must {
		return
	}
	if noun[0].Is("favourite") || noun[0].Is("favorite") {
		c.favouriteThing(noun[1:])
		return
	}
	if mentions(noun, "decision") && g.Be >= 0 && !g.Negated && !g.Past && (noun[0].Is("final") || len(noun) == 1) && len(c.rest) > 2 && c.subj.own == "" {
		if c.follows("to") || c.follows("that") {
			c.tell(lukasa.KindDecision, definingConfidence, "decision")
		}
		return
	}
	if c.holder(noun) || c.scheduled(noun) || c.attribute(noun) || c.port() {
		return
	}
	if k, tag := c.milestoneKind(); k != "" && !g.Negated && !g.UsedTo {
		c.subj.own = ""
		c.tellThing(k, tag)
		return
	}
	if c.subj.own == c.x.me && g.Told() && !g.Negated && len(c.dates) > 0 && (g.Lemma == "break" || g.Lemma == "crash" || g.Lemma == "die" || g.Lemma == "arrive" || g.Lemma == "win" || g.Lemma == "start") {
		c.tell(lukasa.KindEpisode, 0.7, "episode")
		if n := len(c.x.out); n > 0 {
			c.x.out[n-1].Subject = strings.TrimPrefix(c.x.possessive(c.x.me), "The ") + " " + c.subj.noun
		}
		return
	}
	c.orgThing()
}

// holder: "our CTO is Pavel Novak".
func (c *clause) holder(noun []lexis.Token) bool {
	g := c.verb
	if c.subj.own != c.x.me || g.Be < 0 || !g.Current() || g.Negated || !jobs[noun[len(noun)-1].Low] || len(noun) > 4 || len(c.rest) == 0 || !c.rest[0].Upper {
		return false
	}
	np, end := c.phrase(c.rest, 0, titleStops)
	if len(np) == 0 || len(np) > 4 || end < len(c.rest) && c.rest[end].Is("'s") {
		return false
	}
	title := c.subj.noun
	c.subj = party{kind: someone, name: c.bytes(np), own: c.bytes(np)}
	c.fact(lukasa.KindFact, "job_title", title, 0.8, false, "work")
	return true
}

// tellThing tells what happened to a thing; a thing with a name is the subject.
func (c *clause) tellThing(kind lukasa.MemoryKind, tag string) {
	st := Statement{Kind: kind, Content: c.retell(), Subject: c.subj.noun, Confidence: definingConfidence, Tags: []string{tag}}
	c.happened(&st)
	c.evidence(&st)
	c.x.add(st)
}

// orgThing lets an organisation's or team's decisions and possessions speak: "Our team has decided …", "Siemens hired …".
func (c *clause) orgThing() {
	if c.subj.own == c.x.me || c.subj.own == "" && (strings.HasSuffix(c.subj.noun, "team") || strings.HasSuffix(c.subj.noun, "company") || strings.HasSuffix(c.subj.noun, "board")) {
		g := c.verb
		if g.Negated || g.UsedTo {
			return
		}
		if k, tag := c.decisionKind(); k != "" {
			c.tell(k, definingConfidence, tag)
		}
	}
}

// favouriteThing: "my favourite colour is green".
func (c *clause) favouriteThing(noun []lexis.Token) {
	g := c.verb
	if len(noun) == 0 || len(noun) > 4 || noun[0].Is("thing") || noun[0].Is("part") || g.Be < 0 && !g.UsedTo || g.Negated && !c.anymore() || g.Future {
		return
	}
	value := c.value(objStops)
	if value == "" {
		return
	}
	if g.Past {
		c.verb.UsedTo = true
	}
	var kind []string
	for _, t := range noun {
		if t.Is("of") || t.Is("is") {
			return
		}
		kind = append(kind, t.Low)
	}
	c.fact(lukasa.KindPreference, "favourite_"+slug(strings.Join(kind, " ")), value, 0.9, false, "preference")
}

// value is the phrase behind "is", without its article; titles in capitals are taken whole.
func (c *clause) value(stops map[string]bool) string {
	toks := c.rest
	if c.verb.Be >= 0 {
		toks = c.toks[c.verb.Be+1:]
	}
	for len(toks) > 0 && (lexis.Adverbs[toks[0].Low] || toks[0].Is("called") || toks[0].Is("named") || toks[0].Kind == lexis.Punct && !toks[0].Is("+")) {
		toks = toks[1:]
	}
	np, _ := c.phrase(toks, 0, stops)
	if len(np) == 0 || len(np) > 10 || emptyObjects[np[0].Low] && !np[0].Upper {
		return ""
	}
	if np[0].Low == "a" || np[0].Low == "an" || np[0].Is("the") && !np[0].Upper {
		np = np[1:]
	}
	return c.bytes(np)
}

// meetings are things that take place at a time.
var meetings = lexis.Words(`meeting exam interview flight wedding party concert presentation surgery operation checkup appointment call demo conference workshop lesson class rehearsal game
	match race funeral graduation ceremony launch review standup retro retrospective kickoff webinar talk lecture seminar test trip vacation holiday move moving train`)

// scheduled: "the meeting with Acme is on Thursday", "my exam is on June 3", "the demo has been moved to Friday".
func (c *clause) scheduled(noun []lexis.Token) bool {
	head := headOf(noun)
	g := c.verb
	if !meetings[head] || len(c.dates) == 0 || g.Negated || g.UsedTo {
		return false
	}
	timed := g.Be >= 0 && (len(c.rest) == 0 || c.rest[0].Is("on") || c.rest[0].Is("at") || c.rest[0].Is("in") || c.dated(c.rest[0]) || g.Be+1 < len(c.toks) && (c.dated(c.toks[g.Be+1]) || c.toks[g.Be+1].Is("scheduled") || c.toks[g.Be+1].Is("planned")))
	moved := (g.Lemma == "move" || g.Lemma == "postpone" || g.Lemma == "schedule" || g.Lemma == "push" || g.Lemma == "start" || g.Lemma == "begin" || g.Lemma == "take" || g.Lemma == "happen" || g.Lemma == "leave" || g.Lemma == "depart" || g.Lemma == "arrive") && g.Modal == "" && (!g.Past || g.Passive || g.Perfect)
	if !timed && !moved || g.Past && !g.Passive {
		return meetings[head]
	}
	c.tell(lukasa.KindEpisode, 0.8, "appointment")
	return true
}

// headOf is the noun that a phrase is about: the last before "for", "of", "with".
func headOf(noun []lexis.Token) string {
	for i, t := range noun {
		if i > 0 && (t.Is("for") || t.Is("of") || t.Is("with") || t.Is("at") || t.Is("in") || t.Is("about") || t.Is("to")) {
			return noun[i-1].Low
		}
	}
	return noun[len(noun)-1].Low
}

// attribute: "my email is …", "the deadline for the Atlas project is March 20", "our budget is 40,000 euros".
func (c *clause) attribute(noun []lexis.Token) bool {
	pred, n, at := attributeIn(noun)
	if pred == "" {
		return false
	}
	g := c.verb
	changed := (g.Lemma == "move" || g.Lemma == "push" || g.Lemma == "change" || g.Lemma == "postpone" || g.Lemma == "slip" || g.Lemma == "set") && (g.Passive || g.Told())
	if g.Be < 0 && !changed && !g.UsedTo || g.Negated || g.Future {
		return false
	}
	if c.subj.rel != "" && pred == "name" {
		c.x.relation(c.subj.own, c.subj.rel, c.value(titleStops))
		return true
	}
	subject := c.subj.own
	if subject == "" {
		subject = about(noun, at, n, c)
	}
	value, kind := "", lukasa.KindFact
	if isDatePredicate(pred) {
		if len(c.dates) == 0 {
			return true
		}
		value = dateValue(pred, c.dates[len(c.dates)-1])
		c.dates = nil
	} else {
		if toks := c.rest; g.Be >= 0 && len(toks) > 2 && revisions[toks[0].Low] && (toks[1].Is("to") || toks[1].Is("at")) {
			np, _ := c.phrase(toks, 2, titleStops)
			value, g.Past, changed = c.bytes(np), false, true
		} else if g.Passive {
			if !c.follows("to") && !c.follows("at") || g.Lemma == "move" {
				return true
			}
			np, _ := c.phrase(c.rest, 1, titleStops)
			value, g.Past, changed = c.bytes(np), false, true
		} else if changed {
			return true
		} else {
			value = c.attributeValue(pred)
		}
	}
	if value == "" || subject == "" && !isDatePredicate(pred) && pred != "budget" {
		return true
	}
	st := Statement{Kind: kind, Subject: subject, Predicate: pred, Value: value, Confidence: 0.85, Tags: []string{strings.ReplaceAll(pred, "_", "-")}}
	if c.subj.kind == thing && c.subj.own == c.x.me {
		st.Confidence = 0.9
	}
	st.Slot = pred
	if g.UsedTo || g.Past && !changed {
		st.Ended = true
	}
	if g.Passive && changed {
		st.Confidence = 0.85
	}
	switch {
	case subject == "":
		st.Content = "The " + strings.ReplaceAll(pred, "_", " ") + " is " + value
	case c.subj.own == "":
		st.Content = "The " + strings.ReplaceAll(pred, "_", " ") + " of the " + subject + " is " + value
	default:
		st.Content = c.worded(&st)
	}
	c.evidence(&st)
	c.x.add(st)
	if pred == "name" {
		c.correction(value)
	}
	return true
}

// revisions are participles behind which a new value stands: "the budget was cut to 30k".
var revisions = lexis.Words("cut set raised reduced increased lowered changed updated capped fixed")

// attributeIn finds the attribute a phrase is about: its words start at token at and are n.
func attributeIn(noun []lexis.Token) (pred string, n, at int) {
	end := len(noun)
	for i, t := range noun {
		if i > 0 && (t.Is("for") || t.Is("of") || t.Is("on")) {
			end = i
			break
		}
	}
	if end > 1 {
		if p := twoWords[noun[end-2].Low+" "+noun[end-1].Low]; p != "" {
			return p, 2, end - 2
		}
	}
	return attributes[noun[end-1].Low], 1, end - 1
}

// about is what a phrase without an owner belongs to: "Atlas project" of "deadline for the Atlas project", "wifi" of "wifi password".
func about(noun []lexis.Token, at, n int, c *clause) string {
	if at+n < len(noun) {
		rest := bare(noun[at+n+1:])
		if len(rest) == 0 {
			return ""
		}
		return lexis.OneLine(c.subj.noun[rest[0].Start:rest[len(rest)-1].End])
	}
	if at > 0 {
		s := c.subj.noun[noun[0].Start:noun[at-1].End]
		if noun[0].Is("new") || noun[0].Is("final") || noun[0].Is("current") || noun[0].Is("main") {
			return ""
		}
		return strings.TrimSuffix(lexis.OneLine(s), "'s")
	}
	return ""
}

func isDatePredicate(p string) bool {
	return p == "deadline" || p == "birthday" || strings.HasSuffix(p, "_date")
}

// dateValue writes a date as a value: birthdays without their year unless it was said.
func dateValue(pred string, m lexis.Moment) string {
	if pred == "birthday" && m.Relative && m.Precision == lexis.ToDay {
		return m.From.Format("01-02")
	}
	return m.ISO()
}

// attributeValue reads the value of an attribute; e-mail addresses and telephone numbers must look like it.
func (c *clause) attributeValue(pred string) string {
	toks := c.rest
	if c.verb.Be >= 0 {
		toks = c.toks[c.verb.Be+1:]
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
			return toks[0].Of(c.x.s)
		}
		return ""
	case "phone_number":
		raw := c.bytes(toks)
		if countDigits(raw) >= 6 && len(raw) < 30 {
			return raw
		}
		return ""
	case "password", "pin", "username", "plate":
		return toks[0].Of(c.x.s)
	case "age":
		return ageOf(toks[0].Low)
	case "address":
		if raw := c.bytes(toks); countDigits(raw) > 0 && len(raw) < 120 {
			return raw
		}
		return ""
	case "name", "nickname", "surname":
		np, _ := c.phrase(toks, 0, titleStops)
		for len(np) > 0 && !np[0].Upper {
			return ""
		}
		if len(np) > 4 {
			return ""
		}
		return c.bytes(np)
	case "blood_type", "shoe_size":
		raw := c.bytes(toks)
		if end := toks[len(toks)-1].End; end < len(c.x.s) && (c.x.s[end] == '+' || c.x.s[end] == '-') {
			raw += c.x.s[end : end+1]
		}
		if len(raw) < 12 {
			return raw
		}
		return ""
	case "goal", "dream":
		if !toks[0].Is("to") {
			return ""
		}
		np, _ := c.phrase(toks, 0, map[string]bool{})
		return c.bytes(np)
	case "car", "phone", "laptop", "bike", "computer", "camera", "tablet":
		if b := bare(toks); len(b) == 0 || len(b) == len(toks) && !b[0].Upper || !b[0].Upper && !mentions(b, "iphone", "ipad") {
			return ""
		}
	}
	if toks[0].Is("to") || toks[0].Is("that") || toks[0].Is("not") || toks[0].Is("very") || toks[0].Is("too") || toks[0].Is("so") || toks[0].Is("in") || toks[0].Is("on") || toks[0].Is("down") || toks[0].Is("broken") || toks[0].Is("full") || toks[0].Is("empty") || toks[0].Is("slow") {
		return ""
	}
	if len(toks) == 1 && !toks[0].Upper && toks[0].Kind == lexis.Word && (pred == "budget" || pred == "database" || pred == "rent" || pred == "stack" || pred == "job_title" && !jobs[toks[0].Low]) {
		return ""
	}
	return c.value(titleStops)
}

// port: "the staging server runs on port 8080".
func (c *clause) port() bool {
	g := c.verb
	if (g.Lemma == "run" || g.Lemma == "listen") && g.Current() && !g.Negated && len(c.rest) > 2 && c.rest[0].Is("on") && c.rest[1].Is("port") && lexis.AllDigits(c.rest[2].Low) && c.subj.noun != "" {
		st := Statement{
			Kind: lukasa.KindFact, Subject: c.subj.noun, Predicate: "port", Slot: "port", Value: c.rest[2].Low, Confidence: 0.8,
			Content: "The " + c.subj.noun + " runs on port " + c.rest[2].Low, Tags: []string{"port"},
		}
		c.evidence(&st)
		c.x.add(st)
		return true
	}
	return false
}
