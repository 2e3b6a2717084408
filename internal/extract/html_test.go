package extract_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

const page = `<!DOCTYPE html><html lang="en-GB"><head><title>Harbour news | Site</title>
<link rel="canonical" href="/news/1"><meta name="author" content="Anna Silva"><meta property="og:description" content="About boats">
<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-01T08:00:00Z","author":{"name":"Other"}}</script>
<style>p{color:red}</style></head><body>
<header><p>Site header</p></header><nav><a href="/">Home</a></nav>
<article><h1>Harbour   news</h1><script>alert("secret")</script>
<p>The <b>old</b> <em>boats</em> come <a href="/boats?a=1&amp;b=2">home</a>.</p>
<h2>List</h2><ul><li>one<li>two<ul><li>inner</li></ul></li></ul><ol><li>first</li><li>second</li></ol>
<table><tr><th>Name</th><th>Tons</th></tr><tr><td>Maria</td><td>3.5</td></tr></table>
<p hidden>hidden words</p><p style="display: none">more hidden words</p>
<pre><code class="language-go">x := 1 &lt; 2

y := 2</code></pre><p></p><p></p><p></p><blockquote>Said so.</blockquote><img src="b.png" alt="A boat">
</article><aside>Advert</aside><footer>Imprint</footer></body></html>`

func TestHTML(t *testing.T) { // H-2
	t.Parallel()
	out := run(t, extract.Input{Data: []byte(page), URL: "https://news.example/a/b", DeclaredType: "text/html"})
	want := `# Harbour news

The **old** *boats* come [home](https://news.example/boats?a=1&b=2).

## List

- one
- two
  
  - inner

1. first
2. second

| Name | Tons |
|---|---|
| Maria | 3.5 |

` + "```go\nx := 1 < 2\n\ny := 2\n```" + `

> Said so.

![A boat](https://news.example/a/b.png)`
	if diff := cmp.Diff(strings.ReplaceAll(want, "\n  \n", "\n\n"), out.Text); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, out.Text)
	}
	out.Text = ""
	meta := extract.Output{
		Type: "html", Title: "Harbour news | Site", Language: "en", Author: "Anna Silva", Canonical: "https://news.example/news/1",
		Published: time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC), Metadata: map[string]string{"description": "About boats"},
	}
	if diff := cmp.Diff(meta, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A page of an export of Notion is nothing but its note: lists of links are what its owner wrote. Boxes of tasks are words.
func TestHTMLNotes(t *testing.T) { // H-2
	t.Parallel()
	links := strings.Repeat(`<ul class="bulleted-list"><li><a href="https://ropes.example/">Ropes for boats</a></li></ul>`, 8)
	card := `<figure><a href="https://knots.example/" class="bookmark source"><div class="bookmark-info"><div class="bookmark-title">All the knots</div><div class="bookmark-description">With pictures</div></div></a></figure>`
	todo := `<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">Buy rope</span></li></ul>
<ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span>Tie it</span></li></ul>`
	body := `<header><h1 class="page-title">Knots</h1></header><div class="page-body"><p>` + strings.Repeat("Every knot holds as long as the rope does. ", 8) + "</p>" + links + card + todo + "</div>"
	for class, kept := range map[string]bool{"page sans": true, "page serif": true, "page mono": true, "page": false} {
		out := run(t, extract.Input{Data: []byte(`<html><head><title>Knots</title></head><body><article id="1" class="` + class + `">` + body + "</article></body></html>"), DeclaredType: "text/html"})
		if strings.Count(out.Text, "https://ropes.example/") == 8 != kept || strings.Contains(out.Text, "All the knots") != kept {
			t.Errorf("%s: links are kept: %v\n%s", class, !kept, out.Text)
		}
		if !strings.Contains(out.Text, "- [x] Buy rope") || !strings.Contains(out.Text, "- [ ] Tie it") {
			t.Errorf("%s: no tasks:\n%s", class, out.Text)
		}
	}
	out := run(t, extract.Input{Data: []byte(`<html><body><p>To do:</p><ul><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked>Buy rope</li>
<li><input type="checkbox" class="task-list-item-checkbox" disabled=""> Tie it</li><li><input type="checkbox" checked> Accept</li></ul></body></html>`), DeclaredType: "text/html"})
	for _, want := range []string{"- [x] Buy rope", "- [ ] Tie it", "- Accept"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q is missing:\n%s", want, out.Text)
		}
	}
}

