package extract

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageMeta is what a page says about itself.
type pageMeta struct {
	title, heading, author, canonical, language string
	published                                   time.Time
	values                                      map[string]string
}

// apply fills out; relative addresses are resolved against page.
func (m *pageMeta) apply(out *Output, page string) {
	out.Title = m.title
	if out.Title == "" {
		out.Title = m.heading
	}
	out.Author, out.Published, out.Language = m.author, m.published, m.language
	if m.canonical != "" {
		out.Canonical = absolute(m.canonical, page)
	}
	maps.Copy(out.Metadata, m.values)
}

// readMeta collects title, canonical address, author, date and description
// from the tree and from the JSON-LD of the source.
func readMeta(root *html.Node, source string) *pageMeta {
	m := &pageMeta{values: map[string]string{}}
	var title string
	metas := map[string]string{}
	walk(root, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Html:
			m.language = languageTag(attr(n, "lang"))
		case atom.Title:
			first(&title, textOf(n))
		case atom.H1:
			first(&m.heading, textOf(n))
		case atom.Link:
			if strings.EqualFold(attr(n, "rel"), "canonical") {
				first(&m.canonical, attr(n, "href"))
			}
		case atom.Meta:
			key := strings.ToLower(attr(n, "property"))
			first(&key, strings.ToLower(attr(n, "name")))
			first(&key, strings.ToLower(attr(n, "itemprop")))
			if _, seen := metas[key]; !seen && key != "" && attr(n, "content") != "" && len(metas) < 500 {
				metas[key] = attr(n, "content")
			}
		case atom.Time:
			if m.published.IsZero() {
				m.published = parseTime(attr(n, "datetime"))
			}
		}
		return true
	})
	m.title = pick(metas, "og:title", "twitter:title")
	if title != "" && (m.title == "" || !strings.Contains(title, m.title)) {
		m.title = title
	}
	first(&m.canonical, metas["og:url"])
	m.author = pick(metas, "author", "article:author", "dc.creator", "parsely-author", "twitter:creator")
	if strings.HasPrefix(m.author, "http") {
		m.author = ""
	}
	for _, k := range []string{"article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "parsely-pub-date", "pubdate", "publish-date", "og:published_time"} {
		if t := parseTime(metas[k]); !t.IsZero() {
			m.published = t
			break
		}
	}
	for key, from := range map[string]string{
		"description": pick(metas, "description", "og:description", "twitter:description"), "site": metas["og:site_name"],
		"image": metas["og:image"], "keywords": metas["keywords"], "page_type": metas["og:type"],
	} {
		if from != "" {
			m.values[key] = from
		}
	}
	m.readLinkedData(source)
	return m
}

// readLinkedData takes what is still missing from JSON-LD blocks.
func (m *pageMeta) readLinkedData(source string) {
	for rest, n := source, 0; n < 8; n++ {
		i := strings.Index(rest, "application/ld+json")
		if i < 0 {
			return
		}
		rest = rest[i:]
		open := strings.IndexByte(rest, '>')
		if open < 0 {
			return
		}
		end := strings.Index(rest, "</script")
		if end < open {
			return
		}
		var v any
		if end-open < 256<<10 && json.Unmarshal([]byte(rest[open+1:end]), &v) == nil {
			m.linked(v, 0)
		}
		rest = rest[end:]
	}
}

func (m *pageMeta) linked(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v[:min(len(v), 50)] {
			m.linked(e, depth+1)
		}
	case map[string]any:
		m.linked(v["@graph"], depth+1)
		if s, ok := v["headline"].(string); ok {
			first(&m.title, s)
		}
		first(&m.author, personName(v["author"]))
		if s, ok := v["datePublished"].(string); ok && m.published.IsZero() {
			m.published = parseTime(s)
		}
	}
}

// personName reads an author: a name, an object with one, or a list of either.
func personName(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		name, _ := v["name"].(string)
		return name
	case []any:
		var names []string
		for _, e := range v[:min(len(v), 10)] {
			if m, ok := e.(map[string]any); ok {
				if name, ok := m["name"].(string); ok {
					names = append(names, name)
				}
			} else if s, ok := e.(string); ok {
				names = append(names, s)
			}
		}
		return strings.Join(names, ", ")
	}
	return ""
}

func first(dst *string, v string) {
	if *dst == "" {
		*dst = v
	}
}

func pick(m map[string]string, keys ...string) string {
	for _, k := range keys {
		if m[k] != "" {
			return m[k]
		}
	}
	return ""
}

// textOf returns the text below n on one line.
func textOf(n *html.Node) string {
	var b strings.Builder
	walk(n, func(c *html.Node) bool {
		if c.Type == html.TextNode && b.Len() < 4096 {
			b.WriteString(c.Data)
			b.WriteByte(' ')
		}
		return b.Len() < 4096
	})
	return oneLine(b.String(), 300)
}
