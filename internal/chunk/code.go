package chunk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// codeSections lists functions, classes and what lies between them, one
// section each. Go is parsed; other languages are read by the depth of their lines.
func codeSections(s, language string, opts Options) [][]unit {
	if strings.EqualFold(language, "Go") {
		if out := goSections(s); out != nil {
			return out
		}
	}
	c := coder{s: s, opts: opts, lines: codeLines(s, language)}
	c.split(0, len(c.lines), 0, nil, nil)
	c.flush(len(s))
	return c.out
}

// goSections reads Go declarations; nil when s does not parse.
func goSections(s string) [][]unit {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", s, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	offsets := files.File(file.FileStart)
	c := coder{s: s}
	for _, d := range file.Decls {
		start, end := c.from, lineEnd(s, offsets.Offset(d.End()))
		kind, symbol := goSymbol(d)
		if symbol == "" {
			continue
		}
		if doc := declStart(offsets, d); len(c.out) == 0 || doc > start {
			// What stands before the comment of the declaration is not part of it.
			start = lineStart(s, max(start, doc))
		}
		c.flush(start)
		c.emit(start, end, kind, symbol, nil, "", 0)
	}
	c.flush(len(s))
	return c.out
}

func declStart(f *token.File, d ast.Decl) int {
	pos := d.Pos()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			pos = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			pos = d.Doc.Pos()
		}
	}
	return f.Offset(pos)
}

// goSymbol names functions, methods and types; "" for other declarations.
func goSymbol(d ast.Decl) (kind, symbol string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return KindFunction, d.Name.Name
		}
		return KindFunction, receiver(d.Recv.List[0].Type) + "." + d.Name.Name
	case *ast.GenDecl:
		if d.Tok != token.TYPE || len(d.Specs) == 0 {
			return "", ""
		}
		if t, ok := d.Specs[0].(*ast.TypeSpec); ok {
			return KindClass, t.Name.Name
		}
	}
	return "", ""
}

func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return "_"
		}
	}
}

func lineEnd(s string, i int) int {
	if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(s)
}

func lineStart(s string, i int) int { return strings.LastIndexByte(s[:i], '\n') + 1 }

// coder gathers the sections of a source file.
type coder struct {
	s     string
	opts  Options
	lines []codeLine
	from  int // start of the text not yet in a section
	run   unit
	out   [][]unit
}

// flush puts the text before end that belongs to no definition into a section.
func (c *coder) flush(end int) {
	u := c.run
	if u.kind == "" {
		u.kind = KindCode
	}
	if p := trim(c.s, text.Span{Start: c.from, End: max(c.from, end)}); p.Start < p.End {
		u.Span, u.byLine, u.repeat = p, true, true
		c.out = append(c.out, []unit{u})
	}
	c.from = max(c.from, end)
	c.run.kind, c.run.symbol = "", ""
}

// emit makes s[start:end] a section of its own.
func (c *coder) emit(start, end int, kind, symbol string, path []string, context string, inner int) {
	if p := trim(c.s, text.Span{Start: start, End: end}); p.Start < p.End {
		c.out = append(c.out, []unit{{Span: p, kind: kind, symbol: symbol, heading: path, context: context, inner: inner, byLine: true, repeat: true}})
	}
	c.from = max(c.from, end)
}

// deepestContainer is how many classes are opened one inside the other.
const deepestContainer = 12

// split reads the items of lines [a, b) that stand at depth. header is the
// line that opened the container around them.
func (c *coder) split(a, b, depth int, path []string, header *codeLine) {
	context, inner := "", 0
	if header != nil {
		context, inner = trim(c.s, text.Span{Start: header.start, End: min(header.end, header.start+300)}).Of(c.s), header.end
		context = strings.ToValidUTF8(context, "")
	}
	for i := a; i < b; {
		lead := i
		for i < b && (c.lines[i].blank || c.lines[i].lead) && !c.lines[i].definite(depth) {
			if c.lines[i].blank {
				lead = i + 1 // a comment apart from the definition stays outside
			}
			i++
		}
		if i == b {
			break
		}
		end := c.giveBack(i+1, c.itemEnd(i+1, b, depth))
		kind, name := definition(c.s, c.lines[i:end], header != nil)
		if name != "" {
			start := c.lines[lead].start
			c.flush(start)
			symbol := strings.Join(append(slices.Clone(path), name), ".")
			stop := c.lines[end-1].end
			if kind != KindClass || len(path) >= deepestContainer || c.fits(start, stop) || !c.open(lead, i, end, depth, path, name) {
				c.emit(start, stop, kind, symbol, path, context, inner)
			}
		}
		i = end
	}
}

// itemEnd returns the first line of [i, b) that opens another item at depth, or
// b. A comment at depth opens one only when what follows it does.
func (c *coder) itemEnd(i, b, depth int) int {
	for i < b {
		if !c.lines[i].opens(depth) {
			i++
			continue
		}
		next := i
		for next < b && (c.lines[next].lead || c.lines[next].blank) {
			next++
		}
		if next == b || c.lines[next].opens(depth) {
			return i
		}
		i = next
	}
	return b
}

// giveBack returns end less the comments and blank lines before it, which
// belong to what follows.
func (c *coder) giveBack(least, end int) int {
	for end > least && (c.lines[end-1].blank || c.lines[end-1].lead) {
		end--
	}
	return end
}

// open splits a container that does not fit; false when it has no inside.
func (c *coder) open(lead, i, end, depth int, path []string, name string) bool {
	body := i + 1
	for body < end && (c.lines[body].blank || c.lines[body].depth <= depth) {
		body++
	}
	if body >= end {
		return false
	}
	inside := append(slices.Clone(path), name)
	c.run = unit{kind: KindClass, symbol: strings.Join(inside, "."), heading: path}
	c.from = c.lines[lead].start
	header := c.lines[i]
	c.split(body, end, c.lines[body].depth, inside, &header)
	c.flush(c.lines[end-1].end)
	c.run = unit{}
	return true
}

func (c *coder) fits(start, end int) bool {
	return end-start <= 16*c.opts.MaxTokens && c.opts.Count(c.s[start:end]) <= c.opts.MaxTokens
}
