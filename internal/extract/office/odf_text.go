package office

import (
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// openParagraph begins a paragraph or a heading.
func (o *odf) openParagraph(x *unpack.XML) {
	f := o.frame()
	if f.open {
		o.endParagraph()
	}
	name := x.Attr("style-name")
	f.open = true
	f.para, f.style = page.Para{}, name
	f.heading = 0
	if x.Name == "h" {
		n, err := strconv.Atoi(x.Attr("outline-level"))
		if err != nil || n < 1 {
			n = 1
		}
		f.heading = min(n, 6)
	}
	st := o.styles.styles[name]
	f.breaks = st.after
	if st.breaks && !o.fresh {
		o.turn()
	}
}

// endParagraph turns the open paragraph into a block.
func (o *odf) endParagraph() {
	f := o.frame()
	if !f.open {
		return
	}
	f.open = false
	p := f.para
	f.para = page.Para{}
	f.Emit(o.blockOf(f, p.String()))
	for _, b := range p.After {
		f.Emit(b)
	}
	if f.breaks {
		f.breaks = false
		o.turn()
	}
}

// blockOf says what kind of block a paragraph is.
func (o *odf) blockOf(f *odfFrame, raw string) page.Block {
	s := page.Tidy(raw)
	if strings.Trim(s, page.Break+" \n") == "" {
		return page.Block{Text: strings.Repeat(page.Break, strings.Count(s, page.Break))}
	}
	var list *odfList
	if n := len(o.lists); n > 0 && o.lists[n-1].fresh {
		list = o.lists[n-1]
		list.fresh = false
	}
	switch {
	case f.heading > 0:
		level := f.heading
		if label := o.styles.label(&o.outline, level); label != "" && label != "-" {
			s = label + " " + s
		}
		return page.Block{Shape: page.Heading, Level: level, Text: s}
	case o.styles.named(f.style, "title") && o.slide == nil && len(o.frames) == 1:
		o.doc.Call(strings.ReplaceAll(s, page.Break, ""))
		return page.Block{Shape: page.Heading, Level: 1, Text: s}
	case list != nil:
		return page.NewItem(o.styles.label(list, len(o.lists)), s, len(o.lists)-1)
	case o.styles.named(f.style, "preformatted", "source", "code"):
		return page.Block{Shape: page.Code, Text: page.Printable(raw)}
	case o.styles.named(f.style, "quotation", "quote", "block text"):
		return page.Block{Shape: page.Quote, Text: s}
	}
	return page.Block{Text: s}
}

// openList begins a list or an item. A list goes on with the style and the numbers of the one around it, or where it says
// so of the one before it.
func (o *odf) openList(x *unpack.XML) {
	if x.Name != "list" {
		if n := len(o.lists); n > 0 {
			o.lists[n-1].fresh = x.Name == "list-item"
			o.lists[n-1].next = smallNumber(x.Attr("start-value"))
		}
		return
	}
	l := &odfList{style: x.Attr("style-name")}
	if n := len(o.lists); n > 0 {
		outer := o.lists[n-1]
		if l.style == "" {
			l.style = outer.style
		}
		l.counts = append([]int(nil), outer.counts[:min(len(outer.counts), n+1)]...)
	} else if x.Attr("continue-numbering") == "true" || x.Attr("continue-list") != "" {
		l.counts = o.last[l.style]
	}
	o.lists = append(o.lists, l)
}

// endList keeps the numbers of a list for one that goes on with it.
func (o *odf) endList() {
	n := len(o.lists)
	if n == 0 {
		return
	}
	if n == 1 {
		if o.last == nil {
			o.last = map[string][]int{}
		}
		o.last[o.lists[0].style] = o.lists[0].counts
	}
	o.lists = o.lists[:n-1]
}

// openTable looks at the parts of tables.
func (o *odf) openTable(x *unpack.XML) {
	f := o.frame()
	switch x.Name {
	case "table":
		o.endParagraph()
		if o.styles.styles[x.Attr("style-name")].breaks && !o.fresh {
			o.turn()
		}
		f.OpenTable()
	case "table-row":
		f.OpenRow()
	case "table-cell":
		f.OpenCell()
		f.Cover(smallNumber(x.Attr("number-rows-spanned")) - 1)
		f.Span(smallNumber(x.Attr("number-columns-repeated")))
	case "covered-table-cell":
		f.OpenCell()
		f.Covering()
		f.Span(smallNumber(x.Attr("number-columns-repeated")))
	}
}

// closeTable ends a cell, a row or a table.
func (o *odf) closeTable(name string) {
	f := o.frame()
	switch name {
	case "table-cell", "covered-table-cell":
		o.endParagraph()
		f.CloseCell()
	case "table-row":
		f.CloseRow(false)
	case "table":
		f.CloseTable()
	}
}
