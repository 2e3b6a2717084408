package rtf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
)

// destinations are the groups whose words mean something, besides those of the body.
func destination(word string) (purpose, bool) {
	switch word {
	case "fonttbl":
		return fonts, true
	case "stylesheet":
		return sheet, true
	case "title", "subject", "author", "operator", "keywords", "company", "creatim", "revtim", "doccomm":
		return info, true
	case "fldinst":
		return fieldCode, true
	case "listtext", "pntext":
		return listText, true
	case "footnote", "annotation", "shptxt":
		return aside, true
	case "atnauthor", "atntime":
		return about, true
	case "fldrslt", "shpinst", "result":
		return body, true
	case "colortbl", "pict", "objdata", "objclass", "objname", "objalias", "objsect", "atnid",
		"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "themedata",
		"colorschememapping", "datastore", "latentstyles", "listtable", "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "filetbl", "revtbl",
		"private", "template", "fontemb", "fontfile", "panose", "falt", "bkmkstart", "bkmkend", "nonshppict", "ftnsep", "ftnsepc", "ftncn", "aftnsep",
		"aftnsepc", "aftncn", "tc", "xe", "txe", "rxe", "pn", "pnseclvl", "listname", "listlevel", "leveltext", "levelnumbers", "hlinkbase", "userprops",
		"propname", "staticval", "passwordhash", "docvar", "mmathPr", "wgrffmtfilter", "sn", "sv", "sp", "shprslt", "atrfstart", "atrfend", "atnref",
		"atnparent", "atnicn", "nextfile", "buptim", "printim", "background", "picprop", "blipuid", "oldcprops", "oldpprops", "oldtprops",
		"oldsprops", "pgptbl", "protusertbl", "ebcstart", "ebcend", "formfield", "ffname", "datafield", "gridtbl", "fchars", "lchars", "svgfil":
		return nothing, true
	}
	return body, false
}

// control obeys a control word.
func (r *reader) control(t token) {
	if t.word == "u" {
		r.unicode(t.number)
		return
	}
	if r.stand > 0 && isSign(t.word) { // a sign counts as one of the characters that stand in
		r.stand--
		return
	}
	r.stand = 0
	r.flush()
	if p, known := destination(t.word); known {
		r.enter(t.word, p)
		return
	}
	if r.now.star {
		r.now.star, r.now.purpose = false, nothing
	}
	switch {
	case t.word == "*":
		r.now.star = true
	case r.now.purpose == nothing:
	case r.describe(t):
	case r.char(t):
	case r.now.purpose == body || r.now.purpose == aside:
		r.layout(t)
	}
}

func isSign(word string) bool {
	switch word {
	case "~", "-", "_", "bullet", "lquote", "rquote", "ldblquote", "rdblquote", "endash", "emdash", "tab", "line":
		return true
	}
	return false
}

// enter begins the destination of a group. What lies inside of one that is passed over is passed over too.
func (r *reader) enter(word string, p purpose) {
	r.now.star = false
	if r.now.purpose == nothing {
		return
	}
	if p == info && len(r.groups) < 2 {
		return
	}
	r.now.purpose, r.now.name = p, word
	switch p {
	case aside:
		if len(r.frames) > 8 {
			r.now.purpose = nothing
			return
		}
		r.frames = append(r.frames, &frame{kind: word, who: r.author, when: r.when})
		r.author, r.when = "", ""
	case fieldCode:
		if f := r.frame(); len(f.fields) < 100 {
			f.fields = append(f.fields, fieldState{from: f.para.Len()})
		}
	case info, listText, about, sheet:
		r.words.Reset()
	case body:
		if word == "fldrslt" {
			if f := r.frame(); len(f.fields) > 0 {
				f.fields[len(f.fields)-1].from = f.para.Len()
			}
		}
	}
}

