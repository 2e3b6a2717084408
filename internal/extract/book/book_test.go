package book_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
)

const (
	container = `<container><rootfiles><rootfile full-path="OPS/package.opf"/></rootfiles></container>`
	opf       = `<package><metadata><dc:title>T</dc:title></metadata><manifest>` +
		`<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>` +
		`<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>` +
		`<item id="c" href="pic.png" media-type="image/png"/></manifest><spine><itemref idref="n"/><itemref idref="a"/><itemref idref="c"/><itemref idref="none"/><itemref idref="b"/></spine></package>`
)

// pack makes a book of parts: names and contents; those that every book has come first.
func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	seen := map[string]bool{}
	for i := 0; i < len(parts); i += 2 {
		seen[parts[i]] = true
	}
	for _, p := range [][2]string{{"mimetype", "application/epub+zip"}, {"META-INF/container.xml", container}, {"OPS/package.opf", opf}} {
		if !seen[p[0]] {
			parts = append([]string{p[0], p[1]}, parts...)
		}
	}
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, parts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func nav(items string) string {
	return `<html><body><nav epub:type="landmarks"><ol><li><a href="x">no</a></li></ol></nav><nav epub:type="toc"><ol>` + items + `</ol></nav></body></html>`
}

func html(body string) string {
	return "<html><head><title>no</title></head><body>" + body + "</body></html>"
}

