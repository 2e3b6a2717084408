package book

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// volume is an EPUB that is being read.
type volume struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call of Extract
	a       *unpack.Archive
	page    page.Page
	about   about
	warning string
	items   map[string]bookItem // by id
	spine   []string            // ids
	nav     string              // part with the contents
	ncx     string              // the same in EPUB 2
	entries []*entry
	starts  map[string][]*entry // by the part in which they begin
	printed int                 // the last page of the printed book that was seen
	notes   map[string]string   // anchors of footnotes, to what the text calls them
}

// about is what a book says about itself.
type about struct {
	title, language, description, publisher, identifier, rights string
	authors, subjects                                           []string
	published, modified                                         time.Time
}

// mostTitle is how many bytes the title of a chapter has.
const mostTitle = 300

// bookItem is a line of the manifest.
type bookItem struct{ part, media string }

// entry is a line of the contents.
type entry struct {
	title  string
	part   string
	anchor string // "" for the beginning of the part
	depth  int    // from 0
	place  string
	begun  bool
}

// read reads the chapters of a book in the order of its spine.
func (b *volume) read() error {
	opf, err := packagePart(b.a)
	if err != nil {
		return err
	}
	if err := b.a.XML(opf, func(x *unpack.XML) error { return b.readPackage(x, opf) }); err != nil {
		return err
	}
	if err := b.readLocks(); err != nil {
		return err
	}
	if err := b.readContents(); err != nil {
		return err
	}
	if len(b.entries) > 0 {
		b.page.At(page.Mark{Place: "front matter"})
	}
	for _, id := range b.spine {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		item := b.items[id]
		if item.part == b.nav || item.part == "" || item.media != "" && !strings.Contains(item.media, "html") && !strings.Contains(item.media, "xml") {
			continue
		}
		if err := b.readChapter(item.part); unpack.Forgive(err) != nil {
			return err
		} else if err != nil {
			b.warning = fmt.Sprintf("%s is damaged: %v", item.part, err)
		}
		if b.page.Full() {
			break
		}
	}
	return nil
}

// packagePart finds the part that describes the book.
func packagePart(a *unpack.Archive) (string, error) {
	name := ""
	err := a.XML("META-INF/container.xml", func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element == "rootfile" && name == "" {
				name = unpack.Resolve("", x.Attr("full-path"))
			}
			return nil
		})
	})
	if err := unpack.Forgive(err); err != nil {
		return "", err
	}
	if a.Has(name) {
		return name, nil
	}
	for _, other := range a.Names() {
		if strings.HasSuffix(strings.ToLower(other), ".opf") {
			return other, nil
		}
	}
	return "", unpack.Damaged(fmt.Errorf("package: %w", unpack.ErrMissing))
}

// readPackage reads what the book says about itself, and lists its parts.
func (b *volume) readPackage(x *unpack.XML, name string) error {
	return x.Each(func(element string) error {
		switch element {
		case "creator", "title", "language", "subject", "description", "publisher", "identifier", "date", "rights":
			event := x.Attr("event")
			s, err := x.Content()
			b.about.set(element, event, page.OneLine(s))
			return err
		case "meta":
			if x.Attr("property") == "dcterms:modified" {
				s, err := x.Content()
				b.about.modified = readTime(s)
				return err
			}
		case "item":
			part := unpack.Resolve(name, unescaped(x.Attr("href")))
			if len(b.items) < unpack.MostEntries {
				b.items[x.Attr("id")] = bookItem{part, x.Attr("media-type")}
			}
			if strings.Contains(" "+x.Attr("properties")+" ", " nav ") {
				b.nav = part
			}
			if x.Attr("media-type") == "application/x-dtbncx+xml" {
				b.ncx = part
			}
		case "itemref":
			if len(b.spine) < unpack.MostEntries {
				b.spine = append(b.spine, x.Attr("idref"))
			}
		}
		return nil
	})
}

// set takes over an element of Dublin Core.
func (a *about) set(element, event, value string) {
	if value == "" {
		return
	}
	switch element {
	case "creator":
		a.authors = append(a.authors, value)
	case "subject":
		a.subjects = append(a.subjects, value)
	case "date":
		if t := readTime(value); event == "modification" {
			a.modified = t
		} else if a.published.IsZero() || event == "publication" {
			a.published = t
		}
	}
	field := map[string]*string{
		"title": &a.title, "language": &a.language, "description": &a.description, "publisher": &a.publisher, "identifier": &a.identifier,
		"rights": &a.rights,
	}[element]
	if field != nil && *field == "" {
		*field = value
	}
}

