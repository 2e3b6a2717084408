package chunk

import (
	"regexp"
	"strings"
)

// family is how a language shows where a definition ends and what a comment is.
type family uint8

const (
	byBrace family = iota
	byIndent
	byEnd   // indentation, with end words
	byDash  // indentation, comments with --
	byQuote // indentation, comments with # and long strings (Python)
)

var families = map[string]family{
	"python": byQuote, "cython": byQuote, "starlark": byQuote, "yaml": byIndent, "coffeescript": byIndent, "nim": byIndent,
	"ruby": byEnd, "crystal": byEnd, "elixir": byEnd, "julia": byEnd, "shell": byEnd, "makefile": byEnd, "toml": byEnd, "ini": byEnd, "r": byEnd,
	"lua": byDash, "haskell": byDash, "sql": byDash, "plsql": byDash, "plpgsql": byDash, "elm": byDash, "ada": byDash, "vhdl": byDash,
}

// longQuotes are the languages with braces whose single quotes hold strings, not
// characters. The empty name stands for code of an unknown language.
var longQuotes = map[string]bool{
	"": true, "javascript": true, "typescript": true, "jsx": true, "tsx": true, "php": true,
	"perl": true, "dart": true, "groovy": true, "css": true, "scss": true, "less": true, "vue": true, "svelte": true,
}

// codeLine is one line of source.
type codeLine struct {
	start, end int
	depth      int  // brackets open at its start, or its indentation
	blank      bool // nothing but white space
	lead       bool // a comment, decorator or attribute: goes with what follows
	inside     bool // begins inside a comment or string of several lines
	closer     bool // closes what stands before it
}

// opens reports that an item begins at l.
func (l codeLine) opens(depth int) bool {
	return !l.blank && !l.closer && !l.inside && l.depth <= depth
}

// definite reports a line that looks like a comment and still is none to skip.
func (l codeLine) definite(depth int) bool { return !l.blank && l.depth < depth && !l.inside }

// codeLines reads the lines of s. Brackets give the depth where a language has
// braces and they balance, indentation otherwise.
func codeLines(s, language string) []codeLine {
	language = strings.ToLower(language)
	x := lexer{s: s, f: families[language], strings: longQuotes[language]}
	if x.f == byBrace {
		if lines, ok := x.scan(true); ok {
			return lines
		}
	}
	lines, _ := x.scan(false)
	return lines
}

// scan walks the source once; ok is false when brackets do not balance.
func (x lexer) scan(braces bool) (lines []codeLine, ok bool) {
	s, f := x.s, x.f
	for i := 0; i < len(s); {
		end := lineEnd(s, i)
		l := codeLine{start: i, end: end, depth: x.depth, inside: x.quote != ""}
		line := strings.TrimSpace(s[i:end])
		if !braces {
			l.depth = indentation(s[i : end-len(strings.TrimLeft(s[i:end], " \t"))])
		}
		l.blank = line == "" && !l.inside
		l.lead = !l.blank && (l.inside && x.quote == "*/" || !l.inside && isLead(line, f))
		l.closer = line != "" && isCloser(line)
		lines = append(lines, l)
		x.line(i, end)
		i = end + 1
	}
	return lines, x.depth == 0 && !x.negative
}

// lexer follows comments, strings and braces through the lines of a file.
type lexer struct {
	s        string
	f        family
	strings  bool   // single quotes hold strings
	quote    string // what ends the open comment or string; "" outside
	depth    int
	negative bool
}

