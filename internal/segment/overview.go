package segment

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
)

// points picks the key points, in the order in which they came up, and says how many words they take.
func (t *talk) points(o Options, budget int) (list []string, used int) {
	add := func(s string) bool {
		n := len(strings.Fields(s))
		if n == 0 || used+n > budget || len(list) == maxKeyPoints || slices.ContainsFunc(list, func(p string) bool { return repeats(p, s) }) {
			return false
		}
		list, used = append(list, s), used+n
		return true
	}
	for _, m := range keyMemories(o.Memories) {
		if bad, _ := lexis.Suspicious(m.Content); !bad {
			add(sentenceOf(lexis.OneLine(m.Content)))
		}
	}
	if len(list) > 0 {
		return list, used
	}
	var chosen []int
	for _, i := range t.order(func(x *said) bool { return x.keeps() }) {
		n := len(list)
		if t.pick(i, func(s string) bool { return add(s) }); len(list) > n {
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	list = list[:0]
	for _, i := range chosen {
		list = append(list, t.list[i].spoken())
	}
	return list, used
}

// keeps reports whether a sentence can stand as a key point: somebody's own statement, or one about something named.
func (x *said) keeps() bool {
	return x.cue && !x.asks && x.role != roleAssistant && x.words >= 4 && (!x.yours || x.mends) && (x.first || x.mends || len(x.values) > 0 || x.role == roleUser)
}

// keyMemories are the latest ones: what defines comes first, then tasks, facts and the rest, the surer ones before.
func keyMemories(all []lukasa.Memory) []lukasa.Memory {
	var out []lukasa.Memory
	for _, m := range all {
		if m.IsLatest && m.State == "" && m.Confidence >= 0.5 {
			out = append(out, m)
		}
	}
	class := func(m lukasa.Memory) int {
		switch {
		case m.Kind.Defining():
			return 0
		case m.Kind == lukasa.KindTask:
			return 1
		case m.Kind == lukasa.KindFact:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(out, func(a, b lukasa.Memory) int {
		return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(b.Confidence, a.Confidence))
	})
	return out
}

// order lists the sentences that fit, best first.
func (t *talk) order(fit func(*said) bool) []int {
	var list []int
	for i := range t.list {
		if x := &t.list[i]; !x.used && x.score > 0 && fit(x) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.list[b].score, t.list[a].score) })
	return list[:min(len(list), 400)]
}

// pick offers sentence i, unless it gives orders.
func (t *talk) pick(i int, offer func(string) bool) {
	x := &t.list[i]
	if bad, _ := lexis.Suspicious(x.text); !bad && offer(x.spoken()) {
		x.used = true
	}
}

// spoken is a sentence with its speaker where it says I or we.
func (x *said) spoken() string {
	s := sentenceOf(title(x.text))
	if x.first && x.who != "" {
		return x.who + ": " + s
	}
	return s
}

// sentenceOf gives a text a full stop.
func sentenceOf(s string) string {
	s = strings.TrimRight(s, " :;,-")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?)\"'") || s[len(s)-1] >= 0x80 {
		return s
	}
	return s + "."
}

// repeats reports whether two sentences say nearly the same.
func repeats(a, b string) bool {
	if merge.Similar(a, b) {
		return true
	}
	x, y := map[string]bool{}, 0
	for _, tok := range lexis.Lex(nil, a, 0, len(a)) {
		if content(tok) {
			x[lexis.Singular(tok.Low)] = true
		}
	}
	n := 0
	for _, tok := range lexis.Lex(nil, b, 0, len(b)) {
		if content(tok) {
			n++
			if x[lexis.Singular(tok.Low)] {
				y++
			}
		}
	}
	return n > 2 && y*10 > n*7
}

// overview writes who spoke, when and about what, then the sentences that say most, in order.
func (t *talk) overview(d Description, budget int) string {
	lead := t.lead(d)
	budget -= len(strings.Fields(lead))
	var chosen []int
	var texts []string
	for _, i := range t.order(func(x *said) bool { return !x.asks && x.words >= 4 }) {
		if len(chosen) == 6 {
			break
		}
		t.pick(i, func(s string) bool { return t.fits(s, d, &texts, &budget) })
		if t.list[i].used {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 && len(d.KeyPoints) == 0 {
		for _, i := range t.order(func(*said) bool { return true }) {
			if len(chosen) == 3 {
				break
			}
			t.pick(i, func(s string) bool { return t.fits(s, d, &texts, &budget) })
			if t.list[i].used {
				chosen = append(chosen, i)
			}
		}
	}
	slices.Sort(chosen)
	var body []string
	for _, i := range chosen {
		body = append(body, t.list[i].spoken())
	}
	paragraphs := []string{lead}
	if half := (len(body) + 1) / 2; len(body) > 3 {
		paragraphs = append(paragraphs, strings.Join(body[:half], " "), strings.Join(body[half:], " "))
	} else if len(body) > 0 {
		paragraphs = append(paragraphs, strings.Join(body, " "))
	}
	return strings.Join(paragraphs, "\n\n")
}

// fits takes a sentence of the overview into the budget.
func (t *talk) fits(s string, d Description, texts *[]string, budget *int) bool {
	n := len(strings.Fields(s))
	again := func(p string) bool { return repeats(p, s) }
	if n > *budget || slices.ContainsFunc(*texts, again) || slices.ContainsFunc(d.KeyPoints, again) {
		return false
	}
	*texts, *budget = append(*texts, s), *budget-n
	return true
}

// lead is the first sentence: "Conversation between Anna and Ben on 2026-01-11 about stripe webhook and retries."
func (t *talk) lead(d Description) string {
	var b strings.Builder
	b.WriteString("Conversation")
	switch people := t.speakers; {
	case len(people) == 1:
		b.WriteString(" with " + people[0])
	case len(people) > 1:
		b.WriteString(" between " + joined(people, 4))
	}
	if !t.from.IsZero() {
		from, to := t.from.UTC().Format(time.DateOnly), t.to.UTC().Format(time.DateOnly)
		if from == to {
			b.WriteString(" on " + from)
		} else {
			b.WriteString(" from " + from + " to " + to)
		}
	}
	var about []string
	for _, w := range slices.Concat(firstOf(d.Keywords.Topics, 3), firstOf(d.Keywords.Entities, len(t.speakers)+3)) {
		if !slices.Contains(t.speakers, w) && !slices.ContainsFunc(about, func(a string) bool { return sameWords(a, w) }) {
			about = append(about, w)
		}
	}
	if len(about) > 0 {
		b.WriteString(" about " + joined(about, 6))
	}
	b.WriteByte('.')
	words := strings.Fields(b.String())
	return strings.Join(words[:min(len(words), 50)], " ")
}

func firstOf(list []string, n int) []string { return list[:min(len(list), n)] }

// joined writes "a, b and c", at most n of them and then "others".
func joined(list []string, n int) string {
	if len(list) > n {
		return strings.Join(list[:n], ", ") + " and others"
	}
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