// describe obeys what says how text is written or what it is called. It reports whether it knew the word.
func (r *reader) describe(t token) bool {
	switch t.word {
	case "ansicpg":
		if t.number > 0 {
			r.page = t.number
		}
	case "mac":
		r.page = 10000
	case "pc":
		r.page = 437
	case "pca":
		r.page = 850
	case "uc":
		r.now.skip = max(0, min(t.number, 16))
	case "deff":
		r.now.font = t.number
	case "f":
		r.now.font = t.number
		if r.now.purpose == fonts {
			r.number = t.number
		}
	case "fcharset":
		if r.now.purpose == fonts && len(r.fonts) < mostFonts {
			r.fonts[r.number] = charsetPage(t.number)
		}
	case "cpg":
		if r.now.purpose == fonts && len(r.fonts) < mostFonts {
			r.fonts[r.number] = t.number
		}
	case "s":
		if r.now.purpose == sheet {
			r.number = t.number
		} else {
			r.frame().style = t.number
		}
	case "cs", "ds", "ts":
		if r.now.purpose == sheet {
			r.number = -1
		}
	case "nofpages":
		r.counted = t.number
	case "v", "deleted":
		r.now.hidden = !t.has || t.number != 0
	case "plain":
		r.now.hidden = false
	case "yr", "mo", "dy", "hr", "min", "sec":
		at := map[string]int{"yr": 0, "mo": 1, "dy": 2, "hr": 3, "min": 4, "sec": 5}[t.word]
		r.date[at] = t.number
	default:
		return false
	}
	return true
}

// char writes what stands for a character.
func (r *reader) char(t token) bool {
	signs := map[string]string{
		"~": " ", "_": "-", "-": "", "tab": "\t", "line": "\n", "softline": "\n", "lbr": "\n", "emdash": "—", "endash": "–",
		"lquote": "‘", "rquote": "’",
		"ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d", "zwnj": "\u200c",
	}
	s, known := signs[t.word]
	if known {
		r.put(s)
	}
	return known
}

// layout obeys what says how paragraphs, tables and pages are laid out.
func (r *reader) layout(t token) {
	f := r.frame()
	switch t.word {
	case "pard":
		f.style, f.outline, f.indent, f.level, f.inTable = 0, 0, 0, 0, false
	case "par", "sect":
		r.paragraph()
		if t.word == "sect" {
			r.turn()
		}
	case "intbl":
		f.inTable = true
	case "outlinelevel":
		f.outline = 0
		if t.number >= 0 && t.number < 6 {
			f.outline = t.number + 1
		}
	case "ilvl":
		f.level = max(0, min(t.number, 8))
	case "li":
		f.indent = t.number
	case "trowd":
		f.inTable, f.row = true, nil
	case "clvmgf":
		f.next.merged = page.Begins
	case "clvmrg":
		f.next.merged = page.GoesOn
	case "cellx":
		f.next.edge = t.number
		if len(f.row) < page.MostColumns {
			f.row = append(f.row, f.next)
		}
		f.next = def{}
	case "cell", "nestcell":
		r.cell()
	case "row", "nestrow":
		r.row()
	case "page":
		r.turn()
	case "pagebb":
		if f.para.Len() == 0 {
			r.turn()
		}
	}
}

// turn begins a page where the open paragraph ends now.
func (r *reader) turn() {
	if len(r.frames) > 1 || r.pages >= mostPages {
		return
	}
	r.pages++
	r.frame().para.Write(page.Break)
}

// paragraph ends the open paragraph. Inside of a cell it is but a line of it.
func (r *reader) paragraph() {
	f := r.frame()
	for i := range f.fields {
		f.fields[i].from = 0
	}
	if !f.inTable && f.InTable() {
		f.Close()
		f.rowOpen, f.cellOpen = false, false
	}
	if f.inTable {
		r.openRow()
	}
	raw := f.para.String()
	after := f.para.After
	f.para = page.Para{}
	f.Emit(r.blockOf(f, raw))
	f.label = ""
	for _, b := range after {
		f.Emit(b)
	}
}

// openRow begins a table, a row and a cell where none is open.
func (r *reader) openRow() {
	f := r.frame()
	if !f.InTable() {
		f.OpenTable()
		f.edges = nil
	}
	if !f.rowOpen {
		f.OpenRow()
		f.rowOpen, f.column = true, 0
	}
	if !f.cellOpen {
		f.OpenCell()
		f.cellOpen = true
	}
}

// cell ends a cell and begins the next. How wide it is shows in where it ends, compared with the cells of the first row.
func (r *reader) cell() {
	f := r.frame()
	f.inTable = true
	r.openRow()
	r.paragraph()
	width := 1
	if f.cells < len(f.row) {
		d := f.row[f.cells]
		f.Merge(d.merged)
		if i := slices.Index(f.edges, d.edge); i >= f.column {
			width = i + 1 - f.column
		}
	}
	f.Span(width)
	f.CloseCell()
	f.cellOpen = false
	f.column += width
	f.cells++
}

