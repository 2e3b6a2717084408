package web_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/web"
)

func TestOrdinaryTextIsNotClaimed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../mail/testdata/ordinary/*")
	if err != nil || len(files) < 15 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", filepath.Base(file)} {
			want, err := extract.Set{}.Extract(t.Context(), extract.Input{Data: content, Name: name})
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, name, content); got.Type != want.Type || got.Text != want.Text {
				t.Errorf("%s named %q is claimed: %s %q", file, name, got.Type, got.Text)
			}
		}
	}
}

func TestOtherPagesStayPages(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"a page about Reddit":  `<!doctype html><html><body><article><p>On <a href="https://www.reddit.com/">Reddit</a> each post is a &lt;shreddit-post&gt;.</p></article></body></html>`,
		"a changed page":       `<!doctype html><html><head><link rel="canonical" href="https://www.reddit.com/r/x"></head><body><shreddit-post></shreddit-post><p>Other words.</p></body></html>`,
		"a list of stories":    `<html><head><link rel="canonical" href="https://news.ycombinator.com/"></head><body><table><tr class="athing submission"><td><span class="titleline"><a href="a">A</a></span></td></tr><tr class="athing submission"><td><span class="titleline"><a href="b">B</a></span></td></tr></table></body></html>`,
		"another host":         `<!doctype html><html><head><link rel="canonical" href="https://mirror.example/"></head><body><div id="question"><div class="js-post-body"><p>Words.</p></div></div></body></html>`,
		"a film without words": `<!doctype html><html><head><link rel="canonical" href="https://www.youtube.com/watch?v=1"></head><body><ytd-transcript-segment-renderer></ytd-transcript-segment-renderer><p>Words.</p></body></html>`,
	} {
		want, err := extract.Set{}.Extract(t.Context(), extract.Input{Data: []byte(in)})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, "", []byte(in)); got.Text != want.Text || got.Title != want.Title || len(got.Marks) > 0 {
			t.Errorf("%s: %q", name, got.Text)
		}
	}
}

func TestAddressSaysTheSite(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><html><body><div id="question"><div class="js-post-body"><p>Words. <a href="/x">more</a></p></div></div></body></html>`
	for address, site := range map[string]string{
		"https://unix.stackexchange.com/questions/1": "Stack Overflow", "https://stackexchange.com.evil.example/": "", "https://notstackoverflow.com/": "",
	} {
		out, err := extract.With(web.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(page), URL: address})
		if err != nil || out.Metadata["site"] != site {
			t.Errorf("%s: %v %v", address, out.Metadata, err)
		}
	}
}

func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	page := func(host, s string) string {
		return `<!doctype html><html><head><link rel="canonical" href="https://` + host + `/x"></head><body>` + s
	}
	rss := "<rss><channel>"
	return map[string]string{
		"comments": page("news.ycombinator.com", fill(`<tr class="athing comtr"><td class="ind" indent="99999999999"><div class="commtext">x</div>`)),
		"nested":   page("www.reddit.com", "<shreddit-post></shreddit-post>"+fill(`<shreddit-comment author="a"><div slot="comment">x</div>`)),
		"things":   page("old.reddit.com", fill(`<div class="thing" data-fullname="a"><div class="entry"><a class="author">a</a><div class="md">x</div></div>`)),
		"answers":  page("stackoverflow.com", fill(`<div class="answer"><div class="js-post-body">x</div></div>`)), "tweets": page("x.com", fill(`<article data-testid="tweet"><div data-testid="tweetText">x</div></article>`)),
		"attributes": page("x.com", `<article data-testid="tweet" `+fill("a=b ")+`>x</article>`), "boxes": page("github.com", fill(`<div class="timeline-comment"><div class="comment-body">x</div>`)),
		"segments": page("www.youtube.com", fill(`<ytd-transcript-segment-renderer><div class="segment-timestamp">0:01</div><div class="segment-text">x</div></ytd-transcript-segment-renderer>`)),
		"items":    rss + fill("<item><title>x</title></item>"), "bodies": rss + fill("<item><description>&lt;p>x</description></item>"), "open items": rss + fill("<item>"), "deep": rss + "<item><description>" + fill("<a>"),
		"laughs":  `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "&b;&b;">]><rss><channel>` + fill("<item><title>&a;</title></item>"),
		"sitemap": "<urlset>" + fill("<url><loc>x</loc></url>"), "categories": rss + "<item>" + fill("<category>x</category>"),
		"long word": rss + "<item><title>" + fill("x"),
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, in := range hostile(1 << 20) {
		start := time.Now()
		out, err := extract.With(web.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(in)})
		var reason *extract.Error
		if err != nil && !errors.As(err, &reason) && !errors.Is(err, extract.ErrEmpty) {
			t.Errorf("%s: %v", name, err)
		}
		took := time.Since(start)
		if t.Logf("%-12s %8d bytes out, %d places, %v %v", name, len(out.Text), len(out.Marks), took.Round(time.Millisecond), out.Metadata["site"]); took > 40*time.Second || len(out.Text) > 8*len(in) {
			t.Errorf("%s takes %v for %d bytes", name, took, len(out.Text))
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, in := range hostile(1 << 12) {
		src := &extract.Source{Input: extract.Input{Data: []byte(in)}, Text: in}
		for _, k := range web.Kinds() {
			if k.Looks(src) != extract.Yes {
				continue
			}
			if _, err := k.Extract(ctx, src); err == nil {
				t.Errorf("%s goes on as %s", name, k.Name)
			}
		}
	}
}

func FuzzWeb(f *testing.F) {
	files, err := filepath.Glob("testdata/*.[hmrax]*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if !strings.HasSuffix(file, ".golden") && !strings.HasSuffix(file, ".md") {
			f.Add(string(content))
		}
	}
	for _, s := range hostile(200) {
		f.Add(s)
	}
	f.Add(fmt.Sprintf("<html><p property=%q>", "\x1fclass=a\x1f"))
	f.Fuzz(func(t *testing.T, s string) {
		src := &extract.Source{Text: strings.ToValidUTF8(s, "\ufffd"), Charset: "utf-8", Input: extract.Input{Data: []byte(s), Limits: extract.Limits{MaxBytes: 1 << 20, MaxChars: 100_000, MaxDepth: 200, MaxNodes: 10_000}}}
		for _, k := range web.Kinds() {
			if k.Looks(src) == extract.No {
				continue
			}
			out, err := k.Extract(t.Context(), src)
			if err != nil {
				continue
			}
			if !utf8.ValidString(out.Text) || strings.IndexByte(out.Text, 0) >= 0 || len(out.Text) > 80*len(s)+8192 {
				t.Fatalf("%d bytes from %d: %q", len(out.Text), len(s), out.Text)
			}
			last := -1
			for _, m := range out.Marks {
				if m.Offset <= last || m.Offset > len(out.Text) || !utf8.ValidString(m.Place) {
					t.Fatalf("mark %+v behind %d", m, last)
				}
				last = m.Offset
			}
		}
	})
}
