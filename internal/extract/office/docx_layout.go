package office

import (
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// openTable looks at the parts of tables.
func (w *word) openTable(x *unpack.XML) {
	f := w.frame()
	switch x.Name {
	case "tbl":
		f.OpenTable()
	case "tr":
		f.OpenRow()
		f.gone = false
	case "tc":
		f.OpenCell()
	case "gridBefore":
		f.Pad(smallNumber(x.Attr("val")))
	case "gridSpan":
		f.Span(smallNumber(x.Attr("val")))
	case "vMerge":
		if x.Attr("val") == "restart" {
			f.Merge(page.Begins)
		} else {
			f.Merge(page.GoesOn)
		}
	}
}

// breakPage looks at what says that a page begins.
func (w *word) breakPage(x *unpack.XML) {
	switch x.Name {
	case "lastRenderedPageBreak":
		// Word writes down a page that a person began twice: as the break, and as where the page was rendered.
		if w.rendered = true; !w.fresh {
			w.turn()
		}
	case "pageBreakBefore":
		if v := x.Attr("val"); x.Parent(1, unpack.Opens) == "pPr" && v != "0" && v != "false" && v != "off" {
			w.turn()
		}
	case "sectPr":
		w.kind = "nextPage"
	case "type":
		if x.Parent(1, unpack.Opens) == "sectPr" {
			w.kind = x.Attr("val")
		}
	}
}

// turn begins a page where the open paragraph ends now.
func (w *word) turn() bool {
	if w.inner || len(w.frames) > 1 || w.turns >= mostPages {
		return false
	}
	w.para().Write(page.Break)
	w.turns++
	w.fresh = true
	return true
}

// endSection is called at the end of the description of a section, which stands behind the section and says how it began.
// Until then it was taken to begin with a page.
func (w *word) endSection(more bool) {
	if w.section > 0 && (w.kind == "continuous" || w.kind == "nextColumn") {
		w.doc.Unturn(w.section)
		w.turns--
	}
	w.section = 0
	if more {
		w.para().ends = true
	}
}

// settlePages decides whether the page breaks that were seen are all there are. Programs write down where their pages began
// (rendered), at least of those that they have laid out, or else a page is seen only where a person broke it: the numbers are
// right when their count is that of the program, and next to right when pages were rendered and few are missing.
func (d *document) settlePages(rendered bool) {
	seen, counted := d.Number(), d.props.pages
	if seen < 2 || counted > seen && !(rendered && 10*seen >= 9*counted) {
		d.Unmark()
	}
}
