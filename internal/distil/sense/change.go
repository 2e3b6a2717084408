package sense

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Telling is what a memory tells, as far as the model of changes looks at it: see [Tell] and [Replaced].
type Telling struct {
	kind                     lukasa.MemoryKind
	subject, predicate, slot string
	said                     time.Time
	words                    []string // what it speaks of: nouns, verbs and names, each once
	first                    string   // the first noun or name
	names                    []string
	amounts                  []amount
	days                     []string
	clocks                   []string
	marks                    []string // its shape: small words, verbs, and what the other words stand for
	verb                     string   // its first that tells something
	likes, not, ended, turns bool
}

// amount is a number with the word behind it.
type amount struct{ figure, unit string }

// turning are words that tell that something is otherwise than it was.
var turning = lexis.Words(`now instead moved moves moving pushed postponed delayed bumped shifted rescheduled changed changes change actually correction
	anymore not no new later earlier sooner brought swapped raised raise lowered upped dropped goes went up down again only longer back off cancelled
	canceled quit stopped gone sold switched switching switch rather turns turned make scrap scratch forget wrong mistake meant typo
	different becomes became replaced replacing replace extended cut reduced increased decided without never`)

// counted are things that are told apart by numbers.
var counted = lexis.Words("bed beds room no number line bus floor page chapter platform gate flat unit phase step part oven oven route week")

// Tell reads a memory that was said at a time.
func Tell(m *lukasa.Memory, said time.Time) Telling {
	t := Telling{kind: m.Kind, subject: strings.ToLower(m.Subject), slot: m.Slot, said: said}
	t.predicate, _ = m.Metadata["predicate"].(string)
	t.ended, _ = m.Metadata["ended"].(bool)
	s := m.Content
	if lead, rest, ok := strings.Cut(s, ": "); ok && (strings.Contains(lead, " says") || strings.Contains(lead, " asks")) {
		s = rest
	}
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(strings.TrimRight(s, "."), ")") {
		s = s[:i] // the day that was reckoned
	}
	toks := lexis.Lex(nil, s, 0, len(s))
	for _, d := range lexis.FindDates(toks, said, 1) {
		if iso := d.ISO(); len(iso) > 10 && iso[10] == 'T' {
			t.days, t.clocks = append(t.days, iso[:10]), append(t.clocks, iso[11:])
		} else {
			t.days = append(t.days, iso)
		}
		for i := range toks {
			if toks[i].Start >= d.Start && toks[i].End <= d.End {
				toks[i].Kind, toks[i].Low = lexis.Punct, "%date"
			}
		}
	}
	if len(t.days) == 0 && m.OccurredAt != nil {
		t.days = append(t.days, m.OccurredAt.Format(time.DateOnly))
	}
	for i, k := range toks {
		t.read(toks, i, k)
	}
	return t
}

func (t *Telling) read(toks []lexis.Token, i int, k lexis.Token) {
	word := func(w string) {
		if !slices.Contains(t.words, w) {
			t.words = append(t.words, w)
		}
	}
	t.turns = t.turns || turning[k.Low]
	t.not = t.not || k.Low == "not" || k.Low == "no" || k.Low == "never" || k.Low == "n't" || strings.HasSuffix(k.Low, "n't")
	t.likes = t.likes || k.Low == "like" || k.Low == "likes" || k.Low == "love" || k.Low == "loves"
	mark := k.Low
	switch {
	case k.Kind == lexis.Number:
		if i > 0 && names(toks[i-1], k) {
			word(toks[i-1].Low + " " + k.Low) // "Bed 14", "Pelican 3"
			break
		}
		if beside(toks, i) || strings.HasSuffix(k.Low, "th") {
			break // a part of a date
		}
		if strings.ContainsRune(k.Low, ':') {
			t.clocks = append(t.clocks, k.Low)
		} else {
			a := amount{figure: strings.TrimSuffix(k.Low, "."), unit: ""}
			if i+1 < len(toks) && toks[i+1].Kind == lexis.Word && !lexis.Stops[toks[i+1].Low] {
				a.unit = lexis.Singular(toks[i+1].Low)
			}
			t.amounts = append(t.amounts, a)
		}
		mark = numberShape(k.Low)
	case k.Kind != lexis.Word:
	case lexis.Verbs[k.Low].Known():
		mark = lexis.Verbs[k.Low].Lemma
		if t.verb == "" && !lexis.Stops[k.Low] {
			t.verb = mark
		}
		if !lexis.Stops[k.Low] && !lexis.Plain[k.Low] && !turning[k.Low] && !turning[mark] {
			word(mark)
		}
	case lexis.Stops[k.Low], lexis.Adverbs[k.Low], turning[k.Low], lexis.Plain[k.Low]:
	default:
		mark = "@word"
		w := lexis.Singular(k.Low)
		if k.Upper && !lexis.Common(k.Low) {
			mark = "@name"
			t.names = append(t.names, w)
		}
		if t.first == "" {
			t.first = w
		}
		word(w)
	}
	t.marks = append(t.marks, mark)
}

