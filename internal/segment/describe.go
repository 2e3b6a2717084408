package segment

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Description is what a stretch of a conversation is about.
type Description struct {
	Topic       string   // at most 80 characters, one line
	Overview    string   // two or three paragraphs
	KeyPoints   []string // what was decided, planned or stated, the latest word on each; with Overview at most Options.Words words
	Keywords    lukasa.Keywords
	Frequencies []Frequency // of entities and topics, most frequent first
}

// Summary is the overview with the key points as running text: what is embedded and shown first.
func (d Description) Summary() string {
	parts := []string{d.Overview}
	for _, k := range d.KeyPoints {
		parts = append(parts, sentenceOf(k))
	}
	return lexis.OneLine(strings.Join(parts, " "))
}

// Options of [Describe]. All may be left out.
type Options struct {
	// Words is the most that overview and key points have together; 0 means 200.
	Words int
	// Describe reads entities, topics and relationships out of prose; its dates are not used, as they are resolved here against
	// the time of each message. Without it names and frequent words have to do.
	Describe func(prose string, at time.Time) lukasa.Keywords
	// Plain returns what of a message is its own words, without what was put into it: recalled briefs above all. Without
	// it that is the content.
	Plain func(m lukasa.Message) string
	// Memories that were distilled from the stretch become key points where they are the latest word; the sentences behind those
	// that are not are passed over.
	Memories []lukasa.Memory
}

// Limits of a description.
const (
	maxTopic         = 80 // characters
	maxWords         = 200
	maxOverview      = 120 // of the words
	maxKeyPoints     = 6
	maxEntities      = 24
	maxTopics        = 12
	maxDates         = 16
	maxSentenceWords = 40       // a longer sentence is no candidate, unless there are only such
	maxProse         = 64 << 10 // bytes that are read of one message
	maxSentences     = 20_000   // that are read of a stretch
)

// Describe says what messages are about, without a model: an extractive summary made of what was stated by people and
// assistants (questions, tools and system prompts only where there is nothing else), in which a later correction takes the
// place of what it corrects, and text that tries to give a reader orders has none.
func Describe(msgs []lukasa.Message, o Options) Description {
	if o.Words <= 0 {
		o.Words = maxWords
	}
	t := read(msgs, o)
	t.supersede(o.Memories)
	t.weigh()
	var d Description
	d.Keywords = t.keywords(o)
	d.Frequencies = t.frequencies(d.Keywords)
	d.Topic = t.topic(d)
	budget := o.Words
	points, used := t.points(o, budget-min(maxOverview, budget*6/10))
	d.KeyPoints = points
	d.Overview = t.overview(d, budget-used)
	return d
}

// keywords fills the fields.
func (t *talk) keywords(o Options) lukasa.Keywords {
	var k lukasa.Keywords
	if o.Describe != nil {
		k = o.Describe(t.prose.String(), t.to)
	}
	named := t.names.Ranked()
	for _, e := range named {
		k.Entities = append(k.Entities, e.Name)
	}
	k.Entities = distinct(slices.Concat(t.speakers, k.Entities), maxEntities)
	if len(k.Topics) == 0 {
		k.Topics = t.common(named)
	}
	k.Entities = slices.DeleteFunc(k.Entities, smallTalk)
	k.Topics = distinct(slices.DeleteFunc(slices.Clone(k.Topics), smallTalk), maxTopics)
	k.Dates = t.dates
	return k
}

// chatter are words that people say to one another whatever they talk about.
var chatter = lexis.Words(`wow cool awesome haha hahaha lol glad fun love amazing sound sounds yeah yep nope yes ok okay oh ah hey hi hello bye thanks thank congrats
	congratulations welcome sure nice great good sorry please woah whoa gonna wanna ourselves themselves yourself favorite favourite exciting excited interesting
	inspiring impressive absolutely definitely totally honestly actually hmm lovely wonderful fantastic beautiful happy hope hear passionate moment moments gotcha
	hard tough kinda sorta pretty super stuff thing things lot lots way time today tomorrow yesterday feel feeling feelings`)

// smallTalk reports whether a keyword is made of such words only, or begins with one (Congrats Caroline).
func smallTalk(s string) bool {
	words := strings.Fields(strings.ToLower(s))
	return len(words) > 0 && (chatter[words[0]] && len(words) < 3 || !slices.ContainsFunc(words, func(w string) bool { return !chatter[w] }))
}

// distinct keeps the first n that differ without regard to case.
func distinct(list []string, n int) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		s = lexis.OneLine(s)
		low := strings.ToLower(s)
		if s == "" || seen[low] || utf8.RuneCountInString(s) > maxTopic {
			continue
		}
		if seen[low] = true; len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// common are the words that are said most, those of people's and places' names left out.
