package distil

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// attributes are the heads of noun phrases whose value is worth keeping, with their predicate.
var attributes = map[string]string{"deadline": "deadline", "budget": "budget", "password": "password", "passphrase": "password", "address": "address", "email": "email",
	"e-mail": "email", "database": "database", "editor": "editor", "salary": "salary", "rent": "rent", "timezone": "timezone", "hometown": "from", "nickname": "nickname",
	"nationality": "nationality", "age": "age", "birthday": "birthday", "name": "name", "surname": "surname", "hobby": "hobby", "height": "height", "weight": "weight",
	"stack": "stack", "license": "license", "licence": "license", "username": "username", "website": "website", "blog": "blog", "goal": "goal", "pin": "pin", "plate": "plate",
	"allergy": "allergic_to", "profession": "job_title", "occupation": "job_title", "job": "job_title", "employer": "works_at", "domain": "domain", "framework": "framework", "motto": "motto", "dream": "dream"}

// twoWords are heads of two words.
var twoWords = map[string]string{"phone number": "phone_number", "launch date": "launch_date", "release date": "release_date", "due date": "due_date", "job title": "job_title",
	"email address": "email", "home town": "from", "mother tongue": "native_language", "native language": "native_language", "time zone": "timezone", "start date": "start_date",
	"end date": "end_date", "blood type": "blood_type", "shoe size": "shoe_size", "license plate": "plate", "wedding date": "wedding_date", "home address": "address", "move date": "move_date"}

// aboutThing: my name, the deadline, Pedro's birthday, my favourite colour, the meeting with Acme, Version 2.0.
func (c *clause) aboutThing() {
	g := c.verb
	noun := lex(nil, c.subj.noun, 0, len(c.subj.noun))
	if len(noun) == 0 || g.modal != "" || g.must {
		return
	}
	if noun[0].is("favourite") || noun[0].is("favorite") {
		c.favouriteThing(noun[1:])
		return
	}
	if mentions(noun, "decision") && g.be >= 0 && !g.negated && !g.past && (noun[0].is("final") || len(noun) == 1) && len(c.rest) > 2 && c.subj.own == "" {
		if c.follows("to") || c.follows("that") {
			c.tell(lukasa.KindDecision, definingConfidence, "decision")
		}
		return
	}
	if c.scheduled(noun) || c.attribute(noun) || c.port() {
		return
	}
	if k, tag := c.milestoneKind(); k != "" && !g.negated && !g.usedTo {
		c.subj.own = ""
		c.tellThing(k, tag)
		return
	}
	if c.subj.own == c.x.me && g.told() && !g.negated && len(c.dates) > 0 && (g.lemma == "break" || g.lemma == "crash" || g.lemma == "die" || g.lemma == "arrive" || g.lemma == "win" || g.lemma == "start") {
		c.tell(lukasa.KindEpisode, 0.7, "episode")
		if n := len(c.x.out); n > 0 {
			c.x.out[n-1].Subject = strings.TrimPrefix(c.x.possessive(c.x.me), "The ") + " " + c.subj.noun
		}
		return
	}
	c.orgThing()
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
		if g.negated || g.usedTo {
			return
		}
		if k, tag := c.decisionKind(); k != "" {
			c.tell(k, definingConfidence, tag)
		}
	}
}

// favouriteThing: "my favourite colour is green".
func (c *clause) favouriteThing(noun []token) {
	g := c.verb
	if len(noun) == 0 || len(noun) > 4 || noun[0].is("thing") || noun[0].is("part") || g.be < 0 && !g.usedTo || g.negated && !c.anymore() || g.future {
		return
	}
	value := c.value(objStops)
	if value == "" {
		return
	}
	if g.past {
		c.verb.usedTo = true
	}
	var kind []string
	for _, t := range noun {
		if t.is("of") || t.is("is") {
			return
		}
		kind = append(kind, t.low)
	}
	c.fact(lukasa.KindPreference, "favourite_"+slug(strings.Join(kind, " ")), value, 0.9, false, "preference")
}

