// Package web reads saved pages whose shape is known: threads of Hacker News, Reddit, Stack Overflow, GitHub and X, films of
// YouTube with their transcript, feeds and sitemaps, and pages that a browser saved as one file.
//
// A page whose shape has changed is read as any other page.
package web

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Kinds lists what is read here. They stand before the kinds for HTML and XML.
func Kinds() []extract.Kind {
	return []extract.Kind{
		{
			Name: "web archive", Types: []string{"mhtml", "multipart/related", "application/x-mimearchive"}, Extensions: []string{".mhtml", ".mht"},
			Looks: looksArchive, Extract: extractArchive,
		},
		{
			Name: "feed", Types: []string{"rss", "atom", "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"},
			Extensions: []string{".rss", ".atom", ".rdf", ".xml"}, Looks: looksFeed, Extract: extractFeed,
		},
		{
			Name: "sitemap", Types: []string{"sitemap", "application/xml", "text/xml"}, Extensions: []string{".xml"},
			Looks: looksSitemap, Extract: extractSitemap,
		},
		{
			Name: "thread", Types: []string{"thread", "html", "text/html", "application/xhtml+xml", "url"}, Extensions: []string{".html", ".htm", ".xhtml"},
			Looks: looksThread, Extract: extractThread,
		},
		{
			Name: "film page", Types: []string{"html", "text/html", "application/xhtml+xml", "url"}, Extensions: []string{".html", ".htm", ".xhtml"},
			Looks: looksFilm, Extract: extractFilm,
		},
	}
}

// mostPosts bounds a thread; what follows is left out, and the metadata says so.
const mostPosts = 2000

// post is one entry of a thread.
type post struct {
	author, title, link string
	at                  time.Time
	depth               int
	score               string
	notes               []string // "accepted answer", "likes: 3"
	body                string   // Markdown
}

// thread is a page of posts.
type thread struct {
	site, title, link string
	posts             []post
	meta              map[string]string
}

// site knows the pages of one site.
type site struct {
	name  string
	hosts []string
	marks []string // one of these is in each of its pages
	read  func(context.Context, extract.Element) (thread, error)
	data  func(*thread, string) // reads what a page without posts has for its scripts; nil where none is known
}

// sites lists the sites whose threads are known.
func sites() []site {
	return []site{
		{"Hacker News", []string{"news.ycombinator.com"}, []string{"athing comtr", "class=\"comtr", "athing submission", `class="athing"`, "class='athing"}, hackerNews, nil},
		{"Reddit", []string{"reddit.com"}, []string{"<shreddit-post", "data-fullname="}, reddit, nil},
		{"Stack Overflow", []string{"stackoverflow.com", "stackexchange.com", "superuser.com", "serverfault.com", "askubuntu.com"}, []string{"js-post-body"}, stackOverflow, nil},
		{"GitHub", []string{"github.com"}, []string{"timeline-comment", `data-testid="markdown-body"`, `"preloadedQueries"`}, gitHub, gitHubData},
		{"X", []string{"x.com", "twitter.com"}, []string{`data-testid="tweet`}, tweets, nil},
	}
}

// siteOf finds the site of a page: by its address, or the addresses that it gives itself, and by its shape.
func siteOf(src *extract.Source) (site, bool) {
	if !isPage(src.Text) {
		return site{}, false
	}
	for _, s := range sites() {
		if !slices.ContainsFunc(s.marks, func(m string) bool { return strings.Contains(src.Text, m) }) {
			continue
		}
		if slices.ContainsFunc(s.hosts, func(h string) bool { return ofHost(src, h) }) {
			return s, true
		}
	}
	return site{}, false
}

// isPage reports the opening of a page of HTML.
func isPage(s string) bool {
	head := strings.ToLower(strings.TrimSpace(s[:min(len(s), 4<<10)]))
	return strings.HasPrefix(head, "<") && (strings.Contains(head, "<html") || strings.Contains(head, "<!doctype html") || strings.Contains(head, "<head"))
}

// ofHost reports a page of a host or one below it: by the address it came from, or what it says of itself in its head.
func ofHost(src *extract.Source, host string) bool {
	if u, err := url.Parse(src.URL); err == nil && u.Host != "" {
		return u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host)
	}
	for _, form := range []string{"saved from url=(%s", "https://%s/", "https://%s\"", "https://%s<", "//%s/"} {
		for _, prefix := range []string{"", "www.", "old."} {
			if strings.Contains(src.Text, fmt.Sprintf(form, prefix+host)) {
				return true
			}
		}
	}
	return false
}

func looksThread(src *extract.Source) extract.Look {
	if _, ok := siteOf(src); ok {
		return extract.Yes
	}
	return extract.No
}

// extractThread writes one section a post.
func extractThread(ctx context.Context, src *extract.Source) (extract.Output, error) {
	s, ok := siteOf(src)
	if !ok {
		return asPage(ctx, src)
	}
	root, err := parse(ctx, src)
	if err != nil {
		return extract.Output{}, err
	}
	t, err := s.read(ctx, root)
	if err != nil {
		return extract.Output{}, err
	}
	if len(t.posts) == 0 && s.data != nil {
		s.data(&t, src.Text)
	}
	if len(t.posts) == 0 || t.posts[0].body == "" && len(t.posts) == 1 && t.title == "" {
		return asPage(ctx, src)
	}
	t.site = s.name
	if t.link == "" {
		t.link = canonical(root)
	}
	return t.output(src), nil
}

