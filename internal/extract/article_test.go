package extract_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

const sentences = `The ropes of the harbour are made of many fibres, and what they are made of decides whether they float. A rope that sinks gets into the
propeller, which is how most of the accidents begin. `

func TestArticleWithoutItsSurroundings(t *testing.T) { // H-2, D-9
	t.Parallel()
	links := strings.Repeat(`<li><a href="/x">Another story of the harbour</a></li>`, 12)
	around := `<div class="cookie-banner"><p>We value your privacy.</p></div><div id="main-menu"><ul>` + links + `</ul></div><div class="widget social"><p>Follow us everywhere.</p></div>
<div role="complementary"><p>Weather: rain.</p></div><ul>` + links + `</ul><div class="comments"><h3>2 comments</h3><p>First!</p></div><p class="copyright">Imprint</p>`
	prose := strings.Repeat("<p>"+sentences+`<a href="/tables">the tables</a></p>`, 5)
	for name, row := range map[string]struct{ in, want, not string }{
		"paragraphs in a column": {`<div id="page"><div class="left">` + around + `</div><div class="post-text">` + prose + `<ul><li>Polyamide sinks</li></ul></div></div>`, "Polyamide sinks", "privacy everywhere Another First Weather Imprint"},
		"lines with breaks":      {`<table><tr><td><ul>` + links + `</ul></td><td>` + strings.Repeat(sentences+"<br><br>", 6) + `Polyamide sinks</td></tr></table>`, "Polyamide sinks", "Another"},
		"within an article":      {`<article>` + prose + `<div class="newsletter-signup"><p>Subscribe now.</p></div><div class="related"><ul>` + links + `</ul></div></article>`, "made of many fibres", "Subscribe Another"},
		"names that lie":         {`<div class="sidebar">` + prose + `</div><p>in</p>`, "made of many fibres", "nothing-of-this"},
		"a page of comments":     {`<h1>Guests</h1>` + strings.Repeat(`<div class="comment"><p>`+sentences+`</p></div>`, 6), "made of many fibres", "nothing-of-this"},
		"a page of links":        {`<p>Links of ours.</p><ul>` + links + `</ul>`, "Another story", "nothing-of-this"},
		"a short page":           {`<div class="footer">Open until nine.</div><p>in</p>`, "Open until nine.", "nothing-of-this"},
		"names with content":     {`<div class="comments-body"><p>in</p></div>` + prose, "made of many fibres", "nothing-of-this"},
	} {
		out := run(t, extract.Input{Data: []byte("<!doctype html><html><body>" + row.in + "</body></html>"), DeclaredType: "text/html"})
		if !strings.Contains(out.Text, row.want) {
			t.Errorf("%s: %q is missing:\n%s", name, row.want, out.Text)
		}
		for w := range strings.FieldsSeq(row.not) {
			if strings.Contains(out.Text, w) {
				t.Errorf("%s: %q is there:\n%s", name, w, out.Text)
			}
		}
	}
}

func TestAuthorAndDateOfPages(t *testing.T) { // H-2
	t.Parallel()
	ld := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	for name, row := range map[string]struct{ head, body, author, date string }{
		"head":                 {`<meta name="author" content="By Ana Lopes"><meta property="article:published_time" content="2024-05-01T10:00:00+02:00">`, `<time datetime="2020-01-01">then</time>`, "Ana Lopes", "2024-05-01"},
		"linked data by id":    {ld(`{"@graph":[{"@type":"Article","headline":"x","author":{"@id":"#a"},"datePublished":"2024-05-01"},{"@type":"Person","@id":"#a","name":"Ana Lopes"}]}`), `<time datetime="2020-01-01">then</time>`, "Ana Lopes", "2024-05-01"},
		"several authors":      {ld(`{"author":["Ana Lopes",{"name":"Ben Oker"}]}`), "", "Ana Lopes, Ben Oker", ""},
		"the link of a person": {`<meta name="twitter:creator" content="@pier">`, `<p>Posted on 3 April by <a rel="author" href="/ana">Ana Lopes</a></p>`, "Ana Lopes", ""},
		"a class":              {"", `<div class="post-meta"><span class="byline">Von Ana Lopes | 1. Mai 2024</span><span class="entry-date">1. Mai 2024</span></div>`, "Ana Lopes", "2024-05-01"},
		"a date in numbers":    {"", `<span class="date">Erstellt am 1.5.2024, 10:00</span>`, "", "2024-05-01"},
		"a date in English":    {"", `<span class="published">Wednesday, May 1st, 2024</span>`, "", "2024-05-01"},
		"a date in French":     {"", `<span class="date">le 1 juillet 2024</span>`, "", "2024-07-01"},
		"a day of the address": {`<link rel="canonical" href="https://pier.example/2024/05/01/ropes/">`, "", "", "2024-05-01"},
		"the named time":       {"", `<time datetime="2020-01-01">then</time><time class="entry-date published" datetime="2024-05-01T10:00:00Z">now</time>`, "", "2024-05-01"},
		"no person":            {`<meta name="author" content="https://pier.example/ana"><meta name="twitter:creator" content="@pier"><meta name="twitter:site" content="@pier">`, `<span class="author">Posted on Monday</span>`, "", ""},
		"no date":              {`<meta name="date" content="soon"><link rel="canonical" href="https://pier.example/2024/99/77/">`, `<span class="date">32.13.2024</span>`, "", ""},
	} {
		out := run(t, extract.Input{Data: []byte("<!doctype html><html><head>" + row.head + "</head><body>" + row.body + "<p>Words.</p></body></html>"), DeclaredType: "text/html"})
		date := ""
		if !out.Published.IsZero() {
			date = out.Published.In(time.UTC).Format("2006-01-02")
		}
		if out.Author != row.author || date != row.date {
			t.Errorf("%s: author %q, date %q", name, out.Author, date)
		}
	}
}
