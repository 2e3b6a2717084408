package distil

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits of the summary.
const (
	summarySentences = 3
	summaryScored    = 1500 // sentences that are looked at
	sentenceWords    = 60   // a longer one is cut
)

// summary picks the two or three sentences that say most of what the text is about, in the order of the text.
func (p *prose) summary(category string) string {
	lead := ""
	want := summarySentences
	if category == CategoryConversation && len(p.speakers) > 1 {
		lead = "Conversation between " + listing(p.speakers, 4) + ". "
		want = 2
	}
	list := p.candidates()
	if len(list) == 0 {
		return strings.TrimSpace(lead + p.firstWords())
	}
	if len(list) > want {
		list = p.best(list, want)
	}
	var b strings.Builder
	b.WriteString(lead)
	budget := maxSummary - strings.Count(lead, " ")
	for i, sen := range list {
		t := p.shown(sen)
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(clipWords(t, min(sentenceWords, max(1, budget))))
		if budget -= strings.Count(t, " ") + 1; budget <= 0 {
			break
		}
	}
	return strings.TrimSpace(b.String())
}

// shown is a sentence as the summary prints it: one line, no marks, a full stop at its end.
func (p *prose) shown(sen sentence) string {
	t := lexis.OneLine(text.PlainMarkdown(stripMarker(lexis.Clip(sen.Of(p.s), 2<<10))))
	t = strings.TrimRight(t, " :;,-")
	if t == "" {
		return t
	}
	last := []rune(t[len(t)-1:])[0]
	if last < 0x80 && (unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')') {
		t += "."
	}
	return t
}

// candidates are the sentences that can stand in a summary: five words at least, unless nothing is that long.
func (p *prose) candidates() []sentence {
	var good, short []sentence
	for i, sen := range p.sentences {
		if i == summaryScored {
			break
		}
		if sen.words >= 5 {
			good = append(good, sen)
		} else {
			short = append(short, sen)
		}
	}
	if len(good) < 2 || len(good)+len(short) <= summarySentences {
		all := slices.Concat(good, short)
		slices.SortFunc(all, func(a, b sentence) int { return a.Start - b.Start })
		return all[:min(len(all), 4)]
	}
	return good
}

// firstWords is the start of a text that has no sentence.
func (p *prose) firstWords() string { return clipWords(lexis.OneLine(lexis.Clip(p.s, 600)), 40) }

// best returns the n best candidates in the order of the text. A sentence that repeats a chosen one is passed over.
func (p *prose) best(list []sentence, n int) []sentence {
	type pick struct {
		sentence
		score float64
		keys  []string
	}
	picks := make([]pick, len(list))
	for i, sen := range list {
		if p.toks = sen.toks; p.toks == nil {
			p.toks = lexis.Lex(nil, p.s, sen.Start, sen.End)
		}
		score, keys := p.score(sen, i, len(list))
		picks[i] = pick{sen, score, keys}
	}
	order := make([]int, len(picks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case picks[a].score > picks[b].score:
			return -1
		case picks[a].score < picks[b].score:
			return 1
		}
		return a - b
	})
	var chosen []pick
	for _, i := range order {
		if len(chosen) == n {
			break
		}
		if !slices.ContainsFunc(chosen, func(c pick) bool { return overlap(c.keys, picks[i].keys) > 0.6 }) {
			chosen = append(chosen, picks[i])
		}
	}
	slices.SortFunc(chosen, func(a, b pick) int { return a.Start - b.Start })
	out := make([]sentence, len(chosen))
	for i, c := range chosen {
		out[i] = c.sentence
	}
	return out
}

// score rates the sentence whose tokens are in p.toks: the weight of its topics against its length, a bonus for the
// beginning of the text, for names, numbers and dates; less for questions, for what leans on the sentence before, and for page furniture.
func (p *prose) score(sen sentence, i, n int) (float64, []string) {
	var sum float64
	var keys []string
	for _, t := range p.toks {
		if !isTopicWord(t) {
			if t.Kind == lexis.Number {
				sum += 0.8
			}
			continue
		}
		key := lexis.Singular(t.Low)
		if slices.Contains(keys, key) {
			continue
		}
		keys = append(keys, key)
		if w := p.topics.words[key]; w != nil {
			f := float64(min(w.count, 8))
			if w.title {
				f *= 1.6
			}
			sum += f
			if t.Upper && t.Start > sen.Start {
				sum++
			}
		}
	}
	length := float64(max(sen.words, 8))
	score := sum / (length*0.6 + 6)
	switch {
	case i == 0:
		score *= 1.8
	case i < 3 || i*10 < n:
		score *= 1.3
	}
	if sen.item {
		score *= 0.8
	}
	if sen.words > 45 {
		score *= 0.6
	}
	first := p.toks[0].Low
	if last := p.toks[len(p.toks)-1].Low; last == "?" || last == ":" {
		score *= 0.5
	}
	if leansBack[first] && i > 0 {
		score *= 0.6
	}
	if isFurniture(strings.ToLower(lexis.Clip(sen.Of(p.s), 400))) {
		score *= 0.1
	}
	return score, keys
}

// leansBack are words whose sentence needs the one before it.
var leansBack = lexis.Words("this that these those it he she they such however but and or so also therefore thus then yes no otherwise")

// furniture are phrases of pages, not of their content.
var furniture = []string{
	"cookie", "click here", "subscribe", "sign up", "log in", "all rights reserved", "privacy policy", "terms of service", "share this", "read more",
	"copyright", "newsletter", "skip to content", "table of contents",
}

func isFurniture(low string) bool {
	return slices.ContainsFunc(furniture, func(f string) bool { return strings.Contains(low, f) })
}

// overlap is the share of the shorter list that both have.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	return float64(both) / float64(min(len(a), len(b)))
}

// plural writes "1 row", "3 rows".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return text.Thousands(n) + " " + what + "s"
}
