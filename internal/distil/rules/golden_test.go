package rules_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// wednesday is the day on which the messages of these tests are written.
var wednesday = time.Date(2024, 3, 6, 15, 30, 0, 0, time.UTC)

// example is a message of a golden file with the statements expected of it.
type example struct {
	line int
	in   rules.Input
	want []expected
}

type expected struct {
	kind, subject, predicate, value string
	from, to, at                    string
	ended, defining                 bool
}

func readGolden(t *testing.T, path string) []example {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	fresh := func() rules.Input {
		return rules.Input{Speaker: "Ana", Role: "user", Origin: lukasa.OriginUser, At: wednesday}
	}
	in := fresh()
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "@ "):
			for f := range strings.FieldsSeq(line[2:]) {
				k, v, _ := strings.Cut(f, "=")
				switch k {
				case "speaker":
					in.Speaker = v
				case "role":
					in.Role = v
				case "origin":
					in.Origin = lukasa.Origin(v)
				}
			}
		case strings.HasPrefix(line, "> "):
			in.Text = strings.ReplaceAll(line[2:], `\n`, "\n")
			out = append(out, example{line: i + 1, in: in})
			in = fresh()
		case strings.HasPrefix(line, "= "):
			p := strings.Split(line[2:], "|")
			for len(p) < 5 {
				p = append(p, "")
			}
			for j := range p {
				p[j] = strings.TrimSpace(p[j])
			}
			e := expected{kind: p[0], subject: p[1], predicate: p[2], value: p[3]}
			for x := range strings.FieldsSeq(p[4]) {
				k, v, _ := strings.Cut(x, "=")
				switch k {
				case "from":
					e.from = v
				case "to":
					e.to = v
				case "at":
					e.at = v
				case "ended":
					e.ended = true
				case "defining":
					e.defining = true
				}
			}
			out[len(out)-1].want = append(out[len(out)-1].want, e)
		}
	}
	return out
}

// agrees reports whether a statement is the expected one, dates aside.
func (e expected) agrees(st rules.Statement) bool {
	if string(st.Kind) != e.kind || e.subject != "" && st.Subject != e.subject || st.Predicate != e.predicate || st.Ended != e.ended ||
		st.Defining != (e.defining || st.Kind.Defining()) {
		return false
	}
	if e.predicate != "" {
		return strings.EqualFold(st.Value, e.value)
	}
	return strings.Contains(strings.ToLower(st.Content), strings.ToLower(e.value))
}

// dated reports whether the statement has the expected dates.
func (e expected) dated(st rules.Statement) bool {
	when := ""
	if st.When != nil {
		when = st.When.ISO()
	}
	switch {
	case e.from != "" && e.to != "":
		return when == e.from && st.Until != nil && st.Until.ISO() == e.to && !st.ValidFrom.IsZero() && !st.ValidTo.IsZero()
	case e.from != "":
		return when == e.from && !st.ValidFrom.IsZero()
	case e.to != "":
		return when == e.to && !st.ValidTo.IsZero()
	case e.at != "":
		return when == e.at && !st.OccurredAt.IsZero()
	}
	return true
}

func (e expected) hasDate() bool { return e.from+e.to+e.at != "" }

// score is what a golden file comes to.
type score struct{ right, made, wanted, dates, datesRight int }

func (s score) precision() float64 { return float64(s.right) / float64(max(1, s.made)) }
func (s score) recall() float64    { return float64(s.right) / float64(max(1, s.wanted)) }
func (s score) dated() float64     { return float64(s.datesRight) / float64(max(1, s.dates)) }

func (s score) String() string {
	return fmt.Sprintf("precision %.3f (%d of %d), recall %.3f (%d of %d), dates %.3f (%d of %d)",
		s.precision(), s.right, s.made, s.recall(), s.right, s.wanted, s.dated(), s.datesRight, s.dates)
}

