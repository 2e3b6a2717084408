package office

import (
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// wordStyle is what matters of a paragraph style.
type wordStyle struct {
	name    string // lower case
	base    string // id of the style it builds on
	outline int    // level of a heading, 1 to 9; 0 for none
	list    string // id of its numbering
	depth   int    // in the list
}

// wordStyles are the styles of a document by id.
type wordStyles map[string]wordStyle

func readWordStyles(a *unpack.Archive, name string) (wordStyles, error) {
	styles := wordStyles{}
	if name == "" {
		return styles, nil
	}
	err := a.XML(name, func(x *unpack.XML) error {
		id := ""
		return x.Each(func(element string) error {
			s := styles[id]
			switch element {
			case "style":
				id = x.Attr("styleId")
				s = wordStyle{}
			case "name":
				s.name = strings.ToLower(x.Attr("val"))
			case "basedOn":
				s.base = x.Attr("val")
			case "outlineLvl":
				s.outline = outlineLevel(x.Attr("val"))
			case "numId":
				s.list = x.Attr("val")
			case "ilvl":
				s.depth = smallNumber(x.Attr("val"))
			default:
				return nil
			}
			if _, known := styles[id]; id != "" && (known || len(styles) < mostNamed) {
				styles[id] = s
			}
			return nil
		})
	})
	return styles, unpack.Forgive(err)
}

// find looks for the first style of a chain for which f is true.
func (s wordStyles) find(id string, f func(wordStyle) bool) (wordStyle, bool) {
	for range 20 {
		style, known := s[id]
		if !known {
			return wordStyle{}, false
		}
		if f(style) {
			return style, true
		}
		id = style.base
	}
	return wordStyle{}, false
}

// level returns the level of the heading that a paragraph of this style is, 0 for none.
func (s wordStyles) level(id string) int {
	style, _ := s.find(id, func(w wordStyle) bool { return headingName(w.name) > 0 || w.outline > 0 })
	if n := headingName(style.name); n > 0 {
		return n
	}
	if style.outline > 6 {
		return 0
	}
	return style.outline
}

// named reports whether the style or one that it builds on has a name that begins with one of the prefixes.
func (s wordStyles) named(id string, prefixes ...string) bool {
	_, found := s.find(id, func(w wordStyle) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(w.name, p) {
				return true
			}
		}
		return false
	})
	return found
}

// headingName reads "heading 2"; "title" is a heading of level 1.
func headingName(name string) int {
	if name == "title" {
		return 1
	}
	rest, found := strings.CutPrefix(name, "heading ")
	n, err := strconv.Atoi(rest)
	if !found || err != nil || n < 1 || n > 9 {
		return 0
	}
	return min(n, 6)
}

// outlineLevel reads a level counted from 0; 9 is body text.
func outlineLevel(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return n + 1
}

// smallNumber reads a number from 0 to 999; 0 for anything else.
func smallNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 999 {
		return 0
	}
	return n
}

// listLevel is how one level of a list is labelled.
type listLevel struct {
	format string // "decimal", "bullet", …
	text   string // "%1.%2."
	start  int
}

// numbering knows the lists of a document and counts their items.
type numbering struct {
	abstract map[string]map[int]listLevel // by id of the definition and level
	list     map[string]string            // list to definition
	restart  map[string]map[int]int       // list to level to the number it begins with
	counts   map[string][]int             // by definition
	begun    map[string]bool              // lists that were seen
}

func readNumbering(a *unpack.Archive, name string) (*numbering, error) {
	n := &numbering{
		abstract: map[string]map[int]listLevel{}, list: map[string]string{}, restart: map[string]map[int]int{},
		counts: map[string][]int{}, begun: map[string]bool{},
	}
	if name == "" {
		return n, nil
	}
	return n, unpack.Forgive(a.XML(name, n.read))
}

func (n *numbering) read(x *unpack.XML) error {
	definition, list, level := "", "", 0
	return x.Each(func(element string) error {
		value := x.Attr("val")
		switch element {
		case "abstractNum":
			definition, list = x.Attr("abstractNumId"), ""
			if len(n.abstract) >= mostNamed {
				return x.Skip()
			}
			n.abstract[definition] = map[int]listLevel{}
		case "num":
			definition, list = "", x.Attr("numId")
			if len(n.list) >= mostNamed {
				return x.Skip()
			}
		case "abstractNumId":
			n.list[list] = value
		case "lvlOverride":
			level = smallNumber(x.Attr("ilvl"))
		case "startOverride":
			if n.restart[list] == nil {
				n.restart[list] = map[int]int{}
			}
			n.restart[list][level] = smallNumber(value)
		case "lvl":
			level = smallNumber(x.Attr("ilvl"))
		case "start", "numFmt", "lvlText":
			if definition == "" {
				return nil
			}
			l, known := n.abstract[definition][level]
			if !known {
				l.start = 1
			}
			switch element {
			case "start":
				l.start = smallNumber(value)
			case "numFmt":
				l.format = value
			default:
				l.text = value[:page.Bound(value, 60)]
			}
			n.abstract[definition][level] = l
		}
		return nil
	})
}

// label counts one more item of a list and returns what stands before it: "-", "3.", "2.1", "(a)"; "" for a list that shows
// nothing.
func (n *numbering) label(list string, level int) string {
	definition, known := n.list[list]
	if !known || level > 8 {
		return "-"
	}
	levels := n.abstract[definition]
	l := levels[level]
	counts := n.counts[definition]
	if counts == nil {
		counts = make([]int, 9)
		for i := range counts {
			counts[i] = levels[i].start - 1
		}
		n.counts[definition] = counts
	}
	if !n.begun[list] {
		n.begun[list] = true
		for at, start := range n.restart[list] {
			if at < len(counts) {
				counts[at] = start - 1
			}
		}
	}
	counts[level]++
	for i := level + 1; i < len(counts); i++ {
		counts[i] = levels[i].start - 1
	}
	switch l.format {
	case "bullet":
		return "-"
	case "none", "":
		return ""
	}
	out := l.text
	for i := range counts {
		place := "%" + strconv.Itoa(i+1)
		if strings.Contains(out, place) {
			count := counts[i]
			if i < level {
				count = max(count, levels[i].start)
			}
			out = strings.ReplaceAll(out, place, page.Ordinal(count, levels[i].format))
		}
	}
	return strings.TrimSpace(out)
}

// readRemarks reads a part of comments or notes, by id. element is what one of them is called.
func (w *word) readRemarks(name, element string) (map[string]page.Remark, error) {
	out := map[string]page.Remark{}
	if name == "" {
		return out, nil
	}
	rels, err := relations(w.a, name)
	if err != nil {
		return nil, err
	}
	err = w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(e string) error {
			if e != element || x.Attr("type") == "separator" || x.Attr("type") == "continuationSeparator" {
				return nil
			}
			id := x.Attr("id")
			r := page.Remark{Who: x.Attr("author"), When: day(x.Attr("date"))}
			inner := &word{a: w.a, doc: w.doc, styles: w.styles, lists: w.lists, rels: rels, inner: true}
			inner.frames = []*wordFrame{{}}
			if err := inner.walk(x, x.Depth()); err != nil {
				return err
			}
			r.Text = strings.Join(page.Lines(inner.frames[0].Blocks), "\n")
			if r.Text != "" && len(out) < mostNamed {
				out[id] = r
			}
			return nil
		})
	})
	return out, unpack.Forgive(err)
}
