package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// hearing is what a statement was heard in.
type hearing struct {
	c          *clause // nil for what is read as a whole
	toks       []lexis.Token
	lead       bool   // a colon stands behind it
	read       bool   // the clause has a subject and a verb
	open       bool   // no rule made it
	backdrop   bool   // it tells since when something else is so
	how        string // what stands against it, or which way it came
	place      int    // the clause's number in its sentence
	sent, prev text.Span
	all        []lexis.Token // of its piece
	sentence   int
	bidden     bool      // it was asked to be remembered
	choices    []choice  // whom a pronoun in it could mean, when training
	told       [2]string // its subject and content when it was made, which names are read from
}

// offer adds the clause as it is where no rule has said anything of it, for the judge to weigh.
func (x *extractor) offer(n int) {
	h := x.cur
	if h.read {
		defer h.c.TurnTo()
	}
	if h.lead && !h.read {
		return // "for the record:"
	}
	for _, st := range x.out[n:] {
		if len(st.Tags) == 0 || st.Tags[0] != "family" && st.Tags[0] != "people" && st.Tags[0] != "pet" {
			return
		}
	}
	if len(h.toks) == 0 || !x.Self || grammar.Inverted(h.toks) || h.place == 0 && grammar.Wonders(h.toks) || len(x.out) > n && h.read && introduces[h.c.Verb.Lemma] ||
		h.read && h.c.SelfNamed() == len(h.c.Toks) {
		return
	}
	c := h.c
	if !h.read && grammar.Covers(h.toks, x.sums) {
		return
	}
	st := Statement{Kind: lukasa.KindFact, Confidence: openConfidence}
	vague := h.read && (c.Subj.Kind == grammar.Deictic || c.Unnamed())
	switch {
	case h.read && !vague:
		st.Content, st.Subject = c.Retell(), c.Who()
		if c.Subj.Kind == grammar.Thing && st.Subject == "" {
			st.Subject = c.Subj.Noun
		}
	default:
		if !h.read {
			c.FindLoose()
		}
		st.Content = x.Owner(x.Me) + c.Addressing(h.toks, h.read) + x.short(h.toks) + c.Reckoned()
	}
	if c.validity(&st, h.read && c.Verb.Told() && begins[c.Verb.Lemma]); st.When == nil {
		c.happened(&st)
	}
	c.evidence(&st)
	x.cur.open = true
	x.add(st)
	x.cur.open = false
}

// begins are verbs whose day is that from which on something holds.
var begins = lexis.Words("start begin switch stop quit")

// introduces are verbs of clauses that only say who is whose what.
var introduces = lexis.Words("be have call name marry")

// caseOf is what the judge looks at for statement i.
func (x *extractor) caseOf(i int) sense.Case {
	st, h := &x.out[i], &x.heard[i]
	c := sense.Case{S: x.S, Toks: h.toks, How: h.how, Subject: "none", Place: h.place, Sentence: h.sentence, Length: x.words, Role: x.d.company.Kind()}
	c.Content, c.About = st.Content, st.Subject
	c.Known = func(low string) bool { return x.Cast.Knows(low) != "" }
	if !h.open {
		c.Kind, c.Rule = string(st.Kind), st.Predicate
		if c.Rule == "" && len(st.Tags) > 0 {
			c.Rule = "#" + st.Tags[0]
		}
	}
	if n := len(h.toks); n > 0 && len(h.all) > 0 {
		from, to := h.toks[0].Start, h.toks[n-1].End
		for j, t := range h.all {
			if t.End <= from {
				c.Before = h.all[:j+1]
			}
			if t.Start >= to {
				c.After = h.all[j:]
				break
			}
		}
		if to < len(x.S) {
			c.Ending = x.S[to]
		}
	}
	c.Question = grammar.Questioned(x.d.question, x.d.asker == x.in.Speaker)
	if h.read {
		c.Verb, c.Dropped = &h.c.Verb, h.c.Dropped
		c.Subject = h.c.Subj.Class()
	}
	c.When = "-"
	if st.When != nil {
		c.When = "past"
		if st.When.To.After(x.in.At) {
			c.When = "ahead"
		}
		if st.When.Precision != lexis.ToDay {
			c.When += "~"
		}
	}
	return c
}

