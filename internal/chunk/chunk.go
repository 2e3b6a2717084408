// Package chunk cuts a document into searchable stretches with exact offsets.
//
// Split works in two steps. A reader for the document's type names its units:
// paragraphs, headings, tables, functions, rows, turns. The packer fills chunks
// with them, up to a token limit, and breaks a unit only when it does not fit: between
// sentences or lines, then between clauses, then between words. Everything here is a
// pure function of its arguments and takes time linear in the text.
package chunk

import (
	"slices"
	"sort"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/token"
)

// Types of document that Split knows. Any other is cut as TypeText.
const (
	TypeText       = "text"
	TypeMarkdown   = "markdown"
	TypeHTML       = "html" // text is Markdown made from HTML
	TypeCode       = "code"
	TypeJSON       = "json"
	TypeCSV        = "csv" // one row a line, the first line names the columns
	TypeTranscript = "transcript"
)

// Kinds of chunk: what most of it is made of.
const (
	KindParagraph = "paragraph"
	KindHeading   = "heading"
	KindList      = "list"
	KindQuote     = "quote"
	KindTable     = "table"
	KindCode      = "code" // code outside functions and classes, and fenced code
	KindFunction  = "function"
	KindClass     = "class"
	KindRow       = "row"
	KindRecord    = "record"
	KindTurn      = "turn"
	KindMeta      = "metadata" // front matter
)

// Document is what Split cuts.
type Document struct {
	Text     string // valid UTF-8, cleaned: offsets refer to it
	Type     string
	Language string // of code, as Linguist names it: "Go", "Python"
	Marks    []Mark // places to cite, by ascending offset; empty: none
}

// Mark says that from Offset on the text stands on a page or at a place with a name.
type Mark struct {
	Offset int
	Page   int // counted from 1; 0: no pages
	Place  string
}

// Chunk is one stretch of a document. Start and End are byte offsets on rune
// bounds, so that Text[Start:End] is the chunk, without white space at its ends.
// Both grow strictly from chunk to chunk; Seq counts from 0.
type Chunk struct {
	Start, End int
	Seq        int
	Tokens     int      // Options.Count of the chunk
	Shared     int      // bytes from Start on that repeat the previous chunk
	Heading    []string // headings, keys or classes that enclose it, outermost first
	Context    string   // header of the table or class this chunk continues, else ""
	Kind       string
	Page       int    // counted from 1; 0 without pages
	Place      string // the mark's name for where it begins
	Symbol     string // function or class, with its class: "Server.Close"
	Lines      [2]int // first and last line, counted from 1
}

// Options are the limits of Split.
type Options struct {
	// MaxTokens is the most tokens a chunk has; 0 means 480. Only a single
	// rune that is longer by itself may exceed it.
	MaxTokens int
	// Overlap is about how many tokens of the previous chunk a chunk repeats, as
	// whole sentences or lines, at least one unless it is longer than a quarter
	// of MaxTokens (or twice Overlap); 0 means 50, negative none. Chunks do not share across
	// a heading, a function, a table row or a record.
	Overlap int
	// Count counts tokens; nil means token.Estimate. It must be pure.
	Count func(string) int
}

func (o Options) normal() Options {
	if o.MaxTokens <= 0 {
		o.MaxTokens = 480
	}
	switch {
	case o.Overlap < 0:
		o.Overlap = 0
	case o.Overlap == 0:
		o.Overlap = 50
	}
	o.Overlap = min(o.Overlap, o.MaxTokens/2)
	if o.Count == nil {
		o.Count = token.Estimate
	}
	return o
}

// Split cuts doc into chunks, in order. Every byte that is not white space is in
// at least one chunk. No chunk begins or ends inside a sentence, unless the
// sentence alone exceeds the limit. Text of white space only has no chunks.
func Split(doc Document, opts Options) []Chunk {
	opts = opts.normal()
	p := packer{doc: doc, opts: opts, base: opts.Count("")}
	for _, s := range mergeSmall(&p, sections(doc, opts)) {
		p.pack(s)
	}
	locate(doc, p.out)
	return p.out
}

// sections lists the units of doc, grouped into sections that share no chunk.
func sections(doc Document, opts Options) [][]unit {
	switch doc.Type {
	case TypeMarkdown, TypeHTML:
		return pages(doc, markdownUnits(doc.Text))
	case TypeCode:
		return codeSections(doc.Text, doc.Language, opts)
	case TypeJSON:
		return [][]unit{jsonUnits(doc.Text)}
	case TypeCSV:
		return [][]unit{csvUnits(doc.Text)}
	case TypeTranscript:
		return pages(doc, [][]unit{transcriptUnits(doc.Text)})
	}
	return pages(doc, [][]unit{textUnits(doc.Text, 0, len(doc.Text))})
}

// locate fills in the sequence, lines and pages of chunks.
func locate(doc Document, chunks []Chunk) {
	var from, to lineCounter
	from, to = lineCounter{s: doc.Text, line: 1}, lineCounter{s: doc.Text, line: 1}
	for i := range chunks {
		c := &chunks[i]
		c.Seq = i
		c.Lines = [2]int{from.at(c.Start), to.at(c.End - 1)}
		if len(doc.Marks) > 0 {
			own := c.Start + c.Shared
			at := sort.Search(len(doc.Marks), func(i int) bool { return doc.Marks[i].Offset > own })
			c.Page, c.Place = doc.Marks[max(0, at-1)].Page, doc.Marks[max(0, at-1)].Place
		}
	}
}

// lineCounter counts lines up to offsets that never decrease.
type lineCounter struct {
	s         string
	pos, line int
}

func (l *lineCounter) at(pos int) int {
	for ; l.pos < pos; l.pos++ {
		if l.s[l.pos] == '\n' {
			l.line++
		}
	}
	return l.line
}

// Enclosing is what stands around a chunk: its headings and, of a table or class that began in an earlier chunk, its header too.
func (c Chunk) Enclosing() []string {
	if c.Context == "" || len(c.Context) > 300 {
		return c.Heading
	}
	return append(slices.Clip(c.Heading), strings.TrimSpace(c.Context))
}
