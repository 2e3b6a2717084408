package segment

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// talk is what one walk over the messages gathers.
type talk struct {
	list     []said
	prose    strings.Builder
	names    lexis.Counter
	counts   map[string]int // sentences that hold a content word
	said     []string       // all words, in the singular, a break as ""
	dates    []string
	speakers []string
	from, to time.Time
	toks     []lexis.Token
}

// said is one sentence of somebody's.
type said struct {
	text     string
	who      string
	role     role
	at       int      // number of its message
	words    int      //
	keys     []string // content words in the singular, each once
	frame    []string // these and the verbs and other general words, without names, numbers and dates
	values   []string // names, numbers and dates
	asks     bool
	first    bool // speaks of I or we
	yours    bool // begins with you, or with small talk
	mends    bool // takes back something said before
	cue      bool // tells of a decision, a plan, a task, a change
	dated    bool
	obsolete bool
	used     bool
	score    float64
}

// cues are the base forms of the verbs of what is worth keeping.
var cues = lexis.Words(`decide agree choose pick plan launch ship release finish complete start move join sign hire book schedule migrate deploy replace fix
	switch adopt buy sell marry retire promise need must cancel postpone approve reject win lose live work prefer commit`)

// mendings begin or mark a sentence that corrects one before.
var mendings = []string{
	"actually", "correction", "i meant", "instead", "scratch that", "change of plan", "on second thought", "no longer", "changed my mind",
	"rather than", "not anymore", "i was wrong", "that was wrong", "my mistake", "i misspoke", "sorry, it", "sorry, i", "sorry, the", "to correct",
}

// asking words and helping verbs open a question that lacks its mark.
var (
	asking  = lexis.Words(`what when where who how why which whose`)
	helping = lexis.Words(`are is was were do does did can could would should will have has 're 's 'd`)
)

// read walks over the messages. What tools and systems say is left to the case that nobody else says anything.
func read(msgs []lukasa.Message, o Options) *talk {
	t := &talk{counts: map[string]int{}}
	t.from, t.to = Dates(msgs)
	spoken := false
	for _, m := range msgs {
		if r := roleOf(m); r != roleTool && r != roleSystem && strings.TrimSpace(m.Content) != "" {
			spoken = true
		}
	}
	dated := map[string]bool{}
	for i, m := range msgs {
		r := roleOf(m)
		if spoken && (r == roleTool || r == roleSystem) {
			continue
		}
		if m.Speaker != "" && !slices.Contains(t.speakers, m.Speaker) && len(t.speakers) < maxEntities {
			t.speakers = append(t.speakers, lexis.OneLine(clip(m.Speaker, maxTopic)))
		}
		body := m.Content
		if o.Plain != nil {
			body = o.Plain(m)
		}
		body = clip(strings.ToValidUTF8(body, "\ufffd"), maxProse)
		at, _ := when(m)
		for part := range prose(body) {
			t.prose.WriteString(strings.TrimSpace(part))
			t.prose.WriteString("\n\n")
			for sp := range text.Sentences(part) {
				if len(t.list) < maxSentences {
					t.sentence(part, sp, m, i, at, dated)
				}
			}
		}
	}
	return t
}

// sentence reads one sentence.
func (t *talk) sentence(s string, sp text.Span, m lukasa.Message, n int, at time.Time, dated map[string]bool) {
	t.toks = lexis.Lex(t.toks[:0], s, sp.Start, sp.End)
	toks := t.toks
	if len(toks) == 0 {
		return
	}
	x := said{who: whoOf(m), role: roleOf(m), at: n, text: shown(sp.Of(s))}
	low := strings.ToLower(x.text)
	x.asks = toks[len(toks)-1].Is("?") || len(toks) > 1 && asking[toks[0].Low] && helping[toks[1].Low]
	x.yours = toks[0].Is("you") || toks[0].Is("your") || chatter[toks[0].Low]
	x.mends = slices.ContainsFunc(mendings, func(c string) bool { return hasWords(low, c) })
	inside := make([]bool, len(toks))
	for _, name := range t.names.Add(s, toks) {
		x.values = append(x.values, strings.ToLower(lexis.PlainName(s, toks, name)))
		for i := name.From; i < name.To; i++ {
			inside[i] = true
		}
	}
	for _, mo := range lexis.FindDates(toks, at, lexis.Leaning(toks)) {
		iso := mo.ISO()
		x.dated = true
		x.values = append(x.values, iso)
		if !dated[iso] && len(t.dates) < maxDates {
			dated[iso] = true
			t.dates = append(t.dates, iso)
		}
		for i, tok := range toks {
			inside[i] = inside[i] || tok.Start >= mo.Start && tok.End <= mo.End
		}
	}
	for i, tok := range toks {
		if tok.Kind == lexis.Punct {
			t.said = append(t.said, "")
			continue
		}
		x.words++
		key := lexis.Singular(tok.Low)
		t.said = append(t.said, key)
		switch tok.Low {
		case "i", "my", "we", "our", "me", "us", "mine":
			x.first = true
		}
		if v, ok := lexis.Verbs[tok.Low]; ok {
			x.cue = x.cue || cues[v.Lemma]
		}
		switch {
		case inside[i]:
		case tok.Kind == lexis.Number:
			x.values = append(x.values, tok.Low)
		case tok.Kind != lexis.Word || len(tok.Low) < 3 || len(tok.Low) > 40 || lexis.Stops[tok.Low] || slices.Contains(x.frame, key):
		default:
			x.frame = append(x.frame, key)
			if content(tok) {
				x.keys = append(x.keys, key)
				t.counts[key]++
			}
		}
		if tok.Kind == lexis.Word && !tok.Upper {
			t.names.Small(tok.Low)
		}
	}
	t.said = append(t.said, "")
	t.list = append(t.list, x)
}

