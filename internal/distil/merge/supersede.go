package merge

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Keys of a memory's metadata that this package reads.
const (
	// KeySaidAt holds when the evidence was written, RFC 3339, where that is not when the memory was recorded.
	KeySaidAt = lexis.KeySaidAt
	// KeyPredicate holds what the memory says of its subject: lives_in, works_at, sister.
	KeyPredicate = "predicate"
	// KeyEnded holds true for a memory that says that something is over: "no longer works at Acme".
	KeyEnded = "ended"
	// KeyCorrects holds the value that the memory's own text calls wrong: "Lyon, not Paris".
	KeyCorrects = "corrects"
	// KeyAmends holds the content of the memory whose date this one puts right.
	KeyAmends = "amends"
	// KeyEnds holds a person with whom the subject is no couple any more.
	KeyEnds = "ends"
	// KeyChanged holds true for a memory that says that what its slot names is otherwise than before: "the party is on the 19th now".
	KeyChanged = "changed"
	// KeyShared holds true for what was said of "we": another of those who speak together may change it.
	KeyShared = "shared"
	// KeyFound holds true in the metadata of an edge that [Additions] found.
	KeyFound = "found"
)

// The reasons that [Supersedes] gives.
const (
	ReasonValue   = "a newer value of the same slot"
	ReasonEnded   = "said to be over"
	ReasonCorrect = "corrected"
	ReasonOpinion = "a change of mind"
	ReasonDate    = "moved to another time"
	ReasonVersion = "a newer version"
	ReasonTraded  = "replaced by name"
	ReasonChanged = "said to have changed"
	ReasonDecided = "decided otherwise"
)

// SaidAt is when a memory's evidence was written: its metadata's said_at, else when it was recorded.
func SaidAt(m *lukasa.Memory) time.Time {
	if t, ok := lexis.SaidAt(m.Metadata); ok {
		return t
	}
	return m.RecordedAt
}

// Supersedes reports whether newer takes the place of older, and why. Both must be about the same subject and the same slot, newer must rest on newer
// evidence and say another value, or that the older is over. What is no more than a guess (confidence below .5), quarantined,
// archived, forgotten, added without a slot, or said of a predicate that has many values at a time never takes a place, and neither does a fact of
// a time that was over
// before the older one began to hold. No memory supersedes itself, and no two supersede each other.
func Supersedes(older, newer lukasa.Memory) (bool, string) {
	if older.State != "" || newer.State != "" || !May(&older, &newer) || newer.Confidence < 0.5 || newer.Confidence < older.Confidence/2 {
		return false, ""
	}
	if turned(&older, &newer) {
		return true, ReasonChanged
	}
	if reverses(&newer, &older) {
		return true, ReasonDecided
	}
	if ceased(&older, &newer) {
		return true, ReasonEnded
	}
	if !sameSubject(older.Subject, newer.Subject) && !shared(&older, &newer) || open(&older) || open(&newer) {
		return false, ""
	}
	if over(&older) && !over(&newer) && !sameSlot(&older, &newer) {
		return false, ""
	}
	return judge(&older, &newer)
}

// May reports whether newer could take the place of older, whatever the two say: newer rests on newer evidence, and is trusted no less.
func May(older, newer *lukasa.Memory) bool {
	return (older.ID == "" || older.ID != newer.ID) && SaidAt(newer).After(SaidAt(older)) && !lessTrusted(newer.Origin, older.Origin)
}

// judge looks at what the two say.
func judge(older, newer *lukasa.Memory) (bool, string) {
	same := equalValue(older, newer)
	switch {
	case opinion(older) != "" && opinion(older) == opinion(newer):
		if predicate(older) == predicate(newer) && over(older) == over(newer) {
			return false, ""
		}
		return true, ReasonOpinion
	case newer.Metadata[KeyAmends] != nil && newer.Metadata[KeyAmends] == older.Content:
		return true, ReasonDate
	case corrects(newer, older):
		return true, ReasonCorrect
	case parts(newer, older):
		return true, ReasonEnded
	case trades(newer, older):
		return true, ReasonTraded
	case over(newer):
		if over(older) || !sameSlot(older, newer) && (bond(older) == "" || bond(older) != bond(newer)) || !same && newer.Value != "" {
			return false, ""
		}
		return true, ReasonEnded
	case !sameSlot(older, newer):
		return false, ""
	case over(older):
		return false, "" // it is no longer so already: history, not a contradiction
	case same && isDate(older) && moved(older, newer):
		return true, ReasonDate
	case same || refines(older.Value, newer.Value):
		return false, ""
	case past(older, newer):
		return false, ""
	case isDate(older):
		return true, ReasonDate
	case strings.HasPrefix(newer.Slot, "uses:"):
		return true, ReasonVersion
	}
	return true, ReasonValue
}

