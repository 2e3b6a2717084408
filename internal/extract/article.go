package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What a page shows around its article is told by the names that its makers gave to elements, by where links crowd, and by where
// the sentences are. The names are those that readability (Arc90, 2010; Mozilla) collected; the weights of paragraphs are its
// too. Nothing is left out that would take most of the words with it.

// Roles of elements, as flatten finds them by the names of classes and ids; it writes them to the attribute roleKey.
const (
	roleKey    = "data-role" // of the page itself this attribute is not kept
	roleAside  = "aside"     // stands around the article
	roleAuthor = "author"    // names who wrote it
	roleDate   = "date"      // says when
	roleNote   = "note"      // is a page of an export of Notion, which has nothing around it
	roleDone   = "done"      // is the box of a task, ticked
	roleOpen   = "open"      // is the box of a task, not ticked
)

// Words of names, and beginnings of words. The names that say what the article is win over those that say what it is not.
var (
	asideWords = words(`ad ads banner breadcrumb breadcrumbs brotkrumen comment comments commentlist kommentar kommentare consent footer fusszeile gdpr masthead menu mainmenu submenu
		nav navbar navi navigation outbrain pager pagination paywall popup modal overlay replies respond share shares sharing sharedaddy shariff tagcloud taboola toolbar
		topbar trackback trackbacks widget widgets`)
	asideStarts = strings.Fields(`advert anzeige cookie disqus newsletter promo recommend related sidebar social sponsor subscri`)
	asideParts  = strings.Fields(`sidebar navigation breadcrumb newsletter socialmedia`)
	keptParts   = strings.Fields(`article body content column main text entry story shadow`)
	authorWords = words(`author authors autor byline writer vcard authorname postauthor entryauthor`) //nolint:misspell // German too
	dateWords   = words(`date datum published pubdate timestamp datetime postdate entrydate publishdate`)
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// roleOf says what the names of an element tell.
func roleOf(tag atom.Atom, class, id, role string) string {
	switch strings.ToLower(role) {
	case "navigation", "complementary", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar":
		return roleAside
	}
	switch {
	case tag == atom.Article && (class == "page sans" || class == "page serif" || class == "page mono"):
		return roleNote
	case tag == atom.Div && class == "checkbox checkbox-on":
		return roleDone
	case tag == atom.Div && class == "checkbox checkbox-off":
		return roleOpen
	}
	whole := false // what is never around the article
	switch tag {
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return ""
	case atom.Table, atom.Tbody, atom.Tr, atom.Td, atom.Th, atom.Pre, atom.Code, atom.H1, atom.H2:
		whole = true
	case atom.Aside:
		return roleAside
	case atom.Span:
		if class == "lang" { // VitePress says the language of code beside it
			return roleAside
		}
	}
	if class+id == "" {
		return ""
	}
	class, id = strings.ToLower(class), strings.ToLower(id)
	names := class + " " + id
	between := func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '\n' || r == '\t' }
	aside, author, date := false, false, false
	for w := range strings.FieldsFuncSeq(names, between) {
		aside = aside || asideWords[w] || slices.ContainsFunc(asideStarts, func(p string) bool { return strings.HasPrefix(w, p) })
	}
	for w := range strings.FieldsFuncSeq(class, between) {
		author, date = author || authorWords[w], date || dateWords[w]
	}
	within := func(p string) bool { return strings.Contains(names, p) }
	switch {
	case !whole && (aside || slices.ContainsFunc(asideParts, within)) && !slices.ContainsFunc(keptParts, within):
		return roleAside
	case author:
		return roleAuthor
	case date:
		return roleDate
	}
	return ""
}

// size measures what is below a node, in bytes.
type size struct {
	text, links int // of all, and within links
	prose       int // in paragraphs of sentences
}

// article prunes what is around the article below top and returns where it stands: top itself, or, where open says that nothing
// tells it, the element with the weightiest paragraphs.
func article(top *html.Node, drop map[*html.Node]bool, open bool) *html.Node {
	sizes := map[*html.Node]size{}
	total := measure(top, drop, sizes, false)
	if total.text < 250 {
		return top
	}
	var asides, crowds []*html.Node
	lost := 0
	walk(top, func(n *html.Node) bool {
		switch {
		case drop[n]:
			return false
		case n == top || n.Type != html.ElementNode:
		case attr(n, roleKey) == roleAside:
			asides = append(asides, n)
			lost += sizes[n].text - sizes[n].links
			return false
		case crowded(n, sizes[n]):
			crowds = append(crowds, n)
			return false
		}
		return true
	})
	// An aside that holds most of the words is none: the names lie, or the page is nothing else.
	if words := total.text - total.links; lost*5 <= words*3 {
		for _, n := range asides {
			drop[n] = true
		}
	}
	for _, n := range crowds {
		if sizes[n].text*2 < total.text {
			drop[n] = true
		}
	}
	if !open {
		return top
	}
	return weightiest(top, drop)
}

// crowded reports a block of links without sentences: a menu, a list of other articles.
func crowded(n *html.Node, s size) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Dl, atom.Table:
		return s.links*10 > s.text*6 && s.prose*5 < s.text && s.text > 0
	}
	return false
}

// measure sums up n and what is below it.
func measure(n *html.Node, drop map[*html.Node]bool, sizes map[*html.Node]size, link bool) size {
	var s size
	switch {
	case drop[n]:
		return s
	case n.Type == html.TextNode:
		s.text = len(strings.TrimSpace(n.Data))
		if link {
			s.links = s.text
		} else if s.text > 60 { // many pages have paragraphs by line breaks only
			s.prose = s.text
		}
		return s
	}
	link = link || n.DataAtom == atom.A
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		below := measure(c, drop, sizes, link)
		s.text, s.links, s.prose = s.text+below.text, s.links+below.links, s.prose+below.prose
	}
	if (n.DataAtom == atom.P || n.DataAtom == atom.Blockquote || n.DataAtom == atom.Pre) && s.text > 80 && s.links*2 < s.text {
		s.prose = s.text
	}
	if n.Type == html.ElementNode {
		sizes[n] = s
	}
	return s
}

// weightiest returns the element that holds most of the prose below top with the least around it.
func weightiest(top *html.Node, drop map[*html.Node]bool) *html.Node {
	sizes := map[*html.Node]size{}
	total := measure(top, drop, sizes, false)
	if total.prose < 400 {
		return top
	}
	// Down as long as one child holds nearly all of the prose.
	at := top
	for {
		var next *html.Node
		for c := at.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && !drop[c] && sizes[c].prose*100 >= total.prose*95 && c.DataAtom != atom.P && c.DataAtom != atom.Pre && c.DataAtom != atom.Blockquote {
				next = c
			}
		}
		if next == nil {
			return at
		}
		at = next
	}
}
