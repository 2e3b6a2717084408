package rules_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

// asking are the choices of one clause that is about a pronoun, with which of them a careful reader named.
type asking struct {
	choices []rules.Choice
	right   []bool
}

// askings are the clauses of a set that were noted, and say "she" or "his".
func askings(turns []turn) []asking {
	var out []asking
	var d rules.Dialogue
	talk := ""
	for _, tn := range turns {
		if tn.talk != talk {
			talk, d = tn.talk, rules.Dialogue{}
			d.Lose()
		}
		list := d.Candidates(tn.in)
		labels := align(tn, list)
		for j, c := range list {
			n := labels[j]
			if n == nil {
				k := slices.IndexFunc(tn.may, func(n noted) bool { return holds(c.Content+" "+c.Value, n.value) })
				if k < 0 {
					continue
				}
				n = &tn.may[k]
			}
			if len(c.Choices) == 0 {
				continue
			}
			a := asking{choices: c.Choices}
			for _, ch := range c.Choices {
				a.right = append(a.right, n.about(rules.Statement{Subject: ch.Name}))
			}
			if slices.Contains(a.right, true) || !holds(tn.in.Text[c.Start:c.End], n.subjects[0]) { // else the pronoun stands beside what is told
				out = append(out, a)
			}
		}
	}
	return out
}

// findExamples labels each choice.
func findExamples(list []asking, weight float32) []sense.Example {
	var out []sense.Example
	for _, a := range list {
		for i, ch := range a.choices {
			ex := sense.Example{Bag: ch.Bag, Weight: weight}
			if a.right[i] {
				ex.Target[sense.Fact] = 1
			} else {
				ex.Target[sense.Nothing] = 1
			}
			out = append(out, ex)
		}
	}
	return out
}

// findLessons are the choices of each set, as each of its readers saw them.
func findLessons(t *testing.T) map[string][]sense.Example {
	out := map[string][]sense.Example{}
	for _, file := range append(slices.Sorted(maps.Keys(taught)), changing...) {
		for _, set := range readings(t, file) {
			weight := float32(1)
			if w := taught[file]; w > 0 && w < 0.5 {
				weight = 0.5
			}
			out[file] = append(out[file], findExamples(askings(set), weight)...)
		}
	}
	return out
}

// findLesson are the choices of all sets but one.
func findLesson(lessons map[string][]sense.Example, without string) []sense.Example {
	var out []sense.Example
	for _, file := range slices.Sorted(maps.Keys(lessons)) {
		if file != without {
			out = append(out, lessons[file]...)
		}
	}
	return out
}

// TestFinder measures the model of subjects on writers that it has not learned from.
func TestFinder(t *testing.T) {
	if !*cross {
		t.Skip("needs -cross")
	}
	type score struct{ made, right int }
	var tallies [2][10]score
	var can, all [2]int
	lessons := findLessons(t)
	for _, file := range slices.Sorted(maps.Keys(taught)) {
		if !strings.HasPrefix(file, "talk-") || *only != "" && !strings.Contains(*only, file[5:]) {
			continue
		}
		m := trained(t, findLesson(lessons, file), findSettings)
		hasty := 0
		if file >= "talk-i" {
			hasty = 1
		}
		for _, a := range askings(readDialogue(t, "testdata/"+file+".txt")) {
			best, at := float32(-1), 0
			for i, ch := range a.choices {
				o := m.Weigh(&ch.Bag)
				if p := o.Something(); p > best {
					best, at = p, i
				}
			}
			all[hasty]++
			if slices.Contains(a.right, true) {
				can[hasty]++
			}
			for b := range tallies[hasty] {
				s := &tallies[hasty][b]
				if best < float32(b)/10 {
					continue
				}
				s.made++
				if a.right[at] {
					s.right++
				}
			}
		}
	}
	for h, who := range []string{"careful", "hasty"} {
		t.Logf("%s: %d clauses, %d of them about one of the choices", who, all[h], can[h])
		for b, s := range tallies[h] {
			t.Logf("  from .%d: %d chosen, %d right", b, s.made, s.right)
		}
	}
}
