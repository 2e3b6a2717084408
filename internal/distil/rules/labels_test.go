package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

// verdict is what a reader who saw a statement and the messages before it, and nothing of what a model or another reader made of it, said of it.
type verdict struct {
	worth bool   // true as stated, of the right subject, understandable by itself, and worth keeping
	wrong bool   // wrong, misleading, a fragment, of the wrong subject, or taken for certain where it is not
	kind  string // of what is worth keeping
}

// sights are the verdicts of a set: by the number of the message, counted from one, and by what the statement says.
type sights map[int]map[string]verdict

// readSights reads testdata/labels/FILE.txt: "#12" and, below it, what was drawn of the twelfth message, each line with its mark: "= kind | content" for what
// is worth keeping, ". content" for what is true and is not, "x content" for what is wrong. A set without such a file has none.
func readSights(t *testing.T, file string) sights {
	t.Helper()
	data, err := os.ReadFile("testdata/labels/" + file + ".txt")
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	out := sights{}
	var last map[string]verdict
	for i, line := range strings.Split(string(data), "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		if mark == "" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(mark, "#")); mark[0] == '#' && err == nil {
			last = map[string]verdict{}
			out[n] = last
			continue
		}
		var v verdict
		switch mark {
		case "=":
			kind, content, ok := strings.Cut(rest, " | ")
			if !ok || !lukasa.MemoryKind(kind).Valid() {
				t.Fatalf("labels of %s, line %d: %q", file, i+1, line)
			}
			v, rest = verdict{worth: true, kind: kind}, content
		case "x":
			v.wrong = true
		case ".":
		default:
			t.Fatalf("labels of %s, line %d: %q", file, i+1, line)
		}
		if last == nil {
			t.Fatalf("labels of %s, line %d: %q before a message", file, i+1, line)
		}
		last[rest] = v
	}
	return out
}

// of finds the verdict on a statement that was drawn from message n.
func (s sights) of(n int, st *rules.Statement) (verdict, bool) {
	v, ok := s[n][strings.ReplaceAll(st.Content, "\n", `\n`)]
	return v, ok
}

// over puts a verdict in the place of what readers noted.
func (v verdict) over(noted votes) (out votes) {
	if !v.worth {
		out[sense.Nothing] = 1
		return out
	}
	noted[sense.Nothing] = 0
	if scale(&noted) {
		out = noted
	}
	out[sense.Class(lukasa.MemoryKind(v.kind))]++
	return out
}

// sightScore counts what was kept of a set by the verdicts on it: worth keeping, of that with the kind named, true and not worth it, wrong, and never
// looked at; drawn is how much there was that is worth keeping.
type sightScore struct{ kept, worth, kin, idle, wrong, unseen, drawn int }

func (s sightScore) String() string {
	share := func(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
	return fmt.Sprintf("worth keeping %.3f (of that kind %.3f), nothing false %.3f, of what is worth keeping and was drawn %.3f (kept %d, worth %d, never seen %d)",
		share(s.worth, s.kept), share(s.kin, s.kept), share(s.worth+s.idle, s.kept), share(s.worth, s.drawn), s.kept, s.drawn, s.unseen)
}

func (s *sightScore) join(o sightScore) {
	s.kept, s.worth, s.kin, s.idle, s.wrong = s.kept+o.kept, s.worth+o.worth, s.kin+o.kin, s.idle+o.idle, s.wrong+o.wrong
	s.unseen, s.drawn = s.unseen+o.unseen, s.drawn+o.drawn
}

// onSight scores the messages of a set that have verdicts.
func onSight(seen sights, list []reading) (s sightScore) {
	for _, m := range seen {
		for _, v := range m {
			if v.worth {
				s.drawn++
			}
		}
	}
	for i, rd := range list {
		if seen[i+1] == nil {
			continue
		}
		for _, st := range rd.got {
			v, ok := seen.of(i+1, &st)
			switch {
			case !ok:
				s.unseen++
				continue
			case v.worth:
				s.worth++
				if v.kind == string(st.Kind) {
					s.kin++
				}
			case v.wrong:
				s.wrong++
			default:
				s.idle++
			}
			s.kept++
		}
	}
	return s
}

// TestSights reads what was judged on sight with the model that has learned from it: it shows that the verdicts are still those on what is drawn, and
// that they have been learned. What to expect of strangers is told by TestLeaveOneOut.
func TestSights(t *testing.T) { // D-3, D-5
	t.Parallel()
	paths, err := filepath.Glob("testdata/labels/*.txt")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d files of labels: %v", len(paths), err)
	}
	var all sightScore
	labels, met := 0, 0
	for _, path := range paths {
		file := strings.TrimSuffix(filepath.Base(path), ".txt")
		seen := readSights(t, file)
		turns := readDialogue(t, "testdata/"+file+".txt")
		var d rules.Dialogue
		talk := ""
		for i, tn := range turns {
			if tn.talk != talk {
				talk, d = tn.talk, rules.Dialogue{}
			}
			for _, c := range d.Candidates(tn.in) {
				if _, ok := seen.of(i+1, &c.Statement); ok {
					met++
				}
			}
			labels += len(seen[i+1])
		}
		s := onSight(seen, readAll(turns, nil, nil))
		t.Logf("%s: %v", file, s)
		all.join(s)
	}
	t.Logf("all: %v; %d of %d verdicts are on what is drawn", all, met, labels)
	if float64(met) < 0.95*float64(labels) {
		t.Errorf("%d of %d verdicts are on what is drawn", met, labels)
	}
	if p, r := float64(all.worth)/float64(all.kept), float64(all.worth)/float64(all.drawn); p < 0.9 || r < 0.5 {
		t.Errorf("of what is kept %.3f is worth it, of what is worth it %.3f is kept", p, r)
	}
}
