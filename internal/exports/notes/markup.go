package notes

import (
	"html"
	"regexp"
	"strings"
)

// markup reads HTML-like text as a flat run of tags and texts, in linear time and without judging how they nest. It is for the
// formats that are HTML in name only (bookmarks, ENML) and for looking into pages; whole pages go to the extractor of HTML.
type markup struct {
	s string
	i int
}

// tag is one piece of markup: a text, or a tag with its attributes.
type tag struct {
	name  string // lower case; "" for a text
	text  string // of a text, entities decoded
	attrs map[string]string
	end   bool // </name>
	empty bool // <name/>
}

func (m *markup) next() (tag, bool) {
	for m.i < len(m.s) {
		if m.s[m.i] != '<' || !startsTag(m.s[m.i:]) {
			end := m.i + 1
			for end < len(m.s) && (m.s[end] != '<' || !startsTag(m.s[end:])) {
				end++
			}
			t := tag{text: html.UnescapeString(m.s[m.i:end])}
			m.i = end
			return t, true
		}
		rest := m.s[m.i:]
		switch {
		case strings.HasPrefix(rest, "<!--"):
			m.skip("-->")
		case strings.HasPrefix(rest, "<![CDATA["):
			from := m.i + len("<![CDATA[")
			m.skip("]]>")
			return tag{text: strings.TrimSuffix(m.s[from:m.i], "]]>")}, true
		case rest[1] == '!', rest[1] == '?':
			m.skip(">")
		default:
			return m.tag(), true
		}
	}
	return tag{}, false
}

// startsTag reports whether a < begins a tag: "a < b" does not.
func startsTag(s string) bool {
	if len(s) < 2 {
		return false
	}
	c := s[1]
	return c == '/' || c == '!' || c == '?' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (m *markup) skip(end string) {
	if n := strings.Index(m.s[m.i:], end); n >= 0 {
		m.i += n + len(end)
	} else {
		m.i = len(m.s)
	}
}

func (m *markup) tag() tag {
	t := tag{}
	m.i++
	if m.i < len(m.s) && m.s[m.i] == '/' {
		t.end = true
		m.i++
	}
	t.name = strings.ToLower(m.word(" \t\r\n/>"))
	for m.i < len(m.s) {
		switch c := m.s[m.i]; {
		case c == '>':
			m.i++
			return t
		case c == '/':
			t.empty = true
			m.i++
		case strings.IndexByte(" \t\r\n\"'=", c) >= 0:
			m.i++
		default:
			t.empty = false
			m.attribute(&t)
		}
	}
	return t
}

func (m *markup) attribute(t *tag) {
	key := strings.ToLower(m.word(" \t\r\n=/>"))
	value := ""
	if m.i < len(m.s) && m.s[m.i] == '=' {
		m.i++
		if m.i < len(m.s) && (m.s[m.i] == '"' || m.s[m.i] == '\'') {
			quote := m.s[m.i]
			m.i++
			from := m.i
			if n := strings.IndexByte(m.s[from:], quote); n >= 0 {
				m.i = from + n + 1
				value = m.s[from : m.i-1]
			} else {
				m.i = len(m.s)
				value = m.s[from:]
			}
		} else {
			value = m.word(" \t\r\n>")
		}
	}
	if key == "" {
		m.i = min(m.i+1, len(m.s))
		return
	}
	if t.attrs == nil {
		t.attrs = map[string]string{}
	}
	if _, there := t.attrs[key]; !there {
		t.attrs[key] = html.UnescapeString(value)
	}
}

// word reads up to one of the bytes of stop.
func (m *markup) word(stop string) string {
	from := m.i
	for m.i < len(m.s) && strings.IndexByte(stop, m.s[m.i]) < 0 {
		m.i++
	}
	return m.s[from:m.i]
}

// markdown turns ENML (the XHTML of Evernote, https://dev.evernote.com/doc/articles/enml.php) into Markdown: headings, lists,
// tables, links, emphasis, code, check boxes. media names what an en-media element shows, by its hash.
func markdown(s string, media func(attrs map[string]string) string) string {
	w := &mdWriter{media: media}
	m := &markup{s: s}
	for {
		t, ok := m.next()
		if !ok {
			break
		}
		w.take(t)
	}
	w.fence(false, "")
	return strings.TrimSpace(w.b.String())
}

type mdWriter struct {
	b       strings.Builder
	media   func(map[string]string) string
	lists   []mdList
	hrefs   []string
	cells   int    // in the row that is open
	header  bool   // the first row of a table was written
	code    int    // depth of divs inside a code block, 0 outside
	line    string // what stands at the beginning of a line
	fresh   bool   // nothing was written on this line
	gap     bool   // a line of a cell has ended: a space stands before what follows
	skipped int    // depth inside what is not shown
}

// mdList is an open list: the number of its next item, -1 without numbers, and whether its items are check boxes.
type mdList struct {
	next int
	todo bool
}

func (w *mdWriter) breakLine(n int) {
	if w.cells > 0 { // a row of a table is one line
		w.gap = true
		return
	}
	s := w.b.String()
	have := len(s) - len(strings.TrimRight(s, "\n"))
	if len(s) > 0 {
		w.b.WriteString(strings.Repeat("\n", max(0, n-have)))
	}
	w.fresh = true
}

func (w *mdWriter) write(s string) {
	if s == "" {
		return
	}
	if w.fresh && w.line != "" {
		w.b.WriteString(w.line)
		w.line = strings.Repeat(" ", len(w.line)-len(strings.TrimLeft(w.line, " ")))
	}
	if w.gap && s[0] != ' ' && !strings.HasSuffix(w.b.String(), " ") {
		w.b.WriteByte(' ')
	}
	w.fresh, w.gap = false, false
	w.b.WriteString(s)
}

func (w *mdWriter) text(s string) {
	if w.code == 0 {
		lead, trail := strings.TrimLeft(s, " \t\r\n") != s, strings.TrimRight(s, " \t\r\n") != s
		words := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == 0xa0 }), " ")
		if lead && !w.fresh && w.b.Len() > 0 {
			words = " " + words
		}
		if w.cells > 0 {
			words = strings.ReplaceAll(words, "|", `\|`)
		}
		if trail && strings.TrimSpace(words) != "" {
			words += " "
		}
		s = words
		if w.fresh && strings.TrimSpace(s) == "" {
			return
		}
	} else {
		s = strings.ReplaceAll(s, "\u00a0", " ")
	}
	w.write(s)
}

