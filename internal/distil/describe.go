package distil

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Description is what a text says about itself.
type Description struct {
	Title    string // at most 80 characters, one line; the given title when there was one
	Summary  string // two or three sentences taken from the text, at most 200 words; fewer when the text has fewer
	Keywords lukasa.Keywords
	Tags     []string // at most 5, lower case, words joined by "-"
	Category string   // one of the Category constants
}

// The categories.
const (
	CategoryNote         = "note"         // short prose: anything that is none of the others
	CategoryArticle      = "article"      // long prose
	CategoryReference    = "reference"    // prose with many headings, tables, code or links: manuals, specifications, lists of links
	CategoryConversation = "conversation" // turns of named speakers
	CategoryMeeting      = "meeting"      // minutes and agendas
	CategoryTask         = "task"         // to-do lists
	CategoryRecipe       = "recipe"       // ingredients and steps
	CategoryEmail        = "email"        // headers, then a letter
	CategoryCode         = "code"
	CategoryData         = "data" // JSON, CSV and other records
)

// Limits of a description.
const (
	maxTitle         = 80  // characters
	maxSummary       = 200 // words
	maxEntities      = 24
	maxTopics        = 12
	maxDates         = 16
	maxRelationships = 12
	maxTags          = 5
	proseBytes       = 256 << 10 // of a longer text, names, dates and topics are taken from its start
)

// Describe describes a cleaned text. contentType is the extractor's word (text, markdown, html, code, json, csv, transcript) or a MIME type;
// relative dates are resolved against at, in its zone. It is deterministic and takes time linear in the text.
func Describe(s, title, contentType string, at time.Time) Description {
	s = strings.ToValidUTF8(s, "\uFFFD")
	title = lexis.OneLine(title)
	kind := normalType(contentType)
	var d Description
	done := false
	switch kind {
	case "json":
		done = describeJSON(&d, s, title, at)
	case "csv":
		done = describeCSV(&d, s, title)
	case "code":
		describeCode(&d, s, title)
		done = true
	}
	if !done {
		describeProse(&d, s, title, kind, at)
	}
	if title != "" {
		d.Title = title
	}
	d.Title = clipRunes(d.Title, maxTitle)
	d.Summary = clipWords(d.Summary, maxSummary)
	d.Tags = tagsOf(d.Keywords.Topics)
	return d
}

// normalType brings MIME types down to the extractors' words.
func normalType(t string) string {
	t, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(t)), ";")
	switch {
	case strings.HasSuffix(t, "json"):
		return "json"
	case strings.HasSuffix(t, "csv"), strings.HasSuffix(t, "tab-separated-values"):
		return "csv"
	case t == "code", strings.HasPrefix(t, "text/x-"), strings.HasSuffix(t, "javascript"):
		return "code"
	case strings.HasSuffix(t, "markdown"):
		return "markdown"
	case strings.HasSuffix(t, "html"):
		return "html"
	case t == "transcript":
		return t
	}
	return "text"
}

// prose is what one walk over a text's blocks gathers.
type prose struct {
	s         string
	at        time.Time
	heading   string // the first one
	level     int
	sentences []sentence
	names     lexis.Counter
	topics    topicCounter
	dates     []string
	dated     map[string]bool
	relations []string
	toks      []lexis.Token // of the sentence that is looked at
	lexed     []lexis.Token // of the sentences that are kept
	shape     shape
	speakers  []string
}

// shape counts what tells the categories apart.
type shape struct {
	words, headings, code, tables, items, boxes, links, turns int
	heads                                                     string // headings, lower case
}

// sentence is a candidate for the summary.
type sentence struct {
	text.Span
	words int
	item  bool
	toks  []lexis.Token // nil of those behind the first keptTokens
}

// keptTokens is how many tokens of sentences are kept for the summary; those of a longer text are made again.
const keptTokens = 1 << 13

