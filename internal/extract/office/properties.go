package office

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// properties is what a file says about itself.
type properties struct {
	title, author, language, subject, keywords, description, editor, publisher, identifier, company string

	created, modified time.Time
	pages             int // as the program that wrote it counted them; 0 unknown
}

// apply hands the properties over.
func (p *properties) apply(out *extract.Output) {
	if !isStopgap(p.title) {
		out.Title = page.OneLine(p.title)
	}
	out.Author = page.OneLine(p.author)
	out.Published = p.created
	if out.Published.IsZero() {
		out.Published = p.modified
	}
	if tag, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(p.language, "_", "-")), "-"); len(tag) == 2 && tag != "zx" {
		out.Language = tag
	}
	for key, value := range map[string]string{
		"subject": p.subject, "keywords": p.keywords, "description": p.description, "last_modified_by": p.editor, "publisher": p.publisher,
		"identifier": p.identifier, "company": p.company,
	} {
		if value = page.OneLine(value); value != "" {
			out.Metadata[key] = value
		}
	}
	for key, t := range map[string]time.Time{"created": p.created, "modified": p.modified} {
		if !t.IsZero() {
			out.Metadata[key] = t.Format(time.RFC3339)
		}
	}
}

var stopgaps = regexp.MustCompile(`(?i)^(?:\s*|untitled[ -]?\d*|unbenannt[ -]?\d*|document[ -]?\d*|dokument[ -]?\d*|` +
	`presentation[ -]?\d*|powerpoint[ -]pr.sentation|book\d*|workbook|title|titel|microsoft (?:word|powerpoint|excel) - .*|folie \d+|slide \d+)$`)

// isStopgap reports titles that programs put where nobody gave one.
func isStopgap(title string) bool { return stopgaps.MatchString(title) }

// readTime reads the dates that properties hold; zero when it cannot.
func readTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05",
		"2006-01-02", "2006-01", "2006",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1 && t.Year() < 10_000 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// day writes a date as people cite it; "" when there is none.
func day(s string) string {
	t := readTime(s)
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02")
}

// readProperties reads the properties of an Office file. That there are none, or broken ones, is no fault of the document.
func readProperties(a *unpack.Archive, doc *document) error {
	err := a.XML("docProps/core.xml", func(x *unpack.XML) error {
		return x.Each(func(name string) error {
			if name == "coreProperties" {
				return nil
			}
			value, err := x.Content()
			doc.props.set(name, value)
			return err
		})
	})
	if err := unpack.Forgive(err); err != nil {
		return err
	}
	return unpack.Forgive(a.XML("docProps/app.xml", func(x *unpack.XML) error {
		return x.Each(func(name string) error {
			switch name {
			case "Pages", "Company":
				value, err := x.Content()
				if n, convErr := strconv.Atoi(value); convErr == nil && name == "Pages" {
					doc.props.pages = n
				} else if name == "Company" {
					doc.props.company = value
				}
				return err
			}
			return nil
		})
	}))
}

// set takes over a property by the name of its element, in Office, OpenDocument or Dublin Core.
func (p *properties) set(name, value string) {
	value = strings.TrimSpace(value)
	if value == "" {
		return
	}
	text := map[string]*string{
		"title": &p.title, "creator": &p.author, "language": &p.language, "subject": &p.subject, "description": &p.description,
		"lastModifiedBy": &p.editor, "publisher": &p.publisher, "identifier": &p.identifier,
	}
	switch name {
	case "created", "creation-date":
		p.created = readTime(value)
	case "modified", "date":
		p.modified = readTime(value)
	case "keywords", "keyword":
		if p.keywords != "" {
			value = p.keywords + ", " + value
		}
		p.keywords = value
	case "initial-creator":
		p.author = value
	default:
		if field := text[name]; field != nil && *field == "" {
			*field = value
		}
	}
}

// mostNamed is how many things of one kind are known by a name: references, styles, lists.
const mostNamed = 50_000

// relation is a reference from one part to another, or to an address outside.
type relation struct {
	kind     string // last element of its type: "slide", "hyperlink"
	target   string // name of a part, or an address
	external bool
}

// relations reads what the part called name refers to, by id. A part without references has none.
func relations(a *unpack.Archive, name string) (map[string]relation, error) {
	dir, file := "", name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, file = name[:i+1], name[i+1:]
	}
	out := map[string]relation{}
	err := a.XML(dir+"_rels/"+file+".rels", func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element != "Relationship" || len(out) >= mostNamed {
				return nil
			}
			r := relation{kind: x.Attr("Type"), target: x.Attr("Target"), external: strings.EqualFold(x.Attr("TargetMode"), "external")}
			r.kind = r.kind[strings.LastIndexByte(r.kind, '/')+1:]
			if !r.external {
				r.target = unpack.Resolve(name, r.target)
			}
			out[x.Attr("Id")] = r
			return nil
		})
	})
	return out, unpack.Forgive(err)
}

// mainPart returns the part that holds the document, and what it refers to.
func mainPart(a *unpack.Archive, usual string) (string, map[string]relation, error) {
	top, err := relations(a, "")
	if err != nil {
		return "", nil, err
	}
	name := usual
	for _, r := range top {
		if r.kind == "officeDocument" && a.Has(r.target) {
			name = r.target
		}
	}
	if !a.Has(name) {
		return "", nil, unpack.Damaged(unpack.ErrMissing)
	}
	rels, err := relations(a, name)
	return name, rels, err
}

// byKind returns the part that rels name for a kind of reference, "" without.
func byKind(rels map[string]relation, kind string) string {
	for _, r := range rels {
		if r.kind == kind && !r.external {
			return r.target
		}
	}
	return ""
}