// Extends reports whether newer only says more exactly what older says: the same subject and slot, newer evidence that is trusted no less, and the value of
// older with words added, "Lyon" and "Lyon, France". Both stand. What is a guess, over, put aside or no longer in force extends nothing, and nothing extends it.
func Extends(older, newer *lukasa.Memory) bool {
	return older.State == "" && newer.State == "" && May(older, newer) && older.IsLatest && newer.IsLatest && newer.Confidence >= 0.5 && older.Slot != "" && older.Slot == newer.Slot &&
		sameSubject(older.Subject, newer.Subject) && predicate(older) == predicate(newer) && !open(newer) && !over(older) && !over(newer) &&
		refines(older.Value, newer.Value) && len(strings.Fields(normal(newer.Value))) > len(strings.Fields(normal(older.Value)))
}

// Agree reports whether two memories of one slot can both be true: they say the same value, or one of them more exactly.
func Agree(a, b *lukasa.Memory) bool { return equalValue(a, b) || refines(a.Value, b.Value) }

// Additions are the edges that say which of others a memory extends, and which of them extend it.
func Additions(m *lukasa.Memory, others []lukasa.Memory) []lukasa.Edge {
	var out []lukasa.Edge
	add := func(newer, older *lukasa.Memory) {
		if Extends(older, newer) {
			out = append(out, lukasa.Edge{
				From: string(newer.ID), To: string(older.ID), Type: lukasa.EdgeExtends, Weight: 1, Confidence: min(newer.Confidence, older.Confidence),
				Metadata: map[string]any{KeyFound: true},
			})
		}
	}
	for i := range others {
		add(m, &others[i])
		add(&others[i], m)
	}
	return out
}

// open reports whether a memory has no predicate and a slot that no more than its words name: it gives way only to what says that there is a change.
func open(m *lukasa.Memory) bool {
	_, changed := m.Metadata[KeyChanged].(bool)
	return changed || strings.HasPrefix(m.Slot, "amount:")
}

// turned reports whether newer says that the time or the number that older tells of one thing is another now, or names what older says as what is
// so no more.
func turned(older, newer *lukasa.Memory) bool {
	if over(older) || older.Subject != "" && newer.Subject != "" && !sameSubject(older.Subject, newer.Subject) {
		return false
	}
	if wrong, _ := newer.Metadata[KeyCorrects].(string); wrong != "" && newer.Value != wrong && predicate(older) == "" && holdsWords(older.Content, wrong) {
		return older.Slot != "" && older.Slot == newer.Slot || kin(older.Content, newer.Content, wrong)
	}
	changed, _ := newer.Metadata[KeyChanged].(bool)
	if !changed || older.Slot == "" || older.Slot != newer.Slot || normal(older.Subject) != normal(newer.Subject) {
		return false
	}
	if strings.HasPrefix(newer.Slot, "amount:") {
		return older.Value != newer.Value && comparable(older.Value, newer.Value)
	}
	return strings.HasPrefix(newer.Slot, "when:") && moved(older, newer)
}

// comparable reports whether two numbers are near enough to be the same one before and after: neither is three times the other.
func comparable(a, b string) bool {
	x, err := strconv.ParseFloat(number(a), 64)
	y, err2 := strconv.ParseFloat(number(b), 64)
	return err == nil && err2 == nil && x < 3*y && y < 3*x
}

// number is the figure in a word: 4200 of "4,200€", 45 of "45k".
func number(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, s)
}

