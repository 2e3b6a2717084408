package grammar

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Defines tells which defining moment the clause is by its verb: a decision, an event or a milestone, with its tag; "" for none.
func (c *Clause) Defines() (lukasa.MemoryKind, string) {
	if k, tag := c.Decides(); k != "" {
		return k, tag
	}
	if k, tag := c.happens(); k != "" {
		return k, tag
	}
	return c.Reaches()
}

// ThatTime reports whether the clause speaks of a time that was named before: "that whole week".
func (c *Clause) ThatTime() bool {
	for i, t := range c.Rest {
		if t.Is("that") && slices.ContainsFunc(c.Rest[i+1:min(len(c.Rest), i+3)], func(t lexis.Token) bool { return lexis.TimeUnits[t.Low] || lexis.IsDateWord(t.Low) }) {
			return true
		}
	}
	return false
}

// Decides tells what is decided by its verb: decided, going with, committing to, settled on, chose.
func (c *Clause) Decides() (lukasa.MemoryKind, string) {
	g := c.Verb
	told := g.Told() && !g.Progressive
	now := g.Progressive && !g.Past && !g.Future
	firm := false
	switch g.Lemma {
	case "decide":
		firm = told && len(c.Rest) > 1 && (c.Follows("to") || c.Follows("on") || c.Follows("that") || c.Follows("against") || c.Follows("not"))
	case "go":
		firm = (now || told || g.Future) && c.Follows("with") && len(c.Rest) > 1 && !EmptyObjects[c.Rest[1].Low] && c.object(1)
	case "commit":
		firm = (now || told) && c.Follows("to") && len(c.Rest) > 1
	case "settle":
		firm = told && c.Follows("on") && len(c.Rest) > 1 || told && c.Follows("for") && len(c.Rest) > 1
	case "opt":
		firm = told && c.Follows("for") && len(c.Rest) > 1
	case "accept":
		firm = told && !g.Passive && Mentions(c.Rest, "offer", "job", "position", "role", "place")
	case "say":
		firm = told && len(c.Rest) > 2 && (c.Follows("yes", "to") || c.Follows("no", "to")) && !EmptyObjects[c.Rest[2].Low]
	case "choose", "pick":
		if c.Follows("up") || c.Follows("on") {
			return "", ""
		}
		firm = (told || g.Current() && !g.Progressive && c.Subj.Kind == Speaker) && len(c.Rest) > 0 && !EmptyObjects[c.Rest[0].Low] || told &&
			c.Follows("to") && len(c.Rest) > 1
	case "agree":
		firm = told && len(c.Rest) > 1 && (c.Follows("to") || c.Follows("on") && !c.Follows("on", "a") && !c.Follows("on", "one"))
	case "drop":
		firm = c.Subj.We && told && len(c.Dates) == 0 && c.Follows("support")
	}
	if firm {
		return lukasa.KindDecision, "decision"
	}
	return "", ""
}

// object reports whether the phrase from token i of the rest is a plan rather than company: "going with the blue design", not "going with Tom".
func (c *Clause) object(i int) bool {
	return i < len(c.Rest) && (Articles[c.Rest[i].Low] && !c.Rest[i].Is("my") || c.Verb.Form == lexis.Gerund && len(c.Dates) == 0 &&
		!lexis.GivenNames[c.Rest[i].Low] && !c.Rest[i].Is("my") && !c.Rest[i].Is("our"))
}

