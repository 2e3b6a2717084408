package extract

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/lukasa-memory/lukasa/internal/text"
)

var (
	htmlOpening = regexp.MustCompile(`(?is)^\s*(?:<\?xml[^>]{0,200}\?>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|article|main|section|div|title|meta|table|p|h[1-6]|ul|ol)\b`)
	anyTag      = regexp.MustCompile(`(?i)</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>`)
)

func looksHTML(src *Source) Look {
	if strings.IndexByte(src.Text, '<') < 0 {
		return No
	}
	if htmlOpening.MatchString(src.Text[:min(len(src.Text), 8<<10)]) {
		return Yes
	}
	if anyTag.MatchString(src.Text) {
		return Maybe
	}
	return No
}

// extractHTML follows the recipe of the source document: script, style, nav, header
// and footer go; the article or main element is preferred, else the body; the rest becomes
// Markdown with links, headings, lists, emphasis and tables; blank lines
// collapse; the text is capped.
func extractHTML(ctx context.Context, src *Source) (Output, error) {
	safe, cut := flatten(src.Text, src.Limits)
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	root, err := html.ParseWithOptions(strings.NewReader(safe), html.ParseOptionEnableScripting(false))
	if err != nil {
		return Output{}, fmt.Errorf("parse: %w", err)
	}
	out := Output{Type: TypeHTML, Metadata: map[string]string{}}
	page := readMeta(root, src.Text)
	content := mainContent(root)
	address := baseURL(root, src.URL)
	md, err := toMarkdown(ctx, content, address)
	if err != nil {
		return Output{}, err
	}
	if strings.TrimSpace(md) == "" { // a page that is all header: better that than nothing
		if md, err = toMarkdown(ctx, root, address); err != nil {
			return Output{}, err
		}
	}
	out.Text = text.CleanAs(md, text.Markdown)
	page.apply(&out, src.URL)
	if cut {
		out.Metadata["warning"] = "the page has too many tags; the structure of its end was dropped"
	}
	capText(&out, src.Limits.MaxChars)
	if out.Title == "" {
		out.Title = firstHeading(out.Text)
	}
	if out.Title == "" {
		out.Title = text.PlainMarkdown(titleOf(out.Text))
	}
	if out.Language == "" {
		out.Language, _ = text.Language(out.Text)
	}
	return out, nil
}

// toMarkdown renders n and what is below it.
func toMarkdown(ctx context.Context, n *html.Node, address string) (string, error) {
	// Escapes would hide snake_case and the like from an exact search.
	conv := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve)),
	))
	tidy(n)
	b, err := conv.ConvertNode(n, converter.WithContext(ctx), converter.WithDomain(address))
	if err != nil {
		return "", fmt.Errorf("convert: %w", err)
	}
	return string(b), nil
}

// removed elements hold no content of the page.
var removed = map[atom.Atom]bool{atom.Nav: true, atom.Header: true, atom.Footer: true, atom.Script: true, atom.Style: true}

// mainContent removes what is not content and returns what is: the only article, else the main element, else all outermost
// articles, else what of the body holds the sentences.
func mainContent(root *html.Node) *html.Node {
	var body, main *html.Node
	var articles []*html.Node
	drop := map[*html.Node]bool{}
	walk(root, func(n *html.Node) bool {
		switch {
		case n.Type == html.CommentNode, n.Type == html.ElementNode && (removed[n.DataAtom] || hidden(n)):
			drop[n] = true
			return false
		case n.DataAtom == atom.Body && body == nil:
			body = n
		case n.DataAtom == atom.Main && main == nil:
			main = n
		case n.DataAtom == atom.Article && !inside(n, atom.Article):
			articles = append(articles, n)
		}
		return true
	})
	if body == nil {
		body = root
	}
	candidate := body
	switch {
	case len(articles) == 1:
		candidate = articles[0]
	case main != nil:
		candidate = main
	case len(articles) > 1:
		candidate = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	}
	if candidate != body && candidate.Parent != nil && !hasText(candidate, drop) {
		candidate = body
	}
	// Removal comes last and only when something is left, so that the caller can
	// fall back to the whole page.
	if !hasText(candidate, drop) && candidate.Parent != nil {
		return body
	}
	if candidate.Parent == nil && len(articles) > 1 && candidate != root {
		for _, a := range articles {
			if a.Parent != nil {
				a.Parent.RemoveChild(a)
				candidate.AppendChild(a)
			}
		}
	}
	found := candidate
	if attr(candidate, roleKey) != roleNote {
		found = article(candidate, drop, candidate == body)
	}
	for n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return found
}

// hasText reports visible text below n outside the dropped nodes.
func hasText(n *html.Node, drop map[*html.Node]bool) bool {
	found := false
	walk(n, func(c *html.Node) bool {
		if drop[c] || found {
			return false
		}
		found = c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" || c.DataAtom == atom.Img
		return !found
	})
	return found
}

// walk visits n and what is below it in order, until visit says not to go down.
// The tree is at most a few hundred deep.
func walk(n *html.Node, visit func(*html.Node) bool) {
	if !visit(n) {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func inside(n *html.Node, a atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == a {
			return true
		}
	}
	return false
}

// hidden reports elements that no reader of the page sees.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return a.Val != "until-found"
		case "style":
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// baseURL is what relative links are relative to.
func baseURL(root *html.Node, page string) string {
	found := page
	walk(root, func(n *html.Node) bool {
		if n.DataAtom == atom.Base && attr(n, "href") != "" {
			found = absolute(attr(n, "href"), page)
			return false
		}
		return n.DataAtom != atom.Body
	})
	return found
}

// absolute resolves ref against base; ref itself when that is not possible.
func absolute(ref, base string) string {
	b, err := url.Parse(base)
	if err != nil || base == "" {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}

// capText cuts out.Text to most characters, at a paragraph, else a sentence, else a word.
func capText(out *Output, most int) {
	n := utf8.RuneCountInString(out.Text)
	if most < 0 || n <= most {
		return
	}
	cut := firstRunes(out.Text, most)
	least := len(cut) - len(cut)/10
	end := 0
	if i := strings.LastIndex(cut, "\n\n"); i >= least {
		end = i
	} else {
		tail := max(0, least)
		for !utf8.RuneStart(cut[tail]) {
			tail--
		}
		for s := range text.Sentences(cut[tail:]) {
			if tail+s.End < len(cut) {
				end = tail + s.End
			}
		}
		if end == 0 {
			end = strings.LastIndexByte(cut, ' ')
		}
		if end < least {
			end = len(cut)
		}
	}
	out.Text = strings.TrimSpace(cut[:end])
	out.Metadata["truncated"] = "true"
	out.Metadata["original_characters"] = fmt.Sprint(n)
}