// value is the phrase behind "is", without its article; titles in capitals are taken whole.
func (c *clause) value(stops map[string]bool) string {
	toks := c.rest
	if c.verb.be >= 0 {
		toks = c.toks[c.verb.be+1:]
	}
	for len(toks) > 0 && (adverbs[toks[0].low] || toks[0].is("called") || toks[0].is("named") || toks[0].kind == punctToken && !toks[0].is("+")) {
		toks = toks[1:]
	}
	np, _ := c.phrase(toks, 0, stops)
	if len(np) == 0 || len(np) > 10 || emptyObjects[np[0].low] && !np[0].upper {
		return ""
	}
	if np[0].low == "a" || np[0].low == "an" || np[0].is("the") && !np[0].upper {
		np = np[1:]
	}
	return c.bytes(np)
}

// meetings are things that take place at a time.
var meetings = wordSet(`meeting exam interview flight wedding party concert presentation surgery operation checkup appointment call demo conference workshop lesson class rehearsal game
	match race funeral graduation ceremony launch review standup retro retrospective kickoff webinar talk lecture seminar test trip vacation holiday move moving train`)

// scheduled: "the meeting with Acme is on Thursday", "my exam is on June 3", "the demo has been moved to Friday".
func (c *clause) scheduled(noun []token) bool {
	head := headOf(noun)
	g := c.verb
	if !meetings[head] || len(c.dates) == 0 || g.negated || g.usedTo {
		return false
	}
	timed := g.be >= 0 && (len(c.rest) == 0 || c.rest[0].is("on") || c.rest[0].is("at") || c.rest[0].is("in") || c.dated(c.rest[0]) || g.be+1 < len(c.toks) && (c.dated(c.toks[g.be+1]) || c.toks[g.be+1].is("scheduled") || c.toks[g.be+1].is("planned")))
	moved := (g.lemma == "move" || g.lemma == "postpone" || g.lemma == "schedule" || g.lemma == "push" || g.lemma == "start" || g.lemma == "begin" || g.lemma == "take" || g.lemma == "happen" || g.lemma == "leave" || g.lemma == "depart" || g.lemma == "arrive") && !g.modalOrPast()
	if !timed && !moved || g.past && !g.passive {
		return meetings[head]
	}
	c.tell(lukasa.KindEpisode, 0.8, "appointment")
	return true
}

func (g *group) modalOrPast() bool { return g.modal != "" || g.past && !g.passive && !g.perfect }

// headOf is the noun that a phrase is about: the last before "for", "of", "with".
func headOf(noun []token) string {
	for i, t := range noun {
		if i > 0 && (t.is("for") || t.is("of") || t.is("with") || t.is("at") || t.is("in") || t.is("about") || t.is("to")) {
			return noun[i-1].low
		}
	}
	return noun[len(noun)-1].low
}

