package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func sentences(s string) []string {
	var out []string
	for p := range text.Sentences(s) {
		out = append(out, p.Of(s))
	}
	return out
}

func TestSentences(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"":                                      nil,
		" \n\t ":                                nil,
		"One. Two! Three? Four":                 {"One.", "Two!", "Three?", "Four"},
		"Dr. Smith met Mr. Jones. They talked.": {"Dr. Smith met Mr. Jones.", "They talked."},
		"It costs 3.14 euros. Version 2.0.1 is out.":  {"It costs 3.14 euros.", "Version 2.0.1 is out."},
		"See https://a.example/x?y=1.2. Then go.":     {"See https://a.example/x?y=1.2.", "Then go."},
		"Mail bob@acme.example. He answers.":          {"Mail bob@acme.example.", "He answers."},
		"Wait... what? Well… yes.":                    {"Wait... what?", "Well… yes."},
		"He left... Then he came back.":               {"He left...", "Then he came back."},
		`"Really?" he asked. "Yes." She nodded.`:      {`"Really?" he asked.`, `"Yes."`, "She nodded."},
		"I use tools, e.g. hammers, i.e. heavy ones.": {"I use tools, e.g. hammers, i.e. heavy ones."},
		"J. R. R. Tolkien wrote it. I read it.":       {"J. R. R. Tolkien wrote it.", "I read it."},
		"He lives in the U.S. He likes it.":           {"He lives in the U.S.", "He likes it."},
		"The U.S. Senate met at 5 p.m. Monday.":       {"The U.S. Senate met at 5 p.m. Monday."},
		"Tools, nails, etc. The rest is here.":        {"Tools, nails, etc.", "The rest is here."},
		"See Fig. 3 and No. 5. Done.":                 {"See Fig. 3 and No. 5.", "Done."},
		"Am 5. Mai kam er. Dann ging er.":             {"Am 5. Mai kam er.", "Dann ging er."},
		"Das ist z.B. so. Gut.":                       {"Das ist z.B. so.", "Gut."},
		"我住在北京。你呢？很好！":                                {"我住在北京。", "你呢？", "很好！"},
		"彼は「はい。」と言った。次。":                              {"彼は「はい。」", "と言った。", "次。"},
		"मैं दिल्ली में रहता हूँ। आप कैसे हैं?": {"मैं दिल्ली में रहता हूँ।", "आप कैसे हैं?"},
		"هل أنت بخير؟ نعم.":                             {"هل أنت بخير؟", "نعم."},
		"i went home. then i slept.":                    {"i went home.", "then i slept."},
		"Approx. half of it. Rest.":                     {"Approx. half of it.", "Rest."},
		"- eggs\n- milk\n- a long list of other things": {"- eggs", "- milk", "- a long list of other things"},
		"1. First do this.\n2. Then that.":              {"1. First do this.", "2. Then that."},
		"A heading\n\nSome text":                        {"A heading", "Some text"},
		"Milk\nEggs\nBread":                             {"Milk", "Eggs", "Bread"},
		"This line is wrapped at a column and so goes on in New\nYork without a stop. End.": {
			"This line is wrapped at a column and so goes on in New\nYork without a stop.", "End.",
		},
		"It is long enough to be wrapped somewhere. The New\nYork office is open.": {
			"It is long enough to be wrapped somewhere.", "The New\nYork office is open.",
		},
		"(He left.) She stayed.":  {"(He left.)", "She stayed."},
		"**Bold end.** Next one.": {"**Bold end.**", "Next one."},
		"Yes?! No!!! Maybe.":      {"Yes?!", "No!!!", "Maybe."},
	}
	for in, want := range cases {
		if diff := cmp.Diff(want, sentences(in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

// checkSpans fails unless spans are ordered, apart, tight, on rune bounds and
// cover everything but white space.
func checkSpans(t interface{ Fatalf(string, ...any) }, s string, spans []text.Span) {
	at := 0
	for _, p := range spans {
		if p.Start < at || p.End <= p.Start || p.End > len(s) {
			t.Fatalf("span %v after %d of %d", p, at, len(s))
		}
		if gap := s[at:p.Start]; strings.TrimSpace(gap) != "" {
			t.Fatalf("not covered: %q", gap)
		}
		if p.End < len(s) && !utf8.RuneStart(s[p.End]) || !utf8.RuneStart(s[p.Start]) {
			t.Fatalf("span %v not on rune bounds", p)
		}
		at = p.End
	}
	if gap := s[at:]; strings.TrimSpace(gap) != "" {
		t.Fatalf("not covered: %q", gap)
	}
}

func checkSentences(t interface{ Fatalf(string, ...any) }, s string) {
	var spans []text.Span
	for p := range text.Sentences(s) {
		spans = append(spans, p)
		if w := p.Of(s); strings.TrimSpace(w) != w {
			t.Fatalf("loose span %q", w)
		}
		if p.End < len(s) {
			l, _ := utf8.DecodeLastRuneInString(s[:p.End])
			r, _ := utf8.DecodeRuneInString(s[p.End:])
			if (unicode.IsLetter(l) || unicode.IsDigit(l)) && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				t.Fatalf("cut inside a word: %q|%q", s[p.Start:p.End], s[p.End:min(len(s), p.End+9)])
			}
		}
	}
	checkSpans(t, s, spans)
	spans = spans[:0]
	for p := range text.Paragraphs(s) {
		spans = append(spans, p)
	}
	checkSpans(t, s, spans)
	spans = spans[:0]
	for b := range text.MarkdownBlocks(s) {
		spans = append(spans, b.Span)
		if b.Kind == text.BlockTable && (b.Head < b.Start || b.Head > len(s)) {
			t.Fatalf("table head %d outside %v", b.Head, b.Span)
		}
	}
	checkSpans(t, s, spans)
}

func TestSentencesCoverEverything(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"a", "Bob", " ", "  ", "\n", "\n\n", ".", "!", "?", "…", "。", "？", "\"", "”", ")", "1", "3.14",
		"e.g.", "U.S.", "https://x.example/a?b.c", "- ", "1. ", "#", "# ", "|", "|-|-|", "```", "---", "是", "é", "\u00a0", "。」", "=", "> ", "\t",
	})
	rapid.Check(t, func(t *rapid.T) {
		checkSentences(t, strings.Join(rapid.SliceOf(part).Draw(t, "parts"), ""))
	})
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"", "One. Two.", "Dr. A. e.g. 1. b\n2. c", "「。」", "a.\u2029b", "|a|\n|-|\n|b|", "x\n===", "```\ny", "---\na: 1\n---\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) {
			checkSentences(t, s)
		}
	})
}

