package pdf

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// written is a document as Markdown with the places of its pages.
type written struct {
	text  string
	marks []extract.Mark
	title string // its first heading
	heads []string
}

// write lays the pages out and joins them. Paragraphs that a page or a column cut in the middle of a sentence are put
// together; the mark of the page stands where its first words stand.
func write(ctx context.Context, pages []*page) (written, error) {
	all := make([][]row, len(pages))
	for i, p := range pages {
		all[i] = rows(p.words[0])
	}
	out := written{heads: dropMargins(pages, all)}
	vocabulary := vocabularyOf(all)
	blocks := make([][]block, len(pages))
	for i, p := range pages {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		blocks[i] = layPage(p, all[i], vocabulary)
	}
	body := bodySize(pages)
	levels := headingSizes(blocks, body)
	w := writer{join: layout{vocabulary: vocabulary}}
	for i, p := range pages {
		w.page = i + 1
		if p.read != "" {
			w.raw(p.read)
		}
		for k, b := range blocks[i] {
			level := headingLevel(b, levels, body)
			if level == 0 && isNumbered(blocks[i], k) {
				level = numberedLevel(b.text, len(levels))
			}
			if level > 0 && out.title == "" {
				out.title = b.text
			}
			w.block(b, level, k == 0)
		}
	}
	out.text, out.marks = string(w.out), w.marks
	return out, nil
}

// layPage returns the blocks of a page: its upright text, then what runs in other directions.
func layPage(p *page, upright []row, vocabulary map[string]bool) []block {
	var out []block
	for q, words := range p.words {
		rs := upright
		if q > 0 {
			rs = rows(words)
		}
		l := layout{vocabulary: vocabulary, rtl: mostlyRightToLeft(rs)}
		l.region(rs, 0)
		for _, b := range l.out {
			if strings.TrimSpace(b.text) != "" {
				out = append(out, b)
			}
		}
	}
	return out
}

func mostlyRightToLeft(rs []row) bool {
	right, left := 0, 0
	for _, r := range rs {
		for _, w := range r.words {
			switch directionOf(w.text) {
			case rightToLeft:
				right++
			case leftToRight:
				left++
			}
		}
	}
	return right > left
}

