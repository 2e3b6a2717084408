package notes

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The export of Notion (https://www.notion.com/help/export-your-content), as Markdown and CSV or as HTML, in a zip or in a zip
// of parts. Every page is a file named by its title and the 32 hex digits of its id; what lies below it is in a folder of the
// same name. A Markdown page begins with its title as a heading, then its properties, one "Name: value" a line. A database is a
// CSV file of its rows, with a second one (…_all.csv) that holds every row and not only those of the view; each row is a page too.
// Notion does not describe this layout; it is as in its exports and in https://github.com/obsidianmd/obsidian-importer.
// Pages of HTML are handed on as they are, for the extractor of HTML.

var (
	notionName = regexp.MustCompile(`^(.*?) ?([0-9a-f]{32})(_all)?$`)
	notionHash = regexp.MustCompile(`[0-9a-f]{32}`)
	notionLink = regexp.MustCompile(`\]\(([^)\s]+)\)|href="([^"]+)"`)
	notionZone = regexp.MustCompile(` ?\(GMT([+-]\d{1,2})(?::(\d{2}))?\)$`)
	notionDay  = regexp.MustCompile(`^(\d{4}) ?[年년/.-] ?(\d{1,2}) ?[月월/.-] ?(\d{1,2}) ?[日일]?,?(?: (오전|오후|上午|下午|午前|午後)? ?(\d{1,2}):(\d{2})(?: ([AP]M))?)?$`)
	uuidDashed = regexp.MustCompile(`id="([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})" class="page`)
)

func looksNotion(s *exports.Source) bool {
	return slices.ContainsFunc(s.Files, func(f exports.File) bool {
		return (f.Ext() == ".md" || f.Ext() == ".html" || f.Ext() == ".csv") && notionName.MatchString(f.Stem()) ||
			f.Ext() == ".html" && s.Single && uuidDashed.MatchString(s.Head(f, 64<<10))
	})
}

// notionTitle splits the name of a file into the title and the id.
func notionTitle(f exports.File) (title, id string) {
	if m := notionName.FindStringSubmatch(f.Stem()); m != nil {
		return m[1], m[2]
	}
	return f.Stem(), ""
}

func readNotion(r *reading) {
	full := map[string]bool{}
	known := map[string]string{} // ids by path, for pages without an id in their name
	for _, f := range r.Source.Files {
		if stem, ok := strings.CutSuffix(f.Name, "_all.csv"); ok {
			full[stem+".csv"] = true
		}
		switch f.Ext() {
		case ".md", ".html", ".csv":
			known[f.Name] = r.notionID(f, "")
		default:
			known[f.Name] = r.ID("file", f.Name)
		}
	}
	for _, f := range r.Source.Files {
		switch {
		case r.Over():
			return
		case f.Ext() == ".md":
			r.notionPage(f, known)
		case f.Ext() == ".html" && path.Base(f.Name) == "index.html":
			r.Leave("tables of contents")
		case f.Ext() == ".html":
			r.notionHTML(f, known)
		case f.Ext() == ".csv" && full[f.Name]:
			r.Leave("views of databases that are there in full")
		case f.Ext() == ".csv":
			r.notionTable(f)
		default:
			r.Attachment(f, r.ID("file", f.Name))
		}
	}
}

func (r *reading) notionID(f exports.File, found string) string {
	_, id := notionTitle(f)
	switch {
	case id != "":
		return r.ID(id)
	case found != "":
		return r.ID(found)
	}
	return r.ID(f.Name)
}

func isPageFile(name string) bool {
	ext := path.Ext(name)
	return ext == ".md" || ext == ".html" || ext == ".csv"
}

// notionLinks returns what a page points to: pages of Notion by their id, other files of the export by theirs.
func notionLinks(r *reading, f exports.File, body string, known map[string]string) []string {
	var out []string
	for _, m := range notionLink.FindAllStringSubmatch(body, -1) {
		to := m[1] + m[2]
		plain, err := url.PathUnescape(to)
		if err != nil {
			continue
		}
		plain, _, _ = strings.Cut(plain, "#")
		plain, _, _ = strings.Cut(plain, "?")
		isPage := !strings.Contains(to, "://") || strings.Contains(to, "notion.so/") || strings.Contains(to, "notion.site/")
		ids := notionHash.FindAllString(path.Base(plain), -1)
		switch {
		case isPage && len(ids) > 0 && (strings.Contains(to, "://") || isPageFile(plain)):
			out = append(out, r.ID(ids[len(ids)-1]))
		case !strings.Contains(to, "://"):
			if id, ok := known[path.Join(path.Dir(f.Name), plain)]; ok && (isPageFile(plain) || r.Options.Attachments) {
				out = append(out, id)
			}
		}
	}
	return out
}

func (r *reading) notionPage(f exports.File, known map[string]string) {
	body, err := r.Source.Text(f, text.Markdown)
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	title, _ := notionTitle(f)
	n := exports.Note{
		ID: r.notionID(f, ""), Title: title, Body: body, Meta: exports.Meta{}.Str("path", notionPlace(f)), Changed: f.Mod,
		Links: notionLinks(r, f, body, known),
	}
	if head, rest, ok := strings.Cut(body, "\n"); ok && strings.HasPrefix(head, "# ") {
		n.Title = strings.TrimSpace(head[2:])
		notionProperties(&n, rest, r.Options.Zone)
	}
	if n.Body == "# "+n.Title {
		r.Leave("pages without any content")
		return
	}
	r.Note(f.Name, n)
}

// notionProperties reads the lines that follow the title of a page of a database.
func notionProperties(n *exports.Note, rest string, zone *time.Location) {
	props := map[string]any{}
	rest = strings.TrimLeft(rest, "\n")
	for line := range strings.Lines(rest) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || len(key) > 60 || strings.ContainsAny(key, "[]`*#|") {
			break
		}
		notionProperty(n, props, key, strings.TrimSpace(value), zone)
	}
	if len(props) > 0 {
		n.Meta["properties"] = props
	}
}

