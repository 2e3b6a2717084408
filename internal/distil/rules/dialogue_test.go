package rules_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// turn is a message of a dialogue file with what a careful reader would note of it. The notation stands at the head of testdata/dialogue.txt.
type turn struct {
	line     int
	talk     string // the conversation
	in       rules.Input
	want     []noted
	may      []noted
	entities []named
	why      string // why it makes no memory
}

// noted is an expected statement.
type noted struct {
	kinds, subjects []string
	predicate       string
	value           string
	from, to, at    string
	ended           bool
}

type named struct{ kind, name string }

func (n noted) String() string {
	s := strings.Join(n.kinds, "/") + " | " + strings.Join(n.subjects, "/") + " | " + n.predicate + " | " + n.value
	for _, d := range [][2]string{{"from", n.from}, {"to", n.to}, {"at", n.at}} {
		if d[1] != "" {
			s += " " + d[0] + "=" + d[1]
		}
	}
	if n.ended {
		s += " ended"
	}
	return s
}

func readDialogue(t *testing.T, path string) []turn {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("needs %s", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []turn
	talk := ""
	in := rules.Input{Role: "user", Origin: lukasa.OriginUser}
	for i, line := range strings.Split(string(data), "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		if line == "" || mark == "#" {
			continue
		}
		if mark == "##" {
			talk, in = rest, rules.Input{Role: "user", Origin: lukasa.OriginUser}
			continue
		}
		if mark == "@" {
			setTurn(t, &in, rest, i+1)
			continue
		}
		if mark == ">" {
			in.Text = strings.ReplaceAll(rest, `\n`, "\n")
			out = append(out, turn{line: i + 1, talk: talk, in: in})
			continue
		}
		if len(out) == 0 {
			t.Fatalf("%s:%d: %q before a message", path, i+1, line)
		}
		last := &out[len(out)-1]
		switch mark {
		case "=":
			last.want = append(last.want, readNoted(t, rest, path, i+1))
		case "?":
			last.may = append(last.may, readNoted(t, rest, path, i+1))
		case "~": // a value that another takes the place of
		case "&":
			for e := range strings.SplitSeq(rest, ";") {
				kind, name, _ := strings.Cut(strings.TrimSpace(e), " ")
				last.entities = append(last.entities, named{kind, name})
			}
		case "!":
			last.why = rest
		default:
			t.Fatalf("%s:%d: %q", path, i+1, line)
		}
	}
	return out
}

func setTurn(t *testing.T, in *rules.Input, fields string, line int) {
	t.Helper()
	for f := range strings.SplitSeq(fields, ";") {
		k, v, _ := strings.Cut(strings.TrimSpace(f), "=")
		switch k {
		case "speaker":
			in.Speaker = v
		case "role":
			in.Role = v
		case "origin":
			in.Origin = lukasa.Origin(v)
		case "time":
			at, err := time.Parse(time.RFC3339, v)
			if err != nil {
				at, err = time.Parse("2006-01-02T15:04Z07:00", v)
			}
			if err != nil {
				t.Fatalf("line %d: %v", line, err)
			}
			in.At = at
		}
	}
}

func readNoted(t *testing.T, s, path string, line int) noted {
	t.Helper()
	p := strings.Split(s, "|")
	if len(p) < 3 || len(p) > 5 {
		t.Fatalf("%s:%d: %q", path, line, s)
	}
	for len(p) < 5 {
		p = append(p, "")
	}
	for j := range p {
		p[j] = strings.TrimSpace(p[j])
	}
	n := noted{kinds: strings.Split(p[0], "/"), subjects: strings.Split(p[1], "/"), predicate: p[2], value: p[3]}
	for x := range strings.FieldsSeq(strings.ReplaceAll(p[4], ";", " ")) {
		k, v, _ := strings.Cut(x, "=")
		switch k {
		case "from":
			n.from = v
		case "to":
			n.to = v
		case "at":
			n.at = v
		case "ended":
			n.ended = true
		case "defining":
		default:
			t.Fatalf("%s:%d: extra %q", path, line, x)
		}
	}
	for _, k := range n.kinds {
		if !lukasa.MemoryKind(k).Valid() {
			t.Fatalf("%s:%d: kind %q", path, line, k)
		}
	}
	return n
}