// content reports whether a word says what a sentence is about.
func content(t lexis.Token) bool {
	return t.Kind == lexis.Word && len(t.Low) > 2 && len(t.Low) < 40 && !lexis.Stops[t.Low] && !lexis.Plain[t.Low]
}

func whoOf(m lukasa.Message) string {
	if m.Speaker != "" {
		return lexis.OneLine(clip(m.Speaker, maxTopic))
	}
	_, label := heading(m)
	if label == "Unknown" {
		return ""
	}
	return label
}

// shown is a sentence on one line, without the marks of Markdown and lists.
func shown(s string) string {
	s = strings.TrimLeft(clip(s, 1<<10), " \t>#")
	for _, mark := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ "} {
		if t, ok := strings.CutPrefix(s, mark); ok {
			s = t
			break
		}
	}
	return lexis.OneLine(text.PlainMarkdown(s))
}

// hasWords reports whether low holds the phrase with no letter on either side.
func hasWords(low, phrase string) bool {
	for at := 0; ; {
		i := strings.Index(low[at:], phrase)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(phrase)
		if (i == 0 || !letter(low[i-1])) && (end == len(low) || !letter(low[end])) {
			return true
		}
		at = end
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 0x80 }

// Constants of the search for what was corrected.
const (
	lookBack = 48 // sentences that share a word and are looked at, newest first
	sameIs   = 0.75
)

// supersede marks what a later sentence corrects: the closest one before a sentence that says it corrects, and those
// that say the same of another name, number or date. What backs a memory that is not the latest word is marked too.
func (t *talk) supersede(memories []lukasa.Memory) {
	with := map[string][]int{}
	for j := range t.list {
		x := &t.list[j]
		if !x.asks {
			t.mend(j, with)
		}
		for _, k := range x.frame {
			with[k] = append(with[k], j)
		}
	}
	for _, m := range memories {
		if m.IsLatest {
			continue
		}
		for _, src := range m.Sources {
			quote := lexis.OneLine(src.Quote)
			for i := range t.list {
				if len(quote) > 8 && (strings.Contains(t.list[i].text, quote) || strings.Contains(quote, t.list[i].text)) {
					t.list[i].obsolete = true
				}
			}
		}
	}
}

// mend marks what sentence j corrects.
func (t *talk) mend(j int, with map[string][]int) {
	x := &t.list[j]
	if len(x.values) == 0 && !x.mends {
		return
	}
	shared := map[int]int{}
	for _, k := range x.frame {
		list := with[k]
		for _, i := range list[max(0, len(list)-lookBack):] {
			shared[i]++
		}
	}
	best, like := -1, 0.0
	for i, n := range shared {
		y := &t.list[i]
		if y.asks || y.obsolete || y.text == x.text {
			continue
		}
		share := float64(n) / float64(min(len(x.frame), len(y.frame)))
		if whole := float64(n) / float64(max(len(x.frame), len(y.frame))); n >= 2 && whole >= sameIs && y.who == x.who && differ(y.values, x.values) {
			y.obsolete = true
			continue
		}
		if x.mends && (share > like || share == like && i > best) {
			best, like = i, share
		}
	}
	if x.mends && best >= 0 && like >= 0.34 && (len(t.list[best].values) > 0 || len(x.values) == 0) {
		t.list[best].obsolete = true
	}
}

// differ reports whether a has a value, and none that b has not got instead.
func differ(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && len(a) == len(b) && slices.ContainsFunc(a, func(v string) bool { return !slices.Contains(b, v) })
}

// weigh scores the sentences: what they share with the rest, names, numbers and dates, and what tells of a decision or a
// change; less for questions, for what leans on the sentence before, for small talk and for assistants.
func (t *talk) weigh() {
	for i := range t.list {
		x := &t.list[i]
		sum := 0.0
		for _, k := range x.keys {
			sum += math.Log1p(float64(t.counts[k]))
		}
		x.score = sum/(math.Pow(float64(max(x.words, 6)), 0.6)+2) + 0.35*float64(min(len(x.values), 4))
		if x.dated {
			x.score += 0.2
		}
		if x.cue {
			x.score += 0.5
		}
		if x.mends {
			x.score += 0.4
		}
		switch {
		case x.asks:
			x.score *= 0.25
		case x.role == roleAssistant:
			x.score *= 0.75
		}
		if x.words < 5 || len(x.keys)+len(x.values) == 0 {
			x.score *= 0.2
		}
		if toks := strings.TrimSpace(x.text); strings.HasSuffix(toks, ":") {
			x.score *= 0.3
		}
		if x.words > maxSentenceWords {
			x.score *= 0.3
		}
		if leansBack(x.text) || x.yours && !x.first && !x.mends {
			x.score *= 0.7
		}
		if x.obsolete {
			x.score = 0
		}
	}
}

// leaning are words whose sentence needs the one before it.
var leaning = lexis.Words("this that these those it he she they such then yes no sure okay ok thanks great")

func leansBack(s string) bool {
	w, _, _ := strings.Cut(s, " ")
	return leaning[strings.ToLower(strings.TrimRight(w, ",.!'’s"))]
}