// attribute: "my email is …", "the deadline for the Atlas project is March 20", "our budget is 40,000 euros".
func (c *clause) attribute(noun []token) bool {
	pred, n, at := attributeIn(noun)
	if pred == "" {
		return false
	}
	g := c.verb
	changed := (g.lemma == "move" || g.lemma == "push" || g.lemma == "change" || g.lemma == "postpone" || g.lemma == "set") && (g.passive || g.told())
	if g.be < 0 && !changed && !g.usedTo || g.negated || g.future {
		return true
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
		if g.passive {
			if !c.follows("to") && !c.follows("at") || g.lemma == "move" {
				return true
			}
			np, _ := c.phrase(c.rest, 1, titleStops)
			value, g.past, changed = c.bytes(np), false, true
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
	if g.usedTo || g.past && !changed {
		st.Ended = true
	}
	if g.passive && changed {
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

// attributeIn finds the attribute a phrase is about: its words start at token at and are n.
func attributeIn(noun []token) (pred string, n, at int) {
	end := len(noun)
	for i, t := range noun {
		if i > 0 && (t.is("for") || t.is("of") || t.is("on")) {
			end = i
			break
		}
	}
	if end > 1 {
		if p := twoWords[noun[end-2].low+" "+noun[end-1].low]; p != "" {
			return p, 2, end - 2
		}
	}
	return attributes[noun[end-1].low], 1, end - 1
}

// about is what a phrase without an owner belongs to: "Atlas project" of "deadline for the Atlas project", "wifi" of "wifi password".
func about(noun []token, at, n int, c *clause) string {
	if at+n < len(noun) {
		rest := bare(noun[at+n+1:])
		if len(rest) == 0 {
			return ""
		}
		return oneLine(c.subj.noun[rest[0].start:rest[len(rest)-1].end])
	}
	if at > 0 {
		s := c.subj.noun[noun[0].start:noun[at-1].end]
		if noun[0].is("new") || noun[0].is("final") || noun[0].is("current") || noun[0].is("main") {
			return ""
		}
		return strings.TrimSuffix(oneLine(s), "'s")
	}
	return ""
}

func isDatePredicate(p string) bool {
	return p == "deadline" || p == "birthday" || strings.HasSuffix(p, "_date")
}

// dateValue writes a date as a value: birthdays without their year unless it was said.
func dateValue(pred string, m Moment) string {
	if pred == "birthday" && m.Relative && m.Precision == ToDay {
		return m.From.Format("01-02")
	}
	return m.ISO()
}

// attributeValue reads the value of an attribute; e-mail addresses and telephone numbers must look like it.
func (c *clause) attributeValue(pred string) string {
	toks := c.rest
	if c.verb.be >= 0 {
		toks = c.toks[c.verb.be+1:]
	}
	for len(toks) > 0 && (adverbs[toks[0].low] || toks[0].is(":")) {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return ""
	}
	switch pred {
	case "email", "website", "domain":
		if toks[0].kind == linkToken || strings.Contains(toks[0].low, ".") {
			return toks[0].of(c.x.s)
		}
		return ""
	case "phone_number":
		raw := c.bytes(toks)
		if countDigits(raw) >= 6 && len(raw) < 30 {
			return raw
		}
		return ""
	case "password", "pin", "username", "plate":
		return toks[0].of(c.x.s)
	case "age":
		return ageOf(toks[0].low)
	case "address":
		if raw := c.bytes(toks); countDigits(raw) > 0 && len(raw) < 120 {
			return raw
		}
		return ""
	case "name", "nickname", "surname":
		np, _ := c.phrase(toks, 0, titleStops)
		for len(np) > 0 && !np[0].upper {
			return ""
		}
		if len(np) > 4 {
			return ""
		}
		return c.bytes(np)
	case "blood_type", "shoe_size":
		if raw := c.bytes(toks); len(raw) < 12 {
			return raw
		}
		return ""
	case "goal", "dream":
		if !toks[0].is("to") {
			return ""
		}
		np, _ := c.phrase(toks, 1, map[string]bool{})
		return c.bytes(np)
	}
	if toks[0].is("to") || toks[0].is("that") || toks[0].is("not") || toks[0].is("very") || toks[0].is("too") || toks[0].is("so") || toks[0].is("in") || toks[0].is("on") || toks[0].is("down") || toks[0].is("broken") || toks[0].is("full") || toks[0].is("empty") || toks[0].is("slow") {
		return ""
	}
	if len(toks) == 1 && !toks[0].upper && toks[0].kind == wordToken && (pred == "budget" || pred == "database" || pred == "rent" || pred == "stack" || pred == "job_title" && !jobs[toks[0].low]) {
		return ""
	}
	return c.value(titleStops)
}

// port: "the staging server runs on port 8080".
func (c *clause) port() bool {
	g := c.verb
	if (g.lemma == "run" || g.lemma == "listen") && g.current() && !g.negated && len(c.rest) > 2 && c.rest[0].is("on") && c.rest[1].is("port") && allDigits(c.rest[2].low) && c.subj.noun != "" {
		st := Statement{Kind: lukasa.KindFact, Subject: c.subj.noun, Predicate: "port", Slot: "port", Value: c.rest[2].low, Confidence: 0.8,
			Content: "The " + c.subj.noun + " runs on port " + c.rest[2].low, Tags: []string{"port"}}
		c.evidence(&st)
		c.x.add(st)
		return true
	}
	return false
}