// row ends a row.
func (r *reader) row() {
	f := r.frame()
	if f.InTable() && f.rowOpen {
		if f.cellOpen {
			r.cell()
		}
		f.CloseRow(false)
		if f.edges == nil {
			for _, d := range f.row {
				f.edges = append(f.edges, d.edge)
			}
		}
	}
	f.rowOpen, f.column, f.cells = false, 0, 0
}

// endField puts a link around what a field made.
func (f *frame) endField() {
	n := len(f.fields)
	if n == 0 {
		return
	}
	last := f.fields[n-1]
	f.fields = f.fields[:n-1]
	if code := strings.Fields(last.code); len(code) > 1 && strings.EqualFold(code[0], "hyperlink") {
		f.para.Link(last.from, strings.Trim(code[1], `"`))
	}
}

// blockOf says what kind of block a paragraph is.
func (r *reader) blockOf(f *frame, raw string) page.Block {
	s := page.Tidy(raw)
	name := r.styles[f.style]
	if strings.Trim(s, page.Break+" \n") == "" || strings.HasPrefix(name, "toc ") {
		return page.Block{Text: strings.Repeat(page.Break, strings.Count(s, page.Break))}
	}
	level := f.outline
	if rest, ok := strings.CutPrefix(name, "heading "); ok {
		if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil && n > 0 && n < 10 {
			level = min(n, 6)
		}
	}
	switch {
	case name == "title":
		r.out.Call(strings.ReplaceAll(s, page.Break, ""))
		return page.Block{Shape: page.Heading, Level: 1, Text: s}
	case level > 0:
		if label := strings.Trim(f.label, " \t"); label != "" && !isBullet(label) {
			s = label + " " + s
		}
		return page.Block{Shape: page.Heading, Level: level, Text: s}
	case f.label != "":
		label := page.OneLine(f.label)
		if isBullet(label) {
			label = "-"
		}
		return page.NewItem(label, s, f.level)
	case strings.HasPrefix(name, "preformatted"), strings.HasPrefix(name, "html preformatted"), strings.HasPrefix(name, "source"):
		return page.Block{Shape: page.Code, Text: page.Printable(raw)}
	case strings.HasPrefix(name, "quot"), name == "block text":
		return page.Block{Shape: page.Quote, Text: s}
	}
	if label, rest, found := typedLabel(raw); found {
		return page.NewItem(label, page.Tidy(rest), max(0, min(f.indent/360-1, 8)))
	}
	return page.Block{Text: s}
}

// isBullet reports a label that is a sign, not a number or letter.
func isBullet(label string) bool {
	return !strings.ContainsFunc(label, func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' && c != 'o'
	}) || label == "o"
}

// typedLabel finds a bullet or a number that stands before a tab at the beginning of a paragraph.
func typedLabel(raw string) (label, rest string, found bool) {
	label, rest, found = strings.Cut(strings.TrimLeft(raw, " "), "\t")
	label = strings.TrimSpace(label)
	switch {
	case !found || label == "" || len(label) > 8 || strings.TrimSpace(rest) == "":
		return "", "", false
	case strings.Contains("•·–▪◦‣■□▫●○-*", label):
		return "-", rest, true
	}
	digits := strings.TrimRight(label, ".)")
	if _, err := strconv.Atoi(digits); err == nil && len(digits)+1 == len(label) {
		return label, rest, true
	}
	return "", "", false
}

// endNote hands a note or a comment to the paragraph that refers to it.
func (r *reader) endNote() {
	if len(r.frames) < 2 {
		return
	}
	f := r.frame()
	if f.InTable() {
		r.cell()
	} else {
		r.paragraph()
	}
	f.Close()
	r.frames = r.frames[:len(r.frames)-1]
	words := strings.Join(page.Lines(f.Blocks), "\n")
	if words == "" {
		return
	}
	outer := r.frame()
	if f.kind == "shptxt" {
		outer.para.After = append(outer.para.After, f.Blocks...)
		return
	}
	if f.kind == "annotation" {
		outer.para.After = append(outer.para.After, page.Remark{Text: words, Who: f.who, When: f.when}.Block("Comment"))
		return
	}
	r.notes++
	ref := "[^" + strconv.Itoa(r.notes) + "]"
	outer.para.Write(ref)
	outer.para.After = append(outer.para.After, page.Block{Text: ref + ": " + strings.ReplaceAll(words, "\n", " ")})
}
