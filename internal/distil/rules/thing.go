package rules

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// aboutThing: my name, the deadline, Pedro's birthday, my favourite colour, the meeting with Acme, Version 2.0.
func (c *clause) aboutThing() {
	g := c.Verb
	noun := lexis.Lex(nil, c.Subj.Noun, 0, len(c.Subj.Noun))
	if len(noun) == 0 || g.Modal != "" || g.Must {
		return
	}
	if noun[0].Is("favourite") || noun[0].Is("favorite") {
		c.favouriteThing(noun[1:])
		return
	}
	if grammar.Mentions(noun, "decision") && g.Be >= 0 && !g.Negated && !g.Past && (noun[0].Is("final") || len(noun) == 1) && len(c.Rest) > 0 &&
		c.Subj.Own == "" {
		if (c.Follows("to") || c.Follows("that")) && len(c.Rest) > 2 || noun[0].Is("final") && !grammar.Mentions(c.Rest, "you", "yours", "up", "pending", "open", "due") && !grammar.EmptyObjects[c.Rest[0].Low] {
			c.tell(lukasa.KindDecision, definingConfidence, "decision")
		}
		return
	}
	if c.thJubilee(noun) || c.holder(noun) || c.scheduled(noun) || c.attribute(noun) || c.port() {
		return
	}
	if c.ownFact(noun) || c.rhythm(noun) {
		return
	}
	if k, tag := c.Reaches(); k != "" && !g.Negated && !g.UsedTo {
		c.Subj.Own = ""
		c.tellThing(k, tag)
		return
	}
	if c.Subj.Own == c.x.Me && g.Told() && !g.Negated && len(c.Dates) > 0 && (g.Lemma == "break" || g.Lemma == "crash" || g.Lemma == "die" ||
		g.Lemma == "arrive" || g.Lemma == "win" || g.Lemma == "start") {
		c.tell(lukasa.KindEpisode, 0.7, "episode")
		if n := len(c.x.out); n > 0 {
			c.x.out[n-1].Subject = strings.TrimPrefix(c.x.Possessive(c.x.Me), "The ") + " " + c.Subj.Noun
		}
		return
	}
	c.orgThing()
}

// holder: "our CTO is Pavel Novak".
func (c *clause) holder(noun []lexis.Token) bool {
	g := c.Verb
	if c.Subj.Own != c.x.Me || g.Be < 0 || !g.Current() || g.Negated || !lexis.Jobs[noun[len(noun)-1].Low] || len(noun) > 4 || len(c.Rest) == 0 ||
		!c.Rest[0].Upper {
		return false
	}
	np, end := c.Phrase(c.Rest, 0, grammar.TitleStops)
	if len(np) == 0 || len(np) > 4 || end < len(c.Rest) && c.Rest[end].Is("'s") {
		return false
	}
	title := c.Subj.Noun
	c.Subj = grammar.Party{Kind: grammar.Someone, Name: c.Bytes(np), Own: c.Bytes(np)}
	c.fact(lukasa.KindFact, "job_title", title, 0.8, false, "work")
	return true
}

// tellThing tells what happened to a thing; a thing with a name is the subject.
func (c *clause) tellThing(kind lukasa.MemoryKind, tag string) {
	st := Statement{Kind: kind, Content: c.Retell(), Subject: c.Subj.Noun, Confidence: definingConfidence, Tags: []string{tag}}
	c.happened(&st)
	c.evidence(&st)
	c.x.add(st)
}

// orgThing lets an organisation's or team's decisions and possessions speak: "Our team has decided …", "Siemens hired …".
func (c *clause) orgThing() {
	if c.Subj.Own == c.x.Me || c.Subj.Own == "" && (strings.HasSuffix(c.Subj.Noun, "team") || strings.HasSuffix(c.Subj.Noun, "company") ||
		strings.HasSuffix(c.Subj.Noun, "board")) {
		g := c.Verb
		if g.Negated || g.UsedTo {
			return
		}
		if k, tag := c.Decides(); k != "" {
			c.tell(k, definingConfidence, tag)
		}
	}
}

// favouriteThing: "my favourite colour is green".
func (c *clause) favouriteThing(noun []lexis.Token) {
	g := c.Verb
	if len(noun) == 0 || len(noun) > 4 || noun[0].Is("thing") || noun[0].Is("part") || g.Be < 0 && !g.UsedTo || g.Negated && !c.Anymore() || g.Future {
		return
	}
	value := c.Value(grammar.ObjStops)
	if value == "" {
		return
	}
	if g.Past {
		c.Verb.UsedTo = true
	}
	var kind []string
	for _, t := range noun {
		if t.Is("of") || t.Is("is") {
			return
		}
		kind = append(kind, t.Low)
	}
	c.fact(lukasa.KindPreference, "favourite_"+grammar.Slug(strings.Join(kind, " ")), value, 0.9, false, "preference")
}