// readTime reads the dates that books carry; zero when it cannot.
func readTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil && t.Year() > 1 && t.Year() < 10_000 {
			return t.UTC()
		}
	}
	return time.Time{}
}

func unescaped(href string) string {
	if s, err := url.PathUnescape(href); err == nil {
		return s
	}
	return href
}

// fontLocks only scramble fonts.
var fontLocks = []string{"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}

// readLocks refuses books whose chapters are encrypted, and says by whom.
func (b *volume) readLocks() error {
	algorithm, locked := "", map[string]bool{}
	err := b.a.XML("META-INF/encryption.xml", func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			switch element {
			case "EncryptedData":
				algorithm = ""
			case "EncryptionMethod":
				if algorithm == "" {
					algorithm = x.Attr("Algorithm")
				}
			case "CipherReference":
				if algorithm != fontLocks[0] && algorithm != fontLocks[1] {
					locked[unpack.Key(unescaped(x.Attr("URI")))] = true
				}
			}
			return nil
		})
	})
	if err := unpack.Forgive(err); err != nil {
		return err
	}
	for _, id := range b.spine {
		if !locked[unpack.Key(b.items[id].part)] {
			continue
		}
		by := "an unknown scheme"
		for part, name := range map[string]string{
			"META-INF/license.lcpl": "Readium LCP", "META-INF/sinf.xml": "Apple FairPlay", "META-INF/rights.xml": "Adobe ADEPT",
		} {
			if b.a.Has(part) {
				by = name
			}
		}
		return &unpack.Fault{
			Reason: "the book is encrypted by its copy protection (" + by + ")",
			Hint:   "read it with the program that it was bought for; only books without copy protection can be remembered",
		}
	}
	return nil
}

// readContents reads the contents of the book, of version 3 or else of 2.
func (b *volume) readContents() error {
	if b.nav != "" {
		if err := unpack.Forgive(b.readLoose(b.nav, b.readNav)); err != nil {
			return err
		}
	}
	if len(b.entries) == 0 && b.ncx != "" {
		if err := unpack.Forgive(b.readLoose(b.ncx, b.readNcx)); err != nil {
			return err
		}
	}
	numberChapters(b.entries, b.about.title)
	for _, e := range b.entries {
		b.starts[unpack.Key(e.part)] = append(b.starts[unpack.Key(e.part)], e)
	}
	return nil
}

// readLoose reads a part as browsers would.
func (b *volume) readLoose(name string, f func(*unpack.XML, string) error) error {
	data, err := b.a.Read(name)
	if err != nil {
		return err
	}
	return f(unpack.NewLoose(bytes.NewReader(unpack.UTF8(data))), name)
}

