package distil

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

const codeLines = 20000 // of longer code, only the start is read

// codeShape is what one pass over source code gathers.
type codeShape struct {
	unit    string // package, module or namespace
	types   []string
	funcs   []string
	imports []string
	comment []string // lines of the first comment
	closed  bool     // that comment has ended
	lines   int
	block   string // the mark that ends the comment we are in
}

// describeCode names what a source file declares and quotes its first comment.
func describeCode(d *Description, s, title string) {
	var c codeShape
	for line := range strings.Lines(s) {
		if c.lines++; c.lines <= codeLines {
			c.line(strings.TrimSpace(lexis.Clip(line, 400)))
		}
	}
	d.Category = CategoryCode
	doc := lexis.OneLine(strings.Join(c.comment, " "))
	d.Summary = c.summary(doc)
	d.Title = c.title(doc)
	d.Keywords = lukasa.Keywords{Entities: c.types[:min(len(c.types), maxEntities)], Topics: c.topics(title + " " + d.Title + " " + doc)}
	for _, im := range c.imports {
		if len(d.Keywords.Relationships) < maxRelationships {
			d.Keywords.Relationships = append(d.Keywords.Relationships, "imports "+im)
		}
	}
}

// line reads one trimmed line.
func (c *codeShape) line(t string) {
	if c.inComment(t) {
		return
	}
	if t == "" || strings.HasPrefix(t, "#!") {
		c.closed = c.closed || len(c.comment) > 0
		return
	}
	c.closed = c.closed || len(c.comment) > 0
	words := strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t({<:=;,", r) })
	for len(words) > 1 && modifiers[words[0]] {
		words = words[1:]
	}
	if len(words) < 2 {
		return
	}
	switch words[0] {
	case "package", "module", "namespace":
		if c.unit == "" {
			c.unit = words[1]
		}
	case "import", "from", "use", "using", "require", "#include", "include":
		c.imported(t, words)
	case "class", "interface", "trait", "enum", "struct", "protocol", "object", "record", "impl", "type", "union":
		c.declare(&c.types, words[1])
	case "CREATE", "create":
		c.table(words)
	case "func":
		if strings.HasPrefix(t, "func (") {
			c.declare(&c.funcs, methodName(t))
		} else {
			c.declare(&c.funcs, words[1])
		}
	case "def", "fn", "fun", "function", "sub", "defn", "proc":
		c.declare(&c.funcs, words[1])
	case "const", "let", "var":
		if strings.Contains(t, "=>") || strings.Contains(t, "function") {
			c.declare(&c.funcs, words[1])
		}
	}
}

var modifiers = lexis.Words("export default public private protected internal static async abstract final pub sealed open data partial unsafe inline virtual override extern")

// methodName returns Close of "func (s *Server) Close(".
func methodName(t string) string {
	_, rest, _ := strings.Cut(t, ")")
	name, _, _ := strings.Cut(strings.TrimSpace(rest), "(")
	return name
}

func (c *codeShape) declare(list *[]string, name string) {
	name = strings.Trim(name, "*&[]'\"`;)}|")
	if i := strings.IndexAny(name, ".[<("); i > 0 {
		name = name[:i]
	}
	if len(name) > 1 && len(name) <= 64 && len(*list) < 200 && isIdentifier(name) && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && r != '$' && !(r|0x20 >= 'a' && r|0x20 <= 'z') && r < 0x80 && !(i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return true
}

func (c *codeShape) table(words []string) {
	for i, w := range words {
		if strings.EqualFold(w, "table") || strings.EqualFold(w, "view") {
			if rest := words[i+1:]; len(rest) > 0 {
				c.declare(&c.types, rest[len(rest)-1])
			}
			return
		}
	}
}

func (c *codeShape) imported(t string, words []string) {
	name := strings.Trim(words[1], "\"'`<>;)")
	if q := strings.IndexAny(t, "\"'<"); q >= 0 {
		rest := t[q+1:]
		if e := strings.IndexAny(rest, "\"'>"); e > 0 {
			name = rest[:e]
		}
	}
	if name != "" && len(name) <= 80 && len(c.imports) < 50 && !slices.Contains(c.imports, name) {
		c.imports = append(c.imports, name)
	}
}

// inComment takes comment lines; those of the first comment are kept.
func (c *codeShape) inComment(t string) bool {
	if c.block != "" {
		body, _, end := strings.Cut(t, c.block)
		c.keep(strings.TrimLeft(body, "* "))
		if end {
			c.block = ""
		}
		return true
	}
	for _, pair := range [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {"<!--", "-->"}} {
		rest, ok := strings.CutPrefix(t, pair[0])
		if !ok {
			continue
		}
		body, _, end := strings.Cut(rest, pair[1])
		c.keep(strings.TrimLeft(body, "*! "))
		if !end {
			c.block = pair[1]
		}
		return true
	}
	for _, mark := range []string{"///", "//!", "//", "--", "#", ";;"} {
		if rest, ok := strings.CutPrefix(t, mark); ok && !strings.HasPrefix(t, "#include") && !strings.HasPrefix(t, "#!") && !strings.HasPrefix(t, "#[") && !strings.HasPrefix(t, "//go:") {
			c.keep(strings.TrimSpace(rest))
			return true
		}
	}
	return false
}

func (c *codeShape) keep(s string) {
	low := strings.ToLower(s)
	if c.closed || s == "" || len(c.comment) > 12 || containsAny(low, "copyright", "license", "eslint", "coding:", "generated by") {
		return
	}
	c.comment = append(c.comment, s)
}

func (c *codeShape) summary(doc string) string {
	var parts []string
	if doc != "" {
		first := clipWords(doc, sentenceWords)
		if i := strings.Index(first, ". "); i > 0 {
			first = first[:i+1]
		}
		if !strings.HasSuffix(first, ".") && !strings.HasSuffix(first, "…") {
			first += "."
		}
		parts = append(parts, first)
	}
	what := "Source code of " + plural(c.lines, "line")
	if c.unit != "" {
		what += " in " + strings.Trim(c.unit, ";")
	}
	if len(c.types) > 0 {
		what += ", declares " + listing(c.types, 6)
	}
	parts = append(parts, what+".")
	if len(c.funcs) > 0 {
		parts = append(parts, "Functions: "+listing(c.funcs, 10)+".")
	}
	return strings.Join(parts, " ")
}

func (c *codeShape) title(doc string) string {
	switch {
	case doc != "":
		first, _, _ := strings.Cut(doc, ". ")
		return strings.TrimRight(first, ".: ")
	case c.unit != "":
		return strings.Trim(c.unit, ";")
	case len(c.types) > 0:
		return listing(c.types, 3)
	case len(c.funcs) > 0:
		return listing(c.funcs, 3)
	}
	return "Source code of " + plural(c.lines, "line")
}

// topics counts the words inside identifiers, and those of the comment.
func (c *codeShape) topics(comment string) []string {
	var t topicCounter
	var names lexis.Counter
	var b strings.Builder
	for _, list := range [][]string{c.types, c.funcs} {
		for _, name := range list {
			for _, w := range identifierWords(name) {
				b.WriteString(w)
				b.WriteString(". ")
			}
		}
	}
	b.WriteString(strings.ToLower(comment))
	s := lexis.Clip(b.String(), 64<<10)
	t.add(lexis.Lex(nil, s, 0, len(s)), nil, &names)
	return t.ranked(nil, 0)
}

// identifierWords splits camelCase and snake_case into lower-case words.
func identifierWords(s string) []string {
	var out []string
	start := 0
	flush := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(strings.Trim(s[start:i], "_$")))
		}
		start = i
	}
	for i := 1; i < len(s); i++ {
		up := s[i] >= 'A' && s[i] <= 'Z'
		prevUp := s[i-1] >= 'A' && s[i-1] <= 'Z'
		nextLow := i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
		if s[i] == '_' || up && !prevUp || up && prevUp && nextLow {
			flush(i)
		}
	}
	flush(len(s))
	return out
}