// line reads s[i:end]. A string of one line ends with it.
func (x *lexer) line(i, end int) {
	for i < end {
		if x.quote != "" {
			i = x.skip(i, end)
			continue
		}
		rest := x.s[i:end]
		switch c := rest[0]; {
		case x.f == byBrace && strings.HasPrefix(rest, "//"), x.f == byDash && strings.HasPrefix(rest, "--"),
			x.f != byBrace && x.f != byDash && c == '#':
			return
		case (x.f == byBrace || x.f == byDash) && strings.HasPrefix(rest, "/*"):
			x.quote = "*/"
			i += 2
		case x.f == byQuote && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''")):
			x.quote = rest[:3]
			i += 3
		case c == '\'' && x.f == byBrace && !x.strings:
			i += charLength(rest)
		case c == '"', c == '\'':
			i += stringLength(rest)
		case c == '`' && x.f == byBrace:
			x.quote = "`"
			i++
		case c == '{', c == '(', c == '[':
			x.depth++
			i++
		case c == '}', c == ')', c == ']':
			x.depth--
			x.negative = x.negative || x.depth < 0
			i++
		default:
			i++
		}
	}
}

// skip moves over the open comment or string.
func (x *lexer) skip(i, end int) int {
	for i < end {
		if x.s[i] == '\\' && x.quote != "*/" {
			i += 2
			continue
		}
		if strings.HasPrefix(x.s[i:end], x.quote) {
			i += len(x.quote)
			x.quote = ""
			return i
		}
		i++
	}
	return end
}

// stringLength returns the length of the quoted string or character that
// starts s, 1 when it does not end in s: then the quote is a mere mark.
func stringLength(s string) int {
	for i := 1; i < len(s) && i < 4096; i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 1
}

// charLength returns the length of the character literal that starts s; 1 when
// the quote begins none, as in a lifetime.
func charLength(s string) int {
	if len(s) > 2 && s[1] == '\\' {
		return stringLength(s[:min(len(s), 14)])
	}
	if len(s) > 2 {
		if n := 1 + runeLen(s, 1); n < len(s) && s[n] == '\'' {
			return n + 1
		}
	}
	return 1
}

// isLead reports comments, decorators and attributes.
func isLead(line string, f family) bool {
	if strings.HasPrefix(line, "@") && len(line) > 1 {
		return !strings.HasSuffix(line, "{")
	}
	switch f {
	case byBrace:
		return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "#[") ||
			line[0] == '[' && strings.HasSuffix(line, "]") || strings.HasPrefix(line, "template <") || strings.HasPrefix(line, "template<")
	case byDash:
		return strings.HasPrefix(line, "--")
	}
	return line[0] == '#'
}

// isCloser reports lines that only go on with or end what stands before them.
func isCloser(line string) bool {
	switch line[0] {
	case '}', ')', ']', '{':
		return true
	}
	word := line
	if i := strings.IndexFunc(line, func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' }); i >= 0 {
		word = line[:i]
	}
	switch strings.ToLower(word) {
	case "end", "fi", "done", "esac", "else", "elif", "elsif", "elseif", "except", "finally", "rescue", "ensure", "catch", "then", "do", "begin", "where":
		return true
	}
	return false
}

// How definitions begin. Only the first line of an item is matched.
var (
	modifiers = `^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe|extern(?:\s+"[^"]*")?|` +
		`const|constexpr|inline|virtual|override|sealed|open|data|partial|suspend|local|declare|readonly|new|implicit|case|inner|expect|actual|noinline|synchronized|native|fileprivate|mutating|@\w+)\s+)*`
	classLine = regexp.MustCompile(modifiers + `(?:class|struct|interface|enum(?:\s+class)?|trait|impl(?:\s*<[^>]*>)?|namespace|module|object|protocol|extension|record|type|union|mod|contract|library|defmodule|defprotocol|package\s+object|companion\s+object)\s+([\w.:$]+)`)
	funcLine  = regexp.MustCompile(modifiers + `(?:func|function\s*\*?|fn|def|fun|sub|proc|method|macro|defp|defmacro|macro_rules!|constructor|init|deinit|get|set|task|rule)\s+(?:[\w.<>:]+\.)?([\w$!?]+)`)
	receiverd = regexp.MustCompile(`^func\s*\(\s*\w*\s*\*?(\w+)[^)]*\)\s*(\w+)`)
	boundLine = regexp.MustCompile(`^(?:export\s+)?(?:default\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)`)
	cLikeLine = regexp.MustCompile(modifiers + `(?:[\w$][\w$<>\[\],.*&?:\s~]*[\s*&])?((?:[\w$]+::)*[~#]?[\w$]+)\s*\([^;]*$`)
	sqlLine   = regexp.MustCompile(`(?i)^create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*(?:table|view|function|procedure|trigger|index|type)\s+(?:if\s+not\s+exists\s+)?["\x60]?([\w.]+)`)
	shellLine = regexp.MustCompile(`^(?:function\s+)?([\w-]+)\s*\(\)\s*\{`)
)

