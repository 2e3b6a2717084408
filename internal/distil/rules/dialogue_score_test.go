package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
)

// tally counts what was found.
type tally struct{ right, wanted, made int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.made)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(1, c.wanted)) }

func (c tally) String() string {
	return fmt.Sprintf("precision %.3f (%d of %d), recall %.3f (%d of %d)", c.precision(), c.right, c.made, c.recall(), c.right, c.wanted)
}

// report is what a dialogue file comes to.
type report struct {
	kinds     map[string]map[string]int // noted kind, made kind ("missed"), or "false" and made kind
	memories  tally                     // with the kind that was noted
	said      tally                     // whatever the kind
	dates     tally                     // of the memories that were found
	beside    int                       // of these the days of something else that was noted in the message
	entities  tally
	byEntity  map[string]tally
	repeats   int            // true, and said before
	optional  int            // neither missing nor wrong
	forbidden map[string]int // memories from messages that make none, by why
	messages  map[string]int // how many of these there are
	lines     []string       // what went wrong, for -v
}

func (r *report) note(tn turn, format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf("line %d: ", tn.line)+fmt.Sprintf(format, args...)+"\n\t"+strings.ReplaceAll(tn.in.Text, "\n", `\n`))
}

func (r *report) confuse(want, got string) {
	if r.kinds[want] == nil {
		r.kinds[want] = map[string]int{}
	}
	r.kinds[want][got]++
}

// reading is one turn with what the rules made of it.
type reading struct {
	turn
	got []rules.Statement
}

// source names why a message makes no memory, by its mark in the file, else by what it is.
func (tn turn) source() string {
	switch {
	case tn.why != "":
		return tn.why
	case tn.in.Role == "system":
		return "system"
	case strings.Contains(tn.in.Text, "```"):
		return "code"
	case tn.in.Role == "tool":
		return "log"
	case tn.in.Role == "assistant":
		return "assistant"
	case strings.HasSuffix(strings.TrimSpace(tn.in.Text), "?"):
		return "question"
	}
	return "other"
}

func (r *report) judge(rd reading) {
	used := make([]bool, len(rd.got))
	found := make([]bool, len(rd.want))
	for _, kin := range []bool{true, false} { // first those of the right kind
		for i, n := range rd.want {
			if found[i] {
				continue
			}
			for j, st := range rd.got {
				if used[j] || n.kin(st) != kin || !n.says(st) {
					continue
				}
				found[i], used[j] = true, true
				r.said.right++
				if !kin {
					r.confuse(n.kinds[0], string(st.Kind))
					r.memories.made++
					r.note(rd.turn, "kind %s, want %v", describeStatement(st), n)
					break
				}
				r.confuse(string(st.Kind), string(st.Kind))
				r.memories.made++
				r.memories.right++
				w, m, ok := n.dates(st)
				r.dates.wanted, r.dates.made, r.dates.right = r.dates.wanted+w, r.dates.made+m, r.dates.right+ok
				r.beside += min(m-min(m, ok), n.besides(st, append(slices.Clone(rd.want), rd.may...)))
				if ok < w || ok < m {
					r.note(rd.turn, "date of %s, want %v", describeStatement(st), n)
				}
				break
			}
		}
	}
	r.memories.wanted += len(rd.want)
	for i, n := range rd.want {
		if !found[i] {
			r.confuse(n.kinds[0], "missed")
			r.note(rd.turn, "missed %v", n)
		}
	}
	for j, st := range rd.got {
		switch {
		case used[j]:
		case slices.ContainsFunc(rd.may, func(n noted) bool { return n.says(st) }):
			r.optional++
		case slices.ContainsFunc(rd.want, func(n noted) bool { return n.kin(st) && n.says(st) }):
			r.repeats++
		default:
			r.memories.made++
			r.confuse("false", string(st.Kind))
			r.note(rd.turn, "false %s", describeStatement(st))
		}
	}
	if len(rd.want)+len(rd.may) == 0 {
		r.messages[rd.source()]++
		r.forbidden[rd.source()] += len(rd.got)
	}
}

