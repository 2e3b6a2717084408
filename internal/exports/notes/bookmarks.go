package notes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// Lists of links. The bookmark file that every browser writes is described in
// https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa753582(v=vs.85): HTML
// in name only, <DT><A HREF ADD_DATE TAGS>title</A>, folders as <H3> before their <DL>, a <DD> with a description. Pocket wrote
// ril_export.html and, since 2024, CSV (title, url, time_added, tags, status; tags joined by |), the highlights in
// annotations/part_000000.json beside it (url, title, highlights of a quote and perhaps a note). Instapaper writes CSV (URL,
// Title, Selection, Folder, Timestamp, Tags). Neither documents its columns; these are what their files hold. A link is known
// by its address; the page behind it is not fetched.

func bookmarkFiles(s *exports.Source) []exports.File {
	return slices.DeleteFunc(s.Has(".html", ".htm"), func(f exports.File) bool {
		head := strings.ToUpper(s.Head(f, 2<<10))
		return !strings.Contains(head, "NETSCAPE-BOOKMARK-FILE")
	})
}

func looksBookmarks(s *exports.Source) bool { return len(bookmarkFiles(s)) > 0 }

func readBookmarks(r *reading) {
	for _, f := range bookmarkFiles(r.Source) {
		s, ok := r.page(f)
		if !ok {
			continue
		}
		b := &bookmarks{r: r, f: f, m: &markup{s: s}}
		b.read()
	}
}

// page reads a file of markup, which may be as large as an element of a stream: browsers put icons into it.
func (r *reading) page(f exports.File) (string, bool) {
	in, err := f.Open()
	if err != nil {
		r.Fail(f.Name, err)
		return "", false
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(exports.UTF8Reader(in), r.Source.Limits.Item+1))
	if err == nil && int64(len(b)) > r.Source.Limits.Item {
		err = fmt.Errorf("is over %d MiB", r.Source.Limits.Item>>20)
	}
	if err != nil {
		r.Fail(f.Name, err)
		return "", false
	}
	return string(b), true
}

type bookmarks struct {
	r       *reading
	f       exports.File
	m       *markup
	folders []folder
	next    folder // named by the last H3, open with the next DL
	cur     *exports.Note
	about   strings.Builder
	place   string
	n       int
}

type folder struct {
	name string
	root bool // the bar and the like: every bookmark is in one of them
}

func (b *bookmarks) read() {
	var text *strings.Builder // what text goes to
	var name strings.Builder
	for t, ok := b.m.next(); ok && !b.r.Over(); t, ok = b.m.next() {
		switch {
		case t.name == "" && text != nil:
			text.WriteString(t.text)
		case t.name == "h3" && !t.end:
			b.end()
			name.Reset()
			text = &name
			b.next = folder{root: t.attrs["personal_toolbar_folder"] == "true" || t.attrs["unfiled_bookmarks_folder"] == "true"}
		case t.name == "h3":
			b.next.name = exports.OneLine(name.String())
			text = nil
		case t.name == "dl" && !t.end:
			b.end()
			if len(b.folders) < 1000 {
				b.folders = append(b.folders, b.next)
			}
			b.next, text = folder{}, nil
		case t.name == "dl":
			b.end()
			if len(b.folders) > 0 {
				b.folders = b.folders[:len(b.folders)-1]
			}
			text = nil
		case t.name == "a" && !t.end:
			b.end()
			b.begin(t)
			name.Reset()
			text = &name
		case t.name == "a" && b.cur != nil:
			b.cur.Title = exports.OneLine(name.String())
			text = nil
		case t.name == "dd" && b.cur != nil:
			text = &b.about
		case t.name == "dt":
			text = nil
		}
	}
	b.end()
}