// notNames are words that look like a call or definition and are none.
var notNames = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "return": true, "catch": true, "match": true,
	"else": true, "do": true, "try": true, "with": true, "foreach": true, "using": true, "lock": true, "new": true, "throw": true, "await": true,
	"typeof": true, "sizeof": true, "assert": true, "super": true, "this": true, "describe": true, "defer": true, "go": true, "select": true,
}

// definition names the function or class that an item is; name is "" for
// anything else. member says that the item stands inside a class.
func definition(s string, item []codeLine, member bool) (kind, name string) {
	line := strings.TrimSpace(s[item[0].start:min(item[0].end, item[0].start+400)])
	hint := hintsOf(line)
	if m := match(classLine, line, hint.class); m != nil && !strings.HasSuffix(line, ";") {
		if !strings.HasPrefix(line, "type ") || len(item) > 1 {
			return KindClass, m[1]
		}
		return "", ""
	}
	if m := match(receiverd, line, strings.HasPrefix(line, "func ") && hint.call); m != nil {
		return KindFunction, m[1] + "." + m[2]
	}
	for _, try := range []struct {
		re   *regexp.Regexp
		when bool
	}{{funcLine, hint.function}, {boundLine, hint.bound}, {sqlLine, hint.create}, {shellLine, hint.call}} {
		if m := match(try.re, line, try.when); m != nil && !notNames[m[1]] {
			return KindFunction, m[1]
		}
	}
	m := match(cLikeLine, line, hint.call && hasBody(s, item, line))
	if m == nil || notNames[m[1]] {
		return "", ""
	}
	if head, _, _ := strings.Cut(line, " "); notNames[head] || strings.Contains(line[:strings.IndexByte(line, '(')], "=") {
		return "", ""
	}
	if !member && !strings.Contains(strings.TrimSpace(line[:strings.IndexByte(line, '(')]), " ") {
		return "", "" // a call at the top level, such as describe(…, () => {
	}
	return KindFunction, m[1]
}

func match(re *regexp.Regexp, line string, when bool) []string {
	if !when {
		return nil
	}
	return re.FindStringSubmatch(line)
}

// hints say which patterns can match a line, to spare the others.
type hints struct{ class, function, bound, create, call bool }

// The words that the patterns look for.
var (
	classWords = wordSet("class struct interface enum trait impl namespace module object protocol extension record type union mod contract library defmodule defprotocol")
	funcWords  = wordSet("func function fn def fun sub proc method macro defp defmacro macro_rules constructor init deinit get set task rule")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

func hintsOf(line string) hints {
	h := hints{call: strings.IndexByte(line, '(') > 0}
	for w := range strings.FieldsFuncSeq(line, func(r rune) bool { return r != '_' && (r < 'A' || r > 'z' || r > 'Z' && r < 'a') }) {
		switch w {
		case "const", "let", "var":
			h.bound = true
		case "create", "CREATE", "Create":
			h.create = true
		default:
			h.class = h.class || classWords[w]
			h.function = h.function || funcWords[w]
		}
	}
	return h
}

// hasBody reports that an item opens a brace on its first lines.
func hasBody(s string, item []codeLine, line string) bool {
	if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "}") {
		return true
	}
	for _, l := range item[1:min(len(item), 8)] {
		if strings.HasPrefix(strings.TrimSpace(s[l.start:l.end]), "{") || strings.HasSuffix(strings.TrimSpace(s[l.start:l.end]), "{") {
			return true
		}
	}
	return false
}