// names reports whether a number is a part of a name.
func names(before, number lexis.Token) bool {
	if before.Kind != lexis.Word {
		return false
	}
	return counted[before.Low] || before.Upper && !lexis.Stops[before.Low] && len(number.Low) == 1
}

// beside reports whether a date stands beside token i: "17 to 20 July".
func beside(toks []lexis.Token, i int) bool {
	is := func(j int) bool { return j >= 0 && j < len(toks) && toks[j].Low == "%date" }
	return is(i-1) || is(i+1) || is(i+2) && toks[i+1].Is("to")
}

// Turns reports whether it has a word that may say that something is otherwise than it was.
func (t *Telling) Turns() bool { return t.turns || t.ended }

// sureOfChange is how likely the model must find it that a telling takes the place of another.
const sureOfChange = 0.7

// Replaced tells which of the older tellings the newer one takes the place of: that of which m is surest, as far as it is sure enough, the last of
// them where several are alike; -1 when it is none.
func (m *Model) Replaced(older []Telling, newer *Telling) int {
	if m == nil {
		return -1
	}
	best, at := float32(sureOfChange), -1
	Rivals(older, newer, func(i int, b *Bag) {
		o := m.Weigh(b)
		if p := o.Something(); p >= best {
			best, at = p, i
		}
	})
	return at
}

// meeting is what an older telling and a newer one have in common.
type meeting struct {
	at                    int
	shared, rare, akin    int
	first                 bool
	subject, slot, differ string
	again                 string
}

// weight is how much it is.
func (c *meeting) weight() int {
	w := 2*c.shared + 2*c.rare + 2*c.akin
	if c.subject == "same" {
		w += 2
	}
	if strings.HasPrefix(c.slot, "same") {
		w += 4
	}
	if c.again != "" {
		w += 4
	}
	if c.differ != "-" {
		w += 2
	}
	return w
}

// meet compares two tellings; false when they have too little in common.
func meet(o, n *Telling) (c meeting, ok bool) {
	for _, w := range n.words {
		if !slices.Contains(o.words, w) {
			continue
		}
		c.shared++
		c.first = c.first || w == n.first || w == o.first
		if !lexis.Verbs[w].Known() {
			c.rare++
		}
	}
	c.subject, c.slot, c.differ = likeness(o.subject, n.subject), forms(o.slot, n.slot), values(o, n)
	c.akin, c.again = related(o, n), repeats(o, n)
	value := strings.Contains(c.differ, "day") || strings.Contains(c.differ, "clock") || strings.Contains(c.differ, "unit")
	if c.shared == 0 && c.akin == 0 && c.again == "" && !value && !strings.HasPrefix(c.slot, "same") {
		return c, false
	}
	return c, c.differ != "-" || n.not != o.not || n.ended || c.again != "" || c.subject == "same" && c.shared+c.akin > 0
}

// Rivals tells of each of the older tellings that the newer one may take the place of, in their order, what the model of changes looks at. The bag
// is good until the next call.
func Rivals(older []Telling, newer *Telling, each func(i int, b *Bag)) {
	if !newer.Turns() {
		return
	}
	var list []meeting
	for i := range older {
		if c, ok := meet(&older[i], newer); ok {
			c.at = i
			list = append(list, c)
		}
	}
	var b Bag
	for k := range list {
		c, better, later := &list[k], 0, 0 // how many have more in common with it, and how many as much and were said later
		for j := range list {
			if list[j].weight() > c.weight() {
				better++
			}
			if j > k && list[j].weight() >= c.weight() {
				later++
			}
		}
		b.Marks = b.Marks[:0]
		pair(&b, c, &older[c.at], newer)
		rank, last, recent := size(min(better, 4)), size(min(later, 4)), size(min((len(older)-c.at)/4, 8))
		b.Add("rank", rank)
		b.Add("rank", rank, c.differ)
		b.Add("rank", rank, last)
		b.Add("rank", rank, c.subject)
		b.Add("last", last, c.differ)
		b.Add("rivals", size(min(len(list), 12)/3), rank)
		b.Add("recent", recent)
		b.Add("recent", recent, c.differ, size(min(c.shared, 2)))
		each(c.at, &b)
	}
}

