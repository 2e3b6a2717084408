package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Version names the rules; it goes into a memory's extractor field, and changes when the rules would say something else.
const Version = "rules-1"

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
type Statement struct {
	Kind                     lukasa.MemoryKind
	Content                  string // a sentence in the third person that can be read by itself
	Subject                  string // whom or what it is about: the speaker, "Ana's brother", "Clara", "Atlas project"; "" when nobody in particular
	Predicate                string // what it says of the subject (lives_in, likes, sister …); "" for what happened, is planned or decided
	Slot                     string // names the one value that the subject can have at a time ("lives_in", "opinion:jazz"); a newer statement of the same subject and slot replaces an older; "" otherwise
	Value                    string
	Confidence               float64
	ValidFrom                time.Time     // zero when unknown
	ValidTo                  time.Time     // zero when open
	OccurredAt               time.Time     // when it happened, happens or is due; zero when unknown
	When                     *lexis.Moment // the date behind ValidFrom, ValidTo or OccurredAt, with its precision
	Until                    *lexis.Moment // the second date, where there are two
	Ended                    bool          // it was so, and is no longer
	Corrects                 string        // the value that it says was wrong
	Defining                 bool
	Start, End               int // the evidence: bytes of Input.Text, plus Base
	ContextStart, ContextEnd int // the sentences around it, for defining statements
	Tags                     []string
	Entities                 []string
	Quarantined              bool // the text it comes from also gives orders: never to be promoted without review
}