// spoken are the names under which predicates of the files and of the rules are the same.
var spoken = map[string]string{
	"boyfriend": "partner", "girlfriend": "partner", "fiance": "partner", "born": "birthday", "born_in": "from", "cat": "pet", "dog": "pet",
	"has_pet": "pet", "phone": "phone_number",
	"located_in": "lives_in", "based_in": "lives_in", "studies_at": "studies_at", "neighbor": "neighbour", "manager": "boss",
	"best_friend": "friend", "drives": "owns", "lactose": "diet",
	"co-founder": "cofounder", "coworker": "colleague", "favourite_place": "favourite_cafe", "wants": "wants", "afraid_of": "dislikes",
	"avoids": "dislikes",
}

// exclusive predicates must be the same on both sides; what others are called is no matter.
var exclusive = strings.Fields("name lives_in from works_at studies_at likes dislikes birthday age partner husband wife sister brother mother father son daughter child pet boss friend colleague owns")

func samePredicate(want, got string) bool {
	if first, rest, two := strings.Cut(want, "/"); two {
		return samePredicate(first, got) || samePredicate(rest, got)
	}
	if s := spoken[want]; s != "" {
		want = s
	}
	if s := spoken[got]; s != "" {
		got = s
	}
	return want == got || want == "" || got == "" || !slices.Contains(exclusive, want) && !slices.Contains(exclusive, got)
}

// plain makes words comparable: small, without marks, numbers in digits, without plural.
func plain(s string) []string {
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	f := strings.FieldsFunc(strings.NewReplacer("won't",
		"will not", "can't", "can not", "n't", " not").Replace(s), func(r rune) bool { return strings.ContainsRune(" \n\t.,;:!?()[]\"“”/’'&@", r) })
	for i, w := range f {
		if n := lexis.SmallNumber(w); n > 12 {
			f[i] = fmt.Sprint(n)
		}
		for j, n := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve") {
			if w == n {
				f[i] = fmt.Sprint(j)
			}
		}
		switch w {
		case "am", "are", "m", "re":
			f[i] = "is"
		case "my", "our":
			f[i] = "their"
		case "i", "we":
			f[i] = "they"
		case "me", "us":
			f[i] = "them"
		case "doe", "does":
			f[i] = "do"
		case "have":
			f[i] = "has"
		default:
			f[i] = stem(f[i])
		}
	}
	return f
}