// judge runs the examples and compares. Every statement that no line expects counts against precision.
func judge(t *testing.T, list []example, verbose bool) score {
	t.Helper()
	var s score
	for _, ex := range list {
		got := rules.Extract(ex.in)
		used := make([]bool, len(got))
		s.made += len(got)
		s.wanted += len(ex.want)
		for _, want := range ex.want {
			hit := -1
			for i, st := range got {
				if !used[i] && want.agrees(st) {
					hit = i
					break
				}
			}
			if want.hasDate() && hit >= 0 {
				s.dates++
				if want.dated(got[hit]) {
					s.datesRight++
				} else if verbose {
					t.Logf("line %d: wrong date: %s\n\t%s", ex.line, ex.in.Text, describeStatement(got[hit]))
				}
			}
			if hit < 0 {
				if verbose {
					t.Logf("line %d: missing %+v: %s", ex.line, want, ex.in.Text)
				}
				continue
			}
			used[hit] = true
			s.right++
		}
		for i, st := range got {
			checkStatement(t, ex.in, st)
			if !used[i] && verbose {
				t.Logf("line %d: junk: %s\n\t%s", ex.line, ex.in.Text, describeStatement(st))
			}
		}
	}
	return s
}

func describeStatement(st rules.Statement) string {
	when := ""
	if st.When != nil {
		when = st.When.ISO()
	}
	return fmt.Sprintf("%s | %s | %s | %s | %q ended=%v when=%s", st.Kind, st.Subject, st.Predicate, st.Value, st.Content, st.Ended, when)
}

// checkStatement holds what is true of every statement.
func checkStatement(t *testing.T, in rules.Input, st rules.Statement) {
	t.Helper()
	lo, hi := st.Start-in.Base, st.End-in.Base
	if lo < 0 || hi > len(in.Text) || lo >= hi {
		t.Fatalf("span %d-%d of %q: %+v", lo, hi, in.Text, st)
	}
	if st.Confidence <= 0 || st.Confidence > 1 || !st.Kind.Valid() || st.Content == "" {
		t.Fatalf("bad statement of %q: %+v", in.Text, st)
	}
	if st.Defining != st.Kind.Defining() || st.Predicate != "" && st.Value == "" || st.Slot != "" && st.Predicate == "" &&
		!strings.HasPrefix(st.Slot, "when:") && !strings.HasPrefix(st.Slot, "amount:") && !st.Defining {
		t.Fatalf("bad statement of %q: %+v", in.Text, st)
	}
	if st.Defining && (st.ContextStart > st.Start || st.ContextEnd < st.End) {
		t.Fatalf("context %d-%d around %d-%d", st.ContextStart, st.ContextEnd, st.Start, st.End)
	}
	if !st.ValidTo.IsZero() && st.ValidTo.Before(st.ValidFrom) {
		t.Fatalf("valid from %v to %v", st.ValidFrom, st.ValidTo)
	}
}

func TestGolden(t *testing.T) { // D-3, D-5, T-5
	t.Parallel()
	list := readGolden(t, "testdata/golden.txt")
	if len(list) < 150 {
		t.Fatalf("only %d examples", len(list))
	}
	s := judge(t, list, testing.Verbose())
	t.Logf("golden: %d messages: %v", len(list), s)
	if s.precision() < 0.98 || s.recall() < 0.97 || s.dated() < 0.98 {
		t.Errorf("below the floors: %v", s)
	}
}

func TestHeldOut(t *testing.T) { // D-3, D-5: messages that the rules were not made for
	t.Parallel()
	list := readGolden(t, "testdata/heldout.txt")
	if len(list) < 100 {
		t.Fatalf("only %d examples", len(list))
	}
	s := judge(t, list, testing.Verbose())
	t.Logf("held out: %d messages: %v", len(list), s)
	if s.precision() < 0.92 || s.recall() < 0.9 || s.dated() < 0.95 {
		t.Errorf("below the floors: %v", s)
	}
}