// readNav reads the list of contents of a navigation document.
func (b *volume) readNav(x *unpack.XML, name string) error {
	return x.Each(func(element string) error {
		if element != "nav" || len(b.entries) > 0 {
			return nil
		}
		if kind := x.Attr("type"); kind != "toc" && x.Attr("role") != "doc-toc" {
			return nil
		}
		depth, lists := x.Depth(), 0
		for x.Depth() >= depth {
			e, err := x.Next()
			if err != nil {
				return err
			}
			switch {
			case e == unpack.Opens && (x.Name == "ol" || x.Name == "ul"):
				lists++
			case e == unpack.Closes && (x.Name == "ol" || x.Name == "ul"):
				lists--
			case e == unpack.Opens && lists > 0 && (x.Name == "a" || x.Name == "span"):
				href := x.Attr("href")
				title, err := x.Content()
				b.addEntry(name, href, title, lists-1)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readNcx reads the contents of an EPUB 2.
func (b *volume) readNcx(x *unpack.XML, name string) error {
	depth, title := 0, ""
	for {
		e, err := x.Next()
		if err != nil {
			if unpack.IsEnd(err) {
				return nil
			}
			return err
		}
		switch {
		case e == unpack.Opens && x.Name == "navpoint":
			depth, title = depth+1, ""
		case e == unpack.Closes && x.Name == "navpoint":
			depth--
		case e == unpack.Opens && x.Name == "text" && depth > 0 && title == "":
			if title, err = x.Content(); err != nil {
				return err
			}
		case e == unpack.Opens && x.Name == "content" && depth > 0:
			b.addEntry(name, x.Attr("src"), title, depth-1)
		}
	}
}

func (b *volume) addEntry(from, href, title string, depth int) {
	if title = page.OneLine(title); title == "" || len(b.entries) >= unpack.MostEntries {
		return
	}
	e := &entry{title: title[:page.Bound(title, mostTitle)], depth: depth}
	if href != "" {
		path, anchor, _ := strings.Cut(href, "#")
		e.part, e.anchor = unpack.Resolve(from, unescaped(path)), unescaped(anchor)
		if path == "" {
			e.part = from
		}
	}
	b.entries = append(b.entries, e)
}

var (
	frontMatter = regexp.MustCompile(`(?i)^(?:cover|title ?page|half ?title|copyright|imprint|contents|table of contents|dedication|epigraph|` +
		`foreword|preface|acknowledge?ments?|introduction|prologue|epilogue|afterword|appendix|notes|endnotes|footnotes|bibliography|glossary|index|colophon|uncopyright|` +
		`about the authors?|also by|list of|umschlag|titel|inhalt|vorwort|impressum|nachwort|anhang|couverture|table des matières|préface)\b`)
	partTitle   = regexp.MustCompile(`(?i)^(?:part|book|volume|teil|buch|band|partie|livre)\s+\S+`)
	namedTitle  = regexp.MustCompile(`(?i)^(?:chapter|kapitel|chapitre|capítulo|capitolo)\b`)
	numberTitle = regexp.MustCompile(`^(?:\d+|[IVXLC]+)(?:[.:)]?\s|[.:)]?$)`)
)

// numberChapters says what each line of the contents is called in a citation: "chapter 3: The Sea". Titles that number
// themselves are left alone, and what stands around the chapters has no number.
func numberChapters(entries []*entry, book string) {
	chapters := 0
	level := 0 // at which chapters stand
	outer := []string{}
	for i, e := range entries {
		e.depth = min(e.depth, 8)
		outer = outer[:min(len(outer), e.depth)]
		switch {
		case partTitle.MatchString(e.title):
			e.place = e.title
			if level = e.depth; i+1 < len(entries) && entries[i+1].depth > e.depth {
				level = e.depth + 1
			}
		case e.depth > level, strings.EqualFold(e.title, book), frontMatter.MatchString(e.title), namedTitle.MatchString(e.title),
			numberTitle.MatchString(e.title):
			e.place = e.title
		default:
			chapters++
			e.place = "chapter " + strconv.Itoa(chapters) + ": " + e.title
		}
		for len(outer) < e.depth {
			outer = append(outer, "")
		}
		outer = append(outer, e.place)
		var path []string
		for _, p := range outer {
			if p != "" {
				path = append(path, p)
			}
		}
		e.place = strings.Join(path, " › ")
	}
}

// readChapter writes a part of the spine. What is no well-formed XML is read from there on as the web reads HTML.
func (b *volume) readChapter(part string) error {
	data, err := b.a.Read(part)
	if err != nil {
		return err
	}
	data = unpack.UTF8(data)
	c := &chapter{b: b, part: part, page: &b.page}
	c.Out = &b.page
	for _, e := range b.starts[unpack.Key(part)] {
		if e.anchor == "" {
			c.begin(e)
		}
	}
	x := unpack.NewLoose(bytes.NewReader(data))
	err = c.walk(x)
	c.flush()
	if err == nil || unpack.Forgive(err) != nil {
		return err
	}
	rest := restOf(data, x.Offset())
	out, htmlErr := extract.Set{}.Extract(b.ctx, extract.Input{
		Data: append([]byte("<!DOCTYPE html><div>"), rest...), DeclaredType: "text/html",
		Limits: extract.Limits{MaxBytes: unpack.MostPart + 100, MaxChars: -1},
	})
	switch {
	case errors.Is(htmlErr, extract.ErrEmpty):
		return nil
	case htmlErr != nil:
		return err
	}
	b.page.AddRaw(out.Text)
	return nil
}

// restOf returns what stands from the tag on in which reading ended, or from the sign that was taken for one.
func restOf(data []byte, offset int) []byte {
	offset = min(offset, len(data))
	i := bytes.LastIndexByte(data[:offset], '<')
	if i < 0 || i+1 >= len(data) {
		return data[offset:]
	}
	if c := data[i+1] | 0x20; c >= 'a' && c <= 'z' || data[i+1] == '/' || data[i+1] == '!' || data[i+1] == '?' {
		return data[i:]
	}
	return append([]byte("&lt;"), data[i+1:]...)
}
