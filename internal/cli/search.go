package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

type searchCmd struct {
	Query     []string `arg:"" optional:"" help:"What to look for, in plain words; nothing lists the newest."`
	Container []string `short:"c" sep:"none" help:"Search only here: work (with all below it), work! (it alone) or work.* (its children); may be repeated." placeholder:"PATH"`
	Limit     int      `short:"n" default:"10" help:"How many results, 1 to 200." placeholder:"N"`
	Ranker    string   `help:"How to order: lukasa, weighted, cascade, vector, text or rrf."`
	Type      []string `help:"Only these: chunk, message, memory, document." placeholder:"TYPE"`
	Filter    string   `help:"Conditions as JSON, like '{\"tags\":[\"a\"],\"after\":\"2026-05-01\"}'." placeholder:"JSON"`
	Threshold float64  `help:"Least relevance, 0 to 1." placeholder:"X"`
	AsOf      string   `help:"What had been saved by then." placeholder:"TIME"`

	Narrow Narrow `embed:"" group:"Conditions:"`
}

func (c *searchCmd) query() (lukasa.Query, error) {
	q := lukasa.Query{Text: strings.Join(c.Query, " "), Limit: c.Limit, Ranker: c.Ranker, Threshold: c.Threshold}
	if c.Limit < 1 || c.Limit > 200 {
		return q, lukasa.Invalid("--limit", "is not between 1 and 200")
	}
	for _, t := range c.Type {
		q.Types = append(q.Types, lukasa.EntryType(t))
	}
	var err error
	if q.AsOf, err = Perhaps(Moment("--as-of", c.AsOf)); err != nil {
		return q, err
	}
	if q.Containers, err = Patterns(c.Container); err != nil {
		return q, err
	}
	if c.Filter != "" {
		var m map[string]any
		if err := json.Unmarshal([]byte(c.Filter), &m); err != nil {
			return q, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "--filter", Msg: "is not a JSON object", Err: err}
		}
		if q.Filter, err = client.ParseFilter(m); err != nil {
			return q, err
		}
	}
	return c.Narrow.Search(q)
}

// Run searches and prints the hits.
func (c *searchCmd) Run(a *app) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	return a.with(toRead, func(b backend) error {
		r, err := b.Search(a.ctx, q)
		if err != nil {
			return err
		}
		for _, word := range slices.Sorted(maps.Keys(r.Stats.Instead)) {
			a.note("lukasa: nothing has %q; looked for %s instead", word, strings.Join(r.Stats.Instead[word], ", "))
		}
		for _, m := range r.Meant {
			a.note("lukasa: %q is %s (%s)", m.Words, m.Name, m.Memory)
		}
		if r.Stats.Degraded != "" {
			a.note("lukasa: %s", r.Stats.Degraded)
		}
		if a.g.JSON {
			if r.Hits == nil {
				r.Hits = []lukasa.Hit{}
			}
			return a.printJSON(r)
		}
		if len(r.Hits) == 0 {
			a.note("%s", strings.TrimSuffix(r.Message+". "+r.Suggestion, ". "))
			return nil
		}
		words := terms(q.Text)
		for i, h := range r.Hits {
			if i > 0 {
				a.say("")
			}
			a.hit(i+1, h, words)
		}
		return nil
	})
}

// hit prints one result: rank, title, place and score, the day and the container, then the lines that matter.
func (a *app) hit(n int, h lukasa.Hit, words []string) {
	head := []string{a.tty.paint(bold, oneLine(titleOf(h), 70))}
	if at := a.placeOf(h); at != "" {
		head = append(head, at)
	}
	head = append(head, fmt.Sprintf("%.3f", h.Score))
	a.say("%d. %s", n, strings.Join(head, "  ·  "))
	about := []string{string(h.Path)}
	if at := h.When(); !at.IsZero() {
		about = []string{at.Local().Format(time.DateOnly), string(h.Path)}
	}
	if h.Document != nil {
		about = append(about, string(h.Document.ID))
	} else {
		about = append(about, string(h.ID))
	}
	if len(h.Tags) > 0 {
		about = append(about, "#"+strings.Join(h.Tags[:min(len(h.Tags), 5)], " #"))
	}
	a.say("   %s", a.tty.paint(dim, oneLine(strings.Join(about, "  ·  "), a.tty.width-3)))
	said := snippet(h.Content, words, 3*(a.tty.width-3)-10)
	if said == oneLine(titleOf(h), 70) {
		said = "" // the title is all that there is
	}
	for _, line := range wrap(said, a.tty.width-3) {
		a.say("   %s", a.mark(line, words))
	}
	for _, old := range h.Superseded {
		a.say("   %s", a.tty.paint(dim, oneLine("No longer so: "+old.Content, a.tty.width-3)))
		if old.By != nil {
			a.say("   %s", oneLine(old.By.String(), a.tty.width-3))
		}
	}
}