func (w *mdWriter) take(t tag) {
	if t.name == "style" || t.name == "script" || t.name == "head" || t.name == "title" || t.name == "en-crypt" {
		if t.name == "en-crypt" && !t.end && w.skipped == 0 {
			w.write("[encrypted text]")
		}
		if !t.empty {
			if t.end {
				w.skipped = max(0, w.skipped-1)
			} else {
				w.skipped++
			}
		}
		return
	}
	if w.skipped > 0 {
		return
	}
	switch t.name {
	case "":
		w.text(t.text)
	case "div", "p", "section", "article", "en-note":
		w.block(t)
	case "br":
		if w.cells > 0 {
			w.breakLine(1)
		} else {
			w.b.WriteByte('\n')
			w.fresh = true
		}
	case "hr":
		w.breakLine(2)
		w.write("---")
		w.breakLine(2)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.breakLine(2)
		if !t.end {
			w.write(strings.Repeat("#", int(t.name[1]-'0')) + " ")
		}
	case "ul", "ol", "li":
		w.list(t)
	case "table", "tr", "td", "th":
		w.table(t)
	case "blockquote":
		w.breakLine(2)
		w.line = ""
		if !t.end {
			w.line = "> "
		}
	case "pre":
		w.fence(!t.end, "")
	default:
		w.inline(t)
	}
}

func (w *mdWriter) inline(t tag) {
	switch t.name {
	case "b", "strong":
		w.mark("**", t)
	case "i", "em":
		w.mark("*", t)
	case "s", "strike", "del":
		w.mark("~~", t)
	case "code":
		w.mark("`", t)
	case "a":
		if t.end {
			if n := len(w.hrefs); n > 0 {
				if w.hrefs[n-1] != "" {
					w.write("](" + w.hrefs[n-1] + ")")
				}
				w.hrefs = w.hrefs[:n-1]
			}
			return
		}
		href := t.attrs["href"]
		if strings.ContainsAny(href, " ()\n") {
			href = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "\n", "").Replace(href)
		}
		if w.hrefs = append(w.hrefs, href); href != "" {
			w.write("[")
		}
	case "en-todo":
		if !t.end {
			box := "[ ] "
			if t.attrs["checked"] == "true" {
				box = "[x] "
			}
			if len(w.lists) == 0 && w.fresh {
				box = "- " + box
			}
			w.write(box)
		}
	case "en-media":
		if !t.end && w.media != nil {
			w.write(w.media(t.attrs))
		}
	case "img": // of a clipped page
		if alt := strings.Join(strings.Fields(t.attrs["alt"]), " "); !t.end && alt != "" {
			w.write("[image: " + alt + "]")
		}
	}
}

