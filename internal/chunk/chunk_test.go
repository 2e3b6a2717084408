package chunk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/chunk"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/token"
)

func words(s string) int { return len(strings.Fields(s)) }

func of(doc chunk.Document, cs []chunk.Chunk) []string {
	var out []string
	for _, c := range cs {
		out = append(out, doc.Text[c.Start:c.End])
	}
	return out
}

// check holds every promise of Split for any input.
func check(t interface{ Fatalf(string, ...any) }, doc chunk.Document, opts chunk.Options) []chunk.Chunk {
	chunks := chunk.Split(doc, opts)
	count, limit := opts.Count, opts.MaxTokens
	if count == nil {
		count = token.Estimate
	}
	if limit == 0 {
		limit = 480
	}
	reached, start := 0, -1
	for i, c := range chunks {
		if c.Seq != i || c.Start <= start || c.End <= reached || c.Start >= c.End || c.End > len(doc.Text) {
			t.Fatalf("chunk %d [%d,%d) after [%d,%d)", i, c.Start, c.End, start, reached)
		}
		body := doc.Text[c.Start:c.End]
		if !utf8.ValidString(body) || strings.TrimSpace(body) != body {
			t.Fatalf("chunk %d is cut badly: %q", i, body)
		}
		if c.Start > reached && strings.TrimSpace(doc.Text[reached:c.Start]) != "" {
			t.Fatalf("lost before chunk %d: %q", i, doc.Text[reached:c.Start])
		}
		if n := count(body); n != c.Tokens || n > limit && utf8.RuneCountInString(body) > 1 {
			t.Fatalf("chunk %d has %d tokens, says %d, limit %d: %q", i, n, c.Tokens, limit, body)
		}
		if want := max(0, reached-c.Start); c.Shared < want {
			t.Fatalf("chunk %d shares %d bytes, says %d", i, want, c.Shared)
		}
		if want := 1 + strings.Count(doc.Text[:c.Start], "\n"); c.Lines[0] != want || c.Lines[1] != want+strings.Count(body, "\n") {
			t.Fatalf("chunk %d is on lines %v, want %d", i, c.Lines, want)
		}
		if c.Kind == "" || (c.Page > 0) != (len(doc.Marks) > 0) {
			t.Fatalf("chunk %d: kind %q, page %d", i, c.Kind, c.Page)
		}
		start, reached = c.Start, c.End
	}
	if strings.TrimSpace(doc.Text[reached:]) != "" {
		t.Fatalf("lost at the end: %q", doc.Text[reached:])
	}
	return chunks
}

var types = []string{chunk.TypeText, chunk.TypeMarkdown, chunk.TypeHTML, chunk.TypeCode, chunk.TypeJSON, chunk.TypeCSV, chunk.TypeTranscript, "other"}

func TestSplitKeepsItsPromises(t *testing.T) { // H-9, M-1: coverage, exact offsets, limit, order
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"word ", "Another sentence here. ", "x", "\n", "\n\n", "# Head\n", "## Sub\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "| 3 | 4 |\n",
		"```go\n", "```\n", "- item\n", "func f() {\n", "}\n", "class A:\n", "    def m(self):\n", "        pass\n", "{\n", "  \"k\": 1,\n", "a,b,c\n", "Anna: hi there\n",
		"[00:01:02] Bob: yes\n", "是的。", "é", "👩‍👩‍👧", "!", "? ", "(", "\"", "'", "/* ", "*/", "`", "\\", "\"\"\"\n", "\t", "// c\n", "@d\n", "loooooooooooooooooooooong", "---\n", "\u00a0",
	})
	counts := map[string]func(string) int{
		"words": words, "estimate": token.Estimate, "bytes": func(s string) int { return len(s) },
		"framed": func(s string) int { return token.Estimate(s) + 2 },
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := chunk.Document{
			Text: strings.Join(rapid.SliceOf(part).Draw(t, "parts"), ""), Type: rapid.SampledFrom(types).Draw(t, "type"),
			Language: rapid.SampledFrom([]string{"", "Go", "Python", "JavaScript", "Rust", "SQL", "Ruby"}).Draw(t, "language"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "pages") {
			doc.Marks = append(doc.Marks, chunk.Mark{Offset: rapid.IntRange(0, len(doc.Text)).Draw(t, "page"), Page: 1})
		}
		slices.SortFunc(doc.Marks, func(a, b chunk.Mark) int { return a.Offset - b.Offset })
		name := rapid.SampledFrom([]string{"words", "estimate", "bytes", "framed"}).Draw(t, "count")
		opts := chunk.Options{MaxTokens: rapid.IntRange(4, 60).Draw(t, "max"), Overlap: rapid.IntRange(-1, 30).Draw(t, "overlap"), Count: counts[name]}
		check(t, doc, opts)
	})
}