// scheduled: "the meeting with Acme is on Thursday", "my exam is on June 3", "the demo has been moved to Friday".
func (c *clause) scheduled(noun []lexis.Token) bool {
	head := grammar.HeadOf(noun)
	g := c.Verb
	if !lexis.Meetings[head] || len(c.Dates) == 0 || g.Negated || g.UsedTo {
		return false
	}
	timed := g.Be >= 0 && (len(c.Rest) == 0 || c.Rest[0].Is("on") || c.Rest[0].Is("at") || c.Rest[0].Is("in") || c.Dated(c.Rest[0]) ||
		g.Be+1 < len(c.Toks) && (c.Dated(c.Toks[g.Be+1]) || c.Toks[g.Be+1].Is("scheduled") || c.Toks[g.Be+1].Is("planned")))
	moved := (g.Lemma == "move" || g.Lemma == "postpone" || g.Lemma == "schedule" || g.Lemma == "push" || g.Lemma == "start" ||
		g.Lemma == "begin" || g.Lemma == "take" || g.Lemma == "happen" || g.Lemma == "leave" || g.Lemma == "depart" || g.Lemma == "arrive") &&
		g.Modal == "" && (!g.Past || g.Passive || g.Perfect)
	if !timed && !moved || g.Past && !g.Passive {
		return lexis.Meetings[head]
	}
	n := len(c.x.out)
	c.tell(lukasa.KindEpisode, 0.8, "appointment")
	c.timed(n, head)
	return true
}

// attribute: "my email is …", "the deadline for the Atlas project is March 20", "our budget is 40,000 euros".
func (c *clause) attribute(noun []lexis.Token) bool {
	pred, n, at := grammar.AttributeIn(noun)
	if pred == "" {
		return false
	}
	g := c.Verb
	if g.Progressive {
		return false
	}
	changed := (g.Lemma == "move" || g.Lemma == "push" || g.Lemma == "change" || g.Lemma == "postpone" || g.Lemma == "slip" || g.Lemma == "set") &&
		(g.Passive || g.Told())
	if g.Be < 0 && !changed && !g.UsedTo || g.Negated || g.Future {
		return false
	}
	if c.Subj.Rel != "" && pred == "name" {
		c.x.relation(c.Subj.Own, c.Subj.Rel, c.Value(grammar.TitleStops))
		return true
	}
	subject := c.Subj.Own
	if subject == "" {
		subject = grammar.AttributeOf(noun, at, n, &c.Clause)
	}
	value, kind := "", lukasa.KindFact
	var due lexis.Moment
	if grammar.IsDatePredicate(pred) {
		if len(c.Dates) == 0 {
			return true
		}
		due = c.Dates[len(c.Dates)-1]
		value = grammar.DateValue(pred, due)
		c.Dates = nil
	} else {
		if toks := c.Rest; g.Be >= 0 && len(toks) > 2 && grammar.Revisions[toks[0].Low] && (toks[1].Is("to") || toks[1].Is("at")) {
			np, _ := c.Phrase(toks, 2, grammar.TitleStops)
			value, g.Past, changed = c.Bytes(np), false, true
		} else if g.Passive {
			if !c.Follows("to") && !c.Follows("at") || g.Lemma == "move" {
				return true
			}
			np, _ := c.Phrase(c.Rest, 1, grammar.TitleStops)
			value, g.Past, changed = c.Bytes(np), false, true
		} else if changed {
			return true
		} else {
			value = c.AttributeValue(pred)
		}
	}
	if n := len(c.x.out); pred == "deadline" && subject == "" && value != "" && n > 0 && c.x.out[n-1].Kind == lukasa.KindTask &&
		c.x.out[n-1].When == nil && c.x.out[n-1].Start >= c.x.sent.Start+c.x.in.Base {
		task := &c.x.out[n-1] // "I need the report, deadline is Friday"
		task.OccurredAt, task.When = due.From, &due
		task.Content = strings.TrimSuffix(task.Content, ".") + ", due " + value + "."
		return true
	}
	if value == "" || subject == "" && !grammar.IsDatePredicate(pred) && pred != "budget" {
		return true
	}
	st := Statement{Kind: kind, Subject: subject, Predicate: pred, Value: value, Confidence: 0.85, Tags: []string{strings.ReplaceAll(pred, "_", "-")}}
	if c.Subj.Kind == grammar.Thing && c.Subj.Own == c.x.Me {
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
	case c.Subj.Own == "":
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

// port: "the staging server runs on port 8080".
func (c *clause) port() bool {
	g := c.Verb
	if (g.Lemma == "run" || g.Lemma == "listen") && g.Current() && !g.Negated && len(c.Rest) > 2 && c.Rest[0].Is("on") && c.Rest[1].Is("port") &&
		lexis.AllDigits(c.Rest[2].Low) && c.Subj.Noun != "" {
		st := Statement{
			Kind: lukasa.KindFact, Subject: c.Subj.Noun, Predicate: "port", Slot: "port", Value: c.Rest[2].Low, Confidence: 0.8,
			Content: "The " + c.Subj.Noun + " runs on port " + c.Rest[2].Low, Tags: []string{"port"},
		}
		c.evidence(&st)
		c.x.add(st)
		return true
	}
	return false
}
