package bench

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Gate is what a number of a known data set must reach, is meant to reach and may at best reach, in percent, beside what it has reached.
// Recall and nDCG are those at 10, over turns.
type Gate struct {
	Name    string  `json:"name"`
	Must    float64 `json:"must"`
	Goal    float64 `json:"goal"`
	Stretch float64 `json:"stretch"`
	Reached float64 `json:"reached"`
	Mark    Mark    `json:"mark"`
}

// Mark says which of its three marks a number has reached.
type Mark string

// The marks, from below: not even what it must, and each of the three.
const (
	Below   Mark = "BELOW"
	Must    Mark = "must"
	Goal    Mark = "goal"
	Stretch Mark = "stretch"
)

// gate is a line of the table of a data set.
type gate struct {
	name                string
	must, goal, stretch float64
	of                  func(r *Report) float64 // 0..1
}

// gates are those of a data set that is known by what a name begins with.
type gates struct {
	set   string
	known []string // beginnings of names, without what is neither a letter nor a digit
	list  []gate
}

func recallAt10(r *Report) float64 { return r.Answerable.Recall[at10] }

func recallOf(category string) func(r *Report) float64 {
	return func(r *Report) float64 { return r.Category(category).Mean.Recall[at10] }
}

func ndcgOf(r *Report) float64 { return r.Answerable.NDCG }

func mrrOf(r *Report) float64 { return r.Answerable.MRR }

// knownSets is the table of gates.
var knownSets = []gates{
	{"LoCoMo", []string{"locomo"}, []gate{
		{"answerable recall@10", 83.5, 86, 88, recallAt10},
		{"answerable nDCG@10", 70, 73, 75, ndcgOf},
		{"answerable MRR", 69, 72, 75, mrrOf},
		{"multi-hop recall@10", 53, 60, 64, recallOf("multi-hop")},
		{"adversarial recall@10", 88, 88, 91, recallOf("adversarial")},
	}},
	{"REALTALK", []string{"realtalk"}, []gate{{"answerable recall@10", 61.5, 64, 67, recallAt10}}},
	{"BEAM-100K", []string{"beam100k"}, []gate{{"answerable recall@10", 58, 61, 65, recallAt10}}},
	{"Cranfield", []string{"cranfield"}, []gate{{"answerable nDCG@10", 41.5, 43, 45, ndcgOf}}},
}

// SetOf returns which known data set a file holds, or "". The source that the conversations name tells it, then their names, then the name of
// the file.
func SetOf(file string, data []Conversation) string {
	names := []string{filepath.Base(file)}
	if len(data) > 0 {
		names = []string{data[0].Source, data[0].Name, names[0]}
	}
	for _, name := range names {
		for i := range knownSets {
			for _, known := range knownSets[i].known {
				if strings.HasPrefix(letters(name), known) {
					return knownSets[i].set
				}
			}
		}
	}
	return ""
}

// letters returns the letters and digits of a name in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// Gates returns the gates of a data set with what the report has reached. Nil for a set that is not known, and for sessions: the gates
// are about turns. A category that was not asked about has none.
func Gates(set string, unit Unit, r *Report) []Gate {
	if unit != Turns {
		return nil
	}
	for i := range knownSets {
		if s := &knownSets[i]; s.set == set {
			out := make([]Gate, 0, len(s.list))
			for _, g := range s.list {
				category, _, _ := strings.Cut(g.name, " ")
				if category != "answerable" && r.Category(category).N == 0 {
					continue
				}
				out = append(out, Gate{g.name, g.must, g.goal, g.stretch, 100 * g.of(r), g.mark(100 * g.of(r))})
			}
			return out
		}
	}
	return nil
}

// mark tells which mark a number has reached; sums of shares may fall short of one by the last bits.
func (g *gate) mark(reached float64) Mark {
	switch reached += 1e-9; {
	case reached >= g.stretch:
		return Stretch
	case reached >= g.goal:
		return Goal
	case reached >= g.must:
		return Must
	}
	return Below
}

// WriteGates prints gates as a table.
func WriteGates(w io.Writer, set string, list []Gate) error {
	if len(list) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\n%-26s %9s %9s %9s %9s  %s\n", "gates of "+set, "must", "goal", "stretch", "reached", "mark"); err != nil {
		return err
	}
	for _, g := range list {
		if _, err := fmt.Fprintf(w, "%-26s %9.1f %9.1f %9.1f %9.2f  %s\n", g.Name, g.Must, g.Goal, g.Stretch, g.Reached, g.Mark); err != nil {
			return err
		}
	}
	return nil
}
