package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tidy takes away below n what programs that make pages put there for the eye only: the sign beside a heading that links to
// itself, anchors without words, and the table that sets numbers before lines of code. Boxes of tasks become words.
func tidy(n *html.Node) {
	var links, tables, boxes []*html.Node
	walk(n, func(c *html.Node) bool {
		switch c.DataAtom {
		case atom.Div:
			if role := attr(c, roleKey); (role == roleDone || role == roleOpen) && c != n {
				boxes = append(boxes, c)
				return false
			}
		case atom.A:
			links = append(links, c)
		case atom.Table:
			if codeTable(c) != nil {
				tables = append(tables, c)
				return false
			}
		}
		return true
	})
	for _, b := range boxes {
		words := "[ ] "
		if attr(b, roleKey) == roleDone {
			words = "[x] "
		}
		b.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: words}, b)
		b.Parent.RemoveChild(b)
	}
	for _, a := range links {
		switch words, picture := visible(a); {
		case a == n || a.Parent == nil || picture:
		case words == "":
			a.Parent.RemoveChild(a)
		case strings.HasPrefix(attr(a, "href"), "#") && inHeading(a):
			if strings.Trim(words, "#¶§†⁋🔗 ") != "" {
				for c := a.FirstChild; c != nil; c = a.FirstChild {
					a.RemoveChild(c)
					a.Parent.InsertBefore(c, a)
				}
			}
			a.Parent.RemoveChild(a)
		}
	}
	for _, t := range tables {
		if code := codeTable(t); code != nil && t.Parent != nil {
			code.Parent.RemoveChild(code)
			t.Parent.InsertBefore(code, t)
			t.Parent.RemoveChild(t)
		}
	}
}

// visible is the first of the words below n, without characters that have no width; picture reports an image.
func visible(n *html.Node) (words string, picture bool) {
	walk(n, func(c *html.Node) bool {
		if c.Type == html.TextNode && words == "" {
			words = strings.TrimSpace(strings.Trim(c.Data, " \u00a0\u200b\u200c\u200d\u2060\ufeff\n\t"))
		}
		picture = picture || c.DataAtom == atom.Img
		return words == "" && !picture
	})
	return words, picture
}

func inHeading(n *html.Node) bool {
	for p, up := n.Parent, 0; p != nil && up < 4; p, up = p.Parent, up+1 {
		switch p.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			return true
		}
	}
	return false
}

// codeTable returns the code of a table of one row that holds nothing but lines of code and their numbers.
func codeTable(t *html.Node) *html.Node {
	var code *html.Node
	rows, other := 0, false
	walk(t, func(c *html.Node) bool {
		switch {
		case c.DataAtom == atom.Tr:
			rows++
		case c.DataAtom == atom.Pre:
			code = c // the numbers stand first
			return false
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			other = true
		}
		return rows < 2 && !other
	})
	if rows != 1 || other {
		return nil
	}
	return code
}