func (b *bookmarks) begin(t tag) {
	b.n++
	b.place = fmt.Sprintf("%s #%d", b.f.Name, b.n)
	href := strings.TrimSpace(t.attrs["href"])
	n := &exports.Note{
		ID: b.r.ID(href), URL: href, Made: exports.ParseTime(t.attrs["add_date"], b.r.Options.Zone),
		Changed: exports.ParseTime(t.attrs["last_modified"], b.r.Options.Zone), Meta: exports.Meta{},
	}
	n.Tags = strings.Split(t.attrs["tags"], ",")
	var path []string
	for _, f := range b.folders {
		if f.name != "" {
			path = append(path, f.name)
			if !f.root {
				n.Tags = append(n.Tags, f.name)
			}
		}
	}
	n.Meta.Str("folder", strings.Join(path, " / ")).Str("keyword", t.attrs["shortcuturl"]).Yes("private", t.attrs["private"] == "1").Yes("to_read",
		t.attrs["toread"] == "1")
	b.cur = n
}

func (b *bookmarks) end() {
	if b.cur == nil {
		return
	}
	n := *b.cur
	b.cur = nil
	about := strings.TrimSpace(b.about.String())
	b.about.Reset()
	switch {
	case exports.WebAddress(n.URL):
		b.r.link(b.place, n, about)
	case about != "": // a note that has an address inside the program that wrote the file, as Shaarli keeps them
		n.Meta.Str("address", n.URL)
		n.URL, n.Body = "", about
		b.r.Note(b.place, n)
	default:
		scheme, _, ok := strings.Cut(n.URL, ":")
		if !ok {
			scheme = "no address"
		}
		b.r.Leave("bookmarks that are no web pages (" + exports.Clip(scheme, 20) + ")")
	}
}

// link gives out a link as a document: its title with the address, and what was said about it.
func (r *reading) link(where string, n exports.Note, about string) {
	if n.Title == "" {
		n.Title = n.URL
	}
	n.Body = "[" + strings.NewReplacer("[", "(", "]", ")").Replace(n.Title) + "](" + strings.NewReplacer(" ", "%20", ")", "%29", "(",
		"%28").Replace(n.URL) + ")"
	if about != "" {
		n.Body += "\n\n" + about
	}
	if n.Meta == nil {
		n.Meta = exports.Meta{}
	}
	n.Meta.Yes("link", true)
	r.Note(where, n)
}

func csvWith(s *exports.Source, columns ...string) []exports.File {
	files := s.Has(".csv")
	if s.Single && len(files) == 0 {
		files = s.Has(".txt", "")
	}
	return slices.DeleteFunc(files, func(f exports.File) bool {
		head, _, _ := strings.Cut(s.Head(f, 2<<10), "\n")
		names := strings.Split(strings.ToLower(strings.ReplaceAll(strings.TrimSpace(head), `"`, "")), ",")
		return slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(names, c) })
	})
}

func pocketPages(s *exports.Source) []exports.File {
	return slices.DeleteFunc(s.Has(".html", ".htm"), func(f exports.File) bool {
		head := s.Head(f, 2<<10)
		return !strings.Contains(head, "Pocket Export") && !strings.Contains(head, "time_added=")
	})
}

func looksPocket(s *exports.Source) bool {
	return len(csvWith(s, "title", "url", "time_added")) > 0 || len(pocketPages(s)) > 0
}

// pocketMarks are the highlights of one page in annotations/part_000000.json.
type pocketMarks struct {
	where      string
	URL        exports.Scalar `json:"url"`
	ItemURL    exports.Scalar `json:"item_url"`
	Title      exports.Scalar `json:"title"`
	Highlights []struct {
		Quote exports.Scalar `json:"quote"`
		Text  exports.Scalar `json:"text"`
		Note  exports.Scalar `json:"note"`
	} `json:"highlights"`
}

func (p *pocketMarks) address() string { return cmp.Or(string(p.URL), string(p.ItemURL)) }

// about is the highlights as quotes, each with the note on it.
func (p *pocketMarks) about() string {
	var parts []string
	for _, h := range p.Highlights {
		if q := strings.TrimSpace(cmp.Or(string(h.Quote), string(h.Text))); q != "" {
			parts = append(parts, "> "+strings.ReplaceAll(q, "\n", "\n> "))
		}
		if n := strings.TrimSpace(string(h.Note)); n != "" {
			parts = append(parts, n)
		}
	}
	return strings.Join(parts, "\n\n")
}