// stem takes plural, participle and silent endings off.
func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		w = w[:len(w)-1]
	}
	if len(w) > 5 {
		w = strings.TrimSuffix(w, "ing")
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// holds reports whether all words of part stand in whole.
func holds(whole, part string) bool {
	have := plain(whole)
	for _, w := range plain(part) {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// about reports whether a statement is about the noted subject: the same name, or a part of it.
func (n noted) about(st rules.Statement) bool {
	for _, s := range n.subjects {
		if owner, rel, ok := strings.Cut(s, "'s "); ok && lexis.Relations[rel] != "" {
			s = owner + "'s " + lexis.Relations[rel] // "Dan's gran" is "Dan's grandmother"
		}
		got := strings.TrimPrefix(st.Subject, "the ")
		switch {
		case s == "", strings.EqualFold(s, got), got != "" && holds(got, s) && !strings.Contains(got, "'s "), got != "" && holds(s, got):
			return true
		case got == "" && holds(st.Content, s):
			return true
		}
	}
	return false
}

// says reports whether the statement is the noted one, its kind and dates aside.
func (n noted) says(st rules.Statement) bool {
	if !n.about(st) || !samePredicate(n.predicate, st.Predicate) || n.predicate != "" && st.Predicate != "" && n.ended != st.Ended {
		return false
	}
	if strings.HasPrefix(n.predicate, "birthday") && st.Predicate == "birthday" {
		return sameDate(st, n.value)
	}
	if st.Predicate != "" && n.predicate != "" && slices.Contains(exclusive, strings.Split(n.predicate, "/")[0]) {
		return holds(st.Value, n.value) || holds(n.value, st.Value)
	}
	return holds(st.Content+" "+st.Value, n.value)
}

// sameDate reports whether a birthday in words, "May 19" or "3 November 2017", is that of the statement.
func sameDate(st rules.Statement, words string) bool {
	for _, layout := range []string{"January 2", "2 January", "January 2 2006", "2 January 2006", "2006-01-02"} {
		if d, err := time.Parse(layout, words); err == nil {
			return strings.HasSuffix(st.Value, d.Format("01-02")) && (d.Year() == 0 || strings.HasPrefix(st.Value, d.Format("2006")))
		}
	}
	return false
}

// kin reports whether the statement's kind is one of those noted. A plan is a task here and a fact with the predicate plans there.
func (n noted) kin(st rules.Statement) bool {
	return slices.Contains(n.kinds, string(st.Kind)) || n.predicate == "plans" && st.Kind == lukasa.KindTask
}

// within reports whether date got is date want, or a more exact one in it; for a day a stretch of a week that holds it will do ("two weeks ago").
func within(want, got string) bool {
	wf, wt, ok := interval(want)
	gf, gt, okGot := interval(got)
	if !ok || !okGot {
		return false
	}
	if !gf.Before(wf) && !gt.After(wt) {
		return true
	}
	return wt.Sub(wf) <= 25*time.Hour && gt.Sub(gf) <= 7*25*time.Hour && !wf.Before(gf) && !wt.After(gt) && gt.Sub(gf) > 25*time.Hour
}

func interval(s string) (from, to time.Time, ok bool) {
	if a, b, two := strings.Cut(s, "/"); two {
		f, _, ok1 := interval(a)
		_, t, ok2 := interval(b)
		return f, t, ok1 && ok2
	}
	var y, n int
	if c, _ := fmt.Sscanf(s, "%d-W%d", &y, &n); c == 2 && strings.Contains(s, "W") {
		f := time.Date(y, 1, 4, 0, 0, 0, 0, time.UTC)
		f = f.AddDate(0, 0, -(int(f.Weekday())+6)%7+7*(n-1))
		return f, f.AddDate(0, 0, 7), true
	}
	if c, _ := fmt.Sscanf(s, "%d-Q%d", &y, &n); c == 2 && strings.Contains(s, "Q") {
		f := time.Date(y, time.Month(3*n-2), 1, 0, 0, 0, 0, time.UTC)
		return f, f.AddDate(0, 3, 0), true
	}
	for _, l := range []struct {
		layout  string
		y, m, d int
	}{{"2006-01-02T15:04", 0, 0, 0}, {"2006-01-02", 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if f, err := time.Parse(l.layout, s); err == nil {
			if l.layout == "2006-01-02T15:04" {
				return f, f.Add(time.Minute), true
			}
			return f, f.AddDate(l.y, l.m, l.d), true
		}
	}
	return from, to, false
}

// dates compares the dates of a statement that was found: how many were noted, made and right.
func (n noted) dates(st rules.Statement) (noted, made, right int) {
	var got []string
	if st.When != nil {
		got = append(got, st.When.ISO())
	}
	if st.Until != nil {
		got = append(got, st.Until.ISO())
	}
	var want []string
	for _, d := range []string{n.from, n.at, n.to} {
		if d != "" {
			want = append(want, d)
		}
	}
	if len(got) == 0 && len(want) == 1 && !st.OccurredAt.IsZero() {
		got = append(got, st.OccurredAt.Format("2006-01-02")) // the day it was told
	}
	if len(want) == 0 && st.Predicate != "birthday" {
		return 0, len(got), 0
	}
	for _, w := range want {
		if slices.ContainsFunc(got, func(g string) bool { return within(w, g) }) {
			right++
		}
	}
	if st.Predicate == "birthday" && len(want) == 0 {
		return 0, 0, 0
	}
	return len(want), len(got), right
}

// besides counts the dates of a statement that are not the noted one's, but of another memory that was noted in the same message: "rent is due on the
// 1st, 480 each" is a price and a deadline.
func (n noted) besides(st rules.Statement, others []noted) (count int) {
	for _, m := range []*lexis.Moment{st.When, st.Until} {
		if m == nil || slices.ContainsFunc([]string{n.from, n.at, n.to}, func(d string) bool { return d != "" && within(d, m.ISO()) }) {
			continue
		}
		if slices.ContainsFunc(others, func(o noted) bool {
			return slices.ContainsFunc([]string{o.from, o.at, o.to}, func(d string) bool { return d != "" && within(d, m.ISO()) })
		}) {
			count++
		}
	}
	return count
}