func describeProse(d *Description, s, title, kind string, at time.Time) {
	p := prose{s: s, at: at, dated: map[string]bool{}}
	body := s
	if len(body) > proseBytes {
		body = lexis.CutRune(body, proseBytes)
	}
	p.s = text.BlankNoise(body)
	p.shape.turns, p.speakers = turnsOf(p.s)
	p.walk(p.s)
	if p.s != body { // a summary is chosen by all words of its sentences
		for i := range p.sentences {
			p.sentences[i].toks = nil
		}
	}
	p.s = s
	p.topics.title(title)
	p.topics.title(p.heading)
	entities := p.names.Ranked()
	topics := p.topics.ranked(entities, p.shape.words)
	d.Category = p.category(kind, len(s))
	d.Keywords = lukasa.Keywords{Entities: entityNames(entities), Topics: topics, Dates: p.dates, Relationships: p.relations}
	if d.Category == CategoryEmail {
		p.skipHeaders()
	}
	d.Title = p.title(d.Category)
	d.Summary = p.summary(d.Category)
}

// walk reads the blocks of the body once.
func (p *prose) walk(body string) {
	for b := range text.MarkdownBlocks(body) {
		switch b.Kind {
		case text.BlockCode:
			p.shape.code++
		case text.BlockFrontMatter:
		case text.BlockHeading:
			p.shape.headings++
			words := lexis.OneLine(text.PlainMarkdown(b.Text))
			if p.heading == "" || b.Level < p.level && p.shape.headings <= 3 {
				p.heading, p.level = words, b.Level
			}
			if len(p.shape.heads) < 4<<10 {
				p.shape.heads += strings.ToLower(words) + "\n"
			}
			p.topics.title(words)
			p.read(b.Span, false, false)
		case text.BlockTable:
			p.shape.tables++
			p.read(b.Span, false, false)
		case text.BlockItem:
			p.shape.items++
			if isBox(b.Of(body)) {
				p.shape.boxes++
			}
			p.read(b.Span, true, true)
		default:
			p.read(b.Span, true, false)
		}
	}
}

// isBox reports whether a list item begins with [ ] or [x].
func isBox(item string) bool {
	item = strings.TrimLeft(item, " \t-*+0123456789.)")
	return strings.HasPrefix(item, "[ ]") || strings.HasPrefix(item, "[x]") || strings.HasPrefix(item, "[X]")
}

// read takes words, names, dates and, where the block is prose, sentences from a block.
func (p *prose) read(block text.Span, isProse, item bool) {
	chunk := block.Of(p.s)
	for sp := range text.Sentences(chunk) {
		start, end := block.Start+sp.Start, block.Start+sp.End
		kept := len(p.lexed)
		p.lexed = lexis.Lex(p.lexed, p.s, start, end)
		p.toks = p.lexed[kept:len(p.lexed):len(p.lexed)]
		p.count(isProse)
		n := 0
		for _, t := range p.toks {
			if t.Kind != lexis.Punct {
				n++
			}
		}
		if !isProse || n == 0 {
			p.lexed = p.lexed[:kept]
			continue
		}
		sen := sentence{Span: text.Span{Start: start, End: end}, words: n, item: item}
		if len(p.lexed) <= keptTokens {
			sen.toks = p.toks
		} else {
			p.lexed = p.lexed[:kept]
		}
		p.sentences = append(p.sentences, sen)
	}
}

// count adds one sentence's tokens to the counters.
func (p *prose) count(isProse bool) {
	toks := p.toks
	for _, t := range toks {
		switch t.Kind {
		case lexis.Word:
			p.shape.words++
		case lexis.Link:
			p.shape.links++
		}
	}
	found := p.names.Add(p.s, toks)
	p.topics.add(toks, found, &p.names)
	if len(p.dates) < maxDates {
		for _, m := range lexis.FindDates(toks, p.at, lexis.Leaning(toks)) {
			if iso := m.ISO(); !p.dated[iso] && len(p.dates) < maxDates {
				p.dated[iso] = true
				p.dates = append(p.dates, iso)
			}
		}
	}
	if isProse && len(found) > 1 && len(p.relations) < maxRelationships {
		p.relate(found)
	}
}

// relate finds "A works at B" between neighbouring names of a sentence.
func (p *prose) relate(found []lexis.Name) {
	for i := 1; i < len(found) && len(p.relations) < maxRelationships; i++ {
		between := p.toks[found[i-1].To:found[i].From]
		if len(between) == 0 || len(between) > 5 {
			continue
		}
		for j := range between {
			label, ok := lexis.VerbsOfNames[between[j].Low]
			rest := between[j+1:]
			if j+1 < len(between) {
				if l, two := lexis.VerbsOfNames[between[j].Low+" "+between[j+1].Low]; two {
					label, ok, rest = l, true, between[j+2:]
				}
			}
			if !ok || !onlyArticles(rest) || hasNegation(between) {
				continue
			}
			rel := lexis.PlainName(p.s, p.toks, found[i-1]) + " " + label + " " + lexis.PlainName(p.s, p.toks, found[i])
			if !slices.Contains(p.relations, rel) {
				p.relations = append(p.relations, rel)
			}
			break
		}
	}
}