func FuzzChunk(f *testing.F) {
	for i, s := range []string{"", "One. Two.\n\nThree.", "# A\nb\n## C\n|x|\n|-|\n|y|", "", "package p\nfunc f() {}\n", "{\n \"a\": [\n 1\n ]\n}", "a,b\n1,2", "A: x\nB: y"} {
		f.Add(s, i, 7, 3)
	}
	f.Fuzz(func(t *testing.T, s string, kind, limit, overlap int) {
		if !utf8.ValidString(s) || len(s) > 1<<15 {
			return
		}
		doc := chunk.Document{Text: s, Type: types[uint(kind)%uint(len(types))], Language: []string{"Go", "", "Python", "Rust"}[uint(kind)/7%4]}
		if kind&64 != 0 {
			doc.Marks = []chunk.Mark{{Page: 1}, {Offset: len(s) / 2, Page: 2}}
		}
		check(t, doc, chunk.Options{MaxTokens: 1 + int(uint(limit)%100), Overlap: overlap % 60})
	})
}

func prose(sentences int) string {
	var b strings.Builder
	for i := range sentences {
		fmt.Fprintf(&b, "This is sentence number %d of a text about the harbour, its boats and Dr. Miller's 3.5 tons of fish. ", i)
		if i%9 == 8 {
			b.WriteString("\n\n")
		}
	}
	return text.Clean(b.String())
}

func TestSentencesStayWholeAndNeighboursShare(t *testing.T) { // H-9
	t.Parallel()
	var counter token.Counter
	doc := chunk.Document{Text: prose(200), Type: chunk.TypeText}
	chunks := check(t, doc, chunk.Options{Count: counter.Count})
	if len(chunks) < 8 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		body := doc.Text[c.Start:c.End]
		if !strings.HasPrefix(body, "This is sentence") || !strings.HasSuffix(body, "fish.") {
			t.Errorf("chunk %d breaks a sentence: %q", i, body)
		}
		if i+1 < len(chunks) && c.Tokens < 240 {
			t.Errorf("chunk %d has only %d tokens", i, c.Tokens)
		}
		if i == 0 {
			continue
		}
		shared := counter.Count(doc.Text[c.Start:chunks[i-1].End])
		if shared < 20 || shared > 60 {
			t.Errorf("chunks %d and %d share %d tokens", i-1, i, shared)
		}
	}
}

func TestOverlapOfM(t *testing.T) { // M-1: 480 and 120
	t.Parallel()
	doc := chunk.Document{Text: prose(100)}
	chunks := check(t, doc, chunk.Options{MaxTokens: 480, Overlap: 120})
	for i := 1; i < len(chunks); i++ {
		if n := token.Estimate(doc.Text[chunks[i].Start:chunks[i-1].End]); n < 80 || n > 125 {
			t.Errorf("chunks %d and %d share %d tokens", i-1, i, n)
		}
	}
}

func TestLongSentenceIsCutAtClausesThenWords(t *testing.T) {
	t.Parallel()
	clauses := strings.Repeat("and the boats that came home late, ", 40) + "slept."
	for i, c := range check(t, chunk.Document{Text: clauses}, chunk.Options{MaxTokens: 60, Count: words}) {
		if body := clauses[c.Start:c.End]; !strings.HasSuffix(body, ",") && !strings.HasSuffix(body, ".") {
			t.Errorf("chunk %d not cut at a clause: %q", i, body)
		}
	}
	plain := strings.TrimSpace(strings.Repeat("boats home late ", 100))
	for i, c := range check(t, chunk.Document{Text: plain}, chunk.Options{MaxTokens: 33, Count: words}) {
		if c.End < len(plain) && plain[c.End] != ' ' {
			t.Errorf("chunk %d cut inside a word: %q", i, plain[c.Start:c.End])
		}
	}
}

