package rules_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

var (
	train = flag.Bool("train", false, "train the model of package sense anew and write it")
	only  = flag.String("only", "", "the last letters of the talks that are measured, \"abc\"; all when empty")
	cross = flag.Bool("cross", false, "measure it by leaving one writer out at a time, which takes a minute")
)

const (
	modelFile   = "../sense/model.bin"
	subjectFile = "../sense/subject.bin"
)

// taught are the sets that the model is trained on, with what an example of theirs counts: the talks are by writers who had not seen the rules;
// those from talk-i on have been read once, in haste, and are many.
var taught = map[string]float32{
	"talk-a": 1, "talk-b": 1, "talk-c": 1, "talk-d": 1, "talk-e": 1, "talk-f": 1, "talk-p": 1, "dialogue": 0.5, "dialogue-second": 0.5,
	"talk-i": 0.3, "talk-j": 0.3, "talk-k": 0.3, "talk-l": 0.3, "talk-m": 0.3, "talk-n": 0.3, "talk-o": 0.3,
}

// changing are sets that were written for what changes in them, and for what looks so; the judge does not learn from them.
var changing = []string{"talk-g", "talk-h"}

// measured are sets that nothing is learned from, with verdicts on all that is drawn: terse talk of projects, and what private people type in haste.
var measured = []string{"talk-q", "talk-r"}

var (
	settings     = sense.Options{Rounds: 10, Rate: 0.02, Decay: 0.015, Least: 2}
	findSettings = sense.Options{Rounds: 6, Rate: 0.03, Decay: 0.005, Least: 3}
)

// sightWeight is what a verdict on sight counts: it looks at what is drawn, where a note is only near it or not.
const sightWeight = 3

// profileWeight is what a remark of testdata/profile.tsv counts.
const profileWeight = 1.5

// examples labels what is drawn from a set before judgement: by the memory that each of its readers noted, whatever its subject, or as nothing. What is
// optional to a reader, or says again what another says, is left out. A verdict on sight goes before what was noted or not; its kind counts half where
// readers named one.
func examples(t *testing.T, file string, weight float32, finder *sense.Model) []sense.Example {
	t.Helper()
	var out []sense.Example
	var d rules.Dialogue
	sets, seen := readings(t, file), readSights(t, file)
	talk := ""
	for i, tn := range sets[0] {
		if tn.talk != talk {
			talk, d = tn.talk, rules.Dialogue{}
			d.SetFinder(finder)
		}
		list := d.Candidates(tn.in)
		labels := make([][]*noted, len(sets))
		for r := range sets {
			labels[r] = align(sets[r][i], list)
		}
		for j, c := range list {
			ex := sense.Example{Bag: c.Bag, Weight: weight}
			for r, set := range sets {
				note(&ex.Target, labels[r][j], c.Statement, set[i])
			}
			v, ok := seen.of(i+1, &c.Statement)
			if ok {
				ex.Weight, ex.Target = sightWeight, v.over(ex.Target)
			}
			if scale(&ex.Target) {
				out = append(out, ex)
			}
		}
	}
	return out
}

// votes adds up what readers said of a statement.
type votes = sense.Odds

// note adds a reader's vote: the kinds of the memory that the statement was noted as, nothing, or none where it is optional or was said before.
func note(v *votes, n *noted, st rules.Statement, tn turn) {
	says := func(n noted) bool { return n.says(st) }
	switch {
	case n != nil:
		for _, k := range n.kinds {
			v[sense.Class(lukasa.MemoryKind(k))] += 1 / float32(len(n.kinds))
		}
	case !slices.ContainsFunc(tn.may, says) && !slices.ContainsFunc(tn.want, says):
		v[sense.Nothing]++
	}
}

// scale makes votes shares of one; false when there is none.
func scale(v *votes) bool {
	all := float32(0)
	for _, n := range v {
		all += n
	}
	for i := range v {
		v[i] /= max(all, 1e-6)
	}
	return all > 0
}

// align gives each statement the memory that it was noted as: those of rules and of the right kind first, then all that say it, then those that
// hold its words.
func align(tn turn, list []rules.Candidate) []*noted {
	labels := make([]*noted, len(list))
	for pass := range 4 {
		for i := range tn.want {
			n := &tn.want[i]
			if slices.Contains(labels, n) {
				continue
			}
			for j, c := range list {
				fits := n.says(c.Statement) || pass == 3 && holds(c.Content+" "+c.Value, n.value)
				if labels[j] == nil && fits && !(pass < 2 && c.Open) && !(pass == 0 && !n.kin(c.Statement)) {
					labels[j] = n
					break
				}
			}
		}
	}
	return labels
}