// Extract draws statements from a message or chunk by rules. It returns them in the order of the text, without repeating one,
// and nothing for questions, guesses, wishes, conditions, quotations, hearsay, code, logs, block quotes, marked briefs, what is not
// said by a person, and orders to an assistant.
func Extract(in Input) []Statement {
	if !speaks(in) || strings.TrimSpace(in.Text) == "" {
		return nil
	}
	x := newExtractor(in)
	untrusted := in.Origin == lukasa.OriginWeb || in.Origin == lukasa.OriginTool || in.Origin == lukasa.OriginImport
	for b := range text.MarkdownBlocks(x.s) {
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
	if untrusted && len(x.out) > 0 {
		if bad, _ := lexis.Suspicious(in.Text); bad {
			for i := range x.out {
				x.out[i].Quarantined = true
			}
		}
	}
	return x.out
}

// speaks reports whether the message can hold what a person says.
func speaks(in Input) bool {
	speaker := strings.ToLower(in.Speaker)
	switch strings.ToLower(in.Role) {
	case "system", "developer", "tool", "function":
		return false
	case "assistant", "model", "ai", "bot":
		if speaker == "" || machineNames[speaker] {
			return false
		}
	}
	return !machineNames[speaker]
}

var machineNames = lexis.Words("assistant ai bot system tool chatgpt gpt claude gemini copilot model llm function agent")

// extractor draws statements from one text.
type extractor struct {
	in     Input
	s      string // the text with marked spans blanked, byte for byte
	me     string // "Ana" or "user"
	self   bool   // "I" is someone
	out    []Statement
	seen   map[string]bool
	person party // the person that "he" or "she" can mean
	sent   text.Span
	prev   text.Span // the sentence before
	toks   []lexis.Token
	first  bool // no sentence has been read yet
	stop   bool
}

func newExtractor(in Input) *extractor {
	in.Text = strings.ToValidUTF8(in.Text, "?")
	x := &extractor{in: in, s: in.Text, me: strings.TrimSpace(in.Speaker), self: true, first: true, seen: map[string]bool{}}
	if x.me == "" || strings.EqualFold(x.me, "user") {
		x.me = "user"
		x.self = in.Origin == "" || in.Origin == lukasa.OriginUser
	}
	if in.Marked != nil {
		x.s = blank(x.s, in.Marked(x.s))
	}
	return x
}

// blank overwrites spans of s with line ends, so that offsets stay.
func blank(s string, spans []text.Span) string {
	if len(spans) == 0 {
		return s
	}
	b := []byte(s)
	for _, sp := range spans {
		for i := max(0, sp.Start); i < min(sp.End, len(b)); i++ {
			b[i] = '\n'
		}
	}
	return string(b)
}

// block reads the sentences of a paragraph.
func (x *extractor) block(b text.Span) {
	for sp := range text.Sentences(b.Of(x.s)) {
		x.sentence(text.Span{Start: b.Start + sp.Start, End: b.Start + sp.End})
		if x.stop {
			return
		}
	}
}

// listItem reads a list item: an open box is a task, a ticked one is not, anything else is prose.
func (x *extractor) listItem(b text.Span) {
	raw := b.Of(x.s)
	body := strings.TrimLeft(raw, " \t-*+0123456789.)")
	off := b.Start + len(raw) - len(body)
	if len(body) > 3 && body[0] == '[' && body[2] == ']' {
		done := body[1] != ' '
		rest := strings.TrimLeft(body[3:], " \t")
		if !done && rest != "" && x.self {
			start := b.End - len(rest)
			x.first = false
			x.todo(text.Span{Start: start, End: start + len(strings.TrimRight(rest, " \t\n"))})
		}
		return
	}
	x.block(text.Span{Start: off, End: b.End})
}

// sentence reads one sentence.
func (x *extractor) sentence(sp text.Span) {
	raw := sp.Of(x.s)
	x.sent = sp
	defer func() { x.prev = sp }()
	if isMachine(raw) {
		return
	}
	x.toks = lexis.Lex(x.toks[:0], x.s, sp.Start, sp.End)
	if x.first {
		x.first = false
		if isWorkOrder(x.toks) {
			x.stop = true
			return
		}
	}
	x.trim()
	if len(x.toks) < 2 || len(x.toks) > 120 || asks(raw) || quotesSpeech(raw) {
		return
	}
	if bad, _ := lexis.Suspicious(raw); bad {
		return
	}
	x.toks = remembered(x.toks)
	if x.fixed() {
		return
	}
	if opensIdle(x.toks) || reports(x.toks) {
		return
	}
	var subj party
	for _, part := range clauses(x.toks) {
		c := clause{x: x, toks: part.toks, subordinate: part.conditional}
		if part.conditional {
			continue
		}
		if c.read(subj, part.joined) {
			c.apply()
			subj = c.subj
		}
	}
}

// trim drops emphasis marks, bullets and closing marks around the sentence's tokens.
func (x *extractor) trim() {
	t := x.toks
	for len(t) > 0 && t[0].Kind == lexis.Punct && !t[0].Is("[") {
		t = t[1:]
	}
	for len(t) > 0 && t[len(t)-1].Kind == lexis.Punct && !t[len(t)-1].Is(")") {
		t = t[:len(t)-1]
	}
	out := t[:0:0]
	for _, k := range t {
		if k.Kind == lexis.Punct && (k.Is("*") || k.Is("_") || k.Is("`")) {
			continue
		}
		out = append(out, k)
	}
	x.toks = out
}

// add keeps a statement unless the text has made it before.
func (x *extractor) add(st Statement) {
	st.Content = strings.TrimSpace(st.Content)
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
	st.Entities = x.entities(st)
	x.out = append(x.out, st)
}

// span is the sentence without closing marks.
func (x *extractor) span() (int, int) {
	if len(x.toks) == 0 {
		return x.sent.Start, x.sent.End
	}
	return x.toks[0].Start, x.toks[len(x.toks)-1].End
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

// entities are the names in the statement's own words, its subject first.
func (x *extractor) entities(st Statement) []string {
	var out []string
	add := func(name string) {
		if slices.Contains(out, name) {
			return
		}
		if name != "" && len(out) < 8 {
			out = append(out, name)
		}
	}
	if st.Subject != "" && st.Subject != "user" && !strings.Contains(st.Subject, "'s ") && strings.ToLower(st.Subject) != st.Subject {
		add(st.Subject)
	}
	s := st.Content
	toks := lexis.Lex(nil, s, 0, len(s))
	for _, n := range lexis.Names(s, toks) {
		if n.Sure || n.Type == lexis.EntityPerson || n.Type == lexis.EntityPlace {
			add(lexis.PlainName(s, toks, n))
		}
	}
	return out
}
