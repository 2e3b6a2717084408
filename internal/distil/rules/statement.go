package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Version names the rules; it goes into a memory's extractor field, and changes when the rules would say something else.
const Version = "rules-3"

// Input is a message, or a stretch of a document, to draw statements from.
type Input struct {
	Text    string
	Base    int    // added to every offset of the answer: where Text begins in its document
	Speaker string // who "I" is; "" makes it "user" when Origin is the user's
	Role    string // user, assistant, system, tool …; only people make memories
	At      time.Time
	Origin  lukasa.Origin
	// Marked returns the spans of Text that hold recalled briefs: they are passed over. Nil means none.
	Marked func(string) []text.Span
}

// Statement is one thing that a text says, as a memory would keep it.
type Statement = merge.Statement

// A Triple ties two entities: see [merge.Statement.Triple].
type Triple = merge.Triple

// Extract draws statements from a message or chunk by rules. It returns them in the order of the text, without repeating one,
// and nothing for questions, guesses, wishes, conditions, quotations, hearsay, code, logs, block quotes, marked briefs, what is not
// said by a person, and orders to an assistant.
func Extract(in Input) []Statement {
	var d Dialogue
	return d.Read(in)
}

// message reads the whole text.
func (x *extractor) message() {
	in := x.in
	if lexis.Recalls(x.S) {
		return
	}
	x.todos = lexis.Announces(x.S)
	x.threat, _ = lexis.Suspicious(in.Text)
	untrusted := in.Origin == lukasa.OriginWeb || in.Origin == lukasa.OriginTool || in.Origin == lukasa.OriginImport
	for b := range text.MarkdownBlocks(x.S) {
		switch b.Kind {
		case text.BlockParagraph:
			x.block(b.Span)
		case text.BlockItem:
			x.listItem(b.Span)
		}
		if x.stop {
			break
		}
	}
	if untrusted && x.threat {
		for i := range x.out {
			x.out[i].Quarantined = true
		}
	}
}

// extractor draws statements from one text.
type extractor struct {
	grammar.Scene // its S is the text with marked spans blanked, byte for byte
	in            Input
	out           []Statement
	seen          map[string]bool
	d             *Dialogue
	threat        bool // somewhere it tries to give a machine orders
	todos         bool // the text announces a list of what is to be done
	items         bool // a list item is being read
	answers       int
	resolved      bool // "I've decided" was said: what follows is what
	shared        bool // the clause speaks of "we"
	mention       bool // someone was named in this text
	sent          text.Span
	prev          text.Span // the sentence before
	first         bool      // no sentence has been read yet
	stop          bool
}

func newExtractor(in Input) *extractor {
	in.Text = lexis.ValidUTF8(in.Text)
	x := &extractor{in: in, first: true, seen: map[string]bool{}}
	x.Scene = grammar.Scene{S: in.Text, Me: strings.TrimSpace(in.Speaker), Self: true, At: in.At, Introduce: x.relation}
	if x.Me == "" || strings.EqualFold(x.Me, "user") {
		x.Me = "user"
		x.Self = in.Origin == "" || in.Origin == lukasa.OriginUser
	}
	if in.Marked != nil {
		x.S = grammar.Blank(x.S, in.Marked(x.S))
	}
	return x
}

// block reads the sentences of a paragraph.
func (x *extractor) block(b text.Span) {
	for sp := range text.Sentences(b.Of(x.S)) {
		x.sentence(text.Span{Start: b.Start + sp.Start, End: b.Start + sp.End})
		if x.stop {
			return
		}
	}
}

// listItem reads a list item: an open box is a task, a ticked one is not, anything else is prose.
func (x *extractor) listItem(b text.Span) {
	raw := b.Of(x.S)
	body := strings.TrimLeft(raw, " \t-*+0123456789.)")
	off := b.Start + len(raw) - len(body)
	if len(body) > 3 && body[0] == '[' && body[2] == ']' {
		done := body[1] != ' '
		rest := strings.TrimLeft(body[3:], " \t")
		if !done && rest != "" && x.Self {
			start := b.End - len(rest)
			x.first = false
			x.todo(text.Span{Start: start, End: start + len(strings.TrimRight(rest, " \t\n"))})
		}
		return
	}
	if x.chore(text.Span{Start: off, End: b.End}) {
		x.first = false
		return
	}
	x.items = true
	x.block(text.Span{Start: off, End: b.End})
	x.items = false
}

// sentence reads the pieces of one sentence.
func (x *extractor) sentence(sp text.Span) {
	raw := sp.Of(x.S)
	if lexis.IsMachine(raw) || lexis.QuotesSpeech(raw) {
		x.prev = sp
		return
	}
	start := sp.Start
	ends := append(lexis.Pieces(raw), len(raw))
	for i, end := range ends {
		if i+1 < len(ends) && x.Trails(text.Span{Start: sp.Start + end, End: sp.Start + ends[len(ends)-1]}) {
			end = len(raw) // "we broke up :( three weeks ago"
		} else if i > 0 && sp.Start+end <= start {
			break
		}
		if piece := (text.Span{Start: start, End: sp.Start + end}); strings.TrimSpace(piece.Of(x.S)) != "" {
			x.piece(piece)
		}
		start = sp.Start + end
		if x.stop {
			return
		}
	}
}