// headingSizes lists the sizes of headings, the largest first, at most four; sizes that differ by less than a twentieth are one.
func headingSizes(pages [][]block, body float64) []float64 {
	var sizes []float64
	for _, blocks := range pages {
		for _, b := range blocks {
			if looksHeading(b, body) {
				sizes = append(sizes, b.size)
			}
		}
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	var out []float64
	for _, s := range sizes {
		if len(out) == 0 || s < out[len(out)-1]*0.95 && len(out) < 4 {
			out = append(out, s)
		}
	}
	return out
}

// looksHeading reports a short paragraph in letters that are plainly larger than those of the text.
func looksHeading(b block, body float64) bool {
	letters := strings.IndexFunc(b.text, unicode.IsLetter) >= 0
	return !b.table && letters && b.lines <= 3 && len(b.text) <= 240 && body > 0 && b.size >= 1.12*body
}

func headingLevel(b block, sizes []float64, body float64) int {
	if !looksHeading(b, body) {
		return 0
	}
	best := 0
	for i, s := range sizes {
		if best == 0 || math.Abs(s-b.size) < math.Abs(sizes[best-1]-b.size) {
			best = i + 1
		}
	}
	return best
}

// isNumbered reports a heading in letters of the usual size: one line "2.1 Findings" by itself, between paragraphs.
func isNumbered(blocks []block, k int) bool {
	if !numberedLine(blocks[k]) {
		return false
	}
	if k+1 < len(blocks) && (numberedLine(blocks[k+1]) || isItem(blocks[k+1].text)) {
		return false
	}
	return k == 0 || !numberedLine(blocks[k-1]) && !isItem(blocks[k-1].text)
}

func numberedLine(b block) bool {
	number, rest, ok := strings.Cut(b.text, " ")
	if !ok || b.table || b.lines != 1 || len(b.text) > 90 || strings.ContainsRune(".,;:", lastRune(rest)) || !unicode.IsUpper(firstRune(rest)) {
		return false
	}
	number = strings.TrimSuffix(number, ".")
	for part := range strings.SplitSeq(number, ".") {
		if part == "" || len(part) > 2 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// numberedLevel is the depth of the number, below the sizes of headings that the file has.
func numberedLevel(s string, sizes int) int {
	number, _, _ := strings.Cut(s, " ")
	return min(sizes+1+strings.Count(strings.TrimSuffix(number, "."), "."), 6)
}

// writer puts blocks behind each other.
type writer struct {
	out   []byte
	start int // of the last block
	join  layout
	marks []extract.Mark
	page  int
	last  block
	level int
	begun bool
}

// mark notes the place of the page, unless that is done.
func (w *writer) mark() {
	if n := len(w.marks); n > 0 && w.marks[n-1].Page == w.page {
		return
	}
	w.marks = append(w.marks, extract.Mark{Offset: len(w.out), Page: w.page})
}

// raw writes text that is Markdown already.
func (w *writer) raw(s string) {
	s = text.CleanAs(s, text.Markdown)
	if s == "" {
		return
	}
	w.gap()
	w.mark()
	w.out = append(w.out, s...)
	w.begun, w.last, w.level = true, block{table: true}, 0
}

func (w *writer) gap() {
	if w.begun {
		w.out = append(w.out, "\n\n"...)
	}
	w.start = len(w.out)
}

func (w *writer) block(b block, level int, newPage bool) {
	body := clean(b.text)
	if body == "" {
		return
	}
	if w.begun && level == 0 && w.level == 0 && w.runsOn(b, newPage) {
		w.runOn(body)
		w.last = b
		return
	}
	if isBullet(w.last.text) && isBullet(b.text) && w.level == 0 {
		w.out = append(w.out, '\n')
		w.start = len(w.out)
	} else {
		w.gap()
	}
	w.mark()
	switch {
	case level > 0:
		w.out = append(w.out, strings.Repeat("#", level)+" "+strings.ReplaceAll(body, "\n", " ")...)
	case b.table:
		w.out = append(w.out, body...)
	default:
		w.out = append(w.out, paragraph(body)...)
	}
	w.begun, w.last, w.level = true, b, level
}

// runsOn reports that a block goes on with the sentence of the one before it, which a column or a page cut.
func (w *writer) runsOn(b block, newPage bool) bool {
	a := w.last
	if a.table || b.table || !alike(a.size, b.size) || endsSentence(a.text) || isItem(b.text) {
		return false
	}
	elsewhere := newPage || b.first.y0 < a.last.y0 // not simply the next paragraph of the column
	last := lastRune(a.text)
	if last == '-' && unicode.IsLower(firstRune(b.text)) {
		return elsewhere
	}
	return elsewhere && (unicode.IsLower(firstRune(b.text)) || isWide(last) && isWide(firstRune(b.text)))
}

// runOn appends to the paragraph at the end. A hyphen that the end of a line put there is taken back.
func (w *writer) runOn(body string) {
	from := max(w.start, len(w.out)-256)
	for from < len(w.out) && !utf8.RuneStart(w.out[from]) {
		from++
	}
	head, tail := w.join.join(string(w.out[from:]), body)
	w.out = append(w.out[:from], head...)
	w.mark()
	w.out = append(w.out, tail...)
}

// clean makes the text of a block what text.Clean would make of it, so that offsets stay as they are. What is left of soft
// hyphens goes, as they have no sound inside of a line.
func clean(s string) string {
	return text.CleanAs(strings.ReplaceAll(s, "\u00ad", ""), text.Markdown)
}

// paragraph writes a paragraph as Markdown: bullets as list items, and no mark of Markdown where none was meant.
func paragraph(s string) string {
	r := firstRune(s)
	if isBullet(s) {
		return "- " + strings.TrimSpace(s[len(string(r)):])
	}
	if strings.ContainsRune("#>|", r) || strings.HasPrefix(s, "```") || strings.HasPrefix(s, "---") || strings.HasPrefix(s, "~~~") {
		return `\` + s
	}
	return s
}

// isBullet reports an entry of a list that has no number.
func isBullet(s string) bool {
	r := firstRune(s)
	return isItem(s) && !unicode.IsDigit(r) && r != '(' && !unicode.IsLetter(r)
}
