package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// pairs are the held-out queries of models/embedder/train/heldout.py: none shares a word with its statement.
var pairs = [][2]string{
	{"transportation to the office", "she takes the subway downtown every weekday"}, {"favorite singer", "he is a huge fan of Taylor Swift's songs"},
	{"dietary restriction", "I stopped eating meat and dairy"}, {"sleep problems", "I lie awake most of the night"},
	{"home renovation", "we are remodeling the kitchen"}, {"career change", "she quit banking to become a teacher"},
	{"reading habits", "he finishes a novel every week"}, {"newborn baby", "our daughter was delivered on Tuesday"},
	{"athletic injury", "I twisted my ankle playing soccer"}, {"travel by airplane", "our flight landed late at night"},
	{"database outage", "the PostgreSQL server crashed again"}, {"deploying software", "we shipped the release to production"},
	{"photography equipment", "he bought a Nikon lens"}, {"religious practice", "they pray at the mosque on Fridays"},
	{"loss of a relative", "my grandfather passed away in June"}, {"romantic partner", "my boyfriend cooked dinner"},
	{"legal dispute", "they are suing the landlord in court"}, {"foreign tongue", "I am taking Spanish lessons"},
	{"wealthy person", "a billionaire purchased the island"}, {"garden vegetables", "we harvested tomatoes and zucchini"},
}

// TestMeaning looks for the statements among 480 notes that are turns of real chats.
func TestMeaning(t *testing.T) {
	dir := os.Getenv("LUKASA_EVAL_DATA")
	if dir == "" {
		t.Skip("LUKASA_EVAL_DATA names no folder with evaluation data: nothing is measured")
	}
	f, err := os.Open(filepath.Join(dir, "realtalk.dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := bench.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	c := bench.Conversation{Name: "notes"}
	note := func(s string) {
		n := fmt.Sprint(len(c.Turns))
		c.Turns = append(c.Turns, bench.Turn{ID: n, Session: n, Text: s})
	}
	for _, p := range pairs {
		note(p[1])
	}
	for _, d := range data {
		for i := range d.Turns {
			if s := d.Turns[i].Text; len(c.Turns) < 500 && len(strings.Fields(s)) > 6 && i%5 == 0 {
				note(s)
			}
		}
	}
	for _, foreign := range []bool{false, true} {
		if foreign {
			c.Turns = c.Turns[:len(pairs)]
			// second round: only notes that share no word with any query
			asked := map[string]bool{}
			for _, p := range pairs {
				for _, x := range text.Analyze(nil, p[0]) {
					asked[x.Term] = true
				}
			}
			for _, d := range data {
				for i := range d.Turns {
					s := d.Turns[i].Text
					if len(c.Turns) < 500 && len(strings.Fields(s)) > 6 && !slices.ContainsFunc(text.Analyze(nil, s), func(x text.Token) bool { return asked[x.Term] }) {
						note(s)
					}
				}
			}
		}
		find(t, c, foreign)
	}
}

func find(t *testing.T, c bench.Conversation, foreign bool) {
	k := Open(builtin.New(), c)
	w := rank.DefaultLinear()
	var first, three, byVector int
	for i, p := range pairs {
		s := usual.Choose(k.Scene(p[0]), k)
		behind := 0
		full := k.Scene(p[0])
		for j := range full.Candidates {
			if full.Dot(-1, j) > full.Dot(-1, i) {
				behind++
			}
		}
		if behind < 3 {
			byVector++
		}
		for at, x := range rank.ByFeatures(s, w) {
			if string(x.Entry) != fmt.Sprint(i) {
				continue
			}
			if at == 0 {
				first++
			}
			if at < 3 {
				three++
			}
			t.Logf("%-30s rank %d, by vector alone %d", p[0], at+1, behind+1)
		}
	}
	t.Logf("sharing nothing %v: among %d notes: first %d of %d, among the first three %d; by vector alone %d", foreign, len(c.Turns), first, len(pairs), three, byVector)
}
