package rank_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/rank"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"":                                   nil,
		"What does Ann drive?":               nil,
		"Where and when did we meet?":        nil,
		"What did Ann buy, and why?":         nil,
		"salt and pepper":                    nil,
		"what is Ann's phone number and PIN": nil,
		"What did Ann share a photo of, which made Ben smile?":              nil,
		"Given what Ann and Ben like, who is more interested in science?":   nil, // "what Ann and Ben like" is no question
		"When Dave was a child, what did he and his father do?":             nil,
		"What car do I have and when did I buy it?":                         nil, // it: not a question by itself
		"Wo wohnt Anna und was macht sie beruflich?":                        nil, // not English
		"What does Ann drive, and where does she live?":                     {"What does Ann drive", "where does she live Ann"},
		"What does Ann drive? Where does Ben live?":                         {"What does Ann drive", "Where does Ben live"},
		"what is my blood type and where did I park":                        {"what is my blood type", "where did I park"},
		"Which database do we use, how many nodes are there, and who pays?": {"Which database do we use", "how many nodes are there"},
		"How many days passed between when I finished the cast and when my pilot was done?": {
			"How many days passed between when I finished the cast", "when my pilot was done",
		},
		"Did Ann move and did she sell her house?":                       {"Did Ann move", "did she sell her house Ann"},
		"Where does Ann live? And does Ben own a car?":                   {"Where does Ann live", "does Ben own a car"},
		"Hello? What does Ann drive? Why? And also where does Ben live?": {"What does Ann drive", "where does Ben live"},
		"Can you list what I did? Mention only five items.":              nil,
		"When did Ann meet people and have a bad day?":                   nil,
		"What did Ann cook and do the dishes for?":                       nil,
		"(the ?odd effect) of bodies in what flow":                       nil,
		"Where did she go and what did they eat there?":                  nil,
	} {
		got := rank.Questions(query)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// Whatever is asked, a part is made of the query's words, and there are two or three or none.
func TestQuestionsAny(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom(strings.Fields("what does Ann drive , and where ? she it live Ben Östlich 7 how many . the did's"))
	rapid.Check(t, func(t *rapid.T) {
		query := strings.Join(rapid.SliceOfN(words, 0, 30).Draw(t, "words"), " ") + rapid.String().Draw(t, "rest")
		parts := rank.Questions(query)
		if n := len(parts); n == 1 || n > 3 {
			t.Fatalf("%d parts", n)
		}
		for _, p := range parts {
			for w := range strings.FieldsSeq(p) {
				if !strings.Contains(query, w) {
					t.Fatalf("%q is not in the query", w)
				}
			}
		}
	})
}
