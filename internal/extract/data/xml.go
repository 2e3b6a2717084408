package data

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// Limits of a tree of XML.
const (
	mostElements       = 500_000
	mostAttributes     = 100
	mostAttributeBytes = 500
)

var (
	xmlOpening = regexp.MustCompile(`^\s*<\?xml\s[^>]{0,200}\?>`)
	rootName   = regexp.MustCompile(`(?s)^\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*>\s*)*<([A-Za-z_][\w.:-]*)[\s/>]`)
)

// looksXML says yes to the XML declaration, unless it opens a page.
func looksXML(src *extract.Source) extract.Look {
	head := strings.TrimPrefix(src.Text[:min(len(src.Text), 8<<10)], "\ufeff")
	m := rootName.FindStringSubmatch(head)
	switch {
	case m != nil && strings.EqualFold(m[1], "html"):
		return extract.No
	case xmlOpening.MatchString(head):
		return extract.Yes
	case strings.HasPrefix(strings.TrimSpace(head), "<"):
		return extract.Maybe
	}
	return extract.No
}

// extractXML writes elements as "path: text" lines. Attributes become members. Entities that the file declares are not
// expanded: they stay as they are written.
func extractXML(ctx context.Context, src *extract.Source) (extract.Output, error) {
	b := xmlTree{dec: xml.NewDecoder(strings.NewReader(src.Text))}
	b.dec.Strict = false
	b.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	err := b.read(ctx)
	if ctx.Err() != nil {
		return extract.Output{}, ctx.Err()
	}
	if b.root == nil || err != nil && len(b.root.children) == 0 {
		return asText(ctx, src, "code", "not well-formed XML")
	}
	if b.root.key == "plist" {
		b.root = propertyList(b.root, "")
	}
	out, failed := writeTree(ctx, src, fileName(src, b.root.key), []*branch{b.root})
	if failed != nil {
		return out, failed
	}
	out.Metadata["root"] = b.root.tag
	switch {
	case err != nil:
		out.Metadata["warning"] = "not well-formed XML: " + inline(err.Error(), 200) + "; what stands before was read"
	case b.cut:
		out.Metadata["truncated"] = "true"
		out.Metadata["warning"] = "the XML has too many elements; the rest was left out"
	}
	return out, nil
}

// xmlTree builds a tree from the tokens of a file.
type xmlTree struct {
	dec   *xml.Decoder
	root  *branch
	stack []*element
	count int
	deep  int // elements open below the deepest that is kept
	cut   bool
}

// element is one that is open.
type element struct {
	*branch
	text   strings.Builder
	counts map[string]int // children by name
	firsts map[string]*branch
}

func (b *xmlTree) read(ctx context.Context) error {
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := b.dec.RawToken()
		if errors.Is(err, io.EOF) {
			for len(b.stack) > 0 {
				b.close()
			}
			return nil
		}
		if err != nil {
			for len(b.stack) > 0 {
				b.close()
			}
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if b.count++; b.count > mostElements {
				b.cut = true
				for len(b.stack) > 0 {
					b.close()
				}
				return nil
			}
			b.open(t)
		case xml.EndElement:
			switch {
			case b.deep > 0:
				b.deep--
			case len(b.stack) > 0:
				b.close()
			}
		case xml.CharData:
			if len(b.stack) > 0 {
				top := b.stack[len(b.stack)-1]
				if top.text.Len() < mostValueBytes {
					top.text.Write(t[:min(len(t), mostValueBytes)])
				}
			}
		}
	}
}

// open begins an element. One inside of running text is part of that text, and so is what lies too deep.
func (b *xmlTree) open(t xml.StartElement) {
	if len(b.stack) > 0 {
		if top := b.stack[len(b.stack)-1]; len(b.stack) >= mostNestedDepth || strings.TrimSpace(top.text.String()) != "" {
			if words := top.text.String(); words != "" && words[len(words)-1] > ' ' {
				top.text.WriteByte(' ')
			}
			b.deep++
			return
		}
	} else if b.root != nil {
		b.deep++
		return
	}
	e := &element{branch: &branch{key: t.Name.Local, tag: t.Name.Local}}
	for _, a := range t.Attr[:min(len(t.Attr), mostAttributes)] {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" || a.Value == "" || len(a.Value) > mostAttributeBytes {
			continue
		}
		e.add(&branch{key: "@" + a.Name.Local, value: a.Value})
	}
	if len(b.stack) == 0 {
		b.root = e.branch
	} else {
		b.stack[len(b.stack)-1].child(e.branch)
	}
	b.stack = append(b.stack, e)
}

// child adds an element; of several of one name each has its number, as in item[2].
func (e *element) child(c *branch) {
	if e.counts == nil {
		e.counts, e.firsts = map[string]int{}, map[string]*branch{}
	}
	name := c.key
	switch e.counts[name]++; e.counts[name] {
	case 1:
		e.firsts[name] = c
	case 2:
		e.firsts[name].key = name + "[1]"
		fallthrough
	default:
		c.key = name + "[" + strconv.Itoa(e.counts[name]) + "]"
	}
	e.add(c)
}

// close ends the element on top.
func (b *xmlTree) close() {
	e := b.stack[len(b.stack)-1]
	b.stack = b.stack[:len(b.stack)-1]
	words := strings.TrimSpace(e.text.String())
	switch {
	case words == "":
	case len(e.children) == 0:
		e.value = words
	default:
		e.add(&branch{key: "text", value: words})
	}
}

// propertyList turns the elements of an Apple property list, in which keys and values take turns, into a tree of members.
func propertyList(b *branch, key string) *branch {
	out := &branch{key: key, tag: b.tag, value: b.value}
	switch b.tag {
	case "plist", "array":
		n := 0
		for _, c := range b.children {
			switch {
			case c.tag == "":
			case b.tag == "plist":
				return &branch{tag: "plist", children: propertyList(c, "").children}
			default:
				out.add(propertyList(c, "["+strconv.Itoa(n)+"]"))
				n++
			}
		}
	case "dict":
		name := ""
		for _, c := range b.children {
			if c.tag == "key" {
				name = c.value
			} else {
				out.add(propertyList(c, name))
			}
		}
	case "true", "false":
		out.value = b.tag
	case "data":
		out.value = "(" + strconv.Itoa(len(b.value)*3/4) + " bytes)"
	}
	return out
}
