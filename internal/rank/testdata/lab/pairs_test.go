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

// pair is a query with the statement that answers it in other words.
type pair struct{ form, query, statement string }

func readPairs(t testing.TB, file string) []pair {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("%q: %d fields, want 3", line, len(f))
		}
		out = append(out, pair{f[0], f[1], f[2]})
	}
	return out
}

// ownNotes are n sentences of the talks that this project has written for its own tests.
func ownNotes(t testing.TB, n int) []string {
	t.Helper()
	files, err := filepath.Glob("../../../distil/rules/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no talks: %v", err)
	}
	var all []string
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if s, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok && len(strings.Fields(s)) > 6 {
				all = append(all, s)
			}
		}
	}
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}

// TestPairs asks for each statement among 499 other notes: in other words altogether, and, since what helps there may harm here, by
// one of its words and a word that it has not: a name, or its longest word. It needs no data but the repository's.
//
// pairs.tsv was written for choosing. blind.tsv was written by somebody who had seen neither the program nor what its embedder was
// taught, when that was done: nothing is chosen by it.
func TestPairs(t *testing.T) {
	for _, file := range []string{"pairs.tsv", "blind.tsv"} {
		t.Run(file, func(t *testing.T) { askPairs(t, readPairs(t, file)) })
	}
}

func askPairs(t *testing.T, pairs []pair) {
	c := bench.Conversation{Name: "notes"}
	note := func(s string) {
		n := fmt.Sprint(len(c.Turns))
		c.Turns = append(c.Turns, bench.Turn{ID: n, Session: n, Text: s})
	}
	for _, p := range pairs {
		note(p.statement)
		said := text.Analyze(nil, p.statement)
		for _, q := range text.Analyze(nil, p.query) {
			if slices.ContainsFunc(said, func(x text.Token) bool { return x.Term == q.Term }) {
				t.Errorf("%q and its statement share %q", p.query, q.Term)
			}
		}
	}
	for _, s := range ownNotes(t, 500-len(pairs)) {
		note(s)
	}
	k := Open(builtin.New(), c)
	for _, way := range []struct {
		name string
		ask  func(i int, p pair) string
	}{
		{"other words", func(_ int, p pair) string { return p.query }},
		{"a name and another word", func(i int, p pair) string { return with(i, aName(p.statement)) }},
		{"its longest word and another", func(i int, p pair) string { return with(i, longest(p.statement)) }},
	} {
		t.Run(way.name, func(t *testing.T) { pairRanks(t, k, pairs, way.ask) })
	}
}

// pairRanks logs at which place the statements stand.
func pairRanks(t *testing.T, k *Corpus, pairs []pair, ask func(i int, p pair) string) {
	ranker := rank.NewFeatures(rank.DefaultLinear())
	var n, first, three, ten, byVector int
	forms := map[string][2]int{}
	for i, p := range pairs {
		query := ask(i, p)
		if query == "" {
			continue
		}
		n++
		full := k.Scene(query)
		behind := 0
		for j := range full.Candidates {
			if full.Dot(-1, j) > full.Dot(-1, i) {
				behind++
			}
		}
		if behind < 3 {
			byVector++
		}
		at := slices.IndexFunc(ranker.Rank(usual.Choose(full, k)), func(x rank.Scored) bool { return string(x.Entry) == fmt.Sprint(i) })
		f := forms[p.form]
		f[1]++
		switch {
		case at < 0:
		case at == 0:
			first++
			fallthrough
		case at < 3:
			three++
			f[0]++
			fallthrough
		case at < 10:
			ten++
		}
		forms[p.form] = f
		if at < 0 || at >= 3 {
			t.Logf("%-40s rank %d, by vector alone %d", query, at+1, behind+1)
		}
	}
	t.Logf("of %d: first %d, among the first three %d, ten %d; by vector alone among the first three %d: %v", n, first, three, ten, byVector, forms)
}

// with adds a word that the statements do not have.
func with(i int, word string) string {
	if word == "" {
		return ""
	}
	other := []string{"address", "invoice", "schedule", "opinion", "history", "phone number", "photo"}
	return word + " " + other[i%len(other)]
}

// aName returns the first word of a statement that is written large but not because it is the first.
func aName(statement string) string {
	for n, w := range strings.Fields(statement) {
		w = strings.Trim(w, ".,?!'")
		if n > 0 && len(w) > 2 && w != "TLS" && w[0] >= 'A' && w[0] <= 'Z' {
			return w
		}
	}
	return ""
}

func longest(statement string) string {
	word := ""
	for w := range strings.FieldsSeq(statement) {
		w = strings.Trim(w, ".,?!'")
		if len(w) > len(word) && w[0] >= 'a' {
			word = w
		}
	}
	return word
}