func notionProperty(n *exports.Note, props map[string]any, key, value string, zone *time.Location) {
	props[key] = value
	switch strings.ToLower(key) {
	case "tags", "tag", "labels":
		n.Tags = append(n.Tags, strings.Split(value, ",")...)
	case "created", "created time", "date created":
		n.Made = notionTime(value, zone)
	case "last edited time", "last edited", "updated":
		if t := notionTime(value, zone); !t.IsZero() {
			n.Changed = t
		}
	case "date", "when", "datum":
		n.Happened = notionTime(value, zone)
	case "url", "link":
		n.URL = value
	}
}

// notionTime reads a date, or the first of a span of dates, as Notion writes it: in English, with the offset behind it, or with the
// year first.
func notionTime(value string, zone *time.Location) time.Time {
	value, _, _ = strings.Cut(strings.TrimPrefix(exports.OneLine(value), "@"), " → ")
	if m := notionZone.FindStringSubmatchIndex(value); m != nil {
		hours, _ := strconv.Atoi(value[m[2]:m[3]])
		minutes := 0
		if m[4] >= 0 {
			minutes, _ = strconv.Atoi(value[m[4]:m[5]])
		}
		if hours < 0 {
			minutes = -minutes
		}
		value, zone = value[:m[0]], time.FixedZone("", hours*3600+minutes*60)
	}
	if m := notionDay.FindStringSubmatch(value); m != nil {
		hour, _ := strconv.Atoi(m[5])
		switch half := m[4] + m[7]; {
		case half == "":
		case strings.Contains("오후下午午後PM", half):
			hour = hour%12 + 12
		default:
			hour %= 12
		}
		value = fmt.Sprintf("%s-%02s-%02s %02d:%02s", m[1], m[2], m[3], hour, m[6])
	}
	return exports.ParseTime(value, zone)
}

// notionPlace is the path of a page without the ids in it.
func notionPlace(f exports.File) string {
	parts := strings.Split(strings.TrimSuffix(f.Name, path.Ext(f.Name)), "/")
	for i, p := range parts {
		if m := notionName.FindStringSubmatch(p); m != nil {
			parts[i] = m[1]
		}
	}
	return strings.Join(parts, " / ")
}