func TestMarkdownBlocks(t *testing.T) {
	t.Parallel()
	in := "---\ntitle: x\n---\n# One *two* [three](http://x)\n\nPara line\nmore.\n\nSetext\n------\n\n- a\n  more a\n- b\n\n" +
		"| h | i |\n|---|---|\n| 1 | 2 |\n\n> quote\n> on\n\n```go\n# not a heading\n\n| x |\n```\nend\n"
	type block struct {
		Kind  text.BlockKind
		Of    string
		Level int
		Text  string
	}
	var got []block
	for b := range text.MarkdownBlocks(in) {
		got = append(got, block{b.Kind, b.Of(in), b.Level, b.Text})
	}
	want := []block{
		{text.BlockFrontMatter, "---\ntitle: x\n---", 0, ""},
		{text.BlockHeading, "# One *two* [three](http://x)", 1, "One two three"},
		{text.BlockParagraph, "Para line\nmore.", 0, ""},
		{text.BlockHeading, "Setext\n------", 2, "Setext"},
		{text.BlockItem, "- a\n  more a", 0, ""},
		{text.BlockItem, "- b", 0, ""},
		{text.BlockTable, "| h | i |\n|---|---|\n| 1 | 2 |", 0, ""},
		{text.BlockQuote, "> quote\n> on", 0, ""},
		{text.BlockCode, "```go\n# not a heading\n\n| x |\n```", 0, "go"},
		{text.BlockParagraph, "end", 0, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlainMarkdown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"**A** _b_ `c_d` snake_case": "A b c_d snake_case",
		"![alt](x.png) [t][ref] \\*": "alt t *",
		"a  \n b":                    "a b",
		"5 [sic] !x":                 "5 sic !x",
	} {
		if got := text.PlainMarkdown(in); got != want {
			t.Errorf("PlainMarkdown(%q) = %q, want %q", in, got, want)
		}
	}
}

// BenchmarkLongLines shows that cost a byte does not grow with the input: run
// with 1 and 10 MB of ordinary and of hostile text.
func BenchmarkLongLines(b *testing.B) {
	for name, unit := range map[string]string{
		"prose": "The quick brown fox, e.g. Dr. Fox, jumps over 3.14 dogs. ", "word": "a", "dots": ". ", "newlines": "\n \n",
		"quotes": "\"'", "initials": "A. ", "pipes": "|a\n|-\n", "fences": "```\n", "hashes": "#\n",
	} {
		for _, mb := range []int{1, 10} {
			s := strings.Repeat(unit, mb<<20/len(unit))
			b.Run(name+"/"+map[int]string{1: "1MB", 10: "10MB"}[mb], func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					for range text.Sentences(s) {
					}
					for range text.Paragraphs(s) {
					}
					for range text.MarkdownBlocks(s) {
					}
					text.Clean(s)
				}
			})
		}
	}
}
