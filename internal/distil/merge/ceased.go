package merge

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Ceases returns what a memory says that its subject does no more: "running", "playing the cello", "coffee". It is "" for other memories, and where only
// some of it is over: "stopped eating meat on Fridays".
func Ceases(m *lukasa.Memory) string {
	what := ""
	switch p := predicate(m); {
	case p == "stopped" || p == "gave_up":
		what = m.Value
	case p == "plays" && over(m):
		what = "play " + m.Value
	}
	if _, rest, found := strings.Cut(m.Content, m.Value); what == "working" || len(roots(m.Value)) == 0 || found && only[firstWord(rest)] {
		return ""
	}
	return what
}

// only are words behind which a part of something is named.
var only = lexis.Words("on with at before during to by near from")

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// Habit reports whether a memory tells what its subject does now and again.
func Habit(m *lukasa.Memory) bool {
	p := predicate(m)
	return (p == "habit" || p == "plays" || slices.Contains(m.Tags, "habit")) && !over(m) && Ceases(m) == ""
}

// ceased reports whether older tells of a habit that newer says to be over: "goes for a run on Tuesdays" and "stopped running", "drinks three coffees a
// day" and "gave up coffee".
func ceased(older, newer *lukasa.Memory) bool {
	what := Ceases(newer)
	if what == "" || !Habit(older) || !sameSubject(older.Subject, newer.Subject) {
		return false
	}
	have := roots(older.Content)
	for _, w := range roots(what) {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// roots are the words that say something, without their endings: run for running, coffee for coffees.
func roots(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(normal(s)) {
		switch v, is := lexis.Verbs[w]; {
		case lexis.Stops[w]:
		case is:
			out = append(out, v.Lemma)
		default:
			out = append(out, lexis.Singular(w))
		}
	}
	return out
}
