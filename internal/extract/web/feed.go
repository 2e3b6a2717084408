package web

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits of a feed and of a sitemap.
const (
	mostEntries = 5000
	mostField   = 256 << 10
	mostPages   = 50_000 // of a sitemap, as its protocol says
	stretch     = 1200
)

var rootName = regexp.MustCompile(`(?s)^\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*>\s*)*<(?:[A-Za-z0-9_]+:)?([A-Za-z]+)[\s>]`)

// rootOf is the name of the outermost element, lower case.
func rootOf(src *extract.Source) string {
	if m := rootName.FindStringSubmatch(strings.TrimPrefix(src.Text[:min(len(src.Text), 16<<10)], "\ufeff")); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

func looksFeed(src *extract.Source) extract.Look {
	head := src.Text[:min(len(src.Text), 16<<10)]
	switch root := rootOf(src); {
	case root == "rss" && strings.Contains(head, "<channel"), root == "rdf" && strings.Contains(head, "http://purl.org/rss/"),
		root == "feed" && strings.Contains(head, "http://www.w3.org/2005/Atom"):
		return extract.Yes
	case root == "rss" || root == "feed":
		return extract.Maybe
	}
	return extract.No
}

func looksSitemap(src *extract.Source) extract.Look {
	if root := rootOf(src); (root == "urlset" || root == "sitemapindex") && strings.Contains(src.Text[:min(len(src.Text), 16<<10)], "<loc") {
		return extract.Yes
	}
	return extract.No
}

// entry is an item of a feed, or a page of a sitemap.
type entry struct {
	title, link, author, body, summary, changed string
	tags                                        []string
	at                                          time.Time
}

// feed is what the tokens of a feed say.
type feed struct {
	title, about, author, link string
	entries                    []entry
}

// decoder reads XML without the entities that a file declares.
func decoder(s string) *xml.Decoder {
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return d
}

// readEntries walks the elements of a feed or sitemap: entries are the elements of that names, their fields what lies right
// below. A file that is cut gives what stands before.
func readEntries(ctx context.Context, s string, names map[string]bool, most int) (feed, error) {
	var f feed
	var e *entry
	var words strings.Builder
	var open []string
	inside := 0 // depth of the text whose markup is passed over
	d := decoder(s)
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		token, err := d.RawToken()
		if err != nil {
			if errors.Is(err, io.EOF) || len(f.entries) > 0 {
				err = nil
			}
			return f, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			name := strings.ToLower(t.Name.Local)
			if len(open) < 100 {
				open = append(open, name)
			}
			if names[name] && inside == 0 {
				if len(f.entries) >= most {
					return f, nil
				}
				f.entries = append(f.entries, entry{})
				e = &f.entries[len(f.entries)-1]
			}
			if name == "link" && inside == 0 {
				f.link, e = link(t, f.link, e)
			}
			if name == "category" && e != nil && len(e.tags) < 20 {
				if term := attribute(t, "term"); term != "" {
					e.tags = append(e.tags, term)
				}
			}
			if inside > 0 { // markup in a text
				if s := words.String(); s != "" && s[len(s)-1] > ' ' {
					words.WriteByte(' ')
				}
				continue
			}
			words.Reset()
			if e != nil && (name == "content" || name == "summary" || name == "description") {
				inside = len(open)
			}
		case xml.CharData:
			if words.Len() < mostField {
				words.Write(t)
			}
		case xml.EndElement:
			name := strings.ToLower(t.Name.Local)
			parent := ""
			if len(open) > 1 {
				parent = open[len(open)-2]
			}
			depth := len(open)
			if depth > 0 {
				open = open[:depth-1]
			}
			if inside > 0 && depth > inside {
				continue
			}
			inside = 0
			value := strings.TrimSpace(words.String())
			words.Reset()
			switch {
			case names[name]:
				e = nil
			case e != nil:
				e.take(name, parent, t.Name.Space, value)
			default:
				f.take(name, parent, value)
			}
		}
	}
}