var canonicalLink = regexp.MustCompile(`(?i)<link\s[^>]{0,200}rel=["']?canonical["']?[^>]{0,200}href=["']([^"'\s>]{1,900})`)

// parse reads the page; where it came from is its own word if nobody else knows.
func parse(ctx context.Context, src *extract.Source) (extract.Element, error) {
	address := src.URL
	if address == "" {
		if m := canonicalLink.FindStringSubmatch(src.Text[:min(len(src.Text), 256<<10)]); m != nil {
			address = m[1]
		}
	}
	return extract.ParsePage(ctx, src.Text, address, src.Limits)
}

// asPage reads the page as any other.
func asPage(ctx context.Context, src *extract.Source) (extract.Output, error) {
	in := src.Input
	in.Data, in.DeclaredType = []byte(src.Text), "text/html; charset=utf-8"
	in.Limits.MaxBytes = max(in.Limits.MaxBytes, len(in.Data))
	return extract.Set{}.Extract(ctx, in)
}

// canonical is the address that a page gives itself.
func canonical(root extract.Element) string {
	if e, ok := root.First(func(e extract.Element) bool {
		return e.Tag() == "link" && strings.EqualFold(e.Attr("rel"), "canonical")
	}); ok {
		return e.Link(e.Attr("href"))
	}
	return property(root, "og:url")
}

// property is the content of a meta element.
func property(root extract.Element, name string) string {
	e, ok := root.First(func(e extract.Element) bool {
		return e.Tag() == "meta" && (e.Attr("property") == name || e.Attr("name") == name || e.Attr("itemprop") == name)
	})
	if !ok {
		return ""
	}
	return e.Attr("content")
}

// output writes the thread.
func (t thread) output(src *extract.Source) extract.Output {
	var b strings.Builder
	out := extract.Output{
		Type: extract.TypeHTML, Title: t.title, Canonical: t.link, Author: t.posts[0].author, Published: t.posts[0].at,
		Metadata: map[string]string{"site": t.site, "posts": strconv.Itoa(len(t.posts))},
	}
	for k, v := range t.meta {
		if v != "" {
			out.Metadata[k] = v
		}
	}
	if t.title != "" {
		b.WriteString("# " + t.title)
	}
	most := src.Limits.MaxChars
	if most <= 0 {
		most = 1 << 30
	}
	if len(t.posts) >= mostPosts {
		out.Metadata["truncated"] = "true"
	}
	var people []string
	for i, p := range t.posts {
		if b.Len()+len(p.body) > 4*most {
			out.Metadata["truncated"] = "true"
			break
		}
		block := strings.TrimSpace(p.head(i) + "\n\n" + p.body)
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		out.Marks = append(out.Marks, extract.Mark{Offset: b.Len(), Place: p.place(i)})
		b.WriteString(text.CleanAs(block, text.Markdown))
		if p.author != "" && !slices.Contains(people, p.author) && len(people) < 100 {
			people = append(people, p.author)
		}
	}
	out.Metadata["participants"] = strings.Join(people, ", ")
	out.Text = b.String()
	if out.Title == "" {
		out.Title = t.site + " thread"
	}
	out.Language, _ = text.Language(out.Text)
	return out
}

// head is the heading of a post: who, when, how well liked.
func (p post) head(i int) string {
	var parts []string
	if p.author != "" {
		parts = append(parts, p.author)
	} else {
		parts = append(parts, "Post "+strconv.Itoa(i+1))
	}
	if !p.at.IsZero() {
		parts = append(parts, p.at.Format("2006-01-02 15:04"))
	}
	if p.score != "" {
		parts = append(parts, "score "+p.score)
	}
	head := strings.Join(append(parts, p.notes...), ", ")
	// Answers stand below what they answer, as deep as headings go.
	head = strings.Repeat("#", min(2+p.depth, 6)) + " " + strings.Join(strings.Fields(text.Clean(head)), " ")
	if p.title != "" {
		head += "\n\n" + p.title
	}
	if p.link != "" {
		head += "\n\n" + p.link
	}
	return head
}

func (p post) place(i int) string {
	place := "post " + strconv.Itoa(i+1)
	if p.author != "" {
		place += " by " + strings.Join(strings.Fields(text.Clean(p.author)), " ")
	}
	return place
}

// moment reads the times that pages give; the zero time when it is none.
func moment(s string) time.Time {
	s = strings.TrimSpace(s)
	if first, _, found := strings.Cut(s, " "); found && first[0] <= '9' && strings.Contains(first, "T") { // Hacker News adds seconds since 1970
		s = first
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04:05.999999-0700", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05Z", "2006-01-02 15:04:05", "2006-01-02",
		time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2006-01-02T15:04Z07:00",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1980 && t.Year() < 2200 {
			return t
		}
	}
	return time.Time{}
}
