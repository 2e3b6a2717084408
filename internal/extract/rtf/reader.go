package rtf

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
)

// purpose is what the words of a group are for.
type purpose uint8

const (
	body      purpose = iota
	nothing           // they are passed over
	fonts             // the table of fonts
	sheet             // the table of styles
	info              // a property, by name
	fieldCode         // what a field is told to do
	listText          // the label of an item
	aside             // a footnote or a comment
	about             // who made a comment, and when
)

// group is the state that a brace saves and another brings back.
type group struct {
	purpose purpose
	name    string // of the property or the note
	font    int
	skip    int  // characters that stand in for a \u
	hidden  bool // or deleted
	star    bool // the group may be passed over
}

// reader makes Markdown of RTF.
type reader struct {
	lex     lexer
	out     page.Page
	groups  []group
	now     group
	page    int // code page of the file
	fonts   map[int]int
	styles  map[int]string // names of the styles, by number
	info    map[string]string
	warning string

	created, revised time.Time
	date             [6]int

	frames  []*frame
	pending []byte // bytes of text that are not decoded yet
	encoder int    // their code page
	stand   int    // characters still to be passed over behind a \u
	high    rune   // first half of a pair
	words   strings.Builder

	notes   int
	pages   int    // breaks so far
	counted int    // pages, by the program that wrote the file
	author  string // of the next comment
	when    string
	number  int // of the font or style that is being described
}

// frame is where paragraphs go: the document or a note.
type frame struct {
	page.Frame
	para     page.Para
	style    int
	outline  int // level of a heading, 0 for none
	indent   int // of the paragraph, in twips
	label    string
	level    int // of the list
	inTable  bool
	rowOpen  bool
	cellOpen bool
	column   int   // of the next cell
	cells    int   // that the open row has so far
	row      []def // cells as the row declares them
	edges    []int // right edges of the cells of the first row
	next     def
	fields   []fieldState
	kind     string // of a note
	who      string
	when     string
}

// def is what a row says about one of its cells.
type def struct {
	merged page.Merge
	edge   int
}

// fieldState is a field that is open.
type fieldState struct {
	code string
	from int
}

func newReader(data []byte) *reader {
	r := &reader{lex: lexer{data: data}, page: 1252, fonts: map[int]int{}, styles: map[int]string{}, info: map[string]string{}}
	r.now.skip = 1
	r.frames = []*frame{{Frame: page.Frame{Out: &r.out}}}
	return r
}

func (r *reader) frame() *frame { return r.frames[len(r.frames)-1] }

// read reads the file to its end.
func (r *reader) read(ctx context.Context) error {
	r.out.Turn()
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := r.lex.next()
		switch t.kind {
		case end:
			if len(r.groups) > 0 {
				r.warning = "the file is cut short: its end is missing"
			}
			r.finish()
			return nil
		case opening:
			r.flush()
			r.stand = 0
			if len(r.groups) >= mostDepth {
				return &extract.Error{
					Reason: "the RTF nests deeper than " + strconv.Itoa(mostDepth) + " groups", Hint: "open it in a word processor and save it again",
				}
			}
			r.groups = append(r.groups, r.now)
			r.now.star = false
		case closing:
			r.flush()
			r.stand = 0
			r.closeGroup()
			if len(r.groups) == 0 {
				r.finish()
				return nil
			}
		case control:
			r.control(t)
		case char:
			r.text(t.bytes)
		}
		if r.out.Full() {
			return nil
		}
	}
}

// finish ends what is open.
func (r *reader) finish() {
	r.flush()
	for len(r.frames) > 1 {
		r.endNote()
	}
	f := r.frame()
	if strings.TrimSpace(f.para.String()) != "" || len(f.para.After) > 0 {
		if f.inTable {
			r.cell()
		} else {
			r.paragraph()
		}
	}
	f.Close()
	if r.pages == 0 || r.counted > r.out.Number() {
		r.out.Unmark()
	}
}