func TestChapters(t *testing.T) { // D-9, H-3
	t.Parallel()
	toc := nav(`<li><a href="a%20b.xhtml">Cover</a></li><li><a href="a%20b.xhtml#x">The Start</a><ol><li><a href="a%20b.xhtml#y">Inside</a></li></ol></li><li><span>No link</span></li><li><a href="b.xhtml">Chapter 9</a></li>`)
	data := pack(t, "OPS/nav.xhtml", toc,
		"OPS/a b.xhtml", html(`<p>Before.</p><div id="x"><h2>The Start</h2><p>Now<a epub:type="noteref" href="b.xhtml#f">*</a> <a href="#y">on</a>.</p></div><p><a id="y"/>Inside words.</p>`+
			`<table><caption>Cap</caption><tr><th>k</th><th>v</th></tr><tr><td rowspan="2">a</td><td>1</td></tr><tr><td>2</td></tr></table><ol start="3"><li>three</li><li value="7"><p>seven</p><p>more</p></li></ol>`+
			`<pre>if x
  y</pre><img src="../i/cat.jpg" alt="A cat"/><ruby>漢<rt>kan</rt></ruby><script>no()</script>`),
		"OPS/b.xhtml", html(`<p>Text &nbsp;&mdash; end.</p><aside id="f" epub:type="footnote"><p>Noted.</p></aside>`))
	out, err := read(t.Context(), extract.Input{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Sound(t, out)
	got := extracttest.Show(out)
	want := `⟦0 Cover⟧# Cover

Before.

⟦0 chapter 1: The Start⟧## The Start

Now[^*] on.

⟦0 chapter 1: The Start › Inside⟧## Inside

Inside words.

Cap

| k | v |
| --- | --- |
| a | 1 |
| a | 2 |

3. three
7. seven

more

` + "```\nif x\n  y\n```" + `

![A cat](cat.jpg) 漢

⟦0 Chapter 9⟧# Chapter 9

Text — end.

[^*]: Noted.
`
	if _, body, _ := strings.Cut(got, "---\n"); body != want {
		t.Error(cmp.Diff(want, body))
	}
}

func TestLockedBooks(t *testing.T) {
	t.Parallel()
	lock := func(algorithm, part string) string {
		return `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="` + algorithm + `"/><enc:KeyInfo/><enc:CipherData><enc:CipherReference URI="` + part + `"/></enc:CipherData></enc:EncryptedData></encryption>`
	}
	for name, row := range map[string]struct{ part, by string }{
		"adobe": {"META-INF/rights.xml", "Adobe ADEPT"}, "apple": {"META-INF/sinf.xml", "Apple FairPlay"}, "readium": {"META-INF/license.lcpl", "Readium LCP"},
		"other": {"x", "unknown scheme"},
	} {
		data := pack(t, row.part, "x", "META-INF/encryption.xml", lock("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/a%20b.xhtml"), "OPS/a b.xhtml", "\x13\x37")
		_, err := read(t.Context(), extract.Input{Data: data})
		var known *extract.Error
		if !errors.As(err, &known) || !strings.Contains(known.Reason, "copy protection ("+row.by) && !strings.Contains(known.Reason, row.by) || known.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	fonts := pack(t, "META-INF/encryption.xml", lock("http://www.idpf.org/2008/embedding", "OPS/a%20b.xhtml"), "OPS/a b.xhtml", html("<p>Free.</p>"))
	if out, err := read(t.Context(), extract.Input{Data: fonts}); err != nil || out.Text != "Free." {
		t.Errorf("%q, %v", out.Text, err)
	}
}

func TestHostileBooks(t *testing.T) { // D-9
	t.Parallel()
	whole, err := os.ReadFile("testdata/sea.epub")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		data   []byte
		reason string
	}{
		"cut short":  {whole[:len(whole)/2], "damaged"},
		"no package": {pack(t, "META-INF/container.xml", "<x/>", "OPS/package.opf", "<"), "damaged"},
		"laughs":     {pack(t, "OPS/package.opf", `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><package>&b;</package>`), "far more"},
		"bomb":       {pack(t, "OPS/a b.xhtml", strings.Repeat(" ", 70<<20)), "far more"},
	} {
		_, err := read(t.Context(), extract.Input{Data: row.data})
		var known *extract.Error
		if !errors.As(err, &known) || !strings.Contains(known.Reason, row.reason) || known.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read(t.Context(), extract.Input{Data: pack(t)}); !errors.Is(err, extract.ErrEmpty) {
		t.Errorf("nothing in it: %v", err)
	}
	deep := pack(t, "OPS/a b.xhtml", html("<p>First.</p>"+strings.Repeat("<div>", 5000)+"deep"), "OPS/b.xhtml", html("<p>Laughs &lol; &amp; more.</p>"))
	if out, err := read(t.Context(), extract.Input{Data: deep}); err == nil {
		t.Errorf("%q", out.Text)
	}
	entities := pack(t, "OPS/a b.xhtml", `<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>`+html("<p>x &b; y</p>"))
	if out, err := read(t.Context(), extract.Input{Data: entities}); err != nil || out.Text != "x &b; y" {
		t.Errorf("%q, %v", out.Text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(ctx, extract.Input{Data: whole}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of time: %v", err)
	}
}

func FuzzChapter(f *testing.F) {
	f.Add(`<h1>a</h1><p>b<br>c</p><table><tr><td rowspan=2>x`)
	f.Add(`<ul><li>a<ol><li>b</ol></ul><pre> x </pre><blockquote><p>q</blockquote><a href="#x">y</a>`)
	f.Add(`<p id="c">x <3 y</p><span epub:type="pagebreak" title="7"/><aside id="f" epub:type="footnote">z</aside>`)
	f.Fuzz(func(t *testing.T, body string) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		data := pack(t, "OPS/nav.xhtml", nav(`<li><a href="a%20b.xhtml#c">C</a></li>`), "OPS/a b.xhtml", html(body))
		out, err := read(ctx, extract.Input{Data: data})
		if ctx.Err() != nil {
			t.Error("took too long")
		}
		if err == nil {
			extracttest.Sound(t, out)
		}
	})
}

func FuzzPackage(f *testing.F) {
	f.Add(opf, nav(`<li><a href="a%20b.xhtml">C</a></li>`))
	f.Fuzz(func(t *testing.T, description, contents string) {
		data := pack(t, "OPS/package.opf", description, "OPS/nav.xhtml", contents, "OPS/a b.xhtml", html("<p>x</p>"))
		if out, err := read(t.Context(), extract.Input{Data: data}); err == nil {
			extracttest.Sound(t, out)
		}
	})
}
