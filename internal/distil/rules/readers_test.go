package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
)

// readings are a set as its writer noted it, and as each further reader did who saw nothing but the messages (testdata/readers).
func readings(t *testing.T, file string) [][]turn {
	t.Helper()
	sets := [][]turn{readDialogue(t, "testdata/"+file+".txt")}
	paths, err := filepath.Glob("testdata/readers/" + file + ".*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		sets = append(sets, readNotes(t, path, sets[0]))
	}
	return sets
}

// readNotes reads what a reader noted of the messages of a set: "#12" and, below it, the notes of the twelfth.
func readNotes(t *testing.T, path string, turns []turn) []turn {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]turn, len(turns))
	for i, tn := range turns {
		out[i] = turn{line: tn.line, talk: tn.talk, in: tn.in}
	}
	var last *turn
	for i, line := range strings.Split(string(data), "\n") {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case mark == "":
		case mark[0] == '#':
			n, err := strconv.Atoi(mark[1:])
			if err != nil || n < 1 || n > len(out) {
				t.Fatalf("%s:%d: %q", path, i+1, line)
			}
			last = &out[n-1]
		case last == nil:
			t.Fatalf("%s:%d: %q before a message", path, i+1, line)
		case mark == "=":
			last.want = append(last.want, readNoted(t, rest, path, i+1))
		case mark == "?":
			last.may = append(last.may, readNoted(t, rest, path, i+1))
		case mark == "~": // a value that another takes the place of
		default:
			t.Fatalf("%s:%d: %q", path, i+1, line)
		}
	}
	return out
}

// item is a memory that one or more readers noted, each in words of their own.
type item struct {
	variants []noted
	readers  []int
}

// pooledTurn is a message with what all its readers noted, as the pyramid method has it (Nenkova and Passonneau 2004): what more of them noted
// weighs more, and what one alone did is no error to find.
type pooledTurn struct {
	turn
	items []item
	may   []noted
}

// as is a note as the statement that it asks for.
func as(n noted) rules.Statement {
	return rules.Statement{
		Kind: lukasa.MemoryKind(n.kinds[0]), Subject: n.subjects[0], Predicate: n.predicate, Value: n.value,
		Content: n.subjects[0] + " " + n.predicate + " " + n.value, Ended: n.ended,
	}
}

func pool(sets [][]turn) []pooledTurn {
	out := make([]pooledTurn, len(sets[0]))
	for i := range out {
		p := pooledTurn{turn: sets[0][i]}
		for r, set := range sets {
			p.may = append(p.may, set[i].may...)
			for _, n := range set[i].want {
				k := slices.IndexFunc(p.items, func(it item) bool {
					return !slices.Contains(it.readers, r) && slices.ContainsFunc(it.variants, func(v noted) bool { return v.says(as(n)) || n.says(as(v)) })
				})
				if k < 0 {
					p.items = append(p.items, item{})
					k = len(p.items) - 1
				}
				p.items[k].variants = append(p.items[k].variants, n)
				p.items[k].readers = append(p.items[k].readers, r)
			}
		}
		out[i] = p
	}
	return out
}

// poolScore counts what was found of a pool. Right is what any reader noted with that kind, said what any noted with whatever kind; wanted is what two
// readers noted.
type poolScore struct{ made, right, said, wanted, found, foundSaid int }

func scoreOf(pool []pooledTurn, list []reading) (s poolScore) {
	for i, rd := range list {
		s.add(pool[i], rd.got)
	}
	return s
}

func (s *poolScore) join(o poolScore) {
	s.made, s.right, s.said = s.made+o.made, s.right+o.right, s.said+o.said
	s.wanted, s.found, s.foundSaid = s.wanted+o.wanted, s.found+o.found, s.foundSaid+o.foundSaid
}

// find returns the first memory that is not used yet and of which one variant fits, else -1.
func (p *pooledTurn) find(used []bool, fits func(noted) bool) int {
	for i, it := range p.items {
		if !used[i] && slices.ContainsFunc(it.variants, fits) {
			return i
		}
	}
	return -1
}

func (s *poolScore) add(p pooledTurn, got []rules.Statement) {
	used, done := make([]bool, len(p.items)), make([]bool, len(got))
	for _, kin := range []bool{true, false} {
		for j, st := range got {
			i := p.find(used, func(n noted) bool { return n.says(st) && (!kin || n.kin(st)) })
			if done[j] || i < 0 {
				continue
			}
			used[i], done[j] = true, true
			two := len(p.items[i].readers) > 1
			s.made++
			s.said++
			if two {
				s.foundSaid++
			}
			if kin {
				s.right++
				if two {
					s.found++
				}
			}
		}
	}
	for j, st := range got {
		says := func(n noted) bool { return n.says(st) }
		if !done[j] && !slices.ContainsFunc(p.may, says) && !slices.ContainsFunc(p.items, func(it item) bool { return slices.ContainsFunc(it.variants, says) }) {
			s.made++
		}
	}
	for _, it := range p.items {
		if len(it.readers) > 1 {
			s.wanted++
		}
	}
}

func (s poolScore) String() string {
	share := func(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
	return fmt.Sprintf("strict %.2f / %.2f, any kind %.2f / %.2f (made %d, wanted %d)", share(s.right, s.made), share(s.found, s.wanted), share(s.said, s.made),
		share(s.foundSaid, s.wanted), s.made, s.wanted)
}

// TestReaders tells how far careful readers agree with each other, which is as far as a program can come, and what the program comes to beside them.
func TestReaders(t *testing.T) { // D-3, D-5
	t.Parallel()
	var one, many, ours poolScore
	for _, file := range []string{"talk-a", "talk-b", "talk-c", "talk-d", "talk-e", "talk-f", "dialogue-third", "dialogue-fourth"} {
		sets := readings(t, file)
		if len(sets) != 3 {
			t.Fatalf("%s has %d readers", file, len(sets))
		}
		for k := range sets {
			var got []reading
			for _, tn := range sets[k] {
				rd := reading{turn: tn}
				for _, n := range tn.want {
					rd.got = append(rd.got, as(n))
				}
				got = append(got, rd)
			}
			var others [][]turn
			for j := range sets {
				if j == k {
					continue
				}
				others = append(others, sets[j])
				r := newReport()
				for i, rd := range got {
					r.judge(reading{turn: sets[j][i], got: rd.got})
				}
				one.join(poolScore{
					made: r.memories.made, right: r.memories.right, said: r.said.right, wanted: r.memories.wanted, found: r.memories.right, foundSaid: r.said.right,
				})
			}
			p := scoreOf(pool(others), got)
			t.Logf("%s: reader %d beside the two others: %v", file, k+1, p)
			many.join(p)
		}
		p := scoreOf(pool(sets), readAll(sets[0], nil, nil))
		t.Logf("%s: lukasa beside the three: %v", file, p)
		if file == "dialogue-fourth" {
			ours = p
		}
	}
	t.Logf("a reader beside one other: %v", one)
	t.Logf("a reader beside two others: %v", many)
	if p := float64(one.right) / float64(one.made); p < 0.65 || p > 0.85 {
		t.Errorf("readers agree at %.2f: has a file of theirs been mixed up?", p)
	}
	if p := float64(ours.right) / float64(ours.made); p < 0.65 {
		t.Errorf("what is made of a stranger's text is right at %.2f: %v", p, ours)
	}
}