func (r *reading) notionHTML(f exports.File, known map[string]string) {
	data, err := r.Source.Bytes(f)
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	decoded, err := io.ReadAll(exports.UTF8Reader(bytes.NewReader(data)))
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	page := strings.ToValidUTF8(string(decoded), "\ufffd")
	found := ""
	if m := uuidDashed.FindStringSubmatch(page); m != nil {
		found = strings.Join(m[1:], "")
	}
	title, _ := notionTitle(f)
	n := exports.Note{
		ID: r.notionID(f, found), Title: title, Kind: "text/html", Data: data, Name: path.Base(f.Name), Changed: f.Mod,
		Meta: exports.Meta{}.Str("path", notionPlace(f)), Links: notionLinks(r, f, page, known),
	}
	props, key, cell, kind := map[string]any{}, "", "", ""
	var inTitle, inHead, inCell, inIcon, inAbout bool
	var about strings.Builder
	m := &markup{s: page}
	for t, ok := m.next(); ok; t, ok = m.next() {
		switch {
		case t.name == "title":
			if inTitle = !t.end; inTitle {
				n.Title = ""
			}
		case t.name == "" && inTitle:
			n.Title += t.text
		case t.name == "tr" && strings.Contains(t.attrs["class"], "property-row"):
			key, cell = "", ""
			_, kind, _ = strings.Cut(t.attrs["class"], "property-row-")
		case t.name == "p" && (t.end || strings.Contains(t.attrs["class"], "page-description")):
			inAbout = !t.end
		case t.name == "" && inAbout:
			about.WriteString(t.text)
		case t.name == "th":
			inHead = !t.end
		case t.name == "td":
			if inCell = !t.end; t.end && strings.TrimSpace(key) != "" {
				notionTyped(&n, props, kind, exports.OneLine(key), strings.TrimPrefix(exports.OneLine(cell), "@"), r.Options.Zone)
				key, cell = "", ""
			}
		case t.name == "span" && (inIcon || strings.HasPrefix(t.attrs["class"], "icon")):
			inIcon = !t.end
		case t.name == "" && inIcon:
		case inCell && notionValue(t, kind) && strings.TrimSpace(cell) != "" && !strings.HasSuffix(strings.TrimSpace(cell), ","):
			cell += ", "
		case inCell && t.name == "div" && strings.HasPrefix(t.attrs["class"], "checkbox checkbox-"):
			cell = map[bool]string{true: "Yes", false: "No"}[strings.HasSuffix(t.attrs["class"], "-on")]
		case t.name == "" && inHead:
			key += t.text
		case t.name == "" && inCell:
			cell += t.text
		}
		if t.name == "div" && strings.Contains(t.attrs["class"], "page-body") {
			break
		}
	}
	n.Meta.Str("description", exports.OneLine(about.String()))
	if len(props) > 0 {
		n.Meta["properties"] = props
	}
	r.Note(f.Name, n)
}

// notionValue reports the begin of one of several values of a property.
func notionValue(t tag, kind string) bool {
	switch {
	case t.end:
		return false
	case t.name == "span":
		return strings.Contains(t.attrs["class"], "selected-value") || t.attrs["class"] == "user"
	}
	return t.name == "a" && (kind == "relation" || kind == "file")
}

// notionTyped takes a property by what kind it is: its name is in the language of its owner.
func notionTyped(n *exports.Note, props map[string]any, kind, key, value string, zone *time.Location) {
	if value == "" {
		return
	}
	notionProperty(n, props, key, value, zone)
	switch t := notionTime(value, zone); {
	case t.IsZero():
	case kind == "created_time":
		n.Made = t
	case kind == "last_edited_time":
		n.Changed = t
	}
}

func (r *reading) notionTable(f exports.File) {
	body, err := r.Source.Text(f, text.Raw)
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	if text.Blank(body) {
		r.Leave("empty tables")
		return
	}
	title, id := notionTitle(f)
	key := r.ID(exports.Either(id, f.Name))
	r.Note(f.Name, exports.Note{
		ID: key, Title: title, Data: []byte(body), Name: path.Base(f.Name), Kind: "csv", Tags: []string{"database"}, Changed: f.Mod,
		Meta: exports.Meta{}.Str("path", notionPlace(f)),
	})
}