// happens tells the events of a life: marriages, births, deaths, jobs won and lost, contracts.
func (c *Clause) happens() (lukasa.MemoryKind, string) {
	g := c.Verb
	told := g.Told() && !g.Progressive
	now := g.Progressive && !g.Past
	rest := c.Rest
	hit := false
	switch g.Lemma {
	case "start", "begin":
		hit = (now || g.Future && len(c.Dates) > 0) && len(rest) > 0 && !rest[0].Is("to") && !rest[0].Is("over") && !rest[0].Is("from") &&
			!rest[0].Is("with") && lexis.Verbs[rest[0].Low].Form != lexis.Gerund && !EmptyObjects[rest[0].Low] || now && len(rest) > 0 &&
			lexis.Verbs[rest[0].Low].Lemma == "work"
		hit = hit && (c.Subj.Kind == Speaker || c.Subj.Kind == Someone)
	case "get":
		hit = c.gets(rest, told, now)
	case "buy", "sell", "purchase":
		hit = told && len(rest) > 1 && !g.Negated && Determined[rest[0].Low] && Mentions(rest[:min(3, len(rest))],
			"house", "flat", "apartment", "cottage", "home")
	case "make":
		hit = g.Passive && !g.Future && g.Modal == "" && Mentions(rest, "redundant")
	case "lose":
		hit = told && Mentions(rest[:min(2, len(rest))], "job")
	case "move":
		hit = told && len(rest) > 0 && (rest[0].Is("in") && (len(rest) == 1 || c.Dated(rest[1]) || rest[1].Is("with") || rest[1].Is("together")) ||
			rest[0].Is("out") || rest[0].Is("house") || c.Dated(rest[0])) && c.Place(rest, "to") == ""
	case "emigrate", "immigrate":
		hit = told
	case "close":
		hit = told && Mentions(rest, "deal", "round", "sale")
	case "sign":
		hit = told && Mentions(rest, "contract", "lease", "deal", "agreement", "papers", "offer", "mortgage", "sheet", "letter")
	case "marry":
		hit = told && (len(rest) > 0 || g.Passive) && !(g.Passive && g.Perfect)
	case "have":
		hit = (now || g.Future || told) && Mentions(rest, "baby", "miscarriage", "twins") && !g.Perfect
	case "be":
		if n := len(rest); g.Be >= 0 && n > 0 && rest[0].Is("born") && g.Past && len(c.Dates) > 0 && c.Dates[0].Precision == lexis.ToMinute {
			hit = true
		}
		if g.Be >= 0 && !g.Future && Mentions(c.Toks[g.Be:], "pregnant", "expecting") && (len(rest) > 0 && (rest[0].Is("pregnant") ||
			rest[0].Is("expecting"))) {
			hit = !g.Past
		}
	case "die", "elope":
		hit = told
	case "propose":
		hit = told && (len(rest) == 0 || c.Dated(rest[0]) || rest[0].Is("to") && len(rest) < 3)
	case "quit", "resign":
		hit = told && (len(rest) == 0 || c.Dated(rest[0]) || Articles[rest[0].Low] && !Mentions(rest, "job", "at"))
	case "pass":
		hit = told && c.Follows("away")
	case "give":
		hit = told && (c.Follows("birth") || c.Follows("notice") || Mentions(rest, "notice"))
	case "expect":
		hit = now && Mentions(rest, "child", "baby", "twins", "girl", "boy", "daughter", "son")
	case "offer":
		hit = g.Passive && Mentions(rest, "job", "position", "role", "promotion", "scholarship", "place")
	case "lay", "fire", "promote", "hire", "accept", "elect", "reject", "diagnose":
		hit = g.Passive && (g.Lemma != "lay" || c.Follows("off")) && (g.Lemma != "accept" || Mentions(rest, "to", "into", "at", "by"))
	case "break", "split":
		hit = told && c.Follows("up")
	case "divorce", "retire":
		hit = told || now && len(c.Dates) > 0 || g.Passive && len(c.Dates) > 0
	case "adopt":
		hit = told && Mentions(rest, "baby", "child", "girl", "boy", "daughter", "son")
	case "become":
		hit = told && Mentions(rest, "father", "mother", "parents", "grandmother", "grandfather", "uncle", "aunt", "citizen", "partner", "parent")
	}
	if hit {
		return lukasa.KindEvent, "event"
	}
	return "", ""
}

// gets: got the job, getting married, got promoted.
func (c *Clause) gets(rest []lexis.Token, told, now bool) bool {
	if len(rest) == 0 || !told && !now && !(c.Verb.Future && len(c.Dates) > 0) {
		return false
	}
	if told && len(rest) > 1 && Determined[rest[0].Low] && rest[1].Is("keys") {
		return true
	}
	switch rest[0].Low {
	case "offered":
		return told && Mentions(rest, "job", "position", "role", "promotion", "scholarship", "place", "contract")
	case "married", "engaged", "divorced", "promoted", "fired", "hired", "elected", "accepted", "diagnosed", "pregnant":
		return true
	case "laid":
		return Next(rest, 0) == "off"
	case "the", "an", "a", "my":
		return told && len(rest) > 1 && (rest[1].Is("job") || rest[1].Is("post") || rest[1].Is("residency") || rest[1].Is("internship") ||
			rest[1].Is("offer") || rest[1].Is("promotion") || rest[1].Is("scholarship") || rest[1].Is("grant") || rest[1].Is("role") ||
			rest[1].Is("position") || Next(rest, 1) == "job" || Next(rest, 1) == "offer" || rest[1].Is("raise") || rest[1].Is("visa"))
	case "into":
		return told && len(rest) > 1 && rest[1].Upper
	}
	return false
}

// Reaches tells milestones: launched, shipped, finished, completed, went live, passed, graduated, reached.
func (c *Clause) Reaches() (lukasa.MemoryKind, string) {
	g := c.Verb
	told := g.Told() && !g.Progressive || g.Passive && !g.Future && g.Modal == ""
	rest := c.Rest
	if g.Be >= 0 && g.Be < len(c.Toks) && !g.Future && g.Modal == "" && Mentions(c.Toks[g.Be:], "turning") && Mentions(c.Toks[g.Be:], "point") {
		return lukasa.KindTurningPoint, "turning point" // "the storm was the turning point"
	}
	if !told {
		return "", ""
	}
	hit := false
	switch g.Lemma {
	case "launch", "release", "publish", "ship":
		hit = g.Passive || len(rest) > 0 && !EmptyObjects[rest[0].Low]
	case "complete", "achieve", "deliver":
		hit = g.Passive || len(rest) > 0 && !EmptyObjects[rest[0].Low]
	case "finish":
		hit = len(rest) > 0 && !SmallJobs[rest[0].Low] && !(len(rest) > 1 && SmallJobs[rest[1].Low]) && !EmptyObjects[rest[0].Low] &&
			!rest[0].Is("early") && !rest[0].Is("late") && !c.Dated(rest[0]) && !rest[0].Is("at")
	case "go":
		hit = c.Follows("live") || c.Follows("public") || c.Follows("viral")
	case "pass":
		hit = Mentions(rest, "exam", "exams", "test", "bar", "interview", "audit", "course", "driving", "inspection", "certification", "boards")
	case "graduate":
		hit = true
	case "reach", "hit":
		hit = len(rest) > 0 && (rest[0].Kind == lexis.Number || Mentions(rest, "milestone", "goal", "target", "users", "customers", "summit"))
	case "win":
		hit = Mentions(rest, "award", "prize", "championship", "medal", "hackathon", "contest", "competition", "election", "tournament", "final")
	}
	if hit {
		return lukasa.KindMilestone, "milestone"
	}
	return "", ""
}