func TestHTMLMainContent(t *testing.T) { // H-2
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"main":             {"<body><p>out</p><main><p>in</p><nav>n</nav></main></body>", "in"},
		"article":          {"<body><p>out</p><article>in</article></body>", "in"},
		"article in main":  {"<main><p>out</p><article>in</article></main>", "in"},
		"articles in main": {"<body><p>out</p><main><article>one</article><article>two</article></main></body>", "one\n\ntwo"},
		"articles":         {"<body><p>out</p><article>one</article><article>two</article></body>", "one\n\ntwo"},
		"body":             {"<body><header>h</header><p>in</p><footer>f</footer></body>", "in"},
		"empty article":    {"<body><p>in</p><article> </article></body>", "in"},
		"only a header":    {"<body><header><p>all there is</p></header></body>", "all there is"},
		"no body":          {"<p>in", "in"},
		"old tables":       {"<table><tr><td>a<td>b<tr><td>c<td>d</table>", "| a | b |\n|---|---|\n| c | d |"},
		"paragraphs":       {"<p>one<p>two<div>three", "one\n\ntwo\n\nthree"},
		"entities":         {"<p>a &lt;b&gt; &amp; caf&eacute; snake_case</p>", "a &lt;b&gt; & café snake_case"}, // no raw HTML gets into Markdown,
		"form page":        {"<form><p>in</p><input value=x><button>Go</button></form>", "in"},
	} {
		out := run(t, extract.Input{Data: []byte(row.in), DeclaredType: "html"})
		if diff := cmp.Diff(row.want, out.Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHTMLIsCapped(t *testing.T) { // H-2: 100,000 characters
	t.Parallel()
	long := "<html><body>" + strings.Repeat("<p>Ein Satz über die Boote im Hafen. Noch einer.</p>", 5000) + "</body></html>"
	out := run(t, extract.Input{Data: []byte(long)})
	if n := utf8.RuneCountInString(out.Text); n > 100_000 || n < 90_000 || out.Metadata["truncated"] != "true" || !strings.HasSuffix(out.Text, "einer.") {
		t.Errorf("%d characters, %v, %q", n, out.Metadata, out.Text[len(out.Text)-40:])
	}
	out = run(t, extract.Input{Data: []byte("<p>" + strings.Repeat("word ", 50)), DeclaredType: "html", Limits: extract.Limits{MaxChars: 42}})
	if out.Text != strings.TrimSpace(strings.Repeat("word ", 8)) {
		t.Errorf("%q", out.Text)
	}
	if out := run(t, extract.Input{Data: []byte(long), Limits: extract.Limits{MaxChars: -1}}); out.Metadata["truncated"] != "" {
		t.Error("cut although without limit")
	}
}

// hostile pages of a given size.
func hostile(size int) map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	attributes := &strings.Builder{}
	for i := 0; attributes.Len() < size; i++ {
		fmt.Fprintf(attributes, "<b id=%d><font color=%d><a href=%d><p>", i, i, i)
	}
	return map[string]string{
		"nested":      fill("<div>") + "kept words", // 1 million nested tags
		"nested b":    fill("<b>") + "kept words",
		"nested list": fill("<ul><li>") + "kept words",
		"nested rows": fill("<table><tr><td>") + "kept words",
		"formatting":  attributes.String() + "kept words",
		"unclosed p":  fill("<p>x") + "kept words",
		"closing":     fill("</div></p></table>") + "kept words",
		"angles":      fill("<") + "<p>kept words",
		"attribute":   "<p " + fill("a=1 ") + ">kept words",
		"comments":    fill("<!--x-->") + "kept words",
		"open script": "<p>kept words</p><script>" + fill("x<"),
		"entities":    fill("&amp;&lt;") + "kept words",
		"quotes":      fill("<blockquote>") + "kept words",
		"one line":    fill("kept words "),
		"select":      fill("<select><option>") + "</select>kept words",
		"links":       fill("<a href=x>kept</a>"),
		"emphasis":    fill("<b>a</b><i>b</i>"),
		"articles":    fill("<article>kept words</article>"),
		"headings":    fill("<h1>kept</h1>"),
		"ld":          fill("<script type=application/ld+json>{</script>") + "kept words",
		"spans":       "<table>" + fill(`<tr><td colspan=8 rowspan=8>kept</td></tr>`) + "</table>",
		"square":      "<table><tr>" + strings.Repeat("<td>kept", size/20) + "</tr>" + strings.Repeat("<tr><td>x", size/20) + "</table>",
		"wide table":  "<table><tr>" + fill("<td>kept</td>") + "</tr><tr><td>x</td></tr></table>",
		"long table":  "<table>" + fill("<tr><td>kept</td><td>y</td></tr>") + "</table>",
		"colspan":     "<table>" + fill(`<tr><td colspan="1000">kept</td></tr>`) + "</table>",
		"misnested":   fill("<table><b><p></table>") + "kept words",
	}
}

func TestHostileHTML(t *testing.T) { // zip bomb of HTML, 1 million nested tags
	t.Parallel()
	pages := hostile(1 << 20)
	pages["million"] = strings.Repeat("<div>", 1_000_000) + "kept words"
	for name, in := range pages {
		start := time.Now()
		out, err := extract.With().Extract(context.Background(), extract.Input{Data: []byte("<html><body>" + in), DeclaredType: "text/html"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%-12s %8d bytes out, %v", name, len(out.Text), time.Since(start).Round(time.Millisecond))
		if n := utf8.RuneCountInString(out.Text); n > 100_000 || !strings.Contains(out.Text, "kept") && len(out.Text) < 50_000 {
			t.Errorf("%s: %d characters", name, n)
		}
	}
}

func FuzzExtractHTML(f *testing.F) {
	f.Add([]byte(page))
	for _, s := range hostile(300) {
		f.Add([]byte("<html>" + s))
	}
	for _, s := range []string{"<html><table><caption>x<tr><td rowspan=3>a", "<html><base href=':'><a href='%zz'>x</a>", "<!doctype html><svg><p>x</svg>y", "<html><template><p>x", "<html><frameset><frame>", "<html><pre>```</pre>"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkOutput(t, extract.Input{Data: data, DeclaredType: "text/html", URL: "https://a.example/b"})
	})
}
