package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

func run(t *testing.T, in extract.Input) extract.Output {
	t.Helper()
	out, err := extract.With().Extract(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestChoosesByContentThenName(t *testing.T) { // D-9
	t.Parallel()
	for name, row := range map[string]struct {
		data, file, declared, want, language string
	}{
		"plain":             {"I live in Lisbon and work at the harbour.", "", "", "text", "en"},
		"declared text":     {"# not a heading", "", "text", "text", "und"},
		"text/plain json":   {`{"a": 1}`, "", "text/plain", "text", "und"},
		"markdown sniffed":  {"# Title\n\n- a\n- b\n", "", "", "markdown", "und"},
		"markdown named":    {"Only words.", "notes.md", "", "markdown", "und"},
		"markdown declared": {"Only words.", "", "text/markdown; charset=utf-8", "markdown", "und"},
		"html sniffed":      {"<!DOCTYPE html><p>Hello there</p>", "", "", "html", "und"},
		"html declared":     {"<b>Hello</b> there", "", "html", "html", "und"},
		"html that is none": {"just words", "", "text/html", "text", "und"},
		"json sniffed":      {`{"a": [1, 2]}`, "", "", "json", "und"},
		"json lines":        {"{\"a\":1}\n{\"a\":2}\n", "", "", "json", "und"},
		"broken json":       {`{"a": `, "x.json", "application/json", "text", "und"},
		"csv named":         {"a,b\n1,2\n", "t.csv", "", "csv", "und"},
		"csv sniffed":       {"name,age,city\nAnna,3,Rome\nBob,4,Bonn\n", "", "", "csv", "und"},
		"prose with commas": {"One, two. Three, four.\nFive, six. Seven, eight.\n", "", "", "text", "und"},
		"go named":          {"package main\n\nfunc main() {}\n", "main.go", "", "code", "Go"},
		"python as plain":   {"def f(x):\n    return x\n", "f.py", "text/plain", "code", "Python"},
		"code declared":     {"def f(self):\n    return 1\n", "", "code", "code", "Python"},
		"code sniffed":      {"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n", "", "", "code", "Go"},
		"script":            {"#!/bin/bash\necho hi\n", "run", "", "code", "Shell"},
		"yaml":              {"a: 1\nb: 2\n", "c.yaml", "", "code", "YAML"},
		"rust":              {"fn main() {\n    let mut x = 1;\n}\n", "", "code", "code", "Rust"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := run(t, extract.Input{Data: []byte(row.data), Name: row.file, DeclaredType: row.declared})
			if out.Type != row.want || row.language != "und" && out.Language != row.language {
				t.Errorf("type %q language %q", out.Type, out.Language)
			}
			if out.Title == "" {
				t.Error("no title")
			}
		})
	}
}

func TestRefusesBinary(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for name, row := range map[string]struct{ data, file, media string }{
		"png called txt": {png, "notes.txt", "image/png"},
		"pdf":            {"%PDF-1.7\nwords", "a.md", "application/pdf"},
		"docx":           {"PK\x03\x04\x14\x00word/document.xml\x00", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		"zip":            {"PK\x03\x04\x14\x00a.txt", "a.txt", "application/zip"},
		"gzip":           {"\x1f\x8b\x08\x00\x00", "a.html", "application/gzip"},
		"garbage":        {"\x01\x02\x03\x04\x05\x06\x07\x80\x81\x82\x83\xff\xfe\xfd" + strings.Repeat("\x10\x00\x91", 50), "", "application/octet-stream"},
		"program":        {"MZ\x90\x00\x03\x00\x00\x00", "x.txt", "application/vnd.microsoft.portable-executable"},
	} {
		_, err := extract.With().Extract(context.Background(), extract.Input{Data: []byte(row.data), Name: row.file, DeclaredType: "text/plain"})
		var unsupported *extract.UnsupportedError
		if !errors.Is(err, extract.ErrUnsupported) || !errors.As(err, &unsupported) || unsupported.Type != row.media {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out := run(t, extract.Input{Data: []byte("BMW makes cars, ID3 is a tag and MZ a mark.")}); out.Type != "text" {
		t.Errorf("words taken for a binary: %+v", out)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", " \n\t", "\x00\x00", "\ufeff", "<html><body><script>x</script></body></html>"} {
		if _, err := extract.With().Extract(context.Background(), extract.Input{Data: []byte(blank)}); !errors.Is(err, extract.ErrEmpty) {
			t.Errorf("%q: %v", blank, err)
		}
	}
	if _, err := extract.With().Extract(context.Background(), extract.Input{Data: make([]byte, 11), Limits: extract.Limits{MaxBytes: 10}}); !errors.Is(err, extract.ErrTooLarge) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := extract.With().Extract(ctx, extract.Input{Data: []byte("x")}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	want := "Größe für Zoë: naïve café, señor"
	var le, be []byte
	for _, u := range utf16.Encode([]rune(want)) {
		le = append(le, byte(u), byte(u>>8))
		be = append(be, byte(u>>8), byte(u))
	}
	latin := []byte{}
	for _, r := range want {
		latin = append(latin, byte(r))
	}
	page := append(append([]byte("<html><head><meta charset=iso-8859-1></head><body><p>"), latin...), "</p></body></html>"...)
	for name, in := range map[string]extract.Input{
		"utf-8 mark":      {Data: []byte("\ufeff" + want)},
		"utf-16le mark":   {Data: append([]byte{0xff, 0xfe}, le...)},
		"utf-16be mark":   {Data: append([]byte{0xfe, 0xff}, be...)},
		"utf-16le":        {Data: le},
		"utf-16be":        {Data: be},
		"latin-1":         {Data: latin},
		"latin-1 named":   {Data: latin, DeclaredType: "text/plain; charset=ISO-8859-1"},
		"latin-1 in html": {Data: page},
	} {
		out, err := extract.With().Extract(context.Background(), in)
		if err != nil || strings.TrimSpace(out.Text) != want {
			t.Errorf("%s: %q %v", name, out.Text, err)
		}
	}
	out := run(t, extract.Input{Data: []byte("good é and ü, bad \xff\xfe byte")})
	if out.Text != "good é and ü, bad \ufffd byte" || out.Metadata["warning"] == "" {
		t.Errorf("%q %v", out.Text, out.Metadata)
	}
	if out := run(t, extract.Input{Data: []byte("one\x00two")}); out.Text != "onetwo" {
		t.Errorf("NUL: %q", out.Text)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	out := run(t, extract.Input{Data: []byte("---\ntitle: \"The plan\"\nauthor: [Anna, Bob]\ndate: 2024-05-01\ntags:\n  - a\n  - b\nlang: de-AT\n---\n\n# Head\r\n\r\n\r\n\r\nText   \n"), Name: "p.md"})
	want := extract.Output{
		Text: "---\ntitle: \"The plan\"\nauthor: [Anna, Bob]\ndate: 2024-05-01\ntags:\n  - a\n  - b\nlang: de-AT\n---\n\n# Head\n\nText",
		Type: "markdown", Title: "The plan", Language: "de", Author: "Anna, Bob", Published: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC),
		Metadata: map[string]string{"title": "The plan", "author": "Anna, Bob", "date": "2024-05-01", "tags": "a, b", "lang": "de-AT"},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if out := run(t, extract.Input{Data: []byte("intro\n\n## Sub\n\n# Main *title*\n\ntext"), DeclaredType: "markdown"}); out.Title != "Main title" {
		t.Errorf("title %q", out.Title)
	}
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x,x]\n" + strings.Repeat("b: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n", 1) + "c: [*b,*b,*b,*b]\n---\ntext\n\n# x"
	run(t, extract.Input{Data: []byte(bomb), Name: "x.md"})
	if out := run(t, extract.Input{Data: []byte("---\n: [\n---\ntext"), Name: "x.md"}); out.Metadata["warning"] == "" {
		t.Error("no warning about bad front matter")
	}
}

func TestCodeIsUntouched(t *testing.T) { // H-4
	t.Parallel()
	code := "\tdef f():  \r\n\t\treturn 'x'   \n\n\n\n\n# end\n"
	out := run(t, extract.Input{Data: []byte(code), Name: "dir/f.py"})
	if out.Text != code || out.Language != "Python" || out.Title != "f.py" {
		t.Errorf("%+v", out)
	}
}

func TestJSON(t *testing.T) { // H-5
	t.Parallel()
	in := `{"id":12345678901234567890,"tags":["a","b"],"nested":{"z":1.50,"title":"inner","list":[{"q":null},[]]},"description":"What it is","title":"A thing","empty":{}}`
	out := run(t, extract.Input{Data: []byte(in), DeclaredType: "application/json"})
	want := `{
  "title": "A thing",
  "description": "What it is",
  "id": 12345678901234567890,
  "tags": ["a", "b"],
  "nested": {
    "title": "inner",
    "z": 1.50,
    "list": [
      {
        "q": null
      },
      []
    ]
  },
  "empty": {}
}`
	if diff := cmp.Diff(want, out.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if out.Title != "A thing" || out.Type != "json" {
		t.Errorf("%+v", out)
	}
}

func TestSocialPosts(t *testing.T) { // H-5
	t.Parallel()
	for name, in := range map[string]string{
		"x v1":     `{"created_at":"Wed Oct 10 20:19:24 +0000 2018","id":1,"full_text":"Boats &amp; harbours","user":{"name":"Anna Silva","screen_name":"anna"},"retweet_count":3,"favorite_count":12,"url":"https://x.example/1"}`,
		"x v2":     `{"data":{"id":"1","text":"Boats & harbours","author_id":"7","created_at":"2018-10-10T20:19:24.000Z","url":"https://x.example/1","public_metrics":{"retweet_count":3,"like_count":12}},"includes":{"users":[{"id":"7","name":"Anna Silva","username":"anna"}]}}`,
		"mastodon": `{"content":"<p>Boats &amp; harbours</p>","account":{"display_name":"Anna Silva","acct":"anna"},"created_at":"2018-10-10T20:19:24Z","reblogs_count":3,"favourites_count":12,"url":"https://x.example/1"}`,
		"bluesky":  `{"record":{"text":"Boats & harbours","createdAt":"2018-10-10T20:19:24Z"},"author":{"handle":"anna","displayName":"Anna Silva"},"likeCount":12,"repostCount":3,"url":"https://x.example/1"}`,
		"plain":    `[{"text":"Boats & harbours","author":"Anna Silva","handle":"@anna","date":"2018-10-10 20:19:24","likes":12,"reposts":3,"url":"https://x.example/1"}]`,
	} {
		out := run(t, extract.Input{Data: []byte(in)})
		want := "Anna Silva (@anna), 2018-10-10 20:19 UTC\nBoats & harbours\nLikes: 12 · Reposts: 3\nhttps://x.example/1"
		if diff := cmp.Diff(want, out.Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if out.Author != "Anna Silva (@anna)" || out.Published.Format(time.RFC3339) != "2018-10-10T20:19:24Z" || out.Metadata["source_type"] != "social_post" || out.Metadata["likes"] != "12" || out.Type != "text" {
			t.Errorf("%s: %+v", name, out)
		}
	}
	if out := run(t, extract.Input{Data: []byte(`{"text":"no author","created_at":"2018-10-10T20:19:24Z"}`)}); out.Type != "json" {
		t.Errorf("not a post: %+v", out)
	}
}

func TestCSV(t *testing.T) { // D-9
	t.Parallel()
	for name, in := range map[string]string{
		"comma":     "name,age,city\nAnna,34,\"Lisbon,\nPortugal\"\nBob,,Rome\n\n",
		"semicolon": "name;age;city\r\nAnna;34;Lisbon, Portugal\r\nBob;;Rome\r\n",
		"tab":       "name\tage\tcity\nAnna\t34\tLisbon, Portugal\nBob\t\tRome\n",
		"pipe":      "name|age|city\nAnna|34|Lisbon, Portugal\nBob||Rome\n",
	} {
		out := run(t, extract.Input{Data: []byte(in), Name: "people.csv"})
		want := "columns: name, age, city\nname: Anna; age: 34; city: Lisbon, Portugal\nname: Bob; city: Rome"
		if diff := cmp.Diff(want, out.Text); diff != "" || out.Type != "csv" || out.Metadata["rows"] != "2" {
			t.Errorf("%s %v (-want +got):\n%s", name, out.Metadata, diff)
		}
	}
	for delimiter, said := range map[string]string{",": ",", ";": ";", "|": "|", "\t": "tab"} { // what parts the columns is told so that it can be read
		out := run(t, extract.Input{Data: []byte(strings.ReplaceAll("name,age\nAnna,3\nBob,4\n", ",", delimiter)), Name: "people.tsv"})
		if out.Metadata["delimiter"] != said || out.Metadata["columns"] != "name, age" {
			t.Errorf("%q: %v", delimiter, out.Metadata)
		}
	}
	if out := run(t, extract.Input{Data: []byte("1,2\n3,4\n"), Name: "n.csv"}); out.Text != "column 1: 1; column 2: 2\ncolumn 1: 3; column 2: 4" {
		t.Errorf("no header: %q", out.Text)
	}
}

func TestLanguageOfCode(t *testing.T) { // H-4
	t.Parallel()
	for file, want := range map[string]string{
		"a/b/main.go": "Go", "X.PY": "Python", "lib.rs": "Rust", "a.hpp": "C++", "a.h": "C", "Makefile": "Makefile", "Dockerfile": "Dockerfile",
		"CMakeLists.txt": "CMake", "q.sql": "SQL", "a.vb": "Visual Basic", "a.tsx": "TypeScript", "s.sh": "Shell", "go.mod": "Go Module", "Gemfile": "Ruby", `dir\a.cs`: "C#", "a.capnp": "Cap'n Proto", "x.el": "Emacs Lisp",
	} {
		if out := run(t, extract.Input{Data: []byte("x = 1"), Name: file}); out.Language != want || out.Type != "code" {
			t.Errorf("%s: %q %q, want %q", file, out.Type, out.Language, want)
		}
	}
	for source, want := range map[string]string{
		"#!/usr/bin/env -S FOO=1 python3.11\nx": "Python", "#!/bin/sh\nx": "Shell",
		"function add(a, b) {\n  const c = a + b;\n  return c;\n}":                              "JavaScript",
		"public class A {\n  private int x;\n  public static void main(String[] a) { }\n}":      "Java",
		"#include <stdio.h>\nint main(void) {\n  printf(\"x\");\n}":                             "C",
		"class A\n  def b\n    puts 1\n  end\nend":                                              "Ruby",
		"SELECT a FROM b WHERE c = 1;":                                                          "SQL",
		"interface A {\n  name: string;\n  age: number;\n}\nexport const f = (a: A) => a.name;": "TypeScript",
		"use std::io;\n\nfn main() {\n    let mut x = 1;\n    println!(\"{}\", x);\n}":          "Rust",
	} {
		if out := run(t, extract.Input{Data: []byte(source), DeclaredType: "code"}); out.Language != want {
			t.Errorf("%q: %q, want %q", source, out.Language, want)
		}
	}
	if out := run(t, extract.Input{Data: []byte("x"), DeclaredType: "text/x-rust"}); out.Type != "code" || out.Language != "Rust" {
		t.Errorf("%+v", out)
	}
	for _, file := range []string{"notes", "a b.c d", "what is this", ".", "x."} {
		if out := run(t, extract.Input{Data: []byte("Just some words, nothing more."), Name: file}); out.Type != "text" {
			t.Errorf("%q is %s", file, out.Type)
		}
	}
}

func checkOutput(t *testing.T, in extract.Input) {
	out, err := extract.With().Extract(context.Background(), in)
	if err != nil {
		if !errors.Is(err, extract.ErrEmpty) && !errors.Is(err, extract.ErrUnsupported) && !errors.Is(err, extract.ErrTooLarge) {
			t.Fatalf("unknown error %v", err)
		}
		return
	}
	if !utf8.ValidString(out.Text) || strings.IndexByte(out.Text, 0) >= 0 || strings.TrimSpace(out.Text) == "" || out.Type == "" || out.Metadata == nil {
		t.Fatalf("bad output %+v", out)
	}
	if !utf8.ValidString(out.Title) || strings.ContainsAny(out.Title, "\n\x00") {
		t.Fatalf("bad title %q", out.Title)
	}
	if len(out.Text) > 80*len(in.Data)+8192 {
		t.Fatalf("%d bytes from %d", len(out.Text), len(in.Data))
	}
}

func FuzzExtractJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}]}`, `[[[[]]]]`, `{"text":"x","user":{"name":"y"},"likes":1}`, "{}\n{}\n", `"x"`, `{"a":"\u0000\"","a":1}`, `[1,2,[3],{}]`, `{"data":[{"text":"a","author":"b","date":"2020-01-01"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := extract.Input{Data: data, DeclaredType: "json"}
		checkOutput(t, in)
		out, err := extract.With().Extract(context.Background(), in)
		if err != nil || out.Type != "json" || out.Metadata["records"] != "" || !json.Valid(data) {
			return
		}
		var a, b any // pretty-printing keeps the value
		if json.Unmarshal([]byte(strings.ReplaceAll(string(data), "\x00", "")), &a) == nil {
			if err := json.Unmarshal([]byte(out.Text), &b); err != nil || !cmp.Equal(a, b) && !strings.Contains(string(data), `"`) {
				t.Fatalf("%s became %s: %v", data, out.Text, err)
			}
		}
	})
}

func FuzzExtractCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "a;b;c\n\"x\ny\";;", "\"", "a\tb", ",,,\n,,,", "a|b\r\n1|2", "\"a\"b,c\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkOutput(t, extract.Input{Data: data, DeclaredType: "csv"}) })
}

func FuzzExtractMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n\nb", "---\na: 1\n---\nb", "---\n- &a [*a]\n---\n", "```\nx", "---\n---\nx", "a\n===\n", "---\n? {a: b}\n: c\n---\nz"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkOutput(t, extract.Input{Data: data, Name: "x.md"}) })
}

// BenchmarkExtract shows the cost of 10 MB of each kind, hostile ones among them.
func BenchmarkExtract(b *testing.B) {
	fill := func(unit string) string { return strings.Repeat(unit, (10<<20-20000)/len(unit)) }
	for name, in := range map[string]extract.Input{
		"text":       {Data: []byte(fill("The boats came home late. "))},
		"line":       {Data: []byte(fill("a"))},
		"markdown":   {Data: []byte("# T\n\n" + fill("The boats came home late.\n\n")), Name: "a.md"},
		"code":       {Data: []byte(fill("func f() { return 1 }\n")), Name: "a.go"},
		"json":       {Data: []byte("[" + fill(`{"a":1,"b":[1,2]},`) + "1]")},
		"json tiny":  {Data: []byte("[" + fill(`[[]],`) + "1]")},
		"json depth": {Data: []byte(strings.Repeat("[", 9000) + "[" + fill(`{"":1},`) + "1]" + strings.Repeat("]", 9000))},
		"json open":  {Data: []byte(fill("["))},
		"json lines": {Data: []byte(fill("{\"a\":1}\n"))},
		"csv":        {Data: []byte("a,b\n" + fill("1,2\n")), Name: "a.csv"},
		"csv wide":   {Data: []byte(fill("1,") + "\n"), Name: "a.csv"},
		"csv quote":  {Data: []byte("a,b\n1,\"" + fill("x\n")), Name: "a.csv"},
		"html":       {Data: []byte("<html><body>" + fill("<p>The boats came <b>home</b> late.</p>"))},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in.Data)))
			for b.Loop() {
				if _, err := extract.With().Extract(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestErrorIsOneLine(t *testing.T) {
	t.Parallel()
	e := &extract.Error{Reason: "the PDF is damaged", Err: errors.Join(errors.New("no pages were found"), errors.New("Syntax Error\nSyntax Error\n\nNo trailer"))}
	if got := e.Error(); got != "the PDF is damaged: no pages were found; Syntax Error; No trailer" {
		t.Error(got)
	}
	if got := (&extract.Error{Reason: "no text was found on the picture", Err: extract.ErrEmpty}).Error(); got != "no text was found on the picture" {
		t.Error(got)
	}
}
