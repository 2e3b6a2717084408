package distil

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// topicCounter counts the words and pairs of words that a text may be about.
type topicCounter struct {
	words map[string]*topic
	pairs map[[2]string]*topic
	seen  int // content words so far
}

type topic struct {
	label string // the form met first; the singular when it occurs
	count int
	first int
	title bool
}

// add counts a sentence. Words inside the names of people and places are left to the entities.
func (c *topicCounter) add(toks []lexis.Token, found []lexis.Name, names *lexis.Counter) {
	if c.words == nil {
		c.words, c.pairs = map[string]*topic{}, map[[2]string]*topic{}
	}
	next := 0
	prev := ""
	for i := 0; i < len(toks); i++ {
		if next < len(found) && i >= found[next].From {
			n := found[next]
			next++
			if n.Type == lexis.EntityPerson || n.Type == lexis.EntityPlace || n.To-n.From > 1 {
				i, prev = n.To-1, ""
				continue
			}
		}
		t := toks[i]
		if t.Kind == lexis.Word && !t.Upper {
			names.Small(t.Low)
		}
		if !isTopicWord(t) {
			prev = ""
			continue
		}
		key := lexis.Singular(t.Low)
		c.seen++
		w := c.words[key]
		if w == nil {
			w = &topic{label: t.Low, first: c.seen}
			c.words[key] = w
		}
		w.count++
		if t.Low == key {
			w.label = key
		}
		if prev != "" && prev != key && len(c.pairs) < 1<<16 {
			pk := [2]string{prev, key}
			p := c.pairs[pk]
			if p == nil {
				p = &topic{first: c.seen}
				c.pairs[pk] = p
			}
			p.count++
			p.label = toks[i-1].Low + " " + t.Low
		}
		prev = key
	}
}

// isTopicWord reports whether a word may be a topic: no stop word, no general word, no adverb, three letters at least.
func isTopicWord(t lexis.Token) bool {
	if t.Kind != lexis.Word || len(t.Low) < 3 && !(t.Shout && len(t.Low) == 2) || len(t.Low) > 40 || lexis.Stops[t.Low] || lexis.Plain[t.Low] {
		return false
	}
	if strings.HasSuffix(t.Low, "ly") && len(t.Low) > 5 && t.Low != "family" && t.Low != "assembly" && t.Low != "supply" {
		return false
	}
	if strings.IndexByte(t.Low, '.') >= 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t.Low)
	return unicode.IsLetter(r) && (len(t.Low) < 24 || !strings.ContainsAny(t.Low, "_"))
}

// title marks the words of a title or heading.
func (c *topicCounter) title(title string) {
	if title == "" {
		return
	}
	if c.words == nil {
		c.words, c.pairs = map[string]*topic{}, map[[2]string]*topic{}
	}
	for _, t := range lexis.Lex(nil, title, 0, len(title)) {
		if isTopicWord(t) {
			key := lexis.Singular(t.Low)
			if w := c.words[key]; w != nil {
				w.title = true
			} else {
				c.words[key] = &topic{label: t.Low, count: 1, title: true, first: c.seen}
			}
		}
	}
}

// isPastForm reports whether a word looks like "moved": told, not talked about.
func isPastForm(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed")
}

type scored struct {
	label string
	score float64
	first int
}

// ranked returns the topics, best first: pairs that keep returning, then words. In a short text a word need not return.
func (c *topicCounter) ranked(entities []lexis.Entity, words int) []string {
	least := 2
	if words < 120 {
		least = 1
	}
	people := map[string]bool{}
	for _, e := range entities {
		if e.Type == lexis.EntityPerson || e.Type == lexis.EntityPlace {
			for w := range strings.FieldsSeq(strings.ToLower(e.Name)) {
				people[lexis.Singular(w)] = true
			}
		}
	}
	var list []scored
	covered := map[string]int{}
	for pk, p := range c.pairs {
		a, b := c.words[pk[0]], c.words[pk[1]]
		if p.count < 2 || a == nil || b == nil || people[pk[0]] || people[pk[1]] || p.count*3 < min(a.count, b.count)*2 {
			continue
		}
		list = append(list, scored{p.label, 1.6 * c.weight(a, pk[0]) * float64(p.count) / float64(a.count+1) * 1.5, p.first})
		covered[pk[0]] += p.count
		covered[pk[1]] += p.count
	}
	for key, w := range c.words {
		if people[key] || isPastForm(key) && w.count < 3 || w.count < least && !w.title || w.count-covered[key] < 1 && covered[key] > 0 {
			continue
		}
		list = append(list, scored{w.label, c.weight(w, key), w.first})
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.first, b.first), cmp.Compare(a.label, b.label))
	})
	limit := min(maxTopics, max(3, words/6))
	out := make([]string, 0, min(limit, len(list)))
	for _, t := range list {
		if len(out) == limit {
			break
		}
		out = append(out, t.label)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// weight scores a word: how often, how long, whether in a title; verb forms count less.
func (c *topicCounter) weight(w *topic, key string) float64 {
	f := float64(w.count) * (1 + 0.12*float64(min(len(key), 10)-3))
	if w.title {
		f *= 2.5
	}
	if strings.HasSuffix(key, "ing") || strings.HasSuffix(key, "ed") {
		f *= 0.5
	}
	if w.first <= c.seen/10 {
		f *= 1.2
	}
	return f
}

// tagsOf makes tags of the best topics.
func tagsOf(topics []string) []string {
	var out []string
	for _, t := range topics {
		tag := strings.ReplaceAll(strings.ToLower(t), " ", "-")
		if utf8.RuneCountInString(tag) > 32 || slices.Contains(out, tag) {
			continue
		}
		if out = append(out, tag); len(out) == maxTags {
			break
		}
	}
	return out
}
