package extract

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
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

// What a page may call its author and its date, the surest first.
var (
	authorKeys = []string{
		"author", "article:author", "dc.creator", "dcterms.creator", "dc.contributor", "parsely-author", "sailthru.author", "citation_author", "byl", "article:author_name", "og:author",
		"book:author",
	}
	dateKeys = []string{
		"article:published_time", "datepublished", "og:published_time", "date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "dcterms.issued", "dc.date.created",
		"parsely-pub-date", "pubdate", "publish-date", "publish_date", "publication_date", "citation_publication_date", "citation_date", "citation_online_date", "sailthru.date",
		"article.published", "article:post_date", "last-modified", "article:modified_time",
	}
)

// readMeta collects title, canonical address, author, date and description from the tree and from the JSON-LD of the source; what
// the head does not say is taken from elements that are named after it.
func readMeta(root *html.Node, source string) *pageMeta {
	m := &pageMeta{values: map[string]string{}}
	var title, byline, seen string
	var stamps [3]time.Time // of the elements of time: one that is named as the date, the first, and of any element so named
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
			role := attr(n, roleKey) == roleDate || strings.EqualFold(attr(n, "itemprop"), "datePublished")
			stamp := parseTime(attr(n, "datetime"))
			if at := &stamps[1]; at.IsZero() {
				*at = stamp
			}
			if at := &stamps[0]; role && at.IsZero() {
				*at = stamp
			}
		}
		m.named(n, &byline, &seen, &stamps[2])
		return true
	})
	m.title = pick(metas, "og:title", "twitter:title")
	if title != "" && (m.title == "" || !strings.Contains(title, m.title)) {
		m.title = title
	}
	first(&m.canonical, metas["og:url"])
	for _, k := range authorKeys {
		first(&m.author, person(metas[k]))
	}
	for _, k := range dateKeys {
		if t := parseTime(metas[k]); m.published.IsZero() {
			m.published = t
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
	first(&m.author, byline)
	first(&m.author, seen)
	if who := metas["twitter:creator"]; who != metas["twitter:site"] {
		first(&m.author, person(who))
	}
	for _, t := range stamps {
		if m.published.IsZero() {
			m.published = t
		}
	}
	if m.published.IsZero() {
		m.published = addressDate(m.canonical)
	}
	return m
}

// named takes what an element says whose name is that of an author or a date: byline where it says so outright, seen where only
// its class does.
func (m *pageMeta) named(n *html.Node, byline, seen *string, stamp *time.Time) {
	if n.Type != html.ElementNode || n.DataAtom == atom.Meta || *byline != "" && *seen != "" && !stamp.IsZero() {
		return
	}
	item, role := attr(n, "itemprop"), attr(n, roleKey)
	switch {
	case *byline == "" && (item == "author" || n.DataAtom == atom.A && strings.Contains(attr(n, "rel"), "author")):
		*byline = person(textOf(n))
	case *seen == "" && role == roleAuthor:
		*seen = person(textOf(n))
	case stamp.IsZero() && (role == roleDate || item == "datePublished"):
		*stamp = parseTime(attr(n, "datetime"))
		if words := textOf(n); stamp.IsZero() && len(words) < 60 {
			*stamp = dateIn(words)
		}
	}
}

var (
	bylineWords = regexp.MustCompile(`(?i)^(?:(?:written|posted|published|ver\x{00f6}ffentlicht|geschrieben)\s+)?(?:by|von|par|por|di|door|af|av|autor(?:in|en)?|author)\s*:?\s+`) //nolint:misspell // German and Spanish too
	bylineEnd   = regexp.MustCompile(`\s*(?:[|•·,]\s|\s[-–—]\s|\s(?:on|am|le|el)\s+\d|\s\d{1,2}[./]|\s\d{4}).*$`)
	noPerson    = regexp.MustCompile(`(?i)^(?:by|von|par|por|follow|share|admin|author|autor|(?:posted|published|publiziert|verfasst|geschrieben|erstellt|updated)\b.*)$`) //nolint:misspell // German too
	dayForm     = regexp.MustCompile(`\b(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d{2})\b`)
	dayNumber   = regexp.MustCompile(`\b(?:19|20)\d{2}-\d{2}-\d{2}\b`)
	dayInWords  = regexp.MustCompile(`\b(?:([A-Z][a-z]{2,8})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?|(\d{1,2})\.?\s(?:de\s)?([A-Za-z\x{00e0}-\x{00ff}]{3,10})\.?(?:\sde)?)\s((?:19|20)\d{2})\b`)
	dayInPath   = regexp.MustCompile(`/((?:19|20)\d{2})[/-](\d{1,2})[/-](\d{1,2})(?:[/-]|$)`)
)

// person cleans the name of an author as pages write it; "" when it is none.
func person(s string) string {
	s = strings.TrimSpace(strings.Join(strings.Fields(s), " "))
	s = bylineWords.ReplaceAllString(s, "")
	if short := bylineEnd.ReplaceAllString(s, ""); short != "" {
		s = short
	}
	s = strings.Trim(s, " ,;:|-–·")
	if noPerson.MatchString(s) {
		return ""
	}
	if strings.HasPrefix(s, "http") || strings.Contains(s, "@") && strings.Contains(s, ".") || len(s) > 100 || strings.ContainsAny(s, "<>{}") {
		return ""
	}
	return s
}

// months of English, German, French, Spanish and Italian, by their first three letters; mar, mai and the like mean the same in all.
var months = map[string]time.Month{
	"jan": 1, "jän": 1, "ene": 1, "gen": 1, "feb": 2, "fév": 2, "fev": 2, "mar": 3, "mär": 3, "mrz": 3, "apr": 4, "avr": 4, "abr": 4, "may": 5, "mai": 5, "mag": 5,
	"jun": 6, "jui": 6, "giu": 6, "jul": 7, "lug": 7, "aug": 8, "aoû": 8, "ago": 8, "sep": 9, "set": 9, "oct": 10, "okt": 10, "ott": 10, "nov": 11, "dec": 12, "dez": 12, "déc": 12, "dic": 12,
}

// dateIn finds the day that a few words name.
func dateIn(s string) time.Time {
	if t := parseTime(dayNumber.FindString(s)); !t.IsZero() {
		return t
	}
	day := func(y, m, d string) time.Time { return parseTime(fmt.Sprintf("%s-%02s-%02s", y, m, d)) }
	if m := dayForm.FindStringSubmatch(s); m != nil {
		return day(m[3], m[2], m[1])
	}
	m := dayInWords.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}
	}
	name := []rune(strings.ToLower(m[1] + m[4]))
	if month := months[string(name[:min(len(name), 3)])]; month != 0 {
		if strings.HasPrefix(string(name), "juil") {
			month = time.July
		}
		return day(m[5], strconv.Itoa(int(month)), m[2]+m[3])
	}
	return time.Time{}
}

