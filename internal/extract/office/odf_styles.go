package office

import (
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// odfStyle is what matters of a style of OpenDocument.
type odfStyle struct {
	parent  string
	display string // name that people see
	list    string // name of its list style
	outline int
	breaks  bool // a page begins before it
	after   bool // or behind it
	hidden  bool // text, a sheet or a slide that is not shown
}

// odfLevel is how one level of a list is labelled.
type odfLevel struct {
	bullet         bool
	format         string // "1", "a", "I"; "" for no number
	prefix, suffix string
	start, levels  int // first number; how many levels a label shows
}

// odfStyles are the styles of a document by name, and its lists.
type odfStyles struct {
	styles map[string]odfStyle
	lists  map[string]map[int]odfLevel
	list   string // that is being read
	style  string
}

// outlineList is where the numbers of headings are kept.
const outlineList = "\x00outline"

// open looks at an element, which may be one of styles.
func (s *odfStyles) open(x *unpack.XML) {
	switch x.Name {
	case "style":
		name := x.Attr("name")
		s.style = name
		if _, known := s.styles[name]; !known && len(s.styles) >= mostNamed {
			return
		}
		if x.Attr("family") == "paragraph" || s.styles[name].parent == "" {
			n, _ := strconv.Atoi(x.Attr("default-outline-level"))
			display := x.Attr("display-name")
			if display == "" {
				display = strings.ReplaceAll(name, "_20_", " ")
			}
			s.styles[name] = odfStyle{
				parent: x.Attr("parent-style-name"), display: strings.ToLower(display), list: x.Attr("list-style-name"),
				outline: max(n, 0), breaks: x.Attr("master-page-name") != "",
			}
		}
	case "paragraph-properties", "table-properties", "text-properties", "drawing-page-properties", "section-properties":
		st, known := s.styles[s.style]
		if !known {
			return
		}
		st.breaks = st.breaks || x.Attr("break-before") == "page"
		st.after = st.after || x.Attr("break-after") == "page"
		st.hidden = st.hidden || x.Attr("display") == "none" || x.Attr("display") == "false" && x.Name == "table-properties" ||
			x.Attr("visibility") == "hidden" && x.Name == "drawing-page-properties"
		s.styles[s.style] = st
	case "list-style":
		s.list = x.Attr("name")
	case "outline-style":
		s.list = outlineList
	case "list-level-style-number", "list-level-style-bullet", "outline-level-style", "list-level-style-image":
		level, err := strconv.Atoi(x.Attr("level"))
		if err != nil || level < 1 || level > 10 {
			return
		}
		l := odfLevel{
			bullet: x.Name == "list-level-style-bullet" || x.Name == "list-level-style-image", format: x.AttrIn("style", "num-format"),
			prefix: x.AttrIn("style", "num-prefix"), suffix: x.AttrIn("style", "num-suffix"),
			start: max(smallNumber(x.Attr("start-value")), 1), levels: max(smallNumber(x.Attr("display-levels")), 1),
		}
		l.prefix, l.suffix = l.prefix[:page.Bound(l.prefix, 30)], l.suffix[:page.Bound(l.suffix, 30)]
		if s.lists[s.list] == nil {
			if len(s.lists) >= mostNamed {
				return
			}
			s.lists[s.list] = map[int]odfLevel{}
		}
		s.lists[s.list][level] = l
	}
}

// find looks for the first style of a chain for which f is true.
func (s *odfStyles) find(name string, f func(odfStyle) bool) (odfStyle, bool) {
	for range 20 {
		st, known := s.styles[name]
		if !known {
			return odfStyle{}, false
		}
		if f(st) {
			return st, true
		}
		name = st.parent
	}
	return odfStyle{}, false
}

// named reports whether a style or one that it builds on is called by one of the names.
func (s *odfStyles) named(name string, names ...string) bool {
	_, found := s.find(name, func(st odfStyle) bool {
		for _, n := range names {
			if strings.HasPrefix(st.display, n) {
				return true
			}
		}
		return false
	})
	if !found {
		plain := strings.ToLower(strings.ReplaceAll(name, "_20_", " "))
		for _, n := range names {
			found = found || strings.HasPrefix(plain, n)
		}
	}
	return found
}

// odfList is a list that is open, or the headings: numbers by level.
type odfList struct {
	style  string
	counts []int
	fresh  bool // the open item has not shown its label yet
	next   int  // number that the open item asks for, 0 for none
}

// label counts an item of a level, from 1, and returns what stands before it.
func (s *odfStyles) label(l *odfList, level int) string {
	if level > 10 {
		return "-"
	}
	st := s.lists[l.style][level]
	for len(l.counts) <= level {
		l.counts = append(l.counts, 0)
	}
	l.counts = l.counts[:level+1]
	if l.counts[level] == 0 {
		l.counts[level] = max(st.start, 1) - 1
	}
	l.counts[level]++
	if l.next > 0 {
		l.counts[level], l.next = l.next, 0
	}
	switch {
	case st.bullet:
		return "-"
	case st.format == "":
		return ""
	}
	var parts []string
	for i := max(1, level-st.levels+1); i <= level; i++ {
		if f := s.lists[l.style][i].format; f != "" {
			parts = append(parts, page.Ordinal(max(l.counts[i], 1), f))
		}
	}
	return strings.TrimSpace(st.prefix + strings.Join(parts, ".") + st.suffix)
}