// readAll lets the rules read a file, each conversation by itself, with a judge of their own or with the one that comes with the program.
func readAll(turns []turn, judge, finder *sense.Model) []reading {
	var out []reading
	var talk string
	var d rules.Dialogue
	for _, tn := range turns {
		if tn.talk != talk {
			talk, d = tn.talk, rules.Dialogue{}
			d.SetJudge(judge)
			d.SetFinder(finder)
		}
		out = append(out, reading{tn, d.Read(tn.in)})
	}
	return out
}

// name reads the names of a file's messages, one conversation after another.
func (r *report) name(turns []turn, judge, finder *sense.Model) {
	talk := ""
	var d rules.Dialogue
	for _, tn := range turns {
		if tn.talk != talk {
			talk, d = tn.talk, rules.Dialogue{}
			d.SetJudge(judge)
			d.SetFinder(finder)
		}
		d.Read(tn.in)
		switch tn.source() {
		case "system", "code", "log", "brief", "injected", "foreign":
			continue
		}
		if tn.in.Role == "system" || tn.in.Role == "tool" {
			continue
		}
		got := d.Entities(tn.in)
		used := make([]bool, len(got))
		for _, want := range tn.entities {
			hit := slices.IndexFunc(got, func(e lexis.Entity) bool {
				return string(e.Type) == want.kind && (holds(e.Name, want.name) || holds(want.name, e.Name))
			})
			c := r.byEntity[want.kind]
			c.wanted++
			r.entities.wanted++
			if hit >= 0 && !used[hit] {
				used[hit] = true
				c.right++
				c.made++
				r.entities.right++
				r.entities.made++
			} else if hit < 0 {
				r.note(tn, "missed entity %v", want)
			}
			r.byEntity[want.kind] = c
		}
		for i, e := range got {
			if !used[i] {
				c := r.byEntity[string(e.Type)]
				c.made++
				r.byEntity[string(e.Type)] = c
				r.entities.made++
				r.note(tn, "false entity %s %s", e.Type, e.Name)
			}
		}
	}
}

func newReport() *report {
	return &report{kinds: map[string]map[string]int{}, byEntity: map[string]tally{}, forbidden: map[string]int{}, messages: map[string]int{}}
}

func (r *report) String() string {
	var b strings.Builder
	cols := []string{}
	for _, k := range []lukasa.MemoryKind{
		lukasa.KindFact, lukasa.KindPreference, lukasa.KindEpisode, lukasa.KindTask, lukasa.KindInsight, lukasa.KindDecision, lukasa.KindMilestone,
		lukasa.KindEvent, lukasa.KindTurningPoint,
	} {
		cols = append(cols, string(k))
	}
	fmt.Fprintf(&b, "%-14s", "noted \\ made")
	for _, c := range append(cols, "missed") {
		fmt.Fprintf(&b, "%14s", c)
	}
	fmt.Fprintf(&b, "%12s%10s\n", "precision", "recall")
	for _, row := range append(cols, "false") {
		fmt.Fprintf(&b, "%-14s", row)
		all, made := 0, 0
		for _, c := range append(cols, "missed") {
			n := r.kinds[row][c]
			all += n
			fmt.Fprintf(&b, "%14d", n)
		}
		if row != "false" {
			for _, other := range append(cols, "false") {
				made += r.kinds[other][row]
			}
			fmt.Fprintf(&b, "%12.2f%10.2f", float64(r.kinds[row][row])/float64(max(1, made)), float64(r.kinds[row][row])/float64(max(1, all)))
		}
		b.WriteByte('\n')
	}
	r.said.made, r.said.wanted = r.memories.made, r.memories.wanted
	fmt.Fprintf(&b, "memories, whatever the kind: %v\n", r.said)
	fmt.Fprintf(&b, "memories: %v; %d more of the optional ones, %d said twice\n", r.memories, r.optional, r.repeats)
	fmt.Fprintf(&b, "dates of the memories found: %v; %d more are of what was noted beside them: precision %.3f\n", r.dates, r.beside,
		float64(r.dates.right+r.beside)/float64(max(1, r.dates.made)))
	fmt.Fprintf(&b, "entities: %v\n", r.entities)
	for _, k := range []string{"person", "organisation", "place", "product"} {
		fmt.Fprintf(&b, "  %s: %v\n", k, r.byEntity[k])
	}
	b.WriteString("memories from messages that make none:")
	var whys []string
	for why := range r.messages {
		whys = append(whys, why)
	}
	slices.Sort(whys)
	for _, why := range whys {
		fmt.Fprintf(&b, " %s %d of %d;", why, r.forbidden[why], r.messages[why])
	}
	b.WriteByte('\n')
	return b.String()
}

