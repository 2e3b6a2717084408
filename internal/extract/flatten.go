package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped elements go with all they hold before the tree is built.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Math: true,
	atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Select: true,
	atom.Textarea: true, atom.Button: true, atom.Dialog: true, atom.Noembed: true, atom.Noframes: true, atom.Frameset: true, atom.Map: true,
}

// unwrapped elements go, what they hold stays: a parser keeps lists of open
// formatting elements that hostile pages make long.
var unwrapped = map[atom.Atom]bool{
	atom.Font: true, atom.Nobr: true, atom.Big: true, atom.Small: true, atom.Tt: true, atom.U: true, atom.Center: true,
	atom.Form: true, atom.Label: true, atom.Fieldset: true, atom.Input: true, atom.Plaintext: true, atom.Xmp: true, atom.Listing: true, atom.Marquee: true, atom.Frame: true,
	atom.Applet: true, atom.Option: true, atom.Optgroup: true,
}

var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Hr: true, atom.Img: true, atom.Link: true,
	atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true, atom.Input: true, atom.Embed: true,
}

// kept attributes; all others are dropped.
var keptAttributes = map[string]bool{
	"href": true, "src": true, "alt": true, "title": true, "datetime": true, "name": true, "property": true,
	"content": true, "rel": true, "lang": true, "hidden": true, "style": true, "itemprop": true, "colspan": true, "rowspan": true, "start": true, "class": true,
}

// single elements cannot hold their like.
var single = map[atom.Atom]bool{atom.Select: true, atom.Textarea: true, atom.Button: true, atom.Iframe: true, atom.Noscript: true}

// selfClosing elements end when their like begins.
var selfClosing = map[atom.Atom][]atom.Atom{
	atom.P: {atom.P}, atom.Li: {atom.Li, atom.P}, atom.Dt: {atom.Dt, atom.Dd, atom.P}, atom.Dd: {atom.Dt, atom.Dd, atom.P},
	atom.Tr: {atom.Tr, atom.Td, atom.Th, atom.P}, atom.Td: {atom.Td, atom.Th, atom.P}, atom.Th: {atom.Td, atom.Th, atom.P},
	atom.Tbody: {atom.Tbody, atom.Thead, atom.Tr, atom.Td, atom.Th}, atom.Thead: {atom.Tbody, atom.Tr, atom.Td, atom.Th},
	atom.A: {atom.A},
}

// flattener rewrites a page so that the parser behind it works in linear time
// and shallow depth: golang.org/x/net/html refuses more than 512 nested
// elements and grows slow on long lists of open formatting elements.
type flattener struct {
	out    strings.Builder
	stack  []atom.Atom // open elements that were written
	names  []string    // their names, for those without atom
	limits Limits
	tags   int
	cells  int // of the current row
}

// mostCells bounds a row of a table: all rows are written as wide as the widest.
const mostCells = 64

// flatten returns s with at most MaxNodes tags, none deeper than MaxDepth, only kept
// attributes, and without dropped elements. cut reports that there were more tags;
// the text between those is kept, line by line.
func flatten(s string, limits Limits) (safe string, cut bool) {
	f := flattener{limits: limits}
	f.out.Grow(len(s))
	z := html.NewTokenizer(strings.NewReader(s))
	skip, skipDepth := "", 0 // the dropped element we are in
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return f.out.String(), cut
		case html.TextToken:
			if skip == "" {
				f.out.Write(z.Raw())
			}
			continue
		case html.CommentToken, html.DoctypeToken:
			continue
		}
		if f.tags++; f.tags > limits.MaxNodes {
			cut = true
		}
		name, more := z.TagName()
		tag := atom.Lookup(name)
		if skip != "" {
			if string(name) == skip && kind == html.StartTagToken && !single[tag] {
				skipDepth++
			} else if string(name) == skip && kind == html.EndTagToken {
				if skipDepth--; skipDepth == 0 {
					skip = ""
				}
			}
			continue
		}
		switch {
		case cut && !dropped[tag]:
			f.out.WriteByte('\n')
		case kind == html.EndTagToken:
			f.end(tag, string(name))
		case dropped[tag]:
			if kind == html.StartTagToken && !void[tag] {
				skip, skipDepth = string(name), 1
			}
		case tag == atom.Input:
			f.out.WriteString(task(z, more))
		case unwrapped[tag]:
			f.out.WriteByte(' ')
		default:
			f.start(z, tag, string(name), more)
		}
	}
}

// task is the box of a task as GitHub and others write it, in words; any other input is a space.
func task(z *html.Tokenizer, more bool) string {
	is, done := false, false
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		is = is || string(key) == "class" && strings.Contains(string(value), "task-list-item-checkbox")
		done = done || string(key) == "checked"
	}
	switch {
	case !is:
		return " "
	case done:
		return "[x] "
	}
	return "[ ] "
}

// start writes a start tag with its kept attributes.
func (f *flattener) start(z *html.Tokenizer, tag atom.Atom, name string, more bool) {
	if like := selfClosing[tag]; like != nil {
		for len(f.stack) > 0 && slices.Contains(like, f.stack[len(f.stack)-1]) {
			f.pop()
		}
	}
	switch tag {
	case atom.Tr, atom.Table:
		f.cells = 0
	case atom.Td, atom.Th:
		f.cells++
	}
	if len(f.stack) >= f.limits.MaxDepth && !void[tag] || f.cells > mostCells && (tag == atom.Td || tag == atom.Th) {
		f.out.WriteByte('\n')
		return
	}
	f.out.WriteByte('<')
	f.out.WriteString(name)
	class, id, role := "", "", ""
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "class":
			class = string(value[:min(len(value), 200)])
		case "id":
			id = string(value[:min(len(value), 100)])
		case "role":
			role = string(value[:min(len(value), 40)])
		}
		if !keptAttributes[string(key)] || string(key) == "class" && tag != atom.Code && tag != atom.Pre || len(value) > 8192 ||
			strings.HasSuffix(string(key), "span") && (len(value) != 1 || value[0] > '4') {
			continue
		}
		f.out.WriteByte(' ')
		f.out.Write(key)
		f.out.WriteString(`="`)
		if string(key) == "class" { // as pandoc names the language of code
			if _, language, found := strings.Cut(string(value), "sourceCode "); found && language != "" {
				value = []byte("language-" + language)
			}
		}
		f.out.WriteString(html.EscapeString(string(value)))
		f.out.WriteByte('"')
	}
	if role = roleOf(tag, class, id, role); role != "" {
		f.out.WriteString(` ` + roleKey + `="` + role + `"`)
	}
	f.out.WriteByte('>')
	if !void[tag] {
		f.stack = append(f.stack, tag)
		f.names = append(f.names, name)
	}
}

func (f *flattener) pop() {
	last := len(f.stack) - 1
	f.out.WriteString("</" + f.names[last] + ">")
	f.stack, f.names = f.stack[:last], f.names[:last]
}

// end closes the open element of that name, and those inside it; an end tag
// without its start is dropped.
func (f *flattener) end(tag atom.Atom, name string) {
	for i, v := range slices.Backward(f.names) {
		if v == name {
			for len(f.stack) > i {
				f.pop()
			}
			return
		}
		if tag != atom.Table && f.stack[i] == atom.Table {
			return // a table keeps what is outside open
		}
	}
}