func titleOf(h lukasa.Hit) string {
	switch {
	case h.Message != nil && h.Message.Speaker != "":
		return h.Message.Speaker + " in " + cmp.Or(h.Message.Title, h.Message.Conversation)
	case h.Message != nil:
		return cmp.Or(h.Message.Title, h.Message.Conversation)
	case h.Memory != nil:
		return string(h.Memory.Kind)
	case h.Document != nil && h.Document.Title != "":
		return h.Document.Title
	}
	return string(h.Type)
}

// placeOf says where a hit stands: its file or address, with lines, as an editor or a terminal understands it.
func (a *app) placeOf(h lukasa.Hit) string {
	place, _ := h.Metadata["path"].(string)
	if place != "" {
		place = a.near(place)
	} else if h.Document != nil {
		place = h.Document.SourceURL
	}
	if h.Chunk != nil && h.Chunk.Lines[0] > 0 && h.Type == lukasa.EntryChunk {
		lines, word := fmt.Sprint(h.Chunk.Lines[0]), "line "
		if h.Chunk.Lines[1] > h.Chunk.Lines[0] {
			lines, word = fmt.Sprintf("%s-%d", lines, h.Chunk.Lines[1]), "lines "
		}
		if place == "" {
			return word + lines
		}
		place += ":" + lines
	}
	return plain(place)
}

// fillers are words that say nothing about what is looked for.
const fillers = " a an and are at be by can do does for from has have how i in is it my of on or that the this to up was what when where which who why with you "

// terms are the words of a query that are worth marking.
func terms(query string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(query), notWord) {
		if !strings.Contains(fillers, " "+w+" ") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// isTerm reports whether a word of a text is one of the terms, or begins as one does.
func isTerm(word string, words []string) bool {
	word = strings.ToLower(word)
	for _, w := range words {
		stem := []rune(w)
		if len(stem) > 5 {
			stem = stem[:len(stem)-2]
		}
		if word == w || len(stem) > 3 && strings.HasPrefix(word, string(stem)) {
			return true
		}
	}
	return false
}

// eachWord calls fn with the bounds of every word of s.
func eachWord(s string, fn func(start, end int) bool) {
	for i := 0; i < len(s); {
		start := i + strings.IndexFunc(s[i:], func(r rune) bool { return !notWord(r) })
		if start < i {
			return
		}
		end := len(s)
		if n := strings.IndexFunc(s[start:], notWord); n >= 0 {
			end = start + n
		}
		if !fn(start, end) {
			return
		}
		i = end
	}
}

// snippet is about n characters of the text from a little before its first term on, on one line.
func snippet(s string, words []string, n int) string {
	s = strings.Join(strings.Fields(plain(s)), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	first := 0
	eachWord(s, func(start, end int) bool {
		if isTerm(s[start:end], words) {
			first = start
			return false
		}
		return true
	})
	r := []rune(s)
	from := utf8.RuneCountInString(s[:first])
	from = max(0, min(from-n/4, len(r)-n))
	for from > 0 && from < len(r) && r[from-1] != ' ' { // at the start of a word
		from++
	}
	to := min(len(r), from+n)
	out := strings.TrimSpace(string(r[from:to]))
	if to < len(r) {
		if i := strings.LastIndexByte(out, ' '); i > 0 {
			out = out[:i]
		}
		out += " …"
	}
	if from > 0 {
		out = "… " + out
	}
	return out
}

// wrap breaks a text at blanks into lines of at most width characters; a longer word is cut.
func wrap(s string, width int) []string {
	var lines []string
	line, n := "", 0
	for word := range strings.FieldsSeq(s) {
		for utf8.RuneCountInString(word) > width {
			if n > 0 {
				lines, line, n = append(lines, line), "", 0
			}
			r := []rune(word)
			lines, word = append(lines, string(r[:width])), string(r[width:])
		}
		w := utf8.RuneCountInString(word)
		switch {
		case n == 0:
			line, n = word, w
		case n+1+w > width:
			lines, line, n = append(lines, line), word, w
		default:
			line, n = line+" "+word, n+1+w
		}
	}
	if n > 0 {
		lines = append(lines, line)
	}
	return lines
}

// mark paints the terms.
func (a *app) mark(s string, words []string) string {
	if !a.tty.color {
		return s
	}
	var b strings.Builder
	last := 0
	eachWord(s, func(start, end int) bool {
		if isTerm(s[start:end], words) {
			b.WriteString(s[last:start] + a.tty.paint(marked, s[start:end]))
			last = end
		}
		return true
	})
	return b.String() + s[last:]
}