// pair fills b with what two tellings have in common and wherein they differ.
func pair(b *Bag, c *meeting, o, n *Telling) {
	first, subject, slot, differ, again, akin := c.first, c.subject, c.slot, c.differ, c.again, c.akin
	shared, rare := c.shared, c.rare
	few := size(min(shared, 3))
	b.Add("*")
	b.Add("shared", few, size(min(rare, 3)))
	b.Add("share", size(shared*6/max(1, min(len(o.words), len(n.words)))))
	b.Add("shared", few, subject)
	if first {
		b.Add("first", few)
	}
	b.Add("slot", slot)
	b.Add("kinds", string(o.kind), string(n.kind))
	b.Add("predicates", likeness(o.predicate, n.predicate))
	if o.predicate == n.predicate {
		b.Add("predicate", n.predicate)
	}
	topic := few
	if first {
		topic += "!"
	}
	b.Add("differ", differ)
	b.Add("differ", differ, topic)
	b.Add("differ", differ, subject)
	b.Add("akin", size(min(akin, 3)), few)
	b.Add("akin", size(min(akin, 3)), differ)
	if again != "" {
		b.Add("again", again, differ)
		b.Add("again", few, subject)
	}
	verb := "other"
	if o.verb == n.verb {
		verb = "same"
	}
	if n.verb == "" || o.verb == "" {
		verb = "none"
	}
	b.Add("verb", verb, differ)
	b.Add("verb", verb, subject, few)
	b.Add("verbs", o.verb, n.verb)
	cue := "still"
	if n.turns {
		cue = "turns"
	}
	b.Add(cue, differ, topic)
	b.Add(cue, differ, subject)
	b.Add(cue, slot)
	b.Add("since", gap(n.said.Sub(o.said)))
	b.Add("since", gap(n.said.Sub(o.said)), differ)
	prev := "^"
	for i, w := range n.marks {
		if slices.Index(n.marks, w) == i {
			b.Add("n", w)
			if turning[w] {
				b.Add("cue", w, differ)
				b.Add("cue", w, topic)
			}
		}
		b.Add("n2", prev, w)
		prev = w
	}
	if n.ended {
		b.Add("ended", few)
	}
	if n.not != o.not {
		b.Add("not", few)
		b.Add("not", few, subject)
	}
	if n.likes && o.likes && n.not != o.not {
		b.Add("likes", few)
	}
	b.Add("length", size(len(o.words)), size(len(n.words)))
}

// related counts the words of the newer one that are used as a word of the older one is.
func related(o, n *Telling) int {
	k := 0
	for _, w := range n.words {
		if slices.Contains(o.words, w) {
			continue
		}
		c, ok := classesOf(w)
		if !ok {
			continue
		}
		for _, v := range o.words {
			if d, ok := classesOf(v); ok && v != w && c[2] == d[2] {
				k++
				break
			}
		}
	}
	return k
}

// repeats tells of which of its values the newer one also names what the older one said: "the 20th instead of the 13th".
func repeats(o, n *Telling) string {
	out := ""
	both := func(a, b []string) bool {
		return slices.ContainsFunc(b, func(s string) bool { return slices.Contains(a, s) }) && slices.ContainsFunc(b, func(s string) bool { return !slices.Contains(a, s) })
	}
	if both(o.days, n.days) {
		out += "day "
	}
	if both(o.clocks, n.clocks) {
		out += "clock "
	}
	if both(o.names, n.names) {
		out += "name "
	}
	same, other := false, false
	for _, a := range n.amounts {
		hit := slices.ContainsFunc(o.amounts, func(c amount) bool { return c.figure == a.figure })
		same, other = same || hit, other || !hit
	}
	if same && other {
		out += "amount "
	}
	return out
}

// values tells which of the values that both give are others: days, times, amounts and names; "-" when none can be told to be.
func values(o, n *Telling) string {
	out := ""
	if disjoint(o.days, n.days) {
		out += "day "
	}
	if disjoint(o.clocks, n.clocks) {
		out += "clock "
	}
	if how := amounts(o.amounts, n.amounts); how != "" {
		out += how
	}
	if disjoint(o.names, n.names) {
		out += "name "
	}
	if out == "" {
		return "-"
	}
	return out
}

// amounts tells whether two lists have an amount of the same thing that is another; "" when they have none, or the same.
func amounts(older, newer []amount) string {
	how := ""
	for _, a := range newer {
		for _, c := range older {
			switch {
			case a.figure == c.figure:
				return ""
			case a.unit == c.unit && a.unit != "" && near(a.figure, c.figure):
				how = "unit "
			case (a.unit == "" || c.unit == "" || a.unit == c.unit) && near(a.figure, c.figure) && how == "":
				how = "amount "
			}
		}
	}
	return how
}

// near reports whether neither of two figures is more than three times the other.
func near(a, b string) bool {
	x, err := strconv.ParseFloat(figure(a), 64)
	y, err2 := strconv.ParseFloat(figure(b), 64)
	return err == nil && err2 == nil && x <= 3*y && y <= 3*x
}

func figure(s string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, s), ".")
}

func disjoint(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func likeness(a, b string) string {
	switch {
	case a == "" && b == "":
		return "neither"
	case a == "" || b == "":
		return "one"
	case a == b:
		return "same"
	case strings.Contains(a, b) || strings.Contains(b, a):
		return "part"
	}
	return "other"
}

func forms(a, b string) string {
	x, _, _ := strings.Cut(a, ":")
	y, _, _ := strings.Cut(b, ":")
	switch {
	case a == "" || b == "":
		return "-"
	case a == b:
		return "same " + x
	case x == y:
		return "form " + x
	}
	return "other"
}

func gap(d time.Duration) string {
	switch {
	case d > 30*24*time.Hour:
		return "months"
	case d > 3*24*time.Hour:
		return "days"
	case d > 2*time.Hour:
		return "hours"
	}
	return "at once"
}
