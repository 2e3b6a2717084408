package rules

import (
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/guard"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Version names the rules; it goes into a memory's extractor field, and changes when the rules would say something else.
const Version = "rules-11"

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
	if text.Recalls(x.S) {
		return
	}
	x.todos = lexis.Announces(x.S)
	x.threat, _ = lexis.Suspicious(in.Text)
	x.asks = text.Asks(x.S)
	untrusted := in.Origin != "" && in.Origin != lukasa.OriginUser
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
	asks          bool      // the text ends with a question
	heard         []hearing // what each statement of out was heard in
	cur           hearing
	pieces, words int         // read so far
	thing         string      // what was bought, or spoken of, in the words before
	sums          []text.Span // prices told in this sentence
}

func newExtractor(in Input) *extractor {
	in.Text = text.ValidUTF8(in.Text)
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
	if raw := sp.Of(x.S); text.IsMachine(raw) || text.QuotesSpeech(raw) {
		x.prev = sp
		return
	}
	for piece := range x.Pieces(sp) {
		if x.piece(piece); x.stop {
			return
		}
	}
}

// piece reads one piece of a sentence, most often all of it.
func (x *extractor) piece(sp text.Span) {
	raw := sp.Of(x.S)
	x.sent = sp
	defer func() { x.prev = sp }()
	x.Toks = lexis.Lex(nil, x.S, sp.Start, sp.End)
	x.pieces++
	all := x.Toks
	x.words += len(all)
	x.cur = hearing{toks: x.Toks, how: "piece", sent: sp, prev: x.prev, all: all, sentence: x.pieces}
	if x.first {
		x.first = false
		if guard.IsWorkOrder(x.Toks) {
			x.stop = true
			return
		}
	}
	if !x.tells(sp) {
		return
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
	x.Toks, x.cur.bidden = guard.Remembered(x.Toks)
	if x.ordered(x.Toks) || x.fixed() {
		return
	}
	idle := guard.Idles(x.Toks)
	x.priced()
	var subj grammar.Party
	x.Last, x.Count = lexis.Group{}, 0
	var colon []lexis.Token
	for _, part := range grammar.Parts(x.Toks) {
		c := x.clause(part.Toks)
		if part.Conditional {
			continue
		}
		if x.Count > 0 && len(part.Toks) > 4 && grammar.Starts(part.Toks, "remind", "me", "to") {
			x.order(part.Toks[3:])
			continue
		}
		n := len(x.out)
		x.cur = hearing{c: c, toks: part.Toks, how: idle, sent: sp, prev: x.prev, place: x.Count, all: all, sentence: x.pieces, bidden: x.cur.bidden, backdrop: grammar.Backdrop(all, part.Toks)}
		if n := len(part.Toks); n > 0 && part.Toks[n-1].End < len(x.S) {
			x.cur.lead = strings.HasPrefix(strings.TrimLeft(x.S[part.Toks[n-1].End:], " *_"), ":")
		}
		if c.Read(subj, part.Joined) {
			x.shared = c.Subj.We
			x.cur.read = true
			if idle == "" {
				c.apply()
			}
			subj, x.Last = c.Subj, c.Verb
		} else {
			subj = grammar.Party{}
			if idle == "" {
				x.bits(c.Toks)
			}
		}
		if colon != nil && !x.cur.read {
			x.cur.toks = x.Between(colon[0].Start, part.Toks)
			c.Toks = x.cur.toks
		}
		x.offer(n)
		colon = nil
		if x.cur.lead && !x.cur.read && len(part.Toks) > 0 {
			colon = part.Toks
		}
		x.Count++
		x.mention = x.Mentioned(c.Toks) || x.mention
		x.hear(part.Toks, c, false)
		if idle == "" {
			m := x.mine(c.Toks)
			m.Passing()
			x.phone(m)
		}
	}
	x.shared = false
}

// tells reports whether a piece is more than a request or a question; of one that ends in a question only what stands before it is left to read.
func (x *extractor) tells(sp text.Span) bool {
	raw := sp.Of(x.S)
	x.SpokenTo(x.Toks)
	if x.asked(x.Toks) {
		x.mention = x.Mentioned(x.Toks) || x.mention
		x.hear(x.Toks, nil, false)
		return false
	}
	if text.Asks(raw) {
		cut := text.QuestionTail(raw)
		if cut < 0 {
			x.hear(x.Toks, nil, true)
			return false
		}
		x.Toks = lexis.Lex(nil, x.S, sp.Start, sp.Start+cut)
		x.cur.toks = x.Toks
		if len(x.Toks) > 0 && guard.OpensIdle(x.Toks) {
			return false
		}
	}
	return true
}

// add keeps a statement unless the text has made it before.
func (x *extractor) add(st Statement) {
	st.Content, st.Extractor = text.Quoted(strings.TrimSpace(st.Content)), Version
	if st.Content == "" || st.Predicate != "" && st.Value == "" || st.Predicate == "name" && strings.EqualFold(st.Value, st.Subject) {
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
	st.Confidence *= merge.Trust(x.in.Origin)
	st.Defining = st.Kind.Defining()
	st.Shared = st.Shared || x.shared
	if st.End == 0 {
		st.Start, st.End = x.span()
	}
	st.Start += x.in.Base
	st.End += x.in.Base
	if st.Defining {
		x.surround(&st, x.sent, x.prev)
	}
	x.cur.told = [2]string{st.Subject, st.Content}
	x.out = append(x.out, st)
	x.heard = append(x.heard, x.cur)
}

// surround gives a defining statement the sentences around it, and the day it was told where it names none.
func (x *extractor) surround(st *Statement, sent, prev text.Span) {
	if st.OccurredAt.IsZero() {
		st.OccurredAt = x.in.At
	}
	st.ContextStart, st.ContextEnd = st.Start, max(st.End, sent.End+x.in.Base)
	if prev.End > 0 {
		st.ContextStart = prev.Start + x.in.Base
	}
}

// span is the sentence without closing marks.
func (x *extractor) span() (int, int) {
	if len(x.Toks) == 0 {
		return x.sent.Start, x.sent.End
	}
	return x.Toks[0].Start, x.Toks[len(x.Toks)-1].End
}