// holdsWords reports whether all words of part stand in whole.
func holdsWords(whole, part string) bool {
	have := strings.Fields(normal(whole))
	for w := range strings.FieldsSeq(normal(part)) {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return part != ""
}

// kin reports whether two contents share a word that is not in what is left aside: a noun, a name, or a verb that says something.
func kin(a, b, aside string) bool {
	have, not := strings.Fields(normal(a)), strings.Fields(normal(aside))
	for w := range strings.FieldsSeq(normal(b)) {
		if len(w) > 3 && !lexis.Stops[w] && !lexis.Plain[w] && !lexis.Adverbs[w] && w != "says" && !slices.Contains(not, w) && slices.Contains(have, w) {
			return true
		}
	}
	return false
}

// predicate is what a memory says of its subject; "" when it is not known.
func predicate(m *lukasa.Memory) string {
	p, _ := m.Metadata[KeyPredicate].(string)
	if p == "" && !strings.Contains(m.Slot, ":") {
		p = m.Slot
	}
	return p
}

// bond is a memory's predicate; those of couples are one, so that "we broke up" ends "my girlfriend".
func bond(m *lukasa.Memory) string {
	switch p := predicate(m); p {
	case "girlfriend", "boyfriend", "partner", "fiance", "spouse", "wife", "husband":
		return "partner"
	default:
		return p
	}
}

// over reports whether a memory says that something has ended.
func over(m *lukasa.Memory) bool {
	ended, _ := m.Metadata[KeyEnded].(bool)
	return ended
}

// corrects reports whether newer's own text calls older's value wrong.
func corrects(newer, older *lukasa.Memory) bool {
	wrong, _ := newer.Metadata[KeyCorrects].(string)
	return wrong != "" && sameSlot(older, newer) && strings.EqualFold(strings.TrimSpace(wrong), strings.TrimSpace(older.Value))
}

// parts reports whether newer tells that a couple is one no more, and older that they are.
func parts(newer, older *lukasa.Memory) bool {
	who, _ := newer.Metadata[KeyEnds].(string)
	return who != "" && !over(older) && bond(older) == "partner" && Alias(who, older.Value)
}

// shared reports whether both are said of "we", of something that those who speak together have one of, or have no more.
func shared(a, b *lukasa.Memory) bool {
	_, trade := b.Metadata[KeyCorrects].(string)
	return both(a, b) && (trade || over(b) && predicate(a) == "uses" || a.Slot == b.Slot && (strings.HasPrefix(a.Slot, "uses:") || strings.HasPrefix(a.Slot, "when:")))
}

// trades reports whether newer names what it takes the place of, "we go with PostgreSQL, not SQLite", and older says that it is in use.
func trades(newer, older *lukasa.Memory) bool {
	wrong, _ := newer.Metadata[KeyCorrects].(string)
	return wrong != "" && !over(older) && predicate(older) == "uses" && normal(wrong) == normal(older.Value)
}

// places are slots that tell where somebody is: a new home ends the old whereabouts too.
var places = []string{"lives_in", "located_in"}

func sameSlot(a, b *lukasa.Memory) bool {
	if a.Slot == "" || b.Slot == "" {
		return false
	}
	if a.Slot == b.Slot {
		return true
	}
	return b.Slot == places[0] && slices.Contains(places, a.Slot)
}

// opinion is what a like or dislike is about, in a form to compare.
func opinion(m *lukasa.Memory) string {
	what, ok := strings.CutPrefix(m.Slot, "opinion:")
	if !ok {
		return ""
	}
	return normal(what)
}

// isDate reports whether a slot holds when something takes place.
func isDate(m *lukasa.Memory) bool {
	return strings.HasPrefix(m.Slot, "when:") || strings.HasSuffix(m.Slot, "_date") || m.Slot == "deadline"
}

// moved reports whether the time differs though the value does not.
func moved(older, newer *lukasa.Memory) bool {
	return older.OccurredAt != nil && newer.OccurredAt != nil && !older.OccurredAt.Equal(*newer.OccurredAt)
}

// past reports whether newer speaks of a time that was over before older's began.
func past(older, newer *lukasa.Memory) bool {
	if newer.ValidTo != nil && older.ValidFrom != nil && !newer.ValidTo.After(*older.ValidFrom) {
		return true
	}
	return newer.ValidFrom != nil && older.ValidFrom != nil && newer.ValidFrom.Before(*older.ValidFrom) && newer.ValidTo != nil
}

// equalValue reports whether both say the same value; memories that have none are compared by what they say.
func equalValue(a, b *lukasa.Memory) bool {
	if a.Value == "" || b.Value == "" {
		return a.Value == b.Value && Similar(a.Content, b.Content)
	}
	return normal(a.Value) == normal(b.Value)
}

// refines reports whether one value only says the other more or less exactly: Lyon and Lyon, France; engineer and software engineer.
func refines(a, b string) bool {
	x, y := strings.Fields(normal(a)), strings.Fields(normal(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 || len(x) == len(y) {
		return false
	}
	if lexis.AllDigits(strings.Join(x, "")) {
		return false
	}
	return slices.Equal(x, y[:len(x)]) || slices.Equal(x, y[len(y)-len(x):])
}

// normal is a value without case, marks, articles and double spaces.
func normal(s string) string {
	f := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t\n,;.!?\"'()’“”", r) })
	for len(f) > 1 && (f[0] == "a" || f[0] == "an" || f[0] == "the" || f[0] == "my" || f[0] == "our") {
		f = f[1:]
	}
	return strings.Join(f, " ")
}

// sameSubject reports whether two subjects are one: the same name but for case. Short and full names are made one before, by [Aliases].
func sameSubject(a, b string) bool {
	a, b = normal(a), normal(b)
	return a == b && a != ""
}

// trustOf ranks origins, most trusted first.
var trustOf = map[lukasa.Origin]int{
	lukasa.OriginUser: 0, "": 0, lukasa.OriginImport: 1, lukasa.OriginAgent: 1, lukasa.OriginTool: 2,
	lukasa.OriginWeb: 2, lukasa.OriginFile: 1,
}

// lessTrusted reports whether what origin a says may not retire what origin b has said.
func lessTrusted(a, b lukasa.Origin) bool { return trustOf[a] > trustOf[b] }