func onlyArticles(toks []lexis.Token) bool {
	for _, t := range toks {
		if !t.Is("the") && !t.Is("a") && !t.Is("an") && !t.Is("to") && !t.Is("at") {
			return false
		}
	}
	return true
}

func hasNegation(toks []lexis.Token) bool {
	for _, t := range toks {
		switch t.Low {
		case "not", "n't", "never", "no", ",", ";", "or", "would", "could", "might":
			return true
		}
	}
	return false
}

func entityNames(list []lexis.Entity) []string {
	var out []string
	for _, e := range list {
		if len(out) == maxEntities {
			break
		}
		if utf8.RuneCountInString(e.Name) <= maxTitle {
			out = append(out, e.Name)
		}
	}
	return out
}

// title is the first heading, else the first sentence or line that says something.
func (p *prose) title(category string) string {
	if p.heading != "" {
		return p.heading
	}
	if category == CategoryConversation && len(p.speakers) > 1 {
		return "Conversation between " + listing(p.speakers, 4)
	}
	if category == CategoryEmail {
		if subject := headerOf(p.s, "subject"); subject != "" {
			return subject
		}
	}
	for _, sen := range p.sentences {
		t := strings.Trim(lexis.OneLine(text.PlainMarkdown(stripMarker(lexis.Clip(sen.Of(p.s), 1<<10)))), " #*_-\"")
		if sen.words > 0 && t != "" {
			return strings.TrimRight(t, ".:;, ")
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(lexis.Clip(p.s, 1<<10)), "\n")
	return lexis.OneLine(line)
}

// skipHeaders leaves the headers of an e-mail out of its summary.
func (p *prose) skipHeaders() {
	end := strings.Index(p.s, "\n\n")
	if kept := slices.DeleteFunc(slices.Clone(p.sentences), func(sen sentence) bool { return sen.Start < end }); len(kept) > 0 {
		p.sentences = kept
	}
}

// headerOf returns the value of an e-mail header near the start of s.
func headerOf(s, key string) string {
	for i, line := range strings.SplitN(lexis.Clip(s, 4<<10), "\n", 24) {
		k, v, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(strings.TrimSpace(k), key) {
			return lexis.OneLine(v)
		}
		if i > 0 && strings.TrimSpace(line) == "" {
			break
		}
	}
	return ""
}

// stripMarker removes a list marker or box from the start of a line.
func stripMarker(s string) string {
	t := strings.TrimLeft(s, " \t>")
	if len(t) > 2 && (t[0] == '-' || t[0] == '*' || t[0] == '+') && t[1] == ' ' {
		t = strings.TrimLeft(t[2:], " ")
	} else if i := strings.IndexAny(t, ".)"); i > 0 && i < 4 && lexis.AllDigits(t[:i]) && i+1 < len(t) && t[i+1] == ' ' {
		t = strings.TrimLeft(t[i+1:], " ")
	}
	if isBox(t) && len(t) >= 3 {
		t = strings.TrimLeft(t[3:], " ")
	}
	return t
}

// clipRunes cuts s to n characters, at a word when one ends in the last third, with an ellipsis.
func clipRunes(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	cut, i := 0, 0
	for at := range s {
		if i == n-1 {
			cut = at
			break
		}
		i++
	}
	s = s[:cut]
	if sp := strings.LastIndexByte(s, ' '); sp > cut*2/3 {
		s = s[:sp]
	}
	return strings.TrimRight(s, " ,;:.-") + "…"
}

// clipWords cuts s to n words, with an ellipsis.
func clipWords(s string, n int) string {
	words := 0
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			words++
			if words == n {
				return strings.TrimRight(s[:i], " ,;:") + "…"
			}
		}
	}
	return s
}

// listing writes "a, b and c"; more than n end in "and 4 others".
func listing(list []string, n int) string {
	if len(list) == 0 {
		return ""
	}
	if len(list) == 1 {
		return list[0]
	}
	if len(list) > n {
		return strings.Join(list[:n], ", ") + " and " + plural(len(list)-n, "other")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