func (t *talk) common(named []lexis.Entity) []string {
	skip := map[string]bool{}
	for _, e := range named {
		for w := range strings.FieldsSeq(strings.ToLower(e.Name)) {
			skip[lexis.Singular(w)] = true
		}
	}
	least := 2
	if len(t.list) < 8 {
		least = 1
	}
	var list []Frequency
	for w, n := range t.counts {
		if n >= least && !skip[w] && len(w) > 3 {
			list = append(list, Frequency{w, n})
		}
	}
	sortFrequencies(list)
	var out []string
	for _, f := range list[:min(len(list), maxTopics)] {
		out = append(out, f.Keyword)
	}
	return out
}

func sortFrequencies(list []Frequency) {
	slices.SortFunc(list, func(a, b Frequency) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Keyword, b.Keyword)
	})
}

// frequencies counts how often entities and topics are said, plural and singular as one.
func (t *talk) frequencies(k lukasa.Keywords) []Frequency {
	want := map[string]int{} // the words of a keyword, joined by a space, to its place
	var list []Frequency
	longest := 1
	for _, w := range distinct(slices.Concat(k.Entities, k.Topics), maxEntities+maxTopics) {
		key, n := normal(w)
		if key == "" {
			continue
		}
		if _, ok := want[key]; !ok {
			want[key] = len(list)
			list = append(list, Frequency{Keyword: keyword(w)})
			longest = max(longest, min(n, 6))
		}
	}
	var window []string
	for _, word := range t.said {
		window = append(window, word)
		if len(window) > longest {
			window = window[1:]
		}
		key := ""
		for _, w := range slices.Backward(window) {
			if w == "" {
				break
			}
			key = strings.TrimSuffix(w+" "+key, " ")
			if at, ok := want[key]; ok {
				list[at].Count++
			}
		}
	}
	for i := range list { // a speaker who is never named was there all the same
		list[i].Count = max(list[i].Count, 1)
	}
	sortFrequencies(list)
	return list
}

// normal brings a keyword to the form in which words are counted, and counts its words.
func normal(s string) (string, int) {
	var words []string
	for _, tok := range lexis.Lex(nil, s, 0, len(s)) {
		if tok.Kind != lexis.Punct {
			words = append(words, lexis.Singular(tok.Low))
		}
	}
	return strings.Join(words, " "), len(words)
}

// topic names the stretch: its strongest topics and the entity that they are about, else its first question or words.
func (t *talk) topic(d Description) string {
	count := map[string]int{}
	for _, f := range d.Frequencies {
		count[f.Keyword] = f.Count
	}
	speaker := map[string]bool{}
	for _, s := range t.speakers {
		speaker[strings.ToLower(s)] = true
	}
	about := ""
	for _, e := range d.Keywords.Entities {
		low := strings.ToLower(e)
		if count[keyword(e)] > 1 && !speaker[low] && count[keyword(e)] > count[keyword(about)] {
			about = e
		}
	}
	if s := subject(d.Keywords.Topics, count, about, 3); s != "" {
		return s
	}
	for _, x := range t.list {
		if x.asks && x.words >= 4 && x.role != roleAssistant && len(x.keys)+len(x.values) > 0 {
			return clipTopic(title(strings.TrimRight(x.text, "?!.:;, ")))
		}
	}
	if s := subject(d.Keywords.Topics, count, about, 2); s != "" {
		return s
	}
	first := about
	for _, x := range t.list {
		if first == "" && x.words >= 3 {
			first = x.text
		}
	}
	if first == "" && len(t.list) > 0 {
		first = t.list[0].text
	}
	if first = strings.TrimRight(first, "?!.:;, "); first == "" {
		return "Conversation"
	}
	return clipTopic(title(first))
}

// subject joins the topics that were said so often at least, two at most, with the entity that they are about; "" when there are none.
func subject(topics []string, count map[string]int, about string, least int) string {
	head := ""
	for _, w := range topics {
		switch {
		case count[keyword(w)] < least || head != "" && sameWords(head, w):
		case head == "" || sameWords(w, head):
			head = w
		default:
			head += " and " + w
		}
		if strings.Contains(head, " and ") {
			break
		}
	}
	switch {
	case head == "":
		return ""
	case about != "" && !sameWords(head, about):
		return clipTopic(title(head) + " - " + about)
	}
	return clipTopic(title(head))
}

// sameWords reports whether every word of b, or its plural, is in a.
func sameWords(a, b string) bool {
	x, _ := normal(a)
	y, _ := normal(b)
	have := strings.Fields(x)
	for w := range strings.FieldsSeq(y) {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return y != ""
}

// title gives a text a capital.
func title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return strings.ToUpper(string(r)) + s[n:]
}

func clipTopic(s string) string {
	if utf8.RuneCountInString(s) <= maxTopic {
		return s
	}
	runes := []rune(s)[:maxTopic-1]
	cut := string(runes)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-") + "…"
}