// link reads a link of Atom, which stands in an attribute.
func link(t xml.StartElement, own string, e *entry) (string, *entry) {
	href, rel := attribute(t, "href"), attribute(t, "rel")
	if href == "" || rel != "" && rel != "alternate" {
		return own, e
	}
	if e != nil {
		e.link = href
		return own, e
	}
	return href, e
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// take puts a field of an entry.
func (e *entry) take(name, parent, space, value string) {
	if value == "" {
		return
	}
	switch name {
	case "title":
		if parent == "item" || parent == "entry" {
			e.title = value
		}
	case "link", "loc":
		e.link = value
	case "guid", "id":
		if e.link == "" && strings.HasPrefix(value, "http") {
			e.link = value
		}
	case "pubdate", "published", "date":
		e.at = moment(value)
	case "updated", "lastmod":
		if e.changed = value; e.at.IsZero() {
			e.at = moment(value)
		}
	case "author", "creator":
		if e.author == "" {
			e.author = personOf(value)
		}
	case "name":
		if parent == "author" {
			e.author = value
		}
	case "encoded", "content":
		e.body = value
	case "description", "summary":
		if space == "" || e.summary == "" {
			e.summary = value
		}
	case "category":
		if len(e.tags) < 20 {
			e.tags = append(e.tags, value)
		}
	}
}

// take puts a field of the feed itself.
func (f *feed) take(name, parent, value string) {
	if value == "" || parent == "image" || parent == "textinput" {
		return
	}
	switch name {
	case "title":
		f.title = value
	case "description", "subtitle":
		f.about = value
	case "link":
		f.link = value
	case "name":
		f.author = value
	case "managingeditor", "creator", "author":
		if f.author == "" {
			f.author = personOf(value)
		}
	}
}

// personOf takes the name out of the address that RSS asks for: "ana@pier.example (Ana Lopes)", "Ana Lopes <ana@pier.example>".
func personOf(s string) string {
	if address, name, found := strings.Cut(s, "("); found && strings.Contains(address, "@") && strings.Trim(name, " )") != "" {
		return strings.Trim(name, " )")
	}
	if name, address, found := strings.Cut(s, "<"); found && strings.Contains(address, "@") && strings.TrimSpace(name) != "" {
		return strings.TrimSpace(name)
	}
	return s
}

// extractFeed writes one section an entry.
func extractFeed(ctx context.Context, src *extract.Source) (extract.Output, error) {
	f, err := readEntries(ctx, src.Text, map[string]bool{"item": true, "entry": true}, mostEntries)
	if err != nil && ctx.Err() != nil {
		return extract.Output{}, ctx.Err()
	}
	if len(f.entries) == 0 {
		return extract.Output{}, &extract.Error{Reason: "the feed holds no entry", Hint: "fetch it again", Err: err}
	}
	out := extract.Output{
		Type: extract.TypeHTML, Title: line(f.title), Author: line(f.author), Canonical: line(f.link),
		Metadata: map[string]string{"entries": strconv.Itoa(len(f.entries))},
	}
	if out.Title == "" {
		out.Title = "Feed"
	}
	var b strings.Builder
	b.WriteString("# " + out.Title)
	if about := line(f.about); about != "" {
		b.WriteString("\n\n" + about)
	}
	for i, e := range f.entries {
		if err := ctx.Err(); err != nil {
			return extract.Output{}, err
		}
		if e.at.After(out.Published) {
			out.Published = e.at
		}
		block, err := e.section(ctx, src, i)
		if err != nil {
			return extract.Output{}, err
		}
		b.WriteString("\n\n")
		out.Marks = append(out.Marks, extract.Mark{Offset: b.Len(), Place: "entry " + strconv.Itoa(i+1) + ": " + e.name(i)})
		b.WriteString(block)
	}
	if len(f.entries) >= mostEntries {
		out.Metadata["truncated"] = "true"
	}
	out.Text = b.String()
	out.Language, _ = text.Language(out.Text)
	return out, nil
}

var markup = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)

// line is s without markup, on one line, at most 300 bytes.
func line(s string) string {
	s = strings.Join(strings.Fields(markup.ReplaceAllString(text.Clean(s[:min(len(s), 2000)]), "")), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

// name is the title of an entry, or where it leads.
func (e entry) name(i int) string {
	for _, s := range []string{line(e.title), line(e.link)} {
		if s != "" {
			return s
		}
	}
	return fmt.Sprintf("Entry %d", i+1)
}

// section writes an entry.
func (e entry) section(ctx context.Context, src *extract.Source, i int) (string, error) {
	out := "## " + e.name(i)
	var about []string
	if e.author != "" {
		about = append(about, line(e.author))
	}
	if !e.at.IsZero() {
		about = append(about, e.at.Format("2006-01-02 15:04"))
	}
	if len(e.tags) > 0 {
		about = append(about, line(strings.Join(e.tags, ", ")))
	}
	if len(about) > 0 {
		out += "\n\n" + strings.Join(about, ", ")
	}
	if l := line(e.link); l != "" {
		out += "\n\n" + l
	}
	body := e.body
	if body == "" {
		body = e.summary
	}
	if strings.Contains(body, "<") {
		page := "<html><body>" + body + "</body></html>"
		limits := src.Limits
		limits.MaxBytes = 2*len(page) + 1<<10
		md, err := extract.Set{}.Extract(ctx, extract.Input{Data: []byte(page), DeclaredType: "text/html; charset=utf-8", URL: e.link, Limits: limits})
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if body = ""; err == nil { // a body of pictures only has no text
			body = md.Text
		}
	}
	if body != "" {
		out += "\n\n" + body
	}
	return strings.TrimSpace(text.CleanAs(out, text.Markdown)), nil
}

// extractSitemap lists the pages of a sitemap.
func extractSitemap(ctx context.Context, src *extract.Source) (extract.Output, error) {
	f, err := readEntries(ctx, src.Text, map[string]bool{"url": true, "sitemap": true}, mostPages)
	if ctx.Err() != nil {
		return extract.Output{}, ctx.Err()
	}
	if len(f.entries) == 0 {
		return extract.Output{}, &extract.Error{Reason: "the sitemap holds no page", Hint: "fetch it again", Err: err}
	}
	out := extract.Output{
		Type: extract.TypeMarkdown, Title: "Sitemap", Language: text.Undetermined, Metadata: map[string]string{"pages": strconv.Itoa(len(f.entries))},
	}
	var b strings.Builder
	b.WriteString("# Sitemap\n\n" + strconv.Itoa(len(f.entries)) + " pages.\n")
	last := -stretch
	for i, e := range f.entries {
		l := line(e.link)
		if l == "" {
			continue
		}
		b.WriteByte('\n')
		if b.Len()-last >= stretch {
			last = b.Len()
			out.Marks = append(out.Marks, extract.Mark{Offset: last, Place: "page " + strconv.Itoa(i+1)})
		}
		b.WriteString("- " + l)
		if c := line(e.changed); c != "" {
			b.WriteString(" (changed " + c + ")")
		}
	}
	out.Text = b.String()
	return out, nil
}