// settle lets the judge decide on what was drawn from the message.
func (x *extractor) settle() {
	for i := range x.out {
		x.disown(i, &x.out[i])
		x.inWords(i, &x.out[i])
	}
	if x.d.watch != nil {
		x.d.watch(x)
	}
	judge := x.d.judge
	if judge == nil {
		judge = sense.Default()
	}
	if x.d.unjudged || judge == nil {
		for i := range x.out {
			x.out[i].Entities = (&Statement{Subject: x.heard[i].told[0], Content: x.heard[i].told[1]}).Named()
		}
		return
	}
	var b sense.Bag
	kept := x.out[:0]
	for i := range x.out {
		c := x.caseOf(i)
		c.Features(&b)
		o := judge.Weigh(&b)
		st, h := x.out[i], &x.heard[i]
		class, p := o.Best()
		limit, firm := bar.rule, float32(0)
		switch {
		case h.bidden || !h.open && sure(&st):
			limit, firm = bar.sure, bar.firm
		case h.open:
			limit = bar.open
			st.Confidence *= 0.85 + 0.3*float64(o.Something()-limit)
		case x.asks:
			limit = bar.beside
		}
		if was := o[sense.Class(st.Kind)]; firm > 0 && (p < firm || was > p/3) {
			class, p = sense.Class(st.Kind), 1 // a rule that knows well what it says keeps its word
		}
		if h.open && x.asks && !h.bidden {
			limit = bar.asked
		}
		if o.Something() < limit || p < bar.kind && (x.asks || o.Something() < 0.95) || grammar.Praises(h.toks) {
			continue
		}
		if kind := sense.Kind(class); kind != st.Kind && !(h.backdrop && kind.Defining()) {
			x.become(&st, h, kind)
		}
		if lasts := st.Kind == lukasa.KindFact || st.Kind == lukasa.KindPreference || st.Kind == lukasa.KindInsight; lasts && h.open && st.ValidFrom.IsZero() &&
			st.ValidTo.IsZero() {
			st.OccurredAt, st.When = time.Time{}, nil // its words tell the day; it does not happen on it
		}
		if st.Predicate == "" && h.c != nil && (st.Slot == "" || st.Subject == "") {
			if slot, value, changed := h.c.Turn(h.toks, h.all, h.read, st.When); slot != "" {
				st.Slot, st.Value, st.Changed = slot, value, changed
			}
			st.Corrects = h.c.Replaced(h.toks)
		}
		st.Entities = (&Statement{Subject: h.told[0], Content: h.told[1]}).Named()
		st.Requested = h.bidden
		kept = append(kept, st)
	}
	x.out = kept
}

// limits are how sure the judge must be of a statement: of one that no rule has made, of such a one beside a question, of one that a rule has made,
// of such a one beside a question, of one that a rule is sure of, and of its kind; firm is what it takes to change the kind that a sure rule has named.
type limits struct{ open, asked, rule, beside, sure, kind, firm float32 }

var bar = limits{open: 0.755, asked: 0.98, rule: 0.66, beside: 0.85, sure: 0.02, kind: 0.3, firm: 0.6}

// sure reports whether a statement comes from a rule that is hardly ever wrong.
func sure(st *Statement) bool {
	return lexis.Canonical[st.Predicate] || st.Predicate != "" && st.Slot != "" && st.Predicate != "price" || st.Defining && st.Confidence >= 0.6
}

// become gives a statement another kind, with what hangs on it.
func (x *extractor) become(st *Statement, h *hearing, kind lukasa.MemoryKind) {
	was := st.Kind.Defining()
	for i, tag := range st.Tags {
		if tag == string(st.Kind) {
			st.Tags = append(slices.Clone(st.Tags[:i]), st.Tags[i+1:]...)
			break
		}
	}
	st.Kind, st.Defining = kind, kind.Defining()
	switch {
	case st.Defining && !was:
		st.Tags = append(slices.Clone(st.Tags), string(kind))
		x.surround(st, h.sent, h.prev)
	case was && !st.Defining:
		st.ContextStart, st.ContextEnd = 0, 0
		if st.When == nil && st.OccurredAt.Equal(x.in.At) {
			st.OccurredAt = time.Time{}
		}
	}
}

// disown leaves a statement about a thing that is nobody's without a subject: its words tell what it is about, and who said it.
func (x *extractor) disown(i int, st *Statement) {
	h := &x.heard[i]
	if h.open || !h.read || !h.c.Unnamed() || st.Predicate != "" || h.c.Inherited {
		return
	}
	st.Subject, st.Content = "", x.Owner(x.Me)+h.c.Addressing(h.toks, true)+x.short(h.toks)+h.c.Reckoned()+"."
}

// inWords tells what a rule has found in the clause's own words, unless its predicate has a form of its own.
func (x *extractor) inWords(i int, st *Statement) {
	h := &x.heard[i]
	if h.open || !h.read || st.Predicate == "" || lexis.Canonical[st.Predicate] || lexis.Relations[strings.ReplaceAll(st.Predicate, "_", " ")] != "" ||
		strings.HasPrefix(st.Predicate, "favourite_") || st.Shared || h.c.Inherited {
		return
	}
	if i > 0 && x.heard[i-1].c == h.c || i+1 < len(x.heard) && x.heard[i+1].c == h.c {
		return // what a clause says besides would be told twice
	}
	if h.c.Unnamed() {
		st.Content = x.Owner(x.Me) + " says: " + x.short(h.toks) + h.c.Reckoned() + "."
		return
	}
	st.Content = strings.TrimSpace(h.c.Retell())
	if !strings.HasSuffix(st.Content, ".") {
		st.Content += "."
	}
}