// addressDate is the day in the path of an address, as blogs and newspapers have it.
func addressDate(address string) time.Time {
	m := dayInPath.FindStringSubmatch(address)
	if m == nil {
		return time.Time{}
	}
	return parseTime(fmt.Sprintf("%s-%02s-%02s", m[1], m[2], m[3]))
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
			people := map[string]string{}
			peopleOf(v, people, 0)
			m.linked(v, people, 0)
		}
		rest = rest[end:]
	}
}

// peopleOf collects the names of things by the id that other things call them by.
func peopleOf(v any, people map[string]string, depth int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v[:min(len(v), 50)] {
			peopleOf(e, people, depth+1)
		}
	case map[string]any:
		id, _ := v["@id"].(string)
		if name, ok := v["name"].(string); ok && id != "" {
			people[id] = name
		}
		if depth < 4 {
			peopleOf(v["@graph"], people, depth+1)
		}
	}
}

func (m *pageMeta) linked(v any, people map[string]string, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v[:min(len(v), 50)] {
			m.linked(e, people, depth+1)
		}
	case map[string]any:
		m.linked(v["@graph"], people, depth+1)
		if s, ok := v["headline"].(string); ok {
			first(&m.title, s)
		}
		first(&m.author, personName(v["author"], people))
		if s, ok := v["datePublished"].(string); ok && m.published.IsZero() {
			m.published = parseTime(s)
		}
	}
}

// personName reads an author: a name, an object with one, the id of one, or a list of these.
func personName(v any, people map[string]string) string {
	switch v := v.(type) {
	case string:
		return person(v)
	case map[string]any:
		name, _ := v["name"].(string)
		if id, ok := v["@id"].(string); ok && name == "" {
			name = people[id]
		}
		return person(name)
	case []any:
		var names []string
		for _, e := range v[:min(len(v), 10)] {
			if name := personName(e, people); name != "" {
				names = append(names, name)
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
