package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// Element is an element of a page, for kinds that know the shape of certain pages.
type Element struct {
	node    *html.Node
	address string
}

// ParsePage reads a page of HTML within the limits of Extract. url is the base of relative links.
func ParsePage(ctx context.Context, page, url string, limits Limits) (Element, error) {
	safe, _ := flatten(carryAttributes(page), limits.normal())
	if err := ctx.Err(); err != nil {
		return Element{}, err
	}
	root, err := html.ParseWithOptions(strings.NewReader(safe), html.ParseOptionEnableScripting(false))
	if err != nil {
		return Element{}, fmt.Errorf("parse page: %w", err)
	}
	return Element{root, baseURL(root, url)}, nil
}

// Reading drops all attributes but a few, among them property, which only meta elements need: in any other element it carries
// the others, each as separator, name, equals, value.
const (
	carrier   = "property"
	separator = "\x1f"
	mostCarry = 6 << 10 // bytes of the attributes of an element
)

// carryAttributes packs the attributes of each element into its carrier.
func carryAttributes(page string) string {
	var b strings.Builder
	b.Grow(len(page) + len(page)/4)
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return b.String()
		}
		raw := string(z.Raw()) // the tokenizer changes it while it reads the attributes
		name, more := z.TagName()
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken || !more || string(name) == "meta" || len(raw) < 1+len(name) {
			b.WriteString(raw)
			continue
		}
		var packed strings.Builder
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			if packed.Len()+len(key)+len(value) < mostCarry {
				packed.WriteString(separator + string(key) + "=" + string(value))
			}
		}
		b.WriteString(raw[:1+len(name)] + " " + carrier + `="` + html.EscapeString(packed.String()+separator) + `"` + raw[1+len(name):])
	}
}

// Tag is the name of the element in lower case.
func (e Element) Tag() string { return e.node.Data }

// Attr is the value of an attribute, "" if it has none.
func (e Element) Attr(name string) string {
	if e.node.Data == "meta" {
		return attr(e.node, name)
	}
	_, rest, found := strings.Cut(attr(e.node, carrier), separator+name+"=")
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(rest, separator)
	return strings.TrimSpace(value)
}

// Has reports a word in the class attribute.
func (e Element) Has(class string) bool {
	list := e.Attr("class")
	return strings.Contains(list, class) && slices.Contains(strings.Fields(list), class)
}

// All returns the elements below e that match, in the order of the page. Where nested is false, what lies below a match is
// not looked at.
func (e Element) All(nested bool, match func(Element) bool) []Element {
	var out []Element
	walk(e.node, func(n *html.Node) bool {
		if n != e.node && n.Type == html.ElementNode && match(Element{n, e.address}) {
			out = append(out, Element{n, e.address})
			return nested
		}
		return true
	})
	return out
}

// First returns the first element below e that matches.
func (e Element) First(match func(Element) bool) (Element, bool) {
	var found *html.Node
	walk(e.node, func(n *html.Node) bool {
		if found == nil && n != e.node && n.Type == html.ElementNode && match(Element{n, e.address}) {
			found = n
		}
		return found == nil
	})
	return Element{found, e.address}, found != nil
}

// Text is the text below e on one line, at most 300 characters.
func (e Element) Text() string { return textOf(e.node) }

// Link resolves an address against the page.
func (e Element) Link(ref string) string { return absolute(ref, e.address) }

// Markdown renders what is below e.
func (e Element) Markdown(ctx context.Context) (string, error) {
	if n := e.node.FirstChild; n == nil {
		return "", nil
	} else if n.Type == html.TextNode && n.NextSibling == nil { // as most comments are, and converting costs
		return strings.TrimSpace(text.CleanAs(strings.Join(strings.Fields(n.Data), " "), text.Markdown)), nil
	}
	md, err := toMarkdown(ctx, e.node, e.address)
	if err != nil {
		return "", err
	}
	return text.CleanAs(md, text.Markdown), nil
}
