package reader_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/distil/reader"
	"github.com/lukasa-memory/lukasa/internal/encoder"
)

// words opens the encoder in the binary, whose vocabulary the reader shares.
func words() (*encoder.Model, error) {
	file, err := os.ReadFile("../../embed/builtin/all-MiniLM-L6-v2-256-int8.safetensors")
	if err != nil {
		return nil, err
	}
	return encoder.ParsePacked(string(file))
}

// golden is one line of testdata/golden.jsonl, which models/reader/export.py writes: what PyTorch computes from the float16 weights. Places
// are in characters.
type golden struct {
	Speaker   string
	Text      string
	Sentences []struct {
		Start, End int
		P          []float64
	}
	Names [][4]any
	Old   string
	New   string
	P     []float64
}

func readGolden(tb testing.TB) []golden {
	tb.Helper()
	f, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []golden
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			tb.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) < 80 {
		tb.Fatalf("%d golden lines", len(out))
	}
	return out
}

// bytesAt turns a place in characters into one in bytes.
func bytesAt(s string, characters int) int {
	for i := range s {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(s)
}

// The rounded model is held to the one that was trained: equal sentences, and probabilities that differ by a few hundredths at most.
func TestGolden(t *testing.T) {
	t.Parallel()
	r := reader.New(words)
	worst, worstPair, names, sameNames := 0.0, 0.0, 0, 0
	for _, g := range readGolden(t) {
		if g.New != "" {
			old, newer := splitSpeaker(g.Old), splitSpeaker(g.New)
			got, err := r.Relations([]reader.Statement{old}, newer)
			if err != nil {
				t.Fatal(err)
			}
			d := math.Abs(got[0].Gone() - g.P[0] - g.P[1])
			worstPair = max(worstPair, d)
			if d > 0.08 {
				t.Errorf("%q, then %q: gone %.3f, want %.3f", g.Old, g.New, got[0].Gone(), g.P[0]+g.P[1])
			}
			continue
		}
		sentences, found, err := r.Read(g.Speaker, g.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range g.Sentences {
			start, end := bytesAt(g.Text, want.Start), bytesAt(g.Text, want.End)
			i := slices.IndexFunc(sentences, func(s reader.Sentence) bool { return s.Start == start && s.End == end })
			if i < 0 {
				t.Errorf("no sentence %q", g.Text[start:end])
				continue
			}
			d := math.Abs(sentences[i].Confidence - 1 + want.P[0])
			worst = max(worst, d)
			if d > 0.08 {
				t.Errorf("%q: %.3f, want %.3f", g.Text[start:end], sentences[i].Confidence, 1-want.P[0])
			}
		}
		for _, n := range g.Names {
			start, end := bytesAt(g.Text, int(n[0].(float64))), bytesAt(g.Text, int(n[1].(float64)))
			names++
			if slices.ContainsFunc(found, func(f reader.Name) bool { return f.Start == start && f.End == end && f.Kind == n[2] }) {
				sameNames++
			}
		}
	}
	t.Logf("worst difference of a sentence %.3f, of a pair %.3f; %d of %d names are the same", worst, worstPair, sameNames, names)
	if sameNames*100 < names*95 {
		t.Errorf("%d of %d names are the same", sameNames, names)
	}
}

// splitSpeaker undoes "speaker: text".
func splitSpeaker(line string) reader.Statement {
	speaker, text, _ := strings.Cut(line, ": ")
	return reader.Statement{Speaker: speaker, Text: text}
}

func TestReadsPlainCases(t *testing.T) {
	t.Parallel()
	r := reader.New(words)
	levels, err := r.Levels()
	if err != nil {
		t.Fatal(err)
	}
	kept := func(text string) (n int) {
		sentences, _, err := r.Read("Nadia", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sentences {
			if s.Confidence >= levels.Keep {
				n++
			}
		}
		return n
	}
	for _, text := range []string{
		"I'm allergic to penicillin.", "I moved to Porto in May.", "My daughter Lena starts school in September.",
	} {
		if kept(text) == 0 {
			t.Errorf("%q is not worth keeping", text)
		}
	}
	for _, text := range []string{
		"haha yes", "What time is it?", "Can you write a poem about the sea?", "", "   ", "ok thanks!",
	} {
		if kept(text) != 0 {
			t.Errorf("%q is worth keeping", text)
		}
	}
	rel, err := r.Relations([]reader.Statement{
		{Speaker: "Nadia", Text: "I live in Lisbon."}, {Speaker: "Nadia", Text: "My sister lives in Porto."},
	}, reader.Statement{Speaker: "Nadia", Text: "I live in Porto now."})
	if err != nil {
		t.Fatal(err)
	}
	if rel[0].Gone() < levels.Replace || rel[1].Gone() >= levels.Replace {
		t.Errorf("home %.2f, sister %.2f; level %.2f", rel[0].Gone(), rel[1].Gone(), levels.Replace)
	}
}

// Sentences follow each other and stay inside the text, whatever it holds, also where it is longer than the model reads at once.
func TestSentencesStandInTheText(t *testing.T) {
	t.Parallel()
	r := reader.New(words)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringN(0, 300, -1),
			rapid.Map(rapid.IntRange(1, 60), func(n int) string { return strings.Repeat("Ann's cat is 3 – no, 4. Dr. Ito\n said so;  ok?! ", n) }),
		).Draw(t, "text")
		sentences, names, err := r.Read("", text)
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for _, s := range sentences {
			if s.Start < before || s.End <= s.Start || s.End > len(text) || s.Confidence < 0 || s.Confidence > 1 {
				t.Fatalf("%+v behind %d in a text of %d", s, before, len(text))
			}
			before = s.End
		}
		for _, n := range names {
			if n.Start < 0 || n.End <= n.Start || n.End > len(text) || utf8.ValidString(text) && !utf8.ValidString(text[n.Start:n.End]) {
				t.Fatalf("%+v", n)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	r := reader.New(words)
	const text = "I moved to Porto in May, the flat is small but the light is great. Tomas visits on Fridays. Need to call the landlord about the boiler."
	b.Run("message", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := r.Read("Nadia", text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pair", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Relations([]reader.Statement{{Speaker: "Nadia", Text: "I live in Lisbon."}}, reader.Statement{Speaker: "Nadia", Text: "I moved to Porto last week."}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