// pocketAnnotations reads the highlights before the links that they belong to, which are in other files. A page that comes again has
// all of its highlights together.
func (r *reading) pocketAnnotations() (marks map[string]*pocketMarks, order []string) {
	marks = map[string]*pocketMarks{}
	for _, f := range r.Source.Has(".json") {
		if !strings.HasPrefix(strings.TrimSpace(r.Source.Head(f, 64)), "[") || path.Base(path.Dir(f.Name)) != "annotations" {
			r.Leave("files of other kinds (" + f.Ext() + ")")
			continue
		}
		r.JSON(f, func(s *exports.Stream) error {
			return exports.Elements(r.Reading, s, f.Name, func(_ int, where string, p *pocketMarks) {
				address := p.address()
				switch old := marks[address]; {
				case !exports.WebAddress(address):
					r.Fail(where, fmt.Errorf("%q is no web address", exports.Clip(address, 80)))
				case old != nil:
					old.Highlights = append(old.Highlights, p.Highlights...)
				default:
					p.where = where
					marks[address], order = p, append(order, address)
				}
			})
		})
	}
	return marks, order
}

func readPocket(r *reading) {
	marks, order := r.pocketAnnotations()
	about := func(address string) string {
		p := marks[address]
		if p == nil {
			return ""
		}
		delete(marks, address)
		return p.about()
	}
	for _, f := range csvWith(r.Source, "title", "url", "time_added") {
		r.Rows(f, func(where string, row map[string]string) {
			r.pocket(where, row["url"], row["title"], row["time_added"], strings.Split(row["tags"], "|"), row["status"], about(row["url"]))
		})
	}
	for _, f := range pocketPages(r.Source) {
		s, ok := r.page(f)
		if !ok {
			continue
		}
		m := &markup{s: s}
		status, n := "", 0
		var open *tag
		var text strings.Builder
		for t, ok := m.next(); ok && !r.Over(); t, ok = m.next() {
			switch {
			case t.name == "":
				text.WriteString(t.text)
			case t.name == "h1" && t.end:
				status = strings.ToLower(exports.OneLine(text.String()))
			case t.name == "a" && t.end && open != nil:
				n++
				r.pocket(fmt.Sprintf("%s #%d", f.Name, n), open.attrs["href"], text.String(), open.attrs["time_added"], strings.Split(open.attrs["tags"], ","),
					status, about(open.attrs["href"]))
				open = nil
			case t.name == "a":
				open = &t
				text.Reset()
			default:
				text.Reset()
			}
		}
	}
	for _, address := range order {
		if p := marks[address]; p != nil {
			r.pocket(p.where, address, string(p.Title), "", nil, "", p.about())
		}
	}
}

func (r *reading) pocket(where, address, title, added string, tags []string, status, about string) {
	if !exports.WebAddress(address) {
		r.Fail(where, fmt.Errorf("%q is no web address", exports.Clip(address, 80)))
		return
	}
	r.link(where, exports.Note{
		ID: r.ID(address), URL: address, Title: exports.OneLine(title), Made: exports.ParseTime(added, r.Options.Zone),
		Tags: tags, Meta: exports.Meta{}.Str("status", status),
	}, about)
}

func looksInstapaper(s *exports.Source) bool {
	return len(csvWith(s, "url", "title", "selection", "folder")) > 0
}

func readInstapaper(r *reading) {
	for _, f := range csvWith(r.Source, "url", "title", "selection", "folder") {
		r.Rows(f, func(where string, row map[string]string) {
			if !exports.WebAddress(row["url"]) {
				r.Fail(where, fmt.Errorf("%q is no web address", exports.Clip(row["url"], 80)))
				return
			}
			n := exports.Note{ID: r.ID(row["url"]), URL: row["url"], Title: exports.OneLine(row["title"]), Made: exports.ParseTime(row["timestamp"],
				r.Options.Zone), Meta: exports.Meta{}.Str("folder", row["folder"])}
			if json.Unmarshal([]byte(row["tags"]), &n.Tags) != nil {
				n.Tags = strings.Split(row["tags"], ",")
			}
			if folder := row["folder"]; folder != "Unread" && folder != "Archive" {
				n.Tags = append(n.Tags, folder)
			}
			about := row["selection"]
			if about != "" {
				about = "> " + strings.ReplaceAll(about, "\n", "\n> ")
			}
			r.link(where, n, about)
		})
	}
}