const guide = `# Guide

Intro line.

## Install

Run the installer. It asks two questions.

### Linux

Use the package.

| system | command |
|--------|---------|
| debian | apt     |
| arch   | pacman  |

## Use

` + "```sh\n# not a heading\nlukasa serve\n\nlukasa add docs\n```\n"

func TestMarkdownHeadings(t *testing.T) { // D-10
	t.Parallel()
	doc := chunk.Document{Text: guide, Type: chunk.TypeMarkdown}
	var got []string
	for _, c := range check(t, doc, chunk.Options{}) {
		got = append(got, fmt.Sprintf("%s | %s | %.12q", strings.Join(c.Heading, " > "), c.Kind, doc.Text[c.Start:c.End]))
	}
	want := []string{
		`Guide > Install > Linux | table | "# Guide\n\nInt"`,
		`Guide > Use | code | "## Use\n\n` + "```s\"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = nil
	for _, c := range check(t, doc, chunk.Options{MaxTokens: 60}) {
		got = append(got, strings.Join(c.Heading, " > "))
	}
	want = []string{"Guide > Install", "Guide > Install > Linux", "Guide > Use"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTablesAndFencesStayWholeWhenTheyFit(t *testing.T) { // D-10
	t.Parallel()
	table := "| name | city |\n|---|---|\n" + strings.Repeat("| Anna | Lisbon |\n", 12)
	fence := "```py\n" + strings.Repeat("call(1)\n\n", 12) + "```\n"
	filler := strings.Repeat("A filler sentence stands here. ", 25)
	doc := chunk.Document{Text: text.CleanAs("# T\n\n"+filler+"\n\n"+table+"\n"+filler+"\n\n"+fence+"\n"+filler, text.Markdown), Type: chunk.TypeMarkdown}
	bodies := of(doc, check(t, doc, chunk.Options{MaxTokens: 200}))
	for _, whole := range []string{table, fence} {
		if !slices.ContainsFunc(bodies, func(b string) bool { return strings.Contains(b, strings.TrimSpace(whole)) }) {
			t.Errorf("broken: %.30q in %q", whole, bodies)
		}
	}
	long := chunk.Document{Text: "| name | city |\n|---|---|\n" + strings.TrimSpace(strings.Repeat("| Anna Maria | Lisbon |\n", 200)), Type: chunk.TypeMarkdown}
	chunks := check(t, long, chunk.Options{MaxTokens: 100})
	for i, c := range chunks {
		body := long.Text[c.Start:c.End]
		if !strings.HasSuffix(body, "|") || !strings.HasPrefix(body, "|") || i > 0 && c.Context != "| name | city |\n|---|---|" || i > 0 && c.Shared > 0 {
			t.Errorf("chunk %d: context %q shared %d %q", i, c.Context, c.Shared, body)
		}
	}
}

func TestPages(t *testing.T) { // D-10
	t.Parallel()
	one, two := "Page one says this. It ends here.", "Page two says that."
	doc := chunk.Document{Text: one + "\n\n" + two, Marks: []chunk.Mark{{Page: 1}, {Offset: len(one) + 2, Page: 2, Place: "p2"}}}
	chunks := check(t, doc, chunk.Options{})
	if diff := cmp.Diff([]string{one, two}, of(doc, chunks)); diff != "" || chunks[0].Page != 1 || chunks[1].Page != 2 || chunks[1].Place != "p2" {
		t.Errorf("%s %+v", diff, chunks)
	}
	torn := "This sentence runs over the"
	doc = chunk.Document{Text: torn + "\n" + "bound of a page. Next.", Marks: []chunk.Mark{{Page: 1}, {Offset: len(torn) + 1, Page: 2}}}
	got := check(t, doc, chunk.Options{})
	if diff := cmp.Diff([]string{torn + "\nbound of a page.", "Next."}, of(doc, got)); diff != "" || got[0].Page != 1 || got[1].Page != 2 {
		t.Errorf("%s %+v", diff, got)
	}
	doc.Text = "First. " + torn + "\n\nbound of a page. Next. Last.\n\nMore." // the break stands between two paragraphs
	doc.Marks[1].Offset = len("First. "+torn) + 2
	got = check(t, doc, chunk.Options{})
	if diff := cmp.Diff([]string{"First. " + torn + "\n\nbound of a page.", "Next. Last.\n\nMore."}, of(doc, got)); diff != "" || got[0].Page != 1 || got[1].Page != 2 {
		t.Errorf("%s %+v", diff, got)
	}
}

func TestTranscript(t *testing.T) { // D-10
	t.Parallel()
	turn := "I said a few things about the plan. They were short. "
	doc := chunk.Document{Text: strings.TrimSpace(strings.Repeat("Anna: "+turn+"\nBob: "+turn+"\n", 20)), Type: chunk.TypeTranscript}
	for i, c := range check(t, doc, chunk.Options{MaxTokens: 80}) {
		if own := doc.Text[c.Start+c.Shared:]; !strings.HasPrefix(own, "Anna: ") && !strings.HasPrefix(own, "Bob: ") || c.Kind != chunk.KindTurn {
			t.Errorf("chunk %d is not cut at a turn: %q", i, doc.Text[c.Start:c.End])
		}
	}
	vtt := "00:00:01.000 --> 00:00:04.000\nAnna: hello\n\n00:00:05.000 --> 00:00:06.000\nBob: yes"
	if got := of(chunk.Document{Text: vtt}, chunk.Split(chunk.Document{Text: vtt, Type: chunk.TypeTranscript}, chunk.Options{MaxTokens: 30})); len(got) != 2 {
		t.Errorf("time windows: %q", got)
	}
}

func TestData(t *testing.T) { // D-10
	t.Parallel()
	doc := chunk.Document{Text: "name,city\n" + strings.TrimSpace(strings.Repeat("Anna Maria,Lisbon\n", 100)), Type: chunk.TypeCSV}
	for i, c := range check(t, doc, chunk.Options{MaxTokens: 60}) {
		if body := doc.Text[c.Start:c.End]; !strings.HasSuffix(body, "Lisbon") || i > 0 && c.Context != "name,city" || c.Kind != chunk.KindRow {
			t.Errorf("chunk %d: %q %q %q", i, c.Kind, c.Context, body)
		}
	}
	record := "  {\n    \"name\": \"Anna\",\n    \"tags\": [\n      \"a\"\n    ]\n  },\n"
	doc = chunk.Document{Text: "[\n" + strings.Repeat(record, 30) + "  null\n]", Type: chunk.TypeJSON}
	for i, c := range check(t, doc, chunk.Options{MaxTokens: 80}) {
		if body := doc.Text[c.Start:c.End]; i > 0 && !strings.HasPrefix(body, "{\n    \"name\"") && !strings.HasPrefix(body, "null") {
			t.Errorf("chunk %d does not begin with a record: %q", i, body)
		}
	}
	doc = chunk.Document{Text: "{\n  \"first\": {\n    \"a\": 1\n  },\n  \"second\": [\n    2\n  ]\n}", Type: chunk.TypeJSON}
	chunks := check(t, doc, chunk.Options{MaxTokens: 16})
	if len(chunks) != 2 || !slices.Equal(chunks[1].Heading, []string{"second"}) {
		t.Errorf("%+v", chunks)
	}
}

type piece struct{ Kind, Symbol, First string }

func pieces(t *testing.T, source, language string, limit int) []piece {
	t.Helper()
	doc := chunk.Document{Text: source, Type: chunk.TypeCode, Language: language}
	var got []piece
	for _, c := range check(t, doc, chunk.Options{MaxTokens: limit}) {
		first, _, _ := strings.Cut(doc.Text[c.Start:c.End], "\n")
		got = append(got, piece{c.Kind, c.Symbol, first})
	}
	return got
}

func TestCodeByFunctionAndClass(t *testing.T) { // H-4, D-10
	t.Parallel()
	for name, row := range map[string]struct {
		language, source string
		limit            int
		want             []piece
	}{
		"go": {"Go", "package p\n\nimport \"fmt\"\n\n// A floats.\n\n// T is a type.\ntype T struct{ a int } // tail\n\n// Close closes.\nfunc (t *T[K]) Close() {\n\tfmt.Println(`}`)\n}\n\nvar x = 1\n\nfunc main() {}\n", 480, []piece{
			{"code", "", "package p"}, {"class", "T", "// T is a type."}, {"function", "T.Close", "// Close closes."}, {"code", "", "var x = 1"}, {"function", "main", "func main() {}"},
		}},
		"go that does not parse": {"Go", "package p\n\nfunc a() {\n\tx :=\n}\n\n// b does.\nfunc (t *T) b() {\n}\n", 480, []piece{
			{"code", "", "package p"}, {"function", "a", "func a() {"}, {"function", "T.b", "// b does."},
		}},
		"python": {"Python", "import os\n\nX = 1\n\n# Says hello.\n@cache\ndef hello(a,\n          b):\n    \"\"\"Doc\ndef not_me():\n    \"\"\"\n# stray comment\n    return a\n\nclass A(B):\n    def m(self):\n        pass\n\nhello()\n", 480, []piece{
			{"code", "", "import os"}, {"function", "hello", "# Says hello."}, {"class", "A", "class A(B):"}, {"code", "", "hello()"},
		}},
		"python class too long": {"Python", "class A(B):\n    \"\"\"Doc.\"\"\"\n    x = 1\n\n    def one(self):\n" + strings.Repeat("        self.x += 1\n", 8) + "\n    # Two.\n    async def two(self):\n" + strings.Repeat("        self.y += 1\n", 8), 80, []piece{
			{"class", "A", "class A(B):"}, {"function", "A.one", "def one(self):"}, {"function", "A.two", "# Two."},
		}},
		"javascript": {"JavaScript", "import x from 'y';\n\n/**\n * Adds.\n */\nexport async function add(a, b) {\n  return `}${a}` + '{';\n}\n\nconst mul = (a, b) => {\n  return a * b;\n};\n\nexport default class Foo extends Bar {\n  go(a) {\n    if (a) { run(); }\n  }\n}\n\ndescribe('x', () => {\n  it();\n});\n", 480, []piece{
			{"code", "", "import x from 'y';"}, {"function", "add", "/**"}, {"function", "mul", "const mul = (a, b) => {"}, {"class", "Foo", "export default class Foo extends Bar {"}, {"code", "", "describe('x', () => {"},
		}},
		"java class too long": {"Java", "package a;\n\npublic class Foo {\n  private int x;\n\n  /** One. */\n  @Override\n  public int one(int a,\n      int b) {\n" + strings.Repeat("    x += a;\n", 12) + "  }\n\n  void two() {\n" + strings.Repeat("    x -= 1;\n", 12) + "  }\n}\n", 110, []piece{
			{"code", "", "package a;"}, {"class", "Foo", "public class Foo {"}, {"function", "Foo.one", "/** One. */"}, {"function", "Foo.two", "void two() {"},
		}},
		"rust": {"Rust", "use std::io;\n\n#[derive(Debug)]\npub struct P<'a> {\n    n: &'a str,\n}\n\nimpl<'a> P<'a> {\n    pub fn new(n: &'a str) -> Self { P { n } }\n}\n\npub(crate) fn run<'a>(x: &'a str) -> char {\n    '{'\n}\n", 480, []piece{
			{"code", "", "use std::io;"}, {"class", "P", "#[derive(Debug)]"}, {"class", "P", "impl<'a> P<'a> {"}, {"function", "run", "pub(crate) fn run<'a>(x: &'a str) -> char {"},
		}},
		"c": {"C", "#include <stdio.h>\n\nstatic int add(int a,\n               int b)\n{\n    return a + b;\n}\n\nint main(void) {\n    puts(\"}\");\n    return add(1, 2);\n}\n", 480, []piece{
			{"code", "", "#include <stdio.h>"}, {"function", "add", "static int add(int a,"}, {"function", "main", "int main(void) {"},
		}},
		"ruby": {"Ruby", "require 'x'\n\n# Says.\ndef say(a)\n  puts a\nend\n\nclass A\n  def b; end\nend\n", 480, []piece{
			{"code", "", "require 'x'"}, {"function", "say", "# Says."}, {"class", "A", "class A"},
		}},
		"sql": {"SQL", "-- Users.\nCREATE TABLE IF NOT EXISTS users (\n  id INT\n);\n\nCREATE VIEW v AS\n  SELECT 1;\n", 480, []piece{
			{"function", "users", "-- Users."}, {"function", "v", "CREATE VIEW v AS"},
		}},
		"shell": {"Shell", "#!/bin/sh\nset -e\n\n# Builds.\nbuild() {\n  make\n}\n\nbuild\n", 480, []piece{
			{"code", "", "#!/bin/sh"}, {"function", "build", "# Builds."}, {"code", "", "build"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, pieces(t, row.source, row.language, row.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongFunctionBreaksBetweenLines(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("\tif a {\n\t\tb = c(d, e)\n\t}\n\n", 60)
	doc := chunk.Document{Text: "package p\n\nfunc long() {\n" + body + "}\n", Type: chunk.TypeCode, Language: "Go"}
	for i, c := range check(t, doc, chunk.Options{MaxTokens: 120}) {
		own := doc.Text[c.Start+c.Shared : c.End]
		if i > 1 && (c.Symbol != "long" || !strings.HasPrefix(own, "if a {")) {
			t.Errorf("chunk %d of %q begins badly: %q", i, c.Symbol, own)
		}
	}
}

// TestOwnSources cuts the sources of this module's packages, which hold what people write.
func TestOwnSources(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range []chunk.Document{{Text: string(data), Type: chunk.TypeCode, Language: "Go"}, {Text: string(data), Type: chunk.TypeCode, Language: "JavaScript"}, {Text: string(data), Type: chunk.TypeText}} {
			check(t, doc, chunk.Options{MaxTokens: 150})
		}
	}
}

// TestWorkIsLinear counts the bytes that Split hands to Count: a fixed multiple of
// the text, for ordinary and hostile input.
func TestWorkIsLinear(t *testing.T) { // 10 MB lines
	t.Parallel()
	for name, unit := range map[string]string{
		"prose": "The boats came home. ", "line": "a", "words": "ab ", "wide": "是", "dots": ".", "brackets": "{", "blank": " \n", "rows": "a,b\n",
		"heads": "# a\n", "functions": "def f():\n  x\n", "nest": " {\n",
	} {
		for _, typ := range types {
			var work [2]float64
			for i, size := range []int{1 << 16, 1 << 18} {
				seen := 0
				doc := chunk.Document{Text: strings.Repeat(unit, size/len(unit)), Type: typ, Language: "Python"}
				chunk.Split(doc, chunk.Options{Count: func(s string) int { seen += len(s); return len(s)/4 + 1 }})
				work[i] = float64(seen) / float64(len(doc.Text))
			}
			if work[1] > 12 || work[1] > 1.2*work[0]+0.5 {
				t.Errorf("%s as %s: counted %.1f and %.1f times the text", name, typ, work[0], work[1])
			}
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	text := prose(10 << 20 / 105)
	line := strings.Repeat("a", 10<<20)
	for name, doc := range map[string]chunk.Document{
		"text": {Text: text}, "markdown": {Text: text, Type: chunk.TypeMarkdown}, "line": {Text: line},
		"code": {Text: strings.Repeat("function f(a) {\n  return a + 1;\n}\n\n", 10<<20/35), Type: chunk.TypeCode, Language: "JavaScript"},
		"csv":  {Text: strings.Repeat("name: Anna; city: Lisbon\n", 10<<20/25), Type: chunk.TypeCSV},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc.Text)))
			for b.Loop() {
				chunk.Split(doc, chunk.Options{})
			}
		})
	}
}