// blind are sets of which only the totals are looked at.
var blind = map[string]bool{"dialogue-third": true, "dialogue-fourth": true, "dialogue-fifth": true, "dialogue-sixth": true, "dialogue-seventh": true}

// floors are what has to be reached on a set, a little below what is reached today. The rules were tuned on the first two sets, and the judge has
// learned from them and from the talks, so that their numbers show no more than that nothing broke: what is to be expected of strangers is told by
// TestLeaveOneOut, and by the third set, which nobody has seen who wrote or taught them.
type floors struct {
	precision, recall, datePrecision, dateRecall, entities float64
	slips                                                  int // memories from where none are
}

var floorsOf = map[string]floors{
	"dialogue":        {0.93, 0.63, 0.87, 0.76, 0.85, 0},
	"dialogue-second": {0.8, 0.42, 0.6, 0.47, 0.65, 0},
	"dialogue-third":  {precision: 0.68, recall: 0.33},
	"dialogue-fourth": {precision: 0.5}, "dialogue-fifth": {precision: 0.5}, "dialogue-sixth": {precision: 0.4}, "dialogue-seventh": {precision: 0.5, slips: 1},
	"talk-a": taughtFloors, "talk-b": taughtFloors, "talk-c": taughtFloors, "talk-d": taughtFloors, "talk-e": taughtFloors, "talk-f": {precision: 0.61, recall: 0.3}, // beside its writer, where verdicts on sight go before his notes
	"talk-g": {precision: 0.55, recall: 0.2}, "talk-h": {precision: 0.55, recall: 0.15},
	"talk-i": hastyFloors, "talk-j": hastyFloors, "talk-k": {precision: 0.35, recall: 0.12, slips: 3}, // what is told beside a question: "I'm 400 short a month. Can we …"
	"talk-l": hastyFloors, "talk-m": hastyFloors, "talk-n": hastyFloors, "talk-o": hastyFloors,
}

var (
	taughtFloors = floors{precision: 0.65, recall: 0.3}
	hastyFloors  = floors{precision: 0.4, recall: 0.12}
)

// hold asserts the floors. Nothing may come from where no memories are.
func (r *report) hold(t *testing.T, file string) {
	t.Helper()
	f := floorsOf[file]
	for _, why := range []string{"system", "code", "log", "question", "brief", "injected", "assistant", "foreign"} {
		if n := r.forbidden[why]; n > f.slips {
			t.Errorf("%d memories from messages of the sort %q", n, why)
		}
	}
	if r.memories.precision() < f.precision || r.memories.recall() < f.recall {
		t.Errorf("memories: %v", r.memories)
	}
	if r.dates.precision() < f.datePrecision || r.dates.recall() < f.dateRecall {
		t.Errorf("dates: %v", r.dates)
	}
	if r.entities.precision() < f.entities || r.entities.recall() < f.entities {
		t.Errorf("entities: %v", r.entities)
	}
}

func TestDialogue(t *testing.T) { // D-3, D-4, D-5, T-5, N-7
	t.Parallel()
	for file := range floorsOf {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			turns := readDialogue(t, "testdata/"+file+".txt")
			r := newReport()
			list := readAll(turns, nil, nil)
			for _, rd := range list {
				r.judge(rd)
				for _, st := range rd.got {
					checkStatement(t, rd.in, st)
				}
			}
			r.name(turns, nil, nil)
			if testing.Verbose() && !blind[file] {
				for _, l := range r.lines {
					t.Log(l)
				}
			}
			t.Logf("%d messages\n%v", len(turns), r)
			r.hold(t, file)
		})
	}
}