// piece reads one piece of a sentence, most often all of it.
func (x *extractor) piece(sp text.Span) {
	raw := sp.Of(x.S)
	x.sent = sp
	defer func() { x.prev = sp }()
	x.Toks = lexis.Lex(x.Toks[:0], x.S, sp.Start, sp.End)
	if x.first {
		x.first = false
		if lexis.IsWorkOrder(x.Toks) {
			x.stop = true
			return
		}
	}
	if x.asked(x.Toks) {
		x.mentioned(x.Toks)
		return
	}
	if lexis.Asks(raw) {
		cut := lexis.QuestionTail(raw)
		if cut < 0 {
			return
		}
		x.Toks = lexis.Lex(x.Toks[:0], x.S, sp.Start, sp.Start+cut)
		if len(x.Toks) > 0 && lexis.OpensIdle(x.Toks) {
			return
		}
	}
	x.Toks = grammar.Trimmed(x.Toks)
	if x.Cast != nil && x.answered(x.Toks) || len(x.Toks) < 2 || len(x.Toks) > 120 {
		return
	}
	if x.threat {
		if bad, _ := lexis.Suspicious(raw); bad {
			return
		}
	}
	x.Toks = lexis.Remembered(x.Toks)
	if x.ordered(x.Toks) || x.fixed() {
		return
	}
	if lexis.OpensIdle(x.Toks) || lexis.Reports(x.Toks) {
		return
	}
	var subj grammar.Party
	x.Last, x.Count = lexis.Group{}, 0
	for _, part := range grammar.Parts(x.Toks) {
		c := x.clause(part.Toks)
		if part.Conditional {
			continue
		}
		if x.Count > 0 && len(part.Toks) > 4 && grammar.Starts(part.Toks, "remind", "me", "to") {
			x.order(part.Toks[3:])
			continue
		}
		if c.Read(subj, part.Joined) {
			x.shared = c.Subj.We
			c.apply()
			subj, x.Last = c.Subj, c.Verb
		} else {
			subj = grammar.Party{}
			x.bits(c.Toks)
		}
		x.Count++
		x.mentioned(c.Toks)
		x.passing(c.Toks)
	}
	x.shared = false
}

// mentioned makes the person whom a piece names, though not as its subject, the one whom "she" means next.
func (x *extractor) mentioned(toks []lexis.Token) {
	if x.Spoken {
		return
	}
	for i := 0; i+1 < len(toks) && x.Self; i++ {
		if rel, _ := grammar.RelationAt(toks, i+1); toks[i].Is("my") && rel != "" && !grammar.IsPet(rel) &&
			!slices.Contains(grammar.PluralRelations, rel) {
			x.Person = grammar.Party{Kind: grammar.Someone, Rel: rel, Own: x.Me, Name: strings.TrimPrefix(x.Possessive(x.Me), "The ") + " " + rel}
			x.mention = true
		}
	}
	for _, n := range lexis.Names(x.S, toks) {
		name := lexis.PlainName(x.S, toks, n)
		if n.Type != lexis.EntityPerson && x.Cast.Knows(strings.ToLower(name)) == "" || strings.EqualFold(name, x.Me) {
			continue
		}
		x.Person = grammar.Party{Kind: grammar.Someone, Name: name, Own: name}
		x.d.cast.Meet(name)
		x.mention = true
	}
}

// add keeps a statement unless the text has made it before.
func (x *extractor) add(st Statement) {
	st.Content, st.Extractor = strings.TrimSpace(st.Content), Version
	if st.Content == "" || st.Predicate != "" && st.Value == "" {
		return
	}
	if last := st.Content[len(st.Content)-1]; last != '.' && last != '!' {
		st.Content += "."
	}
	key := strings.ToLower(st.Subject + "|" + st.Predicate + "|" + st.Value)
	if st.Predicate == "" {
		key = string(st.Kind) + "|" + st.Content
	}
	if x.seen[key] {
		return
	}
	x.seen[key] = true
	st.Confidence *= trust(x.in.Origin)
	st.Defining = st.Kind.Defining()
	st.Shared = st.Shared || x.shared
	if st.End == 0 {
		st.Start, st.End = x.span()
	}
	if st.Defining {
		if st.OccurredAt.IsZero() {
			st.OccurredAt = x.in.At // the day it was told
		}
		st.ContextStart, st.ContextEnd = st.Start, x.sent.End
		if x.prev.End > 0 {
			st.ContextStart = x.prev.Start
		}
		st.ContextStart += x.in.Base
		st.ContextEnd += x.in.Base
	}
	st.Start += x.in.Base
	st.End += x.in.Base
	st.Entities = st.Named()
	x.out = append(x.out, st)
}

// span is the sentence without closing marks.
func (x *extractor) span() (int, int) {
	if len(x.Toks) == 0 {
		return x.sent.Start, x.sent.End
	}
	return x.Toks[0].Start, x.Toks[len(x.Toks)-1].End
}

// trust lowers confidence for what no user said.
func trust(o lukasa.Origin) float64 {
	switch o {
	case lukasa.OriginAgent, lukasa.OriginImport:
		return 0.9
	case lukasa.OriginTool, lukasa.OriginWeb:
		return 0.7
	}
	return 1
}