// closeGroup brings the state before the group back.
func (r *reader) closeGroup() {
	if len(r.groups) == 0 {
		return
	}
	was := r.now
	r.now = r.groups[len(r.groups)-1]
	r.groups = r.groups[:len(r.groups)-1]
	if was.purpose == r.now.purpose && was.name == r.now.name {
		return
	}
	if was.name == "fldrslt" {
		r.frame().endField()
	}
	value := strings.TrimSpace(r.words.String())
	switch was.purpose {
	case info:
		if _, known := r.info[was.name]; !known && value != "" {
			r.info[was.name] = value
		}
		r.words.Reset()
		r.setDate(was.name)
	case sheet:
		r.words.Reset()
	case listText:
		r.frame().label = value
		r.words.Reset()
	case about:
		if was.name == "atnauthor" {
			r.author = value
		}
		r.words.Reset()
		r.setDate(was.name)
	case aside:
		r.endNote()
	}
}

// setDate takes over the date that a group of properties spelled.
func (r *reader) setDate(name string) {
	d := r.date
	if d[0] == 0 {
		return
	}
	t := time.Date(d[0], time.Month(max(d[1], 1)), max(d[2], 1), d[3], d[4], d[5], 0, time.UTC)
	switch {
	case d[0] < 1900 || d[0] > 9999:
	case name == "creatim":
		r.created = t
	case name == "revtim":
		r.revised = t
	case name == "atntime":
		r.when = t.Format("2006-01-02")
	}
	r.date = [6]int{}
}

// text takes bytes of text. They are decoded when what follows is none, since a character may take several.
func (r *reader) text(b []byte) {
	if r.stand > 0 {
		n := min(r.stand, len(b))
		r.stand -= n
		b = b[n:]
	}
	if len(b) == 0 || r.now.purpose == nothing || r.now.hidden {
		return
	}
	cp := r.page
	if p := r.fonts[r.now.font]; p != 0 {
		cp = p
	}
	if cp != r.encoder {
		r.flush()
		r.encoder = cp
	}
	r.pending = append(r.pending, b...)
}

// flush decodes the bytes that wait.
func (r *reader) flush() {
	if len(r.pending) == 0 {
		return
	}
	s := decode(codePage(r.encoder), r.pending)
	r.pending = r.pending[:0]
	r.put(s)
}

func decode(e encoding.Encoding, b []byte) string {
	ascii := true
	for _, c := range b {
		ascii = ascii && c < 0x80
	}
	if ascii {
		return string(b)
	}
	out, err := e.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\ufffd")
	}
	return string(out)
}

// put hands words to where the group wants them.
func (r *reader) put(s string) {
	if r.high != 0 { // half a pair is nothing
		r.high, s = 0, "\ufffd"+s
	}
	if s == "" || r.now.hidden {
		return
	}
	s = strings.ReplaceAll(s, page.Break, "")
	switch r.now.purpose {
	case body, aside:
		r.frame().para.Write(s)
	case fieldCode:
		if n := len(r.frame().fields); n > 0 && len(r.frame().fields[n-1].code) < 10_000 {
			r.frame().fields[n-1].code += s
		}
	case fonts:
	case sheet:
		if r.words.Len() < 1000 {
			r.words.WriteString(s)
		}
		r.styleName()
	case info, listText, about:
		if r.words.Len() < 100_000 {
			r.words.WriteString(s)
		}
	}
}

// styleName takes over the name of a style, which ends with a semicolon.
func (r *reader) styleName() {
	name, _, found := strings.Cut(r.words.String(), ";")
	if !found {
		return
	}
	if len(r.styles) < mostFonts {
		r.styles[r.number] = strings.ToLower(strings.TrimSpace(name))
	}
	r.words.Reset()
	r.number = 0
}

// unicode takes a character that is written by its number, a UTF-16 unit that may be negative.
func (r *reader) unicode(n int) {
	r.flush()
	saved := r.high
	r.high = 0
	c := rune(n)
	if n < 0 {
		c = rune(n + 1<<16)
	}
	r.stand = r.now.skip
	switch {
	case utf16.IsSurrogate(c) && saved != 0:
		c = utf16.DecodeRune(saved, c)
	case utf16.IsSurrogate(c):
		r.high = c
		return
	case c >= 0xf000 && c <= 0xf0ff: // of a font of symbols
		c = symbol(c)
	}
	r.put(string(c))
}

// symbol turns the signs of symbol fonts that stand before items into a bullet, and the rest into nothing.
func symbol(c rune) rune {
	switch c {
	case 0xf0b7, 0xf0a7, 0xf0d8, 0xf0fc, 0xf06f, 0xf076, 0xf0a8:
		return '•'
	}
	return ' '
}