// lesson are the examples of all taught sets but one.
func lesson(t *testing.T, without string, finder *sense.Model) []sense.Example {
	var out []sense.Example
	for _, file := range slices.Sorted(maps.Keys(taught)) {
		if file != without {
			out = append(out, examples(t, file, taught[file], finder)...)
		}
	}
	out = append(out, plainExamples(t, 3, finder)...)
	return append(out, profileExamples(t, "profile.tsv", profileWeight, finder)...)
}

// plainExamples are those of the golden file: plain sentences, each said by itself.
func plainExamples(t *testing.T, weight float32, finder *sense.Model) []sense.Example {
	var out []sense.Example
	for _, ex := range readGolden(t, "testdata/golden.txt") {
		var d rules.Dialogue
		d.SetFinder(finder)
		for _, c := range d.Candidates(ex.in) {
			one := sense.Example{Bag: c.Bag, Weight: weight}
			class := sense.Nothing
			for _, want := range ex.want {
				if want.agrees(c.Statement) || c.Open && strings.Contains(strings.ToLower(c.Content), strings.ToLower(want.value)) {
					class = sense.Class(lukasa.MemoryKind(want.kind))
				}
			}
			one.Target[class] = 1
			out = append(out, one)
		}
	}
	return out
}

// TestTrain writes the model when it is asked to.
func TestTrain(t *testing.T) {
	if !*train {
		t.Skip("needs -train")
	}
	found := sense.Train(findLesson(findLessons(t), ""), findSettings)
	finder, err := sense.Parse(string(found))
	if err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string][]byte{
		modelFile: sense.Train(lesson(t, "", finder), settings), subjectFile: found,
	} {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes, %s", file, len(data), fingerprint(data))
	}
}

func fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func trained(t *testing.T, list []sense.Example, o sense.Options) *sense.Model {
	t.Helper()
	m, err := sense.Parse(string(sense.Train(list, o)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLeaveOneOut measures the judge on writers that it has not learned from.
func TestLeaveOneOut(t *testing.T) {
	if !*cross {
		t.Skip("needs -cross")
	}
	all, many, sight, lessons := newReport(), poolScore{}, sightScore{}, findLessons(t)
	for _, file := range slices.Concat(slices.Sorted(maps.Keys(taught)), changing, measured) {
		if !strings.HasPrefix(file, "talk-") || *only != "" && !strings.Contains(*only, file[5:]) {
			continue
		}
		finder := trained(t, findLesson(lessons, file), findSettings)
		m := trained(t, lesson(t, file, finder), settings)
		sets := readings(t, file)
		turns := sets[0]
		r := newReport()
		list := readAll(turns, m, finder)
		for _, rd := range list {
			r.judge(rd)
		}
		r.name(turns, m, finder)
		if testing.Verbose() {
			for _, l := range r.lines {
				t.Log(l)
			}
		}
		p := scoreOf(pool(sets), list)
		seen := onSight(readSights(t, file), list)
		t.Logf("%s, learned from the others: %d messages\nby all readers: %v\non sight: %v\n%v", file, len(turns), p, seen, r)
		all.join(r)
		sight.join(seen)
		if len(sets) > 1 {
			many.join(p)
		}
	}
	t.Logf("all:\nby all readers of the sets that have more than one: %v\non sight: %v\n%v", many, sight, all)
}

// join adds another set's report.
func (r *report) join(o *report) {
	for _, c := range [][2]*tally{
		{&r.memories, &o.memories}, {&r.said, &o.said}, {&r.dates, &o.dates}, {&r.entities, &o.entities},
	} {
		c[0].right, c[0].wanted, c[0].made = c[0].right+c[1].right, c[0].wanted+c[1].wanted, c[0].made+c[1].made
	}
	r.optional, r.repeats, r.beside = r.optional+o.optional, r.repeats+o.repeats, r.beside+o.beside
	for noted, made := range o.kinds {
		for k, n := range made {
			for range n {
				r.confuse(noted, k)
			}
		}
	}
	for k, c := range o.byEntity {
		b := r.byEntity[k]
		b.right, b.wanted, b.made = b.right+c.right, b.wanted+c.wanted, b.made+c.made
		r.byEntity[k] = b
	}
	for k, n := range o.messages {
		r.messages[k] += n
		r.forbidden[k] += o.forbidden[k]
	}
}