func (w *mdWriter) mark(m string, t tag) {
	if w.code == 0 && !t.empty {
		w.write(m)
	}
}

// block opens or closes a paragraph. Evernote marks code by a style of the div that holds its lines.
func (w *mdWriter) block(t tag) {
	isCode := styled(t, "-en-codeblock:true")
	switch {
	case w.code > 0 && !t.end:
		w.code++
	case w.code > 1:
		w.code--
		w.breakLine(1)
	case w.code == 1:
		w.fence(false, "")
	case isCode && !t.end:
		language := ""
		if m := enexLanguage.FindStringSubmatch(t.attrs["style"]); m != nil && m[1] != "plaintext" {
			language = m[1]
		}
		w.fence(true, language)
	default:
		n := 1
		if t.name == "p" {
			n = 2
		}
		w.breakLine(n)
	}
}

// styled reports whether the style of a tag has a property of Evernote's.
func styled(t tag, property string) bool {
	return strings.Contains(strings.ReplaceAll(t.attrs["style"], " ", ""), property)
}

// enexLanguage is the language of a block of code, by either of the names that Evernote has had for it.
var enexLanguage = regexp.MustCompile(`--en-(?:codeblockLanguage|syntaxLanguage):\s*([A-Za-z0-9+#_-]{1,30})\s*(?:;|$)`)

func (w *mdWriter) fence(open bool, language string) {
	switch {
	case open && w.cells > 0: // no block has place in a row
	case open && w.code == 0:
		w.breakLine(2)
		w.write("```" + language + "\n")
		w.code = 1
	case !open && w.code > 0:
		w.breakLine(1)
		w.write("```")
		w.breakLine(2)
		w.code = 0
	}
}

func (w *mdWriter) list(t tag) {
	switch {
	case t.name == "li" && t.end, t.empty:
		w.line = ""
	case t.name == "li":
		w.breakLine(1)
		depth := min(max(0, len(w.lists)-1), 20)
		w.line = strings.Repeat("  ", depth) + "- "
		if n := len(w.lists); n > 0 && w.lists[n-1].next >= 0 {
			w.lists[n-1].next++
			w.line = strings.Repeat("  ", depth) + itoa(w.lists[n-1].next) + ". "
		} else if n > 0 && w.lists[n-1].todo {
			box := "[ ] "
			if styled(t, "--en-checked:true") {
				box = "[x] "
			}
			w.line += box
		}
		if w.cells > 0 {
			w.line = ""
		}
	case t.end:
		if n := len(w.lists); n > 0 {
			w.lists = w.lists[:n-1]
		}
		w.line = ""
		w.breakLine(1 + min(1, max(0, 1-len(w.lists))))
	default:
		first := -1
		if t.name == "ol" {
			first = 0
		}
		w.lists = append(w.lists, mdList{next: first, todo: styled(t, "--en-todo:true")})
		w.breakLine(1)
	}
}

func (w *mdWriter) table(t tag) {
	switch {
	case t.name == "table":
		w.breakLine(2)
		w.header, w.cells = false, 0
	case t.name == "tr" && t.end:
		if w.cells > 0 {
			cells := w.cells
			w.cells = 0
			w.write(" |")
			if !w.header {
				w.breakLine(1)
				w.write("|" + strings.Repeat(" --- |", min(cells, 200)))
				w.header = true
			}
		}
		w.cells = 0
		w.breakLine(1)
	case t.name == "tr":
		w.breakLine(1)
	case !t.end:
		if w.cells++; w.cells == 1 {
			w.fresh, w.line = true, ""
			w.write("| ")
		} else {
			w.write(" | ")
		}
	}
}
